"""`banzuke watch`: lasting changes of figures over the runs of each machine, with an exit status for cron and CI."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from banzuke.cli.console import out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, HOW, Json, Results
from banzuke.cli.selection import OfMachine, Since, Until, chosen, machine_if_readable, read_records, since
from banzuke.compare.changes import FEWEST_RECENT, FEWEST_REFERENCE
from banzuke.compare.history import History, follow
from banzuke.compare.settings import figure_text
from banzuke.compare.watched import Alarm, WatchedSeries, watch
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count, percent

WEEK = 7
"""Runs within which a change is to be found, if there is one a day."""
MOST_DIFFERENCES = 6
"""Most differences between two runs that are printed."""
WORSE, UNTOLD = 1, 3
"""Exit status: a figure has become worse; nothing can be watched. 2 is a usage error."""


def watch_all(
    named: Annotated[
        list[str] | None,
        typer.Argument(metavar="BENCHMARK", help="Benchmarks; `banzuke list` shows them.", show_default="all"),
    ] = None,
    new_since: Annotated[
        datetime | None,
        typer.Option(
            "--new-since",
            parser=since,
            metavar="DATE",
            help="Changes that were confirmed then or later are new.",
            show_default="those that the newest run confirmed",
            rich_help_panel=HOW,
        ),
    ] = None,
    machine: OfMachine = None,
    since: Since = None,
    until: Until = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Watch all headline figures over the runs of each machine, and show lasting changes that a further run confirmed.

    Exit status: 1 if a new change is for the worse, 3 if no figure has enough runs, else 0.
    """
    store, specs = Store(results), _specs(named or ())
    runs = {run.name: (run, row) for run, row in chosen(store, machine=machine, since=since, until=until)}
    runs = {name: (run, row) for name, (run, row) in runs.items() if not run.of_fleet}
    readings = read_records([run for run, _ in runs.values()])
    pasts = [
        (metric, follow(readings, spec.name, metric)) for spec in specs for metric in spec.metrics if metric.headline
    ]
    watched = [series for metric, past in pasts for line in past.lines for series in watch(line, metric)]
    missing = _missing([past for _, past in pasts], readings)
    if not watched:
        raise BanzukeError(
            f"no run has a headline figure{' of ' + ', '.join(named) if named else ''}",
            why=f"{results} holds {count(len(runs), 'run')}",
            remedy="`banzuke run` measures; `banzuke list` shows what there is",
        )
    names = {row["fingerprint"]: row["machine"] for _, row in runs.values() if row["machine"]}
    differences = {
        id(alarm): _differences(alarm, {name: run for name, (run, _) in runs.items()})
        for series in watched
        for alarm in series.alarms
    }
    if json:
        data = [_data(series, names, differences, new_since) for series in watched]
        write_json({"series": data, "missing": missing})
    else:
        _print(watched, names, differences, new_since)
        for text in missing:
            out.say(("figure missing:", "yellow"), f" {text}")
    raise typer.Exit(_status(watched, new_since))


