"""What is judged of one shape of a record's data, beside its figures; `banzuke.views.view` also shows it."""

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
Kind = TypeVar("Kind")
Cause = Callable[[Evidence], Iterator[Finding]]


class Sight(ABC, Generic[Seen]):
    """A judge of one shape of data; methods that it does not override do nothing."""

    name: ClassVar[str]
    """Unique among a benchmark's views."""
    warns: ClassVar[bool] = False
    """Whether its remark matters for every case of the benchmark, not only for the headline's."""

    def judge(self, record: Record, machine: Machine) -> Seen | None:  # noqa: ARG002
        """Return what it sees in a verified record; None: the record has no data of this shape."""
        return None

    def findings(self, seen: Seen, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """Find what in the data likely holds the headline back."""
        return iter(())

    def remark(self, seen: Seen, launches: Sequence[Seen]) -> Message | None:  # noqa: ARG002
        """Return a part of the verdict. `launches`: what it sees in all, `seen`: in the one that stands for the
        case.
        """
        return None

    def of(self, assessment: Assessment) -> Seen | None:
        """Return what it saw in the record that stands for a case."""
        return cast("Seen | None", assessment.seen.get(self.name))


@runtime_checkable
class AdmitsCauses(Protocol):
    """A view of records whose headline only some of the usual causes can explain."""

    def admits(self, cause: Cause) -> bool:
        """Return whether this cause may explain a record in which the view sees something."""
        ...


def sights(benchmark: Benchmark | None) -> Sequence[Sight[Any]]:
    """Return the views of a benchmark as judges. Raises TypeError for a declaration that is none."""
    return declared_as(Sight, benchmark)


def declared_as(kind: type[Kind], benchmark: Benchmark | None) -> Sequence[Kind]:
    """Return the views of a benchmark as objects of this kind. Raises TypeError for one that is none."""
    declared = benchmark.views if benchmark else ()
    for view in declared:
        if not isinstance(view, kind):
            raise TypeError(f"{type(view).__name__}, a view of {benchmark and benchmark.name}, is no {kind.__name__}")
    return cast("Sequence[Kind]", declared)
