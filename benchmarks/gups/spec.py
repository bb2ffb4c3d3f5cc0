"""GUPS's policy: tables by HPCC's rule as far as time allows, ranks with their own tables, smaller tables."""

from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.estimate import last_level
from banzuke.plan.resource import Resources

from .hpcc_part import PART

WORD = 8
"""Bytes of a word of the table."""
SHARE = 0.5
"""Share of the memory for the tables of all ranks together: HPCC's rule."""
UPDATES = 4
"""Updates of a round for each word."""
ROUNDS, MOST_ROUNDS = 3, 1000
PATIENCE = 5.0
"""Seconds that a round may take; if a table by HPCC's rule takes longer, the standard one is smaller."""
ENOUGH = 0.5
"""Seconds of all rounds together that are enough to time a small table."""
CORE_RATE, MOST_CORES = 40e6, 32
"""Updates per second of a core, and the number of cores beyond which the rate no longer grows."""
DEVICE_RATE, START = 8e9, 3.0
"""Updates per second of a device, and seconds until it is ready."""
SMALLEST_OF_DEVICE = 1 << 21
"""Words of a table that fits into a device's cache: 16 MiB."""
STEP = 8
"""Factor from one table of the sweep to the next."""


def power(most: float) -> int:
    """Return the largest power of two that is at most `most`, but at least 2."""
    return 1 << max(1, int(most).bit_length() - 1)


def rate(machine: Machine, layout: Layout) -> float:
    """Estimate the updates per second of a rank, somewhat below most machines."""
    if layout.devices:
        return DEVICE_RATE
    cores = min(layout.ranks * layout.threads, machine.allotment.usable_cores, MOST_CORES)
    return CORE_RATE * cores / layout.ranks


def round_seconds(machine: Machine, layout: Layout, n: float) -> float:
    return UPDATES * n / rate(machine, layout)


def official(machine: Machine, layout: Layout) -> int:
    """Return the words of a rank's table by HPCC's rule: the largest power of two in half of the memory."""
    memory = machine.allotment.reference_memory
    if layout.devices:
        memory = min((device.reference_memory for device in machine.allotment.devices), default=0)
        return power(SHARE * memory / WORD)
    return power(SHARE * memory / WORD / layout.ranks)


def words(machine: Machine, layout: Layout) -> int:
    """Return the words of a rank's table by HPCC's rule, or as many as are updated within `PATIENCE`."""
    return power(min(official(machine, layout), PATIENCE * rate(machine, layout) / UPDATES))


def repeated(machine: Machine, layout: Layout, n: int, duration: float) -> int:
    """Return the number of rounds that take this long, at least one."""
    return max(1, min(round(duration / round_seconds(machine, layout, n)), MOST_ROUNDS))


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    n = words(machine, layout)
    return {"n": n, "rounds": repeated(machine, layout, n, layout.seconds) if layout.seconds else ROUNDS}


def smaller(machine: Machine, layout: Layout, least: int) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of smaller tables than the standard one, starting with `least` words."""
    sizes = []
    while least < words(machine, layout):
        sizes.append(least)
        least *= STEP
    return [(layout, {"n": n, "rounds": max(ROUNDS, repeated(machine, layout, n, ENOUGH))}) for n in sizes]


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of all threads, a rank on every core, one thread; and smaller tables, the first in the caches."""
    cores = machine.allotment.usable_cores
    whole = Layout(1, cores)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(whole, {})]
    if cores > 1:
        cases += [(Layout(cores, 1), {})] if machine.software.mpi else []
        cases.append((Layout(1, 1), {}))
    return cases + smaller(machine, whole, power(last_level(machine) / 2 / WORD))


def layout_of(backend: str, layout: Layout) -> Layout:
    """Return the layout; ranks that share a table have one thread each, and their number is a power of two."""
    return Layout(power(layout.ranks * layout.threads), 1, layout.seconds) if backend == "mpi" else layout


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of one device, of all with a table each, and of one with smaller tables, the first in its cache."""
    count = len(machine.allotment.devices)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [
        (Layout(ranks, 1, devices=1), {}) for ranks in dict.fromkeys((1, count)) if ranks
    ]
    return cases + smaller(machine, Layout(1, 1, devices=1), SMALLEST_OF_DEVICE)


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate the time of all rounds, which are run twice because the second time checks the first."""
    rounds = 2 * float(parameters.get("rounds", ROUNDS))
    lasting = round_seconds(machine, layout, float(parameters["n"]))
    bound = float(parameters.get("time_bound", 0)) or lasting
    return (START if layout.devices else 0.2) + rounds * min(lasting, bound)


BENCHMARK = Benchmark(
    name="gups",
    title="GUPS",
    aspect="memory",
    unpredicted="how many loads a core and its memory have in flight is in no description",
    metrics=(Metric("update_rate", "update/s", "higher", "Random updates", headline=True),),
    defaults=defaults,
    sweep=sweep,
    layout_of=layout_of,
    seconds=seconds,
    resources=Resources(needs=("memory.bytes", "memory.gathers")),
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("n",), lengths=(5.0, 60.0), duration="rounds", method=("rounds",), each_rank=True),
    tuning=Tuning(tunable=("look_ahead",)),
    devices=Devices(on_devices),
)
