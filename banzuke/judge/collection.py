"""Summarizes the cases of a collection: each problem, and each family by its solver."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.matching import value
from banzuke.compare.statistics import geometric_mean, times_better
from banzuke.judge.model import Assessment, Figure
from banzuke.limit.model import Place
from banzuke.plan.benchmark import Benchmark, Collection
from banzuke.plan.problems import ALL, CollectionProblem, problem
from banzuke.record.model import Record
from banzuke.words import Message, Quantity, Share, message

PLACES: tuple[Place, ...] = ("in cache", "partly in cache", "in memory")


def _settings(collection: Collection, record: Record) -> dict[str, str]:
    """Return how a problem was solved: all settings but those that identify the problem."""
    own = {collection.family, collection.size, collection.file}
    settings = {name: str(value) for name, value in record.parameters.items() if name not in own}
    library = {"library": value(record, "library")} if record.devices else {}  # otherwise the backend implies it
    layout = {"ranks": str(record.ranks), "threads": str(record.threads)}
    return {"backend": record.backend, **library, **layout, **settings}


@dataclass(frozen=True)
class Member:
    problem: CollectionProblem
    solver: str
    """How it was solved, as far as that differs within the collection: `omp`, `mkl, threads 1`."""
    assessment: Assessment

    @property
    def figure(self) -> Figure | None:
        figures = () if self.assessment.no_headline else self.assessment.figures
        return next((figure for figure in figures if figure.headline), figures[0] if figures else None)

    @property
    def place(self) -> Place | None:
        return self.assessment.residence.place if self.assessment.residence else None

    @property
    def from_memory(self) -> bool:
        """Whether its data came from memory, or may have."""
        return self.place in ("in memory", None)


def members(collection: Collection, assessments: Sequence[Assessment]) -> list[Member]:
    """Return the problems of one benchmark in the order of the assessments, each with what distinguishes its solver."""
    settings = [_settings(collection, assessment.record) for assessment in assessments]
    names = dict.fromkeys(name for setting in settings for name in setting)
    telling = [name for name in names if len({setting[name] for setting in settings if name in setting}) > 1]
    if "backend" in telling:  # a backend for devices has a layout of its own, which then adds no information
        telling = [name for name in telling if name not in ("ranks", "threads") or not _follows(name, settings)]
    return [
        Member(problem(collection, assessment.record.parameters), _text(setting, telling), assessment)
        for assessment, setting in zip(assessments, settings, strict=True)
    ]


def _follows(name: str, settings: Sequence[Mapping[str, str]]) -> bool:
    """Return whether each backend has only one value of the setting."""
    backends = {setting["backend"] for setting in settings}
    return len({(setting["backend"], setting[name]) for setting in settings}) == len(backends)


def _text(setting: Mapping[str, str], telling: Sequence[str]) -> str:
    """Return `mkl, threads 1`: a word stands for itself, a number needs its name."""
    values = {name: setting[name] for name in telling if name in setting}
    return ", ".join(f"{name} {value}" if value.isdecimal() else value for name, value in values.items())


@dataclass(frozen=True)
class FamilySummary:
    """The problems of a family solved by one solver, and the rates among their figures."""

    family: str
    solver: str
    count: int
    verified: int
    mean: float | None
    """Geometric mean of the medians of the headline."""
    worst: Member | None
    unit: str
    places: Mapping[Place, int]
    of_limit: float | None
    """Geometric mean of the fractions of the limit, of those problems whose data came from memory."""
    worst_of_limit: Member | None
    bounded: int
    """Number of problems whose data came from memory."""
    own_ceiling: bool
    """Whether the benchmark measured the ceiling of any of them itself."""


def summaries(members: Sequence[Member]) -> list[FamilySummary]:
    """Return families in the order of the members, for every solver; then all together, if there are several."""
    by_family: dict[tuple[str, str], list[Member]] = defaultdict(list)
    by_solver: dict[str, list[Member]] = defaultdict(list)
    for member in members:
        by_family[member.problem.family, member.solver].append(member)
        by_solver[member.solver].append(member)
    order = {family: index for index, family in enumerate(dict.fromkeys(member.problem.family for member in members))}
    ordered = sorted(by_family.items(), key=lambda item: order[item[0][0]])
    families = [_summary(family, solver, group) for (family, solver), group in ordered]
    return families + ([_summary(ALL, solver, group) for solver, group in by_solver.items()] if len(order) > 1 else [])


def _summary(family: str, solver: str, members: Sequence[Member]) -> FamilySummary:
    rated = [(member, figure) for member in members if (figure := member.figure) and _positive(figure.value)]
    bounded = [
        (member, figure.fraction_of_limit)
        for member, figure in rated
        if figure.fraction_of_limit and member.from_memory
    ]
    higher = all(figure.better == "higher" for _, figure in rated)
    worst = min if higher else max
    return FamilySummary(
        family=family,
        solver=solver,
        count=len(members),
        verified=sum(member.assessment.record.status == "ok" for member in members),
        mean=geometric_mean(figure.value for _, figure in rated),
        worst=worst(rated, key=lambda pair: pair[1].value)[0] if rated else None,
        unit=rated[0][1].unit if rated else "",
        places={place: sum(member.place == place for member, _ in rated) for place in PLACES},
        of_limit=geometric_mean(fraction for _, fraction in bounded),
        worst_of_limit=min(bounded, key=lambda pair: pair[1])[0] if bounded else None,
        bounded=len(bounded),
        own_ceiling=any(member.figure.own_ceiling for member, _ in bounded if member.figure),
    )


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0


def verdict(noun: Message, members: Sequence[Member]) -> tuple[Message, ...]:
    """Say how good the collection's figures are, with the solver of its first problem. `noun`: for several problems."""
    first = [member for member in members if member.solver == members[0].solver]
    whole = _summary(ALL, first[0].solver, first)
    said = message(
        "limit-problems",
        number=whole.count,
        failed=whole.count - whole.verified,
        problems=noun,
        solver=whole.solver or "none",
    )
    if whole.mean is None:
        return said, message("limit-problems-without-figure")
    mean = message("limit-problems-mean", mean=Quantity(whole.mean, whole.unit))
    if whole.of_limit is None or whole.worst_of_limit is None or whole.worst_of_limit.figure is None:
        unknown = next((m.figure.limit_source for m in first if m.figure and m.from_memory), None)
        limit = message("limit-problems-without-limit", why=unknown) if unknown else message("limit-problems-in-cache")
        return said, mean, limit
    share = message(
        "limit-problems-of-limit",
        number=whole.bounded,
        share=Share(whole.of_limit),
        least=Share(whole.worst_of_limit.figure.fraction_of_limit or 0.0),
        which=whole.worst_of_limit.problem.name,
    )
    return said, mean, share


