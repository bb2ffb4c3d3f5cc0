"""Puts the description of this machine together."""

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from typing import Any

from banzuke.cpu_lists import parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine import core_units, probe
from banzuke.machine.accelerators import accelerators
from banzuke.machine.allocation import allocation
from banzuke.machine.allotment import Allotment, CoreRates
from banzuke.machine.blas import candidates
from banzuke.machine.cgroup import Limits, limits
from banzuke.machine.cpuinfo import CpuInfo, cpu_model, cpuinfo
from banzuke.machine.devices import interfaces
from banzuke.machine.hosts import folded
from banzuke.machine.hypervisor import hypervisor
from banzuke.machine.kernel import settings
from banzuke.machine.memory import installed, memory, memory_left
from banzuke.machine.model import Machine
from banzuke.machine.mounts import filesystems
from banzuke.machine.peaks import SCALAR_BITS, OfKind, flop_peaks, fma_units, memory_peak
from banzuke.machine.site import (
    Blas,
    Cache,
    CoreKind,
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
"""Name of the only partition of a discovered machine."""
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
"""Number of cores of a node with one such processor, without the assistant cores."""
_BATCH = "the batch system's variables"
_PROBED = Source(how="measured", where=probe.PROGRAM)


def discover(*, measure: bool = True, root: Path = Path("/"), hosts: Sequence[str] = ()) -> Machine:
    """Return the machine under `root`. Never raises for what it cannot find. `hosts` replace the job's allocation.

    `measure`: see `measured`; only where `root` is this machine. BLAS libraries are listed, not probed. Raises
    BanzukeError where the batch system's list of the job's hosts cannot be read.
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
        sources=_read({_NODE: hardware.source, **_PLACES}) | _assumed(partition.node.processor),
    )
    described = Machine(site=site, allotments=[allotment])
    return measured(described) if measure and tree.is_this_machine else _with_peaks(described, "not measured")


def measured(machine: Machine) -> Machine:
    """Return this machine with its clocks: `banzuke-probe` takes less than a second on one processor of
    each allowed core.

    If cores are unlike, one core of each kind is also measured alone, in half a second each.
    """
    kinds = machine.kinds
    clock, problem = _clock(machine.allotment.one_per_core, [min(cpus) for cpus in kinds.values() if cpus])
    if clock is None:
        return _with_peaks(machine, problem)
    current = machine.node.processor
    narrower = clock.vector_bits < (current.vector_bits or 0)  # the processor has vectors that the probe does not use
    rates = {name: measured_rates for name, cpus in kinds.items() if (measured_rates := _rates(clock, cpus))}
    processor: dict[str, Any] = {"simd": clock.simd, "vector_bits": clock.vector_bits}
    if current.kinds:
        per_cycle = {name: _most_per_cycle(clock, kinds[name]) for name in rates}
        processor["kinds"] = {
            name: _counted(kind, per_cycle.get(name), narrower=narrower) for name, kind in current.kinds.items()
        }
    else:
        processor["fma_units"] = None if narrower else fma_units(clock.fma_per_cycle)
        processor["fma_per_cycle"] = clock.fma_per_cycle
    if narrower and clock.vector_bits <= SCALAR_BITS:
        processor = {}  # it measured only one lane of a core
    seen: dict[str, Any] = {
        name: getattr(clock, name) for name in ("scalar_hz", "single_vector_hz", "vector_hz", "fma_rate")
    }
    seen |= {"kinds": rates} if rates else {}
    place = f"partitions.{machine.allotment.partition}.node.processors.0"
    paths = [name for name in (*processor, "peaks") if name != "kinds"]
    paths += [f"kinds.{name}.{field}" for name in rates for field in ("fma_units", "fma_per_cycle", "peaks")]
    sources = machine.site.sources | dict.fromkeys((f"{place}.{path}" for path in paths), _PROBED)
    allotment = {**seen, "sources": machine.allotment.sources | dict.fromkeys((*seen, "peaks"), _PROBED)}
    return _with_peaks(machine.changed(site={"sources": sources}, processor=processor, allotment=allotment), problem)


def _rates(clock: probe.Clock, cpus: Sequence[int]) -> CoreRates | None:
    """Return the measured rates of cores of one kind; None: none was measured."""
    cores = [core for core in clock.cpus if core.cpu in set(cpus)]
    alone = next((core for core in clock.alone if core.cpu in set(cpus)), None)
    if not cores:
        return None
    return CoreRates(
        scalar_hz=alone.scalar_hz if alone else None,
        single_vector_hz=alone.vector_hz if alone else None,
        vector_hz=min(core.vector_hz for core in cores),
        fma_rate=mean(core.fma_rate for core in cores),
    )


def _most_per_cycle(clock: probe.Clock, cpus: Sequence[int]) -> float:
    return max(core.fma_per_cycle for core in clock.cpus if core.cpu in set(cpus))


def _counted(kind: CoreKind, per_cycle: float | None, *, narrower: bool) -> CoreKind:
    """Return the kind with the number of units that were measured; `per_cycle` None: not measured."""
    if per_cycle is None:
        return kind.having(fma_units=None) if narrower else kind
    return kind.having(fma_units=None if narrower else fma_units(per_cycle), fma_per_cycle=per_cycle)


def with_blas(machine: Machine, libraries: list[Blas], choice: str | None = None) -> Machine:
    """Return the machine with its BLAS libraries as `banzuke-probe` measured them."""
    software = machine.software.having(blas=libraries, blas_choice=choice)
    sources = machine.site.sources | {f"partitions.{machine.allotment.partition}.software.blas": _PROBED}
    return machine.changed(site={"sources": sources}, partition={"software": software})


def _with_peaks(machine: Machine, problem: str | None) -> Machine:
    """Return the machine with its peaks; `problem` says why nothing was measured."""
    processor, allotment = machine.node.processor, machine.allotment
    bandwidth, described = memory_peak(machine.node.memory), machine.node.peaks
    if bandwidth.value is not None or "memory.bytes" not in described:
        described = described | {"memory.bytes": bandwidth}
    rates, allowed = allotment.kinds, machine.kinds
    hz = {name: rates[name].vector_hz if name in rates else None for name in processor.kinds}
    every = {name: OfKind(kind.cores, hz[name]) for name, kind in processor.kinds.items()}
    usable = {name: OfKind(len(allowed[name]) if allowed else None, hz[name]) for name in processor.kinds}
    whole = flop_peaks(processor, processor.cores, vector_hz=allotment.vector_hz, problem=problem, of_kinds=every)
    cores = min(allotment.allowed_cores, processor.cores or allotment.allowed_cores)
    mine = flop_peaks(
        processor, cores, vector_hz=allotment.vector_hz, quota=allotment.quota, problem=problem, of_kinds=usable
    )
    kinds = {
        name: kind.having(peaks=flop_peaks(processor, None, problem=problem, of_kinds={name: every[name]}))
        for name, kind in processor.kinds.items()
    }
    return machine.changed(
        node={"peaks": described},
        processor={"peaks": whole, "kinds": kinds},
        allotment={"peaks": mine},
    )


def fingerprint(
    info: CpuInfo, hardware: Topology, memory_gib: int, devices: list[Device], allowed: list[int] | None = None
) -> str:
    """Return twelve hexadecimal digits of SHA-256 over facts that survive a reboot, a new kernel and a new host name.

    With `allowed`, these include the number of cores that the allowed processors are on.
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
    """Return the processors that affinity and cpusets allow; all that exist if unknown."""
    if tree.is_this_machine:
        own = set(os.sched_getaffinity(0))
    else:
        lines = (tree.text("proc/self/status") or "").splitlines()
        text = next((line.partition(":")[2] for line in lines if line.startswith("Cpus_allowed_list:")), "")
        own = set(parse_cpus(text)) or set(hardware.logical)
    if restrictions.cpus is not None:
        own = own & set(restrictions.cpus) or own
    return sorted(own & set(hardware.logical)) or sorted(own)


def _clock(cpus: list[int], alone: list[int]) -> tuple[probe.Clock | None, str | None]:
    if not cpus:
        return None, "no processor is known to measure on"
    try:
        return (probe.clock(cpus, alone) if alone else probe.clock(cpus)), None
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
                kinds=_kinds(tree, info, hardware),
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


def _kinds(tree: Tree, info: CpuInfo, hardware: Topology) -> dict[str, CoreKind]:
    """Return the kinds with their cores, the caches that not all kinds share alike, and the units known for
    their models.
    """
    caches = {name: hardware.caches(kind.cpus) for name, kind in info.kinds.items()}
    everywhere = [_alike(among) for among in caches.values()]
    processor = cpu_model(tree)
    return {
        name: kind.having(
            cores=sum(bool(set(core) & set(kind.cpus)) for core in hardware.cores) or None,
            caches=[cache for cache in caches[name] if not all(_alike([cache]) <= others for others in everywhere)],
            fma_units=core_units.units(name, info.vector_bits, processor),
        )
        for name, kind in info.kinds.items()
    }


def _alike(caches: Iterable[Cache]) -> set[tuple[int, str, int, int]]:
    return {(cache.level, cache.kind, cache.bytes, cache.shared_by) for cache in caches}


def _assumed(processor: Processor) -> dict[str, Source]:
    source = Source(how="assumed", where=core_units.SOURCE)
    kinds = processor.kinds.items()
    return {f"{_NODE}.processors.0.kinds.{name}.fma_units": source for name, kind in kinds if kind.fma_units}


def _sockets(info: CpuInfo, hardware: Topology) -> int | None:
    """Return the sockets; unknown where a kernel before 5.19 numbers clusters of Arm's unlike cores as sockets."""
    clusters = bool(info.kinds) and info.architecture.startswith(("aarch64", "arm"))
    return None if clusters and hardware.sockets != 1 else hardware.sockets


def _computing(info: CpuInfo, hardware: Topology) -> int:
    """Return the number of cores that jobs compute with: FX1000's nodes have two or four more for the
    operating system.
    """
    return min(len(hardware.cores), _COMPUTING.get(info.model or "", len(hardware.cores)))


def _read(places: Mapping[str, str]) -> dict[str, Source]:
    return {path: Source(how="read", where=where) for path, where in places.items()}


def _within(groups: Sequence[Sequence[int]], allowed: list[int]) -> list[list[int]]:
    usable = set(allowed)
    return [kept for group in groups if (kept := sorted(usable.intersection(group)))]


def _numa(hardware: Topology, total: int | None) -> list[NumaNode]:
    """Return the NUMA nodes. A single node gets all memory, because some kernels count pages only when first used."""
    if len(hardware.numa) == 1 and total:
        return [hardware.numa[0].having(bytes=total)]
    return hardware.numa
