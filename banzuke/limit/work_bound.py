"""Bounds the work of a sample by what serves its demands: memory, or the caches that hold all or a part of its data.

Of each pass over 57 MB, a cache of 32 MB serves 32 MB at best, whatever it keeps. The rest comes from behind it, and
nothing comes faster than all of it would from the cache. Both bound such work, so no figure can exceed that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from banzuke.limit.best_time import Asked, TimeBound, bound
from banzuke.limit.capacity import Capacities, Roof, noted
from banzuke.limit.model import Residence
from banzuke.record.figures import Demand, Samples
from banzuke.words import message

UNBOUNDED = message("limit-undefined")
LEAST_BEHIND = 0.5
"""Least share behind a cache of unknown rate for a limit by that share alone; below it, the limit would mislead."""


def work_bound(samples: Samples, kind: str, capacities: Capacities, where: Residence | None) -> TimeBound:
    """Return the best possible time of one sample's work; `where`: the place of its data, None: unknown."""
    if not samples.demand:
        return TimeBound(None, reason=UNBOUNDED)
    if where is None or where.place == "in memory":
        return _Served(kind, capacities).bound(samples.demand)
    return _Cached(kind, capacities, where).bound(samples.demand)


@dataclass(frozen=True)
class _Served:
    """Demands that are served by the resources that they name."""

    kind: str
    capacities: Capacities

    def bound(self, demands: Iterable[Demand]) -> TimeBound:
        """Return the best possible time of all of them."""
        return bound([self._asked(demand) for demand in demands])

    def _asked(self, demand: Demand) -> Asked:
        resource, _ = self.capacities.resources.get(demand.resource, (None, ""))
        within, at_least = (resource.within, resource.at_least) if resource else ((), {})
        return Asked(demand.amount, demand.resource, self.capacities.roof(demand, self.kind), within, at_least)


@dataclass(frozen=True)
class _Cached(_Served):
    """Demands on the memory that caches serve, all of them or a part."""

    where: Residence

    def bound(self, demands: Iterable[Demand]) -> TimeBound:
        """Return the same where caches serve them; unknown if a rate that is needed is."""
        demands = list(demands)
        bound_by_memory = super().bound(demands)
        if not any(map(self._from_memory, demands)):
            return bound_by_memory
        serving = [self._serving(demand) if self._from_memory(demand) else [demand] for demand in demands]
        all_declared = all(serving)
        served = super().bound(demand for parts in serving for demand in parts)
        if all_declared and served.seconds is not None:
            return served
        # Data in the caches places no demand on memory: if memory would bind, the cache does, and its rate is unknown.
        # If something else binds before memory, it still binds.
        elsewhere = super().bound(demand for demand in demands if not self._from_memory(demand))
        if bound_by_memory.resource != "" and bound_by_memory.resource == elsewhere.resource:
            return elsewhere
        unmeasured = served.reason if self.kind == "measured" and all_declared else None
        return TimeBound(None, reason=noted(self.where.message, unmeasured) if unmeasured else self.where.message)

    def _from_memory(self, demand: Demand) -> bool:
        measured = self.capacities.resources.get(demand.resource)
        return measured is not None and measured[0].beyond_caches > 0

    def _serving(self, demand: Demand) -> Sequence[Demand]:
        """Return the demands on what holds the data, and on the nearer cache that may hold a part of them.

        Empty: no benchmark measures the cache that holds them.
        """
        where = self.where
        holder = demand if where.place == "partly in cache" else self._on_cache(demand, where.level)
        if holder is None:
            return []
        if not where.nearer or self._is_loose(holder):
            return [holder]
        behind = holder.having(amount=holder.amount * where.beyond_nearer)
        nearer = self._on_cache(demand, where.nearer_level)
        if nearer is not None and isinstance(self.capacities.roof(nearer, self.kind), Roof):
            return [behind, nearer]
        return [behind] if where.beyond_nearer >= LEAST_BEHIND else [nearer] if nearer else []

    def _is_loose(self, demand: Demand) -> bool:
        """Return whether the rate was measured with data that are also partly in caches."""
        roof = self.capacities.roof(demand, self.kind)
        return isinstance(roof, Roof) and roof.cached

    def _on_cache(self, demand: Demand, level: int) -> Demand | None:
        """Return the same demand on a cache; None: no benchmark measures caches of this level."""
        resources = (resource for resource, _ in self.capacities.resources.values())
        serving = (resource for resource in resources if level and resource.cache == level)
        name = next((resource.name for resource in serving if resource.instead_of == demand.resource), None)
        return demand.having(resource=name) if name else None
