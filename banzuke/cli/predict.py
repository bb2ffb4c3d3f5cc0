"""`banzuke predict`: figures at a scale that the machine does not have."""

import json as jsonlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from banzuke.cli.console import errors, out
from banzuke.cli.options import Json
from banzuke.errors import BanzukeError
from banzuke.files import write_whole
from banzuke.predict.noise import Delays, Measured, Noise, read_times
from banzuke.report.charts.draw import pdf, svg
from banzuke.report.charts.slowdown import slowdown_chart
from banzuke.units import number, percent, quantity, seconds

predict = typer.Typer(
    name="predict", help="Predict figures at a scale that the machine does not have.", no_args_is_help=True
)
MARKS = (0.01, 0.1)
"""Slowdowns whose number of ranks is told."""
LARGEST = 10**7
SIMULATED_PERIODS = 10_000


@predict.callback()
def predictions() -> None:
    """Keeps `noise` a command of its own while it is the only one."""


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
class Row:
    ranks: int
    formula: float | None
    """None: there was no noise, or the formula does not hold."""
    measured: float | None
    """From the whole distribution; None: it was not given."""
    simulated: float | None


@predict.command()
def noise(
    period: Annotated[
        float,
        typer.Option("--period", parser=seconds, metavar="TIME", help="Ta: work between two synchronisations: 250us."),
    ],
    length: Annotated[
        float | None,
        typer.Option("--length", parser=seconds, metavar="TIME", help="D: the longest noise, e.g. 1.13us."),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option("--interval", parser=seconds, metavar="TIME", help="Tn: between two such on one rank: 10m."),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            "--times",
            help="Instead of both: a file of measured fixed work quanta, one time in seconds a line.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ] = None,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=1, help="A number of synchronising ranks, not nodes.")
    ] = None,
    slowdown: Annotated[
        float | None,
        typer.Option(
            "--slowdown", parser=_share, metavar="SHARE", help="Also tell the longest noise that stays below: 1%."
        ),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", help="Draw the slowdown over the ranks into this file: .svg or .pdf.")
    ] = None,
    json: Json = False,
) -> None:
    """Predict how much operating-system noise slows an application down whose ranks wait for each other.

    The formula knows the longest noise alone; from measured times, the whole distribution is drawn from as well.
    """
    if chart and chart.suffix not in (".svg", ".pdf"):
        raise BanzukeError(f"--chart {chart}: unknown kind of file", remedy="Name an .svg or a .pdf")
    known, delays = _given(period, length, interval, times)
    wanted = sorted(set(ranks or [10**power for power in range(8)]))
    rare = known if known and (delays is None or period <= known.interval) else None
    rows = [_row(count, rare, delays, period) for count in wanted]
    reached = {mark: rare.ranks_for(mark, period) if rare else None for mark in MARKS}
    bearable = [rare.bearable(slowdown, count, period) if rare and slowdown else None for count in wanted]
    if json:
        typer.echo(_document(known, period, rows, reached, bearable))
    else:
        _show(known, rows, reached, bearable, slowdown)
    if chart:
        drawing = svg(slowdown_chart(rare, delays, period, MARKS, max(LARGEST, *wanted)).spec())
        write_whole(chart, pdf(drawing) if chart.suffix == ".pdf" else drawing.encode())
        errors.print(f"[dim]chart in {escape(str(chart))}[/]", soft_wrap=True)


def _given(
    period: float, length: float | None, interval: float | None, times: Path | None
) -> tuple[Noise | None, Delays | None]:
    """The noise as the formula knows it, and as it was measured. Raises BanzukeError."""
    if times is None:
        if length is None or interval is None:
            raise BanzukeError(
                "no noise is given", remedy="Give --length and --interval, or measured times in a file with --times"
            )
        return Noise(length, interval), None
    if length is not None or interval is not None:
        raise BanzukeError("--times has the noise already", remedy="Leave --length and --interval out")
    measured = Measured.of(read_times(times))
    return measured.worst(), measured.over(period)


def _row(ranks: int, noise: Noise | None, delays: Delays | None, period: float) -> Row:
    return Row(
        ranks,
        noise.slowdown(ranks, period) if noise else None,
        delays.slowdown(ranks) if delays else None,
        delays.simulate(ranks, SIMULATED_PERIODS, seed=ranks) if delays else None,
    )


def _document(
    noise: Noise | None,
    period: float,
    rows: list[Row],
    reached: dict[float, float | None],
    bearable: list[float | None],
) -> str:
    return jsonlib.dumps(
        {
            "period": period,
            "noise": {"length": noise.length, "interval": noise.interval} if noise else None,
            "slowdowns": [
                {
                    "ranks": row.ranks,
                    "formula": row.formula,
                    "measured": row.measured,
                    "simulated": row.simulated,
                    "bearable_length": most,
                }
                for row, most in zip(rows, bearable, strict=True)
            ],
            "ranks_for": [{"slowdown": mark, "ranks": count} for mark, count in reached.items()],
        },
        indent=1,
    )


def _show(
    noise: Noise | None,
    rows: list[Row],
    reached: dict[float, float | None],
    bearable: list[float | None],
    slowdown: float | None,
) -> None:
    if noise:
        out.print(
            f"noise of {quantity(noise.length, 's')} every {quantity(noise.interval, 's')} on each rank", soft_wrap=True
        )
    distribution = any(row.measured is not None for row in rows)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("ranks", justify="right")
    table.add_column("slowdown by the formula", justify="right")
    if distribution:
        table.add_column("from the distribution", justify="right")
        table.add_column(f"{SIMULATED_PERIODS:,} periods simulated", justify="right")
    if slowdown:
        table.add_column(f"longest noise for {percent(slowdown)}", justify="right")
    for row, most in zip(rows, bearable, strict=True):
        cells = [f"{row.ranks:,}", percent(row.formula) if row.formula is not None else "does not hold"]
        cells += [percent(row.measured), percent(row.simulated)] if distribution else []
        cells += [quantity(most, "s")] if slowdown else []
        table.add_row(*cells)
    out.print(table)
    for mark, count in reached.items():
        text = f"from {number(math.ceil(count))} ranks" if count else "at no number of ranks"
        out.print(f"{percent(mark)} {text}", soft_wrap=True)
    if distribution:
        out.print(
            "Noise rarer than what was measured is in none of these; independent ranks are assumed.", soft_wrap=True
        )
