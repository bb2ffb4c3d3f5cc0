"""The machine to predict, as numbers that models compute with.

`hardware` makes a `Hardware` from a description. Constants replace what it lacks. `scale` multiplies what is described,
to find how a figure would change.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from banzuke.machine.cluster import Network
from banzuke.machine.site import Device, NodeType, Partition, Site
from banzuke.predict.families import families_of, family_factors, family_of_device, family_of_processor
from banzuke.predict.interconnect import bisection, is_ethernet
from banzuke.predict.origin import RunOrigin
from banzuke.predict.reached import ReachedArea, reached_areas
from banzuke.predict.undescribed import EXAMPLES_OF_PEAKS, UndescribedError, peak_remedy, refuse_zeros
from banzuke.slowdown.noise import PeriodicNoise
from banzuke.words import message
from banzuke.words.errors import MessageError


@dataclass(frozen=True)
class Engine:
    """Processors of one kind in a node that compute together: all host processors, or one device."""

    name: str
    number: int
    """Number in a node."""
    peak: float
    """FP64 flop/s of one."""
    dgemm: float
    """flop/s that DGEMM sustains on one, with large matrices."""
    bandwidth: float
    """B/s that Triad sustains in the memory of one; NaN: unknown."""
    memory: float
    """Bytes of one that a job may use; NaN: unknown."""
    host_link: float = math.inf
    """B/s each way that large transfers from the host's memory sustain."""
    peer_link: float = math.nan
    """B/s each way that large transfers to another device of the node sustain; NaN: no such link is known."""
    fast_memory: float = math.nan
    """Bytes of its faster memory; NaN: it has none."""
    fast_bandwidth: float = math.nan
    """B/s that Triad sustains in the faster memory."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Other rates that a run measured, by resource, such as memory.loads."""


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one type."""

    name: str
    nodes: int
    cores: int
    """Cores of a node's processors; 0: unknown."""
    host: Engine
    devices: tuple[Engine, ...] = ()
    hertz: float = math.nan
    """Nominal clock of the processors; NaN: unknown."""
    domains: int = 1
    """NUMA nodes as far as they are described, else sockets: one rank for each is usual."""

    @property
    def known_cores(self) -> int:
        """Cores of a node. Raises BanzukeError where the description lacks them."""
        if not self.cores:
            raise UndescribedError(
                self.name,
                "number of cores",
                remedy="Add it, or give it by --with node.processors.0.cores=64",
            )
        return self.cores

    def check_flops(self) -> None:
        """Raise BanzukeError where the description lacks a flop rate, for models that need it."""
        if not (self.devices or self.host.peak > 0 or self.host.dgemm > 0):
            raise UndescribedError(self.name, "flop rate", remedy=peak_remedy("flops.fp64"))

    def check_bandwidth(self, engine: Engine) -> None:
        """Raise BanzukeError where the description lacks the memory bandwidth of this group's `engine`."""
        if not engine.bandwidth > 0:
            key = "node" if engine is self.host else f"node.devices.{self.devices.index(engine)}"
            kind = "processors" if engine is self.host else "devices"
            raise UndescribedError(
                self.name, f"memory bandwidth of its {kind}", remedy=peak_remedy("memory.bytes", key)
            )

    @property
    def peak(self) -> float:
        """flop/s of one node."""
        return self.host.peak + sum(device.number * device.peak for device in self.devices)


EXCHANGE, HALO = "exchange", "halo"
"""Phases in which all ranks send to all others, or to their neighbours in a grid."""


