"""`banzuke predict noise`: predicts what noise costs ranks that wait for each other."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import warn, warn_of, write_json
from banzuke.cli.drawing import ChartFile, check_chart, draw
from banzuke.cli.noise_tables import show_predictions
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Json, Results
from banzuke.compare.matching import environment
from banzuke.errors import BanzukeError
from banzuke.judge.effects import NO_TIMES, meaningless
from banzuke.plan.catalogue import benchmarks
from banzuke.results.store import Store
from banzuke.slowdown.applications import applications, measuring_synchronisation
from banzuke.slowdown.data import LARGEST, Scale, predictions_json
from banzuke.slowdown.noise import MOST_RANKS, Measured, PeriodicNoise, read_times
from banzuke.slowdown.prediction import MARKS, NoisePrediction, NoiseSource, predictions
from banzuke.slowdown.recorded import measuring_fixed_work, noise_sources, with_fixed_work
from banzuke.slowdown.synchronisation import SynchronisationPeriod
from banzuke.units import short_time
from banzuke.words.language import words

NOISE = "The noise"
MOST_RANKS_OF_NODE = 1_000_000


def _share(text: str) -> float:
    """Return a share from `1%` or `0.01`."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise BanzukeError(f"'{text}' is not a slowdown", remedy="Write a share above 0: 1% or 0.01")
    if value > 1 and not text.endswith("%"):
        raise BanzukeError(
            f"--slowdown {text} may be a share or a percentage",
            remedy=f"Write {text}% if that was meant; {value:.0%} for {text} times",
        )
    return value


Periods = Annotated[
    list[float] | None,
    typer.Option(
        "--period",
        parser=short_time,
        metavar="TIME",
        help="Ta: work between two synchronisations, such as 250us; may be given several times.",
        rich_help_panel=WHAT,
    ),
]
PeriodRuns = Annotated[
    list[str] | None,
    typer.Option(
        "--period-of",
        metavar="RUN",
        help="Take Ta from each benchmark of a run whose records give it; may be given several times.",
        rich_help_panel=WHAT,
    ),
]
NoiseLength = Annotated[
    float | None,
    typer.Option(
        "--length",
        parser=short_time,
        metavar="TIME",
        help="D: the longest noise, such as 1.13us.",
        rich_help_panel=NOISE,
    ),
]
NoiseInterval = Annotated[
    float | None,
    typer.Option(
        "--interval",
        parser=short_time,
        metavar="TIME",
        help="Tn: mean time between two of these on one rank, such as 10m.",
        rich_help_panel=NOISE,
    ),
]
NoiseRun = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="RUN",
        help="Instead: the noise that a run measured, in each environment.",
        rich_help_panel=NOISE,
    ),
]
TimesFile = Annotated[
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
]
Ranks = Annotated[
    list[int] | None,
    typer.Option(
        "--ranks",
        metavar="N",
        min=1,
        max=MOST_RANKS,
        help="Number of ranks that synchronise (not nodes: Fugaku has 4 per node); may be given several times.",
        rich_help_panel=WHAT,
    ),
]
RanksPerNode = Annotated[
    int | None,
    typer.Option(
        "--ranks-per-node",
        metavar="N",
        min=1,
        max=MOST_RANKS_OF_NODE,
        help="Also print and draw how many nodes these ranks take.",
        rich_help_panel=WHAT,
    ),
]
Slowdown = Annotated[
    float | None,
    typer.Option(
        "--slowdown",
        parser=_share,
        metavar="SHARE",
        help="Also print the longest noise that keeps the slowdown below this, such as 1%.",
        rich_help_panel=OUTPUT,
    ),
]


