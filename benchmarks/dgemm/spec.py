"""DGEMM's policy: orders that take about a second, the sweep over sizes and over an LU update's block sizes."""

from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.capabilities import Libraries
from banzuke.plan.device_blas import DEVICE_BLAS
from banzuke.plan.estimate import device_flop_rate, flop_rate
from banzuke.plan.groups import placements_of
from banzuke.plan.on_devices import usual
from banzuke.plan.resource import KnownRate, Resource, Resources
from banzuke.plan.screening import Screening
from banzuke.plan.unlike_cores import groups_here
from banzuke.plan.wording import resource_title
from banzuke.words import message

from .hpcc_part import PART

SECONDS = 1.0
"""Wanted duration of one call at the headline's order."""
SHARE = 0.4
"""Share of the memory for the three matrices of all ranks together."""
REPETITIONS = 5
ORDERS = (250, 500, 1000, 2000)
BLOCK_SIZES = (32, 64, 128, 192, 256, 384)


def order(machine: Machine, layout: Layout) -> int:
    """Return an order of square matrices that fit and whose call takes at most `SECONDS`, rounded so that runs compare.

    If a time is asked for, all calls together come near it, and the order is rounded less.
    """
    memory = SHARE * machine.allotment.reference_memory / (1 if layout.groups else layout.ranks)
    fitting = (memory / 24) ** 0.5
    call = layout.seconds / REPETITIONS if layout.seconds else SECONDS
    lasting = (_rate(machine, layout) * call / 2) ** (1 / 3)
    largest = max(1, int(min(fitting, lasting) + 1e-6))
    digits = len(str(largest))
    if layout.seconds:
        return int(f"{str(largest)[:2]:0<{digits}}")
    unit = int("1" + "0" * (digits - 1))
    return int(max(step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if step * unit <= largest) * unit)


def _processors(layout: Layout) -> int:
    """Return the number of processors that work on one product; those that drive devices do not count."""
    drivers = layout.drivers or [""] * len(layout.groups)
    groups = zip(layout.groups, drivers, strict=True)
    return sum(len(place.cpus[0]) for place, driver in groups if not driver) or layout.threads


def _rate(machine: Machine, layout: Layout) -> float:
    """Return the rate in flop/s of all processors and devices that work on one product."""
    devices = sum(map(bool, layout.drivers))
    return flop_rate(machine, _processors(layout)) + (devices * device_flop_rate(machine) if devices else 0.0)


def square(n: int) -> dict[str, Scalar]:
    return {"m": n, "n": n, "k": n}


DEVICE_SECONDS = 0.3
"""Wanted duration of one call on a device, in seconds."""
DEVICE_BLOCK_SIZES = (128, 256, 384, 512, 768, 1024)


def device_order(machine: Machine) -> int:
    """Return an order, a multiple of 512, for a device: matrices fit, and a call takes at most `DEVICE_SECONDS`."""
    smallest = min((device.reference_memory for device in machine.allotment.devices), default=24 * 16384**2)
    fitting = (0.8 * smallest / 24) ** 0.5
    lasting = (device_flop_rate(machine) * DEVICE_SECONDS / 2) ** (1 / 3)
    largest = max(1, int(min(fitting, lasting)))
    return largest // 512 * 512 or largest


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return the cases of one device, of all at once, and of the inner extents of an LU's update on one."""
    single, largest = Layout(1, 1, devices=1), device_order(machine)
    together: list[tuple[Layout, dict[str, Scalar]]] = [
        (Layout(count, 1, devices=1), {}) for count in (len(machine.allotment.devices),) if count > 1
    ]
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(single, {}), *together]
    return cases + [(single, {"m": largest, "n": largest, "k": k}) for k in DEVICE_BLOCK_SIZES if k < largest]


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        return {**square(device_order(machine)), "repetitions": REPETITIONS}
    if layout.groups:
        return {**square(order(machine, layout)), "repetitions": REPETITIONS, "split": "adaptive"}
    return {**square(order(machine, layout)), "repetitions": REPETITIONS}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return the cases of all cores, one core, different kinds sharing a product, sizes, and an LU's inner extents."""
    whole = Layout(ranks=1, threads=machine.allotment.usable_cores)
    largest = order(machine, whole)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(whole, {})]
    if machine.allotment.usable_cores > 1:
        cases.append((Layout(ranks=1, threads=1), {}))
    if together := shared(machine):
        # Equal shares would take minutes on processors beside a device.
        ways = ("adaptive",) if any(together.drivers) else ("adaptive", "rates", "equal")
        cases += [(together, {"split": way}) for way in ways]
        others = [shared(machine, reserved) for reserved in (0, 2)] if any(together.drivers) else []
        cases += [(other, {"split": "adaptive"}) for other in others if other and any(other.drivers)]
    cases += [(whole, square(n)) for n in ORDERS if n < largest]
    cases += [(whole, {"m": largest, "n": largest, "k": k}) for k in BLOCK_SIZES if k < largest]
    return cases


