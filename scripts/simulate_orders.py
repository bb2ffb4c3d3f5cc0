"""Simulate orders of ranks on several networks, and compare the times with the analytic model's.

    python -m scripts.simulate_orders               # the table of docs/placement.md; needs SimGrid, takes minutes
    python -m scripts.simulate_orders --networks torus --patterns halo

Links carry 12.5 GB/s (Tofu: 6.8), each host has one rank of 2 Tflop/s, and problems grow with the number of ranks.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from banzuke.placement.compare import NUMBER, PROPOSED, RANDOM, OrderComparison, compare
from banzuke.placement.pattern import Pattern
from banzuke.placement.shapes import dragonfly, fat_tree, torus
from banzuke.placement.simulated import simulated_orders
from banzuke.placement.topology import Cable, NetworkTopology, Routing, topology_of
from benchmarks.collectives.flows import PATTERNS as COLLECTIVES
from benchmarks.fft.flows import PATTERNS as TRANSFORM
from benchmarks.hpcg.flows import PATTERNS as HALO
from benchmarks.hpl.flows import PATTERNS as HPL

LINK, TOFU = 12.5e9, 6.8e9
RATE = 2e12
SEARCHED = 5.0
"""Seconds of the search for a better order."""


@dataclass(frozen=True)
class Network:
    """A network, with the orders that are simulated on it."""

    title: str
    cables: list[Cable]
    hosts: list[str]
    routing: Routing = "destination"
    orders: tuple[str, ...] = (NUMBER, PROPOSED, RANDOM)

    @property
    def topology(self) -> NetworkTopology:
        return topology_of(self.title, self.cables, self.hosts, routing=self.routing)


def numbered(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


def networks() -> Iterator[Network]:
    """Yield the networks of the table, small ones first."""
    for count in (4, 8, 16, 64, 256):
        hosts = numbered(count)
        yield Network(f"one switch, {count}", fat_tree(hosts, [count], [1], [1], LINK), hosts, orders=(NUMBER,))
    hosts = numbered(64)
    yield Network("fat tree, 64, as many uplinks as hosts", fat_tree(hosts, [8, 8], [1, 8], [1, 1], LINK), hosts)
    yield Network("fat tree, 64, 2 uplinks for 8 hosts", fat_tree(hosts, [8, 8], [1, 2], [1, 1], LINK), hosts)
    title = "dragonfly, 64, 4 groups of 4 switches with 2 cables to others"
    yield Network(title, dragonfly(hosts, 4, 4, 2, LINK, LINK), hosts)
    yield Network("torus 4 x 4 x 4", torus(hosts, [4, 4, 4], LINK), hosts, "first")
    hosts = numbered(48)
    yield Network("Tofu of 48", torus(hosts, [2, 2, 1, 2, 3, 2], TOFU), hosts, "first")
    hosts = numbered(256)
    yield Network("fat tree, 256, 4 uplinks for 16 hosts", fat_tree(hosts, [16, 16], [1, 4], [1, 1], LINK), hosts)
    title = "dragonfly, 256, 8 groups of 4 switches with 4 cables to others"
    yield Network(title, dragonfly(hosts, 8, 4, 4, LINK, LINK), hosts)
    yield Network("torus 8 x 8 x 4", torus(hosts, [8, 8, 4], LINK), hosts, "first")


def compared(network: Network, pattern: Pattern, size: float) -> OrderComparison:
    ranks = np.arange(len(network.hosts))
    rate = RATE if pattern.computes else math.inf
    grid = pattern.grid(ranks.size)
    return compare(network.topology, pattern, grid, ranks, seconds=SEARCHED, size=size, rank_rate=rate)


def ratios(network: Network, pattern: Pattern, size: float) -> Mapping[str, float]:
    """Return the simulated time over the model's by order."""
    orders = simulated_orders(compared(network, pattern, size), network.orders, RATE)
    return {order.placed.name: order.simulated.seconds / order.model for order in orders}


PATTERNS: dict[str, tuple[Pattern, Callable[[int], float]]] = {
    "HPL": (HPL[0], lambda ranks: 10_000 * math.sqrt(ranks)),
    "transform": (TRANSFORM[0], lambda ranks: 2e8 * ranks),
    "halo": (HALO[0], lambda _ranks: 256),
    "alltoall": (COLLECTIVES[-1], lambda _ranks: 1 << 20),
}
"""Patterns of messages, and the size of the problem by the number of ranks."""


def rows(only: str, names: Sequence[str]) -> Iterator[str]:
    yield f"| network | order | {' | '.join(names)} |\n|---|---|{'---:|' * len(names)}"
    for network in (network for network in networks() if only in network.title):
        ranks = len(network.hosts)
        by_pattern = [ratios(network, pattern, size(ranks)) for pattern, size in (PATTERNS[name] for name in names)]
        for order in network.orders:
            yield f"| {network.title} | {order} | {' | '.join(f'{ratio[order]:.2f}' for ratio in by_pattern)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate orders of ranks beside the analytic model.")
    parser.add_argument("--networks", default="", help="part of the networks' names")
    parser.add_argument("--patterns", nargs="+", default=list(PATTERNS), choices=list(PATTERNS), metavar="NAME")
    asked = parser.parse_args()
    for row in rows(asked.networks, asked.patterns):
        print(row, flush=True)


if __name__ == "__main__":
    main()
