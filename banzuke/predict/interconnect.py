"""What an interconnect's name and topology say of the messages that cross it."""

from banzuke.machine.site import Network, Partition

GIGABIT = 0.13e9
"""B/s of a link up to which it can be nothing but Ethernet."""
TAPERED = 0.57
"""Bisection of a dragonfly: Frontier's global links are 540 TB/s beside 9,408 nodes of 100 GB/s; others are alike."""


def is_ethernet(partition: Partition, link: float) -> bool:
    """Whether messages pass the operating system, by the interconnect's name; of an unnamed one its rate tells."""
    if "link.bytes" in (partition.network or Network()).rates:
        return False  # that rate is what messages sustain
    if partition.interconnect:
        name = partition.interconnect.casefold()
        return ("ethernet" in name or "gige" in name) and "roce" not in name and "slingshot" not in name
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
