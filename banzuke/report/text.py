"""Charts in a report's Markdown."""

from collections.abc import Iterable, Sequence

from banzuke.document.markdown import EMPTY, Markdown
from banzuke.report.content import ChartFile


def figures(charts: Iterable[ChartFile], ids: Sequence[str]) -> list[Markdown]:
    lines: list[Markdown] = []
    for chart in charts:
        if chart.id in ids and chart.files:
            lines += [
                Markdown("![{}]({})").format(chart.description, Markdown(chart.files[0])),
                EMPTY,
                Markdown("*{}.* {}").format(chart.title, chart.caption),
                EMPTY,
            ]
    return lines
