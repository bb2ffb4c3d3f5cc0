"""A report of a case of every benchmark that has words in another language, with all that its record may have."""

from collections.abc import Iterator
from datetime import timedelta

from banzuke.amounts import Scalar
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.machine import published
from banzuke.machine.model import Machine
from banzuke.paths import BENCHMARKS
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.report.testing.parts import START, machine, record, samples
from banzuke.testing import changed
from banzuke.words.testing import written_conditions

KERNEL = {
    "release": "6.18.0",
    "transparent_hugepages": "madvise",
    "preemption": "none or voluntary",
    "numa_balancing": "0",
    "mitigations": "on: meltdown; vulnerable: mds",
    "container": "none",
}
CHOICE = (
    "Fastest: OpenBLAS 0.3.34 (/opt/libopenblas.so), 199 Gflop/s. 2.1x as fast as BLIS 0.9 (/usr/lib/libblis.so), "
    "which programs linked with -lblas use."
)
SOFTWARE = {"compiler": "g++ 12.2.0", "blas": "OpenBLAS 0.3.34", "blas_choice": CHOICE}
REASONS = (
    "killed by signal 9 (SIGKILL); the kernel does so when memory runs out",
    "exceeded its time limit of 60 s and was ended; its last step: 3/9",
    "out of memory: this rank asked for 4096 bytes",
)


def translated(language: str = "ja") -> dict[str, Benchmark]:
    """Return the benchmarks that have words in a language."""
    return {name: own for name, own in benchmarks().items() if (BENCHMARKS / name / f"{language}.ftl").exists()}


def catalogue() -> Evaluation:
    """Return a case of every benchmark, and failures."""
    specs, here = translated(), machine()
    here = here.changed(partition={"kernel": KERNEL}, node={"peaks": {}}, allotment={"peaks": {}})
    cases = [case for place, own in enumerate(specs.values()) for case in _cases(own, place, here, specs)]
    return Evaluation(
        run="evaluate-1",
        machine=here,
        assessments=tuple(cases),
        ceilings=(),
        benchmarks=specs,
        started=START,
        ended=START + timedelta(minutes=5),
        planned=len(cases) + 1,
        missing_launches=2,
        published=tuple(published.load()),
    )


def _cases(own: Benchmark, place: int, here: Machine, specs: dict[str, Benchmark]) -> Iterator[Assessment]:
    for case in (_measured(own, place), _failed(own, place)):
        yield assess(case, siblings=Siblings(), machine=here, benchmarks=specs, ceilings=())


def _measured(own: Benchmark, place: int) -> Record:
    values = {metric.name: _samples(metric.unit, place) for metric in own.metrics}
    seen = dict.fromkeys(sorted(written_conditions(BENCHMARKS / own.name)), 3)
    case = record(
        own.name,
        100 * place,
        _problem(own, 1000) or {"n": 4096},
        values,
        ranks=2,
        threads=4,
        backend=own.default_backend or "omp",
    )
    return changed(case, software=SOFTWARE, conditions={**case.conditions, **seen}, verification=[])


def _samples(unit: str, place: int) -> Samples:
    return samples({"s": 1e-3, "1": 0.5, "count": 30.0}.get(unit, 1e9), unit, 5, seed=place)


def _failed(own: Benchmark, place: int) -> Record:
    reason = REASONS[place % len(REASONS)]
    backend = own.default_backend or "omp"
    parameters = _problem(own, 2000) or {"n": 8192}
    failed = record(
        own.name, 100 * place + 1, parameters, status="failed", reason=reason, ranks=2, threads=4, backend=backend
    )
    return changed(failed, software=SOFTWARE)


def _problem(own: Benchmark, size: int) -> dict[str, Scalar]:
    """Return the parameters that name a problem of a collection."""
    collection = own.collection
    return {collection.family: "stencil-27", collection.size: size, collection.file: ""} if collection else {}
