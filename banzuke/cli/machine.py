"""`banzuke machine`: what this machine is and what it could do at best."""

import sys
from typing import Annotated, Any

import tomli_w
import typer
from rich.console import Console
from rich.table import Table

from banzuke.errors import BanzukeError
from banzuke.machine.blas import explain, probe
from banzuke.machine.discover import discover
from banzuke.machine.model import Blas, Cpu, Machine, Peak
from banzuke.machine.tree import format_cpus

UNKNOWN = "unknown"


def machine(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, nothing else.")] = False,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print TOML; unknown values are left out.")] = False,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure/--no-measure", help="Measure clocks, FMA units and BLAS libraries (seconds)."
        ),
    ] = True,
) -> None:
    """Find out what this machine is, what it could do at best, and which libraries serve it."""
    if as_json and as_toml:
        raise BanzukeError("--json and --toml exclude each other", remedy="Give one of them")
    progress = Console(stderr=True)
    with progress.status("Looking at this machine"):
        found = discover(measure=measure)
        if measure and found.software.blas:
            libraries = probe(found.software.blas, found.cpu.one_per_core)
            found = found.model_copy(
                update={"software": found.software.model_copy(update={"blas": libraries})}
            )
    if as_json:
        sys.stdout.write(found.model_dump_json(indent=2) + "\n")
    elif as_toml:
        sys.stdout.write(tomli_w.dumps(without_none(found.model_dump(mode="json"))))
    else:
        Console().print(specification(found, measured=measure))


def without_none(value: Any) -> Any:
    """The same value for TOML, which has no null: keys and items that are None left out."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value if item is not None]
    return value


def specification(found: Machine, *, measured: bool) -> Table:
    """The table that evaluation reports print for each machine."""
    table = Table(title=f"{found.name}  ({found.fingerprint})", show_header=False, title_justify="left")
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for section in (_processor(found.cpu), _peaks(found), _memory(found), _surroundings(found)):
        _add(table, section)
    _add(table, {"Kernel: " + name.replace("_", " "): value for name, value in found.kernel.items()})
    _add(table, _software(found, measured=measured))
    return table


def _add(table: Table, rows: dict[str, str | None]) -> None:
    table.add_section()
    for name, value in rows.items():
        table.add_row(name, value or UNKNOWN)


def _hz(value: float | None) -> str | None:
    return f"{value / 1e9:.2f} GHz" if value else None


def _bytes(value: float | None) -> str | None:
    if value is None:
        return None
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def _si(value: float | None, unit: str) -> str | None:
    if value is None:
        return None
    for prefix in ("", "k", "M", "G", "T"):
        if abs(value) < 1000:
            return f"{value:.4g} {prefix}{unit}"
        value /= 1000
    return f"{value:.4g} P{unit}"


def _joined(*parts: str | None) -> str | None:
    return ", ".join(part for part in parts if part) or None


def _processor(cpu: Cpu) -> dict[str, str | None]:
    clocks = {
        "nominal": cpu.nominal_hz,
        "maximum": cpu.maximum_hz,
        "measured on one core": cpu.scalar_hz,
        "measured under vector load": cpu.vector_hz,
    }
    per_socket = cpu.cores / cpu.sockets if cpu.cores and cpu.sockets else None
    quota = f"a quota leaves the time of {cpu.quota:g} processors" if cpu.quota is not None else None
    return {
        "CPU": _joined(cpu.model, cpu.microarchitecture, cpu.architecture),
        "Clock": _joined(*(f"{_hz(value)} {name}" for name, value in clocks.items() if value)),
        "Cores per socket": f"{per_socket:g}" if per_socket else None,
        "Sockets": str(cpu.sockets) if cpu.sockets else None,
        "Logical processors": str(cpu.logical),
        "Usable here": _joined(
            f"processors {format_cpus(cpu.allowed) or 'unknown'} on {cpu.allowed_cores} cores", quota
        ),
        "SIMD": _joined(
            cpu.simd,
            f"{cpu.vector_bits} bits" if cpu.vector_bits else None,
            f"{cpu.fma_per_cycle:.2f} FMA per cycle measured" if cpu.fma_per_cycle else None,
        ),
    }


def _derived(peak: Peak, unit: str) -> str:
    return f"{_si(peak.value, unit)} = {peak.derivation}" if peak.value else f"{UNKNOWN} ({peak.derivation})"


def _peaks(found: Machine) -> dict[str, str | None]:
    flops, bandwidth = found.peaks["peak_flop_rate"], found.peaks["peak_memory_bandwidth"]
    cores = found.cpu.allowed_cores
    ratio = bandwidth.value / flops.value if bandwidth.value and flops.value else None
    return {
        "Peak per core": _si(flops.value / cores, "flop/s") if flops.value and cores else None,
        "Peak": _derived(flops, "flop/s"),
        "Peak memory bandwidth": _derived(bandwidth, "B/s"),
        "Bytes per flop": f"{ratio:.3f}" if ratio else None,
        "Measured FMA rate": _si(found.cpu.fma_rate, "flop/s"),
    }


def _memory(found: Machine) -> dict[str, str | None]:
    memory = found.memory
    rows: dict[str, str | None] = {
        f"L{cache.level} {cache.kind}": f"{_bytes(cache.bytes)} x {cache.instances}, each shared by "
        f"{cache.shared_by} processor{'s' if cache.shared_by != 1 else ''}"
        for cache in found.caches
    }
    rows["Memory"] = _joined(
        _bytes(memory.total) if memory.total else None,
        memory.kind,
        f"{_bytes(memory.allowed)} allowed here" if memory.allowed < memory.total else None,
        f"{_bytes(memory.available)} available now",
    )
    rows["NUMA nodes"] = "\n".join(
        f"{node.node}: processors {format_cpus(node.cpus) or 'none'}, {_bytes(node.bytes) or UNKNOWN}"
        for node in found.numa
    )
    return rows


def _surroundings(found: Machine) -> dict[str, str | None]:
    return {
        "GPUs": "\n".join(_joined(gpu.name, _bytes(gpu.memory), gpu.driver) or "" for gpu in found.gpus)
        or "none seen",
        "Network": "\n".join(
            f"{one.name}: {one.kind}, {_si(one.bits_per_second, 'bit/s') or 'speed unknown'}"
            for one in found.network
        )
        or "none seen",
        "File systems": "\n".join(
            f"{one.mount}: {one.kind}, {_bytes(one.free)} of {_bytes(one.total)} free"
            for one in found.filesystems
        ),
        "Hypervisor": found.hypervisor or "none seen",
        "Topology by": found.topology_source,
    }


def _software(found: Machine, *, measured: bool) -> dict[str, str | None]:
    software = found.software
    return {
        "Compilers": ", ".join(f"{name} {version}" for name, version in software.compilers.items())
        or "none found",
        "MPI": "\n".join(f"{version}: {path}" for path, version in software.mpi.items()) or "none found",
        "BLAS": "\n".join(_blas(library, measured=measured) for library in software.blas) or "none found",
        **({"BLAS verdict": explain(software.blas)} if measured else {}),
    }


def _blas(library: Blas, *, measured: bool) -> str:
    rate = _si(library.flop_rate, "flop/s")
    state = rate or (f"not usable: {library.problem}" if library.problem else None)
    removed = f"without {', '.join(library.unset)}" if library.unset else None
    name = f"{library.name} {library.version}" if library.version else library.name
    return (
        f"{name}: {_joined(state or ('not probed' if not measured else UNKNOWN), removed)}\n  {library.path}"
    )
