"""GeoFEM-Cube's policy: the reports' cube of 40^3 nodes a core, its orderings and colours, flat MPI and hybrid."""

import math
from collections.abc import Mapping
from functools import cache

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.estimate import link_rate
from banzuke.plan.layouts import (
    all_one_others,
    divisors,
    factorisations,
    host_placements,
    on_all_cores,
    rank_per_numa_node,
)
from banzuke.plan.placement import host_counts
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Screening
from banzuke.program.describe import RefusedError
from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot

from .synchronisation import GeofemSynchronisation

Triple = tuple[int, int, int]

EDGE = 40
"""Nodes along the edge of a core's part in the reports."""
NODE = 2600
"""Bytes that a node takes in memory: 27 blocks of 76 bytes, vectors, the schedule."""
MOVED = 4530
"""Bytes that a node moves in an iteration."""
LEAST = 10
"""Edge where not even the shortest run fits the time."""
CACHES = 4
"""Times the caches that all nodes take at least, so that they come from memory."""
SHARE = 0.6
"""Share of the whole memory."""
ORDERING, COLOURS = "cm-rcm", 32
SWEPT = (8, 16, 32, 64, 128)
"""Colours: 8 are the fewest that a cube of hexahedra can have."""
DEVICE_EDGE, DEVICE_LEAST = 160, 40
"""Nodes along the edge of a device's part: stages of rows that keep it busy; and in the shortest runs."""
DEVICE_COLOURS = 8
"""A device wants many rows of a colour."""
DEVICE_START, DEVICE_SETUP, DEVICE_RATE = 2.0, 3e-6, 1e12
"""Seconds until it is ready; by node, of ordering them on the host; B/s of a slow one's memory."""


def flat(machine: Machine, hosts: int = 1) -> Layout:
    """A rank a core, as in the reports' table."""
    return on_all_cores(machine, 1, hosts) if machine.software.mpi else Layout(1, machine.allotment.usable_cores)


def edge(machine: Machine) -> int:
    """Nodes along the edge of a core's part: the reports', or more where that would stay in the caches."""
    cores = machine.allotment.usable_cores
    caches = sum(cache.bytes * cache.instances for cache in machine.allotment.caches if cache.kind != "instruction")
    memory = machine.allotment.reference_memory
    past = math.ceil(math.cbrt(CACHES * caches / cores / NODE))
    return min(max(EDGE, past), max(2, int(math.cbrt(SHARE * memory / cores / NODE))))


def device_edge(machine: Machine) -> int:
    """Nodes along the edge of a device's part: as usual, or less for little memory."""
    memory = min((device.memory for device in machine.allotment.devices), default=16 << 30)
    return max(2, min(DEVICE_EDGE, int(math.cbrt(SHARE * memory / NODE))))


def edge_for(machine: Machine, layout: Layout) -> int:
    """The usual one, or the largest below it that takes no longer than is wanted."""
    usual, least = (device_edge(machine), DEVICE_LEAST) if layout.devices else (edge(machine), LEAST)
    if not layout.seconds:
        return usual
    sizes = {of_part: cube(machine, layout, of_part) for of_part in range(2, usual)}
    shorter = [of_part for of_part, nodes in sizes.items() if seconds(machine, layout, nodes) <= layout.seconds]
    return usual if len(shorter) == len(sizes) else max(shorter, default=min(least, usual))


def cube(machine: Machine, layout: Layout, of_part: int) -> dict[str, Scalar]:
    """Nodes of the whole: the same for every layout of a host, as many on each of several hosts; on devices each rank
    has as many.
    """
    x, y, z = parts(layout.ranks if layout.devices else layout.hosts * machine.allotment.usable_cores)
    return {"nx": of_part * x, "ny": of_part * y, "nz": of_part * z}


@cache
def parts(cores: int) -> Triple:
    """Cores along each edge: as nearly a cube as they make, of equals the longest along x."""
    return min(reversed(list(factorisations(cores))), key=sum)


def sized(ask: Ask, machine: Machine, layout: Layout, of_part: int) -> dict[str, Scalar]:
    """With the process grid, which tells cases of different layouts apart."""
    nodes = cube(machine, layout, of_part)
    try:
        chosen = ask(layout, nodes).values
    except RefusedError:
        return nodes  # which the program will refuse then
    return {**nodes, **{name: chosen[name] for name in ("px", "py", "pz")}}