def _specs(names: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks with a headline figure, or those named. Raises BanzukeError."""
    for name in names:
        if find(name).collection:
            raise BanzukeError(
                f"{name} has no figure that stands for a run",
                remedy=f"`banzuke report RUN RUN` compares runs of {name}",
            )
    return [spec for name, spec in benchmarks().items() if not spec.collection and (not names or name in names)]


def _missing(pasts: Sequence[History], readings: Sequence[tuple[str, Sequence[Record]]]) -> list[str]:
    """Return figures that the newest run lacks, each with the reason."""
    newest = readings[-1][0] if readings else ""
    return list(dict.fromkeys(text for past in pasts for text in past.without if text.startswith(f"{newest}: ")))


def _differences(alarm: Alarm, runs: Mapping[str, Run]) -> list[str]:
    """Return what differs between the last run before a change and the first one after it."""
    before, after = (
        _facts(machine_if_readable(runs[watched.run]), watched.record) for watched in (alarm.before, alarm.since)
    )
    return [
        f"{name} {before.get(name) or 'none'} → {after.get(name) or 'none'}"
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _facts(machine: Machine | None, record: Record) -> Mapping[str, str]:
    """Return what may explain a change: kernel and its settings, libraries, builds, variables, parameters."""
    partition = machine.partition if machine else None
    software = partition.software if partition else None
    return {
        "Banzuke": record.provenance.banzuke if record.provenance else "",
        **{f"kernel {name}": str(value) for name, value in (partition.kernel if partition else {}).items()},
        **({f"MPI {path}": version for path, version in software.mpi.items()} if software else {}),
        **({f"{blas.name} {blas.path}": blas.version or "" for blas in software.blas} if software else {}),
        **{f"program's {name}": version for group in record.groups for name, version in group.software.items()},
        **(record.provenance.variables if record.provenance else {}),
        **{name: str(value) for name, value in record.parameters.items()},
    }


def _status(watched: Sequence[WatchedSeries], new_since: datetime | None) -> int:
    if any(series.is_new(alarm, new_since) and alarm.times_better < 1 for series in watched for alarm in series.alarms):
        return WORSE
    return 0 if any(series.reference or series.alarms for series in watched) else UNTOLD


def _print(
    watched: Sequence[WatchedSeries],
    names: Mapping[str, str],
    differences: Mapping[int, Sequence[str]],
    new_since: datetime | None,
) -> None:
    several = len({series.machine for series in watched}) > 1
    columns = (
        *((Column("machine"),) if several else ()),
        Column("case"),
        Column("figure"),
        *(Column(heading, numeric=True) for heading in ("runs", "median", f"found in {WEEK}")),
        Column("change"),
    )
    rows = [
        (*((names.get(series.machine, series.machine),) if several else ()), *_texts(series, new_since))
        for series in watched
    ]
    out.print(terminal_table(Table.of_texts(columns, rows)))
    out.say(
        (
            f"median: of the runs since the last change; found in {WEEK}: the smallest change that {WEEK} runs show",
            "dim",
        )
    )
    for series in watched:
        for alarm in series.alarms:
            if series.is_new(alarm, new_since):
                _explain(series, alarm, differences[id(alarm)])
    few = sum(not series.reference and not series.alarms for series in watched)
    if few:
        least = FEWEST_REFERENCE + FEWEST_RECENT + 1
        out.say(f"{count(few, 'figure')} cannot be watched yet: it takes {least} runs, half an hour or more apart.")


def _texts(series: WatchedSeries, new_since: datetime | None) -> tuple[str, ...]:
    finds = percent(series.reference.finds(WEEK), 2) if series.reference else "–"
    return (
        _case(series),
        series.metric.title,
        str(len(series.runs)),
        figure_text(series.level, series.metric.unit),
        finds,
        _change(series, new_since),
    )


def _case(series: WatchedSeries) -> str:
    """Return `stream, 2 threads, far`."""
    return ", ".join(filter(None, (series.record.benchmark, series.record.layout, series.state.distance)))


def _change(series: WatchedSeries, new_since: datetime | None) -> str:
    if not series.alarms:
        return "suspected: run again" if series.suspected else "–" if series.reference else "too few runs"
    alarm = series.alarms[-1]
    new = "new: " if series.is_new(alarm, new_since) else ""
    again = "; another suspected: run again" if series.suspected else ""
    return f"{new}{_size(alarm)} since {alarm.since.began:%Y-%m-%d}{again}"


def _size(alarm: Alarm) -> str:
    arrow, word = ("▲", "better") if alarm.times_better > 1 else ("▼", "worse")
    return f"{arrow} {percent(abs(1 - alarm.times_better), 2)} {word}"


def _explain(series: WatchedSeries, alarm: Alarm, differences: Sequence[str]) -> None:
    shown = [*differences[:MOST_DIFFERENCES], *(["..."] if len(differences) > MOST_DIFFERENCES else [])]
    why = "; ".join(shown) or "nothing that is recorded"
    out.say(
        (f"{_case(series)}: {series.metric.title}", "bold"),
        f" {_size(alarm)} since run {alarm.since.run}, confirmed by "
        f"{alarm.confirmed.run}. What changed between {alarm.before.run} and {alarm.since.run}: {why}. "
        f"`banzuke compare {alarm.before.run} {alarm.since.run}` compares them.",
    )


def _data(
    series: WatchedSeries,
    names: Mapping[str, str],
    differences: Mapping[int, Sequence[str]],
    new_since: datetime | None,
) -> dict[str, Any]:
    return {
        "machine": names.get(series.machine),
        "fingerprint": series.machine,
        "benchmark": series.record.benchmark,
        "backend": series.record.backend,
        "layout": series.record.layout,
        "parameters": series.record.parameters,
        "state": series.state.distance,
        "metric": series.metric.name,
        "unit": series.metric.unit,
        "better": series.metric.better,
        "runs": [{"run": run.run, "began": run.began.isoformat(), "value": run.value} for run in series.runs],
        "median": series.level,
        "found_in_a_week": series.reference.finds(WEEK) if series.reference else None,
        "suspected": series.suspected,
        "changes": [
            {
                "since": alarm.since.run,
                "before": alarm.before.run,
                "confirmed": alarm.confirmed.run,
                "times_better": alarm.times_better,
                "new": series.is_new(alarm, new_since),
                "differences": differences[id(alarm)],
            }
            for alarm in series.alarms
        ],
    }
