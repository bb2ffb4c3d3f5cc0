"""Compares the text with what OSU's own programs printed, line by line, from such figures."""

from datetime import UTC, datetime
from typing import Any

import pytest

from banzuke.plan.catalogue import find
from banzuke.plan.official import CurvePoint, Outcome

PT2PT = find("pt2pt")


def printed(test: str, **changes: Any) -> list[str]:
    fields: dict[str, Any] = {
        "parameters": {"test": test, "window": 64},
        "status": "ok",
        "reason": None,
        "started": datetime.fromtimestamp(0, UTC),
        "ranks": 2,
    }
    assert PT2PT.official.output is not None
    return PT2PT.official.output([Outcome(**(fields | changes))]).splitlines()


def test_latency_is_the_mean_in_microseconds() -> None:
    points = [CurvePoint(0, {"latency": [3.4e-6, 3.5e-6]}), CurvePoint(4194304, {"latency": [355.1e-6]})]
    assert printed("latency", points=points) == [
        "",
        "# OSU MPI Latency Test v7.4",
        "# Datatype: MPI_CHAR.",
        "# Size       Avg Latency(us)",
        "0                       3.45",
        "4194304               355.10",
    ]


@pytest.mark.parametrize(("test", "title"), [("bandwidth", "Bandwidth"), ("bidirectional", "Bi-Directional Bandwidth")])
def test_bandwidth_is_all_bytes_over_all_time(test: str, title: str) -> None:
    assert printed(test, points=[CurvePoint(16, {"bandwidth": [1e6, 3e6]})]) == [
        "",
        f"# OSU MPI {title} Test v7.4",
        "# Datatype: MPI_CHAR.",
        "# Size      Bandwidth (MB/s)",
        "16                      1.50",
    ]


def test_several_pairs_have_a_message_rate() -> None:
    points = [CurvePoint(16, {"bandwidth": [4877200.3]})]
    assert printed("multi-pair", points=points, ranks=8) == [
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4",
        "# [ pairs: 4 ] [ window size: 64 ]",
        "# Datatype: MPI_CHAR.",
        "# Size                  MB/s        Messages/s",
        "16                      4.88         304825.02",
    ]


def test_what_failed_has_the_reason_and_no_figures() -> None:
    assert printed("latency", status="failed", reason="rank 1\ndied") == [
        "",
        "# OSU MPI Latency Test v7.4",
        "# failed: rank 1 died",
    ]


def test_pairs_are_none_of_osus() -> None:
    assert printed("pairs") == ["# pairs: OSU has no such test"]
