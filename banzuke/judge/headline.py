"""Represents each benchmark of a run by one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.judge.collection import collections, summaries
from banzuke.judge.model import Assessment, share_of_limit
from banzuke.plan.benchmark import Benchmark
from banzuke.words import Message


@dataclass(frozen=True)
class Headline:
    benchmark: str
    title: str
    """Title of the figure."""
    value: float
    unit: str
    fraction_of_limit: float | None
    own_ceiling: bool = False
    """Whether its benchmark measured the ceiling itself."""

    @property
    def of_limit(self) -> Message | None:
        """See `Figure.of_limit`."""
        return None if self.fraction_of_limit is None else share_of_limit(self.fraction_of_limit, own=self.own_ceiling)


def headlines(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark]) -> dict[str, Headline]:
    """Return the first verified figure of each benchmark; for a collection, the mean with its first solver."""
    by_benchmark: dict[str, Headline] = {}
    for name, (_, members) in collections(assessments, benchmarks).items():
        whole = next(group for group in reversed(summaries(members)) if group.solver == members[0].solver)
        if whole.mean is not None:
            by_benchmark[name] = Headline(
                name, "geometric mean", whole.mean, whole.unit, whole.of_limit, whole.own_ceiling
            )
    for assessment in assessments:
        benchmark = benchmarks.get(assessment.record.benchmark)
        figures = () if assessment.no_headline else assessment.figures
        declared = benchmark is not None and any(metric.headline for metric in benchmark.metrics)
        # A figure that a cache served instead of the storage is no headline of either.
        otherwise = figures[0] if figures and not declared else None
        figure = next((figure for figure in figures if figure.headline), otherwise)
        if figure and assessment.record.benchmark not in by_benchmark:
            name = assessment.record.benchmark
            share, own = figure.fraction_of_limit, figure.own_ceiling
            by_benchmark[name] = Headline(name, figure.title, figure.value, figure.unit, share, own)
    return by_benchmark
