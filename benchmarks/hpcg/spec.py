"""HPCG's policy: ranks and threads for the caches, the local grid for the memory and the time, the official rules."""

import math
from collections.abc import Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import (
    Ask,
    Asking,
    Benchmark,
    Devices,
    Layout,
    Metric,
    Scalar,
    Sizing,
    Tuning,
    accepted,
)
from banzuke.plan.capabilities import FamilyConstant, PriorSpread, PublicList
from banzuke.plan.estimate import link_rate
from banzuke.plan.groups import placements_of
from banzuke.plan.layouts import all_one_others, host_placements, on_all_cores
from banzuke.plan.official import InputFile, Official, Outcome, Violation
from banzuke.plan.placement import Placement, host_counts
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Screening
from banzuke.plan.unlike_cores import groups_here
from banzuke.plan.unlike_nodes import a_rank_on_each_node, parts_of
from banzuke.program.describe import RefusedError
from banzuke.words import Quantity, Share, message

from .hpcg_dat import read
from .hpcg_out import OFFICIAL_SECONDS, planes_of_layers, results

FLAT = 16
"""Most cores for which each has its own rank."""
TEAM = 8
"""Most threads of a rank if there are more cores: those of a core complex that share a cache."""
EDGE = 104
"""Edge of the local grid in a short run, as in the official example: its reference part takes seconds per rank."""
LEAST = 32
"""Edge in the shortest runs."""
SECONDS, SHORT = 20.0, 5.0
"""Wanted seconds of the timed sets of the headline, and of the other cases."""
OFFICIAL_SHARE = 0.25
"""Smallest share of the memory for an official result."""
SHARE = 0.28
"""Wanted share of the memory in a run as long as an official one."""
MOST_SHARE = 0.8
"""Largest share of the memory."""
MATRIX = 27 * 12
"""Least bytes of a point's row in a stored matrix."""
POINT = 1000
"""Bytes of a point with its share of coarser grids, while both the reference and the optimised matrix exist."""
HELD = 450
"""Bytes of a point that remain in the timed sets; the rules' quarter of the memory counts these."""
OTHER_ORDERING = "colours"
DEVICE_EDGE = 256
"""Edge on a device in a short run, at which the first kernels of a sweep take far longer than their launch."""
DEVICE_POINT, DEVICE_HELD = 890, 390
"""`POINT` and `HELD` for a device's memory."""
DEVICE_PLANE = 504
"""Largest edge in x and y that the device's storage format allows."""
DEVICE_START, DEVICE_TESTED, DEVICE_RATE = 2.0, 9e-7, 1e11
"""Seconds until a device is ready; seconds per point of the reference and tests on the host; flop/s of a slow one."""
DEVICE_BACKENDS = ("cuda", "hip")
GRAIN = 8
"""Sides are multiples of this."""
LARGER_BOX = 2.0
"""The box of a fast node over the mean of those of several partitions, for its memory."""
MOST_LAYERS = 8
"""Most ranks along one side of a process grid whose other sides have one."""
PROBE, PROBED, PROBED_OF_THREAD, PROBE_SETUP = 1.0, 64**3, 40**3, 4e-6
"""Seconds in which the rates of unlike ranks are measured; most points of a rank's box for that, with few threads, and
for each of many; seconds to set up a point.
"""


def whole(ask: Ask, machine: Machine, hosts: int = 1) -> Layout | None:
    """Return a layout on all cores: a rank each if there are few, else ranks of threads that share a cache.

    It is None if `_ranks_of` finds none.
    """
    cores = machine.allotment.usable_cores
    if not machine.software.mpi:
        return Layout(1, cores)
    if cores <= FLAT:
        return _ranks_of(ask, machine, 1, hosts)
    last = max((cache.level for cache in machine.allotment.caches), default=0)
    complexes = sum(cache.instances for cache in machine.allotment.caches if cache.level == last)
    sharing = cores // complexes if complexes and cores % complexes == 0 else cores
    return _ranks_of(ask, machine, max(threads for threads in range(1, TEAM + 1) if sharing % threads == 0), hosts)


def _ranks_of(ask: Ask, machine: Machine, least: int, hosts: int = 1) -> Layout | None:
    """Return ranks of at least `least` threads on all cores, as many as a legal process grid can have; None if there is
    none.

    On one host there always is: a single rank.
    """
    cores = machine.allotment.usable_cores
    counts = [threads for threads in range(least, cores + 1) if cores % threads == 0]
    layouts = (on_all_cores(machine, threads, hosts) for threads in counts)
    return next((layout for layout in layouts if accepted(ask, layout, {})), None)


def over_hosts(ask: Ask, machine: Machine) -> list[Layout]:
    """Return the layouts over several hosts, most hosts first."""
    counts = reversed(host_counts(machine) if machine.software.mpi else [])
    return list(filter(None, (whole(ask, machine, hosts) for hosts in counts)))


