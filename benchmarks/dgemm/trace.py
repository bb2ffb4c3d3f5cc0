"""The rates of each group over the timed calls of a shared product, from its record's trace."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from banzuke.record.figures import Line
from banzuke.record.model import Record

SERIES = ("updates", "elements")
"""Series of the work that each group finished, over the seconds of all calls; the second one is of older records."""
INTERVALS = 80
"""Intervals of a chart."""


def rates_over_time(record: Record, groups: Mapping[str, Sequence[int]]) -> tuple[float, Mapping[str, Sequence[float]]]:
    """Return the seconds, and each group's rates in `INTERVALS` equal parts of them; no rates without a trace."""
    series = next((record.series[name] for name in SERIES if name in record.series), None)
    lines = {line.rank: line for line in series.lines if line.times} if series else {}
    end = max((line.times[-1] for line in lines.values() if line.times), default=0.0)
    members = {rank for places in groups.values() for rank in places}
    if series is None or end <= 0 or not members <= lines.keys():
        return end, {}
    edges = [end * place / INTERVALS for place in range(INTERVALS + 1)]
    by_rank = {rank: _amounts(lines[rank], edges) for rank in members}
    times = series.resolution * INTERVALS / end
    return end, {
        name: [times * sum(amounts) for amounts in zip(*(by_rank[rank] for rank in places), strict=True)]
        for name, places in groups.items()
    }


def _amounts(line: Line, edges: Sequence[float]) -> list[float]:
    """Return the work between each two edges, as if each strip had been computed at an even rate."""
    done = [0.0]
    for value in line.values:
        done.append(done[-1] + value)
    times = [0.0, *(line.times or ())]
    place, reached = 0, []
    for edge in edges:
        while place < len(times) - 2 and times[place + 1] < edge:
            place += 1
        span = times[place + 1] - times[place]
        part = min(1.0, max(0.0, (edge - times[place]) / span)) if span > 0 else 1.0
        reached.append(done[place] + part * (done[place + 1] - done[place]))
    return [after - before for before, after in pairwise(reached)]
