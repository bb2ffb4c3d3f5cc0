"""All charts of a report, and their drawings for papers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import vl_convert

from banzuke.charts.style import Drawn, resolve
from banzuke.limit.view import views
from banzuke.plan.benchmark import Benchmark
from banzuke.report.charts.collection import collection_charts, scatter_of_ratios
from banzuke.report.charts.roofline import roofline_chart
from banzuke.report.charts.samples import samples_chart
from banzuke.report.charts.side_by_side import problem_charts, side_by_side_charts
from banzuke.report.charts.sweep import sweep_charts
from banzuke.report.charts.variants import varied_charts
from banzuke.report.content import ChartFile, Collection, Content, Section
from banzuke.report.study_content import Study
from banzuke.text import printable


def draw(content: Content, benchmarks: Mapping[str, Benchmark]) -> tuple[Content, list[Drawn]]:
    """The content with its charts named where they belong, and the charts."""
    drawn: list[Drawn] = []

    def add(charts: list[Drawn]) -> list[str]:
        drawn.extend(charts)
        return [chart.id for chart in charts]

    def add_one(charts: list[Drawn]) -> list[str]:
        """Those of which each run has one of the same name."""
        return add([replace(chart, id=f"{content.prefix}{chart.id}") for chart in charts])

    sections = [
        section.model_copy(
            update={
                "charts": add(_of_section(section, benchmarks)),
                "collection": _collected(section, add),
            }
        )
        for section in content.sections
    ]
    roofline = roofline_chart(content)
    roofline_ids = add_one([roofline] if roofline else [])
    varied = [of.model_copy(update={"charts": add_one(varied_charts(of))}) for of in content.varied]
    return (
        content.model_copy(
            update={
                "sections": sections,
                "roofline": roofline_ids,
                "varied": varied,
                "charts": chart_files(drawn),
            }
        ),
        drawn,
    )


def draw_study(study: Study) -> tuple[Study, list[Drawn]]:
    """The study with the charts that show several runs, and these."""
    found = study.side_by_side
    if found is None:
        return study, []
    drawn = side_by_side_charts(found)
    ratios = problem_charts(found, [section for content in study.runs for section in content.sections])
    problems = [
        of.model_copy(update={"versus": of.versus.model_copy(update={"charts": [chart.id]})})
        for of, chart in zip(found.problems, ratios, strict=True)
    ]
    shown = found.model_copy(update={"charts": [chart.id for chart in drawn], "problems": problems})
    every = [*drawn, *ratios]
    return study.model_copy(update={"side_by_side": shown, "charts": chart_files(every)}), every


def chart_files(drawn: Iterable[Drawn]) -> list[ChartFile]:
    return [
        ChartFile(
            id=chart.id,
            title=chart.title,
            description=chart.description,
            caption=chart.caption,
            files=[f"figures/{chart.id}.svg", f"figures/{chart.id}.pdf"],
        )
        for chart in drawn
    ]


def _collected(section: Section, add: Callable[[list[Drawn]], list[str]]) -> Collection | None:
    if section.collection is None:
        return None
    versus = [
        each.model_copy(update={"charts": add([scatter_of_ratios(section, each, f"{section.slug}-ratio-{index}")])})
        for index, each in enumerate(section.collection.versus, 1)
    ]
    return section.collection.model_copy(update={"charts": add(collection_charts(section)), "versus": versus})


def svg(spec: dict[str, Any]) -> str:
    return printable(vl_convert.vegalite_to_svg(resolve(spec), allowed_base_urls=[]))


def pdf(drawing: str) -> bytes:
    return vl_convert.svg_to_pdf(drawing)


def _of_section(section: Section, benchmarks: Mapping[str, Benchmark]) -> list[Drawn]:
    benchmark = benchmarks.get(section.name)
    charts = sweep_charts(section, benchmark.plots) if benchmark else []
    own = section.collection or section.tabulated or any(view.samples for view in views(benchmark))
    samples = None if own else samples_chart(section)
    return [*charts, samples] if samples else charts
