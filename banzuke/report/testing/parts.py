"""Parts of artificial evaluations: a machine, benchmarks, records and their assessment."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from banzuke.amounts import Scalar
from banzuke.compare.statistics import median
from banzuke.judge.model import Assessment, Figure
from banzuke.machine.allotment import Allotment
from banzuke.machine.model import Machine
from banzuke.machine.site import (
    Blas,
    Cache,
    Interface,
    Memory,
    NodeType,
    NumaNode,
    Partition,
    Peak,
    Processor,
    Site,
    Software,
    Source,
    StorageArea,
)
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.resource import Resource, Resources
from banzuke.record.figures import Breakdown, Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Provenance, Record
from banzuke.testing import FLOPS as RATE
from banzuke.testing import MEMORY, Work, grouped, plain
from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import views

START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BANDWIDTH, FLOPS = 41.3e9, 212e9


def machine(name: str = "koto", *, sparse: bool = False) -> Machine:
    """Return a machine; `sparse`: everything that may be unknown is unknown."""
    processor = Processor(
        model=None if sparse else "Intel Xeon Gold 6430",
        vendor=None if sparse else "GenuineIntel",
        architecture="x86_64",
        microarchitecture=None if sparse else "sapphirerapids",
        sockets=None if sparse else 1,
        cores=None if sparse else 2,
        logical=4,
        simd=None if sparse else "AVX-512",
        vector_bits=None if sparse else 512,
        fma_units=None if sparse else 2,
        fma_per_cycle=None if sparse else 1.98,
        nominal_hz=None if sparse else 2.1e9,
        maximum_hz=None if sparse else 3.4e9,
    )
    flops = Peak(value=None if sparse else 217.6e9, unit="flop/s", derivation="2 cores × 3.4 GHz × 32 flop per cycle")
    memory = Peak(value=None, unit="B/s", derivation="channels unknown: the firmware's tables need root")
    caches = [
        Cache(level=1, kind="data", bytes=48 * 1024, instances=2, shared_by=2),
        Cache(level=2, kind="unified", bytes=2 * 2**20, instances=2, shared_by=2),
        Cache(level=3, kind="unified", bytes=60 * 2**20, instances=1, shared_by=4),
    ]
    node = NodeType(
        processors=[processor],
        memory=Memory(total=8 * 2**30),
        caches=caches,
        numa=[NumaNode(node=0, cpus=[0, 1, 2, 3], bytes=8 * 2**30)],
        interfaces=[Interface(name="eth0", kind="ethernet", bits_per_second=None if sparse else 10e9)],
        peaks={"memory.bytes": memory},
    )
    partition = Partition(
        node=node,
        nodes=1,
        mounts=["/"],
        kernel={"release": "6.18.0", "transparent_hugepage": "madvise"},
        hypervisor="kvm",
        software=Software(
            compilers={"g++": "12.2.0"},
            mpi={"mpiexec": "MPICH 5.0.2"},
            blas=[
                Blas(name="OpenBLAS", path="/opt/libopenblas.so", version="0.3.34", flop_rate=199e9),
                Blas(name="BLIS", path="/usr/lib/libblis.so", version="0.9", flop_rate=96e9),
            ],
        ),
    )
    site = Site(
        name=name,
        partitions={"nodes": partition},
        areas={"/": StorageArea(kind="ext4", source="/dev/vda", mount="/", capacity=100 * 2**30)},
        sources={"partitions.nodes.node": Source(how="read", where="hwloc")},
    )
    allotment = Allotment(
        partition="nodes",
        fingerprint="9f3ac81d20b7",
        allowed=[0, 1, 2, 3],
        allowed_cores=2,
        one_per_core=[0, 1],
        caches=caches,
        memory_allowed=8 * 2**30,
        memory_available=7 * 2**30,
        storage_available={"/": 60 * 2**30},
        scalar_hz=None if sparse else 3.39e9,
        vector_hz=None if sparse else 2.81e9,
        fma_rate=None if sparse else 178e9,
        peaks={"flops.fp64": flops},
    )
    return Machine(site=site, allotments=[allotment])


def benchmark(
    name: str, title: str, metrics: tuple[Metric, ...], plots: tuple[Plot, ...] = (), *measures: Resource
) -> Benchmark:
    """Return a benchmark of one program without parameters, which measures ceilings of `measures`."""
    return Benchmark(
        name=name,
        title=title,
        metrics=metrics,
        defaults=lambda _machine, _layout: {},
        sweep=lambda _machine: [],
        seconds=lambda _machine, _layout, _parameters: 1.0,
        default_backend="omp",
        resources=Resources(measures=measures),
        views=(Sweep(*plots),) if plots else (),
    )


KERNELS = ("copy", "scale", "add", "triad")
STREAM = benchmark(
    "stream",
    "STREAM",
    tuple(Metric(f"{k}_bandwidth", "B/s", "higher", k.capitalize(), headline=k == "triad") for k in KERNELS),
    (Plot("Bandwidth over threads", tuple(f"{k}_bandwidth" for k in KERNELS), x="threads"),),
    MEMORY,
)
DGEMM = benchmark(
    "dgemm",
    "DGEMM",
    (Metric("flop_rate", "flop/s", "higher", "Rate", headline=True),),
    (
        Plot("Rate over matrix size", ("flop_rate",), x="n", series="threads"),
        Plot("Rate by library", ("flop_rate",), x="backend"),
    ),
    RATE,
)
LATENCY = benchmark(
    "osu",
    "Ping-pong",
    (
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("bandwidth", "B/s", "higher", "Bandwidth"),
    ),
    (Plot("Latency over message size", ("latency", "bandwidth"), x="bytes", log_x=True),),
)
HPL = replace(
    benchmark("hpl", "HPL", (Metric("flop_rate", "flop/s", "higher", "Rate", headline=True),)),
    views=(
        TimeBreakdown(
            {
                "panel": Phase("panel factorisation"),
                "broadcast": Phase("panel broadcast"),
                "swap": Phase("row swaps"),
                "update": Phase("update", useful=True),
                "wait": Phase("waiting"),
            }
        ),
    ),
)
BENCHMARKS: Mapping[str, Benchmark] = {"stream": STREAM, "dgemm": DGEMM, "osu": LATENCY, "hpl": HPL}


def samples(value: float, unit: str, count: int, work: Work | None = None, seed: int = 1) -> Samples:
    """Return samples skewed to the slow side, as timings are."""
    source = random.Random(f"{value} {seed}")  # noqa: S311
    slower = [1 + abs(source.gauss(0, 0.012)) + (0.08 if source.random() < 0.06 else 0) for _ in range(count)]
    return Samples(
        unit=unit, samples=[value * s if unit == "s" else value / s for s in slower], **(work or Work()).of(unit)
    )


def breakdown(n: int, intervals: int = 40) -> tuple[Breakdown, float]:
    """Return an LU factorisation of order n and its seconds; panels and messages weigh more towards the end."""
    ends = [(index + 1) / intervals for index in range(intervals)]
    lefts = [1 - index / intervals for index in range(intervals + 1)]
    flops = [2 / 3 * n**3 * (big**3 - small**3) for big, small in pairwise(lefts)]
    update = [work / (0.955 * FLOPS) for work in flops]
    costs = {"panel": 0.9, "broadcast": 0.35, "swap": 0.5, "wait": 0.2}
    seconds = {
        name: [cost * (n / 20_000) ** 2 * (0.1 + left) / intervals for left in lefts[1:]]
        for name, cost in costs.items()
    } | {"update": update}
    phases = Breakdown(along="share of the columns eliminated", ends=ends, flops=flops, seconds=seconds)
    return phases, sum(phases.walls)


def record(
    name: str,
    index: int,
    parameters: Mapping[str, Scalar],
    metrics: dict[str, Samples] | None = None,
    *,
    threads: int = 2,
    ranks: int = 1,
    backend: str = "omp",
    status: str = "ok",
    reason: str | None = None,
    checks: list[Verification] | None = None,
    log: str | None = None,
    host: str = "koto",
) -> Record:
    """Return a record of one case; `index` is part of its identity, and later indices start later."""
    check = Verification(quantity="relative error", value=3.1e-15, tolerance=1e-13, passed=True)
    start = START + timedelta(seconds=20 * index)
    return Record.model_validate(
        grouped(
            {
                "benchmark": name,
                "backend": backend,
                "parameters": dict(parameters),
                "ranks": ranks,
                "threads": threads,
                "status": status,
                "reason": reason,
                "started": start,
                "ended": start + timedelta(seconds=12),
                "metrics": metrics or {},
                "verification": ([check] if metrics else []) if checks is None else checks,
                "hosts": [Hosts(names=host, ranks="0")],
                "binding": [Binding(ranks="0", threads=[str(t) for t in range(threads)])],
                "software": {
                    "compiler": "g++ 12.2.0",
                    "flags": "-O3 -march=native -fopenmp",
                    "mpi": "MPICH 5.0.2",
                    "blas": "OpenBLAS 0.3.34",
                    "blas_choice": "fastest of 2 probed: 199 Gflop/s",
                },
                "conditions": {"huge_page_fraction": 0.97, "clock_hz": 2.8e9, "steal_fraction": 0.0012},
                "provenance": Provenance(
                    id=f"{name}-{index:03d}",
                    run="evaluate-1",
                    case=f"{name}{index}",
                    machine="9f3ac81d20b7",
                    command=[f"banzuke-{name}-{backend}", *(f"--{k}={v}" for k, v in parameters.items())],
                    variables={
                        "OMP_NUM_THREADS": str(threads),
                        "OMP_PROC_BIND": "close",
                        "OPENBLAS_CORETYPE": "",
                    },
                    banzuke="0.1.0",
                    commit="2994bc6+",
                    log=log,
                ),
            }
        )
    )


Limit = Callable[[Samples], float | None]


def assess(
    case: Record,
    benchmarks: Mapping[str, Benchmark] = BENCHMARKS,
    peak: float | None = None,
    limit: Limit | None = None,
    **more: Any,
) -> Assessment:
    """Return the assessment of a record without the judges; `limit` returns a metric's limit in its unit, or None."""
    figures = []
    declared = {metric.name: metric for metric in benchmarks[case.benchmark].metrics}
    for name, measured in case.metrics.items():
        metric = declared[name]
        value = median(measured.samples)
        best = max(measured.samples) if metric.better == "higher" else min(measured.samples)
        bound = (limit or _limit)(measured)
        figures.append(
            Figure(
                metric=name,
                title=metric.title,
                unit=metric.unit,
                better=metric.better,
                headline=metric.headline,
                value=value,
                best=best,
                samples=tuple(measured.samples),
                limit=bound,
                limit_source=plain(
                    "memory bandwidth measured here" if metric.unit == "B/s" else "flop rate measured here"
                ),
                fraction_of_limit=None if bound is None else value / bound,
                peak=peak,
                peak_source=plain("theoretical peak"),
                fraction_of_peak=value / peak if peak else None,
            )
        )
    judged = {view.name: view.judge(case, machine()) for view in views(benchmarks[case.benchmark])}
    seen = {name: sight for name, sight in judged.items() if sight is not None}
    return Assessment(record=case, figures=tuple(figures), seen=seen, **more)


def _limit(measured: Samples) -> float | None:
    return {"B/s": BANDWIDTH, "flop/s": FLOPS}.get(measured.unit)
