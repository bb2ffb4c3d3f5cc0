"""Tests of several runs in one report: their names, figures and machines, and collections by problem."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from banzuke.compare.runs import compare
from banzuke.judge.model import Assessment
from banzuke.limit.model import Residence
from banzuke.machine.model import Machine
from banzuke.record.model import Binding
from banzuke.report import testing
from banzuke.report.compose import runs_of
from banzuke.report.model import Evaluation
from banzuke.report.side_by_side import RunHeadline, cautions, headlines, run_names
from banzuke.report.testing.documents import charts, document, tables, texts
from banzuke.report.testing.launches import launched, together
from banzuke.report.testing.parts import assess, machine
from banzuke.report.testing.sparse import collection
from banzuke.report.write import write, write_study
from banzuke.scaling.testing import scaled
from banzuke.testing import changed
from banzuke.units import times
from banzuke.words.language import words


def run(name: str, *assessments: Assessment, days: float = 0, on: Machine | None = None, **more: Any) -> Evaluation:
    made = testing.only(*assessments)
    moved = {moment: getattr(made, moment) + timedelta(days=days) for moment in ("started", "ended")}
    benchmarks = {**made.benchmarks, **collection(("omp",)).benchmarks}
    return replace(made, run=name, machine=on or machine("koto"), benchmarks=benchmarks, **moved, **more)


def rows(*evaluations: Evaluation) -> list[RunHeadline]:
    return headlines(runs_of(evaluations, words()), words())


def specifications(*evaluations: Evaluation) -> list[dict[str, list[str]]]:
    """Return the specifications that differ, and those that are alike."""
    shown = tables(next(part for part in document(*evaluations).sections if part.anchor == "machines"))
    return [{cells[1]: cells[2:] for cells in texts(table)} for table in shown]


def partitioned(name: str) -> Machine:
    """Return a machine that is one of a site's partitions."""
    whole = machine("Flow")
    partition = whole.partition
    site = whole.site.model_copy(update={"partitions": {"type1": partition, "type2": partition}})
    return whole.model_copy(
        update={"site": site, "allotments": [whole.allotment.model_copy(update={"partition": name})]}
    )


def test_runs_are_named_by_what_tells_them_apart() -> None:
    koto, nada = machine("koto"), machine("nada")
    case = testing.stream(1, 2, 0.9)
    assert run_names([run("a", case, on=koto), run("b", case, on=nada)]) == ["koto", "nada"]
    assert run_names([run("a", case, on=partitioned("type1")), run("b", case, on=partitioned("type2"))]) == [
        "Flow type1",
        "Flow type2",
    ]
    dates = run_names([run("a", case), run("b", case, days=3)])
    assert dates == ["2026-11-21", "2026-11-24"]
    assert run_names([run("a", case), run("b", case, days=0.1)]) == ["2026-11-21 09:00", "2026-11-21 11:24"]
    assert run_names([run("a", case), run("b", case, days=1e-4)]) == ["2026-11-21 09:00:00", "2026-11-21 09:00:08"]
    assert run_names([run("a", case), run("b", case)]) == ["a", "b"]
    assert run_names([run("a", case), run("a", case)]) == ["1", "2"]
    three = run_names([run("a", case, on=koto), run("b", case, on=nada), run("c", case, on=nada, days=40)])
    assert [name.split(", ")[0] for name in three] == ["koto", "nada", "nada"]
    assert len(set(three)) == 3


def test_headline_figures_stand_in_one_row_with_their_share_of_the_limit() -> None:
    runs = run("a", testing.stream(1, 2, 0.9), testing.hpl(2, 20000)), run("b", testing.stream(3, 2, 0.45))
    by_title = {row.title: row.cells for row in rows(*runs)}
    first, second = by_title["STREAM: Triad"]
    assert first
    assert second
    assert second.ratio == pytest.approx(0.5, rel=0.05)
    assert first.ratio is None
    assert first.shown.share
    alone, absent = by_title["HPL: Rate"]
    assert alone
    assert absent is None
    drawn = [chart.id for chart in charts(document(*runs))]
    assert {"side-by-side-limits", "side-by-side-ratios"} <= set(drawn)


def test_a_ratio_is_the_one_that_compare_prints() -> None:
    """The launches of one run are skewed, so that means would give another ratio."""
    sides = [launched(testing.stream(1, 2, 0.9).record, *speeds) for speeds in ((1.0, 0.7, 1.01), (0.8, 0.82, 0.81))]
    judged = [together(side)[0] for side in sides]
    row = next(row for row in rows(*map(run, ("a", "b"), judged)) if row.title == "STREAM: Triad")
    triad = next(metric for metric in testing.BENCHMARKS["stream"].metrics if metric.headline)
    (line,) = (
        candidate for candidate in compare(sides[0], sides[1], {("stream", triad.name): triad}) if candidate.metric
    )
    second = row.cells[1]
    assert second
    assert line.ratio
    assert second.ratio == pytest.approx(line.ratio, rel=1e-12)
    assert second.shown.ratio_text == times(line.ratio, line.interval) == "0.8"
    assert "0.8 ×" in str(second.cell.note)


def test_settings_that_differ_are_shown() -> None:
    (headline,) = rows(run("a", testing.stream(1, 2, 0.9)), run("b", testing.stream(2, 1, 0.9)))
    assert [cell.shown.settings for cell in headline.cells if cell] == ["threads 2", "threads 1"]
    (headline,) = rows(run("a", testing.stream(1, 2, 0.9)), run("b", testing.stream(2, 2, 0.8)))
    assert [cell.shown.settings for cell in headline.cells if cell] == ["", ""]


