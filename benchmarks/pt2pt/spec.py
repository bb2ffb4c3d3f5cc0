"""Point to point's policy: the tests of each placement."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Devices, Layout, Metric, Scalar, Sizing, accepted
from banzuke.plan.capabilities import Messages
from banzuke.plan.official import Official
from banzuke.plan.placement import Placement, group_placements, pair_placements
from banzuke.plan.resource import Resource, Resources

from .hpcc_part import PART
from .osu_out import official

OF_A_PAIR = ("latency", "bandwidth", "bidirectional")
MATRIX: dict[str, Scalar] = {"test": "pairs", "window": 16}
"""The matrix of pairs, with a quarter of the usual window because every rank meets every other."""
MANY: dict[str, Scalar] = {"test": "multi-pair"}
RINGS: dict[str, Scalar] = {"test": "rings"}
"""Rings of all ranks, as in the HPC Challenge."""
TOGETHER = ("multi-pair", "pairs", "rings")
"""Tests of which several pairs communicate at the same time."""
LEAST_LARGEST = 4 << 10
DIRECT, STAGED, MIXED = "device", ("staged", "pipelined"), ("host-device", "device-host")
"""Places of devices' messages, and their ways to MPI, by the program's names."""
PATIENCE = 60.0
"""Seconds that a case of many pairs may take."""
MATRIX_PATIENCE = 300.0
"""Seconds that a matrix of all pairs, or rings of all ranks, may take."""
LATENCY_PATIENCE, BANDWIDTH_PATIENCE = 10.0, 30.0
"""Seconds that the pairs of `rings` may take; of more, the program chooses some, as HPCC does."""
ROUNDS = 16
"""Rounds over some pairs: enough to distinguish a slow rank, slow with many others, from a slow link."""
PARTNERS = 8
"""Partners of each of many nodes: enough to distinguish a slow link from a slow end."""
LINK = 1e9 / 8
"""B/s assumed for a network whose rate is unknown."""


def placements(machine: Machine) -> Sequence[Placement]:
    return [*_pairs(machine), *group_placements(machine)]


def _pairs(machine: Machine) -> list[Placement]:
    """Return the placements of pairs, the headline's first: the nearest two cores, not two hardware threads of one."""
    return sorted(pair_placements(machine), key=lambda place: place.name == "same-core")


def among_pairs(hosts: int) -> dict[str, Scalar]:
    return {**MATRIX, "rounds": PARTNERS if hosts > PARTNERS else 0}


