"""The view of noise: judgement, causes, part of the report. Modules with numpy and Altair are imported when needed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from banzuke.document import Block, Table
from banzuke.judge import disturbance, placement
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.sight import Cause
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.slowdown.noise import FixedWork, MeasuresFixedWork
from banzuke.views.view import View, ViewSection
from banzuke.words import Message

if TYPE_CHECKING:
    from .quanta import RecordedNoise

USUAL = (
    placement.shared_processor,
    placement.unbound,
    placement.too_many_threads,
    disturbance.throttled,
    disturbance.quota,
)
"""General causes that explain noise, too."""


class NoiseView(View["RecordedNoise"], MeasuresFixedWork):
    name = "noise"
    tabulates = True

    def judge(self, record: Record, machine: Machine) -> "RecordedNoise | None":  # noqa: ARG002
        from .quanta import RecordedNoise  # noqa: PLC0415

        return RecordedNoise.of(record)

    def findings(self, seen: "RecordedNoise", evidence: Evidence) -> Iterator[Finding]:
        from .sources import findings  # noqa: PLC0415

        return findings(seen, evidence)

    def admits(self, cause: Cause) -> bool:
        return cause in USUAL

    def remark(self, seen: "RecordedNoise", launches: "Sequence[RecordedNoise]") -> Message:
        from .sources import remark  # noqa: PLC0415

        return remark(seen, launches)

    def show(self, section: ViewSection) -> Sequence[Block]:
        from .blocks import show  # noqa: PLC0415

        return show(section, self.of)

    def tables(self, section: ViewSection) -> Mapping[str, Table]:
        from .blocks import processors  # noqa: PLC0415

        return processors(section, self.of)

    def method(self) -> Message:
        from .blocks import method  # noqa: PLC0415

        return method()

    def fixed_work(self, record: Record) -> FixedWork | None:
        """Return the noise for `banzuke predict noise`."""
        from .quanta import RecordedNoise  # noqa: PLC0415

        recorded = RecordedNoise.of(record)
        return recorded.fixed_work if recorded else None


VIEWS = (NoiseView(),)
