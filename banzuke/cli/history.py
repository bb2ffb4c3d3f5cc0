"""`banzuke history BENCHMARK`: a figure over runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from banzuke.cli.console import out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, Json, Results, metric_option
from banzuke.cli.selection import OfMachine, Since, Until, chosen, machine_if_readable, machine_names, read_records
from banzuke.cli.tables import varying, where
from banzuke.compare.apart import undisturbed
from banzuke.compare.cautions import variables_apart
from banzuke.compare.history import History, HistoryPoint, HistorySeries
from banzuke.compare.history import history as over_runs
from banzuke.compare.settings import figure_text
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.judge.launches import disturbed_sides
from banzuke.judge.placement import crowded_sides
from banzuke.limit.residence import cached_rate
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.catalogue import find
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.text import nearest
from banzuke.units import count, times
from banzuke.words import Message, Quantity, data, message
from banzuke.words.language import words

_VERDICTS = {"faster": "▲ better", "slower": "▼ worse"}
"""Words for changes: up is better, even for a metric of which less is better."""
Doubts = Mapping[int, Sequence[Message]]
"""Messages why the figure of a step is no headline, by the step's `id`."""


def history(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="A benchmark; `banzuke list` shows them.")],
    metric: Annotated[str | None, metric_option("Metric to show.")] = None,
    machine: OfMachine = None,
    since: Since = None,
    until: Until = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Show a benchmark's figure over the runs of each machine, and which changes are significant."""
    spec = find(benchmark)
    wanted = _metric(spec, metric)
    store = Store(results)
    runs = chosen(store, benchmark=benchmark, machine=machine, since=since, until=until)
    runs = [(run, row) for run, row in runs if not run.of_fleet]
    past = _over([run for run, _ in runs], benchmark, wanted)
    doubts = _doubts(past, spec, wanted, {run.name: run for run, _ in runs})
    warnings = list(map(words(), _cautions(past, doubts)))
    names = machine_names([row for _, row in runs])
    if json:
        lines = [_data(line, names, doubts) for line in past.lines]
        figure = {"metric": wanted.name, "title": wanted.title, "unit": wanted.unit, "better": wanted.better}
        write_json({"benchmark": benchmark, **figure, "cautions": warnings, "lines": lines, "without": past.without})
        return
    if not past.lines:
        if asked := _asked(machine, since, until):
            every = chosen(store, benchmark=benchmark)
            others = len(_shown(_over([run for run, _ in every if not run.of_fleet], benchmark, wanted)))
            if others:
                raise BanzukeError(
                    f"no run {' '.join(asked.values())} has {wanted.name} of {benchmark}",
                    why="; ".join((f"{count(others, 'other run')} in {results} with it", *past.without[:3])),
                    remedy=f"Leave out or change {' and '.join(asked)}",
                )
        raise BanzukeError(
            f"no run has {wanted.name} of {benchmark}",
            why="; ".join(past.without[:3]) or f"{results} holds no such run",
            remedy=f"`banzuke run {benchmark}` measures it",
        )
    telling = varying(line.steps[-1].case.record for line in past.lines)
    for line in past.lines:
        out.print(terminal_table(_table(line, spec, wanted, names, telling, doubts)), "")
    for warning in warnings:
        out.say(("Caution:", "yellow"), f" {warning}")
    for text in past.without:
        out.say(("figure missing:", "yellow"), f" {text}")
    if len(past.lines) > 1:
        out.say(f"{len(past.lines)} separate series: unlike cases or machines are not compared.")
    for text in _sentences(past):
        out.say(text)
    out.say(
        "Figures are medians over launches. The 95% intervals of figures come from the variation between the launches "
        "of a run, those of ratios from the variation between runs."
    )


def _sentences(past: History) -> list[str]:
    """Return the remarks on the last comparison of each series, each once; later runs may settle earlier ones."""
    last = (line.steps[-1].before for line in past.lines)
    return list(dict.fromkeys(words()(said) for before in last if before for said in before.told))


def _cautions(past: History, doubts: Doubts) -> list[Message]:
    apart = (
        said for line in past.lines for said in variables_apart([(step.run, step.case.records) for step in line.steps])
    )
    no_headline = (said for messages in doubts.values() for said in messages)
    return [*dict.fromkeys(apart), *dict.fromkeys(no_headline), *disturbed_sides(_shown(past))]


def _doubts(past: History, spec: Benchmark, metric: Metric, runs: Mapping[str, Run]) -> Doubts:
    machines = {name: machine_if_readable(runs[name]) for name in _shown(past)}
    return {
        id(step): [
            *crowded_sides({step.run: step.case.records}),
            *_served(step, spec, metric, machines[step.run]),
        ]
        for line in past.lines
        for step in line.steps
    }


