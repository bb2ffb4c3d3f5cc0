"""The report of figures over message sizes and of all pairs: content, tables, charts."""

import csv
import io
import re
from datetime import timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from banzuke.limit.assess import assess_case
from banzuke.limit.curve import message_times, regimes
from banzuke.limit.siblings import Siblings
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.record.statistics import median, quantile
from banzuke.report.build import SHOWN
from banzuke.report.content import Content, Section
from banzuke.report.curve_content import Curves, CurveSet
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.report.sizes import side_by_side, sizes_csv, tails
from banzuke.report.tables import markdown
from banzuke.report.test_report import Page
from banzuke.report.testing import HOSTILE, only
from banzuke.report.testing.messages import (
    ALPHA,
    KNOWN,
    OPERATIONS,
    TITLES,
    collective,
    host,
    judged,
    messages,
    one_host,
    pairs,
    point_to_point,
    token_bucket,
)
from banzuke.report.write import compose, compose_study, write
from banzuke.testing import changed

Specs = dict[str, dict[str, Any]]


@cache
def many() -> tuple[Evaluation, Content, Specs]:
    evaluation = messages()
    return evaluation, *compose(evaluation)


def section(name: str) -> tuple[Section, Curves]:
    found = next(section for section in many()[1].sections if section.name == name)
    assert found.curves
    return found, found.curves


def records() -> dict[str, Record]:
    return {a.record.provenance.id: a.record for a in many()[0].assessments if a.record.provenance}


def rows(spec: dict[str, Any], kind: str = "point") -> list[dict[str, Any]]:
    layer = next(layer for layer in spec["layer"] if layer["mark"]["type"] == kind)
    found: list[dict[str, Any]] = (layer.get("data") or spec["data"])["values"]
    return found


def colour(spec: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "rect")["encoding"][
        "color"
    ]
    return found


def test_placements_of_one_test_are_lines_of_one_chart() -> None:
    _, found = section("pt2pt")
    titles = [group.title for group in found.groups]
    assert titles == [
        "Latency over message size",
        "Bandwidth over message size",
        "Bidirectional bandwidth over message size",
        "Multi-pair bandwidth over message size",
    ]
    assert [line.label for line in found.groups[0].lines] == [TITLES[name] for name in ALPHA]
    for group in found.groups:
        drawn = rows(many()[2][group.charts[0]])
        assert {row["series"] for row in drawn} == {line.label for line in group.lines}


def test_operations_share_a_chart_at_one_placement_and_have_their_own_where_placements_compare() -> None:
    _, found = section("collectives")
    assert [group.title for group in found.groups][:2] == ["Barrier latency", "Allreduce latency over message size"]
    assert [line.label for line in found.groups[1].lines] == [
        "all 8 cores of one host, blocking",
        "all 8 cores on each of 4 hosts, blocking",
        "all 8 cores of one host, non-blocking",
    ]
    alone = compose(one_host())[0].sections[1].curves
    assert alone
    (group,) = alone.groups
    assert [line.label for line in group.lines] == list(OPERATIONS)
    mixed = [
        *(collective(index, operation, "one-node") for index, operation in enumerate(OPERATIONS)),
        *(collective(10 + index, name, "one-node", "non-blocking") for index, name in enumerate(("bcast", "alltoall"))),
    ]
    modes = compose(only(*mixed, benchmarks=KNOWN))[0].sections[0].curves
    assert modes
    assert [(group.title, [line.label for line in group.lines]) for group in modes.groups] == [
        ("Blocking latency over message size", list(OPERATIONS)),
        ("Non-blocking latency over message size", ["bcast", "alltoall"]),
    ]


def test_a_barrier_has_a_row_and_no_chart() -> None:
    _, found = section("collectives")
    barrier = found.groups[0]
    assert barrier.charts == []
    assert [text for text, _ in side_by_side(barrier)] == ["0 B"]


