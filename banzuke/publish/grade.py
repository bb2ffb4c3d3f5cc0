"""The reproducibility grade of a run: whether others can make its figures again, as far as its records alone tell.

`RULES` is all there is: what is asked, how many points it is worth, and what mends it. Each rule is asked of each
benchmark's headline case; its points are shared among them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.judge.model import Assessment
from banzuke.record.state import CROWDED, ROBBED, clock, settled_distance, taken
from banzuke.words import Message, message

VERSION = 1
"""Number of this set of rules; it changes with any of them, so that grades of one number compare."""
ENOUGH_LAUNCHES = 5
"""Fewest launches of a headline: with five, a 95% interval is as wide as twice the spread between them."""
LETTERS = {"A": 90, "B": 75, "C": 50, "D": 0}
"""Fewest points of each letter."""


@dataclass(frozen=True)
class Rule:
    """One thing that is asked of a case."""

    code: str
    points: int
    met: Callable[[Assessment], bool]
    asked: Message
    remedy: Callable[[str], Message]
    """Takes names of benchmarks, separated by spaces, and says what to do."""


def _commit(case: Assessment) -> bool:
    commits = [record.provenance.commit for record in case.records if record.provenance]
    return len(commits) == len(case.records) and all(commit and not commit.endswith("+") for commit in commits)


def _compiled(case: Assessment) -> bool:
    groups = [group.software for record in case.records for group in record.groups]
    return all(software.get("compiler") and "flags" in software for software in groups)


def _libraries(case: Assessment) -> bool:
    """Return whether every library that a program says it uses has a version."""
    named = [
        software.get(name, "") for record in case.records for software in (record.software,) for name in ("mpi", "blas")
    ]
    return all(text in ("", "none") or any(letter.isdigit() for letter in text) for text in named)


def _launches(case: Assessment) -> bool:
    return sum(record.status == "ok" for record in case.records) >= ENOUGH_LAUNCHES


def _undisturbed(case: Assessment) -> bool:
    shares = [taken(record) for record in case.records if record.status == "ok"]
    return all(share.others is not None and not share.disturbed for share in shares)


def _bound(case: Assessment) -> bool:
    """Return whether the placement of every rank was read back, and each thread stayed on one processor."""
    bindings = [binding for record in case.records for group in record.groups for binding in group.binding]
    every = all(group.binding for record in case.records for group in record.groups if record.status == "ok")
    return every and all(binding.devices or binding.processors is not None for binding in bindings)


def _state(case: Assessment) -> bool:
    records = [record for record in case.records if record.status == "ok"]
    return all(record.devices or clock(record) or settled_distance(record) for record in records)


def _checked(case: Assessment) -> bool:
    return all(record.status == "ok" for record in case.records)


def _limited(case: Assessment) -> bool:
    """Return whether the limit was measured; figures for which none is defined need none."""
    main = [figure for figure in case.figures if figure.headline]
    samples = [case.record.metrics.get(figure.metric) for figure in main]
    needed = [
        figure
        for figure, measured in zip(main, samples, strict=True)
        if measured and (measured.demand or measured.bounds)
    ]
    return all(figure.limit is not None for figure in needed)


RULES = (
    Rule("commit", 15, _commit, message("grade-commit"), lambda _names: message("grade-commit-mend")),
    Rule("compiler", 10, _compiled, message("grade-compiler"), lambda _names: message("grade-compiler-mend")),
    Rule("libraries", 10, _libraries, message("grade-libraries"), lambda _names: message("grade-libraries-mend")),
    Rule(
        "launches",
        15,
        _launches,
        message("grade-launches", least=ENOUGH_LAUNCHES),
        lambda names: message("grade-launches-mend", names=names, least=ENOUGH_LAUNCHES),
    ),
    Rule(
        "undisturbed",
        15,
        _undisturbed,
        message("grade-undisturbed", others=f"{CROWDED:.0%}", hypervisor=f"{ROBBED:.0%}"),
        lambda names: message("grade-undisturbed-mend", names=names),
    ),
    Rule("binding", 10, _bound, message("grade-binding"), lambda names: message("grade-binding-mend", names=names)),
    Rule("state", 5, _state, message("grade-state"), lambda names: message("grade-state-mend", names=names)),
    Rule("checks", 10, _checked, message("grade-checks"), lambda names: message("grade-checks-mend", names=names)),
    Rule("limits", 10, _limited, message("grade-limits"), lambda _names: message("grade-limits-mend")),
)


@dataclass(frozen=True)
class Graded:
    """A rule with the benchmarks that do not meet it."""

    rule: Rule
    missing: tuple[str, ...]
    points: float


@dataclass(frozen=True)
class Grade:
    rules: tuple[Graded, ...]

    @property
    def points(self) -> int:
        return round(sum(graded.points for graded in self.rules))

    @property
    def letter(self) -> str:
        return next(letter for letter, least in LETTERS.items() if self.points >= least)


def grade(cases: Mapping[str, Assessment]) -> Grade:
    """Return the grade of the headline cases by benchmark; without any, no rule is met."""
    return Grade(tuple(_graded(rule, cases) for rule in RULES))


def _graded(rule: Rule, cases: Mapping[str, Assessment]) -> Graded:
    missing: Sequence[str] = [name for name, case in cases.items() if not rule.met(case)]
    share = (len(cases) - len(missing)) / len(cases) if cases else 0.0
    return Graded(rule, tuple(missing), rule.points * share)
