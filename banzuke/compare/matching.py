"""Groups records of a run into cases, matches the cases of two runs, and tells what differs in a match."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from banzuke.amounts import Scalar
from banzuke.compare.statistics import median
from banzuke.plan.axes import BACKEND, axis_of
from banzuke.plan.capabilities import OWN
from banzuke.plan.catalogue import method
from banzuke.record.model import NATIVE, Record


@dataclass(frozen=True)
class CaseLaunches:
    """All launches of one case; its properties are those of the first measured one."""

    records: tuple[Record, ...]
    others: tuple[Record, ...] = ()
    """Launches of the same case on the same machine in other runs, if they are needed."""

    @property
    def measured(self) -> tuple[Record, ...]:
        return tuple(record for record in self.records if record.status == "ok")

    @property
    def failed(self) -> tuple[Record, ...]:
        return tuple(record for record in self.records if record.status != "ok")

    @property
    def record(self) -> Record:
        return (self.measured or self.records)[0]

    @property
    def environment(self) -> str:
        return environment(self.record)

    @property
    def placement(self) -> str:
        return placement(self.record)

    @property
    def nodes(self) -> int:
        return self.record.nodes

    def units(self, metric: str) -> set[str]:
        return {record.metrics[metric].unit for record in self.measured if metric in record.metrics}


@dataclass(frozen=True)
class MatchedCases:
    a: CaseLaunches
    b: CaseLaunches
    changes: tuple["Change", ...] = ()
    same_work: bool = True
    """False: parameters or ranks differ, so only rates can be compared."""
    same_method: bool = True
    """False: one was measured for longer, or more often."""

    @property
    def differences(self) -> tuple[str, ...]:
        return tuple(change.in_sides for change in self.changes)


@dataclass(frozen=True)
class Matching:
    pairs: list[MatchedCases] = field(default_factory=list)
    only_a: list[CaseLaunches] = field(default_factory=list)
    only_b: list[CaseLaunches] = field(default_factory=list)


def environment(record: Record) -> str:
    return record.provenance.environment if record.provenance else NATIVE


def placement(record: Record) -> str:
    return (record.provenance and record.provenance.placement) or "none"


def neighbours(record: Record) -> int:
    return record.provenance.neighbours if record.provenance else 0


def variant(record: Record) -> dict[str, str]:
    """Return what was unusual in the launch, by axis or variable."""
    provenance = record.provenance
    if provenance is None:
        return {}
    own = {
        "environment": provenance.environment,
        "image": provenance.image or "",
        "neighbours": str(provenance.neighbours),
    }
    return {name: value for name, value in own.items() if value != axis_of(name).usual} | provenance.variant


def value(record: Record, axis: str) -> str:
    """Return the value of an axis in a launch; if no library was chosen or used, that is the benchmark's own code."""
    if axis == BACKEND.name:
        return record.backend
    chosen = variant(record).get(axis, axis_of(axis).usual)
    blas = "blas_path" in record.software or (record.provenance and "BANZUKE_BLAS" in record.provenance.variables)
    return OWN if axis == "library" and not chosen and not blas else chosen


def gather(records: Iterable[Record]) -> list[CaseLaunches]:
    """Group launches into cases by hash or, without one, by identity, in the order of their first launches."""
    launches: dict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        launches[case_of(record)].append(record)
    return [CaseLaunches(tuple(group)) for group in launches.values()]


def case_of(record: Record) -> Hashable:
    """Return what all launches of a case share; hosts that were measured separately have cases of their own."""
    if record.provenance is None:
        return identity(record)
    hosts = [listed.names for group in record.groups for listed in group.hosts] if record.provenance.batch else []
    return (record.benchmark, record.provenance.case, *hosts)