def test_times_are_compared_where_the_work_is_the_same() -> None:
    unlike = rows(run("a", testing.pingpong(1, 8)), run("b", testing.pingpong(2, 1 << 20)))
    alike = rows(run("a", testing.pingpong(1, 8)), run("b", testing.pingpong(2, 8)))
    ratios: list[Mapping[str, float | None]] = [
        {headline.unit: headline.cells[1].ratio for headline in side if headline.cells[1]} for side in (unlike, alike)
    ]
    assert ratios[0]["s"] is None
    assert ratios[1]["s"] == pytest.approx(1.0, rel=0.05)


def test_a_rate_of_the_cache_is_not_compared_with_one_of_the_memory() -> None:
    cached = replace(testing.stream(1, 2, 0.9), residence=Residence("in cache", 1e6, 32_000_000))
    stored = replace(testing.stream(2, 2, 0.9), residence=Residence("in memory", 1e9, 32_000_000))
    ratios = [
        [cell.ratio for row in rows(run("a", first), run("b", other)) for cell in row.cells[1:] if cell]
        for first, other in ((cached, stored), (stored, cached), (cached, cached))
    ]
    assert ratios == [[None], [None], [pytest.approx(1.0)]]


def test_machines_are_described_by_what_differs() -> None:
    other = machine("nada").changed(processor={"model": "Another one"})
    differing, alike = specifications(
        run("a", testing.stream(1, 2, 0.9)), run("b", testing.stream(2, 2, 0.9), on=other)
    )
    assert differing["Name"] == ["koto", "nada"]
    assert differing["Model"][1] == "Another one"
    assert not differing.keys() & alike.keys()
    assert "Operating system kernel" in alike


def test_unlike_versions_are_reported() -> None:
    new = testing.stream(2, 2, 0.9)
    assert new.record.provenance
    provenance = new.record.provenance.model_copy(update={"banzuke": "99.0", "commit": "abc"})
    new = replace(new, record=new.record.model_copy(update={"provenance": provenance}))
    both = run("a", testing.stream(1, 2, 0.9)), run("b", new)
    warnings = cautions(runs_of(both, words()))
    assert [said.facts["what"] for said in warnings] == ["Banzuke", "commit"]
    assert "99.0 in b" in words()(warnings[0])
    assert cautions(runs_of((both[0], both[0]), words())) == []


def test_variables_and_shared_processors_of_one_run_are_reported() -> None:
    new = testing.stream(2, 2, 0.9)
    assert new.record.provenance
    origin = new.record.provenance.having(variables={**new.record.provenance.variables, "UCX_TLS": "tcp"})
    bound = [Binding(ranks="0", threads=["0", "0"])]
    new = replace(new, record=changed(new.record, provenance=origin, binding=bound))
    shared, variable = cautions(runs_of((run("a", testing.stream(1, 2, 0.9)), run("b", new)), words()))
    assert words()(shared).startswith("In b 2 threads of stream omp shared processor 0")
    assert words()(variable) == "UCX_TLS=tcp was set only in b"


def test_means_of_unlike_problems_do_not_compare() -> None:
    here, there = collection(("omp",), families=3, sizes=4), collection(("mkl",), families=3, sizes=2)
    (headline,) = rows(run("a", *here.assessments), run("b", *there.assessments, on=machine("nada")))
    assert [cell.ratio for cell in headline.cells if cell] == [None, None]
    assert [bool(cell.shown.settings) for cell in headline.cells if cell] == [False, True]


def test_the_files_of_all_runs_have_names_of_their_own(tmp_path: Path) -> None:
    here, there = (collection((way,), families=2, sizes=3) for way in ("omp", "mkl"))
    files = write_study([run("a", *here.assessments), run("b", *there.assessments, days=2)], tmp_path).files
    names_ = {str(file.relative_to(tmp_path)) for file in files}
    assert {"run1-spmv.csv", "run2-spmv.csv", "figures/run1-spmv-rates.svg", "figures/run2-spmv-rates.svg"} <= names_
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'\sid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)
    data = json.loads((tmp_path / "report.json").read_bytes())
    assert [part["run"] for part in data["runs"]] == ["a", "b"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8"))))
    assert {row["run"] for row in rows} == {"a", "b"}
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text.index("## Figures side by side") < text.index("## 2026") < text.index("## Summary")


def test_a_report_of_one_run_has_nothing_beside_it(tmp_path: Path) -> None:
    write(run("a", testing.stream(1, 2, 0.9)), tmp_path)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "side by side" not in html
    assert 'id="summary"' in html
    assert json.loads((tmp_path / "report.json").read_bytes())["run"] == "a"


def test_what_a_run_contains_steers_nothing(tmp_path: Path) -> None:
    hostile = testing.hostile()
    write_study([replace(hostile, run="a"), replace(hostile, run="b")], tmp_path)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>window.hacked" not in html
    assert "\x1b" not in html


def test_runs_on_several_numbers_of_nodes_have_a_chapter_of_scaling() -> None:
    runs = [
        run(f"n{nodes}", *map(assess, scaled([nodes], lambda p: 1 / (0.9 + 0.1 * p), launches=1)))
        for nodes in (1, 2, 4)
    ]
    (scaling,) = (part for part in document(*runs).sections if part.anchor == "scaling")
    assert texts(tables(scaling)[0])[2][:4] == ["4", "3.08 Tflop/s", "–", "3.08"]
    assert [chart.id for chart in charts(document(*runs)) if chart.id.startswith("scaling")] == [
        "scaling-hpl-flop-rate-strong-rate",
        "scaling-hpl-flop-rate-strong-efficiency",
    ]
    assert "scaling" not in [part.anchor for part in document(runs[0], run("again", *runs[0].assessments)).sections]
