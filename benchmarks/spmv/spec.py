"""SpMV's policy: the collection of matrices, and the statistics of each."""

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

MATRICES = 202
"""Fewest matrices: as many as the published comparison took from the SuiteSparse collection."""
SECONDS = 80.0
"""Wanted seconds for all matrices, unless another time is given."""
SMALLEST, DECADES = 1000, 9
"""Non-zeros of the smallest matrix, and decades of sizes above it if time and memory allow."""
FINENESS = (1, 2, 4, 8, 16)
"""Sizes per decade; each number divides the next, so that collections share all sizes but perhaps the largest."""
LAUNCH = 0.12
"""Seconds before and after the work."""
SERIAL, SHARED = 40e-9, 140e-9
"""Seconds per non-zero: to create, check and choose; and of all rounds on one core, which cores share."""
ROUNDS = 100
FOOTPRINT = 40
"""Bytes per non-zero while a matrix is created and converted; the program knows better before a run."""
SHARE = 0.8
"""Share of the memory."""
DEVICE_FOOTPRINT = 32
"""Bytes of device memory per non-zero, with padding, in the two formats that are tried."""
DEVICE_LAUNCH, ON_DEVICE = 1.1, 1e-9
"""Seconds until a device is ready, and per non-zero of all rounds; the host creates the matrix."""
BEYOND_CACHES = 10_000_000
"""Non-zeros of a matrix that no device's cache holds: 120 MB."""
BYTES, ZIPPED = 20, 4
"""Bytes of an entry in a Matrix Market file, and the ratio by which compression shrinks it."""


def size(step: int, per_decade: int) -> int:
    return round(SMALLEST * 10 ** (step / per_decade))


def grid(largest: int, per_decade: int) -> list[int]:
    """Return sizes from the smallest to the largest; steps too near the largest are left out."""
    steps = (size(step, per_decade) for step in range(DECADES * per_decade))
    return sorted(
        {SMALLEST, largest, *(nonzeros for nonzeros in steps if nonzeros < largest / 10 ** (0.5 / per_decade))}
    )


def sizes(largest: int, families: int) -> list[int]:
    """Return the coarsest sizes that give enough matrices of all families together; empty if none do."""
    grids = (grid(largest, per_decade) for per_decade in FINENESS)
    return next((counts for counts in grids if len(counts) * families >= MATRICES), [])


def problems(machine: Machine, layout: Layout, families: Sequence[str]) -> list[dict[str, Scalar]]:
    """Return each family at each size, small ones first, up to the largest size that fits the memory and the time.

    If time is too short for enough matrices there are fewer; on a device preferably large ones.
    """
    finest = FINENESS[-1]
    memory = SHARE * machine.allotment.reference_memory / FOOTPRINT
    if layout.devices:
        smallest = min((device.reference_memory for device in machine.allotment.devices), default=0)
        memory = min(memory, SHARE * smallest / DEVICE_FOOTPRINT)
    ends = [end for step in range(DECADES * finest, -1, -1) if (end := size(step, finest)) <= memory]
    enough = [counts for end in ends if (counts := sizes(end, len(families)))]
    fewer = [grid(end, FINENESS[0]) for end in ends]
    # Start-up of a device takes so long that few sizes are left: the smallest, and one that no cache holds.
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
    """Return the case of one device, as in published comparisons."""
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
    unpredicted="it depends on the matrices, and no published figure exists against which a model could be checked",
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
            Statistic("x_lines", "lines of x a non-zero"),
            Statistic("working_set", "working set", "B"),
            Statistic("fill", "fill"),
        ),
        choice="format",
    ),
)
