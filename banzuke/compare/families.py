"""Groups comparisons of a collection's problems by family, since a line for each problem would be too many."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.runs import Comparison
from banzuke.compare.statistics import geometric_mean
from banzuke.plan.benchmark import Collection, Metric
from banzuke.plan.problems import ALL, portable, problem
from banzuke.record.model import Record

Collections = Mapping[str, Collection]
"""Collections by the name of their benchmark."""


@dataclass(frozen=True)
class ProblemRatio:
    """The comparison of a problem; its `ratio` is known."""

    name: str
    ratio: float
    comparison: Comparison


@dataclass(frozen=True)
class FamilyComparison:
    """The ratios of one metric over a family's problems; above 1, B is better."""

    benchmark: str
    backend: str
    family: str
    metric: Metric
    lines: tuple[ProblemRatio, ...]
    """Sorted by ratio."""

    @property
    def mean(self) -> float:
        """Geometric mean."""
        return geometric_mean(line.ratio for line in self.lines) or 0.0

    def count(self, verdict: str) -> int:
        return sum(line.comparison.verdict == verdict for line in self.lines)


def comparable(records: Iterable[Record], collections: Collections) -> list[Record]:
    """Return the records with names of files instead of paths, which may differ between runs."""
    return [
        record.having(parameters=portable(collections[record.benchmark], record.parameters))
        if record.benchmark in collections
        else record
        for record in records
    ]


def by_family(lines: Sequence[Comparison], collections: Collections) -> tuple[list[Comparison], list[FamilyComparison]]:
    """Return the lines without a collection or a ratio, and the others by family, then all families together."""
    rest = []
    groups: dict[tuple[str, str, str], dict[str, list[ProblemRatio]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        collection = collections.get(line.benchmark)
        if collection is None or line.metric is None or line.ratio is None:
            rest.append(line)
            continue
        solved = problem(collection, line.case.record.parameters)
        group = groups[line.benchmark, line.backend, line.metric.name]
        for family in (solved.family, ALL):
            group[family].append(ProblemRatio(solved.name, line.ratio, line))
    return rest, [_gathered(family, group[family]) for group in groups.values() for family in _all_last(group)]


def _all_last(group: Mapping[str, Sequence[ProblemRatio]]) -> list[str]:
    families = [family for family in group if family != ALL]
    return [*families, ALL] if len(families) > 1 else families


def _gathered(family: str, lines: Sequence[ProblemRatio]) -> FamilyComparison:
    first = lines[0].comparison
    if first.metric is None:
        raise ValueError("a ratio is of a metric")
    ordered = tuple(sorted(lines, key=lambda line: line.ratio))
    return FamilyComparison(first.benchmark, first.backend, family, first.metric, ordered)
