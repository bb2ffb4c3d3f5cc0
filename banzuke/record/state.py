"""The state of a launch: what it ran under, by its conditions and whatever it measured.

A hypervisor moves processors near to each other or apart, and a clock has a turbo or a cap: such a state lasts for
minutes and sets all figures. Its levels are those that the machine's own launches show: two where they lie in two
clusters, one where they do not, and then nothing is said of them. The kernel gives huge pages while it has some, and
pages lie by a NUMA policy: launches of a case that got one thing and another were in unlike states, too.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from statistics import median

from banzuke.record.model import LONGEST_EXCHANGE, MIGRATED, Record

CROWDED = 0.1
"""Share of the processors' time that other processes took: figures are worth less then, whatever they are of."""
ROBBED = 0.05
"""The same, taken by the hypervisor."""
MOVED = 1.25
"""Ratio of two neighbouring distances between which there may be a border; runs repeat to within 10%."""
LASTS = timedelta(minutes=5)
"""Between launches that show the same state: it has not changed meanwhile."""
CAPPED = 1.05
"""Ratio of the middles of two clusters of clocks, from which they are two; of neighbouring ones, its square root."""


@dataclass(frozen=True)
class State:
    """Each level None where launches like it have only one."""

    distance: str | None = None
    """That of the outermost processors: near, far, moved from one to the other meanwhile, or unknown: not recorded."""
    clock: str | None = None
    """Under load: fast, slow or unknown."""
    pages: str | None = None
    """That the ranks got: huge, base where any rank got these, or unknown."""
    policy: str | None = None
    """NUMA policy of the pages, as it was read back; or unknown."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Those that are known and of which launches like it have several; empty: nothing tells states apart."""
        return tuple(level for level in self.each if level not in (None, "unknown"))

    @property
    def each(self) -> tuple[str | None, ...]:
        """What tells states apart, in the order of the fields."""
        return self.distance, self.clock, self.pages, self.policy

    def holds_for(self, other: "State") -> bool:
        """Whether what was measured in this state may be held against figures of the other, as far as is known."""
        pairs = zip(self.each, other.each, strict=True)
        return all(here is None or there in (None, "moved", "unknown", here) for here, there in pairs)

    def is_alike(self, other: "State") -> bool:
        """Whether it is the other one in all of which launches like it have several levels."""
        return all(here in (None, there) for here, there in zip(self.each, other.each, strict=True))


ONE_STATE = State()
"""Of machines that show but one, and of launches whose like do."""


@dataclass(frozen=True)
class Taken:
    """Shares of the processors' time that others had; None: not recorded."""

    others: float | None
    """Processes that were not asked for."""
    hypervisor: float | None

    @property
    def disturbed(self) -> bool:
        """Whether the figures are not the machine's own."""
        return (self.others or 0.0) >= CROWDED or (self.hypervisor or 0.0) >= ROBBED


def taken(record: Record) -> Taken:
    """Busy neighbours that the launch itself started are no disturbance."""
    asked = bool(record.provenance and record.provenance.neighbours)
    others, hypervisor = (_number(record.conditions, name) for name in ("other_busy_fraction", "steal_fraction"))
    return Taken(None if asked else others, hypervisor)


@dataclass(frozen=True)
class Signs:
    """What a launch shows of its state."""

    distance: float | None = None
    """Seconds, as `Record.distance`; None: not recorded, or the processors moved."""
    clock: float | None = None
    """Under load, Hz; None: not recorded."""
    moved: bool = False
    """Whether the processors were not where they had been at the beginning when it ended."""


def read_signs(conditions: Mapping[str, object]) -> Signs:
    """Read them from a launch's conditions, which may be anything."""
    before, after = (_number(conditions, name) for name in ("exchange_latency_before", "exchange_latency"))
    after = after if after and after < LONGEST_EXCHANGE else None
    moved = bool(before and after and before < LONGEST_EXCHANGE and not 1 / MIGRATED < before / after < MIGRATED)
    return Signs(None if moved else after, _number(conditions, "clock_hz") or None, moved)


