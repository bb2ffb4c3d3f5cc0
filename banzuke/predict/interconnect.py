"""What an interconnect's name and topology say of the messages that cross it."""

import re

from banzuke.machine.site import Network, Partition

GIGABIT = 0.13e9
"""B/s of a link up to which it can be nothing but Ethernet."""
ETHERNET = re.compile(r"ethernet|\bgig-?e\b|\b[0-9.]+ ?g(b|ig)?e\b|[0-9]gbase|^gigabit$", re.IGNORECASE)
OTHERS = re.compile(
    r"roce|slingshot|infiniband|omni-?path|tofu|aries|gemini|seastar|myrinet|quadrics|torus|crossbar|numalink|\bsci\b|"
    r"proprietary|custom|internal",
    re.IGNORECASE,
)
"""Whose messages pass no operating system, also where Ethernet is named beside them."""
TAPERED = 0.57
"""Bisection of a dragonfly: Frontier's global links are 540 TB/s beside 9,408 nodes of 100 GB/s; others are alike."""


def is_ethernet(partition: Partition, link: float) -> bool:
    """Whether messages pass the operating system, by the interconnect's name; of an unnamed one its rate tells."""
    if "link.bytes" in (partition.network or Network()).rates:
        return False  # that rate is what messages sustain
    if name := partition.interconnect:
        return not OTHERS.search(name) and (bool(ETHERNET.search(name)) or link <= GIGABIT)
    kinds = {interface.kind for interface in partition.node.interfaces if interface.bits_per_second}
    return kinds == {"ethernet"} or link <= GIGABIT


def bisection(network: Network, nodes: int) -> float:
    """What two planes of links carry of a torus that is as near to a cube as can be, in its smallest groups; else 1."""
    if network.topology == "dragonfly":
        return TAPERED
    if network.topology != "torus":
        return 1.0
    side = max(1.0, nodes / network.group) ** (1 / 3)
    return min(1.0, 4 / (side * network.links)) if side >= 2 else 1.0
