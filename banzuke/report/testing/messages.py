"""Artificial message passing: latency and bandwidth over message sizes by placement, all pairs, and collectives."""

import random
from dataclasses import replace
from typing import Any

from banzuke.amounts import Scalar
from banzuke.compare.statistics import median
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.plan.benchmark import Metric
from banzuke.plan.placement import Placement
from banzuke.record.figures import Bound, Curve, Point, Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Provenance, Record
from banzuke.report.model import Evaluation
from banzuke.report.testing import only
from banzuke.report.testing.parts import BENCHMARKS, benchmark, machine, record
from banzuke.testing import Work, all_pairs, changed
from banzuke.views.curve import Curves
from banzuke.views.curve.overlap import OverlapMetrics
from banzuke.views.pairs import RankPairs
from banzuke.words import declared

TITLES = {
    "same-complex": "two cores that share their last-level cache",
    "other-socket": "two cores of different sockets",
    "other-node-near": "one core on each of two hosts, near the network card",
    "other-node-far": "one core on each of two hosts, far from the network card",
    "one-node": "all 8 cores of one host",
    "4-nodes-all": "all 8 cores on each of 4 hosts",
}
ALPHA = {"same-complex": 0.19e-6, "other-socket": 0.52e-6, "other-node-near": 1.4e-6, "other-node-far": 1.75e-6}
BETA = {"same-complex": 11e9, "other-socket": 7e9, "other-node-near": 12.1e9, "other-node-far": 10.3e9}
LINK = 12.5e9
EAGER = 8192
THROUGH_A_BUCKET = {
    "steady": [
        *(5.7, 5.8, 5.8, 5.8, 5.9, 5.9, 5.9, 5.9, 6.0, 5.9, 5.9, 6.0, 20.8, 40.6, 80.6, 164.0),
        *(369.5, 1009.2, 2293.4, 4863.5, 9952.6, 20164.3, 41277.8, 82360.4),
    ],
    "timers of the host among its sizes": [
        *(5.8, 5.8, 5.8, 5.8, 5.9, 5.9, 5.9, 5.9, 5.9, 5.9, 6.4, 6.7, 13.8, 30.8, 79.7, 164.0),
        *(479.3, 1575.8, 3999.2, 5572.4, 10233.7, 20377.3, 41474.8, 83209.1),
    ],
    "late, and most of all where they begin": [
        *(7.0, 7.5, 7.3, 7.3, 7.2, 7.3, 7.3, 7.2, 7.3, 7.2, 7.6, 7.4, 9.2, 40.4, 79.5, 159.9),
        *(1436.9, 1999.6, 3994.2, 6992.9, 11725.9, 21542.7, 42029.1, 84018.1),
    ],
}
"""Medians in us for 0 B to 4 MiB, measured over TCP through tbf at 430 Mbit/s with a burst of 16 kB."""
OPERATIONS = {"barrier": 0.0, "allreduce": 2.0, "alltoall": 8.0, "bcast": 1.0}
"""Approximate number of times that each rank sends its bytes."""

CURVES = Curves(
    hidden=("min_size", "max_size"),
    overlap=OverlapMetrics("pure_latency", "compute_time", both="latency", hidden="overlap"),
)
POINT_TO_POINT = replace(
    benchmark(
        "pt2pt",
        "Point to point",
        (
            Metric("latency", "s", "lower", "Latency", headline=True),
            Metric("bandwidth", "B/s", "higher", "Bandwidth", headline=True),
        ),
    ),
    views=(CURVES, RankPairs()),
    placements=lambda _: [
        Placement(name, declared(f"placement-{name}", title), ((0,), (1,)), per_node=2)
        for name, title in TITLES.items()
    ],
)
COLLECTIVES = replace(
    POINT_TO_POINT,
    name="collectives",
    title="Collectives",
    metrics=(
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("slowest_latency", "s", "lower", "Slowest rank of each call"),
        Metric("fastest_rank", "s", "lower", "Fastest rank"),
        Metric("slowest_rank", "s", "lower", "Slowest rank"),
        Metric("pure_latency", "s", "lower", "Without computation"),
        Metric("compute_time", "s", "lower", "Computation"),
        Metric("overlap", "1", "higher", "Overlap"),
    ),
)
KNOWN = {**BENCHMARKS, "pt2pt": POINT_TO_POINT, "collectives": COLLECTIVES}