def test_every_size_has_the_statistics_of_its_samples() -> None:
    known = records()
    for curves in (section(name)[1] for name in ("pt2pt", "collectives")):
        for line in [*(line for group in curves.groups for line in group.lines), *curves.others]:
            curve = known[line.case].curve
            assert curve
            assert [point.at for point in line.points] == [point.at for point in curve.points]
            for shown, point in zip(line.points, curve.points, strict=True):
                samples = point.metrics[line.metric].samples
                assert shown.count == len(samples)
                assert shown.values["median"].value == median(samples)
                assert (shown.values["minimum"].value, shown.values["maximum"].value) == (min(samples), max(samples))
                if len(samples) >= 100:
                    assert shown.values["p95"].value == quantile(samples, 0.95)
                assert ("p99" in shown.values) == (len(samples) >= 500)


def test_regimes_are_those_of_the_medians() -> None:
    known = records()
    for line in (line for group in section("pt2pt")[1].groups for line in group.lines):
        curve = known[line.case].curve
        assert curve
        expected = regimes(message_times(curve, line.metric))
        assert [(fit.first, fit.last, fit.alpha and fit.alpha.value) for fit in line.fits] == [
            (regime.first, regime.last, regime.alpha.told) for regime in expected
        ]
    far = section("pt2pt")[1].groups[0].lines[2]
    assert [fit.text for fit in far.fits] == ["0 B to 4 KiB", "8 KiB to 4 MiB"]
    assert far.fits[0].of_link is None
    assert far.fits[1].of_link
    assert far.fits[1].beta
    assert far.fits[1].of_link.value == pytest.approx(far.fits[1].beta.value / 12.5e9)


def test_a_parameter_that_is_not_known_well_is_replaced_by_how_well(tmp_path: Path) -> None:
    evaluation = only(token_bucket(1, "late, and most of all where they begin"), benchmarks=KNOWN, machine=host())
    (shown,) = compose(evaluation)[0].sections
    assert shown.curves
    (line,) = shown.curves.groups[0].lines
    first, *_, last = line.fits
    assert (first.beta, first.beta_absent, first.alpha_absent) == (None, "over ±100%", "")
    assert first.alpha
    assert (last.alpha, last.beta, last.half_size, last.of_link) == (None, None, None, None)
    assert all(re.fullmatch(r"±\d\d%", text) for text in (last.alpha_absent, last.beta_absent))
    write(evaluation, tmp_path)
    for file in ("report.md", "report.html"):
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert "A parameter whose 95% interval is wider than ±10% is replaced by that width" in text
        assert last.alpha_absent in text
        assert last.beta_absent in text


def test_both_ways_are_held_against_both_ways_of_the_link() -> None:
    (line,) = section("pt2pt")[1].groups[2].lines
    assert line.fits[-1].of_link
    assert line.fits[-1].of_link.value == pytest.approx(1.6 * 0.97 * 12.1 / 25, rel=0.1)


def test_the_limit_of_each_size_is_drawn_and_told() -> None:
    latency = section("pt2pt")[1].groups[0]
    point = latency.lines[0].points[4]
    assert point.values["of_limit"].value == pytest.approx(0.4, rel=0.05)
    assert point.values["limit"].value == pytest.approx(point.values["of_limit"].value * point.values["median"].value)
    spec = many()[2][latency.charts[0]]
    dashed = [layer for layer in spec["layer"] if "strokeDash" in layer["mark"]]
    assert len(dashed) == 1
    assert {row["series"] for row in dashed[0]["data"]["values"]} == {TITLES["same-complex"], TITLES["other-socket"]}


