"""An artificial collection: sparse matrices of several families, from cache-resident ones to far larger ones."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from banzuke.amounts import Scalar
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Collection, Metric, Statistic
from banzuke.record.figures import Samples
from banzuke.record.model import Binding
from banzuke.report.model import Evaluation
from banzuke.report.testing.parts import BANDWIDTH, BENCHMARKS, START, benchmark, machine, record, samples
from banzuke.testing import FLOPS, MEMORY, Work, changed, plain
from banzuke.views.collection import ProblemFamilies

FAMILIES = {
    "stencil-5": 5, "stencil-7": 7, "stencil-9": 9, "stencil-27": 27, "elasticity": 81, "fem-natural": 15,
    "fem-rcm": 15, "fem-random": 15, "qcd": 39, "banded": 21, "random": 10, "rmat": 16, "road": 3, "circuit": 6,
    "kkt": 9, "lp": 8, "protein": 60,
}  # fmt: skip
"""Mean length of a row by family."""
CACHE = 60 << 20


@dataclass(frozen=True)
class SparseSide:
    """A machine or device that solves the problems, with artificial rates."""

    bandwidth: float = BANDWIDTH
    cache: int = CACHE
    start: float = 4e-6
    slower: float = 1.0
    threads: int = 2
    device: str = ""


SIDES = {
    "omp": SparseSide(),
    "mkl": SparseSide(slower=0.8),
    "cuda": SparseSide(20 * BANDWIDTH, 30 << 20, 9e-6, threads=1, device="GPU-1"),
    "hip": SparseSide(30 * BANDWIDTH, 8 << 20, 12e-6, threads=1, device="GPU-2"),
}
PEAK, DEVICE_PEAK = 217.6e9, 6.8e12
"""flop/s of the processors and of a device."""
SPARSE = replace(
    benchmark(
        "spmv",
        "SpMV",
        (
            Metric("flop_rate", "flop/s", "higher", "SpMV", headline=True),
            Metric("conversion_time", "s", "lower", "Conversion"),
        ),
    ),
    views=(ProblemFamilies(),),
    collection=Collection(
        noun="matrices",
        problems=lambda _machine, _layout, _families: (),
        family="family",
        size="nonzeros",
        file="file",
        suffixes=(".mtx", ".mtx.gz"),
        along=Statistic("nonzeros", "non-zeros"),
        statistics=(
            Statistic("rows", "rows"),
            Statistic("row_mean", "mean row"),
            Statistic("row_cv", "row CV"),
            Statistic("row_max", "longest row"),
            Statistic("working_set", "working set", "B"),
        ),
        choice="format",
    ),
)


def matrix(index: int, family: str, nonzeros: int, backend: str, *, failed: bool = False, file: str = "") -> Assessment:
    """Return one matrix of the collection; a small one stays in the caches of its backend's side."""
    source = random.Random(f"{family} {nonzeros} {backend}")  # noqa: S311
    row = FAMILIES.get(family, 12)
    rows = max(1, nonzeros // row)
    working_set = 12.0 * nonzeros + 20.0 * rows
    work = Work(flops=2.0 * nonzeros, bytes=working_set, moved=working_set)
    side = SIDES[backend]
    from_cache = 1 / (1 + (working_set / (2 * side.cache)) ** 2)
    speed = side.bandwidth * (0.85 + 3 * from_cache) * source.uniform(0.75, 1.05) * side.slower
    seconds = working_set / speed + side.start
    parameters: dict[str, Scalar] = {
        "file": file,
        "family": family,
        "nonzeros": nonzeros,
        "format": "auto",
        "rounds": 100,
        "flush": 0,
    }
    if failed:
        reason = f"{file}, line 7: column 12 of a matrix with 10 columns"
        return Assessment(
            record(
                "spmv",
                index,
                parameters,
                threads=SIDES[backend].threads,
                backend=backend,
                status="failed",
                reason=reason,
            ),
            (),
            verdict=(plain(reason),),
        )
    metrics = {
        "flop_rate": samples(work.flops / seconds, "flop/s", 30, work, seed=index),
        "conversion_time": Samples(unit="s", samples=[30 * seconds]),
    }
    subject = record("spmv", index, parameters, metrics, threads=side.threads, backend=backend)
    if side.device:
        subject = changed(subject, binding=[Binding(ranks="0", threads=["0"], devices=[side.device])])
    conditions = {
        "rows": rows,
        "row_mean": nonzeros / rows,
        "row_cv": 1.7 if family in ("rmat", "circuit") else 0.2,
        "row_max": row * (40 if family in ("rmat", "circuit") else 2),
        "nonzeros": nonzeros + index % 7,
        "working_set": working_set,
        "format": {"mkl": "mkl"}.get(backend, "sell 8x512" if row < 30 else "bcsr 3x3"),
    }
    conditions |= {"l2_cache": side.cache} if side.device else {}
    subject = subject.model_copy(update={"conditions": {**subject.conditions, **conditions}})
    benchmarks = {**BENCHMARKS, "spmv": SPARSE}
    return assess(subject, siblings=Siblings(), machine=machine(), benchmarks=benchmarks, ceilings=ceilings(backend))


def ceilings(*backends: str) -> tuple[Ceiling, ...]:
    """Return the ceilings of the processors, and of the device if there is one."""
    devices = [side for backend in backends if (side := SIDES[backend]).device]
    return (
        Ceiling(MEMORY, BANDWIDTH, "measured", plain("by stream's triad_bandwidth on 2 cores"), 2),
        *(
            Ceiling(MEMORY, side.bandwidth, "measured", plain("by stream's triad_bandwidth on 1 device"), device="")
            for side in devices
        ),
        Ceiling(FLOPS, PEAK, "theoretical", plain("2 cores × 3.4 GHz × 32 flop per cycle")),
        *(Ceiling(FLOPS, DEVICE_PEAK, "theoretical", plain("its multiprocessors"), device="") for _ in devices[:1]),
    )


def collection(backends: Sequence[str] = ("omp", "mkl"), families: int = 17, sizes: int = 12) -> Evaluation:
    """Return the collection, whose last problem is a user's file that cannot be read."""
    steps = [round(1000 * 10 ** (step * math.log10(5e4) / (sizes - 1))) for step in range(sizes)]
    chosen = [*FAMILIES][:families]
    cases = [(family, nonzeros, backend) for nonzeros in steps for family in chosen for backend in backends]
    assessments = [matrix(index, *case) for index, case in enumerate(cases)]
    assessments.append(
        matrix(len(assessments), "stencil-5", 1000, backends[0], failed=True, file="/data/own/bad.mtx.gz")
    )
    return Evaluation(
        run="spmv-1",
        machine=machine(),
        assessments=tuple(assessments),
        ceilings=ceilings(*backends),
        benchmarks={**BENCHMARKS, "spmv": SPARSE},
        started=START,
        ended=START + timedelta(minutes=2),
        planned=len(assessments),
    )
