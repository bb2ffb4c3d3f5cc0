"""What each environment costs, in a table: one row a headline figure, one column an environment."""

from collections.abc import Mapping, Sequence

from rich.table import Table

from banzuke.cli.console import Console
from banzuke.environment.model import NATIVE
from banzuke.limit.environments import Cost, costly, costs
from banzuke.limit.model import Assessment
from banzuke.plan.benchmark import Benchmark
from banzuke.record.matching import neighbours
from banzuke.report.cases import busy, figure_text


def show(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console) -> None:
    """The first case of each figure; nothing where nothing ran both natively and otherwise."""
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {name for name, spec in benchmarks.items() if spec.collection}
    found = costs([assessment.record for assessment in assessments], metrics, collections)
    if not found:
        return
    names = list(dict.fromkeys(cost.environment for cost in found))
    rows: dict[str, dict[str, Cost]] = {}
    for cost in found:
        rows.setdefault(_figure(cost), {}).setdefault(cost.environment, cost)
    table = Table(box=None, pad_edge=False, title_justify="left", title_style="bold")
    table.title = "Against the native environment; above 1: better there"
    table.add_column("figure", overflow="fold")
    table.add_column(NATIVE, justify="right", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for title, by_environment in rows.items():
        first = next(iter(by_environment.values())).line
        native = figure_text(first.a.value, first.metric.unit) if first.a and first.metric else ""
        cells = [_cell(by_environment[name]) if name in by_environment else "" for name in names]
        table.add_row(title, native, *cells)
    console.print(table)


def _figure(cost: Cost) -> str:
    line = cost.line
    title = line.metric.title if line.metric else ""
    return ", ".join(filter(None, (f"{line.benchmark} {line.backend}", title, busy(neighbours(line.case.record)))))


def _cell(cost: Cost) -> str:
    line = cost.line
    if cost.meaningless or line.ratio is None:
        return cost.meaningless or costly(line)
    interval = f" ({line.interval.low:.3g} to {line.interval.high:.3g})" if line.interval else ""
    return f"{line.ratio:.3g}{interval}\n{costly(line)}"
