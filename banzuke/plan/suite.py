"""A suite: benchmarks whose cases follow from one input file, and whose results are one official output.

A folder with a `suite.py` declares what is common to them. Each benchmark that takes part declares a `SuitePart` in its
own folder: its cases for the suite's problem, and its lines of the output.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.amounts import Scalar
from banzuke.machine.model import Machine
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases, Outcome

AVERAGE = "Average"
SPREAD = ("Minimum", AVERAGE, "Maximum")
"""Words for figures of ranks that each do work of their own."""


@dataclass(frozen=True)
class SuiteProblem:
    """What a suite's input file asks for, as far as all its benchmarks read it."""

    orders: Sequence[int]
    """Orders of the dense matrices."""
    blocks: Sequence[int]
    """Orders of their blocks."""
    grids: Sequence[tuple[int, int]]
    """Rows and columns of the grids of ranks."""
    ranks: int
    """Ranks of the whole suite: at least as many as the largest grid has."""
    threads: int
    """Threads of each rank."""

    @property
    def rank_bytes(self) -> int:
        """Return the bytes of the largest matrix on a rank of the smallest grid, from which other sizes follow."""
        return 8 * max(self.orders) ** 2 // min(p * q for p, q in self.grids)


@dataclass(frozen=True)
class SuiteRequest:
    """What was asked for of a suite."""

    name: str = ""
    """Empty: no suite was asked for."""
    file: str = ""
    """Name of the input file, for messages."""
    text: str = ""
    """What the input file holds; empty: the suite chooses one."""
    ranks: int | None = None
    threads: int | None = None


@dataclass(frozen=True)
class PartCase:
    """A case that a suite asks of one of its benchmarks."""

    role: str
    """Name of the part: `StarSTREAM`."""
    ranks: int
    threads: int
    parameters: Mapping[str, Scalar]
    backend: str = ""
    """Empty: the benchmark's usual one."""

    def is_of(self, outcome: Outcome) -> bool:
        """Return whether this case has the outcome, of a case of the same benchmark."""
        return (
            (self.ranks, self.threads) == (outcome.ranks, outcome.threads)
            and self.backend in ("", outcome.backend)
            and all(outcome.parameters.get(name) == value for name, value in self.parameters.items())
        )


@dataclass(frozen=True)
class PartLines:
    """What a benchmark contributes to the suite's output."""

    sections: Mapping[str, str] = field(default_factory=dict)
    """Lines by role, without those that begin and end a section."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Values of the summary, by key."""


def by_role(
    tell: Callable[[str, Outcome], tuple[str, Mapping[str, str]]],
) -> Callable[[Mapping[str, Sequence[Outcome]]], PartLines]:
    """Return a function for `SuitePart.lines` where each role has one case: `tell` returns its section and its values;
    a case that failed has its reason instead.
    """

    def lines(outcomes: Mapping[str, Sequence[Outcome]]) -> PartLines:
        sections: dict[str, str] = {}
        values: dict[str, str] = {}
        for role, (outcome, *_) in outcomes.items():
            if outcome.status == "ok":
                sections[role], more = tell(role, outcome)
                values |= more
            else:
                sections[role] = f"{outcome.reason}\n"
        return PartLines(sections, values)

    return lines


def star_rates(outcome: Outcome, metric: str, rate: float) -> dict[str, float]:
    """Return the ranks' own rates by the words of `SPREAD`; `rate`: that of all ranks together. A record of several
    ranks without their own rates, as earlier programs wrote it, has an average alone.
    """
    if outcome.ranks == 1:
        return dict.fromkeys(SPREAD, rate)
    rates = outcome.conditions.get("rank_rates", {}).get(metric)
    return {word: rates[word.lower()] for word in SPREAD} if rates else {AVERAGE: rate / outcome.ranks}


@dataclass(frozen=True)
class SuitePart:
    """How a benchmark takes part in a suite."""

    cases: Callable[[SuiteProblem, InputCases | None], Sequence[PartCase]]
    """Returns its cases; the second argument: what `read` returned."""
    lines: Callable[[Mapping[str, Sequence[Outcome]]], PartLines]
    """Returns its lines; the argument has the outcomes of each role, at least one."""
    read: Callable[[Lines], InputCases] | None = None
    """Reads what the input file says about this benchmark alone. Raises BanzukeError naming the line."""


@dataclass(frozen=True)
class SuiteResults:
    """All that a suite's output is made of."""

    problem: SuiteProblem
    lines: Sequence[PartLines]
    """What each benchmark contributes."""
    outcomes: Sequence[Outcome]
    """The results of all cases."""
    host: str


@dataclass(frozen=True)
class Suite:
    """What is common to a suite's benchmarks."""

    name: str
    title: str
    input_name: str
    """Name of the official code's input file."""
    output: str
    """Name of the file that the official code appends its output to."""
    read: Callable[[Lines, int | None, int], SuiteProblem]
    """Reads the file for so many ranks (None: those of the largest grid) of so many threads. Raises BanzukeError naming
    the line.
    """
    choose: Callable[[Machine, int], str]
    """Returns an input file for a machine and so many ranks, where the user has none."""
    write: Callable[[SuiteResults], str]
    """Returns the output."""
