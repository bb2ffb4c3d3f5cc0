"""Artificial noise in several environments, by fixed work and by fixed time, and other benchmarks in the same ones."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.machine import published
from banzuke.plan.benchmark import Metric
from banzuke.plan.catalogue import find
from banzuke.record.figures import Distribution, Line, Samples, Series
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.report.model import Evaluation
from banzuke.report.testing import dgemm, only, stream
from banzuke.report.testing.parts import BENCHMARKS, benchmark, machine, record
from banzuke.testing import changed

QUANTUM = 6.13e-3
INTERVAL = 1e-3
TICKS = 250
NOISE = replace(
    benchmark(
        "noise",
        "OS noise",
        (
            Metric("maximum_noise", "s", "lower", "Longest noise", headline=True),
            Metric("noise_share", "1", "lower", "Time lost", headline=True),
            Metric("mean_noise", "s", "lower", "Mean"),
            Metric("maximum_noise_beyond_clock", "s", "lower", "Longest noise beyond the clock"),
            Metric("noise_share_beyond_clock", "1", "lower", "Time lost beyond the clock"),
            Metric("core_maximum_noise", "s", "lower", "Longest noise by processor"),
            Metric("core_noise_share", "1", "lower", "Time lost by processor"),
        ),
    ),
    views=find("noise").views,
)
KNOWN = {**BENCHMARKS, "noise": NOISE}
DAEMONS: Mapping[str, float] = {"native": 1e-2, "container": 1e-2, "isolated": 0.0, "mckernel": 0.0, "vm:tcg": 5e-2}
"""Probability of a long noise in a quantum."""


def quantum_noise(source: random.Random, environment: str, sick: float) -> tuple[int, int]:
    """Return the nanoseconds of noise in total, and the clock's part."""
    clock = int(abs(source.gauss(0, 2000)))
    ticks = 0 if environment == "mckernel" else source.choice((1, 2)) * 2300
    daemon = source.random() < DAEMONS[environment] * sick
    long = int(1e5 * source.paretovariate(1.1)) if daemon else 0
    return min(ticks + long, 29_370_000) + clock, clock


def fwq(
    index: int,
    environment: str = "native",
    processors: int = 4,
    quanta: int = 1500,
    *,
    sick: int | None = 3,
    hosts: int = 1,
    **conditions: Any,
) -> Assessment:
    """Return a case of fixed work quanta; the processor `sick` is disturbed far more than the others."""
    source = random.Random(f"{environment} {index}")  # noqa: S311
    lines, clocks = [], []
    for place in range(processors):
        drawn = [quantum_noise(source, environment, 20.0 if place == sick else 1.0) for _ in range(quanta)]
        where: dict[str, Any] = {"host": f"koto{place * hosts // processors}", "rank": 0, "thread": place, "cpu": place}
        lines.append(Line(**where, base=QUANTUM, values=[noise for noise, _ in drawn]))
        clocks.append(Line(**where, base=0.0, values=[clock for _, clock in drawn]))
    series = {
        name: Series(unit="s", resolution=1e-9, lines=kept) for name, kept in (("time", lines), ("clock", clocks))
    }
    lengths = [[value - least for value in line.values] for line in lines for least in [min(line.values)]]
    beyond = [
        [max(0, value - clock + least) for value, clock in zip(line, clock_line.values, strict=True)]
        for line, clock_line in zip(lengths, clocks, strict=True)
        for least in [min(clock_line.values)]
    ]
    every, rest = ([value for line in rows for value in line] for rows in (lengths, beyond))
    time = QUANTUM * len(every) + 1e-9 * sum(value for line in lines for value in line.values)
    lost = 1e-9 * sum(every)
    metrics = {
        "maximum_noise": ("s", [1e-9 * max(every)]),
        "noise_share": ("1", [lost / time]),
        "mean_noise": ("s", [lost / len(every)]),
        "maximum_noise_beyond_clock": ("s", [1e-9 * max(rest)]),
        "noise_share_beyond_clock": ("1", [1e-9 * sum(rest) / time]),
        "core_maximum_noise": ("s", [1e-9 * max(row) for row in lengths]),
        "core_noise_share": ("1", [1e-9 * sum(row) / (quanta * QUANTUM + 1e-9 * sum(row)) for row in lengths]),
    }
    seen = {
        "quantum": QUANTUM,
        "clock_resolution": 2.8e-6,
        "method": "the shortest piece of each quantum",
        "interrupts": {"LOC": round(TICKS * time), "NVMe0q3": round(40 * time), "TLB": 12},
        "run_delay": 0.3 * lost,
        "stolen_seconds": 0.2 * lost,
        "involuntary_switches": 61,
        "timed_seconds": time / processors,
    }
    parameters = {"test": "fwq", "quantum": QUANTUM, "samples": quanta}
    distributions = {"noise": _distribution(every), "noise_beyond_clock": _distribution(rest)}
    return _judged(index, environment, parameters, metrics, series, {**seen, **conditions}, distributions)


