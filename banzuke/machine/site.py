"""Types that describe hardware: a site's partitions, their node types, storage areas and the links between them.

The same types hold for a discovered machine, one that a report prints and one on paper. A laptop is a site of one
partition of one node. Every number is in SI units (bytes, Hz, flop/s, B/s). `None` means unknown: a value that could
not be read or measured is never replaced by a guess. `sources` says where values come from.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from banzuke.amounts import Amount, Count, Frozen, Index, Name, Scalar, Several
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch, Network, Rates, number_of_key
from banzuke.machine.hosts import expanded


def _whole(value: Any) -> Any:
    """Return a whole number of bytes that is written as `1.1e15`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Bytes = Annotated[Count, BeforeValidator(_whole)]


class Source(Frozen):
    how: Literal["measured", "read", "printed", "assumed"]
    where: str


class Sourced(Frozen):
    """Plain values, with a record of where they come from."""

    sources: dict[str, Source] = Field(
        default_factory=dict,
        description="by path, e.g. partitions.cpu.node.memory; what has no entry has that of the longest path above it",
    )

    def source(self, path: str) -> Source | None:
        """Return where the value at `path` comes from."""
        above = [entry for entry in self.sources if path == entry or path.startswith(f"{entry}.")]
        return self.sources[max(above, key=len)] if above else None


class Described(Frozen):
    """Parts of a description that carry more information than their fields hold."""

    note: str = ""
    flags: list[str] = Field(default_factory=list, description="what does not follow in what is printed")
    facts: dict[str, Scalar] = Field(
        default_factory=dict, description="what else is known, by topic and as worded there: cooling, software, caches"
    )


class Peak(Frozen):
    """A theoretical peak and its derivation; value None where an operand is unknown."""

    value: Amount | None = None
    unit: str
    derivation: str = Field(default="", description="empty: as given")


Peaks = dict[str, Peak]
"""Peaks by resource, as benchmarks name them: flops.fp64, flops.fp32, flops.fp16, flops.bf16_matrix, memory.bytes."""


class Cache(Frozen):
    level: Index
    kind: str = Field(description="data, instruction or unified")
    bytes: Bytes = Field(description="size of one instance")
    instances: Index
    shared_by: Index = Field(description="logical processors that share one instance")


class NumaNode(Frozen):
    node: Index
    cpus: list[Index] = Field(description="whose memory it is; none: HBM, CXL or a device's, which some are near to")
    bytes: Bytes | None = None
    kind: str | None = Field(default=None, description="as hwloc calls it: DRAM, HBM, MCDRAM, NVM; None: unknown")
    cache: Bytes | None = Field(default=None, description="bytes of the memory-side cache in front of it")


class CoreKind(Frozen):
    """Cores of a processor that are alike, where others are not."""

    cores: Index | None = Field(default=None, description="physical cores in all sockets")
    logical: Index | None = Field(default=None, description="logical processors in all sockets")
    cpus: list[Index] = Field(default_factory=list, description="which logical processors; empty: unknown")
    caches: list[Cache] = Field(default_factory=list, description="those that not all kinds have alike")
    vector_bits: Index | None = Field(default=None, description="None: the processor's")
    fma_units: Index | None = Field(default=None, description="vector FMA units of a core")
    fma_per_cycle: Amount | None = Field(
        default=None, description="vector FMA instructions retired per cycle, one core"
    )
    nominal_hz: Amount | None = None
    maximum_hz: Amount | None = None
    peaks: Peaks = Field(default_factory=dict, description="of all its cores in all sockets")


class Processor(Frozen):
    """All processors of one kind in a node."""

    model: str | None = None
    vendor: str | None = None
    architecture: str | None = Field(default=None, description="as uname prints it: x86_64, aarch64")
    microarchitecture: str | None = Field(default=None, description="archspec's name")
    sockets: Index | None = None
    cores: Index | None = Field(default=None, description="physical cores in all sockets")
    kinds: dict[str, CoreKind] = Field(
        default_factory=dict, description="each kind of core by its name, where they are unlike"
    )
    assistant_cores: str | None = Field(default=None, description="beside these, for the operating system")
    logical: Index | None = Field(default=None, description="logical processors in all sockets")
    simd: str | None = Field(default=None, description="widest SIMD extension that the kernels can use, e.g. AVX-512")
    vector_bits: Index | None = None
    fma_units: Index | None = Field(default=None, description="vector FMA units of a core, from fma_per_cycle")
    fma_per_cycle: Amount | None = Field(
        default=None, description="vector FMA instructions retired per cycle, one core"
    )
    formats: list[str] = Field(
        default_factory=list, description="what it computes with beside FP64 and FP32: fp16, bf16_matrix, int8_matrix"
    )
    nominal_hz: Amount | None = None
    maximum_hz: Amount | None = None
    vector_hz: Amount | None = Field(
        default=None, description="clock of all cores under the widest vectors, by specification"
    )
    peaks: Peaks = Field(default_factory=dict, description="of all cores in all sockets")

    def of_kind(self, name: str) -> "Processor":
        """Return the processor with only its cores of this kind. Raises KeyError where there is no such kind."""
        kind = self.kinds[name]
        own = {field: getattr(kind, field) for field in _OF_KIND}
        return self.having(model=name, kinds={}, vector_bits=kind.vector_bits or self.vector_bits, **own)


