"""The memory system's policy: one core, cores that share a cache, all cores; every pair of cores; a device."""

from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing
from banzuke.plan.estimate import last_level
from banzuke.plan.placement import Placement
from banzuke.plan.resource import Resource, Resources
from banzuke.words import message

SMALLEST = 4 << 10
BEYOND = 4
"""Largest size of all threads' data, as a multiple of the last-level caches."""
SMALLEST_LARGEST = 64 << 20
"""Bytes of a thread's largest data if caches are small or unknown; this exceeds the reach of the TLB."""
SHARE = 0.3
"""Share of the memory for the data of all threads."""
ROUNDS, FEWEST_ROUNDS, MOST_ROUNDS = 7, 3, 1000
SAMPLE = 5e-3
"""Seconds of a sample."""
TRIP, PAIR_TRIPS = 1e-6, 1000
"""Seconds of a round trip between sockets (a high estimate), and round trips in a sample."""
PREPARED, LINKED = 4e-9, 25e-9
"""Seconds per byte to fill and check the largest data, or to link it and follow the links, with all smaller sizes."""
LOOPS = ("load", "store", "copy", "triad")
LEVELS = ("l1", "l2", "l3")
ON_DEVICE = {"latency": (SMALLEST, 512 << 20), "bandwidth": (4 << 20, 1 << 30)}
"""Bytes of the smallest and the largest data on a device: all its threads have work, and no cache holds it."""
START, WALKED = 3.0, 1.0
"""Seconds until a device is ready, and of a chase through each octave of data beyond its cache before it is timed."""
ALL_PAIRS, SOME = 256, 64
"""Most cores for which each meets every other, and the number of partners of each if there are more."""


