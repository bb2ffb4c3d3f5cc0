"""Simulate orders of ranks on several networks, and compare the times with the analytic model's.

    python -m scripts.simulate_orders               # the table of docs/placement.md; needs SimGrid, takes minutes

Links carry 12.5 GB/s (Tofu: 6.8), each host has one rank of 2 Tflop/s, and problems grow with the number of ranks.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from banzuke.placement.compare import NUMBER, PROPOSED, RANDOM, OrderComparison, compare
from banzuke.placement.pattern import Pattern
from banzuke.placement.shapes import dragonfly, fat_tree, torus
from banzuke.placement.simulated import simulated_orders
from banzuke.placement.topology import Cable, NetworkTopology, Routing, topology_of
from benchmarks.fft.flows import PATTERNS as TRANSFORM
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


def compared(network: Network, pattern: Pattern, size: float) -> OrderComparison:
    ranks = np.arange(len(network.hosts))
    return compare(network.topology, pattern, pattern.grid(ranks.size), ranks, seconds=SEARCHED, size=size)


def ratios(network: Network, pattern: Pattern, size: float) -> Mapping[str, float]:
    """Return the simulated time over the model's by order."""
    orders = simulated_orders(compared(network, pattern, size), network.orders, RATE)
    return {order.placed.name: order.simulated.seconds / order.model for order in orders}


def rows() -> Iterator[str]:
    yield "| network | order | HPL | transform |\n|---|---|---:|---:|"
    for network in networks():
        ranks = len(network.hosts)
        hpl = ratios(network, HPL[0], 10_000 * math.sqrt(ranks))
        transform = ratios(network, TRANSFORM[0], 2e8 * ranks)
        for order in network.orders:
            yield f"| {network.title} | {order} | {hpl[order]:.2f} | {transform[order]:.2f} |"


def main() -> None:
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
