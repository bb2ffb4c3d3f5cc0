"""Prints cases as OSU 7.4 does with its option -f, column by column, so that scripts that read it keep working.

As in OSU, averages are those of the ranks' means. A failed case has its title and the reason.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from banzuke.plan.official import CurvePoint, Outcome

VERSION = "7.4"
TITLES = {
    "barrier": ("Barrier", "Non-blocking Barrier"),
    "allreduce": ("Allreduce", "Non-blocking Allreduce"),
    "alltoall": ("All-to-All Personalized Exchange", "Non-blocking All-to-All"),
    "bcast": ("Broadcast", "Non-Blocking Broadcast"),
    "reduce": ("Reduce", "Non-blocking Reduce"),
    "allgather": ("Allgather", "Non-blocking Allgather"),
    "gather": ("Gather", "Non-blocking Gather"),
    "scatter": ("Scatter", "Non-blocking Scatter"),
    "reduce_scatter": ("Reduce_scatter", "Non-blocking Reduce_scatter"),
}
"""Titles of each operation: blocking and non-blocking."""
BLOCKING = {"Avg Latency(us)": "latency", "Min Latency(us)": "fastest_rank", "Max Latency(us)": "slowest_rank"}
NON_BLOCKING = {
    "Overall(us)": "latency",
    "Compute(us)": "compute_time",
    "Coll. Init(us)": "start_time",
    "MPI_Test(us)": None,
    "MPI_Wait(us)": "wait_time",
    "Pure Comm.(us)": "pure_latency",
    "Min Comm.(us)": "fastest_rank",
    "Max Comm.(us)": "slowest_rank",
    "Overlap(%)": "overlap",
}
"""Metric of each column; MPI_Test is not called while a rank computes."""
WIDTH, ITERATIONS, SIZE = 18, 12, 10
MICROSECOND = 1e-6
PERCENT = 1e-2


def official(outcomes: Sequence[Outcome]) -> str:
    return "".join(line + "\n" for outcome in outcomes for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    operation, blocking = str(outcome.parameters["operation"]), outcome.parameters["mode"] == "blocking"
    sized = operation != "barrier"
    columns = BLOCKING if blocking else NON_BLOCKING
    yield ""
    yield f"# OSU MPI {TITLES[operation][0 if blocking else 1]} Latency Test v{VERSION}"
    if not blocking:
        yield "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait"
        yield ""
    if outcome.status != "ok":
        yield f"# {outcome.status}: {' '.join((outcome.reason or '').split())}"
        return
    if sized:
        yield "# Datatype: MPI_CHAR."
    first, *others = columns
    head = f"{'# Size':<{SIZE}}{first:>{WIDTH}}" if sized else f"# {first}"
    yield head + "".join(f"{name:>{WIDTH}}" for name in others) + (f"{'Iterations':>{ITERATIONS}}" if blocking else "")
    for point in outcome.points:
        first_figure, *figures = (_figure(point, metric) for metric in columns.values())
        size = f"{point.at:<{SIZE}.0f}{first_figure:>{WIDTH}.2f}"
        row = size if sized else f"{first_figure:>{17 if blocking else 13}.2f}"
        count = f"{len(point.samples['latency']):>{ITERATIONS}}" if blocking else ""
        yield row + "".join(f"{figure:>{WIDTH}.2f}" for figure in figures) + count


def _figure(point: CurvePoint, metric: str | None) -> float:
    if metric is None:
        return 0.0
    return fmean(point.samples[metric]) / (PERCENT if metric == "overlap" else MICROSECOND)
