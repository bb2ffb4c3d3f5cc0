"""FFT's policy: lengths past the caches, by HPCC's rule and in the caches; layouts, orders and stores."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.capabilities import Libraries, Library
from banzuke.plan.estimate import last_level, link_rate
from banzuke.plan.layouts import host_placements, numa_layouts, rank_per_numa_node
from banzuke.plan.official import InputFile, Official
from banzuke.plan.resource import Resource, Resources
from banzuke.plan.screening import Screening
from banzuke.program.describe import RefusedError

from .hpcc_out import results
from .hpcc_part import PART
from .hpccinf import length, read

ROUNDS, FEWEST_ROUNDS = 5, 3
MOST_ROUNDS = 1000
ENOUGH = 0.5
"""Seconds of all rounds together that are enough to time transforms in the caches."""
POINT = 16
"""Bytes of a complex number."""
SMALLEST = 1 << 24
"""Least length past small caches."""
CACHES = 4
"""Smallest size of the input past the caches, as a multiple of the last-level caches."""
VECTORS = 4
"""Vectors as long as the input that a transform over several ranks keeps in memory."""
SHARE = 0.6
"""Share of the memory."""
OFFICIAL_SHARE = 0.8
"""Share of the memory for the HPL matrix from which HPCC's rule derives the length."""
EXCHANGES = 3
"""Exchanges between ranks in natural order."""
PATIENCE = 60.0
"""Seconds that the case by HPCC's rule may take; if it would take longer, it is shortened."""
LEAST_IN_CACHE = 1 << 12
DEVICE_LONGEST = 1 << 28
"""Largest length on a device, if its memory has room."""
DEVICE_VECTORS = 4
"""Vectors as long as the input that the library may need on a device."""
DEVICE_SHORT = 1 << 20
"""Length that fits into a device's cache."""
EDGES = (512, 256, 128)
"""Edges of cubes on a device; the largest that fits is taken."""
DEVICE_ROUNDS = 20
DEVICE_LAUNCH, CHECKED = 3.0, 40e-9
"""Seconds until a device is ready, and seconds per number of the checks on the host."""


def power(most: float) -> int:
    """Return the largest power of two that is at most `most`, but at least 2."""
    return 1 << max(1, int(most).bit_length() - 1)


def fitting(machine: Machine) -> int:
    """Return the largest length whose transform fits in memory."""
    return int(SHARE * machine.allotment.reference_memory) // (VECTORS * POINT)