def defaults(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    colours = DEVICE_COLOURS if layout.devices else COLOURS
    return {**sized(ask, machine, layout, edge_for(machine, layout)), "ordering": ORDERING, "colours": colours}


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """One device: the usual cube, the other ordering, more colours, and a cube of half the edge."""
    single = Layout(1, 1, devices=1)
    usual = device_edge(machine)
    smaller = cube(machine, single, max(2, usual // 2))
    cases: list[tuple[Layout, dict[str, Scalar]]] = [
        (single, {}),
        (single, {"ordering": "mc"}),
        (single, {"colours": COLOURS}),
    ]
    return cases + [(single, smaller)] * (smaller["nx"] != usual)


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Flat MPI on all hosts, one, those between; of one the reports' size if that is another, their format, all hybrid
    layouts, all orderings in one.
    """
    first, shared = flat(machine), rank_per_numa_node(machine)
    over = [flat(machine, hosts) for hosts in reversed(host_counts(machine))] if machine.software.mpi else []
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(layout, {}) for layout in all_one_others(first, over)]
    if edge(machine) > EDGE:
        cases.append((first, sized(ask, machine, first, EDGE)))
    cases.append((first, {"format": "crs"}))
    cores = machine.allotment.usable_cores
    if machine.software.mpi:
        cases += [(Layout(cores // threads, threads), {}) for threads in divisors(cores) if threads > 1]
    cases += [
        (shared, {"ordering": ordering, "colours": colours}) for ordering in ("mc", "cm-rcm") for colours in SWEPT
    ]
    return [*cases, (shared, {"ordering": "rcm"})]


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Iterations by the longest edge; memory at 10 GB/s a core, as far as 100 GB/s; what surrounds a host's part. On a
    device its memory at 1 TB/s, after the nodes have been ordered.
    """
    edges = [float(parameters[name]) for name in ("nx", "ny", "nz")]
    if layout.devices:
        of_rank = math.prod(edges) / layout.ranks
        return DEVICE_START + of_rank * (DEVICE_SETUP + 4 * max(edges) * MOVED / DEVICE_RATE)
    cores = min(layout.ranks * layout.threads // layout.hosts, machine.allotment.usable_cores)
    iterations = 4 * max(edges)
    nodes = math.prod(edges) / layout.hosts
    received = 24 * 6 * nodes ** (2 / 3) if layout.hosts > 1 else 0.0
    once = nodes * MOVED / min(10e9 * cores, 100e9) + received / link_rate(machine)
    return iterations * once + nodes * 10e-6 / cores + 0.5


ALIKE = ("nx", "ny", "nz", "format", "sweeps")


def over_colours(title: str, metric: str) -> Plot:
    """Over those that were needed: more than were asked for, or RCM's levels."""
    alike = (*ALIKE, "layout")
    return Plot(f"{title} over colours", (metric,), x="colours_used", series="ordering", log_x=True, alike=alike)


PHASES = {
    "precondition": Phase(
        "preconditioner",
        useful=True,
        advice="Bound by memory, and each colour ends with a wait for the slowest thread: try fewer colours, or "
        "fewer threads per rank",
    ),
    "spmv": Phase(
        "sparse matrix-vector product",
        useful=True,
        advice="Bound by memory: compare with banzuke run stream. Check that each rank's memory is near and on huge "
        "pages",
    ),
    "vectors": Phase("vector updates and dot products", useful=True),
    "halo_wait": Phase(
        "halo exchange",
        advice="Try fewer ranks with more threads, so that less of the cube lies on the surfaces of its parts",
    ),
    "allreduce": Phase(
        "global reductions",
        advice="Ranks that arrive early wait for the others. Look for slower cores or other processes, and try fewer "
        "ranks with more threads",
    ),
}


BENCHMARK = Benchmark(
    name="geofem",
    title="GeoFEM-Cube",
    aspect="sparse",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "GeoFEM-Cube", headline=True),
        Metric("time", "s", "lower", "GeoFEM-Cube time"),
        Metric("iterations", "count", "lower", "GeoFEM-Cube iterations"),
    ),
    defaults=Asking(defaults),
    sweep=Asking(sweep),
    seconds=seconds,
    resources=Resources(needs=("memory.bytes", "link.bytes")),
    placements=host_placements,
    sizing=Sizing(parameters=("nx", "ny", "nz"), lengths=(2.0, 120.0)),
    tuning=Tuning(tunable=("format",), loops_by_rates=True, on_fast_cores=True),
    devices=Devices(on_devices),
    screening=Screening(("processors", "memory", "pages")),
    views=(
        TimeBreakdown(PHASES),
        GeofemSynchronisation(),
        Sweep(
            Plot("Time by layout", ("time",), x="layout", alike=(*ALIKE, "ordering", "colours")),
            over_colours("Iterations", "iterations"),
            over_colours("Time", "time"),
            over_colours("Rate", "flop_rate"),
        ),
    ),
)