def _served(step: HistoryPoint, spec: Benchmark, metric: Metric, machine: Machine | None) -> Iterator[Message]:
    """Yield a message if a memory rate came from a cache."""
    record = step.case.record
    if machine and (served := cached_rate(record, metric.name, machine, spec)):
        size, cache = Quantity(served.working_set, "B"), Quantity(served.cache, "B")
        case = f"{record.benchmark} {record.backend}"
        yield message("limit-served-in", run=step.run, case=case, size=size, cache=cache)


def _over(runs: Sequence[Run], benchmark: str, wanted: Metric) -> History:
    return over_runs(read_records(runs), benchmark, wanted)


def _asked(machine: str | None, since: datetime | None, until: datetime | None) -> dict[str, str]:
    """Return the options that filter runs, each with a phrase for it."""
    return {
        **({"--machine": f"on {machine}"} if machine else {}),
        **({"--since": f"since {since:%Y-%m-%d %H:%M}"} if since else {}),
        **({"--until": f"until {until:%Y-%m-%d %H:%M}"} if until else {}),
    }


def _shown(past: History) -> Mapping[str, list[Record]]:
    """Return the records behind the figures, by run."""
    records: dict[str, list[Record]] = {}
    for step in (step for line in past.lines for step in line.steps):
        records.setdefault(step.run, []).extend(undisturbed(step.case).records)
    return records


def _metric(spec: Benchmark, name: str | None) -> Metric:
    """Return the named metric, else the headline. Raises BanzukeError."""
    if spec.collection:
        raise BanzukeError(
            f"{spec.name} has no figure that stands for a run",
            why=f"each of its {spec.collection.noun} is a case of its own",
            remedy="`banzuke report RUN RUN` compares them",
        )
    metrics = {metric.name: metric for metric in spec.metrics}
    if name is None:
        return next((metric for metric in spec.metrics if metric.headline), spec.metrics[0])
    if name not in metrics:
        raise BanzukeError(f"{spec.name} has no metric '{name}'", remedy=nearest(name, list(metrics)))
    return metrics[name]


def _table(
    line: HistorySeries,
    spec: Benchmark,
    metric: Metric,
    names: Mapping[str, str],
    telling: list[str],
    doubts: Doubts,
) -> Table:
    record = line.steps[-1].case.record
    settings = [f"{name} {record.parameters[name]}" for name in telling if name in record.parameters]
    case = ", ".join([f"{spec.name} {record.backend}", record.layout, *where(record), *settings])
    title = f"{metric.title} ({metric.better} is better) on {names.get(line.machine, line.machine)}: {case}"
    numbers = ("figure", "interval", "launches", "vs. previous run")
    columns = (Column("run", whole=True), Column("started"), *(Column(heading, numeric=True) for heading in numbers))
    return Table.of_texts((*columns, Column("change")), (_texts(step, metric, doubts) for step in line.steps), title)


def _texts(step: HistoryPoint, metric: Metric, doubts: Doubts) -> tuple[str, ...]:
    interval, before = step.side.interval, step.before
    verdict = [_VERDICTS.get(before.verdict, before.verdict)] if before else []
    doubted = ["no headline"] if doubts[id(step)] else []
    return (
        step.run,
        f"{step.case.record.started:%Y-%m-%d %H:%M}",
        figure_text(step.side.value, metric.unit),
        " to ".join(figure_text(end, metric.unit) for end in interval) if interval else "–",
        str(step.side.launches),
        times(before.ratio, before.interval) if before and before.ratio is not None else "–",
        "; ".join((*verdict, *doubted, *step.changed)),
    )


def _data(line: HistorySeries, names: Mapping[str, str], doubts: Doubts) -> dict[str, Any]:
    record = line.steps[-1].case.record
    return {
        "machine": names.get(line.machine),
        "fingerprint": line.machine,
        "backend": record.backend,
        "layout": record.layout,
        "steps": [_step(step, doubts) for step in line.steps],
    }


def _step(step: HistoryPoint, doubts: Doubts) -> dict[str, Any]:
    record, before = step.case.record, step.before
    return {
        "run": step.run,
        "started": record.started.isoformat(),
        "parameters": record.parameters,
        "headline": not doubts[id(step)],
        **asdict(step.side),
        "ratio": before.ratio if before else None,
        "ratio_interval": before.interval if before else None,
        "verdict": before.verdict if before else None,
        "reason": before.reason if before else "",
        "told": list(map(data, before.told)) if before else [],
        "differences": list(step.changed),
    }
