"""Finds what holds a machine back over all benchmarks: likely causes, grouped by kind and ranked by total cost."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from banzuke.judge.collection import collections
from banzuke.judge.disturbance import LEAST
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.report.model import Evaluation
from banzuke.words import Message

_MUCH = 0.1
"""Share of a figure; if other processes take more, the figure is doubtful."""


@dataclass(frozen=True)
class Cost:
    """The possible cost of a cause over all benchmarks in which it was found."""

    finding: Finding
    """The most frequent finding among benchmarks; of equally frequent ones, the costliest."""
    shares: Mapping[str, float]
    """Share of each benchmark's headline figure that it may cost, largest first; for a collection, the mean over its
    cases."""
    benchmarks: int
    """Number of benchmarks with figures."""

    @property
    def total(self) -> float:
        return sum(self.shares.values())

    @property
    def doubtful(self) -> bool:
        """Return whether the figures say little about the machine because of it."""
        much = max(self.shares.values()) > _MUCH
        return bool(self.finding.taker) and much and 2 * len(self.shares) >= self.benchmarks


def costs(evaluation: Evaluation) -> Sequence[Cost]:
    """Return the costs, the largest first."""
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    speaking: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        name = assessment.record.benchmark
        if assessment.figures and (name in collected or name not in speaking):
            speaking[name].append(assessment)
    by_kind: dict[Hashable, dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for name, assessments in speaking.items():
        for assessment in assessments:
            # The others deserve a mention, but not a cost.
            costly = [cause for cause in assessment.causes if cause.weight > LEAST]
            worst_last = sorted(costly, key=lambda cause: cause.weight)
            for kind, finding in {_kind(cause): cause for cause in worst_last}.items():
                by_kind[kind][name].append(finding)
    ranked = [
        _cost(by_benchmark, {name: len(assessments) for name, assessments in speaking.items()})
        for by_benchmark in by_kind.values()
    ]
    return sorted(ranked, key=lambda cost: -cost.total)


def _kind(finding: Finding) -> Hashable:
    """Return a key shared by findings of one cause, or with the same message and the same names in its facts."""
    said = finding.message
    names = {name: fact for name, fact in said.facts.items() if isinstance(fact, str | Message)}
    return finding.taker or finding.cause or Message(said.code, names)


def _cost(by_benchmark: Mapping[str, Sequence[Finding]], cases: Mapping[str, int]) -> Cost:
    """Return the cost of one kind; `cases`: number of cases of each benchmark with figures."""
    shares = {
        name: fmean([finding.weight for finding in findings] + [0.0] * (cases[name] - len(findings)))
        for name, findings in by_benchmark.items()
    }
    codes = Counter(
        code for findings in by_benchmark.values() for code in {finding.message.code for finding in findings}
    )
    every = [finding for findings in by_benchmark.values() for finding in findings]
    worst = max(every, key=lambda finding: (codes[finding.message.code], finding.weight))
    ordered = dict(sorted(shares.items(), key=lambda pair: -pair[1]))
    return Cost(worst, ordered, len(cases))
