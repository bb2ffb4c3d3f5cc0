"""`banzuke predict noise`: what noise costs ranks that wait for each other."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from banzuke.cli.console import errors, out, warn, warn_of, write_json
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Json, Results
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, write_whole
from banzuke.limit.variants import NO_TIMES, meaningless
from banzuke.limit.view import views
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.noise import Delays, FixedWork, Measured, MeasuresFixedWork, PeriodicNoise, read_times
from banzuke.predict.remarks import ranks_text, remarks
from banzuke.record.matching import environment
from banzuke.record.model import Record
from banzuke.record.settings import apart, label_of, surroundings, telling
from banzuke.record.store import Store
from banzuke.units import count, percent, quantity, seconds
from banzuke.words.language import words

NOISE = "The noise"
MARKS = (0.01, 0.1)
"""Slowdowns whose number of ranks is told."""
LARGEST = 10**7
SIMULATED_PERIODS = 10_000


def _share(text: str) -> float:
    """`1%` or `0.01`."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise BanzukeError(f"'{text}' is not a slowdown", remedy="Write a share above 0: 1% or 0.01")
    return value


@dataclass(frozen=True)
class PredictionRow:
    ranks: int
    formula: float | None
    """None: there was no noise, or the formula does not hold."""
    measured: float | None
    """From the whole distribution; None: it was not given."""
    simulated: float | None
    bearable: float | None
    """The longest noise for the slowdown that was asked for."""


@dataclass(frozen=True)
class Prediction:
    """The prediction for one noise."""

    name: str
    """What was measured; empty: it was given."""
    about: str
    known: PeriodicNoise | None
    """As the formula takes it."""
    holds: PeriodicNoise | None
    """The same where the formula holds for the period."""
    measured: Measured | None
    delays: Delays | None

    @classmethod
    def of(cls, measured: Measured, period: float, name: str = "", about: str = "") -> "Prediction":
        known = measured.worst()
        holds = known if known and period <= known.interval else None
        return cls(name, about, known, holds, measured, measured.over(period))

    def rows(self, wanted: Sequence[int], period: float, slowdown: float | None) -> list[PredictionRow]:
        return [
            PredictionRow(
                count,
                self.holds.slowdown(count, period) if self.holds else None,
                self.delays.slowdown(count) if self.delays else None,
                self.delays.simulate(count, SIMULATED_PERIODS, seed=count) if self.delays else None,
                self.holds.bearable(slowdown, count, period) if self.holds and slowdown else None,
            )
            for count in wanted
        ]

    def reached(self, period: float) -> dict[float, float | None]:
        return {mark: self.holds.ranks_for(mark, period) if self.holds else None for mark in MARKS}

    @property
    def remarks(self) -> list[str]:
        return remarks(self.holds, self.measured, self.delays) if self.measured and self.delays else []


