"""Puts the description of this machine together."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from banzuke.cpu_lists import parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.accelerators import accelerators
from banzuke.machine.allocation import allocation
from banzuke.machine.allotment import Allotment
from banzuke.machine.blas import candidates
from banzuke.machine.cgroup import Limits, limits
from banzuke.machine.cpuinfo import CpuInfo, cpuinfo
from banzuke.machine.devices import interfaces
from banzuke.machine.hosts import folded
from banzuke.machine.hypervisor import hypervisor
from banzuke.machine.kernel import settings
from banzuke.machine.memory import installed, memory, memory_left
from banzuke.machine.model import Machine
from banzuke.machine.mounts import filesystems
from banzuke.machine.peaks import SCALAR_BITS, flop_peaks, fma_units, memory_peak
from banzuke.machine.site import (
    Blas,
    Device,
    NodeType,
    NumaNode,
    Partition,
    Processor,
    Site,
    Software,
    Source,
    StorageArea,
)
from banzuke.machine.software import software
from banzuke.machine.topology import Topology, topology
from banzuke.machine.tree import Tree

PARTITION = "nodes"
"""Name of the only one of a machine that was found."""
_PARTITION = f"partitions.{PARTITION}"
_NODE = f"{_PARTITION}.node"
_PLACES = {
    _PARTITION: "the running system",
    f"{_NODE}.processors": "/proc/cpuinfo",
    f"{_NODE}.memory": "/proc/meminfo and SMBIOS",
    f"{_NODE}.devices": "NVML, /proc and PCI",
    f"{_NODE}.interfaces": "/sys/class",
    f"{_PARTITION}.kernel": "/proc and /sys",
    f"{_PARTITION}.software": "the programs' --version and the libraries found",
    "areas": "/proc/self/mountinfo and statvfs",
}
_ALLOTTED = {
    "quota": "cgroup",
    "memory_allowed": "cgroup and /proc/meminfo",
    "memory_available": "cgroup and /proc/meminfo",
    "storage_available": "statvfs",
}
_COMPUTING = {"A64FX": 48}
"""Cores of a node, which has one such processor, beside those that assist."""
_BATCH = "the batch system's variables"
_PROBED = Source(how="measured", where=probe.PROGRAM)


def discover(*, measure: bool = True, root: Path = Path("/"), hosts: Sequence[str] = ()) -> Machine:
    """The machine under `root`. Never raises for what it cannot find. `hosts` take the place of the job's allocation.

    Raises BanzukeError where the batch system names the job's hosts in a way that cannot be read.
    `measure`: see `measured`; only where `root` is this machine. BLAS libraries are listed, not probed.
    """
    tree = Tree(root)
    with ThreadPoolExecutor() as pool:
        installed_software = pool.submit(_software) if tree.is_this_machine else None
        found_devices = pool.submit(accelerators, tree)
        restrictions = limits(tree)
        hardware = topology(tree)
        info = cpuinfo(tree, _architecture(tree))
        allowed = _allowed(tree, hardware, restrictions)
        programs = _result(installed_software)
        devices = found_devices.result()
    storage = filesystems(tree)
    cores = hardware.one_per_core(allowed)
    memory_allowed, memory_available = memory_left(tree, restrictions)
    allotment = Allotment.of_known(
        partition=PARTITION,
        fingerprint=fingerprint(info, hardware, installed(tree), devices.kinds, allowed),
        hosts=list(hosts) or (allocation(os.environ) if tree.is_this_machine else []),
        allowed=allowed,
        allowed_cores=len(cores),
        one_per_core=cores,
        siblings=_within(hardware.cores, allowed),
        complexes=_within(hardware.complexes, allowed),
        packages=_within(hardware.packages, allowed),
        caches=hardware.caches(allowed),
        quota=restrictions.quota,
        memory_allowed=memory_allowed,
        memory_available=memory_available,
        devices=devices.allotted,
        devices_problem=devices.problem,
        storage_available={area.mount: area.free for area in storage if area.free is not None},
        sources=_read({"allowed": "affinity and cpuset", **_ALLOTTED, "hosts": "--hosts" if hosts else _BATCH}),
    )
    partition = Partition(
        nodes=None if allotment.hosts else 1,
        hosts=[folded(allotment.hosts)] if allotment.hosts else [],
        node=_node(tree, info, hardware, devices.kinds),
        launcher=next((Path(launcher).name for launcher in programs.mpi), None),
        mounts=[area.mount for area in storage],
        kernel=settings(tree),
        hypervisor=hypervisor(tree, info.flags),
        software=programs,
    )
    site = Site(
        name=platform.node() if tree.is_this_machine else tree.text("proc/sys/kernel/hostname") or "unknown",
        partitions={PARTITION: partition},
        areas={a.mount: StorageArea(kind=a.kind, source=a.source, mount=a.mount, capacity=a.total) for a in storage},
        sources=_read({_NODE: hardware.source, **_PLACES}),
    )
    described = Machine(site=site, allotments=[allotment])
    return measured(described) if measure and tree.is_this_machine else _with_peaks(described, "not measured")


def measured(machine: Machine) -> Machine:
    """This machine with its clocks: `banzuke-probe` takes less than a second on one processor of each allowed core."""
    clock, problem = _clock(machine.allotment.one_per_core)
    if clock is None:
        return _with_peaks(machine, problem)
    current = machine.node.processor
    narrower = clock.vector_bits < (current.vector_bits or 0)  # the processor has vectors that the probe does not use
    units = None if current.kinds or narrower else fma_units(clock.fma_per_cycle)
    processor = {
        "simd": clock.simd,
        "vector_bits": clock.vector_bits,
        "fma_units": units,
        "fma_per_cycle": clock.fma_per_cycle,
    }
    if narrower and clock.vector_bits <= SCALAR_BITS:
        processor = {}  # what it measured of a core is of one lane
    seen = {name: getattr(clock, name) for name in ("scalar_hz", "single_vector_hz", "vector_hz", "fma_rate")}
    place = f"partitions.{machine.allotment.partition}.node.processors.0"
    sources = machine.site.sources | dict.fromkeys((f"{place}.{name}" for name in (*processor, "peaks")), _PROBED)
    allotment = {**seen, "sources": machine.allotment.sources | dict.fromkeys((*seen, "peaks"), _PROBED)}
    return _with_peaks(machine.changed(site={"sources": sources}, processor=processor, allotment=allotment), problem)


def with_blas(machine: Machine, libraries: list[Blas], choice: str | None = None) -> Machine:
    """The same with its BLAS libraries as `banzuke-probe` found them."""
    software = machine.software.having(blas=libraries, blas_choice=choice)
    sources = machine.site.sources | {f"partitions.{machine.allotment.partition}.software.blas": _PROBED}
    return machine.changed(site={"sources": sources}, partition={"software": software})


def _with_peaks(machine: Machine, problem: str | None) -> Machine:
    """`problem` says why nothing was measured."""
    processor, allotment = machine.node.processor, machine.allotment
    bandwidth, described = memory_peak(machine.node.memory), machine.node.peaks
    if bandwidth.value is not None or "memory.bytes" not in described:
        described = described | {"memory.bytes": bandwidth}
    whole = flop_peaks(processor, processor.cores, vector_hz=allotment.vector_hz, problem=problem)
    cores = min(allotment.allowed_cores, processor.cores or allotment.allowed_cores)
    mine = flop_peaks(processor, cores, vector_hz=allotment.vector_hz, quota=allotment.quota, problem=problem)
    return machine.changed(
        node={"peaks": described},
        processor={"peaks": whole},
        allotment={"peaks": mine},
    )


def fingerprint(
    info: CpuInfo, hardware: Topology, memory_gib: int, devices: list[Device], allowed: list[int] | None = None
) -> str:
    """Twelve hexadecimal digits of SHA-256 over facts that survive a reboot, a new kernel and a new name.

    With `allowed`, also over the number of cores that these processors are on.
    """
    facts: dict[str, object] = {
        "cpu": [info.architecture, info.vendor, info.model, info.stepping],
        "sockets": hardware.sockets,
        "cores": len(hardware.cores),
        "logical": len(hardware.logical),
        "caches": sorted({(cache.level, cache.kind, cache.bytes) for cache in hardware.instances}),
        "memory_gib": memory_gib,
        "gpus": sorted(device.name for device in devices for _ in range(device.count)),
    }
    if allowed is not None:
        facts["allowed_cores"] = len(hardware.one_per_core(allowed))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def _software() -> Software:
    return software().having(blas=candidates())


def _result(future: Future[Software] | None) -> Software:
    return future.result() if future else Software()


def _architecture(tree: Tree) -> str:
    if tree.is_this_machine:
        return platform.machine()
    return tree.text("proc/sys/kernel/arch") or "unknown"


def _allowed(tree: Tree, hardware: Topology, restrictions: Limits) -> list[int]:
    """Processors that affinity and cpusets leave; all that exist if unknown."""
    if tree.is_this_machine:
        own = set(os.sched_getaffinity(0))
    else:
        lines = (tree.text("proc/self/status") or "").splitlines()
        text = next((line.partition(":")[2] for line in lines if line.startswith("Cpus_allowed_list:")), "")
        own = set(parse_cpus(text)) or set(hardware.logical)
    if restrictions.cpus is not None:
        own = own & set(restrictions.cpus) or own
    return sorted(own & set(hardware.logical)) or sorted(own)


def _clock(cpus: list[int]) -> tuple[probe.Clock | None, str | None]:
    if not cpus:
        return None, "no processor is known to measure on"
    try:
        return probe.clock(cpus), None
    except BanzukeError as error:
        return None, str(error)


def _node(tree: Tree, info: CpuInfo, hardware: Topology, devices: list[Device]) -> NodeType:
    main_memory = memory(tree)
    computing = _computing(info, hardware)
    return NodeType(
        fingerprint=fingerprint(info, hardware, installed(tree), devices),
        processors=[
            Processor.of_known(
                model=info.model,
                vendor=info.vendor,
                architecture=info.architecture,
                microarchitecture=info.microarchitecture,
                sockets=_sockets(info, hardware),
                cores=computing or None,
                kinds=info.kinds,
                assistant_cores=str(len(hardware.cores) - computing) if computing < len(hardware.cores) else None,
                logical=len(hardware.logical) or info.logical,
                simd=info.simd,
                vector_bits=info.vector_bits,
                formats=info.formats,
                nominal_hz=info.nominal_hz,
                maximum_hz=info.maximum_hz,
            )
        ],
        memory=main_memory,
        caches=hardware.caches(hardware.logical),
        numa=_numa(hardware, main_memory.total),
        devices=devices,
        interfaces=interfaces(tree),
    )


def _sockets(info: CpuInfo, hardware: Topology) -> int | None:
    """Kernels before 5.19 number the clusters of Arm's unlike cores as if each were a socket."""
    clusters = bool(info.kinds) and info.architecture.startswith(("aarch64", "arm"))
    return None if clusters and hardware.sockets != 1 else hardware.sockets


def _computing(info: CpuInfo, hardware: Topology) -> int:
    """Cores that jobs compute with: FX1000's nodes have two or four more, for the operating system."""
    return min(len(hardware.cores), _COMPUTING.get(info.model or "", len(hardware.cores)))


def _read(places: Mapping[str, str]) -> dict[str, Source]:
    return {path: Source(how="read", where=where) for path, where in places.items()}


def _within(groups: Sequence[Sequence[int]], allowed: list[int]) -> list[list[int]]:
    usable = set(allowed)
    return [kept for group in groups if (kept := sorted(usable.intersection(group)))]


def _numa(hardware: Topology, total: int | None) -> list[NumaNode]:
    """A lone node holds all memory, whatever it says: some kernels count pages in only when first used."""
    if len(hardware.numa) == 1 and total:
        return [hardware.numa[0].having(bytes=total)]
    return hardware.numa
