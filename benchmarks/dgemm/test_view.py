"""Tests of the views of one product that groups share."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.document import Block
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.site import Device, Peak
from banzuke.plan.benchmark import Scalar
from banzuke.plan.catalogue import find
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import assess, machine, record
from banzuke.testing import Work
from banzuke.views.testing import charts, section, shown, tables, texts, view
from banzuke.words.language import words

from .shared_product import HostLink

DGEMM = find("dgemm")
G = 1e9


def shared(
    k: int = 384,
    alone: Sequence[float] = (30, 10),
    shares: Sequence[float] = (0.75, 0.25),
    placement: str = "0-2+3@1",
    **settings: Scalar,
) -> Assessment:
    """Return a case of groups with these rates alone, in Gflop/s, that reach 0.9 of their sum."""
    parts = G * sum(alone)
    metrics = {
        name: Samples(unit="flop/s", samples=[rate], **Work(flops=1, bytes=1, moved=1).of("flop/s"))
        for name, rate in (("flop_rate", 0.9 * parts), ("sum_of_parts", parts))
    }
    parameters: dict[str, Scalar] = {"m": 4000, "n": 4000, "k": k, "split": "adaptive", **settings}
    case = record("dgemm", k, parameters, metrics)
    assert case.provenance
    seen = {"shares": list(shares), "rates_alone": [G * rate for rate in alone]}
    placed = case.provenance.model_copy(update={"placement": placement, "id": f"{parameters}"})
    return assess(case.model_copy(update={"conditions": seen, "provenance": placed}), {"dgemm": DGEMM})


def blocks(*cases: Assessment) -> Sequence[Block]:
    return shown(DGEMM, "shared-product", *cases)


def drawn(*cases: Assessment, chart: str, mark: str) -> list[dict[str, Any]]:
    spec = charts(blocks(*cases))[f"dgemm-{chart}"].spec
    return [row for layer in layers(spec, mark) for row in rows(spec, layer)]


def test_rates_are_drawn_beside_the_sum_of_the_parts() -> None:
    cases = [shared(k, alone=(k / 10, 10), split=split) for k in (100, 300) for split in ("adaptive", "rates")]
    lines = {(row["series"], row["x"]): row["y"] for row in drawn(*cases, chart="shared-1", mark="line")}
    wanted = {
        "all at once, adaptive": (18, 36),
        "all at once, rates": (18, 36),
        "sum of the parts": (20, 40),
        "processors 0-2 alone": (10, 30),
        "device 1 (processor 3) alone": (10, 10),
    }
    assert lines == pytest.approx(
        {(name, x): y for name, ys in wanted.items() for x, y in zip((100, 300), ys, strict=True)}
    )


def test_products_with_and_without_overlap_stand_beside_each_other_on_one_scale() -> None:
    speeds = {"yes": (30, 70), "no": (30, 20)}
    made = charts(blocks(*[shared(k, alone=speeds[way], overlap=way) for k in (100, 300) for way in ("yes", "no")]))
    titles = {name: chart.title for name, chart in made.items() if name != "dgemm-shares"}
    assert titles == {
        "dgemm-shared-1": "One shared product over k: overlap yes",
        "dgemm-shared-2": "One shared product over k: overlap no",
    }
    tops = [layers(made[name].spec, "line")[0]["encoding"]["y"]["scale"]["domain"] for name in titles]
    assert tops == [[0, 120.0], [0, 120.0]]


def test_what_is_swept_is_the_extent_that_varies_most() -> None:
    cases = [shared(k, m=m) for k in (576, 864) for m in ("1000", "2000", "3000")]
    titles = [chart.title for chart in charts(blocks(*cases)).values()]
    assert titles[:2] == ["One shared product over m: k 576", "One shared product over m: k 864"]


def test_one_size_alone_has_shares_and_no_line() -> None:
    assert list(charts(blocks(shared(split="adaptive"), shared(split="rates")))) == ["dgemm-shares"]


def test_shares_stand_beside_those_of_the_rates_alone() -> None:
    bars = drawn(shared(shares=(0.6, 0.4)), chart="shares", mark="bar")
    assert [(bar["group"], bar["low"], bar["high"]) for bar in bars] == [
        ("processors 0-2", 0, 60),
        ("device 1 (processor 3)", 60, 100),
    ]
    assert [tick["x"] for tick in drawn(shared(shares=(0.6, 0.4)), chart="shares", mark="tick")] == [75]


def test_of_many_groups_the_largest_are_named() -> None:
    number = 100
    rates = [2.0 if place in (3, 50) else 1.0 for place in range(number)]
    shares = [rate / sum(rates) for rate in rates]
    bars = drawn(shared(alone=rates, shares=shares, placement="0+1"), chart="shares", mark="bar")
    assert [bar["group"] for bar in bars] == [
        *(f"group {place}" for place in (0, 1, 2, 3, 4, 5, 50)),
        "93 other groups",
    ]
    assert bars[-1]["high"] == pytest.approx(100)
    (table,) = tables(blocks(shared(alone=rates, shares=shares, placement="0+1")))
    assert [column.title for column in table.columns] == ["sum of the parts", "All at once", "Of the sum"]


def test_the_table_has_all_of_it() -> None:
    (table,) = tables(blocks(shared(576), shared(864)))
    assert [column.title for column in table.columns] == [
        "k",
        "processors 0-2 alone",
        "device 1 (processor 3) alone",
        "sum of the parts",
        "All at once",
        "Of the sum",
        "Share of processors 0-2",
        "Share of device 1 (processor 3)",
    ]
    assert texts(table)[0] == ["576", *(f"{rate} Gflop/s" for rate in (30, 10, 40, 36)), "90%", "75%", "25%"]


def traced(*lines: tuple[list[float], list[int]], name: str = "updates") -> Assessment:
    """Return a case with a trace: lines of times and updates, of 1 Gflop each."""
    case = shared()
    trace = {
        "unit": "flop",
        "resolution": G,
        "lines": [
            {"host": "h", "rank": rank, "times": times, "values": values} for rank, (times, values) in enumerate(lines)
        ],
    }
    measured = Record.model_validate(case.record.model_dump(by_alias=True) | {"series": {name: trace}})
    return assess(measured, {"dgemm": DGEMM})


def bands(case: Assessment) -> dict[str, list[float]]:
    """Return each group's Gflop/s over the time."""
    seen: dict[str, list[float]] = {}
    for row in drawn(case, chart="trace-1", mark="area"):
        seen.setdefault(row["group"], []).append(row["high"] - row["low"])
    return seen


