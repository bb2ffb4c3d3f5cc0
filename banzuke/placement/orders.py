"""Orders of ranks that schedulers and people use: by number, random, by switch."""

import re
from collections.abc import Iterator

import numpy as np

from banzuke.placement.pattern import Grid
from banzuke.placement.routes import Routes
from banzuke.placement.topology import Indices, NetworkTopology


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """Return a sorting key that puts node9 before node10."""
    return tuple((text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name))


def by_number(order: Indices, topology: NetworkTopology) -> Indices:
    """Return the order sorted by the hosts' names."""
    hosts = np.unique(order)
    position = np.empty(hosts.size, dtype=np.int64)
    position[sorted(range(hosts.size), key=lambda at: natural(topology.hosts[hosts[at]]))] = np.arange(hosts.size)
    return order[np.argsort(position[np.searchsorted(hosts, order)], kind="stable")]


def shuffled(order: Indices, seed: int) -> Indices:
    """Return a random order in which each host has as many ranks as before."""
    return np.random.default_rng(seed).permutation(order)


def hosts_shuffled(order: Indices, seed: int) -> Indices:
    """Return a random order of hosts, each of which keeps its ranks together."""
    hosts, counts = np.unique(order, return_counts=True)
    mixed = np.random.default_rng(seed).permutation(hosts.size)
    return np.repeat(hosts[mixed], counts[mixed])


def is_whole(order: Indices) -> bool:
    """Return whether the ranks of each host follow each other."""
    begins = np.concatenate([[True], order[1:] != order[:-1]])
    return bool(np.unique(order[begins]).size == begins.sum())


def shuffled_within_switches(order: Indices, topology: NetworkTopology, seed: int) -> Indices:
    """Return the order with the hosts of each switch shuffled among its ranks."""
    generator = np.random.default_rng(seed)
    switch = topology.switch_of_host[order]
    mixed = order.copy()
    for number in np.unique(switch):
        ranks = np.flatnonzero(switch == number)
        mixed[ranks] = generator.permutation(order[ranks])
    return mixed


def by_switch(order: Indices, topology: NetworkTopology, routes: Routes) -> Indices:
    """Return the order sorted by switch, each switch followed by the nearest one that is left."""
    position = np.zeros(len(topology.switches), dtype=np.int64)
    position[_chain(routes)] = np.arange(routes.leaves.size)
    receiver = np.empty(len(topology.hosts), dtype=np.int64)
    receiver[topology.port_host[::-1]] = topology.receiver[::-1]
    return order[np.lexsort((receiver[order], position[topology.switch_of_host[order]]))]


def strips(order: Indices, topology: NetworkTopology, routes: Routes, grid: Grid) -> Indices | None:
    """Return the order that divides a grid of P x Q into strips of whole columns, one strip for each switch, whose rows
    the hosts fill by number.

    Switches whose ranks do not fill whole columns share a strip with the next. None: the grid is not two-dimensional,
    or there is only one strip. Ranks count down the columns.
    """
    if len(grid) != 2:
        return None
    rows, columns = grid
    sorted_order = by_switch(order, topology, routes)
    switch = topology.switch_of_host[sorted_order]
    ends = [*(np.flatnonzero(np.diff(switch)) + 1), order.size]
    placed = np.empty((rows, columns), dtype=np.int64)
    begin = first = width = 0
    for end in ends:
        if (end - begin) % rows == 0:
            width = (end - begin) // rows
            placed[:, first : first + width] = by_number(sorted_order[begin:end], topology).reshape(rows, width)
            begin, first = end, first + width
    return placed.T.ravel() if first > width else None


def tiles(order: Indices, topology: NetworkTopology, routes: Routes, grid: Grid) -> Indices:
    """Return the order that puts each switch's hosts on compact parts of the grid, by repeatedly halving its
    longest side.
    """
    placed = np.empty_like(order)
    ranks = np.arange(order.size, dtype=np.int64).reshape(grid, order="F")
    placed[np.concatenate(list(_halved(ranks)))] = by_switch(order, topology, routes)
    return placed


def _halved(ranks: Indices) -> Iterator[Indices]:
    if ranks.size <= 1:
        yield ranks.ravel()
        return
    axis = int(np.argmax(ranks.shape))
    for half in np.array_split(ranks, 2, axis):
        yield from _halved(half)


def _chain(routes: Routes) -> Indices:
    """Return the switches with hosts, each followed by the nearest one that is left."""
    distance = routes.distance[:, routes.leaves]
    left = np.ones(routes.leaves.size, dtype=bool)
    chain = [0]
    left[0] = False
    while left.any():
        nearest = int(np.where(left, distance[chain[-1]], np.inf).argmin())
        chain.append(nearest)
        left[nearest] = False
    return routes.leaves[chain]