def scattered(value: float, unit: str, count: int, seed: str, size: float = 0.0, **more: Any) -> Samples:
    """Return skewed times, of which one in a hundred is an outlier; of rates the inverse."""
    source = random.Random(f"{seed} {size}")  # noqa: S311
    slower = [1 + abs(source.gauss(0, 0.03)) + (9.0 if source.random() < 0.01 else 0.0) for _ in range(count)]
    values = [value / step if unit == "B/s" else value * step for step in slower]
    return Samples(unit=unit, samples=values, **Work(flops=0, bytes=size, moved=size).of(unit), **more)


def time(placement: str, size: float) -> float:
    """Return the time of a message; above EAGER bytes there is a handshake first."""
    alpha = ALPHA[placement] * (1 if size < EAGER else 3)
    return alpha + size / BETA[placement]


def sizes(first: int = 0, last: int = 4 << 20) -> list[int]:
    return [size for size in [0, *(1 << power for power in range(31))] if first <= size <= last]


def point_to_point(index: int, test: str, placement: str, count: int = 200, factor: float = 1.0) -> Assessment:
    """Return a test between pairs of ranks over all message sizes; `factor`: how many times slower than usual."""
    rate = test != "latency"
    pairs = 4 if test == "multi-pair" else 1
    points = []
    for size in sizes(1 if rate else 0):
        seconds = factor * time(placement, size)
        copy = Bound(kind="measured", seconds=0.4 * seconds, source="a direct copy between the two processors")
        if rate:
            value = min(pairs * size / (0.25 * seconds), 0.97 * BETA[placement]) * (
                1.6 if test == "bidirectional" else 1
            )
            bounds = [Bound(kind="measured", seconds=0.8 * size / value, source=copy.source)]
        else:
            value, bounds = seconds, [copy]
        if "other-node" in placement:
            wire = LINK * (2 if test == "bidirectional" else 1)
            bounds = [Bound(kind="theoretical", seconds=size / wire, source="link of ib0, 12.5 GB/s")] if rate else []
        unit, name = ("B/s", "bandwidth") if rate else ("s", "latency")
        made = scattered(value, unit, count, f"{test} {placement}", size, bounds=bounds)
        points.append(Point(at=size, metrics={name: made}))
    return _told("pt2pt", index, {"test": test}, placement, points, ranks=2 * pairs)


def token_bucket(index: int, which: str, count: int = 20) -> Assessment:
    times = zip(sizes(), THROUGH_A_BUCKET[which], strict=True)
    points = [Point(at=n, metrics={"latency": Samples(unit="s", samples=[1e-6 * t] * count)}) for n, t in times]
    return _told("pt2pt", index, {"test": "latency"}, "other-node-near", points, ranks=2)


