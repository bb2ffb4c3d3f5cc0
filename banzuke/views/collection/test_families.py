"""Tests of a collection: its families, its problems, and solvers compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from banzuke.charts.testing import layers, rows
from banzuke.compare.statistics import geometric_mean, median
from banzuke.document import Block, Details, Heading, Items, Paragraph, Table
from banzuke.judge.collection import Ratio, members, ratios
from banzuke.judge.model import Assessment
from banzuke.record.state import State
from banzuke.report.model import Evaluation
from banzuke.report.testing.sparse import FAMILIES, SPARSE, collection
from banzuke.views.collection import ProblemFamilies
from banzuke.views.testing import charts, section, texts
from banzuke.views.view import ViewSection

VIEW = ProblemFamilies()


@cache
def both() -> Evaluation:
    return collection(families=10, sizes=6)


@cache
def of_both(language: str = "en") -> ViewSection:
    return section(SPARSE, *both().assessments, language=language)


@cache
def shown() -> Sequence[Block]:
    return VIEW.show(of_both())


def table(place: int) -> Table:
    return [block for block in shown() if isinstance(block, Table)][place]


def specs() -> Mapping[str, Mapping[str, Any]]:
    return {name: chart.spec for name, chart in charts(shown()).items()}


def rates(backend: str, family: str | None = None) -> dict[str, float]:
    """Return medians by id, straight from the records."""
    return {
        record.provenance.id: median(record.metrics["flop_rate"].samples)
        for assessment in both().assessments
        if (record := assessment.record).status == "ok" and record.provenance and record.backend == backend
        if family in (None, record.parameters["family"])
    }


def test_families_sum_up_their_records() -> None:
    families = table(0).rows
    assert [row.kind for row in families] == [""] * 11 + ["total"] * 2
    assert [row.cells[0].text for row in families[-2:]] == ["all with omp", "all with mkl"]
    for row in families[:10]:
        name, _, mean, worst, *places = row.cells[:7]
        family_rates = rates("omp", name.text)
        assert sum(int(str(place.value)) for place in places) == len(family_rates)
        assert mean.value == pytest.approx(geometric_mean(family_rates.values()))
        assert worst.origin
        assert (worst.origin.case, worst.value) == min(family_rates.items(), key=lambda item: item[1])


def test_every_problem_is_in_the_csv_with_what_it_is() -> None:
    written = VIEW.tables(of_both())[""]
    titles = [column.title for column in written.columns]
    by_id = {a.record.provenance.id: a.record for a in both().assessments if a.record.provenance}
    lines = [
        dict(zip(titles, (cell.text if cell.value is None else cell.value for cell in row.cells), strict=True))
        for row in written.rows
    ]
    assert len(lines) == 121
    assert {line["family"] for line in lines} == {*[*FAMILIES][:10], "own files"}
    for line in lines:
        if line["state"] == "verified":
            record = by_id[str(line["case"])]
            assert line["flop_rate_median"] == median(record.metrics["flop_rate"].samples)
            assert line["rows"] == record.conditions["rows"]
    assert lines[-1]["state"] == "failed"
    assert str(lines[-1]["reason"]).startswith("/data/own/bad.mtx.gz, line 7")


def test_the_page_folds_the_many_and_shows_the_few() -> None:
    (details,) = [block for block in shown() if isinstance(block, Details)]
    (every,) = [block for block in details.blocks if isinstance(block, Table)]
    assert len(every.rows) == 121
    assert texts(every)[0][:2] == ["stencil-5 1,000", "omp"]
    assert every.rows[-1].kind == "bad"
    assert [block.text for block in shown() if isinstance(block, Heading)] == ["omp beside mkl"]
    assert len(table(0).rows) == 10 + 1 + 2


def test_ratios_are_of_the_same_problem() -> None:
    shared: Sequence[Ratio] = ratios(members(SPARSE.collection, both().assessments)) if SPARSE.collection else []
    mine, theirs = rates("omp"), rates("mkl")
    assert len(shared) == 60
    for ratio in shared:
        here, there = (member.assessment.record.provenance for member in (ratio.member, ratio.against))
        assert here
        assert there
        assert ratio.ratio == pytest.approx(mine[here.id] / theirs[there.id])
    last = table(1).rows[-1].cells
    assert last[2].value == pytest.approx(geometric_mean(ratio.ratio for ratio in shared))


def test_each_chart_has_a_point_a_problem_and_tells_families_apart() -> None:
    counts = {name: len(points(spec)) for name, spec in specs().items()}
    bounded = sum(a.residence.place == "in memory" for a in both().assessments if a.residence) // 2
    assert counts == {"spmv-ratio-1": 60, "spmv-rates": 60, "spmv-limits": bounded}
    encoding = layers(specs()["spmv-rates"], "point")[0]["encoding"]
    looks = zip(encoding["stroke"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True)
    assert len(set(looks)) == 10
    assert {tip["title"] for tip in encoding["tooltip"]} >= {
        "Name", "Family", "rows", "non-zeros", "mean row", "row CV", "longest row", "Format", "SpMV", "Data",
    }  # fmt: skip


def test_every_axis_has_ticks() -> None:
    for name, spec in specs().items():
        x = layers(spec, "point")[0]["encoding"]["x"]
        low, high = x["scale"]["domain"]
        assert len([tick for tick in x["axis"]["values"] if low <= tick <= high]) >= 2, name


def points(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return rows(spec, layers(spec, "point")[0])


def test_hollow_is_what_caches_hold() -> None:
    fullness = {point["place"]: point["full"] for point in points(specs()["spmv-rates"])}
    assert fullness == {"in cache": 0.0, "partly in cache": 0.45, "in memory": 1.0}


def test_one_run_stands_beside_another_by_the_solver_of_its_first_problem() -> None:
    here, there = (section(SPARSE, *collection((way,), families=3, sizes=2).assessments) for way in ("omp", "mkl"))
    blocks = VIEW.beside(here, there, ("koto", "nada"), "both")
    assert [block.text for block in blocks if isinstance(block, Heading)] == ["koto beside nada"]
    assert [*charts(blocks)] == ["both"]
    other = section(SPARSE, *collection(("omp",), families=3, sizes=2).assessments[:1])
    assert not VIEW.beside(other, section(SPARSE), ("koto", "nada"), "both")


def test_what_the_chart_of_two_runs_shows_is_told_on_a_terminal() -> None:
    evaluation = collection(("omp", "cuda"), families=10, sizes=12)
    ways = (
        [assessment for assessment in evaluation.assessments if assessment.record.backend == way]
        for way in ("cuda", "omp")
    )
    here, there = (section(SPARSE, *assessments) for assessments in ways)
    blocks = VIEW.beside_on_terminal(here, there, ("koto", "nada"))
    assert all(isinstance(block, Paragraph) for block in blocks)
    first, counted, *_, last = [block.text for block in blocks if isinstance(block, Paragraph)]
    assert first.startswith("koto over nada: geometric mean")
    assert "between the two lines" in counted
    drawn = VIEW.beside(here, there, ("koto", "nada"), "both")
    assert counted in said(drawn)
    (spec,) = (chart.spec for chart in charts(drawn).values())
    named = [row["text"] for layer in layers(spec, "text") for row in rows(spec, layer) if "x" in row]
    assert named
    assert all(f"{name} (" in last for name in named)
    assert not VIEW.beside_on_terminal(here, section(SPARSE), ("koto", "nada"))


def test_one_problem_is_a_case_like_any_other() -> None:
    single = section(SPARSE, both().assessments[0])
    assert not VIEW.lists(single)
    assert not VIEW.show(single)
    assert not VIEW.tables(single)
    assert not VIEW.overview(SPARSE, both().assessments[:1], single.words)


def test_words_are_those_of_the_language() -> None:
    families = next(block for block in VIEW.show(of_both("ja")) if isinstance(block, Table))
    assert families.columns[0].title == "種類"


@cache
def on_device(*left_out: str) -> Sequence[Block]:
    """Return a device over processors, without the ceilings of some resources."""
    evaluation = collection(("omp", "cuda"), families=10, sizes=12)
    assessments = [
        replace(
            assessment,
            ceilings=tuple(ceiling for ceiling in assessment.ceilings if ceiling.resource.name not in left_out),
        )
        for assessment in evaluation.assessments
    ]
    return VIEW.show(section(SPARSE, *assessments))


def said(blocks: Sequence[Block]) -> str:
    return "\n".join(item.text for block in blocks if isinstance(block, Items) for item in block.items)


def test_lines_stand_at_the_ratios_of_both_sides_rates() -> None:
    spec = charts(on_device())["spmv-ratio-1"].spec
    lines = sorted(row["y"] for layer in layers(spec, "rule") for row in rows(spec, layer))
    assert lines == pytest.approx([1.0, 20.0, 6.8e12 / 217.6e9])
    texts_of = [row["text"] for layer in layers(spec, "text") for row in rows(spec, layer)]
    assert {"memory bandwidths 20", "arithmetic peaks 31.2"} <= set(texts_of)
    assert "Line at 20: memory bandwidth 826 GB/s, by stream's triad_bandwidth on 1 device, over" in said(on_device())


def test_lines_are_those_of_the_state_of_most_problems() -> None:
    """The processors are near in every third problem, and memory is then half as fast."""

    def near(assessment: Assessment) -> Assessment:
        halved = tuple(
            replace(ceiling, value=ceiling.value / 2) if ceiling.kind == "measured" and not ceiling.devices else ceiling
            for ceiling in assessment.ceilings
        )
        return replace(assessment, state=State("near"), ceilings=halved)

    evaluation = collection(("omp", "cuda"), families=10, sizes=12)
    problems = [
        near(assessment)
        if assessment.record.backend == "omp" and place % 3 == 0
        else replace(assessment, state=State("far" if assessment.record.backend == "omp" else None))
        for place, assessment in enumerate(evaluation.assessments)
    ]
    sentences = said(VIEW.show(section(SPARSE, *problems)))
    assert "Line at 20: " in sentences
    assert "The lines are those of 80 of 120 matrices (omp: far processors); the others are counted by" in sentences
    assert "The lines are those of" not in said(on_device())


def test_a_line_whose_rates_are_unknown_is_absent_and_told() -> None:
    blocks = on_device("memory.bytes")
    spec = charts(blocks)["spmv-ratio-1"].spec
    assert len(layers(spec, "rule")) == 2
    assert "memory bandwidths: not measured for cuda and omp" in said(blocks)
    assert "between the two lines" not in said(blocks)


def test_what_stands_out_is_named_and_told_by_whose_cache_holds_it() -> None:
    spec = charts(on_device())["spmv-ratio-1"].spec
    named = [row["text"] for layer in layers(spec, "text") if "x" in rows(spec, layer)[0] for row in rows(spec, layer)]
    problems = {point["Name"] for point in rows(spec, layers(spec, "point")[0])}
    assert 1 <= len(named) <= 10
    assert set(named) <= problems
    held = [point["place"] for point in rows(spec, layers(spec, "point")[0])]
    assert {"one", "both", "neither"} == set(held)
    assert f"{held.count('one')} matrices fit the last-level cache of omp alone" in said(on_device())


def test_runs_with_devices_are_set_side_by_side_on_these_too() -> None:
    here, there = (
        section(SPARSE, *collection(("omp", way), families=3, sizes=3).assessments) for way in ("cuda", "hip")
    )
    blocks = VIEW.beside(here, there, ("koto", "nada"), "both")
    assert [block.text for block in blocks if isinstance(block, Heading)] == [
        "koto with omp beside nada with omp",
        "koto with cuda beside nada with hip",
    ]
    assert [*charts(blocks)] == ["both", "both-devices"]
