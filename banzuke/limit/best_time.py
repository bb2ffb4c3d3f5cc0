"""The roofline of one metric's own work: the best possible time, set by the resource that takes longest.

When a ceiling is unknown, a limit stays an upper bound but may be far too high. So an unknown ceiling is left out only
where it could not bind on any machine, by what its resource declares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.limit.capacity import Roof
from banzuke.machine.cache_levels import cache_levels
from banzuke.machine.site import Cache
from banzuke.plan.wording import bound_source
from banzuke.record.figures import Samples
from banzuke.words import Message, message

CACHE_FACTOR = 4
"""Work on less than this many last-level caches may be served by them. A ceiling needs more: `beyond_caches`."""
NOISE = 0.02
"""Share by which a median above its limit is still noise: ceilings are best samples, and runs repeat to 1-2%."""


def last_level_cache(caches: Sequence[Cache], cores: int | None = None) -> int | None:
    """Return the bytes of the last cache level that the allowed processors reach, or that many cores spread
    over it reach.
    """
    levels = cache_levels(caches, cores)
    return levels[max(levels)] or None if levels else None


@dataclass(frozen=True)
class TimeBound:
    """Best possible time of one sample's work, and the roof that sets it; None: unknown, see `reason`."""

    seconds: float | None
    roof: Roof | None = None
    reason: Message | None = None

    @property
    def resource(self) -> str:
        """Return the name of what binds; empty: unknown, or the program reported the bound itself."""
        return self.roof.resource.name if self.roof and self.roof.resource else ""

    @property
    def compute(self) -> bool:
        return self.resource.startswith("flops.")

    @property
    def memory(self) -> bool:
        return self.resource.startswith("memory.")

    @property
    def link(self) -> bool:
        """Return whether a link binds, of the host or of a device."""
        return self.resource.startswith("link.")

    @property
    def area(self) -> bool:
        """Return whether a storage area binds, or the hosts' links to it."""
        return self.resource.startswith("storage.")

    @property
    def own(self) -> bool:
        return self.roof is not None and self.roof.resource is None

    def measured_by(self, metric: str) -> bool:
        """Return whether what binds was measured by the benchmark that it bounds, with this figure or any of them."""
        roof = self.roof
        return roof is not None and roof.itself and (roof.resource is None or roof.resource.metric in ("", metric))


def own_bound(samples: Samples, kind: str) -> TimeBound | None:
    """Return the tightest bound of a kind that the program reported; None: it reported none."""
    bounds = [own for own in samples.bounds if own.kind == kind]
    if not bounds:
        return None
    tightest = max(bounds, key=lambda own: own.seconds)
    return TimeBound(
        tightest.seconds, Roof(1 / tightest.seconds, message("limit-own-bound", source=bound_source(tightest.source)))
    )


@dataclass(frozen=True)
class Asked:
    """A demand, with the roof that bounds it."""

    amount: float
    resource: str
    roof: Roof | Message
    """A message: unknown, and why."""
    within: tuple[str, ...] = ()
    at_least: Mapping[str, float] = field(default_factory=dict)

    def takes_less_than(self, other: "Asked") -> bool:
        """Return whether it takes less time than the other on any machine, or is covered by the other's resource."""
        return other.resource in self.within or self.amount <= self.at_least.get(other.resource, 0.0) * other.amount


def bound(asked: Sequence[Asked]) -> TimeBound:
    """Return the largest amount / rate of what is asked for; unknown if an unknown rate could bind."""
    asked = [demand for demand in asked if demand.amount]
    times = [(demand.amount / demand.roof.rate, demand.roof) for demand in asked if isinstance(demand.roof, Roof)]
    seconds, slowest = max(times, key=lambda timed: timed[0], default=(0.0, None))
    for demand in asked:
        if isinstance(demand.roof, Message) and not any(demand.takes_less_than(other) for other in asked):
            return TimeBound(None, reason=demand.roof)
    return TimeBound(seconds, slowest) if seconds else TimeBound(None, reason=message("limit-nothing-known"))


def fraction(value: float, limit: float | None, better: str) -> float | None:
    """Return the share of the limit: 1.0 at the limit and less below it, both for rates and for times."""
    over, under = (value, limit) if better == "higher" else (limit, value)
    return over / under if over is not None and under else None
