"""Prints cases as OSU 7.4 does, column by column, so that scripts that read it keep working.

A failed case has its title and the reason; `pairs`, which OSU lacks, has a line that says so.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean, harmonic_mean

from banzuke.plan.official import CurvePoint, Outcome

VERSION = "7.4"
TITLES = {
    "latency": "OSU MPI Latency Test",
    "bandwidth": "OSU MPI Bandwidth Test",
    "bidirectional": "OSU MPI Bi-Directional Bandwidth Test",
    "multi-pair": "OSU MPI Multiple Bandwidth / Message Rate Test",
}
COLUMNS = {
    "latency": ("Avg Latency(us)",),
    "bandwidth": ("Bandwidth (MB/s)",),
    "bidirectional": ("Bandwidth (MB/s)",),
    "multi-pair": ("MB/s", "Messages/s"),
}
SIZE, WIDTH = 10, 18
MICROSECOND = 1e-6
MEGA = 1e6


def official(outcomes: Sequence[Outcome]) -> str:
    return "".join(line + "\n" for outcome in outcomes for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    test = str(outcome.parameters["test"])
    if test not in TITLES:
        yield f"# {test}: OSU has no such test"
        return
    if test != "multi-pair":
        yield ""
    yield f"# {TITLES[test]} v{VERSION}"
    if outcome.status != "ok":
        yield f"# {outcome.status}: {' '.join((outcome.reason or '').split())}"
        return
    if test == "multi-pair":
        yield f"# [ pairs: {outcome.ranks // 2} ] [ window size: {outcome.parameters['window']} ]"
    yield "# Datatype: MPI_CHAR."
    yield f"{'# Size':<{SIZE}}" + "".join(f"{name:>{WIDTH}}" for name in COLUMNS[test])
    for point in outcome.points:
        yield f"{point.at:<{SIZE}.0f}" + "".join(f"{figure:>{WIDTH}.2f}" for figure in _figures(test, point))


def _figures(test: str, point: CurvePoint) -> tuple[float, ...]:
    """Return averages as OSU computes them: the time of all exchanges over their number, all bytes over their time."""
    if test == "latency":
        return (fmean(point.samples["latency"]) / MICROSECOND,)
    bandwidth = harmonic_mean(point.samples["bandwidth"])
    rate = (bandwidth / point.at,) if test == "multi-pair" else ()
    return (bandwidth / MEGA, *rate)