def largest(machine: Machine, layout: Layout) -> int:
    """Return the bytes of a thread's largest data, a power of two."""
    threads = layout.ranks * layout.threads
    wanted = max(BEYOND * last_level(machine) // threads, SMALLEST_LARGEST)
    most = max(int(SHARE * machine.allotment.reference_memory) // threads, 2 * SMALLEST)
    return 1 << (min(wanted, most).bit_length() - 1)


def memories(machine: Machine) -> list[int]:
    """Return the bytes of each NUMA node that has memory, as far as known."""
    return [node.bytes for node in machine.node.numa if node.bytes]


def in_node(machine: Machine, threads: int) -> int:
    """Return the bytes of a thread's largest data that fit in any node, whichever threads are on one: a power of
    two.
    """
    most = max(int(SHARE * min(memories(machine), default=0)) // threads, 16 * SMALLEST)
    return min(largest(machine, Layout(1, threads)), 1 << (most.bit_length() - 1))


def on_device(machine: Machine, test: str) -> tuple[int, int]:
    """Return the bytes of the smallest and the largest data on a device, powers of two."""
    smallest, wanted = ON_DEVICE[test]
    memory = min((device.reference_memory for device in machine.allotment.devices), default=wanted)
    most = max(int(SHARE * memory), 2 * smallest)
    return smallest, 1 << (min(wanted, most).bit_length() - 1)


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices:
        smallest, size = on_device(machine, "bandwidth")
        return {"test": "bandwidth", "max_size": size, "rounds": repeated(layout, size, smallest)}
    if layout.ranks > 1 and layout.threads == 1:
        return {"test": "pairs", "rounds": ROUNDS}
    size = largest(machine, layout)
    return {"test": "bandwidth", "max_size": size, "rounds": repeated(layout, size)}


def repeated(layout: Layout, size: int, smallest: int = SMALLEST) -> int:
    """Return the number of rounds that take as long as the layout asks for."""
    if not layout.seconds:
        return ROUNDS
    return max(FEWEST_ROUNDS, min(round(layout.seconds / (points(size, smallest) * SAMPLE)), MOST_ROUNDS))


def points(size: int, smallest: int = SMALLEST) -> int:
    """Return the number of sizes of a curve: two per octave, and those of caches."""
    return 2 * max(1, (size // smallest).bit_length()) + len(LEVELS)


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of each loop, then of pointer chases, on all cores, those of a cache, and one; then of all pairs."""
    cores = machine.allotment.usable_cores
    layouts = list(dict.fromkeys((Layout(1, cores), *sharing(machine), Layout(1, 1))))
    cases: list[tuple[Layout, dict[str, Scalar]]] = [
        (layout, {"test": "bandwidth", "loop": loop}) for loop in LOOPS for layout in layouts
    ]
    cases += [(layout, {"test": "gather"}) for layout in layouts]
    cases += [(layout, {"test": "latency"}) for layout in reversed(layouts)]
    alone = Layout(1, 1)
    cases += [
        (alone, {"test": "latency", "data_pages": "base"}),
        (alone, {"test": "latency", "order": "within"}),
        (alone, {"test": "latency", "order": "within", "data_pages": "base"}),
    ]
    if cores > 1:
        streams = sorted({cores - 1, *(1 << i for i in range((cores - 1).bit_length()))})
        cases += [(Layout(1, cores), {"test": "loaded", "streams": count}) for count in streams if count < cores]
    if len(memories(machine)) > 1:
        cases.append((Layout(1, cores), {"test": "numa", "max_size": in_node(machine, cores)}))
    if cores > 1 and machine.software.mpi:
        cases.append((Layout(cores, 1), {"test": "pairs"}))
    return cases


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of one device: loads by all its threads, and dependent loads by one."""
    if not machine.allotment.devices:
        return []
    alone = Layout(1, 1, devices=1)
    sizes = {test: dict(zip(("min_size", "max_size"), on_device(machine, test), strict=True)) for test in ON_DEVICE}
    return [(alone, {"test": test, **sizes[test]}) for test in ("bandwidth", "latency")]


def sharing(machine: Machine) -> list[Layout]:
    """Return the layout of cores that share the first last-level cache; none if all cores do."""
    cores = machine.allotment.one_per_core
    groups = [[cpu for cpu in cores if cpu in group] for group in map(set, machine.allotment.complexes)]
    first = next((group for group in groups if len(group) > 1), [])
    if not first or len(first) >= machine.allotment.usable_cores:
        return []
    return [Layout.of(Placement("one-cache", message("placement-same-complex"), (tuple(first),), per_node=1))]


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate all samples with their search for a length; all threads prepare data at the same time."""
    rounds = float(parameters.get("rounds", ROUNDS))
    if parameters["test"] == "pairs":
        others = layout.ranks - 1
        partners = min(int(parameters.get("partners", 0)) or (SOME if layout.ranks > ALL_PAIRS else others), others)
        return 0.5 + 0.5 * layout.ranks * partners * rounds * PAIR_TRIPS * TRIP
    size = int(parameters["max_size"])
    sample = 1e-6 * float(parameters.get("sample_us", 1e6 * SAMPLE))
    if layout.devices:
        started = START + points(size, int(parameters.get("min_size", SMALLEST))) * (rounds + 2) * sample
        return started + (WALKED * 8 if parameters["test"] == "latency" else 0.0)
    if parameters["test"] == "numa":
        pairs = len(machine.node.numa) ** 2
        return 0.2 + pairs * (2 * (rounds + 2) * sample + size * (PREPARED + LINKED))
    made = {"bandwidth": PREPARED, "gather": PREPARED + LINKED}.get(str(parameters["test"]), LINKED)
    return 0.2 + points(size) * (rounds + 2) * sample + size * made


def metrics() -> tuple[Metric, ...]:
    """Return the metrics of the largest data and of each cache, for each loop and for pointer chases."""
    loops = [(f"{loop}_bandwidth", "B/s", f"Bandwidth, {loop}") for loop in LOOPS]
    figures = [*loops, ("gather_rate", "load/s", "Random loads"), ("latency", "s", "Latency")]
    every = [
        Metric(
            f"{level}_{name}" if level else name,
            unit,
            "lower" if unit == "s" else "higher",
            f"{title}, {level.upper()}" if level else title,
            headline=name in {"load_bandwidth", "latency"},
        )
        for name, unit, title in figures
        for level in ("", *LEVELS)
    ]
    loaded = (
        Metric("loads_in_flight", "count", "higher", "Random loads in flight, by thread"),
        Metric("loaded_latency", "s", "lower", "Latency while others read", headline=True),
        *(
            metric
            for whose, words in (("local", "own"), ("remote", "other"))
            for metric in (
                Metric(f"{whose}_latency", "s", "lower", f"Latency, {words} NUMA node", headline=whose == "local"),
                Metric(
                    f"{whose}_bandwidth", "B/s", "higher", f"Bandwidth, {words} NUMA node", headline=whose == "local"
                ),
            )
        ),
        Metric("load_beside", "B/s", "higher", "Bandwidth of those others"),
    )
    return (*every, *loaded, Metric("pair_latency", "s", "lower", "Latency between cores", headline=True))


GATHERS = Resource(
    "memory.gathers",
    unit="load/s",
    title="rate of random loads from memory",
    scope="host",
    case={"test": "gather"},
    beyond_caches=BEYOND,
    within=("memory.bytes",),  # a load moves a byte at least
)


def caches() -> tuple[Resource, ...]:
    """Return the rates of each level of caches: bytes of all accesses, bytes of loads alone, and random loads; the last
    level is shared.
    """
    return tuple(
        Resource(
            f"memory.{level}.{kind}",
            unit="load/s" if kind == "gathers" else "B/s",
            title=f"{words} the {level.upper()} cache",
            scope="host" if level == LEVELS[-1] else "core",
            cache=number,
            instead_of=f"memory.{kind}",
            within=tuple(above.format(level=level) for above in beside),
        )
        for number, level in enumerate(LEVELS, start=1)
        for kind, words, beside in (
            ("bytes", "bandwidth of", ()),
            ("loads", "bandwidth of loads alone from", ("memory.{level}.bytes",)),
            ("gathers", "rate of random loads from", ("memory.{level}.bytes", "memory.bytes")),
        )
    )


BENCHMARK = Benchmark(
    name="memory",
    title="Memory system",
    aspect="memory",
    unpredicted="latencies and rates of caches are in no description",
    metrics=metrics(),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    resources=Resources((GATHERS, *caches()), needs=("memory.bytes", "memory.loads")),
    devices=Devices(on_devices),
    sizing=Sizing(lengths=(1.0, 10.0), duration="rounds", method=("rounds",)),
)
