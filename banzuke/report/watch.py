"""Writes the page of watched figures: which have changed lastingly, then the history of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from banzuke import __version__
from banzuke.compare.changes import FEWEST_RECENT, FEWEST_REFERENCE, FEWEST_RUNS, LEAST, WEEK
from banzuke.compare.settings import figure_text
from banzuke.compare.watched import Alarm, Vanished, WatchedFigure, WatchedSeries
from banzuke.document import (
    Block,
    Cell,
    Column,
    Document,
    Drawing,
    Heading,
    Item,
    Items,
    Panel,
    Paragraph,
    Row,
    Section,
    Table,
    Tone,
)
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.wording import benchmark_title, full_title, metric_title
from banzuke.report.compose import page_notes
from banzuke.report.watch_chart import beyond, history_panel, size_text
from banzuke.report.write import Rendered, Written, files_of, publish
from banzuke.units import percent
from banzuke.words import Listed, Message, Reason, Share, message
from banzuke.words.language import Words, words

NOTHING = "–"
MOST_DIFFERENCES = 20
"""Most differences between two runs that the page lists."""
_MOST_MACHINES = 3


@dataclass(frozen=True)
class Watching:
    """All figures that are watched."""

    figures: Sequence[WatchedFigure]
    missing: Sequence[Vanished]
    benchmarks: Mapping[str, Benchmark]
    runs: int
    new_since: datetime | None

    def new(self, *, better: bool) -> int:
        """Return how many figures have a new change for the better, or for the worse."""
        return sum(
            any(
                figure.series.is_new(alarm, self.new_since) and (alarm.times_better > 1) == better
                for alarm in figure.series.alarms
            )
            for figure in self.figures
        )


def write_watch(watching: Watching, folder: Path, language: str) -> Written:
    """Write the page. Raises BanzukeError."""
    say = words(language)
    document = watch_document(watching, say)
    return publish(Rendered(document, files_of(document, say)), folder, say)


def watch_document(watching: Watching, say: Words) -> Document:
    """Return the page."""
    machines = tuple(dict.fromkeys(figure.machine for figure in watching.figures))
    began = [run.began for figure in watching.figures for run in figure.series.runs]
    return Document(
        language=say.language,
        title=say.fact(Listed(machines, _MOST_MACHINES)),
        subtitle=[
            say(message("watch-subtitle", figures=len(watching.figures), runs=watching.runs)),
            say(message("fact-span", first=f"{min(began):%Y-%m-%d}", last=f"{max(began):%Y-%m-%d}")),
        ],
        sections=tuple(_Page(watching, say).sections()),
        generator=f"Banzuke {__version__}",
        notes={**page_notes(say), "kind": say(message("watch-kind"))},
    )


@dataclass(frozen=True)
class _Page:
    watching: Watching
    say: Words

    def sections(self) -> Iterator[Section]:
        say, figures = self.say, list(enumerate(self.watching.figures, start=1))
        yield Section("answer", say(message("watch-answer")), tuple(self._answer(figures)))
        if alarmed := [(number, figure) for number, figure in figures if figure.alarmed]:
            blocks = [block for number, figure in alarmed for block in self._alarmed(number, figure)]
            yield Section("changed", say(message("watch-changed")), tuple(blocks))
        if steady := [figure for _, figure in figures if not figure.alarmed]:
            shown = [self._drawing("steady", say(message("watch-steady")), steady)]
            yield Section("steady", say(message("watch-steady")), tuple(shown))
        yield Section("method", say(message("watch-method")), (Paragraph(self._method(), small=True),))

    def _answer(self, figures: Sequence[tuple[int, WatchedFigure]]) -> Iterator[Block]:
        say, watching = self.say, self.watching
        series = [figure.series for figure in watching.figures]
        few = sum(not watched.reference and not watched.alarms for watched in series)
        totals: list[Message] = [
            message(
                "watch-totals",
                figures=len(series),
                worse=watching.new(better=False),
                better=watching.new(better=True),
            )
        ]
        if earlier := sum(bool(watched.alarms) for watched in series):
            totals.append(message("watch-changed-ever", figures=earlier))
        if suspected := sum(watched.suspected for watched in series):
            totals.append(message("watch-suspected-of", figures=suspected))
        if few:
            totals.append(message("watch-few-of", figures=few, least=FEWEST_RUNS))
        yield Paragraph(say.sentences(totals))
        if watching.missing:
            yield Items(tuple(Item(say(self._missing(figure))) for figure in watching.missing), style="warnings")
        yield self._table(figures)

    def _missing(self, figure: Vanished) -> Message:
        return message(
            "watch-missing",
            figure=self._title(figure.benchmark, figure.metric),
            run=figure.run,
            why=Reason(figure.reason),
        )

    def _title(self, benchmark: str, metric: Metric) -> str:
        title = self.say(benchmark_title(self.watching.benchmarks[benchmark]))
        return full_title(title, self.say(metric_title(benchmark, metric)), self.say)

    def _heads(self, *titles: Message) -> tuple[Column, ...]:
        return tuple(Column(self.say(title)) for title in titles)

    def _table(self, figures: Sequence[tuple[int, WatchedFigure]]) -> Table:
        say = self.say
        several = len({figure.machine for _, figure in figures}) > 1
        columns = (
            *self._heads(
                message("watch-figure"), *([message("watch-machine")] if several else []), message("watch-change")
            ),
            *(
                Column(say(title), numeric=True)
                for title in (message("watch-runs"), message("watch-median"), message("watch-finds", runs=WEEK))
            ),
        )
        rows = [
            Row((*cells[:1], *([Cell(figure.machine)] if several else []), *cells[1:]))
            for number, figure in figures
            for cells in [self._cells(number, figure)]
        ]
        return Table(columns, tuple(rows), file="watch")

    def _cells(self, number: int, figure: WatchedFigure) -> tuple[Cell, ...]:
        series = figure.series
        finds = series.finds
        text, tone = self._change(series)
        title = self._title(series.record.benchmark, series.metric)
        return (
            Cell(title, note=self.say.fact(figure.case), link=f"#change-{number}" if figure.alarmed else "#steady"),
            Cell(text, tone=tone),
            Cell(f"{len(series.runs):,}", len(series.runs)),
            Cell(figure_text(series.level, series.metric.unit), series.level, series.metric.unit),
            Cell(percent(finds, 2) if finds else NOTHING, finds),
        )

    def _change(self, series: WatchedSeries) -> tuple[str, Tone]:
        say = self.say
        again = [message("watch-suspected")] if series.suspected else []
        if not series.alarms:
            few = [] if series.reference or series.suspected else [message("watch-too-few")]
            return say.sentences([*again, *few]) or NOTHING, "unsure" if again else "faint"
        alarm = series.alarms[-1]
        return say.sentences([self._since(series, alarm), *again]), "better" if alarm.times_better > 1 else "worse"

    def _since(self, series: WatchedSeries, alarm: Alarm) -> Message:
        return message(
            "watch-since",
            size=size_text(alarm),
            better="yes" if alarm.times_better > 1 else "no",
            date=f"{alarm.since.began:%Y-%m-%d}",
            new="yes" if series.is_new(alarm, self.watching.new_since) else "no",
        )

    def _alarmed(self, number: int, figure: WatchedFigure) -> Iterator[Block]:
        title = self._title(figure.series.record.benchmark, figure.series.metric)
        yield Heading(title, of=self._of(figure), anchor=f"change-{number}")
        yield self._drawing(f"change-{number}-runs", title, [figure])
        if figure.series.alarms:
            yield self._explained(figure)
        if figure.series.suspected:
            yield Paragraph(self.say(message("watch-suspected-why")))

    def _of(self, figure: WatchedFigure) -> str:
        several = len({other.machine for other in self.watching.figures}) > 1
        comma = self.say(message("fact-comma"))
        return comma.join(([figure.machine] if several else []) + [self.say.fact(figure.case)])

    def _drawing(self, anchor: str, title: str, figures: Sequence[WatchedFigure]) -> Drawing:
        descriptions = [self._description(figure) for figure in figures]
        return Drawing(anchor, title, self.say.sentences(descriptions), tuple(map(self._panel, figures)))

    def _panel(self, figure: WatchedFigure) -> Panel:
        if figure.alarmed:  # below a heading with its title
            return history_panel(figure.series, "", "")
        title = self._title(figure.series.record.benchmark, figure.series.metric)
        return history_panel(figure.series, title, self._of(figure))

    def _description(self, figure: WatchedFigure) -> Message:
        series = figure.series
        values = [run.value for run in series.runs]
        low, high = (figure_text(value, series.metric.unit) for value in (min(values), max(values)))
        return message(
            "watch-drawn",
            figure=message(
                "watch-figure-of",
                figure=self._title(series.record.benchmark, series.metric),
                case=self._of(figure),
            ),
            runs=len(values),
            low=low,
            high=high,
            beyond=beyond(series),
            changes=len(series.alarms),
        )

    def _explained(self, figure: WatchedFigure) -> Table:
        """Return a table of the changes, the newest first, each with what differs between the runs around it."""
        say = self.say
        columns = self._heads(
            message("watch-change"), message("watch-differs"), message("watch-before"), message("watch-after")
        )
        rows = []
        for alarm in reversed(figure.series.alarms):
            every = figure.explanations[id(alarm)]
            differences = [(say(fact.what), say.fact(fact.before), say.fact(fact.after)) for fact in every]
            shown = differences[:MOST_DIFFERENCES] or [(say(message("watch-nothing")), NOTHING, NOTHING)]
            if more := len(differences) - len(shown):
                shown += [(say(message("watch-more", number=more)), "", "")] if more > 0 else []
            since = say(self._since(figure.series, alarm))
            runs = say(
                message("watch-around", before=alarm.before.run, since=alarm.since.run, confirmed=alarm.confirmed.run)
            )
            tone: Tone = "better" if alarm.times_better > 1 else "worse"
            for at, texts in enumerate(shown):
                head = Cell(above=True) if at else Cell(since, note=runs, tone=tone)
                rows.append(Row((head, *map(Cell, texts))))
        return Table(columns, tuple(rows))

    def _method(self) -> str:
        text = message(
            "watch-method-text",
            least=FEWEST_RUNS,
            reference=FEWEST_REFERENCE,
            recent=FEWEST_RECENT,
            share=Share(LEAST),
        )
        return self.say(text)
