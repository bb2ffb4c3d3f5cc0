"""The report of a collection: its families, its problems, and one way of solving them beside another."""

import csv
import io
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from banzuke.document import Chart
from banzuke.record.statistics import geometric_mean, median
from banzuke.report.content import Collection, Content, Section
from banzuke.report.legacy import compose
from banzuke.report.model import Evaluation
from banzuke.report.problems import problems_csv
from banzuke.report.testing import rich
from banzuke.report.testing.documents import document, items, summary, tables
from banzuke.report.testing.documents import section as documents_section
from banzuke.report.testing.sparse import FAMILIES, collection
from banzuke.report.write import write


@cache
def both() -> tuple[Evaluation, Content, dict[str, dict[str, Any]]]:
    evaluation = collection(families=10, sizes=6)
    return evaluation, *compose(evaluation)


def section() -> tuple[Section, Collection]:
    (found,) = both()[1].sections
    assert found.collection
    return found, found.collection


def rates(backend: str, family: str | None = None) -> dict[str, float]:
    """Medians by identity, straight from the records."""
    return {
        record.provenance.id: median(record.metrics["flop_rate"].samples)
        for assessment in both()[0].assessments
        if (record := assessment.record).status == "ok" and record.provenance and record.backend == backend
        if family in (None, record.parameters["family"])
    }


def test_families_sum_up_their_records() -> None:
    _, found = section()
    assert [(f.family, f.way) for f in found.families[:2]] == [("stencil-5", "omp"), ("stencil-5", "mkl")]
    assert [f.family for f in found.families[-2:]] == ["all", "all"]
    for family in found.families:
        known = rates(family.way, None if family.family == "all" else family.family)
        assert family.verified == len(known)
        assert family.in_cache + family.partly + family.in_memory == len(known)
        if family.mean and family.worst:
            assert family.mean.value == pytest.approx(geometric_mean(known.values()))
            assert (family.worst.case, family.worst.value) == min(known.items(), key=lambda item: item[1])


def test_every_problem_is_published_with_what_it_is(tmp_path: Path) -> None:
    evaluation, (shown, found) = both()[0], section()
    assert len(found.members) == len(evaluation.assessments) == 121
    by_id = {a.record.provenance.id: a.record for a in evaluation.assessments if a.record.provenance}
    for member, fact in ((m, f) for m in found.members for f in m.facts if f):
        assert fact.value == by_id[member.case].conditions[fact.metric]
    rows = list(csv.DictReader(io.StringIO(problems_csv(shown, found))))
    assert len(rows) == 121
    assert {row["family"] for row in rows} == {*[*FAMILIES][:10], "own files"}
    for row in rows:
        if row["state"] == "verified":
            assert float(row["flop_rate_median"]) == median(by_id[row["case"]].metrics["flop_rate"].samples)
            assert float(row["rows"]) == by_id[row["case"]].conditions["rows"]
    assert rows[-1]["reason"].startswith("/data/own/bad.mtx.gz, line 7")
    files = {path.name for path in write(evaluation, tmp_path)}
    assert {"spmv.csv", "spmv-rates.svg", "spmv-limits.pdf", "spmv-ratio-1.svg"} <= files


def test_the_page_folds_the_many_and_shows_the_few(tmp_path: Path) -> None:
    write(both()[0], tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    folded = text.index('<details class="members">')
    assert text.index('class="families"') < folded < text.index('id="case-spmv-1"')
    assert "<h3>omp beside mkl</h3>" in text
    families = text[text.index('class="families"') :]
    assert families[: families.index("</table>")].count("<tr") == 1 + 10 + 1 + 2
    assert "up to four times as large as that cache" in text
    assert 'href="spmv.csv"' in text
    reproduce = text[text.index('id="reproduce"') :]
    assert reproduce.index("Each of the 121 cases") < reproduce.index("<summary>backend omp")
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "omp is 1." in told
    assert "| stencil-5 1,000 | omp |" in told
    width = {len(re.findall(r"(?<!\\)\|", line)) for line in told.splitlines() if line.startswith("| stencil-5 1,000 ")}
    assert len(width) == 1


def test_the_summary_speaks_for_all_problems() -> None:
    evaluation = both()[0]
    (line,) = summary(evaluation)
    assert line.figure is None
    assert line.mean == pytest.approx(geometric_mean(rates("omp").values()))
    row = tables(documents_section(evaluation, "summary"))[-1].rows[0]
    assert row.cells[-1].text == "120 of 121 cases verified"
    assert len([item for item in items(documents_section(evaluation, "problems")) if "SpMV" in item.text]) == 1


def test_ratios_are_of_the_same_problem() -> None:
    _, found = section()
    (versus,) = found.versus
    mine, theirs = rates("omp"), rates("mkl")
    assert len(versus.ratios) == 60
    for ratio in versus.ratios:
        assert ratio.ratio == pytest.approx(mine[ratio.case] / theirs[ratio.against])
    assert versus.mean.value == pytest.approx(geometric_mean(ratio.ratio for ratio in versus.ratios))


def points(spec: dict[str, Any]) -> dict[str, Any]:
    layer: dict[str, Any] = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    return layer


def test_each_chart_has_a_point_a_problem_and_tells_families_apart() -> None:
    specs = both()[2]
    counts = {name: len(dataset(spec)) for name, spec in specs.items()}
    bounded = sum(a.residence.place == "in memory" for a in both()[0].assessments if a.residence) // 2
    assert counts == {"spmv-ratio-1": 60, "spmv-rates": 60, "spmv-limits": bounded}
    encoding = points(specs["spmv-rates"])["encoding"]
    looks = zip(encoding["stroke"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True)
    assert len(set(looks)) == 10
    assert {tip["title"] for tip in encoding["tooltip"]} >= {
        "name", "family", "rows", "non-zeros", "mean row", "row CV", "longest row", "solved by", "SpMV", "data",
    }  # fmt: skip


def test_every_axis_has_ticks() -> None:
    for name, spec in both()[2].items():
        x = points(spec)["encoding"]["x"]
        low, high = x["scale"]["domain"]
        assert len([tick for tick in x["axis"]["values"] if low <= tick <= high]) >= 2, name


def dataset(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (points(spec).get("data") or spec["data"])["values"]
    return rows


def test_hollow_is_what_caches_hold() -> None:
    rows = dataset(both()[2]["spmv-rates"])
    assert {row["data"]: row["full"] for row in rows} == {"in cache": 0.0, "partly in cache": 0.45, "in memory": 1.0}


def test_no_problem_of_a_collection_is_under_the_roofs() -> None:
    evaluation = both()[0]
    under_roofs = Evaluation(**{**vars(evaluation), "ceilings": rich().ceilings})
    roofline = next(section for section in document(under_roofs).sections if section.anchor == "roofline")
    assert not [block for block in roofline.blocks if isinstance(block, Chart)]
