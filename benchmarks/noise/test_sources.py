"""Tests that noise is attributed to what counters, a trace or the spectrum show, and to nothing else."""

import random
from typing import Any

import pytest

from banzuke.judge.assess import assess, assess_case
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.by_state import CeilingsByState
from banzuke.record.model import Record
from banzuke.report.testing.noise import KNOWN, QUANTUM, TICKS, ftq, fwq
from banzuke.report.testing.parts import machine
from banzuke.words import Listed, Message, Quantity, Share
from benchmarks.noise.quanta import Core, RecordedNoise
from benchmarks.noise.sources import NONE, processor, remark, tick

SILENT: dict[str, Any] = {"interrupts": {}, "run_delay": 0.0, "stolen_seconds": 0.0, "involuntary_switches": 0}


def judged(record: Record) -> Assessment:
    return assess(record, siblings=Siblings(), machine=machine(), benchmarks=KNOWN, ceilings=())


def seen(record: Record) -> RecordedNoise:
    recorded = RecordedNoise.of(record)
    assert recorded
    return recorded


def named(causes: tuple[Finding, ...], code: str) -> Finding | None:
    return next((cause for cause in causes if cause.message.code == f"noise-cause-{code}"), None)


def causes(**conditions: Any) -> tuple[Finding, ...]:
    return fwq(1, sick=None, **{**SILENT, **conditions}).causes


TRACED = {"who": "kworker/1:2", "kind": "process", "events": 12, "seconds": 0.08, "longest": 2e-3}


