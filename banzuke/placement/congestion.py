"""How much longer messages, or a whole run, take on a network than on the hosts' own cables: modelled and simulated."""

from dataclasses import replace

import numpy as np

from banzuke.placement.compare import OrderComparison, Placed
from banzuke.placement.simulate import check
from banzuke.placement.simulated import simulated_orders
from banzuke.placement.timing import timing_of
from banzuke.placement.topology import Cable, NetworkTopology, topology_of

SWITCH = "one switch"


def congestion(comparison: OrderComparison, placed: Placed) -> dict[str, float]:
    """Return by phase the time on the busiest of all links over that on the busiest of the hosts' own."""
    traffic, topology, computes = comparison.traffic, comparison.topology, comparison.pattern.computes
    traffic = replace(traffic, phases=tuple(computes.phases(comparison.grid)) if computes else traffic.phases)
    own = traffic.per_byte(placed.order, np.union1d(topology.port_up, topology.port_down))
    return {name: seconds / own[name] if own[name] else 1.0 for name, seconds in traffic.per_byte(placed.order).items()}


def host_rate(topology: NetworkTopology) -> float:
    """Return the rate of all cables of a host together, in B/s; the median of the hosts."""
    return float(np.median(np.bincount(topology.port_host, weights=topology.rate[topology.port_up])))


def simulated_congestion(comparison: OrderComparison, placed: Placed, rate: float) -> float:
    """Return the simulated time of the order over that on the same hosts at one switch. Raises BanzukeError.

    `rate`: of a rank's computation; the comparison has a size.
    """
    check(comparison.topology, comparison.traffic.adapters)
    (here,), (there,) = (simulated_orders(on, [placed.name], rate) for on in (comparison, _at_one_switch(comparison)))
    return here.simulated.seconds / there.simulated.seconds


def modelled_congestion(comparison: OrderComparison, placed: Placed, rate: float) -> float | None:
    """Return the same in the model of the benchmark's steps; None: there is none for this size or so many ranks."""
    here, there = (
        timing_of(on.pattern, on.grid, on.traffic, on.size, rate) for on in (comparison, _at_one_switch(comparison))
    )
    return here.seconds(placed.order) / there.seconds(placed.order) if here and there else None


def with_host_rate(comparison: OrderComparison, rate: float) -> OrderComparison:
    """Return the comparison with all cables faster or slower by one factor, so that a host has this rate in B/s."""
    topology = comparison.topology
    topology = replace(topology, rate=topology.rate * (rate / host_rate(topology)), rated=True)
    return replace(comparison, topology=topology, traffic=replace(comparison.traffic, topology=topology))


def _at_one_switch(comparison: OrderComparison) -> OrderComparison:
    switch = at_one_switch(comparison.topology)
    return replace(comparison, topology=switch, traffic=replace(comparison.traffic, topology=switch))


def at_one_switch(topology: NetworkTopology) -> NetworkTopology:
    """Return the hosts with their own cables at one switch."""
    cables = [
        Cable(topology.hosts[host], SWITCH, float(topology.rate[link]))
        for host, link in zip(topology.port_host.tolist(), topology.port_up.tolist(), strict=True)
    ]
    return topology_of(SWITCH, cables, topology.hosts, latency=topology.latency)