def defaults(ask: Ask, _machine: Machine, layout: Layout) -> dict[str, Scalar]:
    if layout.devices and layout.ranks == 2:
        return {"test": "latency", "buffers": DIRECT}
    if layout.ranks == 2:
        return {"test": "latency"}
    return {"test": "pairs"} if accepted(ask, layout, {"test": "pairs"}) else {**MANY}


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of a pair at every distance, several pairs on all cores, and matrices of one host's ranks and of
    hosts.
    """
    if not machine.software.mpi:
        return []
    pairs, groups = _pairs(machine), group_placements(machine)
    crowds = [place for place in groups if place.per_node > 1 and accepted(ask, Layout.of(place), MANY)]
    met = [place for place in groups if place.nodes == 1]
    # For each number of hosts there may be a placement near the network card and one far from it; the first is enough.
    alone = [place for place in groups if place.nodes > 1 and place.per_node == 1 and place.ranks > 2]
    met += [place for place in alone if place.nodes == max(other.nodes for other in alone)][:1]
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(Layout.of(place), {}) for place in pairs]
    cases += [(Layout.of(place), {"test": test}) for test in OF_A_PAIR[1:] for place in pairs]
    cases += [(Layout.of(place), _multi_pair(ask, machine, Layout.of(place))) for place in crowds]
    cases += [(Layout.of(place), _matrix(ask, machine, Layout.of(place))) for place in met]
    return cases + [(layout, {**RINGS}) for layout in _rings(ask, machine, groups)]


def _rings(ask: Ask, machine: Machine, groups: Sequence[Placement]) -> list[Layout]:
    """Return the layouts of rings: one host's ranks, and those of all hosts, or one of each if all take too long."""
    most = max((place.nodes for place in groups), default=1)
    of_one = [Layout.of(place) for place in groups if place.nodes == 1 and place.per_node > 1]
    of_all = [place for place in groups if place.nodes == most > 1 and place.ranks > 2]
    layouts = [Layout.of(place) for place in sorted(of_all, key=lambda place: -place.per_node)]
    quick = (layout for layout in layouts if seconds(ask, machine, layout, RINGS) <= MATRIX_PATIENCE)
    return [*of_one, *islice(quick, 1)]


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of two devices on this host, then on two hosts: every test by each way; the headline is handed to
    MPI.
    """
    if not machine.software.mpi or not machine.allotment.devices:
        return []
    here = [Layout(2, 1, devices=1)] if len(machine.allotment.devices) > 1 else []
    apart = [place for place in pair_placements(machine) if place.nodes > 1]
    pairs = here + [replace(Layout.of(place), devices=1) for place in apart]
    ways = [(test, buffers) for test in OF_A_PAIR for buffers in (DIRECT, *STAGED)]
    ways += [("bandwidth", mixed) for mixed in MIXED]  # their latency is the mean of both ways
    return [(pair, {"test": test, "buffers": buffers}) for test, buffers in ways for pair in pairs]


def _matrix(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    """Return the matrix of all pairs, if a record can hold it and it does not take too long, else of some."""
    if accepted(ask, layout, MATRIX) and seconds(ask, machine, layout, MATRIX) <= MATRIX_PATIENCE:
        return {**MATRIX}
    return {**MATRIX, "rounds": min(ROUNDS, layout.ranks - 1)}


def _multi_pair(ask: Ask, machine: Machine, layout: Layout) -> dict[str, Scalar]:
    """Return the case of many pairs, with smaller messages if it would take too long: small ones already fill the
    network.
    """
    case, size = {**MANY}, int(ask(layout, MANY).values["max_size"])
    while seconds(ask, machine, layout, case) > PATIENCE and size > LEAST_LARGEST:
        size //= 2
        case["max_size"] = size
    return case


def seconds(ask: Ask, machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate the case with messages slower than on most machines; those of a window overlap."""
    problem, test = ask(layout, parameters).problem, str(parameters["test"])
    start, rate = _path(machine, layout, test)
    per_message = start / 4 if test in {"bandwidth", "bidirectional", "multi-pair"} else start
    waiting = 0.0
    if test == "rings":  # pairs that communicate alone have the whole rate
        alone = rate * _path_ranks(layout)
        waiting = min(LATENCY_PATIENCE, problem.number("alone_messages") * start)
        waiting += min(BANDWIDTH_PATIENCE, problem.number("alone_bytes") / alone)
    return 1.0 + problem.number("pair_messages") * per_message + problem.number("pair_bytes") / rate + waiting


def _path_ranks(layout: Layout) -> int:
    """Return the ranks of a host."""
    return layout.placement.per_node if layout.placement else layout.ranks


def _path(machine: Machine, layout: Layout, test: str) -> tuple[float, float]:
    """Return the seconds of an empty message, and the B/s of each of the pairs that are active at the same time."""
    place = layout.placement
    ranks = _path_ranks(layout) if test in TOGETHER else 1
    if place is None or place.nodes == 1:
        return 2e-6, 4e9 / max(1.0, ranks / 32)
    fastest = max((link.bits_per_second or 0.0 for link in machine.node.interfaces), default=0.0)
    return 20e-6, (fastest / 2 / 8 or LINK) / ranks


LINK_BYTES = Resource(
    "link.bytes", unit="B/s", title="bandwidth of a host's link", scope="link", case={"test": "bandwidth"}
)
"""Bytes that leave a host or arrive at it, whichever is more."""

BENCHMARK = Benchmark(
    name="pt2pt",
    title="Point to point",
    aspect="messages",
    unpredicted="its figures are what predictions of other benchmarks start from",
    metrics=(
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("bandwidth", "B/s", "higher", "Bandwidth", headline=True),
        Metric("random_ring_latency", "s", "lower", "Latency of random rings", headline=True),
        Metric("random_ring_bandwidth", "B/s", "higher", "Bandwidth of random rings", headline=True),
        Metric("natural_ring_latency", "s", "lower", "Latency of the natural ring"),
        Metric("natural_ring_bandwidth", "B/s", "higher", "Bandwidth of the natural ring"),
        Metric("ping_pong_latency", "s", "lower", "Latency of pairs"),
        Metric("ping_pong_bandwidth", "B/s", "higher", "Bandwidth of pairs"),
    ),
    defaults=Asking(defaults),
    sweep=Asking(sweep),
    seconds=Asking(seconds),
    default_backend="mpi",
    resources=Resources(measures=(LINK_BYTES,)),
    suites={"hpcc": PART},
    sizing=Sizing(parameters=("max_size",), method=("iterations",), kept=False),
    devices=Devices(on_devices),
    placements=placements,
    official=Official(output=official),
    messages=Messages(pairs=among_pairs),
)
