"""HPL's policy: order for the memory and the time, grid and layout for the cores."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing, Tuning
from banzuke.plan.capabilities import FamilyConstant, Libraries, PriorSpread, PublicList
from banzuke.plan.case import Case
from banzuke.plan.device_blas import DEVICE_BLAS
from banzuke.plan.estimate import device_flop_rate, flop_rate, link_rate
from banzuke.plan.groups import placements_of
from banzuke.plan.layouts import all_one_others, host_placements, numa_layouts, over_hosts, rank_per_numa_node
from banzuke.plan.official import InputFile, Official
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Screening
from banzuke.plan.unlike_cores import groups_here
from banzuke.words import Message, message

from .hpcc_part import PART
from .hpl_dat import read
from .hpl_out import results
from .partitions import most_numbers, over_partitions, ranks_of_groups, taking_part
from .sizes import BLOCK, OVERHEAD, SHARE, nodes_of_a_good_grid, usual_grid, whole_blocks
from .tuning import AXES, grid

SECONDS = 20.0
"""Wanted seconds of the headline; the rate would still rise with the order, but an evaluation stays short."""
SECONDS_OF_FEW = 4.0
"""Wanted seconds of the case on few cores."""
FEW = 4
"""Most cores of the case that passes messages, with a rank on each."""
EFFICIENCY = 0.85
"""Expected share of DGEMM's rate, for estimates of sizes and times."""
PROBE = 0.5
"""Seconds in which the rates of unlike ranks are measured."""


DEVICE_SECONDS = 30.0
"""Wanted seconds of the headline on devices."""
DEVICE_SHARE, DEVICE_OVERHEAD = 0.9, 1.02
"""Share of a device's memory, and total memory over the matrix's, for panels and buffers."""
DEVICE_BLOCK, DEVICE_INNER, DEVICE_LARGE = 1024, 128, 48000
"""Block size, columns that processors factorise at a time, and the order from which the update hides such panels."""
DEVICE_NARROW_BLOCK = 256
"""Block size below that order, where panels dominate the time."""
DEVICE_BLOCK_OF_ROWS = 512
"""Block size if the grid has several rows, which factorise panels as a whole."""
DEVICE_EFFICIENCY, STARTED = 0.65, 4.0
"""Expected share of a device's peak, and seconds until it is ready."""


def order(machine: Machine, layout: Layout) -> int:
    """Return the largest order that fits and takes no longer than wanted."""
    if layout.partitions:
        numbers = most_numbers(machine, taking_part(machine, layout))
    else:
        numbers = SHARE / OVERHEAD * machine.allotment.reference_memory * layout.hosts / 8
    orders = range(1, max(2, math.isqrt(int(numbers)) + 1))
    wanted = layout.seconds or SECONDS
    lasting = bisect_right(orders, wanted, key=lambda n: factorising(machine, layout, n))
    return whole_blocks(max(1, lasting), BLOCK)


