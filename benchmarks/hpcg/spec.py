"""HPCG's policy: ranks and threads for the caches, the local grid for the memory and the time, the official rules."""

import math
from collections.abc import Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Breach, InputFile, Layout, Metric, Outcome, Part, Plot, Scalar
from banzuke.units import percent, quantity

from . import sizes
from .hpcg_dat import read
from .hpcg_out import OFFICIAL_SECONDS, results

FLAT = 16
"""Cores up to which every core has a rank of its own."""
TEAM = 8
"""Threads of a rank at most, where there are more cores: those of a core complex that share a cache."""
EDGE = 104
"""Of the local grid in a short run, the official example's: its reference part takes some seconds a rank."""
SECONDS, SHORT = 20.0, 5.0
"""Wanted for the timed sets of the headline and of the other cases."""
OFFICIAL_SHARE = 0.25
"""Of the memory, the least for an official result."""
SHARE = 0.28
"""Of the memory, wanted in a run that takes as long as an official one."""
MOST = 0.8
"""Of the memory that may be used."""
MATRIX = 27 * 12
"""Bytes that a point's row takes in a stored matrix at least."""
POINT = 1000
"""Bytes of a point with its share of the coarser grids, while the reference matrix and the optimised one are there."""
HELD = 450
"""Of these, the bytes that are left in the timed sets: what the rules' quarter of the memory is about."""
OTHER_ORDERING = "colours"


def whole(machine: Machine) -> Layout:
    """All cores: a rank each where they are few, else ranks of threads that share a cache."""
    cores = machine.allotment.usable_cores
    if not machine.software.mpi:
        return Layout(1, cores)
    if cores <= FLAT:
        return _ranks_of(cores, 1)
    last = max((cache.level for cache in machine.allotment.caches), default=0)
    complexes = sum(cache.instances for cache in machine.allotment.caches if cache.level == last)
    sharing = cores // complexes if complexes and cores % complexes == 0 else cores
    return _ranks_of(cores, max(threads for threads in range(1, TEAM + 1) if sharing % threads == 0))


