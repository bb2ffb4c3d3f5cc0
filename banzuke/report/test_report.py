import csv
import dataclasses
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from jsonschema import ValidationError

from banzuke.charts.testing import layers
from banzuke.compare.settings import figure_text
from banzuke.compare.statistics import median, spread
from banzuke.document import Block, Document
from banzuke.document.markdown import document_markdown, md
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.machine import published
from banzuke.machine.model import Machine
from banzuke.record.model import Binding, Record
from banzuke.report import testing
from banzuke.report.chapter import chapters
from banzuke.report.charts import draw as drawing
from banzuke.report.compose import runs_of
from banzuke.report.figures_csv import figures_csv
from banzuke.report.first.peers import share_of_peak
from banzuke.report.model import Evaluation
from banzuke.report.reproduce import command_text, facts
from banzuke.report.settings import conditions
from banzuke.report.summary import line_title
from banzuke.report.testing.documents import charts, document, findings, section, summary, tables
from banzuke.report.testing.noise import noisy
from banzuke.report.testing.parts import assess, record, samples
from banzuke.report.write import write
from banzuke.testing import changed
from banzuke.units import NOT_FINITE, percent, quantity
from banzuke.views.view import View, ViewSection
from banzuke.words import Share, message
from banzuke.words.language import LANGUAGES, words


class Page(HTMLParser):
    """Every element that carries a figure, with its visible text, and all tags seen."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.figures: list[tuple[dict[str, str], str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: dict[str, str] | None = None
        self._row: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        given = {name: value or "" for name, value in attrs}
        if tag == "tr":
            self._row = given
        if tag == "data":
            self._open = self._row | given

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.figures.append((self._open, data))

    def handle_endtag(self, tag: str) -> None:
        if tag == "data":
            self._open = None


def html(evaluation: Evaluation, folder: Path) -> str:
    write(evaluation, folder)
    return (folder / "report.html").read_text(encoding="utf-8")


@cache
def composed() -> Document:
    return document(testing.rich())


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
    known = {
        (a.record.provenance.id, metric)
        for a in evaluation.assessments
        if a.record.provenance
        for metric in a.record.metrics
    }
    assert shown == known


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


def test_a_failed_headline_case_is_not_replaced_by_another() -> None:
    failed = record("stream", 1, {"n": 1}, status="failed", reason="killed")
    evaluation = testing.only(Assessment(failed, ()), testing.stream(2, 2, 0.9))
    (line,) = summary(evaluation)
    assert line.figure is None
    table = tables(section(evaluation, "summary"))[-1]
    (row,) = table.rows
    assert [cell.text for cell in row.cells[1:]] == ["failed", "1 of 2 cases verified"]


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    table = tables(section(testing.only(testing.stream(1, 2, 1.0)), "summary"))[-1]
    assert [column.title for column in table.columns] == ["Benchmark", "Figure", "of limit"]
    cases, _ = tables(
        section(testing.only(testing.stream(1, 2, 1.0), testing.stream(2, 2, 1.0, count=1)), "benchmark-stream")
    )
    assert "of peak" not in [column.title for column in cases.columns]


def test_the_summary_gives_each_headline_its_place_among_published_machines() -> None:
    evaluation = replace(testing.rich(), published=tuple(published.load()))
    table = tables(section(evaluation, "summary"))[-1]
    at = [column.title for column in table.columns].index("Among published machines")
    places = [row.cells[at].text for row in table.rows]
    assert table.file == "headlines"
    assert any(place.startswith("place ") and " of " in place for place in places)
    assert "–" in places, "nobody published some of them"


@pytest.mark.parametrize("make", [testing.rich, testing.empty, testing.hostile, testing.sixty])
def test_formats_agree(make: Callable[[], Evaluation], tmp_path: Path) -> None:
    evaluation = make()
    write(evaluation, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["schema_version"] == 9
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8"))))
    own = [(one["metric"], peer["record"]) for one in data["comparisons"] for peer in one["peers"] if peer["own"]]
    assert len(own) == len(data["comparisons"])
    assert {peer["reference"] for one in data["comparisons"] for peer in one["peers"]} - {None} == set(
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
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert all(median in text for median in texts.values())


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    text = html(testing.hostile(), tmp_path)
    page = Page(text)
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert [a for a in scripts if a.get("type") != "application/json"] == [{}, {}]
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
    assert "vegaEmbed=" not in text
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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("script", ["", "vegaEmbed;</script>"], ids=["nothing is drawn", "the page draws"])
def test_a_report_whose_charts_cannot_be_drawn_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, script: str
) -> None:
    answer = json.dumps({"script": script})
    monkeypatch.setattr(drawing, "_SCRIPT", {})
    monkeypatch.setattr(drawing, "RENDERER", ("sh", "-c", f"echo '{answer}'; kill -TRAP $$"))
    evaluation = testing.rich()
    drawn = charts(composed())
    old = tmp_path / "figures" / f"{drawn[0].id}.svg"
    old.parent.mkdir()
    old.write_text("of an earlier report")
    written = write(evaluation, tmp_path, language)
    assert written.undrawn
    said = words(language)(written.undrawn)
    assert "SIGTRAP" in said
    assert str(len(drawn)) in said
    assert not old.exists()
    assert not list(tmp_path.glob("figures/*.pdf"))
    html, markdown = ((tmp_path / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    assert f'<p class="note">{said.split("`")[0]}' in html
    assert md(said) in markdown
    assert f"figures/{drawn[0].id}." not in html + markdown
    assert ("data-spec=" in html) is bool(script)
    assert ("<script>vegaEmbed;<\\/script>" in html) is bool(script)
    assert written.files[-1] == tmp_path / "report.html"
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["without_views"] == ""


def test_all_else_is_written_before_the_charts_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A control group may be ended as a whole, we with it."""

    def end(*_: object, **__: object) -> None:
        raise SystemExit

    monkeypatch.setattr("banzuke.report.write.draw", end)
    with pytest.raises(SystemExit):
        write(testing.rich(), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "report.md", "report.json", "report.csv", "headlines.csv"} <= names
    assert "The charts are not drawn yet" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("figures/*.pdf"))


