"""`banzuke watch`: lasting changes of figures over the runs of each machine, with an exit status for cron and CI."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.options import DEFAULT_LANGUAGE, DEFAULT_RESULTS, HOW, OUTPUT, Json, Language, Results
from banzuke.cli.selection import (
    OfMachine,
    Row,
    Since,
    Until,
    chosen,
    machine_if_readable,
    machine_names,
    read_records,
    say_unread,
    since,
)
from banzuke.compare.changes import FEWEST_RUNS, WEEK
from banzuke.compare.explained import Difference, differences
from banzuke.compare.history import follow
from banzuke.compare.settings import figure_text
from banzuke.compare.watched import (
    Alarm,
    Vanished,
    WatchedFigure,
    WatchedSeries,
    is_positive,
    series_labels,
    vanished,
    watch,
)
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.files import check_folder
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count, percent
from banzuke.words import Listed
from banzuke.words.language import words

MOST_DIFFERENCES = 6
"""Most differences between two runs that are printed."""
AHEAD = timedelta(days=1)
"""Time by which clocks may differ: a run that begins later than that from now would be the newest for ever."""
DISTURBED = (
    "other processes or the hypervisor disturbed all launches, or their processors moved). Measure on an idle machine, "
    "or with `banzuke run --environment isolated`"
)
NOT_POSITIVE = "all figures are 0, which no change can be relative to)"
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
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Write a page there with the history of each figure as a chart, and what differs at each change.",
            file_okay=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    language: Language = DEFAULT_LANGUAGE,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Watch all headline figures over the runs of each machine, and show lasting changes that a further run confirmed.

    Exit status: 1 if a new change is for the worse, 3 if no figure has enough runs, else 0.
    """
    specs = _specs(named or ())
    if output:
        check_folder(output, "--output")
    runs = _runs(Store(results), machine, since, until)
    readings = read_records([run for run, _ in runs])
    lines = [
        (line, metric)
        for spec in specs
        for metric in spec.metrics
        if metric.headline
        for line in follow(readings, spec.name, metric).lines
    ]
    watched = [series for line, metric in lines for series in watch(line, metric, len(lines))]
    if not lines:
        raise BanzukeError(
            f"no run has a headline figure{' of ' + ', '.join(named) if named else ''}",
            why=f"{results} holds {count(len(runs), 'run')}",
            remedy="`banzuke run` measures; `banzuke list` shows what there is",
        )
    missing = list(vanished(lines, readings))
    if not watched:
        positive = any(is_positive(line, metric) for line, metric in lines)
        warn(f"none of {count(len(runs), 'run')} can be watched ({DISTURBED if positive else NOT_POSITIVE}")
    figures = _figures(watched, machine_names([row for _, row in runs]), {run.name: run for run, _ in runs})
    if output and not figures:
        there = "; the one there is an earlier one" if output.exists() else ""
        warn(f"no page was written to {output}, because no figure can be shown{there}")
    elif output:
        _write(figures, missing, len(readings), new_since, output, language)
    if json:
        write_json(
            {"series": [_data(figure, new_since) for figure in figures], "missing": list(map(_missing, missing))}
        )
    else:
        if figures:
            _print(figures, new_since)
        for figure in missing:
            out.say(("figure missing:", "yellow"), f" {_missing(figure)}")
    raise typer.Exit(_status(watched, new_since))


def _runs(store: Store, machine: str | None, since: datetime | None, until: datetime | None) -> list[tuple[Run, Row]]:
    """Return the runs that count, oldest first; say which others there are. Raises BanzukeError."""
    selected = chosen(store, machine=machine, since=since, until=until)
    if not (machine or since or until):
        say_unread(store, [row for _, row in selected])
    runs = [(run, row) for run, row in selected if not run.of_fleet]
    latest = datetime.now(UTC) + AHEAD
    if ahead := tuple(run.name for run, row in runs if row["started"] > latest):
        named = words().fact(Listed(ahead, 3))
        warn(f"not counted, starting in the future by the clock of the machine: {named}")
    return [(run, row) for run, row in runs if row["started"] <= latest]


def _figures(
    watched: Sequence[WatchedSeries], names: Mapping[str, str], runs: Mapping[str, Run]
) -> list[WatchedFigure]:
    return [
        WatchedFigure(
            series,
            names.get(series.machine, series.machine),
            case,
            {id(alarm): _explained(alarm, runs) for alarm in series.alarms},
        )
        for series, case in zip(watched, series_labels(watched), strict=True)
    ]


