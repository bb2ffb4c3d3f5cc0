"""The state of a launch: what it ran under, by its conditions and whatever it measured.

A hypervisor moves processors near to each other or apart, and a clock has a turbo or a cap: such a state lasts for
minutes and sets all figures. Its levels are those that the machine's own launches show: two where they lie in two
clusters, one where they do not, and then nothing is said of them.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from banzuke.record.model import LONGEST_EXCHANGE, MIGRATED, Record

CROWDED = 0.1
"""Share of the processors' time that other processes took: figures are worth less then, whatever they are of."""
ROBBED = 0.05
"""The same, taken by the hypervisor."""
MOVED = 1.25
"""Ratio of two neighbouring distances between which there may be a border; runs repeat to within 10%."""
CAPPED = 1.05
"""Ratio of the middles of two clusters of clocks, from which they are two; of neighbouring ones, its square root."""


@dataclass(frozen=True)
class State:
    """Each level None where launches like it have only one."""

    distance: str | None = None
    """That of the outermost processors: near, far, moved from one to the other meanwhile, or unknown: not recorded."""
    clock: str | None = None
    """Under load: fast, slow or unknown."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Those of which launches like it have several; empty: there is but one state."""
        return tuple(level for level in (self.distance, self.clock) if level is not None)

    def holds_for(self, other: "State") -> bool:
        """Whether what was measured in this state may be held against figures of the other, as far as is known."""
        pairs = ((self.distance, other.distance), (self.clock, other.clock))
        return all(here is None or there in (None, "moved", "unknown", here) for here, there in pairs)


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
    return Taken(None if asked else _number(record, "other_busy_fraction"), _number(record, "steal_fraction"))


def clock(record: Record) -> float | None:
    """Under load, Hz."""
    return _number(record, "clock_hz") or None


def settled_distance(record: Record) -> float | None:
    """Seconds, as `Record.distance`; None also where the processors moved between the beginning and the end."""
    before, after = _number(record, "exchange_latency_before"), record.distance
    if before and after and before < LONGEST_EXCHANGE and not 1 / MIGRATED < before / after < MIGRATED:
        return None
    return after


class States:
    """The levels in launches of any machines and cases, and the state of each by them.

    Distances are compared among launches that measured them between the same processors, clocks among those of one
    program and layout.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        launches = [record for record in records if record.status == "ok"]
        self._distances = _borders(launches, pair_key, settled_distance, (MIGRATED, MOVED))
        self._clocks = _borders(launches, program_key, clock, (CAPPED, CAPPED**0.5))

    def of(self, record: Record) -> State:
        near, slow = self._distances.get(pair_key(record)), self._clocks.get(program_key(record))
        distance = settled_distance(record)
        moved = near is not None and distance is None and record.distance is not None
        return State(
            "moved" if moved else _level(distance, near, ("near", "far")),
            _level(clock(record), slow, ("slow", "fast")),
        )


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


def _borders(
    records: Iterable[Record],
    alike: Callable[[Record], Hashable],
    measure: Callable[[Record], float | None],
    ratios: tuple[float, float],
) -> Mapping[Hashable, float]:
    """Borders by what launches have in common; only of those that have two levels."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for record in records:
        if value := measure(record):
            groups[alike(record)].append(value)
    borders = {key: border(values, *ratios) for key, values in groups.items()}
    return {key: value for key, value in borders.items() if value is not None}


def _level(value: float | None, limit: float | None, names: tuple[str, str]) -> str | None:
    if limit is None:
        return None
    return "unknown" if value is None else names[value > limit]


def pair_key(record: Record) -> Hashable:
    """What launches share whose distances can be compared: the processors between which they were measured."""
    processors = record.conditions.get("exchange_processors")
    return (record.provenance and record.provenance.machine, record.nodes, processors or _placed(record))


def program_key(record: Record) -> Hashable:
    """What launches share whose clocks can be."""
    machine = record.provenance and record.provenance.machine
    return (machine, record.nodes, record.benchmark, record.backend, _placed(record))


def _placed(record: Record) -> Hashable:
    return (record.provenance and record.provenance.placement, record.layout)


def _number(record: Record, name: str) -> float | None:
    """None: it was not recorded, or is none that can be."""
    value = record.conditions.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return float(value)
