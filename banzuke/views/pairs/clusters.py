"""Finds clusters of cores in their latencies, and compares them with the groups that the firmware tells.

Single linkage: ranks are joined along the fastest pairs first, and where the next pair that joins anything is slower by
a clear gap, the clusters so far are a level. On a ring or a mesh latencies grow with the distance, but each core has a
near neighbour, so that there is no gap and no level.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from banzuke.machine.model import Machine
from banzuke.record.figures import Pairs
from banzuke.views.pairs.outliers import Clusters, LatencyLevel, Pair, RankLocation

GAP = 1.15
"""Ratio of the next joining pair's latency to the last one's from which there is a gap."""
FEWEST = 4
"""Ranks from which there may be clusters."""
NEARLY = 0.9
"""Share of clusters that the next gap leaves from which both are one level: few pairs are slower than the rest."""

Partition = frozenset[frozenset[int]]
"""Ranks, divided into clusters."""


def clusters(matrix: Pairs, places: Sequence[RankLocation], machine: Machine) -> Clusters | None:
    """Return the clusters of ranks on one host, each on a processor of its own; None: these are other figures, or too
    few.
    """
    alone = all(len(place.cpus) == 1 and not place.memory for place in places)
    if matrix.unit != "s" or not alone or len(places) < FEWEST or len({place.host for place in places}) > 1:
        return None
    firmwares = told_by(machine, places)
    latencies = {pair: value for pair, value in matrix.worst.items() if value > 0}
    levels = tuple(_level(partition, latencies, firmwares) for partition in _levels(latencies, len(places)))
    seen = {level.told for level in levels}
    return Clusters(levels, {name: len(parts) for name, parts in firmwares.items() if name not in seen})


def told_by(machine: Machine, places: Sequence[RankLocation]) -> dict[str, Partition]:
    """Return how caches, NUMA nodes and sockets divide the ranks, without what divides nothing or is told twice."""
    allotment = machine.allotment
    parts = {
        "same-complex": allotment.complexes,
        "same-numa": [node.cpus for node in machine.node.numa],
        "same-socket": allotment.packages,
    }
    ranks = {place.cpus[0]: place.rank for place in places}
    firmwares: dict[str, Partition] = {}
    for name, groups in parts.items():
        members = [frozenset(ranks[cpu] for cpu in group if cpu in ranks) for group in groups]
        partition = frozenset(group for group in members if group)
        whole = sum(map(len, partition)) == len(ranks)
        if whole and _divides(partition) and partition not in firmwares.values():
            firmwares[name] = partition
    return firmwares


def _divides(partition: Partition) -> bool:
    """Return whether these are clusters: two of several ranks at least, with most of the ranks in such ones. A single
    rank far from all others is a slow one.
    """
    large = [cluster for cluster in partition if len(cluster) > 1]
    return len(large) > 1 and 2 * sum(map(len, large)) >= sum(map(len, partition))


def _levels(latencies: Mapping[Pair, float], count: int) -> list[Partition]:
    """Return the clusters at each gap, from the smallest."""
    cluster_of = {rank: frozenset({rank}) for rank in range(count)}
    joined: list[tuple[float, Partition]] = []
    for (a, b), latency in sorted(latencies.items(), key=lambda item: item[1]):
        if cluster_of[a] is cluster_of[b]:
            continue
        both = cluster_of[a] | cluster_of[b]
        cluster_of |= dict.fromkeys(both, both)
        joined.append((latency, frozenset(cluster_of.values())))
    at_gaps = [
        partition
        for (latency, partition), (following, _) in pairwise(joined)
        if following > GAP * latency and _divides(partition)
    ]
    coarser = [*map(len, at_gaps), 1][1:]
    return [partition for partition, fewer in zip(at_gaps, coarser, strict=True) if fewer < NEARLY * len(partition)]


def _level(partition: Partition, latencies: Mapping[Pair, float], firmwares: Mapping[str, Partition]) -> LatencyLevel:
    cluster_of = {rank: cluster for cluster in partition for rank in cluster}
    values: dict[bool, list[float]] = defaultdict(list)
    for (a, b), latency in latencies.items():
        values[cluster_of[a] is cluster_of[b]].append(latency)
    name = next((name for name, parts in firmwares.items() if parts == partition), "")
    ordered = tuple(sorted(tuple(sorted(cluster)) for cluster in partition))
    return LatencyLevel(ordered, median(values[True]), median(values[False]), name)