def test_scales_are_logarithmic_and_hold_all_that_is_drawn() -> None:
    for group in (group for name in ("pt2pt", "collectives") for group in section(name)[1].groups):
        for chart in group.charts:
            spec = many()[2][chart]
            for axis in ("x", "y"):
                encoding = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "point")["encoding"][axis]
                low, high = encoding["scale"]["domain"]
                assert encoding["scale"]["type"] == "log"
                assert all(0 < low <= row[axis] <= high for row in rows(spec))
                assert len([tick for tick in encoding["axis"]["values"] if low <= tick <= high]) >= 2


def test_bands_are_drawn_where_they_do_not_cover_each_other() -> None:
    specs, curves = many()[2], section("pt2pt")[1]

    def bands(group: CurveSet) -> int:
        return sum(layer["mark"]["type"] == "area" for layer in specs[group.charts[0]]["layer"])

    assert [bands(group) for group in curves.groups] == [0, 0, 1, 1]
    for group in curves.groups[2:]:
        spec = specs[group.charts[0]]
        low, high = spec["layer"][-1]["encoding"]["y"]["scale"]["domain"]
        ends = [row[end] for row in rows(spec) for end in ("low", "high") if row[end] is not None]
        assert low <= min(ends) <= max(ends) <= high


def test_the_rate_of_messages_is_drawn_of_several_pairs() -> None:
    curves = section("pt2pt")[1]
    assert [len(group.charts) for group in curves.groups] == [1, 1, 1, 2]
    drawn = rows(many()[2][curves.groups[3].charts[1]])
    (line,) = curves.groups[3].lines
    assert drawn[0]["y"] * 1e6 == pytest.approx(line.points[0].values["median"].value / line.points[0].at)
    assert "M/s" in drawn[0]["figure"]


def test_what_is_hidden_behind_computation_is_drawn() -> None:
    _, found = section("collectives")
    assert {row.label for row in found.overlaps} == {"allreduce, all 8 cores of one host"}
    (chart,) = found.overlap_charts
    assert [row["y"] for row in rows(many()[2][chart])] == [100 * row.share.value for row in found.overlaps]


def test_the_summary_tells_latency_and_bandwidth_and_who_is_slow() -> None:
    latency, bandwidth, collectives = many()[1].verdicts
    assert (latency.metric, bandwidth.metric) == ("Latency at 8 B", "Bandwidth at 512 KiB")
    assert latency.sentence.endswith("; slow: rank 5 (koto2, processor 1), 7.05 times")
    assert bandwidth.sentence.startswith("10.5 GB/s at 512 KiB (two cores that share their last-level cache); 78.6% of")
    assert collectives.metric == "Barrier latency"


def test_a_headline_that_failed_is_not_replaced() -> None:
    failed = point_to_point(1, "latency", "same-complex").record
    update: dict[str, Any] = {"status": "failed", "reason": "killed", "metrics": {}, "curves": {}, "verification": []}
    content = compose(
        only(judged(failed.model_copy(update=update)), point_to_point(2, "bandwidth", "same-complex"), benchmarks=KNOWN)
    )[0]
    (verdict,) = content.verdicts
    assert (verdict.state, verdict.figure) == ("failed", None)


def test_of_several_launches_the_median_one_has_a_line_and_that_is_said() -> None:
    first = collective(1, "allreduce", "one-node").record
    assert first.provenance
    launches = [
        first.model_copy(
            update={
                "provenance": first.provenance.model_copy(update={"id": name, "repetition": place}),
                "started": first.started + timedelta(seconds=place),
                "ended": first.ended + timedelta(seconds=place),
                "metrics": {
                    metric: of.model_copy(update={"samples": [factor * sample for sample in of.samples]})
                    for metric, of in first.metrics.items()
                },
            }
        )
        for place, (name, factor) in enumerate({"best": 1.0, "worst": 3.0, "middle": 2.0}.items())
    ]
    found = assess_case(launches, siblings=Siblings(), machine=host(), benchmarks=KNOWN, ceilings=())
    study, charts = compose_study([only(found, benchmarks=KNOWN)])
    (content,) = study.runs
    assert content.sections[0].curves
    assert [line.case for group in content.sections[0].curves.groups for line in group.lines] == ["middle"]
    assert content.sections[0].shown == SHOWN
    assert SHOWN in page(study, [host()], charts)


