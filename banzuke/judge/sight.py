"""What is judged of one shape of a record's data beside its figures; `banzuke.views.view` shows it, too."""

from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast, runtime_checkable

from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.words import Message

Seen = TypeVar("Seen")
Cause = Callable[[Evidence], Iterator[Finding]]


class Sight(ABC, Generic[Seen]):
    """Methods that one does not need do nothing."""

    name: ClassVar[str]
    """Distinct among a benchmark's views."""
    warns: ClassVar[bool] = False
    """Whether its remark matters of whichever case of the benchmark it is, not of the headline's alone."""

    def judge(self, record: Record, machine: Machine) -> Seen | None:  # noqa: ARG002
        """What it sees in a verified record; None: the record has nothing of its shape."""
        return None

    def findings(self, seen: Seen, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """What in it likely holds the headline back."""
        return iter(())

    def remark(self, seen: Seen, launches: Sequence[Seen]) -> Message | None:  # noqa: ARG002
        """A part of the verdict. `launches`: what it sees in all of the case, `seen` in the one that speaks for it."""
        return None

    def of(self, assessment: Assessment) -> Seen | None:
        """What it saw in the record that speaks for a case."""
        return cast("Seen | None", assessment.seen.get(self.name))


@runtime_checkable
class AdmitsCauses(Protocol):
    """A view of records whose headline not all of the usual causes explain."""

    def admits(self, cause: Cause) -> bool:
        """Whether this one may, of a record in which it sees something."""
        ...


def sights(benchmark: Benchmark | None) -> Sequence[Sight[Any]]:
    return [view for view in (benchmark.views if benchmark else ()) if isinstance(view, Sight)]
