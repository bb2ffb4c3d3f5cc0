"""Finds where the data of a record's timed part lay: memory only bounds what has to come from it.

A program that repeatedly goes over the same data reports how much that is, as `working_set` in bytes among the record's
conditions. From the second time on, the last-level cache serves what it holds, unless the program clears the caches in
between (its parameter `flush`).
"""

import math
from collections.abc import Mapping

from banzuke.limit.best_time import CACHE_FACTOR, last_level_cache
from banzuke.limit.model import Residence
from banzuke.machine.cache_levels import cache_levels
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record

WORKING_SET = "working_set"
FLUSH = "flush"
L2_CACHE = "l2_cache"
"""Condition with the bytes of each device's L2 cache, as its library reports them to the program."""


def residence(
    record: Record, machine: Machine, otherwise: float | None = None, factor: float = CACHE_FACTOR
) -> Residence | None:
    """Return where the data lay; None: the record does not show it, or the caches are unknown.

    `otherwise`: bytes if the record has none; `factor`: how many times as large as the caches data in memory are.
    """
    size = record.conditions.get(WORKING_SET, otherwise)
    cache = _of_devices(record) if record.devices else _of_processors(record, machine)
    if not isinstance(size, int | float) or isinstance(size, bool) or not cache:
        return None
    if record.parameters.get(FLUSH) or size >= factor * cache:
        return Residence("in memory", size, cache)
    levels = {} if record.devices else cache_levels(machine.allotment.caches, math.ceil(record.cores / record.nodes))
    if size > cache:
        return Residence("partly in cache", size, cache, 0, cache, max(levels, default=0))
    return Residence("in cache", size, cache, *_nearest(size, levels, record.nodes))


def _nearest(size: float, levels: Mapping[int, int], hosts: int) -> tuple[int, int, int]:
    """Return `level`, `nearer` and `nearer_level` of a `Residence` of data that lie in caches of the processors."""
    nearer, nearer_level = 0, 0
    for level, on_host in levels.items():
        if size <= on_host * hosts:
            return (level, nearer, nearer_level) if size < CACHE_FACTOR * nearer else (level, 0, 0)
        nearer, nearer_level = on_host * hosts, level
    return 0, 0, 0


def cached_rate(record: Record, metric: str, machine: Machine, benchmark: Benchmark | None) -> Residence | None:
    """Return where the data lay if a rate of the memory came from a cache; None: it is not such a rate, or did not.

    Only figures whose benchmark measures the memory lose their meaning; other work is the same wherever
    its data lie.
    """
    where = residence(record, machine) if of_memory(record, metric, benchmark) else None
    return where if where and where.place == "in cache" else None


def of_memory(record: Record, metric: str, benchmark: Benchmark | None) -> bool:
    """Return whether it is a rate of the memory, from the benchmark that measures it."""
    samples = record.metrics.get(metric)
    own = {resource.name for resource in benchmark.resources.measures if resource.beyond_caches} if benchmark else set()
    return samples is not None and any(demand.resource in own for demand in samples.demand)


def _of_processors(record: Record, machine: Machine) -> int:
    return (last_level_cache(machine.allotment.caches, math.ceil(record.cores / record.nodes)) or 0) * record.nodes


def _of_devices(record: Record) -> int:
    l2_bytes = record.conditions.get(L2_CACHE)
    return int(l2_bytes) * len(record.devices) if isinstance(l2_bytes, int | float) else 0