@dataclass(frozen=True)
class Fabric:
    """The interconnect that messages between nodes cross."""

    links: int
    """Links of a node."""
    bandwidth: float
    """B/s each way that large messages sustain over one link."""
    latency: float
    """Latency of the smallest message in seconds."""
    bisection: float
    """Bisection bandwidth as a share of what half of the nodes can send over all their links at once."""
    direct: bool
    """Whether messages leave a device's memory without passing through the host's."""
    topology: str
    hosted: bool = False
    """Whether processors move messages themselves, as over Ethernet, so that none is transferred while they compute."""
    congestion: Mapping[str, float] = field(default_factory=dict)
    """Factors by which messages of these phases take longer on a described network than on the nodes' own links."""

    def congested(self, phase: str) -> float:
        return self.congestion.get(phase, 1.0)

    @property
    def node_bandwidth(self) -> float:
        """B/s each way over all links of a node."""
        return self.links * self.bandwidth

    @property
    def exchange_bandwidth(self) -> float:
        """B/s of a node in an all-to-all, limited by the described network, or by links and by the bisection, which
        half of the traffic crosses.
        """
        if EXCHANGE in self.congestion:
            return self.node_bandwidth / self.congestion[EXCHANGE]
        return self.node_bandwidth * min(1.0, 2 * self.bisection)


@dataclass(frozen=True)
class Hardware:
    name: str
    groups: tuple[NodeGroup, ...]
    """Groups of nodes: one, or several where nodes differ."""
    fabric: Fabric
    spread: float
    """Standard deviation of the nodes' rates, as a share."""
    noise: PeriodicNoise | None
    """Noise on each rank; None: none is assumed."""
    constants: Mapping[str, float]
    """All constants, including the model's own."""
    power: float | None = None
    """W of all nodes under load; None: unknown."""
    areas: tuple[ReachedArea, ...] = ()
    measured: bool = False
    """Whether rates were measured by a run; else the machine is only described."""

    @property
    def nodes(self) -> int:
        return sum(group.nodes for group in self.groups)

    @property
    def peak(self) -> float:
        """flop/s of all nodes."""
        return sum(group.nodes * group.peak for group in self.groups)

    @property
    def slowest(self) -> float:
        """Rate of the slowest node over the mean, approximately the expected minimum of as many normal variates."""
        return max(0.05, 1 - self.spread * math.sqrt(2 * math.log(self.nodes))) if self.nodes > 1 else 1.0

    def delay(self, ranks: int, period: float) -> float:
        """Return the time lost by ranks that synchronize after every `period` seconds of work, over that work."""
        if self.noise is None:
            return 0.0
        if period >= self.noise.interval:  # each period has some on every rank
            return self.noise.length / self.noise.interval
        return self.noise.slowdown(ranks, period)


SCALES = {
    "flops": "flop rate of processors and devices",
    "memory.bandwidth": "memory bandwidth",
    "memory": "memory of a node",
    "link.bandwidth": "bandwidth of the interconnect",
    "link.latency": "latency of the interconnect",
    "host_link": "bandwidth between host and device",
    "storage.bandwidth": "bandwidth of the storage",
    "spread": "spread between nodes",
    "noise": "length of the longest operating-system noise",
}
"""Properties of a description that can be multiplied, for the middle of a sentence. Less is better of latency, spread
and noise."""


@dataclass(frozen=True)
class PredictedMachine:
    """The nodes to predict: of a site's partitions, with the interconnect of the first."""

    name: str
    site: Site
    nodes: Mapping[str, int]
    """Numbers of nodes by participating partition."""
    changes: Mapping[str, float] = field(default_factory=dict)
    """Factors on described properties, by name in SCALES."""
    direct: bool | None = None
    """Whether messages leave device memory directly, where that is known; None: as described."""
    noise: PeriodicNoise | None = None
    """Noise on each rank; None: none is assumed."""
    origin: RunOrigin | None = None
    """The run that measured its rates; None: it is only described, or the run is not given."""
    measured: bool = False
    """Whether a run measured its rates and peaks, which are then at the clock under load."""
    congestion: Mapping[str, float] = field(default_factory=dict)
    """As `Fabric.congestion`, where the network between the nodes is described."""
    mixed: bool | None = None
    """Whether its nodes are of different families, so that constants by family differ between partitions; None: found
    from the nodes. Parts made by `replace` keep it, and so have the same rates as in the whole.
    """

    def __post_init__(self) -> None:
        if self.mixed is None:
            families = [families_of(self.site.partitions[name]) for name in self.nodes]
            object.__setattr__(self, "mixed", not self.measured and any(own != families[0] for own in families))


