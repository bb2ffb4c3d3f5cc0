"""How one shape of a record's data is judged and shown: a benchmark's policy names the views that it has.

`judge` knows a view as a `Sight`, `report` by this alone. Those of shapes that several benchmarks have stand in
`banzuke/views`, one that a single benchmark has in that benchmark's folder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from banzuke.document import Block, Table
from banzuke.judge.model import Assessment
from banzuke.judge.sight import Seen, Sight
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.words import Message, Quantity
from banzuke.words.language import Words


@dataclass(frozen=True)
class ViewCase:
    """A case in the section of its benchmark."""

    assessment: Assessment
    id: str
    """`provenance.id` of the record that speaks for it."""
    label: str
    """What tells it from the others of the section."""
    anchor: str = ""
    """In the page."""


@dataclass(frozen=True)
class ViewSection:
    """What a view shows its cases in."""

    benchmark: Benchmark
    machine: Machine
    slug: str
    """Begins the names of its charts, tables and anchors."""
    cases: Sequence[ViewCase]
    """Verified or not, the headline's first."""
    words: Words


class View(Sight[Seen]):
    """Methods that a view does not need do nothing."""

    samples: ClassVar[bool] = False
    """Whether it shows samples itself, in place of the chart of all of them."""
    tabulates: ClassVar[bool] = False
    """Whether it has tables of its own for the figures that are no headlines."""

    def method(self) -> Message | None:
        """How it judges, for the notes at the end of the report."""
        return None

    def beside(
        self,
        mine: ViewSection,  # noqa: ARG002
        theirs: ViewSection,  # noqa: ARG002
        names: tuple[str, str],  # noqa: ARG002
        slug: str,  # noqa: ARG002
    ) -> Sequence[Block]:
        """One run's cases over another's, where these have more to say than their headlines. `slug`: of its chart."""
        return ()

    def amounts(self, seen: Seen) -> Mapping[str, Quantity]:  # noqa: ARG002
        """Further lines of the report's CSV, in which they stand as figures do: `breakdown.update`."""
        return {}

    def declared(self, benchmark: str) -> Sequence[Message]:  # noqa: ARG002
        """What its declaration names in English, for other languages to have words of: see `plan/wording.py`."""
        return ()

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        """What the terminal shows of one case, where details are asked for."""
        return ()

    def show(self, section: ViewSection) -> Sequence[Block]:  # noqa: ARG002
        """In the report's section of the benchmark."""
        return ()

    def tables(self, section: ViewSection) -> Mapping[str, Table]:  # noqa: ARG002
        """Further tables, written as CSV alone, by the ends of their names: `pairs`; empty: the section alone."""
        return {}


@runtime_checkable
class ShowsTogether(Protocol):
    """A view of cases that are many problems: it shows all of them in place of each."""

    def lists(self, section: ViewSection) -> bool:
        """Whether it has a row for each of these cases, in place of the report's table of cases."""
        ...

    def overview(self, benchmark: Benchmark, assessments: Sequence[Assessment], words: Words) -> Sequence[Block]:
        """What the terminal shows of all cases, in place of a row for each figure; empty: each has its rows."""
        ...

    def beside_on_terminal(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str]) -> Sequence[Block]:
        """`View.beside` for a terminal, which has no charts, and whose tables `banzuke compare` has itself."""
        ...


@runtime_checkable
class NamesKinds(Protocol):
    """A view of unlike cases."""

    def kinds(self, section: ViewSection) -> Mapping[str, str]:
        """What their headline figures are of, by the cases' identities: `multi-pair`."""
        ...


def views(benchmark: Benchmark | None) -> Sequence[View[Any]]:
    return [view for view in (benchmark.views if benchmark else ()) if isinstance(view, View)]


def tabulated(assessment: Assessment, benchmark: Benchmark | None) -> bool:
    """Whether a view that sees something in it tabulates the figures that are no headlines."""
    return any(view.tabulates and view.of(assessment) is not None for view in views(benchmark))


def remarks(assessment: Assessment, own_views: Sequence[View[Any]]) -> Sequence[Message]:
    """Those that matter of any case."""
    seen = [(view, view.of(assessment)) for view in own_views if view.warns]
    return [remark for view, sight in seen if sight is not None and (remark := view.remark(sight, [sight]))]
