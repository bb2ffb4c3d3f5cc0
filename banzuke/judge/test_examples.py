"""A machine, two benchmarks and their records, which the tests of this package vary one thing at a time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from banzuke.judge.assess import assess
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.site import Cache, Peak, Software
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Tuning
from banzuke.plan.capabilities import Messages
from banzuke.plan.resource import Resource, Resources
from banzuke.record.figures import Breakdown, Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Provenance, Record
from banzuke.record.state import ONE_STATE, State
from banzuke.testing import FLOPS, LOADS, MEMORY, Work, grouped, plain
from banzuke.testing import machine as example
from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.words.language import words

ENGLISH = words()
START = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
LLC = 32 << 20
N = 100_000_000
GIGA = 1e9
FINGERPRINT = "abc"

MACHINE = example(cores=4, threads_per_core=2, memory=1 << 36, last_level=LLC).changed(
    partition={
        "kernel": {"governor": "performance", "transparent_hugepages": "madvise", "numa_balancing": "0"},
        "software": Software(),
    },
    node={
        "peaks": {"memory.bytes": Peak(value=None, unit="B/s", derivation="the memory channels are unknown")},
    },
    processor={"nominal_hz": 2.5e9, "maximum_hz": 3.5e9},
    allotment={
        "fingerprint": FINGERPRINT,
        "memory_available": 1 << 35,
        "caches": [
            Cache(level=2, kind="unified", bytes=1 << 20, instances=4, shared_by=2),
            Cache(level=3, kind="unified", bytes=LLC, instances=1, shared_by=8),
        ],
        "fma_rate": 400 * GIGA,
        "peaks": {"flops.fp64": Peak(value=448 * GIGA, unit="flop/s", derivation="4 cores x 32 flop x 3.5 GHz")},
    },
)


def codes(findings: Sequence[Finding]) -> list[str]:
    return [finding.message.code for finding in findings]


def evidence(finding: Finding) -> str:
    return ENGLISH.attribute(finding.message, "evidence")


def confirm(finding: Finding) -> str:
    return ENGLISH.attribute(finding.message, "confirm")


def machine(**allotment: Any) -> Machine:
    return MACHINE.changed(allotment=allotment)


def _nothing(*_: object) -> dict[str, Any]:
    return {}


def _no_sweep(_: Machine) -> list[tuple[Layout, dict[str, Any]]]:
    return []


def _second(*_: object) -> float:
    return 1.0


def benchmark(name: str, metrics: tuple[Metric, ...], *measures: Resource) -> Benchmark:
    return Benchmark(
        name,
        name.title(),
        metrics,
        _nothing,
        _no_sweep,
        _second,
        "omp",
        Resources(measures),
        tuning=Tuning(tunable=("stores", "n")),
    )


STREAM = benchmark(
    "stream",
    (
        Metric("copy_bandwidth", "B/s", "higher", "Copy"),
        Metric("triad_bandwidth", "B/s", "higher", "Triad", headline=True),
    ),
    MEMORY,
    LOADS,
)
DGEMM = benchmark(
    "dgemm",
    (Metric("flop_rate", "flop/s", "higher", "DGEMM", headline=True),),
    FLOPS,
)
PHASES = {
    "update": Phase("update", useful=True),
    "panel": Phase("panel factorisation", advice="run with a smaller nb"),
}
SOLVER = replace(
    benchmark("solver", (Metric("time", "s", "lower", "Time to solution", headline=True),)),
    views=(TimeBreakdown(PHASES),),
)
SENDER = replace(
    benchmark("sender", (Metric("latency", "s", "lower", "Latency", headline=True),)),
    messages=Messages(),
)
BENCHMARKS = {"stream": STREAM, "dgemm": DGEMM, "solver": SOLVER, "sender": SENDER}


def provenance(**changes: Any) -> Provenance:
    base: dict[str, Any] = {
        "id": "1",
        "run": "r1",
        "case": "c",
        "machine": FINGERPRINT,
        "command": [],
        "banzuke": "0",
    }
    return Provenance.model_validate(base | changes)


def record(name: str, metrics: dict[str, Samples], **changes: Any) -> Record:
    """Return a verified record of ten seconds on four cores, with one thread pinned to each."""
    base: dict[str, Any] = {
        "benchmark": name,
        "backend": "omp",
        "parameters": {"n": N},
        "ranks": 1,
        "threads": 4,
        "status": "ok",
        "started": START,
        "ended": START + timedelta(seconds=10),
        "metrics": metrics,
        "verification": [Verification(quantity="error", value=0.0, tolerance=1.0, passed=True)],
        "hosts": [Hosts(names="node1", ranks="0")],
        "binding": [Binding(ranks="0", threads=["0", "1", "2", "3"])],
    }
    return Record.model_validate(grouped(base | changes))


def triad(*rates: float, n: float = N, moved: float = 24, **changes: Any) -> Record:
    """Return a STREAM record with Triad at `rates` in B/s, and a Copy that is slower than any of them."""
    copy = Samples(unit="B/s", samples=[min(rates) / 2], **Work(flops=0, bytes=16 * n, moved=16 * n).of("B/s"))
    work = Work(flops=2 * n, bytes=24 * n, moved=moved * n)
    return record(
        "stream",
        {"copy_bandwidth": copy, "triad_bandwidth": Samples(unit="B/s", samples=list(rates), **work.of("B/s"))},
        **changes,
    )


def dgemm(*rates: float, n: float = 10_000, **changes: Any) -> Record:
    work = Work(flops=2 * n**3, bytes=32 * n**2, moved=32 * n**2)
    return record("dgemm", {"flop_rate": Samples(unit="flop/s", samples=list(rates), **work.of("flop/s"))}, **changes)


def solver(*seconds: float, flops: float, moved: float, **changes: Any) -> Record:
    work = Work(flops=flops, bytes=moved, moved=moved)
    return record("solver", {"time": Samples(unit="s", samples=list(seconds), **work.of("s"))}, **changes)


def broken_down(work: float, seconds: float, /, **parts: list[float]) -> Record:
    """Return a solver's record of `seconds` for `work` flops, half of them in each half of the way."""
    halves = Breakdown(along="way", ends=[0.5, 1.0], flops=[work / 2, work / 2], seconds=parts)
    return solver(seconds, flops=work, moved=1.0, breakdown=halves)


BANDWIDTH = Ceiling(MEMORY, 40 * GIGA, "measured", plain("measured by stream"), 4)
FLOP_RATE = Ceiling(FLOPS, 360 * GIGA, "measured", plain("measured by dgemm"), 4)
FMA_RATE = Ceiling(
    FLOPS, 400 * GIGA, "measured", plain("measured without memory access"), 4, plain("register FMA rate"), above=True
)
CEILINGS = (BANDWIDTH, FLOP_RATE, FMA_RATE)


class OneState:
    """A machine that has only one state, with CEILINGS."""

    def state(self, _record: Record) -> State:
        return ONE_STATE

    def bounding(self, _record: Record) -> Sequence[Ceiling]:
        return CEILINGS


def judge(
    subject: Record,
    *siblings: Record,
    on: Machine = MACHINE,
    under: tuple[Ceiling, ...] | None = CEILINGS,
) -> Assessment:
    """Assess under fixed ceilings, or under those that the records themselves set when `under` is None."""
    records = (subject, *siblings)
    limiting = ceilings(records, on, BENCHMARKS) if under is None else under
    return assess(subject, siblings=Siblings(records, on), machine=on, benchmarks=BENCHMARKS, ceilings=limiting)