def test_every_size_of_every_metric_is_in_the_csv() -> None:
    known = records()
    for name in ("pt2pt", "collectives"):
        text = sizes_csv(*section(name))
        found = {
            (row["case"], row["metric"], float(row["message size"])): row for row in csv.DictReader(io.StringIO(text))
        }
        expected = {
            (identity, metric, point.at): samples.samples
            for identity, record in known.items()
            if record.benchmark == name and record.curve
            for point in record.curve.points
            for metric, samples in point.metrics.items()
        }
        assert found.keys() == expected.keys()
        assert all(float(found[key]["median"]) == median(samples) for key, samples in expected.items())
        assert {row["placement"] for row in found.values()} <= set(TITLES)


def test_rates_are_slow_where_they_are_low() -> None:
    latency, bandwidth = section("pt2pt")[1].groups[:2]
    assert tails(latency) == {"slowest 5%": "p95", "slowest": "maximum"}
    assert tails(bandwidth) == {"slowest 5%": "p5", "slowest": "minimum"}


def test_the_files_of_a_report_agree(tmp_path: Path) -> None:
    names = {path.name for path in write(many()[0], tmp_path)}
    assert {"pt2pt-sizes.csv", "pt2pt-pairs.csv", "collectives-sizes.csv", "pt2pt-over-latency.svg"} <= names
    assert "collectives-pairs.csv" not in names
    told = list(csv.DictReader((tmp_path / "pt2pt-pairs.csv").read_text().splitlines()))
    for metric in ("latency", "bandwidth"):
        (row,) = (row for row in told if (row["metric"], row["rank"]) == (metric, "6"))
        assert row["where"] == "rank 6 (koto2, processor 2)"
        worst = pairs(30).record.pairs[metric].worst
        assert [row[str(rank)] for rank in range(8)] == [*(repr(worst[6, rank]) for rank in range(6)), "", ""]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text.replace('<data class="num" value=', "<data-plain value="))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption")
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(attributes.get("scope") for tag, attributes in page.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for line in (line for group in section("pt2pt")[1].groups for line in group.lines):
        for point in line.points:
            assert f'value="{point.values["median"].value}">{point.values["median"].text}<' in text


def test_markdown_tells_regimes_and_slow_ranks() -> None:
    text = markdown(many()[1])
    assert re.search(r"\| two cores of different sockets \| 8 KiB to 4 MiB \| 1\.59 µs \| 6\.86 GB/s \|", text)
    assert "- rank 5 (koto2, processor 1): latency 7.05 times worse than usual with 7 of 7 ranks" in text
    width: int | None = None
    for line in text.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        assert width is None or cells in (None, width), line
        width = cells


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    found = pairs(1).record
    hosts = [Hosts(names=HOSTILE, ranks="0-3"), Hosts(names="b", ranks="4-7")]
    latency = point_to_point(2, "latency", "same-complex").record
    assert latency.curve
    curve = latency.curve.model_copy(update={"along": HOSTILE})
    hostile = [changed(found, hosts=hosts), latency.model_copy(update={"curves": {"size": curve}})]
    write(only(*map(judged, hostile), benchmarks=KNOWN), tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "window.hacked = 1</script>" not in text
    assert "\x00" not in text
    assert "\x00" not in (tmp_path / "pt2pt-pairs.csv").read_text(encoding="utf-8")


def test_sections_without_curves_have_no_such_part(tmp_path: Path) -> None:
    other = next(a for a in messages().assessments if a.record.pairs).record
    plain = other.model_copy(update={"pairs": {}})
    write(only(judged(plain), benchmarks=KNOWN), tmp_path)
    assert 'class="sizes' not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*-sizes.csv"))
