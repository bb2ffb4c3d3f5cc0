"""Tests of figures over a setting: lines, bars, and which cases are compared."""

from collections.abc import Sequence

import pytest

from banzuke.charts.style import Drawn, resolve
from banzuke.charts.testing import layers, rows
from banzuke.plan.benchmark import Benchmark
from banzuke.report import testing
from banzuke.report.testing.parts import KERNELS
from banzuke.report.testing.solver import SOLVER, solved
from banzuke.views.sweep import Sweep, plot_title
from banzuke.views.sweep.charts import charts
from banzuke.views.sweep.plot import Plot
from banzuke.views.testing import section
from banzuke.views.view import ViewSection

STREAM, OSU = testing.BENCHMARKS["stream"], testing.BENCHMARKS["osu"]


def plots(benchmark: Benchmark) -> Sequence[Plot]:
    return next(view.plots for view in benchmark.views if isinstance(view, Sweep))


LAYOUT, COLOURS = plots(SOLVER)


def drawn_of(shown: ViewSection, wanted: Sequence[Plot]) -> list[Drawn]:
    return charts(shown, [(plot, plot_title(shown.benchmark.name, plot)) for plot in wanted])


def places(shown: ViewSection, plot: Plot) -> list[str]:
    """Return the labels of a chart's bars or points."""
    (chart,) = drawn_of(shown, (plot,))
    spec = chart.spec()
    (layer,) = layers(spec, "bar" if plot is LAYOUT else "point")
    return [row.get("label") or f"{row['series']} {row['x']:g}" for row in rows(spec, layer)]


def test_lines_for_numbers_and_bars_for_one_place() -> None:
    swept = section(STREAM, testing.stream(1, 1, 0.6), testing.stream(2, 2, 1.0))
    (chart,) = drawn_of(swept, plots(STREAM))
    spec = chart.spec()
    assert len(layers(spec, "line")) == 1
    y = layers(spec, "line")[0]["encoding"]["y"]["scale"]["domain"]
    assert y[0] == 0
    single = section(STREAM, testing.stream(1, 2, 1.0), testing.stream(2, 2, 0.9))
    (chart,) = drawn_of(single, plots(STREAM))
    assert len(layers(chart.spec(), "bar")) == 1


def test_threads_of_a_host_are_no_scale_for_its_devices() -> None:
    on_devices = [
        assessment for assessment in testing.with_devices().assessments if assessment.record.benchmark == "stream"
    ]
    shown = section(STREAM, testing.stream(1, 1, 0.6), testing.stream(2, 2, 1.0), *on_devices[-2:])
    (chart,) = drawn_of(shown, plots(STREAM))
    assert all(assessment.record.devices for assessment in on_devices[-2:])
    points = [row for layer in layers(chart.spec(), "point") for row in rows(chart.spec(), layer)]
    assert len({row["series"] for row in points}) * 2 == len(points)
    assert drawn_of(section(STREAM, testing.stream(1, 1, 0.6), *on_devices[-2:]), plots(STREAM)) == []


@pytest.mark.parametrize(("count", "whiskers"), [(1, []), (10, [2])])
def test_single_samples_have_no_whiskers(count: int, whiskers: list[int]) -> None:
    """Marks without data would have no extent, about which the browser complains."""
    (*_, triad) = KERNELS
    plot = Plot("?", (f"{triad}_bandwidth",), x="threads")
    shown = section(STREAM, testing.stream(1, 1, 0.6, count=count), testing.stream(2, 2, 1.0, count=count))
    (chart,) = drawn_of(shown, (plot,))
    spec = chart.spec()
    counts = [len(rows(spec, layer)) for layer in layers(spec, "rule") if "y2" in layer["encoding"]]
    assert counts == whiskers
    assert str(spec).count("'median': ") == 4, "whiskers share the data of the points"
    assert ("within" in chart.caption) == bool(whiskers)


def test_a_wide_span_is_logarithmic_and_says_so() -> None:
    cases = [testing.pingpong(i, 1 << p) for i, p in enumerate(range(3, 23))]
    latency, bandwidth = drawn_of(section(OSU, *cases), plots(OSU))
    for chart in (latency, bandwidth):
        y = layers(chart.spec(), "line")[0]["encoding"]["y"]
        assert y["scale"]["type"] == "log"
        assert "log scale" in y["title"]
    assert latency.title.endswith("Latency")
    assert bandwidth.title.endswith("Bandwidth")
    assert latency.id != bandwidth.id


def test_a_plot_over_an_unknown_setting_draws_nothing() -> None:
    shown = section(STREAM, testing.stream(1, 2, 1.0), testing.stream(2, 2, 0.9))
    assert drawn_of(shown, (Plot("?", ("triad_bandwidth",), x="absent"),)) == []
    assert drawn_of(shown, (Plot("?", ("absent",), x="threads"),)) == []


def test_files_have_colours_and_a_width_of_their_own() -> None:
    shown = section(STREAM, testing.stream(1, 2, 1.0), testing.stream(2, 2, 0.9))
    (chart,) = drawn_of(shown, plots(STREAM))
    fixed = resolve(chart.spec())
    assert "var(--" not in str(fixed)
    assert fixed["width"] > 0


def test_layouts_are_compared_among_like_cases() -> None:
    shown = section(
        SOLVER,
        solved(1),
        solved(2, ranks=1, threads=2),
        solved(3, ranks=1, threads=2, colours=8),
        solved(4, ranks=1, threads=4, n=20),
    )
    assert places(shown, LAYOUT) == ["flat MPI", "hybrid 2 × 1"]
    assert drawn_of(shown, (LAYOUT,))[0].id == "geofem-1"


def test_one_place_alone_is_no_comparison() -> None:
    assert drawn_of(section(SOLVER, solved(1)), plots(SOLVER)) == []


def test_colours_are_those_that_were_needed() -> None:
    shown = section(
        SOLVER,
        solved(1),
        *[solved(2 + i, "mc", colours, ranks=1, threads=2) for i, colours in enumerate((2, 16, 64))],
        *[solved(5 + i, "cm-rcm", colours, ranks=1, threads=2) for i, colours in enumerate((2, 16, 64))],
    )
    points = ["mc 8", "mc 16", "mc 64", "cm-rcm 9", "cm-rcm 16", "cm-rcm 64"]
    assert places(shown, COLOURS) == points


def test_one_case_is_no_chart() -> None:
    single = section(STREAM, testing.stream(1, 2, 1.0))
    assert drawn_of(single, (Plot("?", ("triad_bandwidth",), x="threads"),)) == []
    assert drawn_of(single, plots(STREAM)) == []


def test_titles_of_plots_have_codes_of_their_benchmark() -> None:
    assert {said.code for said in Sweep(LAYOUT, COLOURS).declared("geofem")} == {
        "geofem-plot-time-layout",
        "geofem-plot-iterations-colours_used",
    }


def test_words_are_those_of_the_language() -> None:
    (chart,) = charts(
        section(STREAM, testing.stream(1, 1, 0.6), testing.stream(2, 2, 1.0), language="ja"),
        [(plot, plot_title("stream", plot)) for plot in plots(STREAM)],
    )
    assert chart.caption.startswith("中央値と試行内の95%信頼区間。")