def hardware(
    machine: PredictedMachine, constants: Mapping[str, float], scale: Mapping[str, float] | None = None
) -> Hardware:
    """Return the machine as models see it: constants for what is not described, times the factors `scale`.

    Raises BanzukeError naming a missing number without which nothing can be computed.
    """
    for name in machine.nodes:
        refuse_zeros(machine.site.partitions[name], machine.site.called(name))
    factors = {name: machine.changes.get(name, 1.0) * (scale or {}).get(name, 1.0) for name in SCALES}

    def constants_in(partition: Partition) -> Mapping[str, float]:
        own = family_factors(families_of(partition)) if machine.mixed else {}
        return {**constants, **{name: constants[name] * factor for name, factor in own.items()}}

    groups = tuple(
        _group(part, machine.site.called(name), nodes, constants_in(part), factors)
        for name, nodes in machine.nodes.items()
        for part in (machine.site.partitions[name],)
    )
    first = machine.site.partitions[next(iter(machine.nodes))]
    watts = [machine.site.partitions[name].node.power for name in machine.nodes]
    each_group = zip(machine.nodes.values(), watts, strict=True)
    power = None if None in watts else sum(nodes * (watt or 0.0) for nodes, watt in each_group)
    fabric = _fabric(first, machine, constants, factors)
    noise = machine.noise and PeriodicNoise(machine.noise.length * factors["noise"], machine.noise.interval)
    return Hardware(
        machine.name,
        groups,
        fabric,
        constants["spread"] * factors["spread"],
        noise,
        constants,
        power,
        reached_areas(first, machine.site, factors["storage.bandwidth"]),
        machine.measured,
    )


def missing_lines(machine: Hardware) -> list[str]:
    """Return lines of a partition's description that would give what is unknown about these nodes."""
    lines = []
    for group in machine.groups:
        engines = [("node", group.host), *((f"node.devices.{i}", device) for i, device in enumerate(group.devices))]
        for key, engine in engines:
            if not engine.dgemm > 0:
                of_cores = "node.processors.0" if engine is group.host else key
                lines.append(f'{of_cores}.peaks."flops.fp64" = {EXAMPLES_OF_PEAKS["flops.fp64"]}')
            if not engine.bandwidth > 0:
                lines.append(f'{key}.peaks."memory.bytes" = {EXAMPLES_OF_PEAKS["memory.bytes"]}')
            if not engine.memory > 0:
                lines.append(f"{key}.memory{'.total' if key == 'node' else ''} = 64_000_000_000")
            if not engine.host_link > 0:
                lines.append(f"{key}.host_bandwidth = 16e9")
    return list(dict.fromkeys(lines))


def _group(
    partition: Partition, name: str, nodes: int, constants: Mapping[str, float], factors: Mapping[str, float]
) -> NodeGroup:
    node = partition.node
    if partition.nodes is not None and nodes > partition.nodes:
        raise MessageError(
            message("unpredicted-has-nodes", name=name, nodes=str(partition.nodes), asked=str(nodes)),
            remedy="Give fewer by --nodes, or another number there by --with nodes=N",
        )
    cores = sum(processor.cores or 0 for processor in node.processors)
    parts = [
        processor.peaks["flops.fp64"].value if "flops.fp64" in processor.peaks else None
        for processor in node.processors
    ]
    peak = sum(part or 0.0 for part in parts)
    if not peak and not node.devices:
        peak = node.total("flops.fp64") or 0.0
    bandwidth = node.peaks["memory.bytes"].value if "memory.bytes" in node.peaks else node.memory.peak_bandwidth
    usable = node.memory.usable or (node.memory.total or math.nan) * constants["memory.usable"]
    host = Engine(
        "processors",
        1,
        peak * factors["flops"],
        node.rates.get("flops.fp64", peak * constants["host.dgemm"]) * factors["flops"],
        node.rates.get("memory.bytes", (bandwidth or math.nan) * constants["host.memory"])
        * factors["memory.bandwidth"],
        usable * factors["memory"],
        **_fast(partition, constants, factors),
        rates={name: rate * _factor(name, factors) for name, rate in node.rates.items()},
    )
    devices = tuple(_device(device, node, constants, factors) for device in node.devices)
    domains = len(node.domains) or sum(processor.sockets or 0 for processor in node.processors) or 1
    return NodeGroup(name, nodes, cores, host, devices, node.processor.nominal_hz or math.nan, domains)


