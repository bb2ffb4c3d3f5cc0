"""What is not made of blocks yet: curves, noise, collections, charts of sweeps, the comparison with other machines."""

from collections.abc import Sequence
from typing import Any

from banzuke.document import Block, Chart, Raw, Section
from banzuke.document.html import embedded
from banzuke.document.html import environment as blocks_environment
from banzuke.limit.collection import Member, collections
from banzuke.plan.benchmark import Collection
from banzuke.record.settings import setting_text
from banzuke.report import content as old
from banzuke.report.build import build
from banzuke.report.charts.collection import scatter_of_ratios
from banzuke.report.charts.draw import draw
from banzuke.report.collection import beside
from banzuke.report.content import Content
from banzuke.report.model import Evaluation
from banzuke.report.page import TEMPLATES
from banzuke.report.side_by_side import ComparedRun
from banzuke.report.tables import section_lines, versus_markdown
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


def _metric_titles(section: old.Section) -> list[str]:
    return list(dict.fromkeys(m.title for entry in section.cases for m in entry.measurements))


def markdown(content: Content) -> str:
    return "\n".join(line for section in content.sections for line in section_lines(content, section))


def problems(runs: Sequence[ComparedRun], wording: Words) -> list[Section]:
    """Of each collection the first run that has it over each other one, where they have problems in common."""
    contents = [build(run.evaluation, run.prefix, wording) for run in runs]
    found: dict[str, list[tuple[ComparedRun, Collection, list[Member], old.Section]]] = {}
    for run, content in zip(runs, contents, strict=True):
        of = run.evaluation
        for name, (declared, members) in collections(of.assessments, of.benchmarks).items():
            section = next(section for section in content.sections if section.name == name)
            found.setdefault(name, []).append((run, declared, members, section))
    made: list[Section] = []
    for (first, declared, mine, section), *others in found.values():
        for other, _, theirs, _ in others:
            versus = beside(declared, (first.name, mine, section.cases), (other.name, theirs))
            if versus is None:
                continue
            name = f"side-by-side-{section.slug}-{len(made) + 1}"
            chart = scatter_of_ratios(section, versus, name).block
            content = contents[0].model_copy(update={"charts": [*contents[0].charts, *chart_files_of(chart)]})
            versus = versus.model_copy(update={"charts": [name]})
            environment = blocks_environment(TEMPLATES)
            environment.filters["embedded"] = embedded
            html = environment.from_string(
                '{% from "macros.html.j2" import versus_of with context %}{{ versus_of(versus, noun) }}'
            ).render(versus=versus, noun=declared.noun, charts={name: content.charts[-1]}, specs={name: chart.spec})
            lines = versus_markdown(versus, declared.noun)
            raw = Raw(html, "\n".join(lines), (chart,))
            made.append(Section(f"problems-{len(made) + 1}", section.title, (raw,)))
    return made


def chart_files_of(chart: Chart) -> list[old.ChartFile]:
    files = [f"figures/{chart.id}.svg", f"figures/{chart.id}.pdf"]
    return [
        old.ChartFile(id=chart.id, title=chart.title, description=chart.description, caption=chart.caption, files=files)
    ]
