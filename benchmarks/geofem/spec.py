"""GeoFEM-Cube's policy: the reports' cube of 40^3 nodes a core, its orderings and colours, flat MPI and hybrid."""

import math
from collections.abc import Mapping
from functools import cache

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.estimate import link_rate
from banzuke.plan.groups import placements_of
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
from banzuke.plan.unlike_cores import groups_here
from banzuke.plan.unlike_nodes import a_rank_on_each_node, parts_of
from banzuke.program.describe import RefusedError

Triple = tuple[int, int, int]

EDGE = 40
"""Nodes along the edge of a core's part in the reports."""
NODE = 2600
"""Bytes of memory of a node: 27 blocks of 76 bytes, vectors, the schedule."""
MOVED = 4530
"""Bytes that a node moves in an iteration."""
LEAST = 10
"""Edge used if even the shortest run does not fit the time."""
CACHES = 4
"""Smallest size of all nodes together, as a multiple of the caches, so that they come from memory."""
SHARE = 0.6
"""Share of the memory."""
ORDERING, COLOURS = "cm-rcm", 32
SWEPT = (8, 16, 32, 64, 128)
"""Numbers of colours; 8 are the fewest for a cube of hexahedra."""
MOST_LAYERS = 8
"""Most nodes of several partitions that are each a layer of the cube."""
PROBE = 1.5
"""Seconds in which the rates of unlike ranks are measured, on cubes of their own."""
DEVICE_EDGE, DEVICE_LEAST = 160, 40
"""Nodes along the edge of a device's part, with stages of enough rows to keep it busy; and in the shortest runs."""
DEVICE_COLOURS = 8
"""Fewer colours, because a device needs many rows in each."""
DEVICE_START, DEVICE_SETUP, DEVICE_RATE = 2.0, 3e-6, 1e12
"""Seconds until a device is ready; seconds a node to order it on the host; bandwidth of a slow device in B/s."""


def flat(machine: Machine, hosts: int = 1) -> Layout:
    """Return a layout with a rank on each core, as in the reports' table."""
    return on_all_cores(machine, 1, hosts) if machine.software.mpi else Layout(1, machine.allotment.usable_cores)


def edge(machine: Machine) -> int:
    """Return the nodes along the edge of a core's part: the reports', or more if those would stay in the caches."""
    cores = machine.allotment.usable_cores
    caches = sum(cache.bytes * cache.instances for cache in machine.allotment.caches if cache.kind != "instruction")
    memory = machine.allotment.reference_memory
    past = math.ceil(math.cbrt(CACHES * caches / cores / NODE))
    return min(max(EDGE, past), max(2, int(math.cbrt(SHARE * memory / cores / NODE))))


def device_edge(machine: Machine) -> int:
    """Return the nodes along the edge of a device's part: the usual number, or fewer if memory is small."""
    memory = min((device.memory for device in machine.allotment.devices), default=16 << 30)
    return max(2, min(DEVICE_EDGE, int(math.cbrt(SHARE * memory / NODE))))


def edge_for(machine: Machine, layout: Layout) -> int:
    """Return the usual edge, or the largest one below it that takes no longer than the wanted time."""
    own = min(edge(part) for part, _ in parts_of(machine, layout))
    usual, least = (device_edge(machine), DEVICE_LEAST) if layout.devices else (own, LEAST)
    if not layout.seconds:
        return usual
    sizes = {of_part: cube(machine, layout, of_part) for of_part in range(2, usual)}
    shorter = [of_part for of_part, nodes in sizes.items() if seconds(machine, layout, nodes) <= layout.seconds]
    return usual if len(shorter) == len(sizes) else max(shorter, default=min(least, usual))


def cube(machine: Machine, layout: Layout, of_part: int) -> dict[str, Scalar]:
    """Return the nodes of the whole mesh: proportional to cores and hosts, so that all layouts of a host solve the same
    problem; on devices proportional to ranks.
    """
    cores = sum(nodes * part.allotment.usable_cores for part, nodes in parts_of(machine, layout))
    x, y, z = parts(layout.ranks if layout.devices else cores)
    return {"nx": of_part * x, "ny": of_part * y, "nz": of_part * z}


@cache
def parts(cores: int) -> Triple:
    """Return the cores along each edge: as near a cube as possible, the longest edge along x."""
    return min(reversed(list(factorisations(cores))), key=sum)


def sized(ask: Ask, machine: Machine, layout: Layout, of_part: int) -> dict[str, Scalar]:
    """Return the parameters with the process grid, which distinguishes cases of different layouts."""
    nodes = cube(machine, layout, of_part)
    if layout.groups and layout.ranks > 1:
        nodes["deal"] = "rates"
    if layout.partitions and layout.ranks <= MOST_LAYERS:
        nodes |= {"px": layout.ranks, "py": 1, "pz": 1}
    try:
        chosen = ask(layout, nodes).values
    except RefusedError:
        return nodes  # the program will refuse them
    return {**nodes, **{name: chosen[name] for name in ("px", "py", "pz")}}


def defaults(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    colours = DEVICE_COLOURS if layout.devices else COLOURS
    return {**sized(ask, machine, layout, edge_for(machine, layout)), "ordering": ORDERING, "colours": colours}


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return the cases of one device: the usual cube, the other ordering, more colours, and a cube of half the edge."""
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
    """Return cases of flat MPI on all hosts, on one and on those between, and further cases of one host.

    These are the reports' size if it differs, the reports' format, all hybrid layouts, all orderings of one layout, and
    a rank for each kind of unlike cores.
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
    cases.append((shared, {"ordering": "rcm"}))
    if machine.software.mpi and (groups := groups_here(machine, "")):
        cases.append((Layout(len(groups), len(groups[0].cpus), groups=placements_of(groups)), {}))
    return cases


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate seconds from iterations by the longest edge, memory at 10 GB/s a core up to 100 GB/s, and the halo.

    On a device, memory moves 1 TB/s, after the host has ordered the nodes.
    """
    edges = [float(parameters[name]) for name in ("nx", "ny", "nz")]
    if layout.devices:
        of_rank = math.prod(edges) / layout.ranks
        return DEVICE_START + of_rank * (DEVICE_SETUP + 4 * max(edges) * MOVED / DEVICE_RATE)
    threads = sum(place.ranks * len(place.cpus[0]) for place in layout.groups) or layout.ranks * layout.threads
    cores = min(threads // layout.hosts, machine.allotment.usable_cores)
    probe = PROBE if parameters.get("deal", "equal") != "equal" else 0.0
    iterations = 4 * max(edges)
    nodes = math.prod(edges) / layout.hosts
    received = 24 * 6 * nodes ** (2 / 3) if layout.hosts > 1 else 0.0
    once = nodes * MOVED / min(10e9 * cores, 100e9) + received / link_rate(machine)
    return iterations * once + nodes * 10e-6 / cores + 0.5 + probe


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
    sizing=Sizing(parameters=("nx", "ny", "nz"), lengths=(5.0, 120.0)),
    tuning=Tuning(tunable=("format",), loops_by_rates=True, on_fast_cores=True),
    devices=Devices(on_devices),
    screening=Screening(("processors", "memory", "pages")),
    groups_share_by="deal",
    grid=("px", "py", "pz"),
    over_partitions=a_rank_on_each_node,
)
