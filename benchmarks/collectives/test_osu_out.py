"""Compares the text with what OSU 7.4 prints with -f, character by character."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import pytest

from banzuke.plan.catalogue import find
from banzuke.plan.official import CurvePoint, Outcome

BLOCKING = """
# OSU MPI Allreduce Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       0.96              0.86              1.05           2
1048576               768.73            768.68            768.78           1
"""
BARRIER = """
# OSU MPI Barrier Latency Test v7.4
# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
             0.96              0.86              1.05           2
"""
NON_BLOCKING = (
    """
# OSU MPI Non-blocking All-to-All Latency Test v7.4
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Datatype: MPI_CHAR.
# Size           Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)"""
    """    Pure Comm.(us)     Min Comm.(us)     Max Comm.(us)        Overlap(%)
1                       5.81              3.36              0.46              0.00              1.87"""
    """              2.85              2.67              3.02             14.00
"""
)
IBARRIER = (
    """
# OSU MPI Non-blocking Barrier Latency Test v7.4
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)"""
    """    Pure Comm.(us)     Min Comm.(us)     Max Comm.(us)        Overlap(%)
         5.81              3.36              0.46              0.00              1.87"""
    """              2.85              2.67              3.02             14.00
"""
)


def point(at: float, **samples: list[float]) -> CurvePoint:
    return CurvePoint(at, {name: [1e-6 * value for value in values] for name, values in samples.items()})


SMALL = {"latency": [0.95, 0.97], "slowest_latency": [1.0, 1.1], "fastest_rank": [0.86], "slowest_rank": [1.05]}
LARGE = {"latency": [768.73], "slowest_latency": [768.8], "fastest_rank": [768.68], "slowest_rank": [768.78]}
OVERLAPPED = {
    "latency": [5.81],
    "slowest_latency": [6.0],
    "pure_latency": [2.85],
    "compute_time": [3.36],
    "start_time": [0.46],
    "wait_time": [1.87],
    "overlap": [0.14e6],
    "fastest_rank": [2.67],
    "slowest_rank": [3.02],
}


def text(
    operation: str,
    mode: str,
    points: Mapping[float, Mapping[str, list[float]]],
    status: Literal["ok", "failed"] = "ok",
    reason: str | None = None,
) -> str:
    official = find("collectives").official.output
    assert official is not None
    outcome = Outcome(
        parameters={"operation": operation, "mode": mode},
        status=status,
        reason=reason,
        started=datetime(2026, 1, 1, tzinfo=UTC),
        points=[point(at, **samples) for at, samples in points.items()],
    )
    return official([outcome])


def test_a_blocking_operation() -> None:
    assert text("allreduce", "blocking", {1: SMALL, 1 << 20: LARGE}) == BLOCKING


def test_a_barrier_has_no_sizes() -> None:
    assert text("barrier", "blocking", {0: SMALL}) == BARRIER
    assert text("barrier", "non-blocking", {0: OVERLAPPED}) == IBARRIER


def test_a_non_blocking_operation_tells_its_overlap() -> None:
    assert text("alltoall", "non-blocking", {1: OVERLAPPED}) == NON_BLOCKING


def test_a_failed_case_tells_why_on_one_line() -> None:
    assert text("bcast", "blocking", {}, "failed", "rank 3:\nkilled") == (
        "\n# OSU MPI Broadcast Latency Test v7.4\n# failed: rank 3: killed\n"
    )


@pytest.mark.parametrize("operation", ["reduce", "allgather", "gather", "scatter", "reduce_scatter"])
def test_every_operation_has_a_title(operation: str) -> None:
    assert f"# OSU MPI {operation.capitalize()} Latency Test" in text(operation, "blocking", {1: SMALL})