def test_a_group_that_slows_down_has_a_narrower_band_and_one_that_waits_none() -> None:
    """The first group computes at 10 Gflop/s, and at 2 from half of the time on; the second ends at 3 s and waits."""
    lines = ([1.0, 2.0, 3.0, 4.0], [10, 10, 2, 2]), ([1.5, 3.0, 4.0], [30, 30, 0])
    case = traced(*lines)
    assert bands(case) == bands(traced(*lines, name="elements")), "as older records have it"
    first, second = bands(case).values()
    assert (len(first), len(second)) == (81, 81)
    assert first == pytest.approx([10] * 40 + [2] * 41)
    assert second == pytest.approx([20] * 60 + [0] * 21)


def test_nothing_of_a_trace_is_lost() -> None:
    ends = [0.013 * (place + 1) ** 1.5 for place in range(90)]
    case = traced((ends, [*range(90)]), ([ends[-1]], [7]))
    for band, columns in zip(bands(case).values(), (sum(range(90)), 7), strict=True):
        assert sum(band[:-1]) * ends[-1] / 80 == pytest.approx(columns, rel=1e-3)


def test_traces_that_lack_a_group_are_not_drawn() -> None:
    assert "dgemm-trace-1" not in charts(blocks(traced(([1.0], [3]))))
    assert "dgemm-trace-1" not in charts(blocks(shared()))


