import dataclasses
from dataclasses import replace

from banzuke.judge.model import Assessment
from banzuke.machine import published
from banzuke.report import testing
from banzuke.report.first.peers import share_of_peak
from banzuke.report.summary import line_title
from banzuke.report.testing.documents import section, summary, tables
from banzuke.report.testing.parts import assess, record, samples
from banzuke.units import percent
from banzuke.words.language import words


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


def test_titles_do_not_repeat_their_benchmark() -> None:
    benchmarks = {"stream": testing.BENCHMARKS["stream"]}
    metrics = tuple(dataclasses.replace(m, title=f"STREAM {m.title}") for m in benchmarks["stream"].metrics)
    benchmarks = {"stream": dataclasses.replace(benchmarks["stream"], metrics=metrics)}
    case = assess(record("stream", 1, {}, {"triad_bandwidth": samples(4e10, "B/s", 5)}), benchmarks)
    table = tables(section(testing.only(case, benchmarks=benchmarks), "summary"))[-1]
    assert table.rows[0].cells[0].text == "STREAM Triad"


def test_a_figure_of_devices_that_is_called_as_its_benchmark_is_named_once() -> None:
    of_devices = testing.with_devices()
    dgemm = testing.BENCHMARKS["dgemm"]
    named = dataclasses.replace(dgemm, metrics=tuple(dataclasses.replace(m, title=dgemm.title) for m in dgemm.metrics))
    evaluation = replace(of_devices, benchmarks={**testing.BENCHMARKS, "dgemm": named})
    cases = tuple(changed_title(assessment, dgemm.title) for assessment in of_devices.assessments)
    titles = [line_title(line, words()) for line in summary(replace(evaluation, assessments=cases))]
    assert f"{dgemm.title}, 1 device" in titles


def changed_title(assessment: Assessment, title: str) -> Assessment:
    if assessment.record.benchmark != "dgemm":
        return assessment
    return replace(assessment, figures=tuple(replace(figure, title=title) for figure in assessment.figures))


def test_a_rate_that_memory_bounds_is_a_share_of_the_peak_too() -> None:
    evaluation = testing.only(testing.hpl(1, 20_000))
    (line,) = summary(evaluation)
    assert line.figure
    share = share_of_peak(evaluation.machine, line.case.assessment.record, line.figure)
    assert share == line.figure.value / 217.6e9
    table = tables(section(evaluation, "summary"))[-1]
    assert percent(share) in [cell.text for cell in table.rows[0].cells]