def test_bars_start_at_zero() -> None:
    seen = 0
    for chart in charts(composed()):
        for layer in layers(chart.spec, "bar"):
            if not chart.id.endswith("-samples"):
                seen += 1
                x = layer["encoding"]["x"]
                assert x["scale"].get("type") != "log"
                assert x["scale"]["domain"][0] == 0
    assert seen >= 3


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


def test_specs_need_no_network() -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            assert "url" not in node
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    for chart in charts(composed()):
        walk(chart.spec)


def test_a_figure_that_is_not_finite_is_told_and_not_drawn(tmp_path: Path) -> None:
    odd = samples(4e10, "B/s", 1).model_copy(update={"samples": [float("inf"), 1.0, float("inf")]})
    case = record("stream", 1, {"n": 1}, {"triad_bandwidth": odd})
    case = case.model_copy(update={"conditions": {"symmetry": None, "residual": float("-inf")}})
    shown = testing.only(assess(case, limit=lambda _: None))
    page = html(shown, tmp_path)
    assert NOT_FINITE in page
    assert 'class="plot"' not in page
    assert [text for _, text in conditions(case, words())] == [NOT_FINITE] * 2
    assert (
        json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["cases"][0]["metrics"]["triad_bandwidth"][
            "value"
        ]
        is None
    )


def test_names_that_look_alike_keep_their_own_anchors_and_files() -> None:
    names = ("STREAM", "stream", "\u65e5", "\u672c")
    known = dict.fromkeys(names, testing.BENCHMARKS["stream"])
    measured = {"triad_bandwidth": samples(4e10, "B/s", 5)}
    cases = [assess(record(name, index, {}, measured), known) for index, name in enumerate(names)]
    made = document(testing.only(*cases, benchmarks=known))
    anchors = [section.anchor for section in made.sections]
    assert len(set(anchors)) == len(anchors)
    names_ = [chart.id for chart in charts(made)]
    assert len(set(names_)) == len(names_) == 4


class Broken(View[int]):
    """Of any records."""

    name = "broken"

    def judge(self, record: Record, machine: Machine) -> int:  # noqa: ARG002
        return 1

    def show(self, section: ViewSection) -> Sequence[Block]:
        raise ZeroDivisionError(section.slug)


def test_a_view_that_fails_whatever_it_shows_is_left_out(tmp_path: Path) -> None:
    evaluation = testing.only(testing.stream(1, 2, 0.9))
    known = {**evaluation.benchmarks, "stream": replace(evaluation.benchmarks["stream"], views=(Broken(),))}
    write(replace(evaluation, benchmarks=known), tmp_path)
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found["verified"] == 1
    assert "ZeroDivisionError: stream" in found["without_views"]
    assert found["without_views"] in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_conditions_read_as_quantities() -> None:
    case = testing.stream(1, 2, 1.0).record
    case = case.model_copy(update={"conditions": {**case.conditions, "timed_parts": [[1.0, 2.0]]}})  # for sensors
    seen = dict(conditions(case, words()))
    assert seen == {"data on huge pages": "97%", "clock": "2.8 GHz", "processor time taken by the hypervisor": "0.12%"}
    japanese = dict(conditions(testing.stream(1, 2, 1.0).record, words("ja")))
    assert list(japanese.values()) == list(seen.values())
    assert not japanese.keys() & seen.keys()


def test_what_a_program_saw_is_in_the_readers_words() -> None:
    seen = {"write_to": "storage", "read_evidence": "no evidence", "space_for_bytes": 1e9, "mounts": 2}
    told = changed(record("ior", 1, {}, {"write_bandwidth": samples(1e9, "B/s", 5)}), conditions=seen)
    assert dict(conditions(told, words())) == {
        "write to": "storage",
        "read evidence": "no evidence",
        "space for": "954 MiB",
        "mounts": "2",
    }
    for title, value in conditions(told, words("ja")):
        assert not re.search("[a-z]{2}", f"{title}{value}")