def placements(ask: Ask, machine: Machine) -> Sequence[Placement]:
    usual = host_placements(machine)
    own = [layout.placement for layout in reversed(over_hosts(ask, machine)) if layout.placement]
    return [*usual, *(place for place in own if place not in usual)]


def other(ask: Ask, machine: Machine, first: Layout) -> Layout | None:
    """Return a rank a core if `first` has ranks of several threads and that is possible, else one rank of all cores."""
    flat = first.threads > 1 and machine.software.mpi
    return _ranks_of(ask, machine, 1) if flat else Layout(1, machine.allotment.usable_cores)


def edge(ask: Ask, machine: Machine, layout: Layout) -> int:
    """Return the edge of a cube: the official example's or past the caches, or as an official run needs; less for
    little memory.

    If less time is wanted than usual, there are proportionally fewer points, because the parts before the timed one
    take time by the point. On several hosts it is as large as on one.
    """
    ranks = layout.ranks // layout.hosts
    # Precise enough, because edges are multiples of 8.
    memory = min(part.allotment.memory_allowed for part, _ in parts_of(machine, layout))
    caches = sum(cache.bytes * cache.instances for cache in machine.allotment.caches if cache.kind != "instruction")
    points = max(EDGE**3, 4 * caches / MATRIX / ranks)
    points = max(LEAST**3, points * min(1.0, (layout.seconds or SECONDS) / SECONDS))
    if (layout.seconds or 0.0) >= OFFICIAL_SECONDS:
        points = max(points, SHARE * memory / HELD / ranks)
    larger = LARGER_BOX if len(layout.partitions) > 1 else 1.0
    fitting = legal(ask, int(math.cbrt(MOST_SHARE * memory / POINT / ranks / larger)), up=False)
    return min(of_at_least(ask, points), fitting)


def of_at_least(ask: Ask, points: float) -> int:
    return legal(ask, math.ceil(math.cbrt(points * (1 - 1e-9))), up=True)


def legal(ask: Ask, wanted: int, *, up: bool) -> int:
    """Return the next edge of a cube that the rules allow, upwards or downwards."""
    try:
        ask(Layout(1, 1), cube(wanted))
    except RefusedError as error:
        return legal(ask, int(error.nearest[-1 if up else 0]["nx"]), up=up)
    return wanted


def cube(edge: int) -> dict[str, Scalar]:
    return {"nx": edge, "ny": edge, "nz": edge}


