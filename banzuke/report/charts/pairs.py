"""A figure of every pair of ranks as a map of squares: the stronger the colour, the slower."""

import math
from bisect import bisect

from banzuke.charts.style import Drawn
from banzuke.report.charts.heat import heat_map, steps_of, thresholds_of
from banzuke.report.content import Section
from banzuke.report.curve_content import Pairs
from banzuke.units import quantity, scale

_MOST = 96
"""Squares along a side; of more ranks each square is a block of them, and has the slowest of its figures."""
_WRITTEN = 10
"""Ranks up to which the figures are written into the squares."""
_SIDE = 420


def pairs_chart(section: Section, pairs: Pairs) -> Drawn | None:
    """None where there are no two pairs to tell apart, with figures."""
    ranks = len(pairs.values)
    if ranks < 3:
        return None
    block = -(-ranks // _MOST)
    rate = pairs.unit.endswith("/s")
    slowest = min if rate else max
    squares: dict[tuple[int, int], list[float]] = {}
    for a, row in enumerate(pairs.values):
        for b, value in enumerate(row):
            if value:
                for square in {(a // block, b // block), (b // block, a // block)}:
                    squares.setdefault(square, []).append(value)
    if not squares:
        return None
    marked = {(x // block, y // block) for a, b in pairs.marked for x, y in ((a, b), (b, a))}
    values = {square: slowest(found) for square, found in squares.items()}
    thresholds = thresholds_of(values.values())
    factor, unit = scale(math.sqrt(min(values.values()) * max(values.values())), pairs.unit)
    steps = steps_of([value / factor for value in thresholds], unit)
    rows = [
        {
            "x": x * block,
            "y": y * block,
            "step": steps[at],
            "strong": 2 * (len(steps) - 1 - at if rate else at) >= len(steps),
            "text": f"{value / factor:.3g}",
            "figure": quantity(value, pairs.unit),
            "between": _named(pairs, x, block),
            "and": _named(pairs, y, block),
            "slow": (x, y) in marked,
        }
        for (x, y), value in sorted(values.items())
        for at in [bisect(thresholds, value)]
    ]
    places = [place * block for place in range(-(-ranks // block))]
    title = f"{section.title}: {pairs.title.lower()} between all ranks"
    caption = "The stronger the colour, the slower."
    caption += f" A square is {block} by {block} ranks and has the slowest of their figures." if block > 1 else ""
    caption += f" Framed: {'; '.join(one.who for one in pairs.slow[:4])}." if pairs.slow else ""
    told = f"{title}: {ranks} ranks, from {quantity(min(values.values()), pairs.unit)} to "
    told += f"{quantity(max(values.values()), pairs.unit)}. "
    told += f"{len(pairs.slow)} stand out: {pairs.slow[0].who} first." if pairs.slow else "No pair stands out."
    return Drawn(
        f"{section.slug}-pairs-{pairs.slug}",
        title,
        told,
        caption,
        heat_map(
            rows,
            ("rank", places),
            ("rank", places),
            steps[::-1] if rate else steps,
            tips=("between", "and", "figure"),
            side=max(120, min(_SIDE, 46 * len(places))),
            written=ranks <= _WRITTEN,
        ),
    )


def _named(pairs: Pairs, square: int, block: int) -> str:
    first, last = square * block, min(square * block + block, len(pairs.ranks)) - 1
    return pairs.ranks[first] if first == last else f"{pairs.ranks[first]} to {pairs.ranks[last]}"
