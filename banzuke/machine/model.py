"""The description of a machine: what it has, what this process may use of it, and its peaks.

Every number is in SI units (bytes, Hz, flop/s, B/s). `None` means unknown: a value that could not be
read or measured is never replaced by a guess.
"""

import math

from pydantic import BaseModel, ConfigDict, Field

from banzuke.amounts import Amount, Count, Index


class Model(BaseModel):
    """Frozen and closed: a field that nobody declared is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cache(Model):
    level: Index
    kind: str = Field(description="data, instruction or unified")
    bytes: Count = Field(description="size of one instance")
    instances: Index = Field(description="instances that the allowed processors reach")
    shared_by: Index = Field(description="logical processors that share one instance")


class NumaNode(Model):
    node: Index
    cpus: list[Index]
    bytes: Count | None = None


class Cpu(Model):
    model: str | None
    vendor: str | None
    architecture: str = Field(description="as uname prints it: x86_64, aarch64")
    microarchitecture: str | None = Field(description="archspec's name")
    sockets: Index | None
    cores: Index | None = Field(description="physical cores of the whole machine")
    logical: Index = Field(description="logical processors of the whole machine")
    allowed: list[Index] = Field(description="logical processors that affinity and cpuset leave to this process")
    allowed_cores: Index = Field(description="physical cores under `allowed`")
    one_per_core: list[Index] = Field(description="one logical processor of each allowed core, in NUMA order")
    siblings: list[list[Index]] = Field(default_factory=list, description="allowed processors of each core")
    complexes: list[list[Index]] = Field(
        default_factory=list, description="allowed processors that share a last-level cache; empty: unknown"
    )
    packages: list[list[Index]] = Field(
        default_factory=list, description="allowed processors of each socket; empty: unknown"
    )
    quota: Amount | None = Field(description="processors' worth of time that a cgroup allows; None: no quota")
    simd: str | None = Field(description="widest SIMD extension that the kernels here can use, e.g. AVX-512")
    vector_bits: Index | None
    fma_units: Index | None = Field(description="vector FMA units of a core, measured by fma_per_cycle")
    fma_per_cycle: Amount | None = Field(description="vector FMA instructions that one core retired per cycle")
    nominal_hz: Amount | None
    maximum_hz: Amount | None
    scalar_hz: Amount | None = Field(description="measured clock, integer work on one core")
    single_vector_hz: Amount | None = Field(default=None, description="measured clock, vector FMA on one core alone")
    vector_hz: Amount | None = Field(description="measured clock, vector FMA on all allowed cores, slowest core")
    fma_rate: Amount | None = Field(description="measured flop/s of register-only FMA on all allowed cores at once")

    @property
    def usable_cores(self) -> int:
        """Cores that work can keep busy: a quota of 2.5 processors lets three threads run most of the time."""
        quota = self.allowed_cores if self.quota is None else math.ceil(self.quota)
        return max(1, min(self.allowed_cores, quota))


class Memory(Model):
    total: Count
    allowed: Count = Field(description="bytes that cgroups leave to this process")
    available: Count = Field(description="bytes free at the time of discovery, within `allowed`")
    kind: str | None = Field(description="e.g. '12 x DDR5-6000', from the firmware's tables")
    peak_bandwidth: Amount | None = Field(description="B/s by channels x width x rate")

    @property
    def usable(self) -> int:
        """Bytes that work may plan with."""
        return min(self.allowed, self.available)


class Gpu(Model):
    name: str
    memory: Count | None = None
    driver: str | None = None


class Interface(Model):
    name: str
    kind: str = Field(description="ethernet, infiniband, ...")
    bits_per_second: Amount | None = None
    numa_node: Index | None = Field(default=None, description="to which the card is attached; None: unknown")


class FileSystem(Model):
    mount: str
    kind: str
    source: str
    total: Count
    free: Count


class Blas(Model):
    """A BLAS library on this machine, and its DGEMM rate as probed."""

    name: str
    path: str
    version: str | None = None
    unset: list[str] = Field(
        default_factory=list,
        description="environment variables that slow this library down and are removed when it is used",
    )
    flop_rate: Amount | None = Field(default=None, description="probed DGEMM rate; None: not usable")
    update_rates: dict[Index, Amount] = Field(
        default_factory=dict,
        description="DGEMM rate by inner extent k, m = n large: an LU's update, whose block size follows from it; "
        "of the fastest library",
    )
    slowed_rate: Amount | None = Field(default=None, description="the rate with the variables of `unset` still set")
    problem: str | None = Field(default=None, description="why it could not be used")


class Software(Model):
    compilers: dict[str, str] = Field(description="command -> version")
    mpi: dict[str, str] = Field(description="launcher path -> version")
    blas: list[Blas] = Field(default_factory=list, description="fastest first, when probed")
    blas_choice: str | None = Field(default=None, description="which library was taken, and by how much")


class Peak(Model):
    """A theoretical peak and how it follows; value None where an operand is unknown."""

    value: Amount | None
    unit: str
    derivation: str


class Machine(Model):
    name: str = Field(description="host name, or the name that the user gives")
    fingerprint: str = Field(description="hash of what makes this hardware what it is; equal after a reboot")
    cpu: Cpu
    caches: list[Cache]
    numa: list[NumaNode]
    memory: Memory
    gpus: list[Gpu]
    network: list[Interface]
    hosts: list[str] = Field(
        default_factory=list, description="all hosts that may be used, alike and this one among them; empty: only this"
    )
    filesystems: list[FileSystem]
    kernel: dict[str, str | None] = Field(description="release and the settings that matter; None: unknown")
    hypervisor: str | None = Field(description="None: none seen")
    topology_source: str = Field(description="hwloc or sysfs")
    software: Software
    peaks: dict[str, Peak] = Field(description="peak_flop_rate and peak_memory_bandwidth")
