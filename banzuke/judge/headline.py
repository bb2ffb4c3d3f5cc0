"""What a run says of each of its benchmarks in one figure."""

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
    """Of the figure."""
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
    """By benchmark: its first verified figure; of a collection the mean by the solver of its first problem."""
    found: dict[str, Headline] = {}
    for name, (_, members) in collections(assessments, benchmarks).items():
        whole = next(group for group in reversed(summaries(members)) if group.solver == members[0].solver)
        if whole.mean is not None:
            found[name] = Headline(name, "geometric mean", whole.mean, whole.unit, whole.of_limit, whole.own_ceiling)
    for assessment in assessments:
        known = benchmarks.get(assessment.record.benchmark)
        figures = () if assessment.no_headline else assessment.figures
        declared = known is not None and any(metric.headline for metric in known.metrics)
        # What a cache served in place of the storage is no headline of either.
        otherwise = figures[0] if figures and not declared else None
        figure = next((figure for figure in figures if figure.headline), otherwise)
        if figure and assessment.record.benchmark not in found:
            name = assessment.record.benchmark
            share, own = figure.fraction_of_limit, figure.own_ceiling
            found[name] = Headline(name, figure.title, figure.value, figure.unit, share, own)
    return found
