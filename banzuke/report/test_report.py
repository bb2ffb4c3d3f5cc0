import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from banzuke.compare.settings import figure_text
from banzuke.compare.statistics import median, spread
from banzuke.document import Block
from banzuke.document.markdown import document_markdown, md
from banzuke.judge.finding import Finding
from banzuke.machine.model import Machine
from banzuke.record.model import Record
from banzuke.report import testing
from banzuke.report.charts.draw import Drawings
from banzuke.report.charts.draw import draw as draw_all
from banzuke.report.compose import runs_of
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.reproduce import command_text, facts
from banzuke.report.testing import launches, messages, sparse
from banzuke.report.testing.documents import charts, document, findings, section
from banzuke.report.testing.drawings import DRAW, as_drawn
from banzuke.report.testing.pages import Page, composed, html
from banzuke.report.testing.parts import assess, record, samples
from banzuke.report.write import write
from banzuke.units import percent, quantity
from banzuke.views.view import View, ViewSection
from banzuke.words import Share, message
from banzuke.words.language import words


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Path]:
    evaluation, folder = testing.rich(), tmp_path_factory.mktemp("rich")
    write(evaluation, folder)
    return evaluation, folder


def test_every_figure_on_the_page_equals_its_record(rich: tuple[Evaluation, Path]) -> None:
    evaluation, folder = rich
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    records = {a.record.provenance.id: a for a in evaluation.assessments if a.record.provenance}
    assert len(page.figures) > 300
    for attributes, text in page.figures:
        assessment = records[attributes["data-case"]]
        metric, stat, value = (
            attributes["data-metric"],
            attributes["data-stat"],
            float(attributes["value"]),
        )
        unit = attributes["data-unit"]
        if stat == "check":
            checks = {check.quantity: check.value for check in assessment.record.verification}
            assert value == checks[metric]
            continue
        if stat in ("seconds", "share_of_time"):
            where = assessment.record.breakdown
            assert where is not None
            seconds = sum(where.seconds[metric])
            expected_value = seconds if stat == "seconds" else seconds / sum(where.walls)
            assert value == expected_value
            assert text == (quantity(value, "s") if stat == "seconds" else percent(value))
            continue
        samples = assessment.record.metrics[metric].samples
        figure = next(f for f in assessment.figures if f.metric == metric)
        expected = {
            "median": median(samples),
            "best": max(samples) if figure.better == "higher" else min(samples),
            "spread": spread(samples),
            "count": len(samples),
            "fraction_of_limit": figure.fraction_of_limit,
            "fraction_of_peak": figure.fraction_of_peak,
        }[stat]
        assert value == expected, (metric, stat)
        shown = quantity(value, unit) if unit != "1" else f"{value:,.0f}" if stat == "count" else percent(value)
        assert text == shown


def test_every_verified_case_shows_its_median(rich: tuple[Evaluation, Path]) -> None:
    evaluation, folder = rich
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    shown = {(a["data-case"], a["data-metric"]) for a, _ in page.figures if a["data-stat"] == "median"}
    verified = {
        (a.record.provenance.id, metric)
        for a in evaluation.assessments
        if a.record.provenance
        for metric in a.record.metrics
    }
    assert shown == verified


def test_failures_come_first_with_their_reasons(rich: tuple[Evaluation, Path]) -> None:
    text = (rich[1] / "report.html").read_text(encoding="utf-8")
    body = text[text.index("<body") :]
    assert body.index("killed by signal 9") < body.index('id="machine"')
    for reason in (
        "verification failed",
        "the result is not finite",
        "a message of 1 GiB needs 4 GiB",
        "line 12: not JSON",
    ):
        assert reason in body
    assert "1 planned case has no record" in body


def test_unknown_is_said_and_derivations_are_shown(rich: tuple[Evaluation, Path]) -> None:
    text = (rich[1] / "report.html").read_text(encoding="utf-8")
    assert re.search(r"Theoretical memory bandwidth</th><td[^>]*>unknown</td>", text)
    assert "Not known: " in text
    assert "2 cores × 3.4 GHz × 32 flop per cycle" in text


