"""Defines how a shape of a record's data is judged and shown; a benchmark's policy names its views.

`judge` knows a view as a `Sight`, `report` only by this module. Views for several benchmarks are in `banzuke/views`;
one for a single benchmark is in that benchmark's folder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from banzuke.document import Block, Table
from banzuke.judge.model import Assessment
from banzuke.judge.sight import Seen, Sight, declared_as
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.words import Message, Quantity
from banzuke.words.language import Words


@dataclass(frozen=True)
class ViewCase:
    """A case in the section of its benchmark."""

    assessment: Assessment
    id: str
    """`provenance.id` of the record that represents it."""
    label: str
    """Label that distinguishes it from the others of the section."""
    anchor: str = ""
    """Anchor in the page."""


@dataclass(frozen=True)
class ViewSection:
    """The section in which a view shows its cases."""

    benchmark: Benchmark
    machine: Machine
    slug: str
    """Beginning of the names of its charts, tables and anchors."""
    cases: Sequence[ViewCase]
    """Cases, verified or not, the headline's first."""
    words: Words


class View(Sight[Seen]):
    """Base of views, whose methods do nothing by default."""

    samples: ClassVar[bool] = False
    """Whether it shows samples itself, so that there is no chart of all samples."""
    tabulates: ClassVar[bool] = False
    """Whether it has tables of its own for figures that are not headlines."""

    def method(self) -> Message | None:
        """Return how it judges, for the notes at the end of the report."""
        return None

    def declared(self, benchmark: str) -> Sequence[Message]:  # noqa: ARG002
        """Return the English texts of its declaration, which other languages translate: see `plan/wording.py`."""
        return ()

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        """Return what the terminal shows of one case where details are asked for."""
        return ()

    def show(self, section: ViewSection) -> Sequence[Block]:  # noqa: ARG002
        """Return its part of the benchmark's section in the report."""
        return ()

    def tables(self, section: ViewSection) -> Mapping[str, Table]:  # noqa: ARG002
        """Return further tables, written as CSV only, by the end of their name: `pairs`; empty: the section's name."""
        return {}


@runtime_checkable
class ComparesRuns(Protocol):
    """A view that compares two runs' cases, where that says more than their headlines."""

    def beside(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str], slug: str) -> Sequence[Block]:
        """Return the comparison; `slug`: that of its chart."""
        ...


@runtime_checkable
class HasAmounts(Protocol):
    """A view with further rows of the report's CSV."""

    def amounts(self, seen: Any) -> Mapping[str, Quantity]:
        """Return amounts by names like `breakdown.update`; `seen`: what it saw in the record."""
        ...


@runtime_checkable
class ShowsTogether(Protocol):
    """A view of cases that are many problems, which shows all of them together."""

    def lists(self, section: ViewSection) -> bool:
        """Return whether it has a row for each of these cases, instead of the report's table of cases."""
        ...

    def overview(self, benchmark: Benchmark, assessments: Sequence[Assessment], words: Words) -> Sequence[Block]:
        """Return what the terminal shows of all cases, instead of a row for each figure; empty: each has its rows."""
        ...

    def beside_on_terminal(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str]) -> Sequence[Block]:
        """Return `ComparesRuns.beside` for a terminal, without charts and tables that `banzuke compare` shows."""
        ...


@runtime_checkable
class NamesKinds(Protocol):
    """A view of different kinds of cases."""

    def kinds(self, section: ViewSection) -> Mapping[str, str]:
        """Return what the cases' headline figures are of, by case id: `multi-pair`."""
        ...


def views(benchmark: Benchmark | None) -> Sequence[View[Any]]:
    """Return the views of a benchmark. Raises TypeError for a declaration that is none."""
    return declared_as(View, benchmark)


def tabulated(assessment: Assessment, benchmark: Benchmark | None) -> bool:
    """Return whether a view that applies to it tabulates the figures that are not headlines."""
    return any(view.tabulates and view.of(assessment) is not None for view in views(benchmark))


def remarks(assessment: Assessment, own_views: Sequence[View[Any]]) -> Sequence[Message]:
    """Return the remarks that matter for any case."""
    seen = [(view, view.of(assessment)) for view in own_views if view.warns]
    return [remark for view, sight in seen if sight is not None and (remark := view.remark(sight, [sight]))]