def median_launch(launches: Sequence[Record], metric: str) -> Record:
    """Return the launch with the median of the metric's medians, which all have; of two in the middle, the earlier."""
    ranked = sorted(launches, key=lambda record: median(record.metrics[metric].samples))
    middle = ranked[(len(ranked) - 1) // 2 : len(ranked) // 2 + 1]
    return min(middle, key=lambda record: record.started)


class Alike:
    """Records by what `same_case` compares, so that those which may be of a case are found at once."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_key: dict[Hashable, list[Record]] = defaultdict(list)
        for record in records:
            for key in _keys(record):
                self._by_key[key].append(record)

    def of(self, case: CaseLaunches) -> list[Record]:
        alike = (record for key in _keys(case.record) for record in self._by_key.get(key, ()))
        return list({id(record): record for record in alike}.values())


def _keys(record: Record) -> set[Hashable]:
    return {identity(record), *([record.provenance.case] if record.provenance else [])}


def with_others(case: CaseLaunches, records: Iterable[Record]) -> CaseLaunches:
    """Return the case with those `records` that are other launches of it on its machine."""
    own = case.record.provenance
    own_ids = {record.provenance.id for record in case.records if record.provenance}
    others = [
        record
        for record in records
        if own and record.provenance and record.status == "ok" and record.provenance.id not in own_ids
        if record.provenance.machine == own.machine and same_case(record, case.record)
    ]
    return replace(case, others=tuple(others))


def in_turn(a: CaseLaunches, b: CaseLaunches) -> list[tuple[Record, Record]]:
    """Return pairs of launches if the two cases were launched in turn; empty: they were not.

    In turn means that in the order of their starts each two launches, including failed ones, are one of each case, and
    that each had ended before the next one started.
    """
    launches = [(record, case is a) for case in (a, b) for record in case.records]
    launches.sort(key=lambda launch: launch[0].started)
    if any(before.ended > after.started for (before, _), (after, _) in pairwise(launches)):
        return []
    pairs = list(zip(launches[::2], launches[1::2], strict=False))  # an interrupted run may lack the last partner
    if any(first_is_a == second_is_a for (_, first_is_a), (_, second_is_a) in pairs):
        return []
    return [(first, second) if first_is_a else (second, first) for (first, first_is_a), (second, _) in pairs]


def match(a: Sequence[CaseLaunches], b: Sequence[CaseLaunches], collections: Collection[str] = ()) -> Matching:
    """Match by hash, by identity, and by identity without one of the axes; then by the place in the benchmark.

    A benchmark that each side ran with a single backend is matched even if the backends differ. Sizes follow the
    machine, so runs of two machines may share no case. The first case of a benchmark and backend is its headline and
    matches the other headline; another case matches the one with the same relation to its own headline: equal in the
    same traits, and with the same values in the others. Cases of benchmarks in `collections` are problems of their own,
    whatever their place.
    """
    work = _Work(list(a), list(b))
    axes = dict.fromkeys(name for case in (*a, *b) for name in variant(case.record))
    for key in (_hash, _identity_of, *map(_despite, axes), _despite_backend(a, b)):
        work.pair(key, key)
    headlines_a, headlines_b = (
        _headlines(case for case in side if case.record.benchmark not in collections) for side in (a, b)
    )
    work.pair(_place_of_headline(headlines_a), _place_of_headline(headlines_b))
    work.pair(_place(headlines_a, axes), _place(headlines_b, axes))
    order = {id(case): number for number, case in enumerate(a)}
    return Matching(sorted(work.pairs, key=lambda pair: order[id(pair.a)]), work.a, work.b)


Key = Callable[[CaseLaunches], Hashable]
Headlines = Mapping[tuple[str, str], CaseLaunches]


@dataclass
class _Work:
    a: list[CaseLaunches]
    b: list[CaseLaunches]
    pairs: list[MatchedCases] = field(default_factory=list)

    def pair(self, key_a: Key, key_b: Key) -> None:
        """Move cases with the same key to `pairs`, if no other case of their side has the key."""
        index_a, index_b = _unique(self.a, key_a), _unique(self.b, key_b)
        shared = [key for key in index_a if key in index_b]
        self.pairs += [_pair(index_a[key], index_b[key]) for key in shared]
        taken = {id(index[key]) for key in shared for index in (index_a, index_b)}
        self.a = [case for case in self.a if id(case) not in taken]
        self.b = [case for case in self.b if id(case) not in taken]


@dataclass(frozen=True)
class Change:
    """A difference between two cases: `rounds`, 6 in one and 5 in the other."""

    name: str
    a: Scalar
    b: Scalar

    @property
    def in_sides(self) -> str:
        return f"{self.name}: {self.a} in A, {self.b} in B"

    @property
    def over_time(self) -> str:
        return f"{self.name} {self.a} → {self.b}"


@dataclass(frozen=True)
class Changes:
    """Differences, by their effect on a comparison."""

    work: list[Change]
    layout: list[Change]
    how: list[Change]
    """How long or often it was measured."""

    @property
    def all(self) -> tuple[Change, ...]:
        return (*self.work, *self.layout, *self.how)


def _pair(a: CaseLaunches, b: CaseLaunches) -> MatchedCases:
    changed = changes(a, b)
    return MatchedCases(a, b, changed.all, same_work=not changed.work, same_method=not changed.how)


def changes(a: CaseLaunches, b: CaseLaunches) -> Changes:
    """Return what differs between two cases that are compared."""
    mine, theirs = a.record, b.record
    work = _changes("ranks", *(" + ".join(str(group.ranks) for group in record.groups) for record in (mine, theirs)))
    how: list[Change] = []
    if a.measured and b.measured:
        for name in dict.fromkeys([*mine.parameters, *theirs.parameters]):
            differences = _changes(name, mine.parameters.get(name, "not set"), theirs.parameters.get(name, "not set"))
            (how if name in method(mine.benchmark) else work).extend(differences)
    layout = _changes(
        "threads", *(" + ".join(str(group.threads) for group in record.groups) for record in (mine, theirs))
    )
    layout += _changes("nodes", a.nodes, b.nodes) if a.measured and b.measured else []
    layout += _changes("placement", a.placement, b.placement)
    layout += _changes("backend", mine.backend, theirs.backend)
    axes = dict.fromkeys((*variant(mine), *variant(theirs)))
    for axis in (axis_of(name) for name in axes if name != "image" or "environment" not in axes):
        layout += _changes(axis.title, *(axis.text(value(record, axis.name)) for record in (mine, theirs)))
    return Changes(work, layout, how)


def _changes(name: str, a: Scalar, b: Scalar) -> list[Change]:
    return [] if a == b else [Change(name, a, b)]


def problem(record: Record) -> dict[str, Scalar]:
    """Return the parameters of what is measured, without those of how it is measured."""
    how = method(record.benchmark)
    return {name: value for name, value in record.parameters.items() if name not in how}


def same_case(record: Record, other: Record) -> bool:
    """Return whether records of two runs are of one case.

    They share the hash, which includes how it was measured, or the identity.
    """
    hashes = [launch.provenance.case if launch.provenance else None for launch in (record, other)]
    return (hashes[0] is not None and hashes[0] == hashes[1]) or identity(record) == identity(other)


def identity(record: Record, but: str = "") -> tuple[str, ...]:
    """Return the identity of a case, ignoring one axis; an image goes with its environment, a backend with its library.

    How often or how long it was measured is not part of it.
    """
    values = json.dumps(problem(record), sort_keys=True)
    without = ("environment", "image") if but == "environment" else (but,)
    launched = {name: value for name, value in variant(record).items() if name not in without}
    if "rank_order" in launched:  # the proposed order also depends on the network
        launched["rank_order"] = json.dumps(
            [hosts.model_dump(exclude={"names"}) for group in record.groups for hosts in group.hosts], sort_keys=True
        )
    layout = (record.layout, record.partition, placement(record), json.dumps(launched, sort_keys=True))
    return (record.benchmark, "" if but in ("library", BACKEND.name) else record.backend, values, *layout)


def _hash(case: CaseLaunches) -> Hashable:
    return case.record.provenance.case if case.record.provenance else None


def _identity_of(case: CaseLaunches) -> Hashable:
    return identity(case.record)


def _despite(axis: str) -> Key:
    return lambda case: identity(case.record, but=axis)


def _despite_backend(a: Sequence[CaseLaunches], b: Sequence[CaseLaunches]) -> Key:
    backends: list[dict[str, set[str]]] = [defaultdict(set), defaultdict(set)]
    for side, cases in zip(backends, (a, b), strict=True):
        for case in cases:
            side[case.record.benchmark].add(case.record.backend)
    single = {name for name, used in backends[0].items() if len(used) == 1 == len(backends[1].get(name, ()))}

    def key(case: CaseLaunches) -> Hashable:
        benchmark, _, *rest = identity(case.record)
        return (benchmark, *rest) if benchmark in single else None

    return key


def _kind(case: CaseLaunches) -> tuple[str, str]:
    return case.record.benchmark, case.record.backend


def _headlines(cases: Iterable[CaseLaunches]) -> Headlines:
    first: dict[tuple[str, str], CaseLaunches] = {}
    for case in cases:
        first.setdefault(_kind(case), case)
    return first


def _place_of_headline(headlines: Headlines) -> Key:
    return lambda case: _kind(case) if headlines.get(_kind(case)) is case else None


def _place(headlines: Headlines, axes: Iterable[str]) -> Key:
    def traits(case: CaseLaunches) -> dict[str, Scalar]:
        record = case.record
        layout: dict[str, Scalar] = {
            "/ranks": record.ranks,
            "/threads": record.threads,
            "/placement": case.placement,
        }
        return {**problem(record), **layout, **{f"/{name}": value(record, name) for name in axes}}

    def place(case: CaseLaunches) -> Hashable:
        if _kind(case) not in headlines:
            return None
        standard = traits(headlines[_kind(case)])
        relative = {
            name: None if name in standard and standard[name] == value else value
            for name, value in traits(case).items()
        }
        return (*_kind(case), json.dumps(relative, sort_keys=True))

    return place


def _unique(cases: Iterable[CaseLaunches], key: Key) -> dict[Hashable, CaseLaunches]:
    groups: dict[Hashable, list[CaseLaunches]] = defaultdict(list)
    for case in cases:
        value = key(case)
        if value is not None:
            groups[value].append(case)
    return {value: group[0] for value, group in groups.items() if len(group) == 1}
