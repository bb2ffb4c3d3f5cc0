"""What each value of an axis does, in a table an axis: one row a headline figure, one column a value."""

from collections.abc import Mapping, Sequence

from rich.table import Table

from banzuke.cli.console import Console
from banzuke.limit.model import Assessment
from banzuke.limit.variants import Effect, change, effects
from banzuke.plan.axes import axis_of, shown
from banzuke.plan.benchmark import Benchmark
from banzuke.record.matching import variant
from banzuke.record.settings import figure_text
from banzuke.words.language import words


def show(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console) -> None:
    """The first case of each figure; nothing where nothing ran with several values."""
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {name for name, spec in benchmarks.items() if spec.collection}
    records = [record for assessment in assessments for record in assessment.records]
    found = effects(records, metrics, collections)
    for name in dict.fromkeys(effect.axis for effect in found):
        console.print(_table(name, [effect for effect in found if effect.axis == name]))


def _table(name: str, found: Sequence[Effect]) -> Table:
    axis = axis_of(name)
    values = list(dict.fromkeys(effect.value for effect in found))
    rows: dict[tuple[str, str], dict[str, Effect]] = {}
    for effect in found:
        rows.setdefault((_figure(effect), effect.against), {}).setdefault(effect.value, effect)
    references = {against for _, against in rows}
    table = Table(box=None, pad_edge=False, title_justify="left", title_style="bold")
    first = axis.text(references.pop()) if len(references) == 1 else "the first"
    table.title = f"{axis.heading}: ratio to {first}, above 1 is better"
    table.add_column("figure", overflow="fold")
    table.add_column(first, justify="right", no_wrap=True)
    for value in values:
        table.add_column(axis.text(value), justify="right", overflow="fold")
    for (title, against), by_value in rows.items():
        line = next(iter(by_value.values())).line
        reference = figure_text(line.a.value, line.metric.unit) if line.a and line.metric else ""
        named = f"{axis.text(against)}\n" if first == "the first" else ""
        cells = [_cell(by_value[value]) if value in by_value else "" for value in values]
        table.add_row(title, named + reference, *cells)
    return table


def _figure(effect: Effect) -> str:
    line = effect.line
    title = line.metric.title if line.metric else ""
    others = {name: value for name, value in variant(line.case.record).items() if name != effect.axis}
    return ", ".join(filter(None, (f"{line.benchmark} {line.backend}", title, *shown(others))))


def _cell(effect: Effect) -> str:
    line = effect.line
    if effect.meaningless or line.ratio is None:
        return words()(effect.meaningless or change(line))
    interval = f" ({line.interval.low:.3g} to {line.interval.high:.3g})" if line.interval else ""
    return f"{line.ratio:.3g}{interval}\n{words()(change(line))}"
