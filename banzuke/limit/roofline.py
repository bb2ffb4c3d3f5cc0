"""The roofline of one metric's own work: the best possible time, and the metric's value at that time.

A limit stays an upper bound when a ceiling is unknown, but it may then be far too high. So an unknown
ceiling is left out only where it could bind on no machine, by the arithmetic intensity of the work.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from banzuke.limit.model import Ceiling
from banzuke.machine.model import Cache, Machine
from banzuke.record.model import Record, Samples, Work
from banzuke.units import number, quantity

FLOP_RATE, FMA_RATE, MEMORY_BANDWIDTH = "flop_rate", "fma_rate", "memory_bandwidth"
OWN = "own"
"""A bound that the program itself found out beside the figure."""
LABELS = {FLOP_RATE: "flop rate", FMA_RATE: "register FMA rate", MEMORY_BANDWIDTH: "memory bandwidth"}
UNITS = {FLOP_RATE: "flop/s", FMA_RATE: "flop/s", MEMORY_BANDWIDTH: "B/s"}

COMPUTE_INTENSITY = 64.0
"""flop/B above which memory cannot bind: the highest balance in double precision is about 20."""
MEMORY_INTENSITY = 0.25
"""flop/B below which arithmetic cannot bind: the lowest balance of any vector machine is about this."""
CACHE_FACTOR = 4
"""STREAM's rule: work on less than this many last-level caches may be served by them."""


NOISE = 0.02
"""A median this far above its limit is still noise: ceilings are best samples, and runs repeat to 1-2%."""


def label(ceiling: str) -> str:
    return LABELS.get(ceiling, ceiling.replace("_", " "))


def last_level_cache(caches: Sequence[Cache], cores: int | None = None) -> int | None:
    """Bytes of the last cache level that the allowed processors reach, or so many cores spread over its instances."""
    data = [cache for cache in caches if cache.kind != "instruction"]
    last = max((cache.level for cache in data), default=None)
    found = [cache for cache in data if cache.level == last]
    return sum(cache.bytes * min(cache.instances, cores or cache.instances) for cache in found) or None


@dataclass(frozen=True)
class Share:
    """The part of the machine's cores that a record used, over all its hosts."""

    cores: int
    available: int
    hosts: int = 1

    @classmethod
    def of(cls, record: Record, machine: Machine) -> "Share":
        hosts = max(1, len({host.name for host in record.hosts}))
        available = max(1, machine.cpu.allowed_cores) * hosts
        return cls(min(record.ranks * record.threads, available), available, hosts)

    @property
    def whole(self) -> bool:
        return self.cores >= self.available

    def __str__(self) -> str:
        return f"{self.cores} of {self.available} cores"


@dataclass(frozen=True)
class Roof:
    """A ceiling as it stands for one record."""

    name: str
    rate: float
    """flop/s or B/s; of a bound of its own samples a second."""
    source: str


def compute_roof(ceiling: Ceiling, share: Share, machine: Machine) -> Roof:
    """Arithmetic scales with the cores, and a few cores may clock higher than all of them at once."""
    reached_by = ceiling.threads or share.available // share.hosts
    rate = ceiling.value * share.cores / reached_by
    source = f"{label(ceiling.name)} {quantity(ceiling.value, UNITS[ceiling.name])}, {ceiling.source}"
    if share.cores == reached_by:
        return Roof(ceiling.name, rate, source)
    source += f"; scaled from {number(reached_by)} to {number(share.cores)} cores"
    alone, together = machine.cpu.single_vector_hz, machine.cpu.vector_hz
    if ceiling.kind == "measured" and share.cores < reached_by and alone and together and alone > together:
        rate *= alone / together
        source += f" at the clock of one core, {quantity(alone, 'Hz')} instead of {quantity(together, 'Hz')}"
    return Roof(ceiling.name, rate, source)


def memory_roof(ceiling: Ceiling, share: Share) -> Roof:
    """One core may draw on the bandwidth of the whole machine, so this ceiling is not divided."""
    source = f"{label(ceiling.name)} {quantity(ceiling.value, 'B/s')}, {ceiling.source}"
    if share.hosts > 1:
        source += f"; times {share.hosts} hosts"
    if not share.whole:
        source += f"; the whole machine's, while {share} were used"
    return Roof(ceiling.name, ceiling.value * share.hosts, source)


@dataclass(frozen=True)
class Bound:
    """Best possible time of one sample's work and the roof that sets it; None: unknown, see `reason`."""

    seconds: float | None
    roof: Roof | None = None
    reason: str = ""

    @property
    def compute(self) -> bool:
        return self.roof is not None and self.roof.name in (FLOP_RATE, FMA_RATE)

    @property
    def memory(self) -> bool:
        return self.roof is not None and self.roof.name == MEMORY_BANDWIDTH

    @property
    def own(self) -> bool:
        return self.roof is not None and self.roof.name == OWN


def own_bound(samples: Samples, kind: str) -> Bound | None:
    """The tightest of a kind; None: the program found none out."""
    known = [own for own in samples.bounds if own.kind == kind]
    if not known:
        return None
    tightest = max(known, key=lambda own: own.seconds)
    return Bound(tightest.seconds, Roof(OWN, 1 / tightest.seconds, tightest.source))


def bound(work: Work, compute: Roof | str | None, memory: Roof | str | None) -> Bound:
    """`max(flops / F, moved / B)`; None: does not bound; text: unknown, and the text says why."""
    if work.flops == 0 and work.moved == 0:
        return Bound(None, reason="the record counts no work")
    intensity = work.flops / work.moved if work.moved else float("inf")
    if isinstance(compute, str) and intensity > MEMORY_INTENSITY:
        return Bound(None, reason=compute)
    if isinstance(memory, str) and intensity < COMPUTE_INTENSITY:
        return Bound(None, reason=memory)
    times = []
    if isinstance(compute, Roof):
        times.append((work.flops / compute.rate, compute))
    if isinstance(memory, Roof):
        times.append((work.moved / memory.rate, memory))
    seconds, roof = max(times, key=lambda timed: timed[0], default=(0.0, None))
    return Bound(seconds, roof) if seconds else Bound(None, reason="nothing that bounds this benchmark has work here")


_COUNTED: dict[str, Callable[[Work], float]] = {
    "flop/s": lambda work: work.flops,
    "B/s": lambda work: work.bytes,
}


def value_at(seconds: float, unit: str, work: Work | None) -> float | None:
    """The metric's value if one sample took `seconds`; None: the unit says nothing about time."""
    if unit == "s":
        return seconds
    counted = _COUNTED[unit](work) if work and unit in _COUNTED else 0
    return counted / seconds if counted and seconds else None


def times(samples: Samples) -> tuple[float, ...]:
    """Seconds of each sample, from the metric's own value and counted work; empty: they do not tell."""
    if samples.unit == "s":
        return tuple(samples.samples)
    if samples.work is None or samples.unit not in _COUNTED:
        return ()
    counted = _COUNTED[samples.unit](samples.work)
    return tuple(counted / value for value in samples.samples if value > 0 and counted > 0)


def bandwidth_note(work: Work) -> str:
    """How counted and moved bytes differ, which a reader needs to follow a limit; empty where they agree."""
    if not work.bytes or not work.moved or work.bytes == work.moved:
        return ""
    return f"; {number(work.moved / work.bytes)} bytes move for each byte counted"
