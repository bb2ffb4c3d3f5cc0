"""A network as data: switches, hosts, cables, and the rule by which messages are routed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import short
from banzuke.text import nearest
from banzuke.words import Message

Routing: TypeAlias = Literal["destination", "blocks", "first", "adaptive"]
"""How a switch chooses among its cables on shortest paths.

destination: the receiver's number modulo the number of cables, as in D-mod-k and in subnet managers that assign
receivers in turn; blocks: equally many consecutive receivers on each; first: the first cable, which is dimension order
in a torus; adaptive: all cables equally.
"""
ROUTINGS: tuple[Routing, ...] = get_args(Routing)
LATENCY = 1e-6
"""Seconds that a message takes besides its bytes, where the description gives none."""
Indices: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float64]


class Cable(NamedTuple):
    """One or several cables between two ends, each the name of a switch or host."""

    left: str
    right: str
    rate: float
    """B/s of one cable, each way."""
    number: int = 1
    receiver: int | None = None
    """Number by which switches know the host's end, such as its LID; None: its place in the order of the cables."""
    ports: tuple[int, int] = (0, 0)
    """Port numbers at both ends: switches choose among cables in this order, then in that of the description."""


@dataclass(frozen=True, eq=False)
class NetworkTopology:
    """A network whose vertices are the switches, then the hosts; its links are cables in one direction,
    ordered by source.
    """

    name: str
    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    source: Indices
    """Vertex where each link begins."""
    target: Indices
    rate: Values
    """B/s of each link."""
    port_up: Indices
    """For each cable of a host, by hosts, the link to the switch; `port_down` is the link back."""
    port_down: Indices
    receiver: Indices
    """For each cable of a host, the rank of its receiver number among all: 0, 1, ..."""
    routing: Routing = "destination"
    notes: tuple[Message, ...] = ()
    """What had to be assumed, or is not known."""
    ranks: Mapping[str, int] = field(default_factory=dict)
    """Number of ranks of hosts, where the description gives it."""
    rated: bool = True
    """Whether rates are known; otherwise each cable has the rate 1."""
    latency: float | None = None
    """Seconds that a message takes besides its bytes; None: not described."""

    @property
    def message_seconds(self) -> float:
        """Return the latency, assumed where it is not described."""
        return LATENCY if self.latency is None else self.latency

    @cached_property
    def port_host(self) -> Indices:
        """Return the host of each of the hosts' cables, counted from 0."""
        return self.source[self.port_up] - len(self.switches)

    @cached_property
    def port_switch(self) -> Indices:
        return self.target[self.port_up]

    @cached_property
    def switch_of_host(self) -> Indices:
        """Return the switch at each host's first cable."""
        first = np.searchsorted(self.port_host, np.arange(len(self.hosts)))
        return self.port_switch[first]

    def vertex(self, number: int) -> str:
        return [*self.switches, *self.hosts][number]

    def find(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of hosts by name, ignoring domain and case. Raises BanzukeError naming unknown hosts."""
        numbers = {short(host): number for number, host in enumerate(self.hosts)}
        exact = {host: number for number, host in enumerate(self.hosts)}
        strangers = [name for name in names if name not in exact and short(name) not in numbers]
        if strangers:
            raise BanzukeError(
                f"the topology has no host '{strangers[0]}'"
                + (f" and {len(strangers) - 1} others of {len(names)}" if len(strangers) > 1 else ""),
                why=f"its hosts are {', '.join(self.hosts[:3])}" + (" ..." if len(self.hosts) > 3 else ""),
                remedy=nearest(strangers[0], list(self.hosts)),
            )
        return [exact[name] if name in exact else numbers[short(name)] for name in names]


def topology_of(
    name: str,
    cables: Sequence[Cable],
    hosts: Sequence[str],
    *,
    routing: Routing = "destination",
    notes: Sequence[Message] = (),
    ranks: Mapping[str, int] | None = None,
    latency: float | None = None,
) -> NetworkTopology:
    """Return the network of these cables; ends that are not among `hosts` are switches. Raises BanzukeError.

    Rates are all known or all unknown (NaN).
    """
    if not hosts:
        raise BanzukeError(f"{name} has no hosts")
    host_names = set(hosts)
    ends = dict.fromkeys(end for cable in cables for end in cable[:2])
    switches = [end for end in ends if end not in host_names]
    vertices = {vertex: number for number, vertex in enumerate([*switches, *hosts])}
    _check(name, cables, hosts, ends)
    left = np.array([vertices[cable.left] for cable in cables], dtype=np.int64)
    right = np.array([vertices[cable.right] for cable in cables], dtype=np.int64)
    number = np.array([cable.number for cable in cables], dtype=np.int64)
    rate = np.array([cable.rate for cable in cables], dtype=np.float64)
    receivers = np.array([-1 if cable.receiver is None else cable.receiver for cable in cables], dtype=np.int64)
    rated = bool(np.isfinite(rate).all())
    if not rated:
        rate = np.ones_like(rate)
    left, right, receivers = (np.repeat(values, number) for values in (left, right, receivers))
    rate = np.repeat(rate, number)
    source, target = np.concatenate([left, right]), np.concatenate([right, left])
    port = np.repeat(np.array([cable.ports for cable in cables], dtype=np.int64).reshape(-1, 2), number, axis=0)
    order = np.lexsort((np.tile(np.arange(left.size), 2), port.T.ravel(), source))
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    cable_of_link = order % max(left.size, 1)
    back = place[(order + left.size) % max(2 * left.size, 1)]
    source, target = source[order], target[order]
    up = np.flatnonzero(source >= len(switches))
    numbers = receivers[cable_of_link[up]]
    receiver = np.empty(up.size, dtype=np.int64)
    receiver[np.argsort(numbers, kind="stable") if (numbers >= 0).all() else np.arange(up.size)] = np.arange(up.size)
    made = NetworkTopology(
        name,
        tuple(switches),
        tuple(hosts),
        source,
        target,
        np.tile(rate, 2)[order],
        up,
        back[up],
        receiver,
        routing,
        tuple(notes),
        ranks or {},
        rated,
        latency,
    )
    _check_connected(made)
    return made


def _check(name: str, cables: Sequence[Cable], hosts: Sequence[str], ends: Mapping[str, None]) -> None:
    host_names = set(hosts)
    if loose := [host for host in hosts if host not in ends]:
        raise BanzukeError(f"{name}: the host {loose[0]} is at no switch")
    for cable in cables:
        if cable.left == cable.right:
            raise BanzukeError(f"{name}: a cable of {cable.left} leads back to it")
        if cable.left in host_names and cable.right in host_names:
            raise BanzukeError(f"{name}: a cable joins the hosts {cable.left} and {cable.right}, without a switch")


def _check_connected(topology: NetworkTopology) -> None:
    """Raise BanzukeError naming a host of each of two separate parts."""
    size = len(topology.switches) + len(topology.hosts)
    matrix = sparse.coo_matrix((np.ones(topology.source.size), (topology.source, topology.target)), shape=(size, size))
    _, part = csgraph.connected_components(matrix, directed=False)
    of_hosts = part[len(topology.switches) :]
    if np.unique(of_hosts).size > 1:
        first, second = np.unique(of_hosts, return_index=True)[1][:2]
        raise BanzukeError(
            f"{topology.name} is not one network: {np.unique(of_hosts).size} parts have hosts",
            why=f"no cables lead from {topology.hosts[first]} to {topology.hosts[second]}",
            remedy="Describe the switch that joins them, or one part alone",
        )