@pytest.mark.parametrize(
    ("conditions", "code", "facts"),
    [
        ({"stolen_seconds": 0.1}, "hypervisor", {"hypervisor": "kvm", "stolen": Quantity(0.1, "s")}),
        (
            {"run_delay": 0.12, "involuntary_switches": 61},
            "processes",
            {"waited": Quantity(0.12, "s"), "switches": 61, "started": 0, "traced": "no"},
        ),
        ({"interrupts": {"Local timer interrupts": 36_780}}, "tick", {"counted": pytest.approx(999, abs=1)}),
        ({"interrupts": {"NVMe0q3": 3678}}, "interrupts", {}),
        (
            {"blame": [TRACED]},
            "traced",
            {"who": "kworker/1:2", "kind": "process", "events": 12, "longest": Quantity(2e-3, "s")},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_seen_is_named_with_its_evidence(
    conditions: dict[str, Any], code: str, facts: dict[str, object]
) -> None:
    finding = named(causes(**conditions), code)
    assert finding
    assert {name: finding.message.facts[name] for name in facts} == facts
    assert named(causes(), code) is None


def test_interrupts_are_named_with_their_rates() -> None:
    finding = named(causes(interrupts={"NVMe0q3": 3678, "LOC": 36_780, "rare": 1}), "interrupts")
    assert finding
    rates = finding.message.facts["rates"]
    assert isinstance(rates, Listed)
    assert [rate.facts["name"] for rate in rates.items if isinstance(rate, Message)] == ["NVMe0q3"]


def test_a_trace_is_advised_where_there_is_none_and_neighbours_that_were_started_are_counted() -> None:
    finding = named(causes(run_delay=0.12, blame=[]), "processes")
    assert finding
    assert finding.message.facts["traced"] == "yes"
    record = fwq(1, sick=None, **{**SILENT, "run_delay": 0.12}).record
    assert record.provenance
    beside = record.model_copy(update={"provenance": record.provenance.model_copy(update={"neighbours": 3})})
    cause = named(judged(beside).causes, "processes")
    assert cause
    assert cause.message.facts["started"] == 3


def test_little_of_it_is_no_cause() -> None:
    lost = seen(fwq(1, sick=None).record).lost
    findings = causes(stolen_seconds=0.04 * lost, run_delay=0.04 * lost)
    assert named(findings, "hypervisor") is None
    assert named(findings, "processes") is None


def test_the_clock_is_named_for_its_share_and_with_what_can_be_resolved() -> None:
    finding = named(fwq(1, "isolated", sick=None).causes, "clock")
    assert finding
    assert finding.message.facts["resolution"] == Quantity(2.8e-6, "s")
    assert finding.message.facts["share"] == Share(finding.weight)


def test_a_processor_with_far_more_noise_is_named_and_many_are_not() -> None:
    case = fwq(1)
    finding = named(case.causes, "processors")
    assert finding
    assert finding.message.facts["first"] == processor(Core("", 3, 0, 0))
    assert finding.odd
    assert remark(seen(case.record), [seen(case.record)]) in case.verdict
    assert named(fwq(1, sick=None).causes, "processors") is None


def test_the_spectrum_shows_how_long_a_tick_takes_and_an_uncounted_tick_is_not_named() -> None:
    case = ftq(1)
    finding = named(case.causes, "tick")
    assert finding
    assert finding.message.facts["rate"] == TICKS
    cost = finding.message.facts["cost"]
    assert isinstance(cost, Quantity)
    assert cost.value == pytest.approx(3e-6, rel=0.1)
    silent = case.record.model_copy(update={"conditions": {**case.record.conditions, "interrupts": {}}})
    assert tick(seen(silent)) is None
    assert tick(seen(case.record))


@pytest.mark.parametrize("busy", [0.05, 0.2, 0.5])
def test_a_process_that_runs_after_some_ticks_is_not_theirs(busy: float) -> None:
    ticks = tick(seen(ftq(1, busy=busy).record))
    assert ticks
    assert ticks.peak.lost > 20e-6
    assert ticks.lost == pytest.approx(3e-6, rel=0.1)


def test_what_a_tick_takes_is_unknown_where_other_noise_hides_it() -> None:
    source = random.Random(1)  # noqa: S311
    case = ftq(1, busy=0.3).record
    lines = [
        line.model_copy(update={"values": [round(value * source.uniform(0.5, 1)) for value in line.values]})
        for line in case.series["work"].lines
    ]
    noisy = case.model_copy(update={"series": {"work": case.series["work"].model_copy(update={"lines": lines})}})
    assert tick(seen(noisy))
    cause = named(judged(noisy).causes, "tick")
    assert cause
    assert cause.message.facts["cost"] == NONE


def test_of_the_usual_causes_those_stay_that_explain_noise() -> None:
    findings = causes(load_before=8.0, other_busy_fraction=0.5, throttled_seconds=5.0)
    assert [cause.message.code for cause in findings if not cause.message.code.startswith("noise-")] == [
        "limit-throttled"
    ]


def test_a_verdict_has_the_share_of_the_time() -> None:
    plain, clocked = (
        remark(recorded, [recorded]) for recorded in map(seen, (ftq(1).record, fwq(1, "isolated").record))
    )
    assert plain.facts["share"] == Share(seen(ftq(1).record).all.share)
    assert (plain.facts["beyond"], clocked.facts["noisiest"]) == (NONE, NONE)
    assert isinstance(clocked.facts["beyond"], Share)
    assert plain in ftq(1).verdict
    assert fwq(1).record.conditions["quantum"] == QUANTUM


def test_a_verdict_on_several_launches_has_their_median_share_as_the_figure_has() -> None:
    first, second = (fwq(index, sick=sick).record for index, sick in ((1, None), (2, 3)))
    second = second.having(provenance=first.provenance and first.provenance.having(id="2", repetition=1))
    assessment = assess_case(
        [first, second],
        siblings=Siblings(),
        machine=machine(),
        benchmarks=KNOWN,
        ceilings=CeilingsByState((), machine(), {}),
    )
    figure = next(figure for figure in assessment.figures if figure.metric == "noise_share")
    said = next(part for part in assessment.verdict if part.code == "noise-remark")
    assert said.facts["share"] == Share(figure.value)