def shared(machine: Machine, reserved: int = 1) -> Layout | None:
    """Return a layout in which all kinds of cores and all devices share a product; None if there is only one kind of
    core and no device that has a program. `reserved`: cores for each device.
    """
    backend = next(iter(usual(BENCHMARK, machine)), "")
    groups = groups_here(machine, backend, reserved)
    drivers = tuple(group.backend for group in groups)
    return Layout(len(groups), len(groups[0].cpus), groups=placements_of(groups), drivers=drivers) if groups else None


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate how long a case takes, its checks included."""
    m, n, k = (float(parameters.get(name, 2000)) for name in "mnk")
    calls = float(parameters.get("repetitions", REPETITIONS)) + 1
    if layout.devices:  # start-up of the device, and the check on the host, which fills all matrices again
        return 3.0 + calls * 2 * m * n * k / device_flop_rate(machine) + 5e-9 * (m * k + k * n + 3 * m * n)
    processors = _processors(layout)
    fill = 2e-9 * (m * k + k * n + 4 * m * n) / processors
    call = 2 * m * n * k / _rate(machine, layout)
    # With equal shares, processors are the slowest groups and may get as much work as a device.
    if any(layout.drivers) and parameters.get("split", "adaptive") not in ("rates", "adaptive"):
        call = 2 * m * n * k / layout.ranks / flop_rate(machine, processors)
    if parameters.get("split", "none") != "none":
        call *= 1 + layout.ranks  # before each call, the groups run one after the other
    return max(0.3, calls * call) + fill + 0.3


def registers(machine: Machine) -> KnownRate | None:
    """Return the rate of multiply-adds in registers, without memory traffic."""
    rate, cores = machine.allotment.fma_rate, machine.allotment.allowed_cores
    return KnownRate(rate, message("dgemm-register-rate"), message("dgemm-without-memory"), cores) if rate else None


def probed(machine: Machine) -> KnownRate | None:
    """Return the rate from the short probe by which the library was chosen."""
    library = machine.software.blas[0] if machine.software.blas else None
    if library is None or not library.flop_rate:
        return None
    rate = max(library.flop_rate, *library.update_rates.values(), 0.0)
    return KnownRate(
        rate, resource_title(FLOPS), message("dgemm-probed", library=library.name), machine.allotment.allowed_cores
    )


FLOPS = Resource(
    "flops.fp64",
    unit="flop/s",
    title="flop rate",
    scope="core",
    at_least={"memory.bytes": 1 / 4},  # the lowest balance of any vector machine is about this, in flop/B
    peak=lambda machine: machine.peaks.get("flops.fp64"),
    above=registers,
    instead=probed,
)

BENCHMARK = Benchmark(
    name="dgemm",
    title="DGEMM",
    aspect="compute",
    unpredicted="its figure is what predictions of other benchmarks start from, and follows from a "
    "description only as a share of the peak",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "DGEMM", headline=True),
        Metric("sum_of_parts", "flop/s", "higher", "Sum of the parts alone"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="blas",
    resources=Resources(measures=(FLOPS,), needs=("memory.bytes",)),
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("m", "n", "k"), lengths=(1.5, 60.0), method=("repetitions",)),
    tuning=Tuning(tunable=("split", "overlap", "piece"), on_fast_cores=True),
    libraries=Libraries(blas=True),
    devices=Devices(on_devices, libraries=DEVICE_BLAS, library_always=True, beside_processors=True),
    screening=Screening(("processors",), checks=("boot",)),
    groups_share_by="split",
)
