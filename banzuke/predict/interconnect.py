"""Derives properties of messages from an interconnect's name and topology."""

import re

from banzuke.machine.cluster import Network
from banzuke.machine.site import Partition

GIGABIT = 0.13e9
"""B/s of a link up to which it can only be Ethernet."""
ETHERNET = re.compile(r"ethernet|\bgig-?e\b|\b[0-9.]+ ?g(b|ig)?e\b|[0-9]gbase|^gigabit$", re.IGNORECASE)
OTHERS = re.compile(
    r"roce|slingshot|infiniband|omni-?path|tofu|aries|gemini|seastar|myrinet|quadrics|torus|crossbar|numalink|\bsci\b|"
    r"proprietary|custom|internal",
    re.IGNORECASE,
)
"""Interconnects whose messages bypass the operating system, even where Ethernet is named with them."""
TAPERED = 0.57
"""Bisection of a dragonfly: Frontier's global links have 540 TB/s for 9,408 nodes of 100 GB/s; others are similar."""


def is_ethernet(partition: Partition, link: float) -> bool:
    """Return whether messages pass through the operating system, by the interconnect's name, or else by its rate."""
    if "link.bytes" in (partition.network or Network()).rates:
        return False  # that rate is already what messages sustain
    if name := partition.interconnect:
        return not OTHERS.search(name) and (bool(ETHERNET.search(name)) or link <= GIGABIT)
    kinds = {interface.kind for interface in partition.node.interfaces if interface.bits_per_second}
    return kinds == {"ethernet"} or link <= GIGABIT


def bisection(network: Network, nodes: int) -> float:
    """Return the bisection as a share of the traffic: a dragonfly's, a near-cubic torus of groups', or else 1."""
    if network.topology == "dragonfly":
        return TAPERED
    if network.topology != "torus":
        return 1.0
    side = max(1.0, nodes / network.group) ** (1 / 3)
    return min(1.0, 4 / (side * network.links)) if side >= 2 else 1.0
