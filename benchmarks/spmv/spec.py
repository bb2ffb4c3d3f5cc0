"""SpMV's policy: the collection of matrices, and what is published of each."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import (
    Benchmark,
    Collection,
    Devices,
    Layout,
    Metric,
    Scalar,
    Sizing,
    Statistic,
    Tuning,
)
from banzuke.plan.capabilities import Libraries, Library
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Screening
from banzuke.views.collection import ProblemFamilies

MATRICES = 202
"""At least: as many as the published comparison took from the SuiteSparse collection."""
SECONDS = 80.0
"""Wanted for all of them where nobody says otherwise."""
SMALLEST, DECADES = 1000, 9
"""Non-zeros of the smallest matrix, and how far sizes go up from there if time and memory allow."""
FINENESS = (1, 2, 4, 8, 16)
"""Sizes in a decade. Each divides the next, so that collections share all sizes but perhaps their largest."""
LAUNCH = 0.12
"""Seconds before and after the work."""
SERIAL, SHARED = 40e-9, 140e-9
"""Seconds a non-zero: of making it, checking and choosing; and of all rounds on one core, which cores share."""
ROUNDS = 100
FOOTPRINT = 40
"""Bytes a non-zero while a matrix is made and converted; the program knows better when it comes to running."""
SHARE = 0.8
"""Share of the whole memory."""
DEVICE_FOOTPRINT = 32
"""Bytes of a device's memory a non-zero, with padding, in the two formats that are tried."""
DEVICE_LAUNCH, ON_DEVICE = 1.1, 1e-9
"""Seconds until a device is ready, and of all rounds a non-zero; the matrix is made on the host."""
BEYOND_CACHES = 10_000_000
"""Non-zeros of a matrix that no device's cache holds: 120 MB."""
BYTES, ZIPPED = 20, 4
"""Bytes of an entry in a Matrix Market file, and how much smaller a compressed one is."""


def size(step: int, per_decade: int) -> int:
    return round(SMALLEST * 10 ** (step / per_decade))


def grid(largest: int, per_decade: int) -> list[int]:
    """Sizes from the smallest to the largest, which keeps its distance from the one before."""
    steps = (size(step, per_decade) for step in range(DECADES * per_decade))
    return sorted(
        {SMALLEST, largest, *(nonzeros for nonzeros in steps if nonzeros < largest / 10 ** (0.5 / per_decade))}
    )


def sizes(largest: int, families: int) -> list[int]:
    """As coarsely spaced as gives enough matrices of all families together; empty: nothing does."""
    grids = (grid(largest, per_decade) for per_decade in FINENESS)
    return next((counts for counts in grids if len(counts) * families >= MATRICES), [])


def problems(machine: Machine, layout: Layout, families: Sequence[str]) -> list[dict[str, Scalar]]:
    """Each family at each size, small ones first, up to the largest size that fits the memory and the time.

    Where the time is too short for enough matrices there are fewer; on a device rather large ones.
    """
    finest = FINENESS[-1]
    memory = SHARE * machine.allotment.reference_memory / FOOTPRINT
    if layout.devices:
        smallest = min((device.reference_memory for device in machine.allotment.devices), default=0)
        memory = min(memory, SHARE * smallest / DEVICE_FOOTPRINT)
    ends = [end for step in range(DECADES * finest, -1, -1) if (end := size(step, finest)) <= memory]
    enough = [counts for end in ends if (counts := sizes(end, len(families)))]
    fewer = [grid(end, FINENESS[0]) for end in ends]
    # Getting a device ready lasts so long that few sizes are left: the smallest and those that no cache holds.
    large = [[SMALLEST, end] for step in range(DECADES, 0, -1) if BEYOND_CACHES <= (end := size(step, 1)) <= memory]
    wanted = layout.seconds or SECONDS
    chosen = next(
        (
            counts
            for counts in (*enough, *(large if layout.devices else ()), *fewer)
            if len(families) * sum(lasting(machine, layout, nonzeros) for nonzeros in counts) <= wanted
        ),
        [SMALLEST],
    )
    return [{"family": family, "nonzeros": nonzeros} for nonzeros in chosen for family in families]


def lasting(machine: Machine, layout: Layout, nonzeros: float, rounds: float = ROUNDS) -> float:
    if layout.devices:
        return DEVICE_LAUNCH + nonzeros * (SERIAL + ON_DEVICE * rounds / ROUNDS)
    cores = min(layout.threads, machine.allotment.usable_cores)
    return LAUNCH + nonzeros * (SERIAL + SHARED * rounds / ROUNDS / cores)


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    file = str(parameters.get("file", ""))
    nonzeros = _entries(Path(file)) if file else float(parameters.get("nonzeros", 1e6))
    return lasting(machine, layout, nonzeros, float(parameters.get("rounds", ROUNDS)))


def _entries(file: Path) -> float:
    try:
        length = file.stat().st_size
    except OSError:
        return 0.0
    return length / BYTES * (ZIPPED if file.suffix.lower() == ".gz" else 1)


def on_devices(_machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """One device: so are published comparisons."""
    return [(Layout(1, 1, devices=1), {})]


CUSPARSE = Library(
    "cuSPARSE",
    "BANZUKE_CUSPARSE",
    "`pip install nvidia-cusparse` into the environment",
    ("libcusparse.so.12",),
)
ROCSPARSE = Library(
    "rocSPARSE", "BANZUKE_ROCSPARSE", "Install rocsparse", ("librocsparse.so.1", "librocsparse.so.0", "librocsparse.so")
)

BENCHMARK = Benchmark(
    name="spmv",
    title="SpMV",
    aspect="sparse",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "SpMV", headline=True),
        Metric("conversion_time", "s", "lower", "Conversion"),
    ),
    seconds=seconds,
    resources=Resources(needs=("memory.bytes",)),
    sizing=Sizing(parameters=("nonzeros",), lengths=(5.0, 600.0), method=("rounds",), weight=2.0),
    tuning=Tuning(tunable=("format",), loops_by_rates=True, on_fast_cores=True),
    libraries=Libraries(by_backend={"mkl": Library("MKL", "BANZUKE_MKL", "`pip install mkl` into the environment")}),
    devices=Devices(on_devices, libraries={"cuda": CUSPARSE, "hip": ROCSPARSE}, library_parameter="product"),
    screening=Screening(("processors", "memory", "pages")),
    views=(ProblemFamilies(),),
    collection=Collection(
        noun="matrices",
        problems=problems,
        family="family",
        size="nonzeros",
        file="file",
        suffixes=(".mtx", ".mtx.gz"),
        along=Statistic("nonzeros", "non-zeros"),
        statistics=(
            Statistic("rows", "rows"),
            Statistic("columns", "columns"),
            Statistic("row_mean", "mean row"),
            Statistic("row_cv", "row CV"),
            Statistic("row_max", "longest row"),
            Statistic("empty_rows", "empty rows"),
            Statistic("bandwidth", "bandwidth"),
            Statistic("working_set", "working set", "B"),
            Statistic("fill", "fill"),
        ),
        choice="format",
    ),
)
