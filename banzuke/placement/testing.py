"""Small networks for tests."""

from banzuke.placement.topology import Cable, NetworkTopology, Routing, topology_of

MEASURED = """
name = "two switches"
rate = 11.9e6
latency = 25e-6
[switches]
one = { hosts = "a[1-4]", up = [{ to = "other", rate = 2.39e6 }] }
other = { hosts = "b[1-4]" }
"""
"""The eight namespaces on which HPL was measured, as pt2pt measured them."""


def two_switches(hosts: int = 4, uplinks: int = 2, routing: Routing = "destination") -> NetworkTopology:
    """Return a network of two switches with this many hosts each, joined by `uplinks` cables."""
    names = [f"{side}{number}" for side in "ab" for number in range(hosts)]
    cables = [Cable(name, f"switch-{name[0]}", 1.0) for name in names]
    return topology_of("pair", [*cables, Cable("switch-a", "switch-b", 1.0, uplinks)], names, routing=routing)