def test_reproduction_has_command_variables_and_choice_of_blas(rich: tuple[Evaluation, Path]) -> None:
    assert command_text(rich[0].assessments[0].record) == (
        "env -u OPENBLAS_CORETYPE OMP_NUM_THREADS=2 OMP_PROC_BIND=close banzuke-stream-omp --n=134217728 "
        "--nontemporal=True"
    )
    text = (rich[1] / "report.html").read_text(encoding="utf-8")
    for fact in (
        "fastest of 2 probed: 199 Gflop/s",
        "commit 2994bc6+",
        "-O3 -march=native -fopenmp",
        "thread 0 on 0",
    ):
        assert fact in text


@pytest.mark.parametrize("make", [testing.rich, testing.empty, testing.hostile, testing.sixty])
def test_formats_agree(make: Callable[[], Evaluation], tmp_path: Path) -> None:
    evaluation = make()
    write(evaluation, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["schema_version"] == 10
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8"))))
    own = [
        (comparison["metric"], peer["record"])
        for comparison in data["comparisons"]
        for peer in comparison["peers"]
        if peer["own"]
    ]
    assert len(own) == len(data["comparisons"])
    assert {peer["reference"] for comparison in data["comparisons"] for peer in comparison["peers"]} - {None} == set(
        range(1, len(data["references"]) + 1)
    )
    figures = {(case["id"], name): figure for case in data["cases"] for name, figure in case["metrics"].items()}
    shown = {(row["case"], row["metric"]): row for row in rows if row["metric"] and "." not in row["metric"]}
    assert shown.keys() == figures.keys()
    assert all((record, metric) in figures for metric, record in own)
    for key, row in shown.items():
        assert float(row["median"]) == figures[key]["value"]
        share = figures[key]["fraction_of_limit"]
        assert row["fraction_of_limit"] == ("" if share is None else repr(share))
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    medians = {(a["data-case"], a["data-metric"]): t for a, t in page.figures if a["data-stat"] == "median"}
    texts = {key: figure_text(figure["value"], figure["unit"]) for key, figure in figures.items()}
    assert medians == texts
    whole = document_markdown(document(evaluation))
    assert all(median in whole for median in texts.values())


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    text = html(testing.hostile(), tmp_path)
    page = Page(text)
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert [a for a in scripts if a.get("type") != "text/plain"] == [{}]
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", re.findall(r'<script type="text/plain"[^>]*>([^<]*)<', text)[0])
    assert "window.hacked = 1</script>" not in text
    assert "{{ 7*7 }}" in text
    assert "\x00" not in text
    markdown_text = (tmp_path / "report.md").read_text(encoding="utf-8")
    outside_code = re.sub(r"(?ms)^ *(`{3,})$.*?^ *\1$", "", markdown_text)
    assert "<script" in markdown_text
    assert not re.search(r"(?<!\\)<script", outside_code)
    table = [line for line in markdown_text.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) >= 3 for line in table)


def test_spreadsheets_do_not_run_cells() -> None:
    runs = runs_of([testing.only(testing.stream(1, 2, 1.0), name="=HYPERLINK(1)")], words())
    row = next(csv.DictReader(io.StringIO(figures_csv(runs))))
    assert row["machine"] == "'=HYPERLINK(1)"


