"""Shows how parts of the ranks share one problem: rates, shares, times spent computing, moving data and waiting."""

from collections.abc import Iterator, Sequence

from banzuke.document import Block, Cell, Charts, Column, Heading, Row, Table
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

from .parts import PartTerms, SharedProblem, shared_problem

MOST_NAMED = 4
"""Most parts that a sentence lists with rates and shares."""

MUCH = 0.03
"""Share of the time that waiting must cost to be reported."""
EXPLAINS = 0.5
"""Least share of the waiting that unfit shares must account for."""


class Dealt(View[SharedProblem]):
    """A problem that a parameter `deal` gives to parts of the ranks, such as the columns of a grid."""

    name = "dealt"
    warns = True

    def __init__(self, terms: PartTerms) -> None:
        self.terms = terms

    def judge(self, record: Record, machine: Machine) -> SharedProblem | None:  # noqa: ARG002
        return shared_problem(record, self.terms)

    def remark(self, seen: SharedProblem, launches: Sequence[SharedProblem]) -> Message:  # noqa: ARG002
        """Return a sentence that says why the parts have their shares."""
        said = self._said(seen)
        why = self.terms.limit if seen.limited else self.terms.corrected if seen.corrected else None
        return message("views-dealt-limited", said=said, limit=why) if why else said

    def _said(self, seen: SharedProblem) -> Message:
        """Return the shares with the rates, and what all parts reach together."""
        parts, problem = self.terms.parts, self.terms.problem
        listed = Listed(tuple(Quantity(part.rate, "flop/s") for part in seen.parts), MOST_NAMED)
        rates = message("views-dealt-rates", measured=self.terms.rates, rates=listed)
        total, share = Quantity(seen.sum_of_rates, "flop/s"), Share(seen.rate / seen.sum_of_rates)
        reached = message("views-dealt-reached", reached=share, sum=total)
        if seen.alike:
            return message("views-dealt-equally", parts=parts, problem=problem, rates=rates, reached=reached)
        shares = Listed(tuple(Share(part.share) for part in seen.parts), MOST_NAMED)
        have = message("views-dealt-have", parts=parts, shares=shares, problem=problem)
        if seen.by_rates:
            return message("views-dealt", have=have, rates=rates, reached=reached)
        return message("views-dealt-as-given", have=have, rates=rates, reached=reached)

    def findings(self, seen: SharedProblem, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """Find shares that the user gave and that do not fit the rates; waiting for messages is then their result."""
        if seen.by_rates or seen.limited or seen.idle < MUCH or seen.idle < EXPLAINS * seen.waited:
            return
        parts, problem = self.terms.parts, self.terms.problem
        yield Finding(
            seen.idle,
            message(
                "views-dealt-unfit",
                parts=parts,
                problem=problem,
                shares=Listed(tuple(Share(part.share) for part in seen.parts), MOST_NAMED),
                wanted=Listed(tuple(map(Share, seen.wanted)), MOST_NAMED),
                idle=Share(seen.idle),
            ),
            against="time",
            explains=self.terms.waits,
        )

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:
        seen = self.of(case.assessment)
        return [self._table(words, benchmark.name, [(case, seen)])] if seen else []

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return charts of the shares and of the steps, and the table of all cases."""
        from .charts import steps_chart, work_chart  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        cases = [(case, seen) for case in section.cases if (seen := self.of(case.assessment))]
        if not cases:
            return ()
        terms = self.terms
        steps = [chart for case, seen in cases if (chart := steps_chart(section, terms, case, seen))]
        return (
            Heading(section.words(message("views-dealt-parts", parts=terms.parts, problem=terms.problem))),
            Charts((work_chart(section, terms, cases).block,)),
            *(Charts((chart.block,)) for chart in steps[:1]),
            self._table(section.words, section.slug, cases),
        )

    def _table(self, words: Words, slug: str, cases: Sequence[tuple[ViewCase, SharedProblem]]) -> Table:
        terms = self.terms
        titles = (
            message("views-dealt-rate"),
            message("views-dealt-share", problem=terms.problem),
            *terms.spent.values(),
            *([message("views-of-peak")] if any(case_peak(case) for case, _ in cases) else []),
        )
        peaks = len(titles) > len(terms.spent) + 2
        rows = [
            Row(
                (
                    Cell(case.label),
                    Cell(words(part.name)),
                    Cell(quantity(part.rate, "flop/s"), part.rate, "flop/s"),
                    Cell(percent(part.share), part.share),
                    *(Cell(quantity(seconds, "s"), seconds, "s") for seconds in spent),
                    *([_peak_cell(case, number)] if peaks else []),
                )
            )
            for case, seen in cases
            for number, part in enumerate(seen.parts)
            for spent in [[part.seconds[place] for place in terms.spent]]
        ]
        heads = (Column(words(message("views-case"))), Column(words(terms.part)))
        columns = (*heads, *(Column(words(title), numeric=True) for title in titles))
        caption = message("views-dealt-caption", part=terms.part, measured=terms.rates, problem=terms.problem)
        return Table(columns, tuple(rows), words(caption), file=f"{slug}-dealt", heads=len(heads))


def case_peak(case: ViewCase) -> float | None:
    """Return the share of the theoretical peak that the headline reaches; None: unknown."""
    figures = [figure for figure in case.assessment.figures if figure.headline]
    return next((figure.fraction_of_peak for figure in figures if figure.fraction_of_peak), None)


def _peak_cell(case: ViewCase, number: int) -> Cell:
    """Return the share of the peak beside the first part; it is that of all parts together."""
    share = None if number else case_peak(case)
    return Cell(percent(share), share, "1") if share else Cell()
