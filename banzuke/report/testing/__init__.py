"""Artificial evaluations for tests of the report."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.limit.model import Ceiling
from banzuke.machine import published
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.site import Device
from banzuke.plan.benchmark import Metric
from banzuke.record.figures import Breakdown, Samples, Verification
from banzuke.record.model import Binding
from banzuke.report.model import Evaluation
from banzuke.report.testing.parts import (
    BANDWIDTH,
    BENCHMARKS,
    FLOPS,
    START,
    assess,
    benchmark,
    breakdown,
    machine,
    record,
    samples,
)
from banzuke.testing import FLOPS as FLOP_RATE
from banzuke.testing import MEMORY, Work, changed, plain
from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.words import Message, Quantity, Share, message

__all__ = ["BENCHMARKS", "empty", "hostile", "hpl", "only", "pingpong", "rich", "sixty", "stream", "with_devices"]

HOSTILE = "<script>window.hacked = 1</script></script>\"'| `x` & é 日本 {{ 7*7 }}\x00\x1b[31m"


def stream(index: int, threads: int, scale: float, count: int = 20, **more: Any) -> Assessment:
    """Return a case of STREAM that reaches `scale` of the memory bandwidth, with `count` samples of each kernel."""
    n = 134_217_728
    sizes = {"copy": (0, 16), "scale": (1, 16), "add": (1, 24), "triad": (2, 24)}
    metrics = {
        f"{kernel}_bandwidth": samples(
            BANDWIDTH * scale * (1 - 0.03 * position),
            "B/s",
            count,
            Work(flops=flops * n, bytes=moved * n, moved=moved * n),
            seed=index,
        )
        for position, (kernel, (flops, moved)) in enumerate(sizes.items())
    }
    return assess(record("stream", index, {"n": n, "nontemporal": True}, metrics, threads=threads), **more)


def dgemm(index: int, n: int, threads: int, share: float, count: int = 12, backend: str = "openblas") -> Assessment:
    work = Work(flops=2.0 * n**3, bytes=32.0 * n**2, moved=32.0 * n**2)
    check = Verification(quantity="scaled residual", value=0.0031, tolerance=16, passed=True)
    metrics = {"flop_rate": samples(FLOPS * threads / 2 * share, "flop/s", count, work, seed=index)}
    case = record("dgemm", index, {"n": n}, metrics, threads=threads, backend=backend, checks=[check])
    return assess(case, peak=217.6e9)


def hpl(index: int, n: int, **more: Any) -> Assessment:
    where, seconds = breakdown(n)
    work = Work(flops=2 / 3 * n**3, bytes=8.0 * n**2, moved=8.0 * n**2)
    measured = Samples(unit="flop/s", samples=[work.flops / seconds], **work.of("flop/s"))
    case = record("hpl", index, {"n": n, "nb": 192, "p": 1, "q": 2}, {"flop_rate": measured}, ranks=2, threads=1)
    return assess(case.model_copy(update={"breakdown": where}), **more)


def pingpong(index: int, size: int) -> Assessment:
    time = 0.7e-6 + size / 11e9
    metrics = {
        "latency": samples(time, "s", 200, seed=index),
        "bandwidth": samples(size / time, "B/s", 200, seed=index),
    }
    case = record("osu", index, {"bytes": size}, metrics, ranks=2, threads=1)
    return assess(case, limit=lambda _: None)


def rich() -> Evaluation:
    """Return every kind at once: verified, failed, skipped, not verified, a single sample, a figure above its limit."""
    clock = message("limit-below-nominal", clock=Quantity(2.8e9, "Hz"), nominal=Quantity(3.4e9, "Hz"))
    cause = Finding(0.18, clock)
    cases = [
        stream(
            1,
            2,
            0.985,
            verdict=(plain("Triad reaches 93% of the bandwidth that this machine showed; nothing held it back."),),
        ),
        stream(
            2,
            1,
            0.61,
            causes=(Finding(0.15, message("limit-idle-cores", cores=1, available=2)),),
        ),
        stream(
            3,
            3,
            1.045,
            warnings=(plain("Copy lies above its limit: the ceiling was measured during a disturbance."),),
        ),
        stream(4, 4, 0.97, count=1),
    ]
    sizes = (256, 512, 1024, 2048, 4096, 8192)
    cases += [dgemm(10 + i, n, 2, 0.97 - 60 / n) for i, n in reversed(list(enumerate(sizes)))]
    cases += [dgemm(20 + i, n, 1, 0.98 - 40 / n) for i, n in enumerate(sizes)]
    cases[4] = Assessment(
        cases[4].record, cases[4].figures, (cause,), verdict=(plain("Close to the clock that the cores held."),)
    )
    wrong = Verification(quantity="scaled residual", value=231.0, tolerance=16, passed=False)
    nan = Verification(quantity="scaled residual", value=None, tolerance=16, passed=False)
    failed = [
        record(
            "dgemm",
            30,
            {"n": 16384},
            status="failed",
            reason="verification failed",
            checks=[wrong],
            backend="blis",
        ),
        record(
            "dgemm",
            31,
            {"n": 32768},
            status="failed",
            reason="the result is not finite",
            checks=[nan],
            backend="blis",
        ),
        record(
            "dgemm",
            32,
            {"n": 65536},
            status="failed",
            reason="killed by signal 9",
            log="out of memory\nKilled",
        ),
        record(
            "osu",
            40,
            {"bytes": 1 << 30},
            status="skipped",
            reason="a message of 1 GiB needs 4 GiB, 3 GiB are free",
            ranks=2,
        ),
    ]
    cases += [Assessment(case, ()) for case in failed[:3]]
    cases += [pingpong(50 + i, 1 << p) for i, p in enumerate(range(3, 23))]
    cases.append(Assessment(failed[3], ()))
    cases += [hpl(80, 20_000), hpl(81, 8_000)]
    return Evaluation(
        run="evaluate-1",
        machine=machine(),
        assessments=tuple(cases),
        ceilings=(
            Ceiling(MEMORY, BANDWIDTH, "measured", plain("stream, copy_bandwidth, 2 threads"), 2),
            Ceiling(FLOP_RATE, FLOPS, "measured", plain("dgemm, n = 8,192, 2 threads"), 2),
            Ceiling(
                FLOP_RATE,
                214e9,
                "measured",
                plain("register-only FMA on 2 cores"),
                2,
                Message("dgemm-register-rate"),
                above=True,
            ),
            Ceiling(FLOP_RATE, 217.6e9, "theoretical", plain("2 cores × 3.4 GHz × 32 flop per cycle")),
            Ceiling(MEMORY, 48e9, "theoretical", plain("2 channels × 8 B × 3.0 GT/s")),
        ),
        benchmarks=BENCHMARKS,
        started=START,
        ended=START + timedelta(minutes=17, seconds=5),
        planned=len(cases) + 1,
        published=tuple(published.load()),
        unreadable=("results/records-7.jsonl, line 12: not JSON",),
        overhead_seconds=7.4,
    )


ON_DEVICE = 20.0
"""Factor of a device on the rates of the processors."""


SLOWER = 0.3
"""Factor of the second kind of device on the rates of the first one."""


def with_devices() -> Evaluation:
    """Return cases on processors, and the same on one device and on two."""
    host = rich()
    machine = host.machine.changed(node={"devices": [Device(name="P100", count=2)]})
    cases = (*host.assessments, *_on_devices(["GPU-1"], ["GPU-1", "GPU-2"]))
    ceilings = (*host.ceilings, *_of_devices(host.ceilings, "P100", 1.0))
    return replace(host, machine=machine, ceilings=ceilings, assessments=cases)


def with_two_kinds() -> Evaluation:
    """Return the same, and cases on a device of another kind, and on all at once."""
    evaluation = with_devices()
    kinds = {"GPU-1": "P100", "GPU-2": "P100", "GPU-3": "T4"}
    machine = evaluation.machine.changed(
        node={"devices": [*evaluation.machine.node.devices, Device(name="T4")]},
        allotment={
            "devices": [
                AllottedDevice(identity=identity, name=name, vendor="NVIDIA", memory=1 << 34, memory_available=1 << 34)
                for identity, name in kinds.items()
            ]
        },
    )
    cases = (*evaluation.assessments, *_on_devices(["GPU-3"], slower=SLOWER, kind="T4"), *_on_devices([*kinds]))
    ceilings = (*evaluation.ceilings, *_of_devices(rich().ceilings, "T4", SLOWER))
    return replace(evaluation, machine=machine, ceilings=ceilings, assessments=cases)


def _of_devices(of_host: Iterable[Ceiling], kind: str, slower: float) -> list[Ceiling]:
    return [
        replace(ceiling, value=slower * ON_DEVICE * ceiling.value, threads=None, device=kind, source=plain("1 device"))
        for ceiling in of_host
        if not ceiling.above
    ]


def _on_devices(*sets: list[str], slower: float = 1.0, kind: str = "") -> Iterator[Assessment]:
    flops, triad = Work(flops=2e12, bytes=2.4e9, moved=2.4e9), Work(flops=2e8, bytes=2.4e9, moved=2.4e9)
    variant = {"device": kind} if kind else {}  # as a launch records it where a node has several kinds
    for index, devices in enumerate(sets):
        speed = slower * ON_DEVICE * len(devices)
        metrics = {
            "dgemm": {"flop_rate": samples(0.9 * speed * FLOPS, "flop/s", 5, flops, seed=1)},
            "stream": {"triad_bandwidth": samples(0.85 * speed * BANDWIDTH, "B/s", 5, triad, seed=2)},
        }
        for name, measured in metrics.items():
            number = 200 + 10 * len(kind) + 100 * (len(devices) > 2) + index
            case = record(name, number, {"n": 30_000}, measured, threads=1, backend="cuda")
            case = changed(case, binding=[Binding(ranks="0", threads=["0"], devices=devices)])
            provenance = case.provenance and case.provenance.model_copy(update={"variant": variant})
            yield assess(case.model_copy(update={"provenance": provenance}), limit=lambda _: None)


def only(*assessments: Assessment, name: str = "koto", **more: Any) -> Evaluation:
    """Return an evaluation of these cases only; `more` replaces its fields."""
    usual: dict[str, Any] = {
        "run": "r",
        "machine": machine(name),
        "assessments": assessments,
        "ceilings": (),
        "benchmarks": BENCHMARKS,
        "started": START,
        "ended": START + timedelta(minutes=1),
        "planned": len(assessments),
    }
    return Evaluation(**usual | more)


def empty() -> Evaluation:
    return only(planned=3, machine=machine(sparse=True))


def hostile() -> Evaluation:
    """Return an evaluation in which every external text tries to break out of its place."""
    text = HOSTILE
    benchmarks = {
        "stream": replace(
            benchmark("stream", text, (Metric("triad_bandwidth", "B/s", "higher", text, headline=True),)),
            views=(TimeBreakdown({text: Phase(text)}),),
        )
    }
    metrics = {"triad_bandwidth": samples(4e10, "B/s", 5, Work(flops=2, bytes=24, moved=24))}
    seconds = {text: [1.0, 2.0], f"{text}.[0]": [0.5, 0.5]}
    where = Breakdown(along=text, ends=[0.5, 1.0], flops=[1e9, 1e9], seconds=seconds)
    good = record("stream", 1, {text: text}, metrics, host=text, backend=text).model_copy(update={"breakdown": where})
    bad = record("stream", 2, {text: "=1+1"}, status="failed", reason=text, log=text)
    cause = Finding(0.1, message("views-costly-phase", phase=text, share=Share(0.1), advice=text))
    return only(
        assess(good, benchmarks, causes=(cause,), warnings=(plain(text),), verdict=(plain(text),)),
        Assessment(bad, ()),
        name=text,
        run=text,
        benchmarks=benchmarks,
        ceilings=(
            Ceiling(MEMORY, 4e10, "measured", plain(text)),
            Ceiling(FLOP_RATE, 4e10, "measured", plain(text)),
        ),
        unreadable=(text,),
    )


def sixty() -> Evaluation:
    return only(*(dgemm(index, 128 * index, 1 + index % 3, 0.5 + index / 150) for index in range(1, 61)))