@pytest.mark.parametrize(
    "wrong", [{"shares": []}, {"shares": [0.5]}, {"shares": ["x", 1.0]}, {"rates_alone": [0.0, 0.0]}, {"shares": 3}]
)
def test_records_that_others_wrote_are_no_shared_products(wrong: dict[str, Any]) -> None:
    case = shared()
    conditions = {**case.record.conditions, **wrong}
    assessment = assess(case.record.model_copy(update={"conditions": conditions}), {"dgemm": DGEMM})
    assert view(DGEMM, "shared-product").of(assessment) is None


def test_the_sweep_of_other_cases_has_no_shared_ones() -> None:
    plain = [assess(shared(k).record.model_copy(update={"conditions": {}}), {"dgemm": DGEMM}) for k in (32, 64)]
    block = view(DGEMM, "sweep").show(section(DGEMM, *plain, shared(128)))
    (chart,) = charts(block).values()
    assert {row["x"] for layer in layers(chart.spec, "point") for row in rows(chart.spec, layer)} == {32, 64}


def test_why_groups_have_their_shares_is_said() -> None:
    shown_by = view(DGEMM, "shared-product")

    def said(case: Assessment, language: str = "en") -> str:
        remark = shown_by.remark(shown_by.of(case), [])
        assert remark
        return words(language)(remark)

    assert said(shared()) == (
        "shares follow the rates of each group alone and are corrected during the run: processors 0-2 and device 1 "
        "(processor 3) reach 30 Gflop/s and 10 Gflop/s alone and computed 75% and 25% of C; together they reach 90% of "
        "the sum, 40 Gflop/s"
    )
    assert said(shared(split="equal")).startswith("each processor has an equal share")
    assert said(shared(split="1:3")).startswith("shares were given (1:3)")
    assert "合計40 Gflop/sの90%に達した" in said(shared(), "ja")


def test_a_device_that_waits_for_its_link_is_a_cause_with_the_least_k() -> None:
    shown_by = view(DGEMM, "shared-product")
    peaks = {"flops.fp64": Peak(value=50e12, unit="flop/s", derivation="x")}
    devices = [Device(name="A", count=1, peaks=peaks, host_bandwidth=50e9)]
    allotted = [AllottedDevice(identity="1", name="A", vendor="NVIDIA", memory=1 << 30, memory_available=1 << 30)]
    on = machine().changed(node={"devices": devices}, allotment={"devices": allotted})

    def findings(k: int, placement: str = "0-2+3@1") -> list[Finding]:
        seen = shown_by.judge(shared(k, placement=placement, m=16384).record, on)
        assert seen
        return list(shown_by.findings(seen, cast(Evidence, None)))

    assert not findings(576, placement="0-2+3"), "no group is a device"
    assert not findings(5400)
    (finding,) = findings(576)
    evidence, confirm = (words("en").attribute(finding.message, name) for name in ("evidence", "confirm"))
    assert evidence == (
        "With k = 576, the device's link of 50 GB/s each way bounds its part at 6.96 Tflop/s, and it could compute "
        "50 Tflop/s"
    )
    assert confirm == "From k = 5,292 on, transfers take no longer than computing"
    for k, said in ((576, "limits a device to 6.96 Tflop/s, from k = 5,292 on it does not"), (5400, "does not limit")):
        seen = shown_by.judge(shared(k, m=16384).record, on)
        assert seen
        remark = shown_by.remark(seen, [])
        assert remark
        assert f"With k = {k:,} the host link {said}" in words("en")(remark)
        assert seen.limit_by_links == pytest.approx(30e9 + min(50e12, HostLink(16384, k, 50e9, 50e12).bound))
    judged = shown_by.judge(shared(5400, m=16384).record, on)
    assert judged
    (table,) = tables(shown_by.show(section(DGEMM, replace(shared(576), seen={"shared-product": judged}))))
    assert (
        dict(zip([column.title for column in table.columns], texts(table)[0], strict=True))["Host links allow"]
        == "50.0 Tflop/s"
    )
    assert HostLink(16384, 5292, 50e9, 50e12).bound == pytest.approx(50e12, rel=1e-3)
    assert HostLink(2000, 576, 50e9, 50e12).least == 0, "no k is large enough for so few rows"
