"""Puts the description of this machine together."""

import hashlib
import json
import os
import platform
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.allocation import allocation
from banzuke.machine.blas import candidates
from banzuke.machine.cgroup import Limits, limits
from banzuke.machine.cpuinfo import CpuInfo, cpuinfo
from banzuke.machine.devices import gpus, interfaces
from banzuke.machine.hypervisor import hypervisor
from banzuke.machine.kernel import settings
from banzuke.machine.memory import installed, memory
from banzuke.machine.model import Cpu, Gpu, Machine, NumaNode, Software
from banzuke.machine.mounts import filesystems
from banzuke.machine.peaks import fma_units, peak_flop_rate, peak_memory_bandwidth
from banzuke.machine.software import software
from banzuke.machine.topology import Topology, topology
from banzuke.machine.tree import Tree, parse_cpus


def discover(*, measure: bool = True, root: Path = Path("/"), hosts: Sequence[str] = ()) -> Machine:
    """The machine under `root`. Never raises for what it cannot find. `hosts` take the place of the job's allocation.

    `measure`: see `measured`; only where `root` is this machine. BLAS libraries are listed, not probed.
    """
    tree = Tree(root)
    with ThreadPoolExecutor() as pool:
        installed_software = pool.submit(_software) if tree.is_this_machine else None
        found_gpus = pool.submit(gpus, tree)
        restrictions = limits(tree)
        found = topology(tree)
        info = cpuinfo(tree, _architecture(tree))
        allowed = _allowed(tree, found, restrictions)
        cores = found.one_per_core(allowed)
        programs = _result(installed_software)
        accelerators = found_gpus.result()
    cpu = _cpu(info, found, allowed, cores, restrictions)
    main_memory = memory(tree, restrictions)
    described = Machine(
        name=platform.node() if tree.is_this_machine else tree.text("proc/sys/kernel/hostname") or "unknown",
        fingerprint=fingerprint(info, found, allowed, installed(tree), accelerators),
        cpu=cpu,
        caches=found.caches(allowed),
        numa=_numa(found, main_memory.total),
        memory=main_memory,
        gpus=accelerators,
        network=interfaces(tree),
        hosts=list(hosts) or (allocation(os.environ) if tree.is_this_machine else []),
        filesystems=filesystems(tree),
        kernel=settings(tree),
        hypervisor=hypervisor(tree, info.flags),
        topology_source=found.source,
        software=programs,
        peaks={
            "peak_flop_rate": peak_flop_rate(cpu, "not measured"),
            "peak_memory_bandwidth": peak_memory_bandwidth(main_memory),
        },
    )
    return measured(described) if measure and tree.is_this_machine else described


def measured(machine: Machine) -> Machine:
    """This machine with its clocks: `banzuke-probe` takes less than a second on one processor of each allowed core."""
    clock, problem = _clock(machine.cpu.one_per_core)
    cpu = machine.cpu
    if clock:
        update = {
            "simd": clock.simd,
            "vector_bits": clock.vector_bits,
            "fma_units": fma_units(clock.fma_per_cycle),
            "fma_per_cycle": clock.fma_per_cycle,
            "scalar_hz": clock.scalar_hz,
            "single_vector_hz": clock.single_vector_hz,
            "vector_hz": clock.vector_hz,
            "fma_rate": clock.fma_rate,
        }
        cpu = cpu.model_copy(update=update)
    peaks = {**machine.peaks, "peak_flop_rate": peak_flop_rate(cpu, problem)}
    return machine.model_copy(update={"cpu": cpu, "peaks": peaks})


def fingerprint(info: CpuInfo, found: Topology, allowed: list[int], memory_gib: int, accelerators: list[Gpu]) -> str:
    """Twelve hexadecimal digits of SHA-256 over facts that survive a reboot, a new kernel and a new name."""
    facts = {
        "cpu": [info.architecture, info.vendor, info.model, info.stepping],
        "sockets": found.sockets,
        "cores": len(found.cores),
        "logical": len(found.logical),
        "allowed_cores": len(found.one_per_core(allowed)),
        "caches": sorted({(cache.level, cache.kind, cache.bytes) for cache in found.instances}),
        "memory_gib": memory_gib,
        "gpus": sorted(gpu.name for gpu in accelerators),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def _software() -> Software:
    return software().model_copy(update={"blas": candidates()})


def _result(found: Future[Software] | None) -> Software:
    return found.result() if found else Software(compilers={}, mpi={})


def _architecture(tree: Tree) -> str:
    if tree.is_this_machine:
        return platform.machine()
    return tree.text("proc/sys/kernel/arch") or "unknown"


def _allowed(tree: Tree, found: Topology, restrictions: Limits) -> list[int]:
    """Processors that affinity and cpusets leave; all that exist when nothing tells."""
    if tree.is_this_machine:
        own = set(os.sched_getaffinity(0))
    else:
        lines = (tree.text("proc/self/status") or "").splitlines()
        text = next((line.partition(":")[2] for line in lines if line.startswith("Cpus_allowed_list:")), "")
        own = set(parse_cpus(text)) or set(found.logical)
    if restrictions.cpus is not None:
        own = own & set(restrictions.cpus) or own
    return sorted(own & set(found.logical)) or sorted(own)


def _clock(cpus: list[int]) -> tuple[probe.Clock | None, str | None]:
    if not cpus:
        return None, "no processor is known to measure on"
    try:
        return probe.clock(cpus), None
    except BanzukeError as error:
        return None, str(error)


def _cpu(
    info: CpuInfo,
    found: Topology,
    allowed: list[int],
    cores: list[int],
    restrictions: Limits,
) -> Cpu:
    return Cpu(
        model=info.model,
        vendor=info.vendor,
        architecture=info.architecture,
        microarchitecture=info.microarchitecture,
        sockets=found.sockets,
        cores=len(found.cores) or None,
        logical=len(found.logical) or info.logical,
        allowed=allowed,
        allowed_cores=len(cores),
        one_per_core=cores,
        siblings=_within(found.cores, allowed),
        complexes=_within(found.complexes, allowed),
        packages=_within(found.packages, allowed),
        quota=restrictions.quota,
        simd=info.simd,
        vector_bits=info.vector_bits,
        fma_units=None,
        fma_per_cycle=None,
        nominal_hz=info.nominal_hz,
        maximum_hz=info.maximum_hz,
        scalar_hz=None,
        vector_hz=None,
        fma_rate=None,
    )


def _within(groups: Sequence[Sequence[int]], allowed: list[int]) -> list[list[int]]:
    usable = set(allowed)
    return [kept for group in groups if (kept := sorted(usable.intersection(group)))]


def _numa(found: Topology, total: int) -> list[NumaNode]:
    """A lone node holds all memory, whatever it says: some kernels count pages in only when first used."""
    if len(found.numa) == 1 and total:
        return [found.numa[0].model_copy(update={"bytes": total})]
    return found.numa
