"""Who is blamed for noise: what the counters, a trace or the spectrum carry, and nothing else."""

import random
from typing import Any

import pytest

from banzuke.limit.assess import assess
from banzuke.limit.finding import Finding
from banzuke.limit.noise import Noise
from banzuke.limit.noise_sources import tick
from banzuke.limit.siblings import Siblings
from banzuke.limit.test_examples import ENGLISH, confirm, evidence
from banzuke.report.testing.noise import KNOWN, QUANTUM, TICKS, ftq, fwq
from banzuke.report.testing.parts import machine

SILENT: dict[str, Any] = {"interrupts": {}, "run_delay": 0.0, "stolen_seconds": 0.0, "involuntary_switches": 0}


def named(causes: tuple[Finding, ...], word: str) -> Finding | None:
    return next((cause for cause in causes if word in ENGLISH(cause.message)), None)


def causes(**conditions: Any) -> tuple[Finding, ...]:
    return fwq(1, sick=None, **{**SILENT, **conditions}).causes


@pytest.mark.parametrize(
    ("conditions", "what", "shown"),
    [
        ({"stolen_seconds": 0.1}, "The hypervisor", "100 ms taken by kvm"),
        (
            {"run_delay": 0.12, "involuntary_switches": 61},
            "Other processes",
            "waited 120 ms for their processors, preempted 61",
        ),
        ({"interrupts": {"Local timer interrupts": 36_780}}, "Timer tick", "999 timer interrupts per second"),
        ({"interrupts": {"NVMe0q3": 3678}}, "Interrupts of devices", "NVMe0q3 99.9"),
        (
            {"blame": [{"who": "kworker/1:2", "kind": "process", "events": 12, "seconds": 0.08, "longest": 2e-3}]},
            "kworker/1:2 (process)",
            "80 ms in 12 traced events, the longest 2 ms",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_seen_is_named_with_its_evidence(conditions: dict[str, Any], what: str, shown: str) -> None:
    found = named(causes(**conditions), what)
    assert found
    assert shown in evidence(found)
    assert named(causes(), what) is None


def test_a_trace_is_advised_where_there_is_none_and_neighbours_that_were_started_are_told() -> None:
    untraced = named(causes(run_delay=0.12), "Other processes")
    traced = named(causes(run_delay=0.12, blame=[]), "Other processes")
    assert untraced
    assert traced
    assert "trace=on" in confirm(untraced)
    assert "trace=on" not in confirm(traced)
    record = fwq(1, sick=None, **{**SILENT, "run_delay": 0.12}).record
    assert record.provenance
    beside = record.model_copy(update={"provenance": record.provenance.model_copy(update={"neighbours": 3})})
    judged = assess(beside, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=())
    assert named(judged.causes, "3 of them started by --neighbours")


def test_little_of_it_is_no_cause() -> None:
    found = Noise.of(fwq(1, sick=None).record)
    assert found
    little = {"stolen_seconds": 0.04 * found.lost, "run_delay": 0.04 * found.lost}
    assert named(causes(**little), "hypervisor") is None
    assert named(causes(**little), "Other processes") is None


def test_the_clock_is_named_for_its_share_and_with_what_can_be_told() -> None:
    found = named(fwq(1, "isolated", sick=None).causes, "Changing clock")
    assert found
    assert "resolved down to 2.8 µs" in evidence(found)


def test_a_processor_with_far_more_noise_is_named_and_many_are_not() -> None:
    found = fwq(1)
    cause = named(found.causes, "noisier than the others")
    assert cause
    assert ENGLISH(cause.message).startswith("processor 3:")
    assert "noisiest: processor 3" in ENGLISH.joined(found.verdict)
    assert named(fwq(1, sick=None).causes, "noisier") is None


def test_the_spectrum_tells_how_long_a_tick_takes_and_an_uncounted_tick_is_not_named() -> None:
    found = named(ftq(1).causes, "Timer tick")
    assert found
    assert f"{TICKS} of them take at least 3" in evidence(found)
    counted = ftq(1).record
    silent = counted.model_copy(update={"conditions": {**counted.conditions, "interrupts": {}}})
    without, with_them = Noise.of(silent), Noise.of(counted)
    assert without
    assert with_them
    assert tick(without) is None
    assert tick(with_them)


@pytest.mark.parametrize("busy", [0.05, 0.2, 0.5])
def test_a_process_that_runs_after_some_ticks_is_not_theirs(busy: float) -> None:
    found = Noise.of(ftq(1, busy=busy).record)
    assert found
    ticks = tick(found)
    assert ticks
    assert ticks.peak.lost > 20e-6
    assert ticks.lost == pytest.approx(3e-6, rel=0.1)


def test_what_a_tick_takes_is_not_told_where_other_noise_hides_it() -> None:
    source = random.Random(1)  # noqa: S311
    case = ftq(1, busy=0.3).record
    lines = [
        line.model_copy(update={"values": [round(value * source.uniform(0.5, 1)) for value in line.values]})
        for line in case.series["work"].lines
    ]
    noisy = case.model_copy(update={"series": {"work": case.series["work"].model_copy(update={"lines": lines})}})
    found = Noise.of(noisy)
    assert found
    assert tick(found)
    cause = named(
        assess(noisy, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=()).causes, "Timer tick"
    )
    assert cause
    assert cause.message.code == "limit-noise-timer"


def test_a_verdict_tells_the_share_of_the_time() -> None:
    assert "of the time is noise" in ENGLISH.joined(fwq(1).verdict)
    assert "without the clock's part" in ENGLISH.joined(fwq(1, "isolated").verdict)
    assert fwq(1).noise is not None
    assert fwq(1).record.conditions["quantum"] == QUANTUM