def test_binding_names_the_memory_and_devices_of_the_ranks() -> None:
    place = Binding(ranks="0-1", threads=["0", "1"], memory="bind:0", pages="base", devices=["GPU-1"])
    case = changed(record("stream", 1, {}, {"triad_bandwidth": samples(4e10, "B/s", 5)}), binding=[place])
    expected = "ranks 0-1: thread 0 on 0, thread 1 on 1, memory policy bind:0, base pages, devices GPU-1"
    assert facts(case, words())["Binding read back"] == expected


def test_settings_that_go_together_share_a_column() -> None:
    cases = [
        assess(record("dgemm", i, {"m": n, "n": n, "k": k}, {"flop_rate": samples(1e11, "flop/s", 3)}))
        for i, (n, k) in enumerate([(64, 8), (64, 16), (128, 8)])
    ]
    (chapter,) = chapters(testing.only(*cases), words())
    assert chapter.columns == (("m", "n"), ("k",))
    assert chapter.cases[2].label == "m = n 128, k 8"


def test_a_cause_is_told_once_with_the_evidence_of_each_case() -> None:
    def cause(share: float) -> Finding:
        return Finding(share, message("limit-busy-neighbours", share=Share(share)))

    cases = [testing.stream(i, i, 0.9, causes=(cause(i / 100),)) for i in (1, 2, 3)]
    (found,) = findings(section(testing.only(*cases), "benchmark-stream"))
    assert found.of == "threads 1"
    assert [f"{i}%" in seen for i, seen in zip((1, 2, 3), (found.evidence, *found.elsewhere), strict=True)] == [
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


def test_titles_do_not_repeat_their_benchmark() -> None:
    known = {"stream": testing.BENCHMARKS["stream"]}
    metrics = tuple(dataclasses.replace(m, title=f"STREAM {m.title}") for m in known["stream"].metrics)
    known = {"stream": dataclasses.replace(known["stream"], metrics=metrics)}
    case = assess(record("stream", 1, {}, {"triad_bandwidth": samples(4e10, "B/s", 5)}), known)
    table = tables(section(testing.only(case, benchmarks=known), "summary"))[-1]
    assert table.rows[0].cells[0].text == "STREAM Triad"


def test_a_figure_of_devices_that_is_called_as_its_benchmark_is_named_once() -> None:
    of_devices = testing.with_devices()
    dgemm = testing.BENCHMARKS["dgemm"]
    named = dataclasses.replace(dgemm, metrics=tuple(dataclasses.replace(m, title=dgemm.title) for m in dgemm.metrics))
    evaluation = replace(of_devices, benchmarks={**testing.BENCHMARKS, "dgemm": named})
    cases = tuple(changed_title(one, dgemm.title) for one in of_devices.assessments)
    titles = [line_title(line, words()) for line in summary(replace(evaluation, assessments=cases))]
    assert f"{dgemm.title}, 1 device" in titles


def changed_title(of: Assessment, title: str) -> Assessment:
    if of.record.benchmark != "dgemm":
        return of
    return replace(of, figures=tuple(replace(figure, title=title) for figure in of.figures))


def test_a_rate_that_memory_bounds_is_a_share_of_the_peak_too() -> None:
    evaluation = testing.only(testing.hpl(1, 20_000))
    (line,) = summary(evaluation)
    assert line.figure
    share = share_of_peak(evaluation.machine, line.case.assessment.record, line.figure)
    assert share == line.figure.value / 217.6e9
    table = tables(section(evaluation, "summary"))[-1]
    assert percent(share) in [cell.text for cell in table.rows[0].cells]


def test_charts_follow_vega_lites_schema() -> None:
    """Which costs too much time to be checked whenever one is drawn."""
    drawn = [*charts(composed()), *charts(document(noisy()))]
    assert len(drawn) > 20
    for chart in drawn:
        alt.TopLevelSpec.validate(dict(chart.spec))
    with pytest.raises(ValidationError):
        alt.TopLevelSpec.validate({**drawn[0].spec, "layer": [{"mark": "lyne"}]})


def test_the_report_is_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    write(testing.rich(), tmp_path, "ja")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert {"要約", "失敗・省略", "計算機の仕様", "各数値の再現方法"} <= set(titles)
    assert not {"Summary", "Machine"} & set(titles)
    assert [section.anchor for section in composed().sections] == re.findall(r'<section[^>]* id="([^"]*)"', page)


def test_three_hundred_cases_stay_small(tmp_path: Path) -> None:
    many = [testing.dgemm(index, 64 * index, 1 + index % 3, 0.5 + index / 700) for index in range(1, 301)]
    write(testing.only(*many), tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 2e6
