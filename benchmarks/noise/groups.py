"""Groups of cases that differ only in their environment, to be shown side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from banzuke.compare.settings import apart, label_of, surroundings, telling
from banzuke.judge.model import Assessment
from banzuke.text import slug
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Message, message
from banzuke.words.language import Words

from .quanta import Kind, RecordedNoise
from .sources import NONE, Tick, tick
from .spectrum import SpectralPeak

Seen = Callable[[Assessment], RecordedNoise | None]


@dataclass(frozen=True)
class NoiseCase:
    """The noise of one case."""

    noise: RecordedNoise
    case: ViewCase
    label: str
    """Its environment, and the load beside it."""


@dataclass(frozen=True)
class EnvironmentGroup:
    """Cases that differ only in their environment."""

    title: str
    slug: str
    kind: Kind
    runs: Sequence[NoiseCase]


def runs(section: ViewSection, seen: Seen) -> list[NoiseCase]:
    return [
        NoiseCase(noise, case, surroundings(noise.record)) for case in section.cases if (noise := seen(case.assessment))
    ]


def groups(cases: Sequence[NoiseCase], say: Words) -> list[EnvironmentGroup]:
    """Return the groups, those of fixed work first, each titled by what distinguishes it from others of its kind."""
    kinds: dict[Kind, dict[str, list[NoiseCase]]] = {"fwq": {}, "ftq": {}}
    for run in cases:
        kinds[run.noise.kind].setdefault(repr(apart(run.noise.record)), []).append(run)
    made = []
    for kind, of_kind in kinds.items():
        rows = [apart(runs[0].noise.record) for runs in of_kind.values()]
        columns = telling(rows)
        for row, runs in zip(rows, of_kind.values(), strict=True):
            label = label_of(row, columns)
            title = say(message("noise-group", kind=kind, settings=label or NONE))
            made.append(EnvironmentGroup(title, slug(f"{kind} {label}"), kind, runs))
    return made


@dataclass(frozen=True)
class NamedPeak:
    """A peak of a spectrum, and what is known of it."""

    peak: SpectralPeak
    tick: Tick | None
    """The timer tick if it causes the peak; None: the cause is unknown."""

    @property
    def name(self) -> Message:
        return message("noise-peak", rate=self.tick.rate if self.tick else 0)

    @property
    def lost(self) -> float | None:
        """Return the seconds that each event takes, for the timer tick the least; None if other noise hides it."""
        return self.tick.lost if self.tick else self.peak.lost


def peaks(noise: RecordedNoise) -> list[NamedPeak]:
    kernel_tick = tick(noise)
    every = noise.spectrum.peaks if noise.spectrum else ()
    return [NamedPeak(peak, kernel_tick if kernel_tick and kernel_tick.peak is peak else None) for peak in every]