_OF_KIND = ("cores", "logical", "fma_units", "fma_per_cycle", "nominal_hz", "maximum_hz", "peaks")
"""Fields that a kind of core has in common with a processor."""


class Memory(Frozen):
    total: Bytes | None = None
    usable: Bytes | None = Field(default=None, description="what the system leaves of it to jobs")
    kind: str | None = Field(default=None, description="e.g. '12 x DDR5-6000'")
    peak_bandwidth: Amount | None = Field(default=None, description="B/s by channels x width x rate")
    fast: Bytes | None = Field(default=None, description="what of the total is faster: HBM, MCDRAM")
    fast_bandwidth: Amount | None = Field(default=None, description="B/s of the fast part, theoretical")


class Device(Described):
    """An accelerator."""

    name: str
    count: Several = Field(default=1, description="in one node")
    memory: Bytes | None = None
    driver: str | None = None
    vendor: str | None = Field(default=None, description="NVIDIA, AMD, Intel")
    capability: str | None = Field(
        default=None, description="architecture: NVIDIA's compute capability, 9.0, or AMD's gfx90a"
    )
    multiprocessors: Index | None = Field(default=None, description="AMD's are compute units")
    maximum_hz: Amount | None = Field(default=None, description="highest clock")
    memory_hz: Amount | None = Field(default=None, description="highest clock of its memory")
    toolkit: str | None = Field(default=None, description="newest CUDA that its driver serves, e.g. 13.0")
    ecc: bool | None = Field(default=None, description="whether its memory corrects errors")
    power_default: Amount | None = Field(default=None, description="W, the limit that it comes with")
    host_link: str | None = Field(default=None, description="to the processors, e.g. 'PCI Express gen3 x16, 16 GB/s'")
    host_bandwidth: Amount | None = Field(default=None, description="B/s each way of that link, theoretical")
    unified: bool | None = Field(default=None, description="whether it and the processors have one memory")
    peer_link: str | None = Field(default=None, description="to the other devices")
    peer_bandwidth: Amount | None = Field(default=None, description="B/s each way to one other device, theoretical")
    power: Amount | None = Field(default=None, description="W, by design")
    peaks: Peaks = Field(default_factory=dict, description="of one device")
    rates: Rates = Field(default_factory=dict, description="of one device")


class Interface(Frozen):
    name: str
    kind: str = Field(description="ethernet, infiniband, ...")
    bits_per_second: Amount | None = None
    numa_node: Index | None = Field(default=None, description="to which the card is attached; None: unknown")


class NodeType(Described):
    fingerprint: str | None = Field(default=None, description="hash of the hardware; equal after a reboot")
    processors: list[Processor] = Field(default_factory=list, description="the one that runs the kernel first")
    memory: Memory = Field(default_factory=Memory)
    caches: list[Cache] = Field(default_factory=list)
    numa: list[NumaNode] = Field(default_factory=list)
    devices: list[Device] = Field(default_factory=list)
    interfaces: list[Interface] = Field(default_factory=list)
    peaks: Peaks = Field(default_factory=dict, description="of the whole node, where they do not follow from its parts")
    rates: Rates = Field(default_factory=dict, description="of its processors together, without devices")
    power: Amount | None = Field(default=None, description="W, the most that its power supplies give")

    @property
    def processor(self) -> Processor:
        """Return the processor that runs the kernel; an empty one if none is described."""
        return self.processors[0] if self.processors else Processor()

    @property
    def domains(self) -> list[NumaNode]:
        """Return the NUMA nodes with processors; all nodes where none is known to have any."""
        return [node for node in self.numa if node.cpus] or self.numa

    def total(self, resource: str) -> float | None:
        """Return the node's peak: as described, else the sum over processors and devices."""
        if resource in self.peaks:
            return self.peaks[resource].value
        parts = [_value(part.peaks, resource) for part in self.processors]
        for device in self.devices:
            peak = _value(device.peaks, resource)
            parts.append(None if peak is None else device.count * peak)
        return _sum(parts)


class Blas(Frozen):
    """A BLAS library on this machine, and its DGEMM rate as probed."""

    name: str
    path: str
    version: str | None = None
    unset: list[str] = Field(
        default_factory=list,
        description="environment variables that slow this library down and are removed when it is used",
    )
    flop_rate: Amount | None = Field(default=None, description="probed DGEMM rate; None: not usable")
    update_rates: dict[Annotated[Index, BeforeValidator(number_of_key)], Amount] = Field(
        default_factory=dict,
        description="DGEMM rate by inner extent k, m = n large: an LU's update; of the fastest library",
    )
    slowed_rate: Amount | None = Field(default=None, description="the rate with the variables of `unset` still set")
    problem: str | None = Field(default=None, description="why it could not be used")


