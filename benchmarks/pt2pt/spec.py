"""Point to point: which tests at which placements."""

from collections.abc import Mapping, Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar
from banzuke.plan.placement import Placement, group_placements, pair_placements

from .osu_out import official

OF_A_PAIR = ("latency", "bandwidth", "bidirectional")
MOST_RANKS = 1024
"""Of the matrix of pairs, as the program says: half a million of them make a record of 10 MB."""
PAIRS_WINDOW = 16
"""A quarter of the usual one: every rank meets every other."""
LARGEST = 4 << 20
OSU = {True: (10100, 1010), False: (110, 22)}
"""Exchanges to 8 KiB and above: of latency, of windows."""
CHECKS = 6
"""Windows that are checked and copied directly."""
LEAST_LARGEST = 64 << 10
PATIENCE = 60.0
"""Seconds for a case of many pairs."""
LINK = 1e9 / 8
"""B/s of a network that does not tell."""


def placements(machine: Machine) -> Sequence[Placement]:
    return [*_pairs(machine), *group_placements(machine)]


def _pairs(machine: Machine) -> list[Placement]:
    """The headline's first: two cores as near as can be, not two hardware threads of one."""
    return sorted(pair_placements(machine), key=lambda place: place.name == "same-core")


def defaults(_machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.ranks == 2:
        return {"test": "latency"}
    return {"test": "pairs" if layout.ranks <= MOST_RANKS else "multi-pair"}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """A pair at every distance; several pairs on all cores; the matrix of one host's ranks and of the hosts."""
    if not machine.software.mpi:
        return []
    pairs, groups = _pairs(machine), group_placements(machine)
    crowds = [place for place in groups if place.per_node > 1 and place.ranks % 2 == 0]
    alone = [place for place in groups if place.per_node == 1 and 2 < place.ranks <= MOST_RANKS]
    met = [place for place in groups if place.nodes == 1 and place.ranks <= MOST_RANKS]
    # Of each number of hosts there may be a placement near the network card and one far from it: the first is enough.
    met += [place for place in alone if place.nodes == max(other.nodes for other in alone)][:1]
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(Layout.of(place), {}) for place in pairs]
    cases += [(Layout.of(place), {"test": test}) for test in OF_A_PAIR[1:] for place in pairs]
    cases += [(Layout.of(place), _multi_pair(machine, Layout.of(place))) for place in crowds]
    cases += [(Layout.of(place), {"test": "pairs", "window": PAIRS_WINDOW}) for place in met]
    return cases


def _multi_pair(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    """Many pairs fill a network with small messages already, and take long for large ones."""
    size, case = LARGEST, {"test": "multi-pair"}
    while seconds(machine, layout, {**case, "max_size": size}) > PATIENCE and size > LEAST_LARGEST:
        size //= 2
    return {**case} if size == LARGEST else {**case, "max_size": size}


def conflict(ranks: int, parameters: Mapping[str, Scalar]) -> str:
    test = parameters["test"]
    if ranks < 2:
        return "a message needs 2 ranks"
    if test in OF_A_PAIR and ranks != 2:
        return f"{test} is between 2 ranks, and these are {ranks}: take multi-pair or pairs for more"
    if test == "multi-pair" and ranks % 2:
        return f"{ranks} ranks cannot be put in pairs: take one less or one more"
    if test == "pairs" and ranks > MOST_RANKS:
        return f"the matrix of {ranks} ranks has too many pairs for a record: take at most {MOST_RANKS}"
    smallest, largest = _sizes(parameters)
    if test != "pairs" and (1 << largest.bit_length()) // 2 < max(smallest, 0 if test == "latency" else 1):
        return f"messages are powers of two, and none is from min_size {smallest} to max_size {largest}"
    return ""


def _sizes(parameters: Mapping[str, Scalar]) -> tuple[int, int]:
    return int(parameters.get("min_size", 0)), int(parameters.get("max_size", LARGEST))


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Duration where messages are slower than on most machines."""
    test, window = str(parameters["test"]), int(parameters.get("window", 64))
    asked = int(parameters.get("iterations", 0))
    start, rate = _path(machine, layout, test)
    if test == "pairs":
        trips, windows = 1.1 * (asked or 100), max(3, asked // 20, 0 if asked else 5)
        return 1.0 + layout.ranks * (2 * start * trips + (windows + CHECKS) * window * (1 << 20) / rate)
    smallest, largest = _sizes(parameters)
    total = 0.0
    for size in (1 << power for power in range(largest.bit_length())):
        often = 1.1 * asked or OSU[test == "latency"][size > 8192 and test != "multi-pair"]
        if size >= smallest and test == "latency":
            total += often * 2 * (start + size / rate)
        elif size >= smallest:
            total += (often + CHECKS) * window * (start / 4 + size / rate)
    return 1.0 + total


def _path(machine: Machine, layout: Layout, test: str) -> tuple[float, float]:
    """Seconds for a message of no bytes, and B/s of each of the pairs that are under way at once."""
    place = layout.placement
    ranks = (place.per_node if place else layout.ranks) if test in {"multi-pair", "pairs"} else 1
    if place is None or place.nodes == 1:
        return 2e-6, 4e9 / max(1.0, ranks / 32)
    fastest = max((link.bits_per_second or 0.0 for link in machine.node.interfaces), default=0.0)
    return 20e-6, (fastest / 2 / 8 or LINK) / ranks


BENCHMARK = Benchmark(
    name="pt2pt",
    title="Point to point",
    metrics=(
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("bandwidth", "B/s", "higher", "Bandwidth", headline=True),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="mpi",
    size=("max_size",),
    conflict=conflict,
    placements=placements,
    official=official,
)
