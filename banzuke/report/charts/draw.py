"""All charts of a report, and their drawings for papers."""

from collections.abc import Iterable, Mapping
from typing import Any

import vl_convert

from banzuke.charts.style import Drawn, resolve
from banzuke.plan.benchmark import Benchmark
from banzuke.report.charts.sweep import sweep_charts
from banzuke.report.content import BenchmarkData, ChartFile, Content
from banzuke.text import printable


def draw(content: Content, benchmarks: Mapping[str, Benchmark]) -> tuple[Content, list[Drawn]]:
    """The content with its charts named where they belong, and the charts."""
    drawn: list[Drawn] = []

    def add(charts: list[Drawn]) -> list[str]:
        drawn.extend(charts)
        return [chart.id for chart in charts]

    sections = [
        section.model_copy(
            update={
                "charts": add(_of_section(section, benchmarks)),
            }
        )
        for section in content.sections
    ]
    return (
        content.model_copy(
            update={
                "sections": sections,
                "charts": chart_files(drawn),
            }
        ),
        drawn,
    )


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


def svg(spec: dict[str, Any]) -> str:
    return printable(vl_convert.vegalite_to_svg(resolve(spec), allowed_base_urls=[]))


def pdf(drawing: str) -> bytes:
    return vl_convert.svg_to_pdf(drawing)


def _of_section(section: BenchmarkData, benchmarks: Mapping[str, Benchmark]) -> list[Drawn]:
    benchmark = benchmarks.get(section.name)
    return sweep_charts(section, benchmark.plots) if benchmark else []
