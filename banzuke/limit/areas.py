"""Upper bounds of a storage area's rate: its own as described, and the links of hosts that reach it over a network."""

from collections.abc import Iterator
from dataclasses import replace

from banzuke.limit.best_time import NOISE
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.mounts import is_remote
from banzuke.machine.site import StorageArea
from banzuke.plan.resource import Resource
from banzuke.words import Quantity, message


def area_peaks(resource: Resource, machine: Machine, partition: str | None) -> Iterator[Ceiling]:
    """Yield the described rate of each area of the site, and of one host's link to it, as far as known;
    links add up.
    """
    for name, area in machine.site.areas.items():
        if area.bandwidth:
            source = message("limit-area-described", area=name)
            yield Ceiling(resource, area.bandwidth, "theoretical", source, area=name)
        if rate := _link(machine, name, area):
            source = message("limit-area-link", area=name, rate=Quantity(rate, "B/s"))
            with_hosts = replace(resource, scope="link")
            yield Ceiling(with_hosts, rate, "theoretical", source, area=name, partition=partition)


def impossible(resource: Resource, machine: Machine, area: str | None, rate: float, hosts: int) -> bool:
    """Return whether this many hosts cannot have had this rate from the area, so that something else, such as a
    cache, served them.
    """
    return any(
        rate > (1 + NOISE) * peak.value * (hosts if peak.resource.scope == "link" else 1)
        for peak in area_peaks(resource, machine, None)
        if peak.area == area
    )


def _link(machine: Machine, name: str, area: StorageArea) -> float | None:
    """Return the B/s at which a host reaches the area, as described or by its fastest network card; None:
    unknown, or local.
    """
    described = [link.bits_per_second for link in machine.site.links if name in link.between]
    if not described and not (area.kind and is_remote(area.kind)):
        return None
    rates = described or [card.bits_per_second for card in machine.node.interfaces]
    return max((bits / 8 for bits in rates if bits), default=None)
