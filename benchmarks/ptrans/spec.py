"""PTRANS's policy: matrices by HPCC's rule as far as time allows; one rank, ranks on all cores, several hosts."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.estimate import link_rate
from banzuke.plan.layouts import host_placements, numa_layouts, rank_per_numa_node
from banzuke.plan.official import InputFile, Official
from banzuke.plan.resource import Resources

from .hpcc_out import results
from .hpcc_part import PART
from .hpccinf import read

ELEMENT = 8
"""Bytes of an element."""
SHARE = 0.8
"""Share of the memory for the matrix of HPL, whose order is twice that of these: HPCC's rule."""
ROUNDS, FEWEST_ROUNDS, MOST_ROUNDS = 5, 3, 1000
PATIENCE = 2.0
"""Seconds that a round may take; if matrices by HPCC's rule take longer, the standard ones are smaller."""
TRAFFIC = 3
"""Times that a matrix's bytes are moved: one is read, the other read and written; several ranks pass messages, too."""
CORE_RATE, MOST_CORES = 5e9, 20
"""B/s that a core moves, and the number of cores beyond which the rate no longer grows."""
GENERATED = 12e-9
"""Seconds of a core to make an element of both matrices, and to check it."""
STEP = 64
"""Orders are multiples of this."""


def official(machine: Machine, layout: Layout) -> int:
    """Return the order by HPCC's rule: half of that of HPL's matrix in most of the memory of all hosts."""
    return int(math.sqrt(SHARE * machine.allotment.reference_memory * layout.hosts / ELEMENT)) // 2


def round_seconds(machine: Machine, layout: Layout, n: float) -> float:
    """Estimate a transposition, somewhat below most machines; between hosts nearly all of the matrix travels."""
    cores = min(layout.ranks * layout.threads // layout.hosts, machine.allotment.usable_cores, MOST_CORES)
    own = ELEMENT * n * n / layout.hosts
    sent = own * (1 - 1 / layout.hosts) / link_rate(machine) if layout.hosts > 1 else 0.0
    return TRAFFIC * (2 if layout.ranks > 1 else 1) * own / (CORE_RATE * cores) + sent


def order(machine: Machine, layout: Layout) -> int:
    """Return the order by HPCC's rule, or that of matrices that are transposed within `PATIENCE`."""
    n = official(machine, layout)
    n = min(n, int(n * math.sqrt(PATIENCE / round_seconds(machine, layout, n)))) if n else 1
    return n // STEP * STEP or n


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    n = order(machine, layout)
    wanted = layout.seconds / round_seconds(machine, layout, n) if layout.seconds else ROUNDS
    return {"n": max(1, n), "rounds": max(FEWEST_ROUNDS, min(round(wanted), MOST_ROUNDS))}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of all threads, a rank on every core, a rank for each NUMA node; then several hosts."""
    cores = machine.allotment.usable_cores
    layouts = [Layout(1, cores)]
    if machine.software.mpi and cores > 1:
        layouts += [Layout(cores, 1), rank_per_numa_node(machine), *reversed(numa_layouts(machine))]
    same: dict[str, Scalar] = {"n": order(machine, layouts[0])}
    return [(layout, {} if layout.hosts > 1 else same) for layout in dict.fromkeys(layouts)]


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate all rounds, one before them, making the matrices and checking one."""
    n = float(parameters.get("n", 0))
    cores = max(1, min(layout.ranks * layout.threads, machine.allotment.usable_cores * layout.hosts))
    rounds = float(parameters.get("rounds", ROUNDS)) + 1
    return 0.3 + rounds * round_seconds(machine, layout, n) + 2 * GENERATED * n * n / cores


BENCHMARK = Benchmark(
    name="ptrans",
    title="PTRANS",
    aspect="memory",
    unpredicted="no published figure exists against which a model could be checked",
    metrics=(
        Metric("transpose_rate", "B/s", "higher", "Transposing", headline=True),
        Metric("time", "s", "lower", "Time of a transposition"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    resources=Resources(needs=("memory.bytes", "link.bytes")),
    placements=host_placements,
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("n",), lengths=(2.0, 60.0), duration="rounds", method=("rounds",)),
    tuning=Tuning(tunable=("nb", "p", "q")),
    official=Official(InputFile(name="hpccinf.txt", read=read), output=results),
)