class Mpi(Frozen):
    """An MPI library on this machine, and its figures between processors of one host as probed."""

    path: str
    launcher: str
    version: str | None = Field(default=None, description="the first line of its own text")
    builds: list[str] = Field(default_factory=list, description="builds whose programs load it")
    standard: str | None = Field(
        default=None, description="its library with the standard binary interface of MPI 5; None: it has none"
    )
    ranks: Index | None = Field(default=None, description="that took part in `allreduce`")
    latency: Amount | None = Field(default=None, description="s, half of the time in which 8 B go to and fro")
    bandwidth: Amount | None = Field(default=None, description="B/s, messages of 1 MiB, 16 under way")
    allreduce: Amount | None = Field(default=None, description="s, the sum of 8 B over all cores")
    problem: str | None = Field(default=None, description="why it could not be probed")


class Software(Frozen):
    """The software that this user finds on a partition's nodes."""

    compilers: dict[str, str] = Field(default_factory=dict, description="command -> version")
    mpi: dict[str, str] = Field(default_factory=dict, description="launcher path -> version")
    mpi_libraries: list[Mpi] = Field(default_factory=list, description="as probed")
    blas: list[Blas] = Field(default_factory=list, description="fastest first, when probed")
    blas_choice: str | None = Field(default=None, description="which library was taken, and by how much")
    libraries: dict[str, str] = Field(
        default_factory=dict, description="name -> path, of others that benchmarks compare themselves with"
    )


class Partition(Described):
    """Nodes of one type."""

    name: str | None = Field(default=None, description="as people write it; None: the site's, where it is the only one")
    title: str | None = None
    node: NodeType = Field(default_factory=NodeType)
    nodes: Several | None = None
    hosts: list[str] = Field(
        default_factory=list, description="names of its nodes, as far as known; also ranges: node[0001-5000,7]"
    )
    interconnect: str | None = None
    topology: str | None = Field(default=None, description="of the interconnect: fat tree, torus, ...")
    network: Network | None = Field(default=None, description="the interconnect in numbers")
    launcher: str | None = Field(default=None, description="command that starts MPI programs")
    batch: Batch | None = Field(default=None, description="None: its nodes are reached without a batch system")
    power_sensor: str | None = Field(
        default=None, description="ipmi; redfish:https://{host}-bmc/redfish/v1/Chassis/1; or a description for people"
    )
    mounts: list[str] = Field(default_factory=list, description="names of the areas that its nodes reach")
    kernel: dict[str, str] = Field(
        default_factory=dict, description="release, firmware and the settings that matter, as far as they are known"
    )
    hypervisor: str | None = Field(default=None, description="None: none seen")
    software: Software = Field(default_factory=Software)
    peaks: Peaks = Field(default_factory=dict, description="of all nodes, where they do not follow from one's")

    @field_validator("hosts")
    @classmethod
    def named(cls, hosts: list[str]) -> list[str]:
        try:
            expanded(",".join(hosts))
        except BanzukeError as error:
            raise ValueError(str(error)) from error
        return hosts

    @property
    def number(self) -> int | None:
        """Return the number of nodes: as described, else of the named hosts."""
        return self.nodes or len(expanded(",".join(self.hosts))) or None

    def total(self, resource: str) -> float | None:
        if resource in self.peaks:
            return self.peaks[resource].value
        per_node = self.node.total(resource)
        return None if per_node is None or self.nodes is None else self.nodes * per_node


class StorageArea(Described):
    """A storage area."""

    name: str | None = Field(default=None, description="as people write it")
    title: str | None = None
    kind: str | None = Field(default=None, description="ext4, lustre, ...")
    source: str | None = Field(default=None, description="device or server")
    mount: str | None = None
    capacity: Bytes | None = None
    usable: Bytes | None = Field(default=None, description="of the capacity, without redundancy")
    bandwidth: Amount | None = Field(default=None, description="theoretical, of the slowest part on the way")
    rated: bool = Field(
        default=False, description="whether the bandwidth is what it is specified to give to all clients together"
    )


class Link(Frozen):
    between: list[str] = Field(min_length=2, description="partitions and areas that it connects")
    kind: str | None = None
    bits_per_second: Amount | None = None


class Site(Sourced, Described):
    name: Name = Field(description="host name, or the name that the user gives")
    title: str | None = None
    institution: str | None = None
    partitions: dict[Name, Partition] = Field(min_length=1)
    areas: dict[Name, StorageArea] = Field(default_factory=dict)
    links: list[Link] = Field(default_factory=list)
    peaks: Peaks = Field(default_factory=dict, description="of all partitions, where they do not follow from theirs")

    def called(self, partition: str) -> str:
        """Return the name of a partition as people write it; the only partition is named like the site."""
        if len(self.partitions) == 1:
            return self.name
        return self.partitions[partition].name or f"{self.name} {partition}"


def _value(peaks: Peaks, resource: str) -> float | None:
    return peaks[resource].value if resource in peaks else None


def _sum(parts: list[float | None]) -> float | None:
    """Return the sum; None where there are no parts, or one is unknown."""
    values = [part for part in parts if part is not None]
    return sum(values) if values and len(values) == len(parts) else None
