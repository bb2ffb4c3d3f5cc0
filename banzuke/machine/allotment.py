"""A job's share of a partition: processors, a quota of their time, memory; and what was measured on these."""

import math

from pydantic import Field

from banzuke.amounts import Amount, Count, Frozen, Index, Name
from banzuke.machine.site import Cache, Peaks, Sourced


def in_steps(size: int) -> int:
    """Return the size rounded down to a quarter of a power of two, so that small changes do not matter:
    28 GiB of 31.3.
    """
    step = max(1, 1 << max(0, size.bit_length() - 3))
    return size // step * step


class AllottedDevice(Frozen):
    """An accelerator that may be used: a device, or a slice of one."""

    identity: Name = Field(description="as its library tells it from all others: GPU-..., MIG-...")
    name: str = Field(description="of the entry of `NodeType.devices` that describes it")
    vendor: str = Field(description="NVIDIA, AMD, Intel")
    bus: str | None = Field(default=None, description="PCI address, e.g. 0000:3b:00.0")
    memory: Count = Field(description="bytes")
    memory_available: Count = Field(description="bytes free at the time of discovery")
    numa_node: Index | None = Field(default=None, description="to which it is attached; None: unknown")
    adapter: str | None = Field(default=None, description="the network adapter with most of the way in common")
    link_generation: Index | None = Field(default=None, description="of PCI Express, when idle perhaps a low one")
    link_width: Index | None = Field(default=None, description="lanes that were negotiated")
    link_generation_most: Index | None = Field(default=None, description="of the device in this slot")
    link_generation_device: Index | None = Field(default=None, description="of the device in a newer slot")
    link_width_most: Index | None = Field(default=None, description="lanes of the device in this slot")
    power_limit: Amount | None = Field(default=None, description="W, the limit in force")
    compute_mode: str | None = Field(default=None, description="default, exclusive or prohibited")
    clock_set: Amount | None = Field(default=None, description="Hz, that applications are to have by a setting")
    ecc_corrected: Count | None = Field(default=None, description="errors of its memory since the driver was loaded")
    ecc_uncorrected: Count | None = Field(default=None, description="errors that could not be corrected")
    repair: str | None = Field(
        default=None, description="of memory with errors: none, pending (until a reset), failed; None: unknown"
    )
    slice_of: str | None = Field(default=None, description="identity of the device that it is a slice of")
    persistent: bool | None = Field(default=None, description="whether its driver stays loaded when nobody uses it")
    paths: dict[str, str] = Field(
        default_factory=dict,
        description="other device -> the way: nvlink, xgmi, or PCI Express by a switch, a bridge, the node, the system",
    )
    access: dict[str, bool] = Field(
        default_factory=dict, description="other device -> whether this one reads and writes its memory directly"
    )
    links: dict[str, Index] = Field(
        default_factory=dict,
        description="NVLink or XGMI: other device, `switch`, `processor` or `unknown` -> links that are active",
    )

    @property
    def reference_memory(self) -> int:
        """Return the bytes by which cases are sized, however much is free."""
        return in_steps(self.memory)


class CoreRates(Frozen):
    """Measured rates and clocks of the allowed cores of one kind."""

    scalar_hz: Amount | None = Field(default=None, description="clock, integer work on one core, the others idle")
    single_vector_hz: Amount | None = Field(default=None, description="clock, vector FMA on one core alone")
    vector_hz: Amount | None = Field(
        default=None, description="clock, vector FMA on all allowed cores at once, slowest of this kind"
    )
    fma_rate: Amount | None = Field(
        default=None, description="flop/s of register-only FMA of one core, all allowed cores at once: the mean"
    )


class Allotment(Sourced):
    partition: str
    fingerprint: str = Field(
        description="hash of a node's hardware and of the number of cores allowed: figures of equal ones compare"
    )
    hosts: list[str] = Field(
        default_factory=list, description="all hosts that may be used, alike and this one among them; empty: only this"
    )
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
    caches: list[Cache] = Field(default_factory=list, description="those that the allowed processors reach")
    quota: Amount | None = Field(
        default=None, description="processors' worth of time that a cgroup allows; None: no quota"
    )
    memory_allowed: Count = Field(description="bytes that cgroups leave to this process")
    memory_available: Count = Field(description="bytes free at the time of discovery, within `memory_allowed`")
    devices: list[AllottedDevice] = Field(default_factory=list, description="in the order of their numbers")
    devices_problem: str | None = Field(default=None, description="why some that are there cannot be used")
    storage_available: dict[str, Count] = Field(default_factory=dict, description="bytes free in each area")
    folders: dict[str, str] = Field(
        default_factory=dict, description="of each area that may be written to and measured, the folder in it"
    )
    scalar_hz: Amount | None = Field(default=None, description="measured clock, integer work on one core")
    single_vector_hz: Amount | None = Field(default=None, description="measured clock, vector FMA on one core alone")
    vector_hz: Amount | None = Field(
        default=None, description="measured clock, vector FMA on all allowed cores, slowest core"
    )
    fma_rate: Amount | None = Field(
        default=None, description="measured flop/s of register-only FMA on all allowed cores at once"
    )
    kinds: dict[str, CoreRates] = Field(
        default_factory=dict, description="measured, of each kind of core that some are allowed of, where unlike"
    )
    peaks: Peaks = Field(default_factory=dict, description="of the allowed cores")

    @property
    def usable_cores(self) -> int:
        """Return the number of cores that work can keep busy: a quota of 2.5 processors lets three threads run
        most of the time.
        """
        quota = self.allowed_cores if self.quota is None else math.ceil(self.quota)
        return max(1, min(self.allowed_cores, quota))

    @property
    def usable_memory(self) -> int:
        """Return the bytes that work may take now."""
        return min(self.memory_allowed, self.memory_available)

    @property
    def reference_memory(self) -> int:
        """Return the bytes by which cases are sized: they do not depend on what is free, so that a busy machine
        has the same cases.

        Cases that do not fit into `usable_memory` are skipped, with that reason.
        """
        return in_steps(self.memory_allowed)
