"""A map of a figure of every pair of ranks: a row sends to columns, and stronger colours are slower."""

import math
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Any

from banzuke.charts.heat import HeatAxis, heat_map, steps_of, thresholds_of
from banzuke.charts.style import Drawn
from banzuke.plan.wording import benchmark_title
from banzuke.record.figures import Pairs
from banzuke.units import quantity, scale
from banzuke.views.pairs.outliers import RankLocation, Slow, of_what
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Message, Quantity, message

_MOST_SQUARES = 96
"""Most squares along a side; with more ranks, a square is a block of ranks and shows their slowest figure."""
_WRITTEN = 10
"""Most ranks with which figures are written into the squares."""
_SIDE = 420
_FRAMED = 4
"""Most outliers that the caption names."""


def pairs_chart(
    section: ViewSection, name: str, metric: Message, matrix: Pairs, places: Sequence[RankLocation], slow: Slow
) -> Drawn | None:
    """Return the map; None where there are fewer than two pairs with figures."""
    words, ranks = section.words, matrix.count
    if ranks < 3:
        return None
    block = -(-ranks // _MOST_SQUARES)
    rate = matrix.unit.endswith("/s")
    squares: dict[tuple[int, int], list[float]] = {}
    for (a, b), value in matrix.each.items():
        if value:
            squares.setdefault((b // block, a // block), []).append(value)
    if not squares:
        return None
    marked = {(b // block, a // block) for a, b in _marked(slow, ranks)}
    values = {square: (min if rate else max)(figures) for square, figures in squares.items()}
    low, high = min(values.values()), max(values.values())
    thresholds = thresholds_of(values.values())
    factor, unit = scale(math.sqrt(low * high), matrix.unit)
    steps = steps_of([value / factor for value in thresholds], unit)
    names = [words(place.message) for place in places]
    written = ranks <= _WRITTEN
    rows = [
        {
            "x": x * block,
            "y": y * block,
            "step": steps[at],
            "figure": quantity(value, matrix.unit),
            "slow": (x, y) in marked,
        }
        | (_written(value / factor, strong=2 * (len(steps) - 1 - at if rate else at) >= len(steps)) if written else {})
        for (x, y), value in sorted(values.items())
        for at in [bisect(thresholds, value)]
    ]
    edges = [place * block for place in range(-(-ranks // block))]
    memories = bool(matrix.ends)
    ends = of_what(memory=memories)
    labels = {place: _short(section, places[place]) for place in edges} if memories else None
    ways = memories or matrix.both_ways
    across = message("views-axis-to") if ways else message("views-axis-rank")
    downward = message("views-axis-from") if ways else message("views-axis-rank")
    along, down = (HeatAxis(words(title), edges, labels) for title in (across, downward))
    who = [outlier.who for outlier in slow.outliers]
    least, most = Quantity(low, matrix.unit), Quantity(high, matrix.unit)
    caption = [message("views-pairs-caption")]
    caption += [message("views-pairs-blocks", side=block, of=ends)] if block > 1 else []
    caption += [message("views-pairs-framed", who=Listed(tuple(who), _FRAMED))] if who else []
    return Drawn(
        f"{section.slug}-pairs-{name}",
        words(message("views-pairs-drawn", benchmark=benchmark_title(section.benchmark), metric=metric, of=ends)),
        words(message("views-pairs-range", ranks=ranks, outliers=len(who), low=least, high=most, of=ends)),
        words.sentences(caption),
        heat_map(
            rows,
            along,
            down,
            steps[::-1] if rate else steps,
            tips={
                "name_y": words(downward if ways else message("views-tip-between")),
                "name_x": words(across if ways else message("views-tip-and")),
                "figure": words(metric),
            },
            names={place: _named(names, place // block, block) for place in edges},
            side=max(120, min(_SIDE, 46 * len(edges))),
            written=written,
        ),
    )


def _written(value: float, *, strong: bool) -> dict[str, Any]:
    return {"text": f"{value:.3g}", "strong": strong}


def _marked(slow: Slow, ranks: int) -> Iterator[tuple[int, int]]:
    """Return slow pairs, including those of slow ranks, as sender and receiver."""
    for pair in slow.pairs:
        yield pair.a.rank, pair.b.rank
        if pair.way == "both":
            yield pair.b.rank, pair.a.rank
    for slow_rank in slow.ranks:
        for other in range(ranks):
            if slow_rank.way != "in":
                yield slow_rank.location.rank, other
            if slow_rank.way != "out":
                yield other, slow_rank.location.rank


def _short(section: ViewSection, place: RankLocation) -> str:
    """Return the short name of a memory for its row and column."""
    return place.number or place.device or section.words(message("views-axis-host"))


def _named(names: Sequence[str], square: int, block: int) -> str:
    first, last = square * block, min(square * block + block, len(names)) - 1
    return names[first] if first == last else f"{names[first]} – {names[last]}"