def device_box(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    """Return the local grid on a device: a cube as far as its storage format allows, then longer along z."""
    memory = min((device.memory for device in machine.allotment.devices), default=16 << 30)  # precise enough
    points = float(DEVICE_EDGE**3)
    if (layout.seconds or 0.0) >= OFFICIAL_SECONDS:
        points = max(points, SHARE * memory / DEVICE_HELD)
    points = min(points, MOST_SHARE * memory / DEVICE_POINT)
    edge = max(2 * GRAIN, min(DEVICE_PLANE, int(math.cbrt(points) + 1e-9) // GRAIN * GRAIN))
    depth = int(points / edge**2 + 1e-9) // GRAIN * GRAIN
    return {**cube(edge), "nz": max(edge, min(depth, 8 * edge))}


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return the cases of one device: the usual box, and one of half the edge."""
    single = Layout(1, 1, devices=1)
    edge = int(device_box(machine, single)["nx"])
    smaller = max(2 * GRAIN, edge // 2 // GRAIN * GRAIN)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(single, {})]
    return cases + [(single, {**cube(smaller), "seconds": SHORT})] * (smaller < edge)


def defaults(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        return {**device_box(machine, layout), "seconds": layout.seconds or SHORT}
    box = cube(edge(ask, machine, layout))
    if layout.groups:
        layers = {"px": 1, "py": 1, "pz": layout.ranks} if layout.ranks <= MOST_LAYERS else {}
        box |= {**layers, **({"deal": "rates"} if layout.ranks > 1 else {})}
    return {**box, "seconds": layout.seconds or SECONDS}


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases on all hosts, one, and those between; on one the other layout and ordering, a rank for each kind of
    unlike cores, and half the edge.
    """
    layout = whole(ask, machine) or Layout(1, machine.allotment.usable_cores)
    largest = edge(ask, machine, layout)
    smaller = of_at_least(ask, largest**3 / 8)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [
        (on, {}) for on in all_one_others(layout, over_hosts(ask, machine))
    ]
    others = other(ask, machine, layout)
    if others and (others.ranks, others.threads) != (layout.ranks, layout.threads):
        cases.append((others, {"seconds": SHORT}))
    cases.append((layout, {"ordering": OTHER_ORDERING, "seconds": SHORT}))
    if machine.software.mpi and (groups := groups_here(machine, "")):
        together = Layout(len(groups), len(groups[0].cpus), groups=placements_of(groups))
        cases.append((together, {"seconds": SHORT}))
    if smaller < largest:
        cases.append((layout, {**cube(smaller), "seconds": SHORT}))
    return cases


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate the reference part, serial per rank at 1.5 Gflop/s, and optimised sets before and in the timed part.

    Groups have boxes in proportion to their threads.
    """
    points = math.prod(float(parameters[name]) for name in ("nx", "ny", "nz"))
    of_set = 50 * 372.0 * points
    if layout.devices:
        return DEVICE_START + DEVICE_TESTED * points + max(float(parameters["seconds"]), of_set / DEVICE_RATE)
    ranks = layout.ranks // layout.hosts
    teams = [len(place.cpus[0]) for place in layout.groups for _ in range(place.ranks)] or [layout.threads] * ranks
    crowded = 1.0 if layout.partitions else max(1.0, sum(teams) / machine.allotment.usable_cores)
    probed = min(points, max(PROBED, PROBED_OF_THREAD * max(teams)))
    probe = PROBE + PROBE_SETUP * probed if parameters.get("deal", "equal") != "equal" else 0.0
    largest = len(teams) * max(teams) / sum(teams)  # over an equal box
    # A host's halo is received three times in each of 50 iterations, those of coarser levels less often.
    received = 50 * 3.6 * 8 * 6 * (ranks * points) ** (2 / 3) if layout.hosts > 1 else 0.0
    travelling = received / link_rate(machine)
    reference = largest * (1.2 * of_set / 1.5e9 + 2e-6 * points) + travelling
    optimised = len(teams) * of_set / (2e9 * sum(teams)) + travelling
    return crowded * (reference + 2 * optimised) + max(float(parameters["seconds"]), optimised) + 0.5 + probe


def rules(machine: Machine, outcome: Outcome) -> Sequence[Violation]:
    """Return violations of the official rules: equal boxes, time of the timed sets, and share of the memory that was in
    use.
    """
    timed = outcome.number("timed_seconds") or 0.0
    memory = outcome.hosts * machine.allotment.memory_allowed
    if outcome.backend in DEVICE_BACKENDS:
        memory = outcome.ranks * min((device.memory for device in machine.allotment.devices), default=0)
    share = (outcome.number("memory_bytes") or 0.0) / memory if memory else 0.0
    violations = []
    if len(set(planes_of_layers(outcome))) > 1:
        violations.append(Violation(message("hpcg-rule-boxes"), message("hpcg-unequal-boxes")))
    if timed < OFFICIAL_SECONDS:
        violations.append(Violation(message("hpcg-rule-seconds", least=OFFICIAL_SECONDS), Quantity(timed, "s")))
    if share < OFFICIAL_SHARE:
        violations.append(Violation(message("hpcg-rule-memory", least=Share(OFFICIAL_SHARE)), Share(share)))
    return violations


BENCHMARK = Benchmark(
    name="hpcg",
    title="HPCG",
    aspect="sparse",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "HPCG", headline=True),
        Metric("raw_flop_rate", "flop/s", "higher", "HPCG timed sets alone"),
        Metric("mg_flop_rate", "flop/s", "higher", "HPCG multigrid"),
        Metric("spmv_flop_rate", "flop/s", "higher", "HPCG SpMV"),
        Metric("dot_flop_rate", "flop/s", "higher", "HPCG dot products"),
        Metric("waxpby_flop_rate", "flop/s", "higher", "HPCG WAXPBY"),
    ),
    defaults=Asking(defaults),
    sweep=Asking(sweep),
    seconds=seconds,
    resources=Resources(needs=("memory.bytes", "link.bytes")),
    placements=Asking(placements),
    sizing=Sizing(
        parameters=("nx", "ny", "nz"),
        lengths=(2.0, 120.0),
        duration="seconds",
        method=("seconds",),
        weight=2.0,
        each_rank=True,
    ),
    tuning=Tuning(tunable=("ordering",), loops_by_rates=True, on_fast_cores=True),
    devices=Devices(on_devices),
    official=Official(InputFile(name="hpcg.dat", read=Asking(read)), output=results, rules=rules),
    public_list=PublicList(
        "HPCG list",
        column="HPCG",
        determines=(
            FamilyConstant("hpcg.processors", "processors", PriorSpread(0.12, 0.25, 0.4)),
            FamilyConstant("hpcg.device", "devices", PriorSpread(0.12, 0.25, 0.4)),
        ),
    ),
    screening=Screening(("processors", "memory", "pages")),
    groups_share_by="deal",
    grid=("px", "py", "pz"),
    over_partitions=a_rank_on_each_node,
)
