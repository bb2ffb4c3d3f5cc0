"""Tests of the comparison with published machines: ranked by comparable values, quoted as printed."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from banzuke.document import Chart, Charts, Items, Table
from banzuke.limit.model import Residence
from banzuke.machine import published
from banzuke.report import testing
from banzuke.report.first.balance import Balance, balance
from banzuke.report.first.comparison import comparison_section, peers_table
from banzuke.report.first.peer_charts import peer_charts
from banzuke.report.first.peers import LEAST_RANKED, Peer, PeerComparison, compare
from banzuke.report.model import Evaluation
from banzuke.report.testing import noise
from banzuke.report.testing.launches import launched, together
from banzuke.report.testing.parts import machine
from banzuke.report.testing.solver import KNOWN, solved
from banzuke.report.testing.sparse import collection
from banzuke.words.language import words

PUBLISHED = tuple(published.load())


def comparison_of(evaluation: Evaluation, metric: str) -> PeerComparison:
    return next(comparison for comparison in compare(evaluation, words())[0] if comparison.metric == metric)


def own(comparison: PeerComparison) -> Peer:
    return next(peer for peer in comparison.peers if peer.own)


def made(per: Any, *peers: Peer, better: str = "higher", unit: str = "flop/s") -> PeerComparison:
    return PeerComparison("sum", "rate", "Sum", unit, better, True, "comparison-sum", per, peers)


def test_this_machine_is_ranked_and_flags_are_shown() -> None:
    comparisons, citations = compare(testing.rich(), words())
    triad = next(comparison for comparison in comparisons if comparison.metric == "triad_bandwidth")
    assert all(a >= b for (_, a), (_, b) in pairwise(triad.ranked))
    assert sum(peer.own for peer in triad.peers) == 1
    fx10 = next(peer for peer in triad.peers if peer.machine == "Oakleaf-FX")
    assert fx10.printed == "64712.2441 MB/sec"
    assert fx10.of_peak_printed == pytest.approx(0.743)
    assert fx10.of_peak == pytest.approx(0.761, abs=5e-4)
    assert any("85 x 1024" in words().fact(flag) for flag in fx10.flags)
    assert fx10.reference is not None
    assert "Oakleaf-FX" in citations[fx10.reference - 1]


def test_two_cores_are_compared_with_large_nodes_per_core() -> None:
    hpl = next(comparison for comparison in compare(testing.rich(), words())[0] if comparison.benchmark == "hpl")
    assert hpl.per == "core"
    best = max(value for peer, value in hpl.ranked if peer.machine == "Oakleaf-FX")
    assert best == pytest.approx(1.043e15 / 4800 / 16, rel=0.01)
    accelerated = [peer for peer in hpl.peers if peer.accelerated or peer.part]
    assert accelerated
    assert not {id(peer) for peer in accelerated} & {id(peer) for peer, _ in hpl.ranked}
    assert list(hpl.peers[: len(hpl.ranked)]) == [peer for peer, _ in hpl.ranked]


def test_the_place_counts_each_machine_once() -> None:
    slow, fast = Peer("Other", 10e9, nodes=1), Peer("Other", 90e9, nodes=1)
    mine, worst = Peer("here", 50e9, own=True, nodes=1), Peer("Third", 1e9, nodes=1)
    assert made("node", fast, mine, slow, worst).position == (2, 3)
    assert made("node", mine).position is None
    assert made("node", fast, replace(mine, nodes=None)).position is None


def test_a_place_among_few_machines_is_not_said() -> None:
    mine = Peer("here", 50e9, own=True, nodes=1)
    others = [Peer(f"other {number}", 60e9 - number, nodes=1) for number in range(LEAST_RANKED - 1)]
    assert made("node", *others, mine).place == (LEAST_RANKED, LEAST_RANKED)
    few = made("node", *others[1:], mine)
    assert few.place is None
    assert few.position == (LEAST_RANKED - 1, LEAST_RANKED - 1)
    assert peer_charts(few, words()), "it is drawn all the same"


def test_a_figure_of_the_caches_has_no_place() -> None:
    evaluation = testing.rich()
    cached = tuple(
        replace(
            assessment,
            residence=Residence("in cache", 1e6, 32_000_000),
            figures=tuple(replace(figure, limit=None) for figure in assessment.figures),
        )
        for assessment in evaluation.assessments
    )
    triad = comparison_of(replace(evaluation, assessments=cached), "triad_bandwidth")
    assert own(triad).in_cache
    assert triad.place is None
    assert peer_charts(triad, words()) == []
    assert comparison_of(evaluation, "triad_bandwidth").place is not None


def test_what_is_ranked_is_what_is_drawn() -> None:
    for comparison in compare(testing.rich(), words())[0]:
        for chart in peer_charts(comparison, words()):
            rows = next(row for row in datasets(chart) if row)
            values = [row["x"] for row in rows]
            assert values == sorted(values, reverse=comparison.better == "higher"), chart.id


def datasets(chart: Chart) -> Sequence[Sequence[dict[str, Any]]]:
    spec = chart.spec
    return [layer["data"]["values"] for layer in (spec, *spec["layer"]) if "data" in layer]


def test_every_citation_has_a_place_to_go_to() -> None:
    evaluation = testing.rich()
    comparisons, citations = compare(evaluation, words(), "run1-")
    section = comparison_section(comparisons, citations, evaluation, words(), "run1-")
    assert section
    anchors = {item.anchor for block in section.blocks if isinstance(block, Items) for item in block.items}
    links = {
        cell.link
        for block in section.blocks
        if isinstance(block, Table)
        for row in block.rows
        for cell in row.cells
        if cell.link
    }
    assert links == {f"#{anchor}" for anchor in anchors}
    charts = [chart.id for block in section.blocks if isinstance(block, Charts) for chart in block.charts]
    assert charts
    assert all(name.startswith("run1-comparison-") for name in charts)


def test_this_machines_figure_keeps_its_origin_and_says_of_how_many_launches() -> None:
    cases = together(launched(testing.stream(1, 2, 0.98).record, 1.0, 1.01, 0.99))
    comparison = comparison_of(testing.only(*cases, published=PUBLISHED), "triad_bandwidth")
    assert own(comparison).count == 3
    table = peers_table(comparison, words())
    row = next(row for row in table.rows if row.kind == "own")
    (origin,) = [cell.origin for cell in row.cells if cell.origin]
    assert (origin.case, origin.stat) == (own(comparison).record, "median")
    assert "median of 3 launches" in row.cells[-1].note


def test_no_problem_of_a_collection_stands_for_the_machine() -> None:
    evaluation = replace(collection(families=3, sizes=3), published=PUBLISHED)
    benchmarks = {"hpl": replace(evaluation.benchmarks["spmv"], name="hpl")}
    assessments = tuple(
        replace(assessment, record=assessment.record.model_copy(update={"benchmark": "hpl"}))
        for assessment in evaluation.assessments
    )
    assert compare(replace(evaluation, assessments=assessments, benchmarks=benchmarks), words())[0] == []
    alone = {"hpl": replace(benchmarks["hpl"], collection=None)}
    assert compare(replace(evaluation, assessments=assessments, benchmarks=alone), words())[0]


def test_each_circumstance_of_a_published_figure_stands_by_itself() -> None:
    comparison = comparison_of(
        testing.only(noise.fwq(1, "native"), published=PUBLISHED, benchmarks=noise.KNOWN), "maximum_noise"
    )
    fugaku = {words().fact(peer.part): peer.printed for peer in comparison.peers if not peer.own}
    assert fugaku == {
        "one node, OS tasks not bound": "29.37 ms",
        "one node, OS tasks bound to assistant cores": "1.13 µs",
        "one node under McKernel": "0.10 µs",
    }
    assert comparison.per == ""


def balances(evaluation: Evaluation) -> dict[str, Balance]:
    return {row.machine: row for row in balance(comparison_of(evaluation, "flop_rate"), evaluation, words())}


def test_the_balance_is_the_reports_table() -> None:
    evaluation = testing.only(solved(1), testing.stream(2, 2, 1.0), published=PUBLISHED, benchmarks=KNOWN)
    rows = balances(evaluation)
    assert len(rows) == 6
    fx10 = rows["Oakleaf-FX"]
    assert fx10.cores == 16
    assert fx10.peak == pytest.approx(236.5e9, rel=1e-3)
    assert fx10.bytes_per_flop == pytest.approx(0.274, rel=2e-3)
    assert fx10.share == pytest.approx(0.0677, rel=2e-3)
    assert fx10.flops_per_byte == pytest.approx(16.0 / 64.7, rel=1e-3)
    mine = next(row for row in rows.values() if row.own)
    assert mine.flops_per_byte == pytest.approx(9e9 / (0.91 * 41.3e9), rel=0.01)
    shares = [row.flops_per_byte or 0.0 for row in rows.values()]
    assert shares == sorted(shares, reverse=True)


def test_without_a_measured_bandwidth_the_balance_is_unknown_and_last() -> None:
    rows = list(balances(testing.only(solved(1), published=PUBLISHED, benchmarks=KNOWN)).values())
    assert rows[-1].own
    assert rows[-1].flops_per_byte is None


def test_what_arithmetic_bounds_has_no_balance() -> None:
    evaluation = testing.rich()
    assert not any(balance(comparison, evaluation, words()) for comparison in compare(evaluation, words())[0])


def test_a_rate_that_memory_bounds_is_set_beside_published_shares_of_the_flop_peak() -> None:
    mine = own(comparison_of(testing.only(solved(1), published=PUBLISHED, benchmarks=KNOWN), "flop_rate"))
    assert mine.of_peak == pytest.approx(mine.value / (machine().peaks["flops.fp64"].value or 0.0))


def on_devices(metric: str) -> PeerComparison:
    comparisons = compare(testing.with_devices(), words())[0]
    return next(comparison for comparison in comparisons if comparison.metric == metric and comparison.devices)


def test_devices_are_ranked_among_published_devices_alone() -> None:
    triad = on_devices("triad_bandwidth")
    assert triad.title == "STREAM: Triad on devices"
    ranked = {(peer.machine, words().fact(peer.part)): value for peer, value in triad.ranked if not peer.own}
    assert ranked[("Reedbush-H", "one P100")] == 536.9e9
    assert ranked[("Tesla K40", "one K40")] == 218e9
    assert all(peer.devices for peer in triad.peers)
    assert triad.position == (1, 3)
    assert triad.place is None
    host = comparison_of(testing.with_devices(), "triad_bandwidth")
    assert not any(peer.devices for peer, _ in host.ranked)
    assert host.place == comparison_of(testing.rich(), "triad_bandwidth").place


def test_several_devices_are_ranked_by_what_each_has() -> None:
    evaluation = testing.with_devices()
    two = replace(evaluation, assessments=tuple(a for a in evaluation.assessments if len(a.record.devices) == 2))
    triad = compare(two, words())[0]
    mine = next(own(comparison) for comparison in triad if comparison.metric == "triad_bandwidth")
    assert mine.value_per("device") == pytest.approx(mine.value / 2)
    assert mine.value_per("node") is None


def test_the_table_of_devices_counts_devices_and_cites() -> None:
    table = peers_table(on_devices("triad_bandwidth"), words())
    titles = [column.title for column in table.columns]
    assert titles[3:5] == ["Devices", "Per device"]
    p100 = next(row for row in table.rows if "one P100" in row.cells[0].text)
    assert p100.cells[3].text == "1"
    assert p100.cells[4].value == 536.9e9
    assert "section 3.1, Table 4" in p100.cells[-1].text


def test_a_figure_of_devices_that_nobody_published_is_in_no_comparison() -> None:
    evaluation = testing.with_devices()
    without = [m for m in evaluation.published if not any(figure.devices for figure in m.figure)]
    assert not [
        comparison
        for comparison in compare(replace(evaluation, published=tuple(without)), words())[0]
        if comparison.devices
    ]