def clock(record: Record) -> float | None:
    """Under load, Hz."""
    return read_signs(record.conditions).clock


def settled_distance(record: Record) -> float | None:
    """Seconds, as `Record.distance`; None also where the processors moved between the beginning and the end."""
    return read_signs(record.conditions).distance


@dataclass(frozen=True)
class Sign:
    """What tells two states apart: a value of launches that can be compared by it."""

    value: Callable[[Record], float | None]
    alike: Callable[[Record], Hashable]
    """What launches share whose values can be compared."""
    ratio: float
    """Of the medians of two states."""
    gap: float
    """Of the neighbouring values between them."""

    def border(self, values: Iterable[float]) -> float | None:
        """See `border`."""
        return border([*values], self.ratio, self.gap)

    def differs(self, value: float, other: float, values: Iterable[float]) -> bool:
        """Whether they lie in two states, by the levels of these values."""
        limit = self.border(values)
        return limit is not None and (value > limit) != (other > limit)


@dataclass(frozen=True)
class Borders:
    """Between the two levels of launches that can be compared; None: they have one."""

    distance: float | None = None
    clock: float | None = None

    @classmethod
    def between(cls, launches: Collection[Signs]) -> "Borders":
        """Find them among launches that can be compared."""
        distances, clocks = ([signs.distance for signs in launches], [signs.clock for signs in launches])
        return cls(DISTANCES.border(filter(None, distances)), CLOCKS.border(filter(None, clocks)))

    def state(self, signs: Signs) -> State:
        """The state that a launch shows."""
        return State(
            "moved" if signs.moved and self.distance else _level(signs.distance, self.distance, ("near", "far")),
            _level(signs.clock, self.clock, ("slow", "fast")),
        )


class States:
    """The levels in launches of any machines and cases, and the state of each by them.

    Distances are compared among launches that measured them between the same processors, or as `distances` says; all
    else among those of a case.
    """

    def __init__(self, records: Iterable[Record], distances: Sign | None = None) -> None:
        self._launches = [record for record in records if record.status == "ok"]
        self._sign = distances or DISTANCES
        self._distances, self._clocks = _borders(self._launches, self._sign), _borders(self._launches, CLOCKS)
        self._obtained = {name: _cases_with_several(self._launches, obtained) for name, obtained in OBTAINED.items()}

    def of(self, record: Record) -> State:
        case = case_key(record)
        borders = Borders(self._distances.get(self._sign.alike(record)), self._clocks.get(case))
        got = {name: OBTAINED[name](record) or "unknown" for name, cases in self._obtained.items() if case in cases}
        return replace(borders.state(read_signs(record.conditions)), **got)

    def around(self, record: Record) -> State:
        """Give its state; where launches like it do not tell its clock, with that of others just before and after it on
        its hosts, and where they all got the same pages, with these, if others on the machine got several.

        Programs clock differently, so that their clocks are never compared with each other.
        """
        own = self.of(record)
        got = {name: OBTAINED[name](record) for name, cases in self._obtained.items() if cases}
        own = replace(own, **{name: value for name, value in got.items() if value})
        if own.clock in ("slow", "fast"):
            return own
        clocks = {self.of(other).clock for other in self._beside(record)}
        return replace(own, clock=clocks.pop()) if len(clocks) == 1 else own

    def _beside(self, record: Record) -> Iterator[Record]:
        """Give the launches that tell their clock just before and after it, on each of its hosts."""
        for host in _places(record):
            others = self._clocked.get(host, ())
            at = bisect_left(others, record.started, key=lambda other: other.started)
            yield from (other for other in others[:at][-1:] if record.started - other.ended <= LASTS)
            yield from (other for other in others[at:][:1] if other.started - record.ended <= LASTS)

    @cached_property
    def _clocked(self) -> Mapping[Hashable, Sequence[Record]]:
        """By host, launches whose like tell their clock, in the order of their starts."""
        by_host: dict[Hashable, list[Record]] = defaultdict(list)
        for record in sorted(self._launches, key=lambda record: record.started):
            if self.of(record).clock in ("slow", "fast"):
                for host in _places(record):
                    by_host[host].append(record)
        return by_host