@dataclass(frozen=True)
class Ratio:
    """How many times better a problem's figure is with one solver than with another."""

    problem: CollectionProblem
    solver: str
    other: str
    ratio: float
    member: Member
    against: Member


@dataclass(frozen=True)
class FamilyRatios:
    """The ratios of a family's problems."""

    family: str
    count: int
    mean: float
    """Geometric mean."""
    least: Ratio
    most: Ratio


def family_ratios(ratios: Sequence[Ratio]) -> list[FamilyRatios]:
    """Summarize ratios between the same two solvers by family, then all together if there are several families."""
    by: dict[str, list[Ratio]] = defaultdict(list)
    for ratio in ratios:
        by[ratio.problem.family].append(ratio)
    if len(by) > 1:
        by[ALL] = list(ratios)
    return [
        FamilyRatios(
            family,
            len(group),
            geometric_mean(ratio.ratio for ratio in group) or 0.0,
            min(group, key=lambda ratio: ratio.ratio),
            max(group, key=lambda ratio: ratio.ratio),
        )
        for family, group in by.items()
    ]


def ratios(members: Sequence[Member]) -> list[Ratio]:
    """Compare the first solver with each other one, problem by problem; in a pair, one on devices comes first."""
    solvers = list(dict.fromkeys(member.solver for member in members))
    by_solver = {name: [member for member in members if member.solver == name] for name in solvers}
    devices = {name: any(member.assessment.record.devices for member in by_solver[name]) for name in solvers}
    pairs = [(solvers[0], other) for other in solvers[1:]]
    pairs = [(b, a) if devices[b] and not devices[a] else (a, b) for a, b in pairs]
    return [ratio for a, b in pairs for ratio in over(by_solver[a], by_solver[b], a, b)]


def over(mine: Sequence[Member], theirs: Sequence[Member], solver: str, other: str) -> list[Ratio]:
    """Return ratios of the problems that both solvers have; a repeated problem counts with its first figure."""
    there = {member.problem.key: member for member in reversed(theirs)}
    here = {member.problem.key: member for member in reversed(mine)}
    return [
        Ratio(member.problem, solver, other, ratio, member, there[key])
        for key in dict.fromkeys(member.problem.key for member in mine)
        if key in there and (ratio := _better((member := here[key]).figure, there[key].figure)) is not None
    ]


def _better(a: Figure | None, b: Figure | None) -> float | None:
    return times_better(a.value, b.value, a.better) if a and b and a.unit == b.unit else None


def collections(
    assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark]
) -> dict[str, tuple[Collection, list[Member]]]:
    """Return by name the benchmarks that are collections and of which more than one problem was measured."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    return {
        name: (benchmark.collection, members(benchmark.collection, cases))
        for name, cases in by_benchmark.items()
        if (benchmark := benchmarks.get(name)) and benchmark.collection and len(cases) > 1
    }
