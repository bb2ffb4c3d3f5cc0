"""The view of NUMA nodes: latency and bandwidth from the processors of each node to the memory of each.

Altair is imported when it is needed.
"""

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from banzuke.document import Block, Cell, Column, Heading, Paragraph, Row, Table
from banzuke.machine.model import Machine
from banzuke.plan.wording import benchmark_title
from banzuke.record.figures import Pairs
from banzuke.record.model import Record
from banzuke.units import quantity, scale
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, message

if TYPE_CHECKING:
    from banzuke.charts.style import Drawn

UNLIKE = 1.5
"""Ratio from which a node's own memory is slower than that of the other nodes: nodes are built alike."""
_SQUARE, _LEAST_SIDE = 46, 120
"""Pixels of a square's side, and of the least map."""

Matrices = Mapping[str, Pairs]
"""By the name of the figure."""


class NumaView(View[Matrices]):
    """Shows a map for each figure, and names nodes whose own memory is slow."""

    name = "numa"

    def judge(self, record: Record, machine: Machine) -> Matrices | None:  # noqa: ARG002
        return {name: pairs for name, pairs in record.pairs.items() if pairs.of_nodes} or None

    def remark(self, seen: Matrices, launches: Sequence[Matrices]) -> Message | None:  # noqa: ARG002
        """Return which nodes' own memory is slower than that of most; None: none is."""
        slow = {node: ratio for pairs in seen.values() for node, ratio in slow_nodes(pairs).items()}
        if not slow:
            return None
        return message("memory-numa-slow", nodes=Listed(tuple(map(str, sorted(slow)))), ratio=max(slow.values()))

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return a map of each figure of each case."""
        words = section.words
        blocks: list[Block] = []
        for number, (case, name, pairs) in enumerate(_matrices(self, section), 1):
            drawn = _map(section, f"{section.slug}-{name}-{number}", name, pairs)
            blocks += [
                Heading(words(message("memory-numa", figure=name)), of=case.label if len(section.cases) > 1 else ""),
                *(Paragraph(words(outcome)) for outcome in _far(pairs)),
                drawn.block,
            ]
        return blocks

    def tables(self, section: ViewSection) -> Mapping[str, Table]:
        """Return all figures, a row for each pair of nodes."""
        rows = [
            Row((*map(Cell, (case.id, name, pairs.unit)), *(Cell(value=amount) for amount in (*nodes, value))))
            for case, name, pairs in _matrices(self, section)
            for nodes, value in values(pairs).items()
        ]
        titles = ("case", "metric", "unit", "processors", "memory", "value")
        return {"numa": Table(tuple(map(Column, titles)), tuple(rows))} if rows else {}

    def method(self) -> Message:
        return message("memory-numa-method", ratio=UNLIKE)


def _matrices(view: NumaView, section: ViewSection) -> Sequence[tuple[ViewCase, str, Pairs]]:
    return [
        (case, name, pairs)
        for case in section.cases
        for name, pairs in (view.of(case.assessment) or {}).items()
        if values(pairs)
    ]


def values(pairs: Pairs) -> Mapping[tuple[int, int], float]:
    """Return the figures by the node of the processors and that of the memory."""
    nodes = [end.node if end.node is not None else place for place, end in enumerate(pairs.ends)]
    return {
        (nodes[origin], nodes[target]): value
        for origin, target, value in zip(pairs.origins, pairs.targets, pairs.values, strict=True)
        if value > 0
    }


def slow_nodes(pairs: Pairs) -> Mapping[int, float]:
    """Return how many times slower than the best node's the own memory of a node is, where that is much."""
    own = {origin: value for (origin, memory), value in values(pairs).items() if origin == memory}
    rate = pairs.unit.endswith("/s")
    best = (max if rate else min)(own.values(), default=0.0)
    ratios = {node: best / value if rate else value / best for node, value in own.items()}
    return {node: ratio for node, ratio in ratios.items() if ratio >= UNLIKE}


def _far(pairs: Pairs) -> Sequence[Message]:
    """Return the medians of own and of other nodes' memory; empty where there is only one kind."""
    near, far = (
        [value for (origin, memory), value in values(pairs).items() if (origin == memory) == own]
        for own in (True, False)
    )
    if not near or not far:
        return ()
    own, other = (Quantity(median(figures), pairs.unit) for figures in (near, far))
    return (message("memory-numa-far", own=own, other=other),)


def _map(section: ViewSection, slug: str, name: str, pairs: Pairs) -> "Drawn":
    """Return the map of a figure: a row has the processors of a node, a column the memory of one."""
    from banzuke.charts.heat import HeatAxis, heat_map, steps_of, thresholds_of  # noqa: PLC0415
    from banzuke.charts.style import Drawn  # noqa: PLC0415

    words, figures = section.words, values(pairs)
    rate = pairs.unit.endswith("/s")
    low, high = min(figures.values()), max(figures.values())
    factor, unit = scale(math.sqrt(low * high), pairs.unit)
    thresholds = thresholds_of(figures.values())
    steps = steps_of([value / factor for value in thresholds], unit)
    rows = [
        {
            "x": memory,
            "y": origin,
            "step": steps[at],
            "figure": quantity(value, pairs.unit),
            "text": f"{value / factor:.3g}",
            "strong": 2 * (len(steps) - 1 - at if rate else at) >= len(steps),
        }
        for (origin, memory), value in sorted(figures.items())
        for at in [bisect(thresholds, value)]
    ]
    down = HeatAxis(words(message("memory-numa-processors")), sorted({origin for origin, _ in figures}))
    along = HeatAxis(words(message("memory-numa-memory")), sorted({memory for _, memory in figures}))
    return Drawn(
        slug,
        words(message("memory-numa-drawn", benchmark=benchmark_title(section.benchmark), figure=name)),
        words(message("memory-numa-range", low=Quantity(low, pairs.unit), high=Quantity(high, pairs.unit))),
        words(message("views-pairs-caption")),
        heat_map(
            rows,
            along,
            down,
            steps[::-1] if rate else steps,
            tips={"y": down.title, "x": along.title, "figure": words(message("memory-numa", figure=name))},
            side=max(_LEAST_SIDE, _SQUARE * len(down.places)),
            written=True,
        ),
    )