def pairs(index: int, sick: int | None = 5, ranks: int = 8) -> Assessment:
    """Return pairs of ranks on two hosts; `sick`: a rank that is slow with all others."""
    source = random.Random(index)  # noqa: S311

    def level(a: int, b: int) -> float:
        apart = 1.6e-6 if a // (ranks // 2) != b // (ranks // 2) else 0.5e-6 if a // 2 != b // 2 else 0.2e-6
        return apart * (1 + 0.02 * source.random()) * (7.0 if sick in (a, b) else 1.0)

    latency = [[level(a, b) for b in range(a)] for a in range(ranks)]
    bandwidth = [[3000 / value for value in row] for row in latency]
    matrices = {"latency": all_pairs("s", latency), "bandwidth": all_pairs("B/s", bandwidth)}
    metrics = {name: Samples(unit=pairs.unit, samples=pairs.values) for name, pairs in matrices.items()}
    case = record("pt2pt", index, {"test": "pairs"}, metrics, ranks=ranks, threads=1, backend="mpi")
    hosts = [
        Hosts(names="koto1", ranks=f"0-{ranks // 2 - 1}"),
        Hosts(names="koto2", ranks=f"{ranks // 2}-{ranks - 1}"),
    ]
    binding = [Binding(ranks=str(rank), threads=[str(rank % (ranks // 2))]) for rank in range(ranks)]
    return judged(changed(case, pairs=matrices, hosts=hosts, binding=binding))


def collective(index: int, operation: str, placement: str, mode: str = "blocking", count: int = 100) -> Assessment:
    """Return a collective operation over message sizes, which becomes slower with more nodes."""
    points: list[Point] = []
    for size in [0] if operation == "barrier" else sizes(1, 1 << 20):
        nodes = 4 if placement == "4-nodes-all" else 1
        seconds = (2.1e-6 + OPERATIONS[operation] * size / 8e9) * (1 + nodes**0.5) * (1.5 if size >= EAGER else 1)
        seed = f"{operation} {placement} {mode}"
        work = {"size": size}
        metrics = {
            "latency": scattered(seconds, "s", count, seed, **work),
            "slowest_latency": scattered(1.2 * seconds, "s", count, f"slowest {seed}", **work),
            "fastest_rank": Samples(unit="s", samples=[0.9 * seconds]),
            "slowest_rank": Samples(unit="s", samples=[1.1 * seconds]),
        }
        if mode != "blocking":
            metrics |= {
                "pure_latency": scattered(0.7 * seconds, "s", count, f"pure {seed}", **work),
                "compute_time": scattered(0.7 * seconds, "s", count, f"compute {seed}", **work),
                "overlap": Samples(unit="1", samples=[min(0.95, 0.05 + 0.04 * len(points))]),
            }
        points.append(Point(at=size, metrics=metrics))
    return _told("collectives", index, {"operation": operation, "mode": mode}, placement, points, ranks=8)


def _told(
    name: str, index: int, parameters: dict[str, Scalar], placement: str, points: list[Point], ranks: int
) -> Assessment:
    """Return a case whose headline is the time at 8 B, or at the smallest size; or the best rate."""
    main = next(iter(points[0].metrics))
    best = max(points, key=lambda point: median(point.metrics[main].samples))
    at = best if main == "bandwidth" else next((point for point in points if point.at == 8), points[0])
    several = "node" in placement and placement != "one-node"
    case = record(name, index, parameters, {main: at.metrics[main]}, ranks=ranks, threads=1, backend="mpi")
    curve = Curve(along="message size", unit="B", points=points)
    hosts = [Hosts(names=f"koto{host}", ranks=str(host)) for host in (1, 2)] if several else case.groups[0].hosts
    return judged(
        changed(
            case,
            curves={"size": curve},
            hosts=hosts,
            conditions={**case.conditions, "headline_size": at.at} | ({"link_rate": LINK} if several else {}),
            verification=[Verification(quantity="wrong bytes", value=0, tolerance=0, passed=True)],
            provenance=_provenance(case).model_copy(update={"placement": placement}),
        )
    )


def _provenance(case: Record) -> Provenance:
    if case.provenance is None:
        raise ValueError("made-up records have one")
    return case.provenance


def host() -> Machine:
    """Return a machine of eight cores on two sockets, of which pairs share a last-level cache."""
    made = machine()
    one_per_core = list(range(8))
    complexes, sockets = [[0, 1], [2, 3], [4, 5], [6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]]
    allotment = {
        "allowed": one_per_core,
        "allowed_cores": 8,
        "one_per_core": one_per_core,
        "siblings": [[core] for core in one_per_core],
        "complexes": complexes,
        "packages": sockets,
    }
    nodes = [NumaNode(node=node, cpus=cpus) for node, cpus in enumerate(sockets)]
    return made.changed(allotment=allotment, node={"numa": nodes})


def judged(case: Record) -> Assessment:
    return assess(case, siblings=Siblings(), machine=host(), benchmarks=KNOWN, ceilings=())


def messages() -> Evaluation:
    """Return all tests by placement, all pairs with a sick rank, and collectives on one host and on four."""
    cases = [point_to_point(index, "latency", placement) for index, placement in enumerate(ALPHA)]
    cases += [point_to_point(10 + index, "bandwidth", placement) for index, placement in enumerate(ALPHA)]
    cases += [
        point_to_point(20, "bidirectional", "other-node-near"),
        point_to_point(21, "multi-pair", "other-node-near"),
    ]
    cases.append(pairs(30))
    cases += [
        collective(40 + 10 * row + index, operation, placement)
        for row, placement in enumerate(("one-node", "4-nodes-all"))
        for index, operation in enumerate(OPERATIONS)
    ]
    cases.append(collective(70, "allreduce", "one-node", "non-blocking"))
    return only(*cases, benchmarks=KNOWN, machine=host())


def one_host() -> Evaluation:
    """Return tests with so few placements that all operations fit into one chart."""
    cases = [point_to_point(0, "latency", "same-complex"), point_to_point(1, "bandwidth", "same-complex")]
    cases += [collective(10 + index, operation, "one-node") for index, operation in enumerate(OPERATIONS)]
    return only(*cases, benchmarks=KNOWN, machine=host())