def _specs(names: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks with a headline figure, or those named. Raises BanzukeError."""
    for name in names:
        if find(name).collection:
            raise BanzukeError(
                f"{name} has no figure that stands for a run",
                remedy=f"`banzuke report RUN RUN` compares runs of {name}",
            )
    return [spec for name, spec in benchmarks().items() if not spec.collection and (not names or name in names)]


def _missing(figure: Vanished) -> str:
    return f"{figure.run}: {figure.metric.title}, {figure.benchmark} {figure.backend}: {figure.reason}"


def _explained(alarm: Alarm, runs: Mapping[str, Run]) -> Sequence[Difference]:
    """Return what differs between the last run before a change and the first one after it."""
    before, after = (
        (machine_if_readable(runs[watched.run]), watched.record) for watched in (alarm.before, alarm.since)
    )
    return differences(before, after)


def _differences(figure: WatchedFigure, alarm: Alarm) -> list[str]:
    say = words()
    return [
        f"{say(difference.what)} {say.fact(difference.before)} → {say.fact(difference.after)}"
        for difference in figure.explanations[id(alarm)]
    ]


def _status(watched: Sequence[WatchedSeries], new_since: datetime | None) -> int:
    if any(series.is_new(alarm, new_since) and alarm.times_better < 1 for series in watched for alarm in series.alarms):
        return WORSE
    return 0 if any(series.reference or series.alarms for series in watched) else UNTOLD


def _print(figures: Sequence[WatchedFigure], new_since: datetime | None) -> None:
    several = len({figure.series.machine for figure in figures}) > 1
    columns = (
        *((Column("machine"),) if several else ()),
        Column("case"),
        Column("figure"),
        *(Column(heading, numeric=True) for heading in ("runs", "median", "detectable")),
        Column("change"),
    )
    rows = [(*((figure.machine,) if several else ()), *_texts(figure, new_since)) for figure in figures]
    out.print(terminal_table(Table.of_texts(columns, rows)))
    shown = f"the smallest change that {WEEK} further runs would show"
    out.say((f"median: of the runs since the last change; detectable: {shown}", "dim"))
    for figure in figures:
        for alarm in figure.series.alarms:
            if figure.series.is_new(alarm, new_since):
                _explain(figure, alarm, on=f"{figure.machine}, " if several else "")
    few = sum(not figure.series.reference and not figure.series.alarms for figure in figures)
    if few:
        out.say(
            f"{count(few, 'figure')} cannot be watched yet: it takes {FEWEST_RUNS} runs, half an hour or more apart."
        )


def _texts(figure: WatchedFigure, new_since: datetime | None) -> tuple[str, ...]:
    series = figure.series
    finds = percent(series.finds, 2) if series.finds is not None else "–"
    return (
        words().fact(figure.case),
        series.metric.title,
        str(len(series.runs)),
        figure_text(series.level, series.metric.unit),
        finds,
        _change(series, new_since),
    )


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


def _explain(figure: WatchedFigure, alarm: Alarm, *, on: str) -> None:
    differences = _differences(figure, alarm)
    shown = [*differences[:MOST_DIFFERENCES], *(["..."] if len(differences) > MOST_DIFFERENCES else [])]
    why = "; ".join(shown) or "nothing that is recorded"
    out.say(
        (f"{on}{words().fact(figure.case)}: {figure.series.metric.title}", "bold"),
        f" {_size(alarm)} since run {alarm.since.run}, confirmed by "
        f"{alarm.confirmed.run}. What changed between {alarm.before.run} and {alarm.since.run}: {why}. "
        f"`banzuke compare {alarm.before.run} {alarm.since.run}` compares them.",
    )


def _write(
    figures: Sequence[WatchedFigure],
    missing: Sequence[Vanished],
    runs: int,
    new_since: datetime | None,
    folder: Path,
    language: str,
) -> None:
    """Write the page. Raises BanzukeError."""
    from banzuke.report.watch import Watching, write_watch  # noqa: PLC0415  (brings Altair)

    written = write_watch(Watching(figures, missing, benchmarks(), runs, new_since), folder, language)
    errors.say((f"page in {written.files[-1]}", "dim"))


def _data(figure: WatchedFigure, new_since: datetime | None) -> dict[str, Any]:
    series = figure.series
    return {
        "machine": figure.machine,
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
        "found_in_a_week": series.finds,
        "suspected": series.suspected,
        "changes": [
            {
                "since": alarm.since.run,
                "before": alarm.before.run,
                "confirmed": alarm.confirmed.run,
                "times_better": alarm.times_better,
                "new": series.is_new(alarm, new_since),
                "differences": _differences(figure, alarm),
            }
            for alarm in series.alarms
        ],
    }
