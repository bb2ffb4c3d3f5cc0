"""Shows what nodes of each partition reach alone and together, where ranks of several share one problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.document import Block, Cell, Column, Heading, Paragraph, Row, Table
from banzuke.judge.model import Figure
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class NodesUsed:
    """Nodes and ranks that a case has in each partition."""

    nodes: Mapping[str, int]
    ranks: Mapping[str, int]
    """Ranks on each node."""


@dataclass(frozen=True)
class Subset:
    case: ViewCase
    used: NodesUsed
    figure: Figure
    alone: float | None = None
    """Sum of the figures of its partitions alone, each the best one on as many nodes; None: one was not measured."""
    added: float | None = None
    """Its figure less the best of those that lack some of its partitions; None: there is none."""


class Subsets(View[NodesUsed]):
    """Cases on nodes of several partitions together, and of each alone."""

    name = "subsets"

    def judge(self, record: Record, machine: Machine) -> NodesUsed | None:  # noqa: ARG002
        nodes: dict[str, int] = {}
        ranks: dict[str, int] = {}
        for group in record.groups:
            if group.partition:
                hosts = len({host.name for listed in group.hosts for host in listed.each}) or 1
                nodes[group.partition] = hosts
                ranks[group.partition] = group.ranks // hosts
        return NodesUsed(nodes, ranks) if nodes else None

    def show(self, section: ViewSection) -> Sequence[Block]:
        rows = subsets(section, self)
        if len({frozenset(row.used.nodes) for row in rows}) < 2:
            return ()
        words = section.words
        best = max(rows, key=lambda row: row.figure.value)
        every = {name for row in rows for name in row.used.nodes}
        left_out = sorted(every - best.used.nodes.keys())
        said = [Paragraph(words(_slowing(best, left_out)))] if left_out else []
        return (Heading(words(message("views-subsets"))), *said, _table(section, rows))


def subsets(section: ViewSection, view: Subsets) -> Sequence[Subset]:
    """Return the verified cases with their headline: each partition alone first, then more and more of them."""
    rows = [
        Subset(case, used, figure)
        for case in section.cases
        if (used := view.of(case.assessment))
        for figure in case.assessment.figures
        if figure.headline and figure.better == "higher"
    ]
    rows.sort(key=lambda row: (len(row.used.nodes), row.figure.value))
    alone: dict[tuple[str, int], float] = {}
    for row in rows:
        if len(row.used.nodes) == 1:
            (key,) = row.used.nodes.items()
            alone[key] = max(row.figure.value, alone.get(key, 0.0))
    return [_compared(row, rows, alone) for row in rows]


def _compared(row: Subset, rows: Sequence[Subset], alone: Mapping[tuple[str, int], float]) -> Subset:
    parts = [alone.get(part) for part in row.used.nodes.items()]
    total = sum(value for value in parts if value is not None)
    fewer = [other.figure.value for other in rows if other.used.nodes.keys() < row.used.nodes.keys()]
    return Subset(
        row.case,
        row.used,
        row.figure,
        total if len(parts) > 1 and None not in parts else None,
        row.figure.value - max(fewer) if fewer else None,
    )


def _slowing(best: Subset, left_out: Sequence[str]) -> Message:
    return message(
        "views-subsets-slowed",
        names=Listed(tuple(left_out)),
        nodes=_nodes(best.used),
        figure=Quantity(best.figure.value, best.figure.unit),
    )


def _nodes(used: NodesUsed) -> Listed:
    return Listed(tuple(message("views-subsets-nodes", nodes=count, name=name) for name, count in used.nodes.items()))


def _table(section: ViewSection, rows: Sequence[Subset]) -> Table:
    words = section.words
    numbers = (
        message("views-subsets-figure"),
        message("views-subsets-sum"),
        message("views-subsets-of-sum"),
        message("views-subsets-added"),
        *([message("views-subsets-of-peak")] if (peaks := any(row.figure.fraction_of_peak for row in rows)) else []),
    )
    columns = (
        Column(words(message("views-subsets-used"))),
        Column(words(message("views-subsets-ranks"))),
        *(Column(words(title), numeric=True) for title in numbers),
    )
    return Table(
        columns,
        tuple(Row((*_cells(row, words), *(_peak(row) if peaks else ()))) for row in rows),
        words(message("views-subsets-caption")),
        file=f"{section.slug}-subsets",
    )


def _cells(row: Subset, words: Words) -> tuple[Cell, ...]:
    unit, value = row.figure.unit, row.figure.value
    share = value / row.alone if row.alone else None
    return (
        Cell(words.fact(_nodes(row.used))),
        Cell(", ".join(str(number) for number in row.used.ranks.values())),
        Cell(quantity(value, unit), value, unit),
        Cell(quantity(row.alone, unit), row.alone, unit) if row.alone else Cell(),
        Cell(percent(share), share, "1", share=share) if share else Cell(),
        Cell(_signed(row.added, unit), row.added, unit) if row.added is not None else Cell(),
    )


def _peak(row: Subset) -> tuple[Cell]:
    share = row.figure.fraction_of_peak
    return (Cell(percent(share), share, "1") if share else Cell(),)


def _signed(value: float, unit: str) -> str:
    return f"{'-' if value < 0 else '+'}{quantity(abs(value), unit)}"
