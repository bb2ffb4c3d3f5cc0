"""Determines the state of a launch, that is, what it ran under, from its conditions and measurements.

A hypervisor may place processors near to each other or apart, and a clock may have a turbo or a cap. Such a state lasts
for minutes and affects all figures. The levels of a state are those seen in the machine's own launches: two where
values form two clusters, else one, which is not mentioned. The kernel gives huge pages as long as it has some, and
pages follow a NUMA policy, so that launches of a case that got different pages were in different states, too.
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
"""Share of the processors' time taken by other processes from which figures are less reliable."""
ROBBED = 0.05
"""The same for time taken by the hypervisor."""
MOVED = 1.25
"""Smallest ratio of two neighbouring distances that separates two levels; runs repeat to within 10%."""
LASTS = timedelta(minutes=5)
"""Longest time between launches in the same state during which the state is taken as unchanged."""
CLOCKS_THAT_CAN_BE = 1e6, 1e11
"""Lowest and highest clock in Hz; anything beyond is a mistake of a sensor or a virtual machine, and no state."""
CAPPED = 1.05
"""Smallest ratio of the medians of two clusters of clocks; between neighbouring values its square root is enough."""


@dataclass(frozen=True)
class State:
    """The levels of a launch. A level is None where comparable launches have only one."""

    distance: str | None = None
    """Distance of the outermost processors: near, far, moved (it changed during the launch), or unknown (not
    recorded)."""
    clock: str | None = None
    """Clock under load: fast, slow or unknown."""
    pages: str | None = None
    """Pages that the ranks got: huge, base where any rank got base pages, or unknown."""
    policy: str | None = None
    """NUMA policy of the pages as it was read back, or unknown."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The known levels among those that vary between comparable launches; empty: nothing distinguishes states."""
        return tuple(level for level in self.each if level not in (None, "unknown"))

    @property
    def each(self) -> tuple[str | None, ...]:
        """All levels in the order of the fields."""
        return self.distance, self.clock, self.pages, self.policy

    def holds_for(self, other: "State") -> bool:
        """Return whether measurements in this state may be compared with figures of the other, as far as is known."""
        pairs = zip(self.each, other.each, strict=True)
        return all(here is None or there in (None, "moved", "unknown", here) for here, there in pairs)

    def is_alike(self, other: "State") -> bool:
        """Return whether the other state equals this one in every level that varies here."""
        return all(here in (None, there) for here, there in zip(self.each, other.each, strict=True))


ONE_STATE = State()
"""The state of launches whose comparable launches all have one level."""


@dataclass(frozen=True)
class Taken:
    """Shares of the processors' time that others took; None: not recorded."""

    others: float | None
    """Share taken by other processes that the launch did not start."""
    hypervisor: float | None

    @property
    def disturbed(self) -> bool:
        """Return whether others took so much that the figures are not the machine's own."""
        return (self.others or 0.0) >= CROWDED or (self.hypervisor or 0.0) >= ROBBED


def taken(record: Record) -> Taken:
    """Return what others took; busy neighbours that the launch itself started do not count."""
    asked = bool(record.provenance and record.provenance.neighbours)
    others, hypervisor = (_number(record.conditions, name) for name in ("other_busy_fraction", "steal_fraction"))
    return Taken(None if asked else others, hypervisor)


@dataclass(frozen=True)
class Signs:
    """The signs of a launch's state."""

    distance: float | None = None
    """Seconds, as in `Record.distance`; None: not recorded, or the processors moved."""
    clock: float | None = None
    """Clock under load in Hz; None: not recorded."""
    moved: bool = False
    """Whether the processors' distance at the end differs from that at the beginning."""


def read_signs(conditions: Mapping[str, object]) -> Signs:
    """Return the signs in a launch's conditions, which may have any content."""
    before, after = (_number(conditions, name) for name in ("exchange_latency_before", "exchange_latency"))
    after = after if after and after < LONGEST_EXCHANGE else None
    moved = bool(before and after and before < LONGEST_EXCHANGE and not 1 / MIGRATED < before / after < MIGRATED)
    lowest, highest = CLOCKS_THAT_CAN_BE
    hertz = _number(conditions, "clock_hz")
    return Signs(None if moved else after, hertz if hertz and lowest <= hertz <= highest else None, moved)


def clock(record: Record) -> float | None:
    """Return the clock under load in Hz."""
    return read_signs(record.conditions).clock


def settled_distance(record: Record) -> float | None:
    """Return seconds, as in `Record.distance`; None also where the processors moved during the launch."""
    return read_signs(record.conditions).distance


@dataclass(frozen=True)
class Sign:
    """A value that distinguishes two states, among launches that can be compared by it."""

    value: Callable[[Record], float | None]
    alike: Callable[[Record], Hashable]
    """Key that is the same for launches whose values can be compared."""
    ratio: float
    """Smallest ratio of the medians of two states."""
    gap: float
    """Smallest ratio of the neighbouring values between them."""

    def border(self, values: Iterable[float]) -> float | None:
        """Return the border between two states; see the function `border`."""
        return border([*values], self.ratio, self.gap)

    def differs(self, value: float, other: float, values: Iterable[float]) -> bool:
        """Return whether two values lie in different states, by the levels of `values`."""
        limit = self.border(values)
        return limit is not None and (value > limit) != (other > limit)


