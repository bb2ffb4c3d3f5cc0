"""What holds a machine back, over all benchmarks: likely causes of the same kind, by what they cost together."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from banzuke.limit.collection import collections
from banzuke.limit.finding import Finding
from banzuke.limit.model import Assessment
from banzuke.report.model import Evaluation

DISTURBANCES = frozenset(
    {"limit-busy-neighbours", "limit-preempted", "limit-stolen-time", "limit-throttled", "limit-quota", "limit-load"}
)
"""Codes of what is no property of the machine: figures that it cost much say little of it."""
_MUCH = 0.1


@dataclass(frozen=True)
class Cost:
    finding: Finding
    """The one that costs most of one benchmark."""
    shares: Mapping[str, float]
    """Of each benchmark's headline figure that it may cost, most first; of a collection the mean over its cases."""
    benchmarks: int
    """That have figures."""

    @property
    def total(self) -> float:
        return sum(self.shares.values())

    @property
    def doubtful(self) -> bool:
        """Whether it makes figures of the machine doubtful."""
        return self.finding.message.code in DISTURBANCES and max(self.shares.values()) > _MUCH


def costs(evaluation: Evaluation) -> Sequence[Cost]:
    """The costliest first."""
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    speaking: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        name = assessment.record.benchmark
        if assessment.figures and (name in collected or name not in speaking):
            speaking[name].append(assessment)
    found: dict[str, dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for name, assessments in speaking.items():
        for assessment in assessments:
            for finding in {one.message.code: one for one in reversed(assessment.causes)}.values():
                found[finding.message.code][name].append(finding)
    ranked = [
        _cost(by_benchmark, {name: len(assessments) for name, assessments in speaking.items()})
        for by_benchmark in found.values()
    ]
    return sorted(ranked, key=lambda cost: -cost.total)


def _cost(by_benchmark: Mapping[str, Sequence[Finding]], cases: Mapping[str, int]) -> Cost:
    """`cases`: of each benchmark that has figures."""
    shares = {
        name: fmean([one.weight for one in findings] + [0.0] * (cases[name] - len(findings)))
        for name, findings in by_benchmark.items()
    }
    worst = max((one for findings in by_benchmark.values() for one in findings), key=lambda one: one.weight)
    ordered = dict(sorted(shares.items(), key=lambda pair: -pair[1]))
    return Cost(worst, ordered, len(cases))
