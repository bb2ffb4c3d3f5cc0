"""Finds the links that messages take, and the bytes that each link carries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from banzuke.errors import BanzukeError
from banzuke.placement.topology import Indices, NetworkTopology, Values

LONGEST = 64
"""Largest number of switches that a message passes; in a torus of 80,000 nodes it is less."""


@dataclass(frozen=True, eq=False)
class Routes:
    """The links on shortest paths, from every switch to each switch with hosts."""

    topology: NetworkTopology

    @cached_property
    def leaves(self) -> Indices:
        """Return the switches with hosts."""
        return np.unique(self.topology.port_switch)

    @cached_property
    def _leaf(self) -> Indices:
        """Return the number of each switch among the leaves; -1: it is none."""
        numbers = np.full(len(self.topology.switches), -1, dtype=np.int64)
        numbers[self.leaves] = np.arange(self.leaves.size)
        return numbers

    @cached_property
    def distance(self) -> Values:
        """Return the number of cables from each leaf (row) to each switch."""
        between = self._between
        size = len(self.topology.switches)
        pairs = (self.topology.source[between], self.topology.target[between])
        graph = sparse.csr_matrix((np.ones(between.size), pairs), shape=(size, size))
        graph.data[:] = 1.0
        return csgraph.dijkstra(graph, indices=self.leaves, unweighted=True)

    @cached_property
    def _between(self) -> Indices:
        """Return the links between switches."""
        size = len(self.topology.switches)
        return np.flatnonzero((self.topology.source < size) & (self.topology.target < size))

    @cached_property
    def _choices(self) -> tuple[Indices, Indices, Indices]:
        """Return the links on shortest paths as a list, and the first place and number of them in it by
        leaf and switch.
        """
        size, topology = len(self.topology.switches), self.topology
        source, target = topology.source[self._between], topology.target[self._between]
        counts = np.zeros((self.leaves.size, size), dtype=np.int64)
        links = []
        for leaf in range(self.leaves.size):
            distance = self.distance[leaf]
            nearer = np.flatnonzero(distance[target] == distance[source] - 1)
            counts[leaf] = np.bincount(source[nearer], minlength=size)
            links.append(self._between[nearer])
        ends = np.cumsum(counts.ravel())
        return (ends - counts.ravel()).reshape(counts.shape), counts, np.concatenate([*links, np.empty(0, np.int64)])

    @cached_property
    def _divisor(self) -> tuple[Indices, Indices]:
        """Return the level of each switch and, by level, the product of the numbers of upward cables below it, by which
        D-mod-k divides.
        """
        level = self.distance.min(axis=0)
        level = np.where(np.isfinite(level), level, 0).astype(np.int64)
        source, target = self.topology.source[self._between], self.topology.target[self._between]
        upward = level[target] > level[source]
        ways = np.bincount(source[upward], minlength=level.size)
        most = [int(ways[level == height].max(initial=1)) or 1 for height in range(int(level.max(initial=0)) + 1)]
        return level, np.concatenate([[1], np.cumprod(most)]).astype(np.int64)

    def paths(self, source: Indices, target: Indices) -> tuple[Indices, Indices]:
        """Return the links of flows between cables of hosts: the flow and the link of each passage."""
        topology = self.topology
        start, count, links = self._choices
        level, divisor = self._divisor
        flows = np.arange(source.size)
        at, goal = topology.port_switch[source], topology.port_switch[target]
        receiver = topology.receiver[target]
        of_flow, taken = [flows, flows], [topology.port_up[source], topology.port_down[target]]
        for _ in range(LONGEST):
            under_way = at[flows] != goal[flows]
            flows = flows[under_way]
            if not flows.size:
                break
            leaf, here = self._leaf[goal[flows]], at[flows]
            ways, first = count[leaf, here], start[leaf, here]
            up = level[topology.target[links[first]]] > level[here]
            number = receiver[flows]
            if topology.routing == "destination":
                chosen = np.where(up, number // divisor[level[here]], number) % ways
            elif topology.routing == "blocks":
                chosen = number * ways // topology.receiver.size
            else:
                chosen = np.zeros_like(number)
            link = links[first + chosen]
            of_flow.append(flows)
            taken.append(link)
            at[flows] = topology.target[link]
        else:
            raise BanzukeError(f"{topology.name}: a message passes more than {LONGEST} switches")
        return np.concatenate(of_flow), np.concatenate(taken)

    def loads(self, source: Indices, target: Indices, amounts: Values) -> Values:
        """Return the bytes on each link, for flows between cables of hosts."""
        topology = self.topology
        if topology.routing == "adaptive":
            return self._spread(source, target, amounts)
        flow, link = self.paths(source, target)
        return np.asarray(np.bincount(link, weights=amounts[flow], minlength=topology.source.size), dtype=np.float64)

    def _spread(self, source: Indices, target: Indices, amounts: Values) -> Values:
        """Return the bytes on each link if every switch spreads its load evenly over all links on shortest paths."""
        topology, size = self.topology, len(self.topology.switches)
        loads = np.bincount(topology.port_up[source], weights=amounts, minlength=topology.source.size)
        loads += np.bincount(topology.port_down[target], weights=amounts, minlength=topology.source.size)
        start, count, links = self._choices
        leaf, entering = self._leaf[topology.port_switch[target]], topology.port_switch[source]
        for goal in np.unique(leaf):
            here = leaf == goal
            waiting = np.bincount(entering[here], weights=amounts[here], minlength=size)
            distance = self.distance[goal]
            for steps in range(int(np.nanmax(np.where(np.isfinite(distance), distance, 0))), 0, -1):
                switches = np.flatnonzero((distance == steps) & (waiting > 0))
                ways = count[goal, switches]
                taken = links[np.repeat(start[goal, switches], ways) + _counted(ways)]
                share = np.repeat(waiting[switches] / np.maximum(ways, 1), ways)
                loads += np.bincount(taken, weights=share, minlength=loads.size)
                waiting += np.bincount(topology.target[taken], weights=share, minlength=size)
        return np.asarray(loads, dtype=np.float64)


def _counted(numbers: Indices) -> Indices:
    """Return 0, 1, ... up to each of the numbers, concatenated."""
    ends = np.cumsum(numbers)
    return np.arange(int(ends[-1]) if ends.size else 0) - np.repeat(ends - numbers, numbers)