def _ranks_of(cores: int, least: int) -> Layout:
    """Ranks of at least so many threads on all cores, as many as a legal process grid can have."""
    counts = [threads for threads in range(least, cores + 1) if cores % threads == 0]
    threads = next(threads for threads in counts if sizes.possible(cores // threads))
    return Layout(cores // threads, threads)


def other(machine: Machine) -> Layout:
    """One rank of all cores beside a rank a core, and the other way round."""
    cores, first = machine.allotment.usable_cores, whole(machine)
    return _ranks_of(cores, 1) if first.threads > 1 and machine.software.mpi else Layout(1, cores)


def local(machine: Machine, layout: Layout) -> sizes.Extent:
    """A cube: the official example's or past the caches, or what an official run needs; less where memory is short."""
    memory = machine.allotment.usable_memory
    caches = sum(cache.bytes * cache.instances for cache in machine.allotment.caches if cache.kind != "instruction")
    points = max(EDGE**3, 4 * caches / MATRIX / layout.ranks)
    if (layout.seconds or 0.0) >= OFFICIAL_SECONDS:
        points = max(points, SHARE * machine.allotment.memory_allowed / HELD / layout.ranks)
    edge = max(sizes.LEAST, int(math.cbrt(MOST * memory / POINT / layout.ranks)) // sizes.MULTIPLE * sizes.MULTIPLE)
    return min(sizes.cube(points), (edge, edge, edge))


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    nx, ny, nz = local(machine, layout)
    return {"nx": nx, "ny": ny, "nz": nz, "seconds": layout.seconds or SECONDS}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """The headline; the other layout; the other ordering; a local grid of about half the edge."""
    layout = whole(machine)
    short = Layout(layout.ranks, layout.threads, SHORT)
    edge = local(machine, layout)[0]
    nx, ny, nz = sizes.cube(edge**3 / 8)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(layout, {}), (short, {"ordering": OTHER_ORDERING})]
    others = other(machine)
    if (others.ranks, others.threads) != (layout.ranks, layout.threads):
        cases.insert(1, (Layout(others.ranks, others.threads, SHORT), {}))
    if nx < edge:
        cases.append((short, {"nx": nx, "ny": ny, "nz": nz}))
    return cases


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """The reference part, serial in each rank at 1.5 Gflop/s, and optimised sets before and in the timed part."""
    nx, ny, nz = sizes.local(parameters)
    points = float(nx) * ny * nz
    of_set = 50 * 372.0 * points
    crowded = max(1.0, layout.ranks * layout.threads / machine.allotment.usable_cores)
    reference = 1.2 * of_set / 1.5e9 + 2e-6 * points
    optimised = of_set / (2e9 * layout.threads)
    return crowded * (reference + 2 * optimised) + max(float(parameters["seconds"]), optimised) + 0.5


def conflict(ranks: int, parameters: Mapping[str, Scalar]) -> str:
    extent = sizes.local(parameters)
    if not sizes.legal(extent):
        return (
            f"HPCG's rules allow no local grid of {sizes.by(extent)}: multiples of {sizes.MULTIPLE} from {sizes.LEAST} "
            f"on, none more than {sizes.ASPECT} times another. Nearest: {sizes.nearest(extent)}"
        )
    given = int(parameters["px"]), int(parameters["py"]), int(parameters["pz"])
    grid = sizes.process_grid(ranks, given)
    if grid is None:
        return f"no grid of {sizes.by(given)} processes (0: chosen) has {ranks}: set px, py, pz and --ranks to agree"
    if not sizes.balanced(grid):
        return (
            f"HPCG's rules allow no grid of {sizes.by(grid)} processes: no direction may have more than {sizes.ASPECT} "
            f"times as many as another. {_legal_grid(ranks)}"
        )
    return ""


def _legal_grid(ranks: int) -> str:
    if sizes.possible(ranks):
        return "Leave px, py and pz at 0, and the program chooses"
    fewer = next(count for count in range(ranks, 0, -1) if sizes.possible(count))
    return f"Take {fewer} ranks"


def rules(machine: Machine, outcome: Outcome) -> Sequence[Breach]:
    timed = outcome.number("timed_seconds") or 0.0
    memory = outcome.hosts * machine.allotment.memory_allowed
    share = (outcome.number("memory_bytes") or 0.0) / memory if memory else 0.0
    breaches = []
    if timed < OFFICIAL_SECONDS:
        breaches.append(Breach(f"at least {OFFICIAL_SECONDS:,} s of timed sets", quantity(timed, "s")))
    if share < OFFICIAL_SHARE:
        breaches.append(Breach(f"at least {OFFICIAL_SHARE:.0%} of the memory", percent(share)))
    return breaches


BENCHMARK = Benchmark(
    name="hpcg",
    title="HPCG",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "HPCG", headline=True),
        Metric("raw_flop_rate", "flop/s", "higher", "HPCG timed sets alone"),
        Metric("mg_flop_rate", "flop/s", "higher", "HPCG multigrid"),
        Metric("spmv_flop_rate", "flop/s", "higher", "HPCG SpMV"),
        Metric("dot_flop_rate", "flop/s", "higher", "HPCG dot products"),
        Metric("waxpby_flop_rate", "flop/s", "higher", "HPCG WAXPBY"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="omp",
    tunable=("ordering",),
    plots=(
        Plot("Rating by layout", ("flop_rate",), x="layout", alike=("nx", "ny", "nz", "ordering")),
        Plot("Rating over the local grid", ("flop_rate",), x="nx", alike=("layout", "ordering")),
        Plot("Rating by ordering", ("flop_rate",), x="ordering", alike=("layout", "nx", "ny", "nz")),
    ),
    size=("nx", "ny", "nz"),
    multiple=sizes.MULTIPLE,
    duration="seconds",
    conflict=conflict,
    rules=rules,
    input_file=InputFile(name="hpcg.dat", read=read),
    official=results,
    parts={
        "mg": Part(
            "multigrid",
            useful=True,
            advice="memory bounds it: banzuke run stream shows what the memory gives; see that each rank's memory is "
            "near and in huge pages, and try the other ordering",
        ),
        "spmv": Part(
            "sparse matrix-vector product",
            useful=True,
            advice="memory bounds it: banzuke run stream shows what the memory gives",
        ),
        "dot": Part("dot products", useful=True),
        "waxpby": Part("vector updates", useful=True),
        "halo_wait": Part(
            "waiting for neighbours' values",
            advice="the product's and the residual's exchanges hide behind the inner points, the smoother's do not: "
            "try a larger local grid, or fewer ranks with more threads",
        ),
        "allreduce": Part(
            "sums over all ranks",
            advice="three a CG iteration, in which ranks that came early wait for the others: look for slower cores or "
            "other processes, and try fewer ranks with more threads",
        ),
    },
)