def _factor(resource: str, factors: Mapping[str, float]) -> float:
    """Return the factor on a rate of processors: that of their memory or that of their flops."""
    return factors["memory.bandwidth" if resource.startswith("memory.") else "flops"]


def _fast(partition: Partition, constants: Mapping[str, float], factors: Mapping[str, float]) -> dict[str, float]:
    """Return the faster part of the processors' memory as described, else as the whole family has it."""
    memory, processor = partition.node.memory, partition.node.processor
    family, sockets = family_of_processor(processor), processor.sockets or 1
    size = memory.fast or sockets * family.fast_memory
    bandwidth = memory.fast_bandwidth or sockets * family.fast_bandwidth
    if "memory.bytes" in partition.node.rates or not (size > 0 and bandwidth > 0):
        return {}
    return {
        "fast_memory": size * factors["memory"],
        "fast_bandwidth": bandwidth * constants["host.memory"] * factors["memory.bandwidth"],
    }


def _device(device: Device, node: NodeType, constants: Mapping[str, float], factors: Mapping[str, float]) -> Engine:
    """Return a device. One that shares the processors' memory has its share of it and reaches it at full rate."""
    described, matrix = (
        device.peaks[name].value if name in device.peaks else None for name in ("flops.fp64", "flops.fp64_matrix")
    )
    peak = family_of_device(device).dgemm_peak(described or 0.0, matrix or math.nan, device.memory or math.nan)
    bandwidth = device.peaks["memory.bytes"].value if "memory.bytes" in device.peaks else None
    memory = device.memory or (node.memory.total / device.count if device.unified and node.memory.total else None)
    link = device.host_bandwidth or (bandwidth if device.unified else None)
    return Engine(
        device.name,
        device.count,
        peak * factors["flops"],
        device.rates.get("flops.fp64", peak * constants["device.dgemm"]) * factors["flops"],
        device.rates.get("memory.bytes", (bandwidth or math.nan) * constants["device.memory"])
        * factors["memory.bandwidth"],
        (memory or math.nan) * factors["memory"],
        (link or math.nan) * constants["host_link.share"] * factors["host_link"],
        (device.peer_bandwidth or math.nan) * constants["link.share"],
    )


def _fabric(
    partition: Partition, machine: PredictedMachine, constants: Mapping[str, float], factors: Mapping[str, float]
) -> Fabric:
    network = partition.network or Network()
    rates = [interface.bits_per_second / 8 for interface in partition.node.interfaces if interface.bits_per_second]
    link = network.bandwidth or max(rates, default=math.nan)
    hosted = is_ethernet(partition, link)
    sustained = link * constants["ethernet.share" if hosted else "link.share"]
    if "link.bytes" in network.rates:
        link = sustained = network.rates["link.bytes"] / network.links
    if sum(machine.nodes.values()) > 1 and not link > 0:
        raise UndescribedError(
            machine.name,
            "bandwidth of the interconnect",
            why=message("unpredicted-exchange", nodes=sum(machine.nodes.values())),
            remedy="Add it, or give it by --with 'network = { links = 1, bandwidth = 12.5e9 }'",
        )
    direct = machine.direct if machine.direct is not None else network.devices_direct
    return Fabric(
        network.links,
        sustained * factors["link.bandwidth"],
        (network.latency or constants["ethernet.latency" if hosted else "link.latency"]) * factors["link.latency"],
        network.bisection or bisection(network, sum(machine.nodes.values())),
        bool(direct) if direct is not None else True,
        network.topology or "fat-tree",
        hosted,
        machine.congestion,
    )
