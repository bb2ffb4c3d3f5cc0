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
    in_cache: bool = False
    """Whether it is a mean without a share, because no problem's data came from memory."""

    @property
    def of_limit(self) -> Message | None:
        """See `Figure.of_limit`."""
        return None if self.fraction_of_limit is None else share_of_limit(self.fraction_of_limit, own=self.own_ceiling)


def headlines_first(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark]) -> tuple[Assessment, ...]:
    """Return the cases with that on the most hosts and cores before those that differ from it in nothing else.

    The first case of a benchmark is its headline. A user's sweep over threads or ranks may begin with the smallest.
    Where ranks are clients of a storage, or the ends of messages, their number is not how much of the machine is used.
    """
    ordered = list(assessments)
    for name in dict.fromkeys(assessment.record.benchmark for assessment in assessments):
        benchmark = benchmarks.get(name)
        if benchmark is None or benchmark.messages is not None or benchmark.storage is not None:
            continue
        places = [place for place, own in enumerate(ordered) if own.record.benchmark == name]
        first = ordered[places[0]]
        alike = [place for place in places if _same_problem(ordered[place], first) and ordered[place].figures]
        if alike:
            largest = max(alike, key=lambda place: (ordered[place].record.nodes, ordered[place].record.cores, -place))
            ordered.insert(places[0], ordered.pop(largest))
    return tuple(ordered)


def _same_problem(case: Assessment, other: Assessment) -> bool:
    mine, theirs = case.record, other.record
    variants = [record.provenance.variant if record.provenance else {} for record in (mine, theirs)]
    same = (mine.parameters, mine.backend) == (theirs.parameters, theirs.backend) and variants[0] == variants[1]
    return same and len(mine.devices) == len(theirs.devices)


def headlines(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark]) -> dict[str, Headline]:
    """Return the first verified figure of each benchmark; for a collection, the mean with its first solver."""
    by_benchmark: dict[str, Headline] = {}
    for name, (_, members) in collections(assessments, benchmarks).items():
        whole = next(group for group in reversed(summaries(members)) if group.solver == members[0].solver)
        if whole.mean is not None:
            by_benchmark[name] = Headline(
                name,
                "geometric mean",
                whole.mean,
                whole.unit,
                whole.of_limit,
                whole.own_ceiling,
                in_cache=not any(
                    member.from_memory for member in members if member.figure and member.solver == whole.solver
                ),
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
