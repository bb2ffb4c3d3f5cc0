"""STREAM's policy: array sizes, the sweep over threads and stores, what is reported."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.resource import Resource, Resources
from banzuke.plan.screening import Screening

from .hpcc_part import PART

ROUNDS, FEWEST_ROUNDS, MOST_ROUNDS = 20, 5, 100
"""The usual number of rounds, and the range from which it is chosen for a duration; the program takes no more."""
SMALLEST = 512 << 20
"""Least bytes of an array, because shorter passes would measure the timer and the barriers."""
ARRAYS, RULE = 3, 4
"""Arrays, and STREAM's rule: each is at least this many times as large as the sum of the last-level caches used."""
SHARE = 0.4
"""Share of the memory for the arrays of all ranks together."""


START, COPIED = 3.0, 5e9
"""Seconds until a device is ready, and B/s at which arrays are copied back for the check; the passes are short."""


def array_bytes(machine: Machine) -> int:
    """Return the bytes of one array over all ranks: as large as the rule asks, within the memory."""
    last = max((cache.level for cache in machine.allotment.caches if cache.kind != "instruction"), default=0)
    caches = sum(c.bytes * c.instances for c in machine.allotment.caches if c.level == last and c.kind != "instruction")
    memory = machine.allotment.reference_memory
    return min(max(RULE * caches, SMALLEST), int(SHARE * memory) // ARRAYS // 8 * 8)


def past_caches(machine: Machine) -> bool:
    """Return whether the program has loops with non-temporal stores for this processor, which need vectors."""
    return (machine.node.processor.vector_bits or 0) > 64


def rounds(machine: Machine, layout: Layout) -> int:
    """Return the usual number of rounds, or as many as take the wanted time."""
    if not layout.seconds:
        return ROUNDS
    wanted = round(layout.seconds / round_seconds(machine, layout, array_bytes(machine)))
    return max(FEWEST_ROUNDS, min(wanted, MOST_ROUNDS))


def round_seconds(machine: Machine, layout: Layout, of_array: float) -> float:
    """Estimate all loops once, at 10 GB/s a core up to 100 GB/s: slower than most machines."""
    threads = min(layout.ranks * layout.threads, machine.allotment.usable_cores)
    return 12 * of_array / min(10e9 * threads, 100e9)


ON_DEVICE = 2 << 30
"""Bytes of an array in a device's memory; a pass takes milliseconds, a kernel's launch microseconds."""
SHARE_OF_DEVICE = 0.8
"""Share of a device's memory for the arrays."""


def device_array_bytes(machine: Machine) -> int:
    """Return far more bytes than any device's caches hold, within the memory of the smallest device."""
    smallest = min((device.reference_memory for device in machine.allotment.devices), default=ARRAYS * ON_DEVICE)
    return min(ON_DEVICE, int(SHARE_OF_DEVICE * smallest) // ARRAYS)


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of one device, then of all at once, which may share links or power."""
    count = len(machine.allotment.devices)
    return [(Layout(ranks, 1, devices=1), {}) for ranks in dict.fromkeys((1, count)) if ranks]


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        return {"n": max(1, device_array_bytes(machine) // 8), "rounds": MOST_ROUNDS if layout.seconds else ROUNDS}
    return {
        "n": max(1, math.ceil(array_bytes(machine) / 8 / layout.ranks)),  # rounded up, because the rule is a minimum
        "rounds": rounds(machine, layout),
        "stores": "nontemporal" if past_caches(machine) else "plain",
    }


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    cores = machine.allotment.usable_cores
    counts = sorted({cores, *(1 << i for i in range(cores.bit_length()) if 1 << i < cores)}, reverse=True)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(Layout(ranks=1, threads=count), {}) for count in counts]
    if past_caches(machine):
        cases.insert(1, (Layout(ranks=1, threads=cores), {"stores": "plain"}))
    return cases


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    of_array = 8.0 * float(parameters.get("n", 0)) * layout.ranks
    if layout.devices:
        return START + of_array / COPIED
    passes = float(parameters.get("rounds", ROUNDS)) + 2  # first touch and verification
    return passes * round_seconds(machine, layout, of_array) + 0.2


def bandwidth(kernel: str, *, headline: bool = False) -> Metric:
    return Metric(f"{kernel}_bandwidth", "B/s", "higher", f"STREAM {kernel.capitalize()}", headline=headline)


MEMORY = Resource(
    "memory.bytes",
    unit="B/s",
    title="memory bandwidth",
    scope="host",
    beyond_caches=ARRAYS * RULE,
    at_least={"flops.fp64": 1 / 64},  # the highest balance in double precision is about 20 flop/B
    peak=lambda machine: machine.peaks.get("memory.bytes"),
)
LOADS = Resource(
    "memory.loads",
    unit="B/s",
    title="memory bandwidth of loads alone",
    scope="host",
    beyond_caches=ARRAYS * RULE,
    within=(MEMORY.name,),
    at_least={"flops.fp64": 1 / 64},
)


BENCHMARK = Benchmark(
    name="stream",
    title="STREAM",
    aspect="memory",
    metrics=(
        bandwidth("triad", headline=True),
        bandwidth("copy"),
        bandwidth("scale"),
        bandwidth("add"),
        bandwidth("dot"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    resources=Resources(measures=(MEMORY, LOADS)),
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("n",), lengths=(2.0, 60.0), duration="rounds", method=("rounds",)),
    tuning=Tuning(tunable=("stores",), loops_by_rates=True, on_fast_cores=True),
    devices=Devices(on_devices),
    # Faults of memory are the most frequent, and slow down every program.
    screening=Screening(("processors", "memory", "modules", "pages"), checks=("epilog", "boot")),
)
