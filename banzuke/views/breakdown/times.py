"""The time of each phase of a run."""

from dataclasses import dataclass

from banzuke.document import Cell, Column, Origin
from banzuke.units import percent, quantity
from banzuke.views.view import ViewCase
from banzuke.words import Message, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class PhaseTime:
    """The time of a phase as a mean over the ranks."""

    name: str
    """Name in the record's breakdown."""
    title: Message
    useful: bool
    advice: Message | None
    by_interval: tuple[float, ...]
    """Seconds of each interval."""
    share: float
    """Share of the time that the breakdown covers."""

    @property
    def seconds(self) -> float:
        return sum(self.by_interval)


Times = tuple[PhaseTime, ...]
"""Phases that took time, the work itself first."""


def columns(words: Words) -> tuple[Column, ...]:
    return (
        Column(words(message("views-phase"))),
        Column(words(message("views-time")), numeric=True),
        Column(words(message("views-of-time")), numeric=True),
    )


def cells(case: ViewCase, phase: PhaseTime, words: Words) -> tuple[Cell, ...]:
    """Return the cells of a phase for `columns`."""
    share = Origin(case.id, phase.name, "share_of_time")
    return (
        Cell(words(phase.title)),
        Cell(quantity(phase.seconds, "s"), phase.seconds, "s", Origin(case.id, phase.name, "seconds")),
        Cell(percent(phase.share), phase.share, "1", share, share=phase.share),
    )