def factorising(machine: Machine, layout: Layout, n: float) -> float:
    """Return seconds of 2/3 n^3 flops, and of a host's messages: panels in a row of hosts, rows too in a square."""
    hosts = layout.hosts
    if layout.partitions:
        rate = EFFICIENCY * sum(kind.nodes * kind.speed for kind in taking_part(machine, layout))
    else:
        rate = EFFICIENCY * hosts * flop_rate(machine, threads(layout) // hosts)
    received = 4.0 * n**2 * min(1 - 1 / hosts, 2 / math.sqrt(hosts))
    return 2 / 3 * n**3 / rate + received / link_rate(machine)


def threads(layout: Layout) -> int:
    """Return the threads of all ranks."""
    return sum(place.ranks * len(place.cpus[0]) for place in layout.groups) or layout.ranks * layout.threads


def sized(n: int) -> dict[str, Scalar]:
    return {"n": whole_blocks(n, BLOCK), "nb": min(BLOCK, n)}


def device_order(machine: Machine, layout: Layout) -> int:
    """Return the largest order that fits into the memory of so many devices and takes no longer than wanted."""
    smallest = min((device.reference_memory for device in machine.allotment.devices), default=1 << 30)
    fitting = math.isqrt(int(DEVICE_SHARE / DEVICE_OVERHEAD * layout.ranks * smallest / 8))
    rate = DEVICE_EFFICIENCY * layout.ranks * device_flop_rate(machine)
    lasting = int((1.5 * (layout.seconds or DEVICE_SECONDS) * rate) ** (1 / 3))
    return max(1, min(fitting, lasting))


def sized_on_devices(n: int, p: int) -> dict[str, Scalar]:
    if p == 1 and n >= DEVICE_LARGE:
        return {"n": whole_blocks(n, DEVICE_BLOCK), "nb": DEVICE_BLOCK, "inner": DEVICE_INNER}
    block = DEVICE_NARROW_BLOCK if p == 1 else DEVICE_BLOCK_OF_ROWS
    return {"n": whole_blocks(n, block), "nb": min(block, n), "inner": 0}


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of one device, of all at once, and of smaller orders on one; all cores share panels."""
    devices, cores = len(machine.allotment.devices), machine.allotment.usable_cores
    single = Layout(1, cores, devices=1)
    together: list[tuple[Layout, dict[str, Scalar]]] = [
        (Layout(count, max(1, cores // count), devices=1), {}) for count in (devices,) if count > 1
    ]
    n = device_order(machine, single)
    smaller = [(single, sized_on_devices(n // part, 1)) for part in (2, 4) if n // part > DEVICE_NARROW_BLOCK]
    return [(single, {}), *together, *smaller]


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        on = grid(layout)
        return {**sized_on_devices(device_order(machine, layout), int(on["p"])), **on}
    if layout.groups:
        shared: dict[str, Scalar] = {"p": 1, "q": layout.ranks, "deal": "rates"} if layout.ranks > 1 else {}
        return {**sized(order(machine, layout)), **shared}
    return {**sized(order(machine, layout)), **grid(layout)}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases on all hosts, one, and those between, and further cases on one host.

    These are a rank for each kind of unlike cores with shares by rates and equal ones, smaller orders, and ranks of
    one thread that pass messages.
    """
    layout = rank_per_numa_node(machine)
    n = order(machine, layout)
    several = [in_a_good_grid(machine, on) for on in numa_layouts(machine)]
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(on, {}) for on in all_one_others(layout, several)]
    if machine.software.mpi and (groups := groups_here(machine, "")):
        together = Layout(len(groups), len(groups[0].cpus), groups=placements_of(groups))
        cases += [(together, {}), (together, {"deal": "equal"})]
    cases += [(layout, sized(n // part)) for part in (2, 4) if n // part > BLOCK]
    few = 1 << (min(FEW, machine.allotment.usable_cores).bit_length() - 1)
    if few > 1 and few != layout.ranks and machine.software.mpi:
        cases.append((Layout(few, 1, seconds=SECONDS_OF_FEW), {}))
    return cases


def in_a_good_grid(machine: Machine, layout: Layout) -> Layout:
    """Return the layout on the largest number of its hosts whose ranks fill a grid not far from a square."""
    per_host = layout.ranks // layout.hosts
    hosts = nodes_of_a_good_grid(layout.hosts, per_host)
    return layout if hosts == layout.hosts else over_hosts(machine, per_host, layout.threads, hosts)


def tell_left_out(machine: Machine, cases: Sequence[Case]) -> Iterator[Message]:
    """Tell which hosts the first of these cases leaves out, and why; or how many it should, if they were asked for."""
    several = numa_layouts(machine)[:1] if len(machine.allotments) == 1 else []
    for every in several:
        used = in_a_good_grid(machine, every)
        if used.hosts < every.hosts and cases and (cases[0].nodes, cases[0].ranks) == (used.hosts, used.ranks):
            rows, columns = usual_grid(every.ranks, every.ranks // every.hosts, every.hosts)
            yield message(
                "hpl-hosts-left-out",
                hosts=every.hosts - used.hosts,
                all=every.hosts,
                ranks=every.ranks,
                rows=rows,
                columns=columns,
                used=used.ranks,
                p=cases[0].parameters["p"],
                q=cases[0].parameters["q"],
            )
            return
    if cases and len(machine.allotments) == 1:
        yield from _tell_long_grid(cases[0])


def _tell_long_grid(case: Case) -> Iterator[Message]:
    """Tell with how many hosts the grid of a case would be nearer to a square, if a few fewer do that."""
    per_host, rest = divmod(case.ranks, case.nodes)
    grid = usual_grid(case.ranks, max(1, per_host), case.nodes)
    hosts = nodes_of_a_good_grid(case.nodes, per_host) if per_host and not rest else case.nodes
    if hosts < case.nodes and (case.parameters.get("p"), case.parameters.get("q")) == grid:
        rows, columns = usual_grid(hosts * per_host, per_host, hosts)
        yield message("hpl-grid-long", ranks=case.ranks, p=grid[0], q=grid[1], hosts=hosts, rows=rows, columns=columns)


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    n = float(parameters["n"])
    if layout.devices:
        return STARTED + 2 / 3 * n**3 / (DEVICE_EFFICIENCY * layout.ranks * device_flop_rate(machine))
    cores = layout.hosts * min(max(1, threads(layout) // layout.hosts), machine.allotment.usable_cores)
    probe = PROBE if parameters.get("deal", "equal") != "equal" else 0.0
    return factorising(machine, layout, n) + 10e-9 * n**2 / cores + 0.5 + probe  # generating and checking


BENCHMARK = Benchmark(
    name="hpl",
    title="HPL",
    aspect="compute",
    metrics=(
        Metric("flop_rate", "flop/s", "higher", "HPL", headline=True),
        Metric("time", "s", "lower", "HPL time"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="blas",
    resources=Resources(needs=("flops.fp64", "link.bytes")),
    placements=host_placements,
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("n",), lengths=(3.0, 600.0), weight=2.0),
    tuning=Tuning(
        AXES,
        tunable=("nb", "nbmin", "inner", "lookahead", "broadcast", "swap", "swap_threshold", "split", "order"),
        on_fast_cores=True,
    ),
    libraries=Libraries(blas=True),
    devices=Devices(on_devices, libraries=DEVICE_BLAS, library_always=True, beside_processors=True),
    official=Official(InputFile(name="HPL.dat", read=read), output=results),
    public_list=PublicList(
        "TOP500",
        column="Rmax",
        by_watt=True,
        determines=(
            FamilyConstant(
                "host.dgemm",
                "processors",
                PriorSpread(0.08, 0.10, 0.2),
                small=PriorSpread(0.20, 0.30, 1.0),
                of_peak=True,
            ),
            FamilyConstant("device.dgemm", "devices", PriorSpread(0.08, 0.25, 0.6), of_peak=True),
        ),
    ),
    screening=Screening(("processors",)),
    groups_share_by="deal",
    grid=("p", "q"),
    ranks_of_groups=ranks_of_groups,
    over_partitions=over_partitions,
    tell_left_out=tell_left_out,
)