def noise(
    period: Periods = None,
    period_of: PeriodRuns = None,
    length: NoiseLength = None,
    interval: NoiseInterval = None,
    run: NoiseRun = None,
    times: TimesFile = None,
    with_clock: Annotated[
        bool,
        typer.Option(
            "--with-clock", help="With --run: count changes of the clock as noise, too.", rich_help_panel=NOISE
        ),
    ] = False,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    slowdown: Slowdown = None,
    chart: ChartFile = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Predict how much operating-system noise slows down an application whose ranks wait for each other.

    The formula (1 - (1 - Ta/Tn)^N) D/Ta uses only the longest noise; for measured noise the whole distribution is used
    as well. N counts ranks that wait for each other, not nodes: only so do the published figures of Fugaku follow.
    """
    check_chart(chart)
    options = [name for name, value in (("--run", run), ("--times", times)) if value is not None]
    if options and (length is not None or interval is not None or len(options) > 1):
        raise BanzukeError(f"{options[0]} already gives the noise", remedy="Leave out the other options that give it")
    store = Store(results)
    periods = [SynchronisationPeriod(time) for time in dict.fromkeys(period or ())]
    periods += _periods_of(list(dict.fromkeys(period_of or ())), store)
    if not periods:
        raise BanzukeError(
            "no time between synchronisations was given",
            remedy="Give --period 250us, or take it from a run's benchmarks with --period-of last",
        )
    if run is not None:
        sources = _measured_noise(run, store, with_clock=with_clock)
    elif times is not None:
        sources = [NoiseSource.of(Measured.of(read_times(times)))]
    else:
        sources = [_described_noise(length, interval)]
    predicted = _predict(periods, sources)
    scale = Scale.of(ranks, ranks_per_node)
    if json:
        write_json(predictions_json(predicted, scale, slowdown, run))
    else:
        show_predictions(predicted, scale, slowdown)
    if chart:
        from banzuke.slowdown.charts import slowdown_chart  # noqa: PLC0415  (brings Altair)

        draw(slowdown_chart(predicted, MARKS, max(LARGEST, *scale.ranks), ranks_per_node), chart)


def _commands(names: Sequence[str]) -> str:
    return " or ".join(f"`banzuke run {name}`" for name in names) or "No benchmark that is here"


def _periods_of(names: Sequence[str], store: Store) -> list[SynchronisationPeriod]:
    """Return the periods that the runs' benchmarks report. Raises BanzukeError if a run has none."""
    periods: list[SynchronisationPeriod] = []
    for name in names:
        reading = store.resolve(name)
        warn_of(reading)
        outcome = applications(reading.records, benchmarks(), suffix=name if len(names) > 1 else "")
        if not outcome.periods:
            raise BanzukeError(
                f"{name} gives no time between synchronisations",
                why="; ".join(outcome.without) or "it has no benchmark whose records give it",
                remedy=f"{_commands(measuring_synchronisation(benchmarks()))} measures one, or give --period",
            )
        for reason in outcome.without:
            warn(f"{name}: {reason}")
        periods += outcome.periods
    return periods


def _predict(periods: Sequence[SynchronisationPeriod], sources: Sequence[NoiseSource]) -> list[NoisePrediction]:
    """Return the predictions. Raises BanzukeError if there are none."""
    predicted, refused = predictions(periods, sources)
    if not predicted:
        raise refused[0][1]
    for what, why in refused:
        warn(f"{what} left out: {why}")
    return predicted


def _measured_noise(name: str, store: Store, *, with_clock: bool) -> list[NoiseSource]:
    """Return the noise that a run measured. Raises BanzukeError if it measured none."""
    reading = store.resolve(name)
    warn_of(reading)
    measured = with_fixed_work(reading.records, benchmarks())
    if emulated := {environment(record) for record, _ in measured if meaningless([record])}:
        warn(f"{', '.join(sorted(emulated))} left out: {words()(NO_TIMES)}")
    sources = noise_sources(measured, with_clock=with_clock)
    if not sources:
        raise BanzukeError(
            f"{name} measured no noise by fixed work quanta",
            why="single events do not show in fixed time quanta",
            remedy=f"{_commands(measuring_fixed_work(benchmarks()))} measures it",
        )
    return sources


def _described_noise(length: float | None, interval: float | None) -> NoiseSource:
    """Return the noise that the options describe. Raises BanzukeError."""
    if length is None or interval is None:
        raise BanzukeError(
            "no noise was given",
            remedy="Give --length and --interval, a run that measured it with --run, or times in a file with --times",
        )
    if length >= interval:
        raise BanzukeError(
            "--length and --interval: the noise would never end", remedy="Give a length below the interval: 1ms and 10s"
        )
    return NoiseSource(PeriodicNoise(length, interval))
