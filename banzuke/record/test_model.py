"""Tests that invalid records and descriptions of machines are refused when they are read."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from banzuke import paths
from banzuke.machine.model import Machine
from banzuke.record.model import Binding, Record
from banzuke.testing import machine

GOLDEN: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / "verified.json").read_bytes())
HUGE = 10**400
NODE = "site.partitions.nodes.node"


def changed(document: dict[str, Any], place: str, value: Any) -> str:
    """Return the document as JSON with another value at a place such as `metrics.triad_bandwidth.samples.0`."""
    copy = json.loads(json.dumps(document))
    at: Any = copy
    *path, last = (int(word) if word.isdecimal() else word for word in place.split("."))
    for step in path:
        at = at[step]
    at[last] = value
    return json.dumps(copy)


METRIC = next(f"metrics.{name}" for name, samples in GOLDEN["metrics"].items() if samples["demand"])


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (f"{METRIC}.samples.0", -1.0, "greater than or equal to 0"),
        (f"{METRIC}.samples.0", 1e300, "less than or equal to"),
        (f"{METRIC}.samples.0", 1e-300, "0 or at least 1e-30"),
        (f"{METRIC}.samples.0", float("inf"), "finite number"),
        (f"{METRIC}.samples.0", float("nan"), "finite number"),
        (f"{METRIC}.demand.0.amount", 1e300, "less than or equal to"),
        ("parameters.n", HUGE, "less than or equal to"),
        ("parameters.n", float("inf"), "finite number"),
        ("conditions.footprint", HUGE, "less than or equal to"),
        ("conditions.interrupts", {"LOC": [1e300]}, "less than or equal to"),
        ("verification.0.tolerance", float("inf"), "finite number"),
        ("groups.0.ranks", 2**31, "less than or equal to"),
        ("ended", "2000-01-01T00:00:00Z", "before it started"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_records(place: str, value: Any, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Record.model_validate_json(changed(GOLDEN, place, value))


@pytest.mark.parametrize("value", [HUGE, -1, float("nan")], ids=["huge", "negative", "nan"])
@pytest.mark.parametrize(
    "place",
    [
        f"{NODE}.memory.total",
        f"{NODE}.caches.0.bytes",
        "allotments.0.allowed_cores",
        "allotments.0.allowed.0",
        "allotments.0.scalar_hz",
    ],
)
def test_machines(place: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        Machine.model_validate_json(changed(machine().model_dump(), place, value))


def test_threads_of_all_ranks_are_counted_by_processor() -> None:
    assert Binding(ranks="0-2,5", threads=["0", "4", "0"]).processors == {0: 8, 4: 4}
    assert Binding(ranks="0", threads=["0", "4-5"]).processors is None
    assert Binding(ranks="0", threads=[""]).processors is None
