"""What is not made of blocks yet: curves, noise, collections, charts of sweeps, the comparison with other machines."""

from typing import Any

from banzuke.document import Block, Chart, Raw
from banzuke.document.html import embedded
from banzuke.document.html import environment as blocks_environment
from banzuke.record.settings import setting_text
from banzuke.report import content as old
from banzuke.report.build import build
from banzuke.report.charts.draw import draw
from banzuke.report.content import Content
from banzuke.report.model import Evaluation
from banzuke.report.page import TEMPLATES
from banzuke.report.tables import section_lines
from banzuke.units import NOT_FINITE
from banzuke.words.language import Words, words


def compose(evaluation: Evaluation) -> tuple[Content, dict[str, dict[str, Any]]]:
    content, drawn = draw(build(evaluation, "", words()), evaluation.benchmarks)
    return content, {chart.id: chart.spec() for chart in drawn}


class Parts:
    def __init__(self, evaluation: Evaluation, prefix: str, wording: Words) -> None:
        self.content, drawn = draw(build(evaluation, prefix, wording), evaluation.benchmarks)
        self.charts = {chart.id: chart.block for chart in drawn}

    def blocks(self, benchmark: str) -> list[Block]:
        section = next(section for section in self.content.sections if section.name == benchmark)
        html = self._html("section.html.j2", section=section)
        return [Raw(html, "\n".join(section_lines(self.content, section)), self._in(html))] if html.strip() else []

    def _in(self, html: str) -> tuple[Chart, ...]:
        return tuple(chart for name, chart in self.charts.items() if f'id="figure-{name}"' in html)

    def _html(self, template: str, **given: object) -> str:
        environment = blocks_environment(TEMPLATES)
        environment.globals |= {"not_finite": NOT_FINITE}
        environment.filters |= {
            "embedded": embedded,
            "setting": setting_text,
            "metric_titles": _metric_titles,
        }
        charts = {chart.id: chart for chart in self.content.charts}
        specs = {name: chart.spec for name, chart in self.charts.items()}
        return environment.get_template(template).render(content=self.content, charts=charts, specs=specs, **given)


def _metric_titles(section: old.BenchmarkData) -> list[str]:
    return list(dict.fromkeys(m.title for entry in section.cases for m in entry.measurements))


def markdown(content: Content) -> str:
    return "\n".join(line for section in content.sections for line in section_lines(content, section))