def test_empty_evaluation_says_so(tmp_path: Path) -> None:
    text = html(testing.empty(), tmp_path)
    assert "No case was measured; 3 were planned." in text
    assert 'id="drawing"' not in text
    assert "No case was measured; 3 were planned." in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_headings_are_in_order_and_tables_have_captions(rich: tuple[Evaluation, Path]) -> None:
    text = (rich[1] / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption")
    assert all(attributes.get("scope") for tag, attributes in page.tags if tag == "th")
    plots = [a for tag, a in page.tags if tag == "div" and "plot" in (a.get("class") or "")]
    assert plots
    assert all(plot.get("aria-label") for plot in plots)
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    targets = {
        (a.get("href") or "")[1:] for tag, a in page.tags if tag == "a" and (a.get("href") or "").startswith("#")
    }
    assert targets <= set(ids)


def test_charts_are_written_as_svg_and_pdf(rich: tuple[Evaluation, Path]) -> None:
    text = (rich[1] / "report.md").read_text(encoding="utf-8")
    for chart in charts(composed()):
        drawing = (rich[1] / f"figures/{chart.id}.svg").read_text(encoding="utf-8")
        assert drawing.startswith("<svg")
        assert "var(--" not in drawing
        assert (rich[1] / f"figures/{chart.id}.pdf").read_bytes().startswith(b"%PDF")
        assert f"figures/{chart.id}.svg" in text


def test_the_same_evaluation_gives_the_same_report(tmp_path: Path) -> None:
    evaluation = testing.sixty()
    first = {path.name: path.read_bytes() for path in write(evaluation, tmp_path / "a").files}
    second = {path.name: path.read_bytes() for path in write(evaluation, tmp_path / "b").files}
    texts = [name for name in first if not name.endswith(".pdf")]
    assert [first[name] == second[name] for name in texts] == [True] * len(texts)


def test_markdown_has_no_broken_tables() -> None:
    width: int | None = None
    for line in document_markdown(composed()).splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        assert width in (None, cells), line
        width = cells


def test_sixty_cases_are_all_there(tmp_path: Path) -> None:
    page = Page(html(testing.sixty(), tmp_path))
    assert len({a["data-case"] for a, _ in page.figures}) == 60


def test_names_that_look_alike_keep_their_own_anchors_and_files() -> None:
    names = ("STREAM", "stream", "\u65e5", "\u672c")
    benchmarks = dict.fromkeys(names, testing.BENCHMARKS["stream"])
    measured = {"triad_bandwidth": samples(4e10, "B/s", 5)}
    cases = [assess(record(name, index, {}, measured), benchmarks) for index, name in enumerate(names)]
    made = document(testing.only(*cases, benchmarks=benchmarks))
    anchors = [section.anchor for section in made.sections]
    assert len(set(anchors)) == len(anchors)
    names_ = [chart.id for chart in charts(made)]
    assert len(set(names_)) == len(names_) == 4


class Broken(View[int]):
    """A view of any record that fails when it is shown."""

    name = "broken"

    def judge(self, record: Record, machine: Machine) -> int:  # noqa: ARG002
        return 1

    def show(self, section: ViewSection) -> Sequence[Block]:
        raise ZeroDivisionError(section.slug)


def test_a_view_that_fails_whatever_it_shows_is_left_out(tmp_path: Path) -> None:
    evaluation = testing.only(testing.stream(1, 2, 0.9))
    benchmarks = {**evaluation.benchmarks, "stream": replace(evaluation.benchmarks["stream"], views=(Broken(),))}
    write(replace(evaluation, benchmarks=benchmarks), tmp_path)
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["verified"] == 1
    assert "ZeroDivisionError: stream" in data["without_views"]
    assert data["without_views"] in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_cause_is_told_once_with_the_evidence_of_each_case() -> None:
    def cause(share: float) -> Finding:
        return Finding(share, message("limit-busy-neighbours", share=Share(share)))

    cases = [testing.stream(i, i, 0.9, causes=(cause(i / 100),)) for i in (1, 2, 3)]
    (entry,) = findings(section(testing.only(*cases), "benchmark-stream"))
    assert entry.of == "threads 1"
    assert [f"{i}%" in seen for i, seen in zip((1, 2, 3), (entry.evidence, *entry.elsewhere), strict=True)] == [
        True
    ] * 3


def test_where_the_time_went_is_told_of_the_headline_case_then_of_all_beside_each_other(
    rich: tuple[Evaluation, Path],
) -> None:
    page = Page((rich[1] / "report.html").read_text(encoding="utf-8"))
    shown = [a["data-case"] for a, _ in page.figures if a["data-stat"] == "share_of_time"]
    assert shown == ["hpl-080"] * 5 + [case for case in dict.fromkeys(shown) for _ in range(5)]
    assert len(set(shown)) > 1
    text = (rich[1] / "report.md").read_text(encoding="utf-8")
    assert text.count("### Where the time went") == 1
    assert "### Where the time went: n 20,000" in text
    where = text[text.index("### Where") :]
    assert re.search(r"\| update \| [\d.]+ s \| 9\d\.\d% \|", where)
    assert where.index("| update |") < where.index("| panel factorisation |") < where.index("hpl-breakdown.svg")


def test_without_a_breakdown_there_is_no_place_for_one(tmp_path: Path) -> None:
    page = html(testing.only(testing.stream(1, 2, 1.0)), tmp_path)
    assert "Where the time went" not in page + (tmp_path / "report.md").read_text(encoding="utf-8")


def test_the_report_is_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    write(testing.rich(), tmp_path, "ja")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert {"要約", "失敗・省略", "計算機の仕様", "各数値の再現方法"} <= set(titles)
    assert not {"Summary", "Machine"} & set(titles)
    assert [section.anchor for section in composed().sections] == re.findall(r'<section[^>]* id="([^"]*)"', page)


@pytest.mark.slow
def test_a_whole_evaluation_stays_small(tmp_path: Path) -> None:
    """It has 320 cases of seven benchmarks, with curves, pairs, breakdowns, launches and causes, as a real one has."""
    parts = (testing.rich(), messages.messages(), launches.launches(), sparse.collection())
    cases = [case for part in parts for case in part.assessments][:320]
    by_name = {name: benchmark for part in reversed(parts) for name, benchmark in part.benchmarks.items()}
    assert len({case.record.benchmark for case in cases}) == 7

    def draw(specs: Mapping[str, Any], *_: object, **__: object) -> Drawings:
        return replace(as_drawn(specs), script=draw_all({}, script=True).script)

    with patch(DRAW, draw):
        write(replace(parts[0], assessments=tuple(cases), benchmarks=by_name), tmp_path)
    sizes = {kind: (tmp_path / f"report.{kind}").stat().st_size for kind in ("html", "json", "md")}
    assert sizes["html"] < 2e6
    assert sizes["json"] < 5e6
    assert sizes["md"] < 1e5


def test_the_installations_folder_is_told_once(tmp_path: Path) -> None:
    folder = "/opt/banzuke/venv"
    cases = []
    for index in range(1, 5):
        case = testing.dgemm(index, 64 * index, 1, 0.5)
        assert case.record.provenance
        command = [f"{folder}/bin/banzuke-dgemm-blas", "--n", str(index)]
        origin = case.record.provenance.model_copy(update={"command": command})
        cases.append(replace(case, record=case.record.model_copy(update={"provenance": origin})))
    write(testing.only(*cases), tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count(folder) == 1
    assert f"PREFIX={folder}" in text
    assert all(f"$PREFIX/bin/banzuke-dgemm-blas --n {index}" in text for index in range(1, 5))


def test_facts_that_no_two_cases_share_stay_with_each() -> None:
    cases = [testing.dgemm(index, 64 * index, threads, 0.5) for index, threads in ((1, 1), (2, 2))]
    text = document_markdown(document(testing.only(*cases)))
    every = [facts(case.record, words()) for case in cases]
    apart = [name for name in every[0] if every[0][name] != every[1].get(name)]
    assert apart
    assert all(str(md(f"{name}: {own[name]}")) in text for own in every for name in apart)


def test_samples_stay_in_the_records(rich: tuple[Evaluation, Path]) -> None:
    data = json.loads((rich[1] / "report.json").read_text(encoding="utf-8"))
    metrics = [metric for record in data["records"] for metric in record["metrics"].values()]
    assert metrics
    assert all(isinstance(metric["samples"], int) for metric in metrics)
    lines = (rich[1] / "report.json").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"id": ') for line in lines) == len(data["cases"]), "a line for each case"


def test_paper_has_the_first_sections_alone_unless_all_are_asked_for(rich: tuple[Evaluation, Path]) -> None:
    text = (rich[1] / "report.html").read_text(encoding="utf-8")
    rest = text.index('<div class="rest">')
    assert text.index('id="summary"') < text.index('id="problems"') < rest < text.index('id="machine"')
    assert 'type="checkbox" id="whole"' in text
    assert composed().first == [section.anchor for section in composed().sections].index("machine")
