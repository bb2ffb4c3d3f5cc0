"""Finds the sources of readings that a machine has."""

import socket
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.power.ipmi import Ipmi, IpmiOfHosts
from banzuke.power.sources import DEVICES, AllHosts, AskedSource, Questions, ThisHost
from banzuke.power.streams import SensorSource

REDFISH, IPMI = "redfish:", "ipmi"
"""Values of a partition's `power_sensor` that name a source; a chassis's address follows Redfish's. Any other text is a
note for people."""
HOST = "{host}"
"""Placeholder for the node's name in an address."""


def sources(machine: Machine, variables: Mapping[str, str]) -> list[SensorSource]:
    """Return the sources of the kernel and of devices, and the one that the site's description names.

    Raises BanzukeError.
    """
    here = socket.gethostname()
    hosts = machine.allotment.hosts
    available: list[SensorSource] = (
        [AllHosts(hosts, variables), AllHosts(hosts, variables, DEVICES)]
        if len(hosts) > 1
        else [ThisHost(), ThisHost(DEVICES)]
    )
    described = machine.partition.power_sensor or ""
    if described == IPMI:
        available.append(IpmiOfHosts(hosts, variables) if len(hosts) > 1 else Questions([Ipmi(here)]))
    if described.startswith(REDFISH):
        from banzuke.power.redfish import Access, Redfish  # noqa: PLC0415

        address, access = described.removeprefix(REDFISH), Access.of(variables)
        asked: list[AskedSource] = [Redfish(host, address.replace(HOST, host), access) for host in hosts or [here]]
        available.append(Questions(asked))
    return available