def past_caches(machine: Machine) -> int:
    least = max(SMALLEST, CACHES * last_level(machine) // POINT)
    return power(min(fitting(machine), 2 * least - 1))


def in_cache(machine: Machine) -> int:
    """Return a length for which a rank's three vectors take half of the last-level caches."""
    return power(min(fitting(machine), last_level(machine) / 2 / (3 * POINT)))


def official(machine: Machine, layout: Layout) -> int:
    """Return the length by HPCC's rule from an HPL matrix in most of the memory, shortened if it takes too long."""
    matrix = OFFICIAL_SHARE * machine.allotment.reference_memory
    n = length(matrix, layout.ranks)
    while n > SMALLEST and seconds(machine, layout, {"n": n, "rounds": FEWEST_ROUNDS}) > PATIENCE:
        matrix /= 2
        n = length(matrix, layout.ranks)
    return n


def legal(ask: Ask, layout: Layout, n: int) -> int:
    """Return the nearest length that these ranks accept: below `n`, or above if there is none below."""
    try:
        ask(layout, {"n": n})
    except RefusedError as refused:
        others = [int(call["n"]) for call in refused.nearest if "n" in call]
        return max((other for other in others if other < n), default=min(others, default=n))
    return n


def possible(ask: Ask, layout: Layout) -> Layout:
    """Return the layout, with fewer ranks if so many can divide no length."""
    try:
        ask(layout, {})
    except RefusedError as refused:
        fewer = max((int(call["ranks"]) for call in refused.nearest if "ranks" in call), default=layout.ranks)
        return Layout(fewer, layout.threads, layout.seconds, layout.placement)
    return layout


def fitting_device(machine: Machine) -> int:
    """Return the largest length that fits into the memory of each device, and as one vector into the host's."""
    smallest = min((device.reference_memory for device in machine.allotment.devices), default=0)
    on_device = int(SHARE * smallest) // (DEVICE_VECTORS * POINT)
    return min(on_device, int(SHARE * machine.allotment.reference_memory) // POINT)


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return the cases of one device: past its cache, in its cache, and a cube."""
    single, fits = Layout(1, 1, devices=1), fitting_device(machine)
    edge = next((edge for edge in EDGES if edge**3 <= fits), EDGES[-1])
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(single, {})]
    if fits > DEVICE_SHORT:
        cases.append((single, {"n": DEVICE_SHORT}))
    return [*cases, (single, {"n": edge**3, "dimensions": 3})]


def rounds(machine: Machine, layout: Layout, n: int) -> int:
    """Return the usual number of rounds, or as many as take the wanted time."""
    return max(FEWEST_ROUNDS, round(layout.seconds / round_seconds(machine, layout, n))) if layout.seconds else ROUNDS


def repeated(machine: Machine, layout: Layout, n: int) -> int:
    """Return few rounds for a long transform, and for a short one enough to time it."""
    return min(MOST_ROUNDS, max(FEWEST_ROUNDS, round(ENOUGH / round_seconds(machine, layout, n))))


def round_seconds(machine: Machine, layout: Layout, n: float) -> float:
    """Estimate a round, with its input: 2 Gflop/s a core for up to 20 cores of a host, and exchanges between hosts."""
    cores = min(layout.ranks * layout.threads // layout.hosts, machine.allotment.usable_cores)
    sent = EXCHANGES * POINT * n / layout.hosts if layout.hosts > 1 else 0.0
    own = n / layout.hosts
    work = 5 * own * math.log2(max(n, 2.0)) / (2e9 * min(cores, 20)) + 10e-9 * own / cores
    return work + sent / link_rate(machine)


def defaults(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        return {"n": power(min(fitting_device(machine), DEVICE_LONGEST)), "rounds": DEVICE_ROUNDS}
    n = legal(ask, layout, past_caches(machine) * layout.hosts)
    return {"n": n, "rounds": rounds(machine, layout, n), "planning": "estimate"}


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of one rank (past the caches, by HPCC's rule, with all prime factors, in the caches), ranks and
    hosts.
    """
    cores = machine.allotment.usable_cores
    whole = Layout(1, cores)
    n = past_caches(machine)
    others = [official(machine, whole), legal(ask, whole, n // 15 * 15 - 1), in_cache(machine)]
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(whole, {})]
    cases += [
        (whole, {"n": other, "rounds": repeated(machine, whole, other)})
        for other in others
        if other != n and other >= min(n, LEAST_IN_CACHE)
    ]
    cases.append((whole, {"stores": "plain"}))
    if machine.software.mpi and cores > 1:
        flat = possible(ask, Layout(cores, 1))
        cases += [(flat, {"order": order}) for order in ("natural", "cyclic")]
        shared = rank_per_numa_node(machine)
        if shared.ranks not in (1, flat.ranks):
            cases.append((possible(ask, shared), {}))
        cases += [
            (layout, {"order": order})
            for layout in reversed(numa_layouts(machine))
            for order in ("natural", "cyclic")
            if possible(ask, layout).ranks == layout.ranks
        ]
    return cases


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate all rounds, one before them, and two checks of two rounds each; on a device only the checks."""
    if layout.devices:
        return DEVICE_LAUNCH + CHECKED * float(parameters["n"])
    transforms = float(parameters.get("rounds", ROUNDS)) + 5
    return transforms * round_seconds(machine, layout, float(parameters["n"])) + 0.5


FFTW = Library(
    "FFTW",
    "BANZUKE_FFTW",
    "Install it with its threads (Debian: apt-get install libfftw3-double3)",
    ("libfftw3_omp.so.3", "libfftw3_threads.so.3"),
)
MKL = Library("MKL", "BANZUKE_MKL", "`pip install mkl` into the environment")
CUFFT = Library(
    "cuFFT", "BANZUKE_CUFFT", "`pip install nvidia-cufft` into the environment", ("libcufft.so.12", "libcufft.so.11")
)
HIPFFT = Library("hipFFT", "BANZUKE_HIPFFT", "Install hipfft", ("libhipfft.so", "libhipfft.so.0"))

TRANSFORMS = Resource(
    "flops.fft",
    unit="flop/s",
    title="rate of Fourier transforms in the cores' caches",
    scope="core",
    metric="cached_rate",
    within=("flops.fp64",),
)

BENCHMARK = Benchmark(
    name="fft",
    title="FFT",
    aspect="memory",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "FFT", headline=True),
        Metric("time", "s", "lower", "FFT time"),
        Metric("cached_rate", "flop/s", "higher", "FFT in the cores' caches"),
    ),
    defaults=Asking(defaults),
    sweep=Asking(sweep),
    seconds=seconds,
    resources=Resources((TRANSFORMS,), needs=("memory.bytes", "link.bytes")),
    placements=host_placements,
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("n",), lengths=(2.0, 60.0), duration="rounds", method=("rounds",)),
    tuning=Tuning(tunable=("stores",), on_fast_cores=True),
    libraries=Libraries(by_backend={"fftw": FFTW, "mkl": MKL}, compared=True),
    devices=Devices(on_devices, libraries={"cuda": CUFFT, "hip": HIPFFT}, library_parameter="transform"),
    official=Official(InputFile(name="hpccinf.txt", read=read), output=results),
    screening=Screening(("processors", "memory", "modules", "pages")),
)
