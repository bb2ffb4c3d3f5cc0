"""GKV's policy: the four kernels, as written and tuned, past the caches."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Layout, Metric, Scalar, Sizing, Tuning, accepted
from banzuke.plan.estimate import last_level, link_rate
from banzuke.plan.layouts import host_placements, numa_layouts, rank_per_numa_node
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Screening
from banzuke.program.describe import RefusedError

KERNELS = ("intgrl", "diff45", "diff123")
"""Kernels that one rank runs with all threads, the headline's first."""
SHAPE = {"nx": 63, "ny": 32, "nz": 16, "nm": 15}
FEWEST_V, MOST_V = 4, 4000
TRANSFORMED = {"ny": 31, "nv": 4}
"""Shape for kernel fft, whose work is in the caches: powers of two divide ny + 1, and f is small."""
FIELDS = 2
"""The fields psi and chi, which are transformed to real space like f of one v."""
GRID = (*SHAPE, "nv", "nxw", "nyw")
POINT = 16
"""Bytes of a complex number."""
CACHES = 4
"""Size of f as a multiple of the last-level caches."""
SMALLEST = 512 << 20
"""Smallest size of f past small caches, in bytes."""
SHARE = 0.5
"""Share of the memory for f and what is derived from it."""
ARRAYS = 2.5
"""Arrays as long as f that are in memory, with halo points."""
ROUNDS, FEWEST_ROUNDS = 5, 3


def shape(machine: Machine) -> dict[str, int]:
    """Return the modes, z and moments, halved in turn if memory is too small for the fewest velocities."""
    sizes = dict(SHAPE)
    most = SHARE * machine.allotment.reference_memory / ARRAYS
    while of_velocity(sizes) * FEWEST_V > most and any(size > 2 for size in sizes.values()):
        largest = max(sizes, key=lambda name: sizes[name])
        sizes[largest] = max(2, sizes[largest] // 2)
    return sizes


def of_velocity(sizes: Mapping[str, int]) -> int:
    """Return the bytes of f for each of nv, which counts pairs of velocities."""
    return 2 * POINT * (2 * sizes["nx"] + 1) * (sizes["ny"] + 1) * 2 * sizes["nz"] * (sizes["nm"] + 1)


def bytes_of_f(call: Mapping[str, Scalar]) -> float:
    return float(call["nv"]) * of_velocity({name: int(call[name]) for name in SHAPE})


def velocities(machine: Machine, layout: Layout) -> int:
    """Return nv past the caches and within the memory, a multiple of the ranks."""
    per_velocity = of_velocity(shape(machine))
    wanted = layout.hosts * math.ceil(max(SMALLEST, CACHES * last_level(machine)) / per_velocity)
    most = layout.hosts * int(SHARE * machine.allotment.reference_memory / ARRAYS / per_velocity)
    return layout.ranks * max(1, min(wanted, most, MOST_V) // layout.ranks)


def parameters(machine: Machine, layout: Layout, kernel: str) -> dict[str, Scalar]:
    sizes = shape(machine)
    if kernel == "fft":
        return {"kernel": kernel, **sizes, "nv": TRANSFORMED["nv"], "ny": min(sizes["ny"], TRANSFORMED["ny"])}
    return {"kernel": kernel, **sizes, "nv": velocities(machine, layout)}


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    chosen = parameters(machine, layout, KERNELS[0])
    once = streamed(machine, layout, chosen)
    rounds = max(FEWEST_ROUNDS, round(layout.seconds / once)) if layout.seconds else ROUNDS
    return {**chosen, "variant": "opt", "rounds": rounds}


def possible(ask: Ask, layout: Layout, call: Mapping[str, Scalar]) -> Layout:
    """Return the layout, with fewer ranks if so many would leave some without modes."""
    try:
        ask(layout, call)
    except RefusedError as refused:
        fewer = max((int(other["ranks"]) for other in refused.nearest if "ranks" in other), default=1)
        return Layout(fewer, layout.threads)
    return layout


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of each kernel on one rank in both variants; of the bracket with all threads, ranks, and hosts."""
    cores = machine.allotment.usable_cores
    whole = Layout(1, cores)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(whole, {})]
    for kernel in KERNELS:
        call = parameters(machine, whole, kernel)
        cases += [(whole, {**call, "variant": variant}) for variant in ("opt", "default")]
    cases.remove((whole, {**parameters(machine, whole, KERNELS[0]), "variant": "opt"}))  # the headline
    bracket = {**parameters(machine, whole, "fft"), "variant": "default"}
    layouts = [whole]
    if machine.software.mpi and cores > 1:
        shared = rank_per_numa_node(machine)
        layouts.append(possible(ask, shared if shared.ranks > 1 else Layout(cores, 1), bracket))
    layouts += [layout for layout in reversed(numa_layouts(machine)) if accepted(ask, layout, bracket)]
    return [*cases, *((layout, bracket) for layout in layouts)]


def cores_of_host(machine: Machine, layout: Layout) -> int:
    return min(layout.ranks * layout.threads // layout.hosts, machine.allotment.usable_cores)


def streamed(machine: Machine, layout: Layout, call: Mapping[str, Scalar]) -> float:
    """Estimate a run of kernels 2 to 4, in seconds: f at 5 GB/s a core, up to 100 GB/s a host."""
    own = bytes_of_f(call) / layout.hosts
    return 3 * own / min(5e9 * cores_of_host(machine, layout), 100e9)


def transformed(ask: Ask, machine: Machine, layout: Layout, call: Mapping[str, Scalar]) -> float:
    """Estimate kernel fft, in seconds: 50 million points of real space a core; between hosts all modes travel twice."""
    values = {name: float(value) for name, value in ask(layout, call).values.items() if name in GRID}
    planes = 2 * values["nz"] * (values["nm"] + 1)
    points = planes * (2 * values["nv"] + FIELDS) * 4 * values["nxw"] * values["nyw"]
    work = points / (50e6 * layout.hosts * cores_of_host(machine, layout))
    sent = 2 * bytes_of_f(call) / layout.hosts if layout.hosts > 1 else 0.0
    return work + sent / link_rate(machine)


def seconds(ask: Ask, machine: Machine, layout: Layout, call: Mapping[str, Scalar]) -> float:
    """Estimate all rounds and one before them; filling and checking take as long as two more."""
    fft = call.get("kernel") == "fft"
    once = transformed(ask, machine, layout, call) if fft else streamed(machine, layout, call)
    return (float(call.get("rounds", ROUNDS)) + 3) * once + 1.0


BENCHMARK = Benchmark(
    name="gkv",
    title="GKV kernels",
    aspect="memory",
    unpredicted="its parts are bound by different resources, and no published figure shows what each takes "
    "on another machine",
    metrics=(
        Metric("point_rate", "point/s", "higher", "GKV", headline=True),
        Metric("time", "s", "lower", "GKV time"),
    ),
    defaults=defaults,
    sweep=Asking(sweep),
    seconds=Asking(seconds),
    resources=Resources(needs=("memory.bytes", "link.bytes")),
    placements=host_placements,
    sizing=Sizing(parameters=("nv",), lengths=(2.0, 60.0), duration="rounds", method=("rounds",), kept=False),
    tuning=Tuning(tunable=("variant",)),
    screening=Screening(("processors", "memory", "modules", "pages")),
)