def ftq(
    index: int, environment: str = "native", processors: int = 2, intervals: int = 8192, *, busy: float = 0.0
) -> Assessment:
    """Return a case of fixed time quanta with timer ticks of 3 us, and 40 us of another noise eleven times a second.

    `busy`: share of the ticks after which another process runs for about 0.5 ms.
    """
    source = random.Random(f"ftq {environment} {index}")  # noqa: S311
    most, lines = 50_000, []
    for place in range(processors):
        values = []
        for at in range(intervals):
            ticks = at % (1000 // TICKS) == place % 4
            lost = abs(source.gauss(0, 2e-4)) + (3e-3 if ticks else 0.0)
            lost += source.uniform(0.1, 0.9) if ticks and source.random() < busy else 0.0
            values.append(round(most * (1 - lost - (0.04 if at % 91 == 17 else 0.0))))
        lines.append(Line(host="koto0", rank=0, thread=place, cpu=place, base=0.0, values=values))
    shares = [1 - sum(line.values) / len(line.values) / max(line.values) for line in lines]
    seconds = intervals * INTERVAL
    seen = {
        "quantum": INTERVAL,
        "interrupts": {"LOC": round(TICKS * seconds * processors)},
        "timed_seconds": seconds,
    }
    metrics = {"noise_share": ("1", [sum(shares) / len(shares)]), "core_noise_share": ("1", shares)}
    series = {"work": Series(unit="1", resolution=1.0, lines=lines)}
    return _judged(
        index, environment, {"test": "ftq", "quantum": INTERVAL, "samples": intervals}, metrics, series, seen
    )


def _distribution(values: Sequence[int]) -> Distribution:
    """Return the distribution, whose values from a thousand on are rounded up to three digits."""

    def rounded(value: int) -> int:
        step = 10 ** max(0, len(str(value)) - 3) if value >= 1000 else 1
        return -(-value // step) * step

    counts = sorted(Counter(map(rounded, values)).items())
    return Distribution(unit="s", resolution=1e-9, values=[v for v, _ in counts], counts=[n for _, n in counts])


def _judged(
    index: int,
    environment: str,
    parameters: Mapping[str, Any],
    metrics: Mapping[str, tuple[str, list[float]]],
    series: dict[str, Series],
    conditions: dict[str, Any],
    distributions: dict[str, Distribution] | None = None,
) -> Assessment:
    lines = next(iter(series.values())).lines
    hosts = sorted({line.host for line in lines})
    per_host = len(lines) // len(hosts)
    measured = {name: Samples(unit=unit, samples=samples) for name, (unit, samples) in metrics.items()}
    made = record("noise", index, parameters, measured, ranks=len(hosts), threads=per_host)
    made = changed(
        made,
        series=series,
        distributions=distributions or {},
        conditions=conditions,
        hosts=[Hosts(names=host, ranks=str(rank)) for rank, host in enumerate(hosts)],
        binding=[
            Binding(ranks=str(rank), threads=[str(line.cpu) for line in lines[rank * per_host : (rank + 1) * per_host]])
            for rank in range(len(hosts))
        ],
    )
    return assess(placed(made, environment), siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=())


def placed(case: Record, environment: str) -> Record:
    """Return the same case in an environment."""
    if case.provenance is None:
        raise ValueError("made-up records have one")
    details = {"accelerator": "tcg", "kernel": "6.1.0"} if environment == "vm:tcg" else {}
    details |= {"tool": "podman 4.3.1"} if environment == "container" else {}
    identity = {"environment": environment, "case": f"{case.provenance.case} {environment}"}
    update = {"id": f"{case.provenance.id}-{environment}", "environment_details": details, **identity}
    return case.model_copy(update={"provenance": case.provenance.model_copy(update=update)})


def moved(case: Assessment, environment: str, repetition: int = 0) -> Assessment:
    """Return a launch of the case in an environment; environments take turns in each round, with 0.5% variation."""
    record = placed(case.record, environment)
    if record.provenance is None:
        raise ValueError("made-up records have one")
    origin = {"id": f"{record.provenance.id}-{repetition}", "repetition": repetition}
    factor = random.Random(f"{environment} {repetition}").gauss(1, 0.005) if repetition else 1.0  # noqa: S311
    later = timedelta(seconds=20 * (repetition * len(DAEMONS) + list(DAEMONS).index(environment)))
    update = {
        "started": record.started + later,
        "ended": record.ended + later,
        "provenance": record.provenance.model_copy(update=origin),
        "metrics": {
            name: samples.model_copy(update={"samples": [factor * sample for sample in samples.samples]})
            for name, samples in record.metrics.items()
        },
    }
    return replace(case, record=record.model_copy(update=update))


def noisy(quanta: int = 1500) -> Evaluation:
    """Return all environments with STREAM and DGEMM in each, and STREAM's first case in three rounds."""
    cases = [fwq(index, environment, quanta=quanta) for index, environment in enumerate(DAEMONS)]
    cases += [ftq(10), ftq(11, "isolated")]
    costs = {"native": 1.0, "container": 0.995, "isolated": 1.02, "vm:tcg": 0.05, "mckernel": 1.01}
    for index, (environment, speed) in enumerate(costs.items()):
        cases += [moved(stream(20, 2, 0.95 * speed), environment, repetition) for repetition in range(3)]
        cases.append(moved(stream(21, 1, 0.7 * speed), environment))
        cases.append(moved(dgemm(30, 4096, 2, 0.9 * (1 - 0.03 * (index == 1))), environment))
    return only(*cases, benchmarks=KNOWN, published=tuple(published.load()))


def alone() -> Evaluation:
    """Return a case in one environment on one processor."""
    return only(fwq(1, processors=1, quanta=300, sick=None), benchmarks=KNOWN)


def many(hosts: int = 40, per_host: int = 16) -> Evaluation:
    """Return a case with more processors than are drawn individually."""
    return only(fwq(1, processors=hosts * per_host, quanta=40, sick=77, hosts=hosts), benchmarks=KNOWN)
