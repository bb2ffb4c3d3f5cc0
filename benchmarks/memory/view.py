"""The views of the memory system: curves over sizes, pairs of cores, and the caches that the curves show."""

from collections.abc import Sequence

from banzuke.document import Block, Cell, Column, Heading, Row, Table
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.units import quantity
from banzuke.views.curve import Curves
from banzuke.views.pairs import RankPairs
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewSection
from banzuke.words import Listed, Message, Quantity, message
from banzuke.words.language import Words

from .numa import NumaView
from .steps import ALIKE, APART, WIDTH, Levels, Plateau, levels

NOTHING = "–"


class LevelsView(View[Levels]):
    """Compares the levels that latencies show with those that the processor tells."""

    name = "levels"

    def judge(self, record: Record, machine: Machine) -> Levels | None:
        return levels(record, machine)

    def remark(self, seen: Levels, launches: Sequence[Levels]) -> Message | None:  # noqa: ARG002
        """Return that caches have other sizes than the machine's description gives; None: none has."""
        apart = tuple(
            message(
                "memory-level-apart",
                level=level.number,
                told=Quantity(level.told or 0.0, "B"),
                found=Quantity(level.found.largest if level.found else 0.0, "B"),
                seen="yes" if level.found else "no",
            )
            for level in seen.differing
            if level.number is not None
        )
        return message("memory-levels-apart", levels=Listed(apart)) if apart and not seen.disturbed else None

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return a table of all cases whose curves show levels."""
        words = section.words
        rows = [
            row
            for case in section.cases
            if (seen := self.of(case.assessment))
            for row in _rows(case.label, seen, words)
        ]
        if not rows:
            return ()
        titles = (
            message("memory-case"),
            message("memory-level"),
            message("memory-told"),
            message("memory-found"),
            message("memory-level-latency"),
        )
        columns = tuple(Column(words(title), numeric=place > 1) for place, title in enumerate(titles))
        return (
            Heading(words(message("memory-levels"))),
            Table(columns, tuple(rows), caption=words(message("memory-levels-caption"))),
        )

    def method(self) -> Message:
        return message("memory-levels-method", alike=ALIKE, width=WIDTH, apart=APART)


def _rows(label: str, seen: Levels, words: Words) -> list[Row]:
    """Return a row for each level of a case."""
    names = [message("memory-cache", level="none" if level.number is None else level.number) for level in seen.caches]
    rows = [(name, level.told, level.found) for name, level in zip(names, seen.caches, strict=True)]
    if seen.memory:
        rows.append((message("memory-memory"), None, seen.memory))
    return [
        Row(
            (
                Cell(label, above=at > 0),
                Cell(words(name)),
                _bytes(part),
                _bytes(plateau.largest if plateau and plateau is not seen.memory else None),
                _latency(plateau),
            )
        )
        for at, (name, part, plateau) in enumerate(rows)
    ]


def _bytes(size: float | None) -> Cell:
    return Cell(NOTHING) if size is None else Cell(quantity(size, "B"), size, "B")


def _latency(plateau: Plateau | None) -> Cell:
    return Cell(quantity(plateau.latency, "s"), plateau.latency, "s") if plateau else Cell(NOTHING)


VIEWS = (
    Curves(
        hidden=("min_size", "max_size"),
        compared=("threads", "order", "data_pages"),
        along="data of a thread",
        also_along=("data of a device",),
        noun="pass",
        nouns="Passes",
        messages=False,
    ),
    RankPairs(),
    LevelsView(),
    NumaView(),
    Sweep(Plot(title="Latency over threads that read", metrics=("loaded_latency",), x="streams", alike=("max_size",))),
)