def noise(
    period: Annotated[
        float,
        typer.Option(
            "--period",
            parser=seconds,
            metavar="TIME",
            help="Ta: work between two synchronisations, such as 250us.",
            rich_help_panel=WHAT,
        ),
    ],
    length: Annotated[
        float | None,
        typer.Option(
            "--length",
            parser=seconds,
            metavar="TIME",
            help="D: the longest noise, such as 1.13us.",
            rich_help_panel=NOISE,
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            parser=seconds,
            metavar="TIME",
            help="Tn: mean time between two of these on one rank, such as 10m.",
            rich_help_panel=NOISE,
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Instead: the noise that a run measured, in each environment.",
            rich_help_panel=NOISE,
        ),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            "--times",
            metavar="FILE",
            help="Instead: measured times of a fixed work quantum, one in seconds per line.",
            rich_help_panel=NOISE,
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ] = None,
    with_clock: Annotated[
        bool,
        typer.Option(
            "--with-clock", help="With --run: count changes of the clock as noise, too.", rich_help_panel=NOISE
        ),
    ] = False,
    ranks: Annotated[
        list[int] | None,
        typer.Option(
            "--ranks",
            metavar="N",
            min=1,
            help="Number of ranks that synchronise (not nodes: Fugaku has 4 per node); may be given several times.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    slowdown: Annotated[
        float | None,
        typer.Option(
            "--slowdown",
            parser=_share,
            metavar="SHARE",
            help="Also print the longest noise that keeps the slowdown below this, such as 1%.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart",
            metavar="FILE",
            help="Draw the slowdown over the ranks into this .svg or .pdf file.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Predict how much operating-system noise slows down an application whose ranks wait for each other.

    The formula (1 - (1 - Ta/Tn)^N) D/Ta uses only the longest noise; for measured noise the whole distribution is used
    as well. N counts ranks that wait for each other, not nodes: only so do the published figures of Fugaku follow.
    """
    if chart and chart.suffix not in (".svg", ".pdf"):
        raise BanzukeError(f"--chart {chart}: unknown kind of file", remedy="Name an .svg or a .pdf")
    if chart:
        check_folder(chart.parent)
    given = [name for name, value in (("--run", run), ("--times", times)) if value is not None]
    if given and (length is not None or interval is not None or len(given) > 1):
        raise BanzukeError(f"{given[0]} already gives the noise", remedy="Leave out the other options that give it")
    if run is not None:
        curves = _from_run(run, Store(results), period, with_clock=with_clock)
    elif times is not None:
        curves = [Prediction.of(Measured.of(read_times(times)), period)]
    else:
        curves = [_given(length, interval)]
    wanted = sorted(set(ranks or [10**power for power in range(8)]))
    if json:
        documents = [_document(curve, period, wanted, slowdown) for curve in curves]
        told = {"run": run, "period": period, "curves": documents} if run else {"period": period, **documents[0]}
        write_json(told)
    else:
        for curve in curves:
            _show(curve, period, wanted, slowdown)
    if chart:
        from banzuke.report.charts.draw import pdf, svg  # noqa: PLC0415  (brings Altair)
        from banzuke.report.charts.slowdown import slowdown_chart  # noqa: PLC0415

        of = [(curve.name, curve.holds, curve.delays) for curve in curves]
        drawing = svg(slowdown_chart(of, period, MARKS, max(LARGEST, *wanted)).spec())
        write_whole(chart, pdf(drawing) if chart.suffix == ".pdf" else drawing.encode())
        errors.say((f"chart in {chart}", "dim"))


def _given(length: float | None, interval: float | None) -> Prediction:
    """Raises BanzukeError."""
    if length is None or interval is None:
        raise BanzukeError(
            "no noise was given",
            remedy="Give --length and --interval, a run that measured it with --run, or times in a file with --times",
        )
    known = PeriodicNoise(length, interval)
    return Prediction("", "", known, known, None, None)


def _from_run(name: str, store: Store, period: float, *, with_clock: bool) -> list[Prediction]:
    """One for each environment and each other setting of what was measured; repetitions count together."""
    reading = store.resolve(name)
    warn_of(reading)
    found = [(record, of) for record in reading.records if record.status == "ok" and (of := _fixed_work(record))]
    works = [(record, of) for record, of in found if not meaningless([record])]
    if emulated := {environment(record) for record, _ in found if meaningless([record])}:
        warn(f"{', '.join(sorted(emulated))} left out: {words()(NO_TIMES)}")
    if not works:
        raise BanzukeError(
            f"{name} measured no noise by fixed work quanta",
            why="single events do not show in fixed time quanta",
            remedy="`banzuke run noise` measures it",
        )
    rows = [apart(record) for record, _ in works]
    columns = telling(rows)
    groups: dict[str, list[FixedWork]] = {}
    for (record, of), row in zip(works, rows, strict=True):
        groups.setdefault(", ".join(filter(None, (surroundings(record), label_of(row, columns)))), []).append(of)
    return [_curve(label, of, period, with_clock=with_clock) for label, of in groups.items()]


def _fixed_work(record: Record) -> FixedWork | None:
    """As the first view of its benchmark that can shows it."""
    known = benchmarks().get(record.benchmark)
    able = [view for view in views(known) if isinstance(view, MeasuresFixedWork)]
    return next((of for view in able if (of := view.fixed_work(record))), None)


def _curve(label: str, repetitions: Sequence[FixedWork], period: float, *, with_clock: bool) -> Prediction:
    """Without the clock's part where all have it separated, unless it is wanted."""
    whole, beyond = [of.whole for of in repetitions], [of.beyond_clock for of in repetitions if of.beyond_clock]
    separated = len(beyond) == len(whole)
    measured = Measured.together(whole if with_clock or not separated else beyond)
    on = count(repetitions[0].processors, "processor")
    about = f"{sum(of.quanta for of in whole):,} quanta of {quantity(measured.quantum, 's')} on {on}"
    if separated:
        about += ", including changes of the clock" if with_clock else ", without changes of the clock"
    return Prediction.of(measured, period, label, about)


def _document(curve: Prediction, period: float, wanted: Sequence[int], slowdown: float | None) -> Mapping[str, Any]:
    known = curve.known
    named = {"name": curve.name, "about": curve.about} if curve.name else {}
    return {
        **named,
        "noise": {"length": known.length, "interval": known.interval} if known else None,
        "slowdowns": [
            {
                "ranks": row.ranks,
                "formula": row.formula,
                "measured": row.measured,
                "simulated": row.simulated,
                "bearable_length": row.bearable,
            }
            for row in curve.rows(wanted, period, slowdown)
        ],
        "ranks_for": [{"slowdown": mark, "ranks": count} for mark, count in curve.reached(period).items()],
        "remarks": curve.remarks,
    }


def _show(curve: Prediction, period: float, wanted: Sequence[int], slowdown: float | None) -> None:
    rows = curve.rows(wanted, period, slowdown)  # raises before anything is printed
    if curve.name:
        out.say((curve.name, "bold"), f": {curve.about}")
    if curve.known:
        length, interval = quantity(curve.known.length, "s"), quantity(curve.known.interval, "s")
        out.say(f"noise of {length} every {interval} on each rank")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("ranks", justify="right")
    table.add_column("slowdown by the formula", justify="right")
    if curve.delays:
        table.add_column("from the distribution", justify="right")
        table.add_column(f"{SIMULATED_PERIODS:,} periods simulated", justify="right")
    if slowdown:
        table.add_column(f"longest noise for {percent(slowdown)}", justify="right")
    formula = "does not hold" if curve.known else "–"
    for row in rows:
        cells = [f"{row.ranks:,}", percent(row.formula) if row.formula is not None else formula]
        cells += [percent(row.measured), percent(row.simulated)] if curve.delays else []
        cells += ["–" if row.bearable is None else quantity(row.bearable, "s")] if slowdown else []
        table.add_row(*cells)
    out.print(table)
    for mark, least in curve.reached(period).items() if curve.holds else ():
        text = f"from {ranks_text(least)}" if least else "at no number of ranks"
        out.say(f"{percent(mark)} by the formula {text}")
    for remark in curve.remarks:
        out.say(remark)
    if curve.delays:
        out.print("Noise rarer than what was measured is in none of these; independent ranks are assumed.\n")