def border(values: Sequence[float], apart: float, gap: float) -> float | None:
    """What separates two clusters of positive values; None: they are one.

    The clusters' medians have at least the ratio `apart`, and the neighbouring values between them `gap`. Of several
    borders the one that leaves the most on its smaller side.
    """
    ordered = sorted(values)
    splits = [
        at
        for at in range(1, len(ordered))
        if ordered[at] >= gap * ordered[at - 1] and median(ordered[at:]) >= apart * median(ordered[:at])
    ]
    best = max(splits, key=lambda at: min(at, len(ordered) - at), default=None)
    return (ordered[best - 1] * ordered[best]) ** 0.5 if best else None


def _borders(records: Iterable[Record], sign: Sign) -> Mapping[Hashable, float]:
    """Borders by what launches have in common; only of those that have two levels."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for record in records:
        if value := sign.value(record):
            groups[sign.alike(record)].append(value)
    borders = {key: sign.border(values) for key, values in groups.items()}
    return {key: value for key, value in borders.items() if value is not None}


def _cases_with_several(records: Iterable[Record], obtained: Callable[[Record], str | None]) -> Collection[Hashable]:
    """Cases of which some launches got one thing and some another."""
    got: dict[Hashable, set[str]] = defaultdict(set)
    for record in records:
        if value := obtained(record):
            got[case_key(record)].add(value)
    return {case for case, values in got.items() if len(values) > 1}


def _level(value: float | None, limit: float | None, names: tuple[str, str]) -> str | None:
    if limit is None:
        return None
    return "unknown" if value is None else names[value > limit]


def pair_key(record: Record) -> Hashable:
    """What launches share whose distances can be compared: the processors between which they were measured."""
    return *_site(record), record.nodes, _between(record) or (_placement(record), record.layout)


def host_key(record: Record) -> Hashable:
    """The same where the farthest of any number of hosts, each with as many threads, is compared."""
    return *_site(record), _between(record) or (_placement(record), record.cores / record.nodes)


def _site(record: Record) -> tuple[Hashable, ...]:
    own = record.provenance
    return own and (own.machine, own.environment), record.partition


def _between(record: Record) -> str | None:
    processors = record.conditions.get("exchange_processors")
    return processors if isinstance(processors, str) else None


def _placement(record: Record) -> str | None:
    return record.provenance.placement if record.provenance else None


def _places(record: Record) -> Iterator[Hashable]:
    """Hosts of machines: launches on the same one meet the same states."""
    own = record.provenance
    whose = own and (own.machine, own.environment)
    names = dict.fromkeys(host.name for group in record.groups for listed in group.hosts for host in listed.each)
    yield from ((whose, name) for name in names or ("",))


def case_key(record: Record) -> Hashable:
    """What launches share whose clocks can be: other problems and libraries draw other power."""
    own = record.provenance
    launched = (own.machine, own.neighbours, own.case) if own else ()
    return (*launched, record.benchmark, record.backend, record.layout)


def pages(record: Record) -> str | None:
    """Base where any rank got these: the slowest sets the pace. None: unknown, or of devices."""
    kinds = {binding.pages for binding in record.binding}
    if record.devices or not kinds or None in kinds:
        return None
    return "base" if "base" in kinds else "huge"


def policy(record: Record) -> str | None:
    """The NUMA policies that were read back, each once; None: unknown, or of devices."""
    policies = dict.fromkeys(binding.memory for binding in record.binding)
    return None if record.devices or None in policies else " ".join(filter(None, policies)) or None


OBTAINED: Mapping[str, Callable[[Record], str | None]] = {"pages": pages, "policy": policy}
"""What a launch got of the kernel, by field of `State`."""
DISTANCES = Sign(settled_distance, pair_key, MIGRATED, MOVED)
CLOCKS = Sign(clock, case_key, CAPPED, CAPPED**0.5)


def _number(conditions: Mapping[str, object], name: str) -> float | None:
    """None: it was not recorded, or is none that can be."""
    value = conditions.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return float(value)