@dataclass(frozen=True)
class Borders:
    """Borders between the two levels of comparable launches; None: they have one level."""

    distance: float | None = None
    clock: float | None = None

    @classmethod
    def between(cls, launches: Collection[Signs]) -> "Borders":
        """Return the borders among launches that can be compared."""
        distances, clocks = ([signs.distance for signs in launches], [signs.clock for signs in launches])
        return cls(DISTANCES.border(filter(None, distances)), CLOCKS.border(filter(None, clocks)))

    def state(self, signs: Signs) -> State:
        """Return the state that a launch shows."""
        return State(
            "moved" if signs.moved and self.distance else _level(signs.distance, self.distance, ("near", "far")),
            _level(signs.clock, self.clock, ("slow", "fast")),
        )


class States:
    """The levels in launches of any machines and cases, and the state of each launch by them.

    Distances are compared among launches that measured them between the same processors, or as `distances` defines; all
    other levels among launches of the same case.
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
        """Return its state, completed by what is known of other launches.

        Where its own case does not tell its clock, that of launches just before and after it on its hosts is taken;
        clocks of different programs are never compared. Pages and policy are given if they vary on the machine, even
        where this case always got the same.
        """
        own = self.of(record)
        got = {name: OBTAINED[name](record) for name, cases in self._obtained.items() if cases}
        own = replace(own, **{name: value for name, value in got.items() if value})
        if own.clock in ("slow", "fast"):
            return own
        clocks = {self.of(other).clock for other in self._beside(record)}
        return replace(own, clock=clocks.pop()) if len(clocks) == 1 else own

    def _beside(self, record: Record) -> Iterator[Record]:
        """Return the launches with a known clock just before and after it, on each of its hosts."""
        for host in _places(record):
            others = self._clocked.get(host, ())
            at = bisect_left(others, record.started, key=lambda other: other.started)
            yield from (other for other in others[:at][-1:] if record.started - other.ended <= LASTS)
            yield from (other for other in others[at:][:1] if other.started - record.ended <= LASTS)

    @cached_property
    def _clocked(self) -> Mapping[Hashable, Sequence[Record]]:
        """Launches with a known clock by host, sorted by start."""
        by_host: dict[Hashable, list[Record]] = defaultdict(list)
        for record in sorted(self._launches, key=lambda record: record.started):
            if self.of(record).clock in ("slow", "fast"):
                for host in _places(record):
                    by_host[host].append(record)
        return by_host


def border(values: Sequence[float], apart: float, gap: float) -> float | None:
    """Return the value that separates two clusters of positive values; None: they form one.

    The clusters' medians have at least the ratio `apart`, and the neighbouring values between them `gap`. Of several
    borders, the one with most values on its smaller side is taken.
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
    """Return the borders by key of comparable launches, of those with two levels only."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for record in records:
        if value := sign.value(record):
            groups[sign.alike(record)].append(value)
    borders = {key: sign.border(values) for key, values in groups.items()}
    return {key: value for key, value in borders.items() if value is not None}


def _cases_with_several(records: Iterable[Record], obtained: Callable[[Record], str | None]) -> Collection[Hashable]:
    """Return the cases whose launches got different things."""
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
    """Return a key for launches whose distances can be compared: the same processors were measured."""
    return *_site(record), record.nodes, _between(record) or (_placement(record), record.layout)


def host_key(record: Record) -> Hashable:
    """Return the same for the farthest of any number of hosts, each with as many threads."""
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
    """Return the hosts with their machine: launches on the same one meet the same states."""
    own = record.provenance
    whose = own and (own.machine, own.environment)
    names = dict.fromkeys(host.name for group in record.groups for listed in group.hosts for host in listed.each)
    yield from ((whose, name) for name in names or ("",))


def case_key(record: Record) -> Hashable:
    """Return a key for launches whose clocks can be compared: other problems and libraries draw other power."""
    own = record.provenance
    launched = (own.machine, own.neighbours, own.case) if own else ()
    return (*launched, record.benchmark, record.backend, record.layout)


def pages(record: Record) -> str | None:
    """Return base where any rank got base pages, because the slowest rank delays all; None: unknown, or on devices."""
    kinds = {binding.pages for binding in record.binding}
    if record.devices or not kinds or None in kinds:
        return None
    return "base" if "base" in kinds else "huge"


def policy(record: Record) -> str | None:
    """Return the NUMA policies that were read back, each once; None: unknown, or on devices."""
    policies = dict.fromkeys(binding.memory for binding in record.binding)
    return None if record.devices or None in policies else " ".join(filter(None, policies)) or None


OBTAINED: Mapping[str, Callable[[Record], str | None]] = {"pages": pages, "policy": policy}
"""What a launch got from the kernel, by field of `State`."""
DISTANCES = Sign(settled_distance, pair_key, MIGRATED, MOVED)
CLOCKS = Sign(clock, case_key, CAPPED, CAPPED**0.5)


def _number(conditions: Mapping[str, object], name: str) -> float | None:
    """Return the number; None: not recorded, or not a valid one."""
    value = conditions.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return float(value)
