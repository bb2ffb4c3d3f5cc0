"""Predictions of what noise costs, on the terminal."""

from collections.abc import Sequence

from rich.table import Table

from banzuke.cli.console import out
from banzuke.slowdown.data import Scale
from banzuke.slowdown.prediction import MARKS, SIMULATED_PERIODS, NoisePrediction, NoiseSource
from banzuke.slowdown.remarks import ranks_text
from banzuke.units import percent, quantity

UNSEEN = "Noise rarer than what was measured is in none of these; independent ranks are assumed."


def show_predictions(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float | None) -> None:
    """Prints, for each source of noise, the slowdown at each number of ranks, and, with `slowdown`, a share, the
    longest noise that keeps below it.
    """
    periods = list(dict.fromkeys(prediction.period for prediction in predictions))
    for period in periods:
        if period.application:
            out.say((period.label, "bold"), f": {period.about}")
    if any(period.application for period in periods):
        out.say(
            "A rank's part of the problem is taken to be as large at every scale. Exchanges with neighbours count as "
            "waits for all ranks, which makes these slowdowns upper bounds."
        )
        out.say("")
    for source in {id(prediction.source): prediction.source for prediction in predictions}.values():
        of_source = [prediction for prediction in predictions if prediction.source is source]
        _show_source(source)
        if len(periods) == 1:
            _show_one(of_source[0], scale, slowdown)
        else:
            _show_several(of_source, scale, slowdown)
    if len(periods) > 1:
        if predictions[0].delays:
            out.say("Slowdowns from the measured distribution; one period alone adds the formula and a simulation.")
            out.say(UNSEEN)
        else:
            out.say("Slowdowns by the formula.")


def _show_source(source: NoiseSource) -> None:
    if source.name:
        out.say((source.name, "bold"), f": {source.about}")
    if source.periodic:
        length, interval = quantity(source.periodic.length, "s"), quantity(source.periodic.interval, "s")
        out.say(f"noise of {length} every {interval} on each rank")


def _table(scale: Scale) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("ranks", justify="right")
    if scale.ranks_per_node:
        table.add_column("nodes", justify="right")
    return table


def _place(ranks: int, scale: Scale) -> list[str]:
    nodes = scale.nodes(ranks)
    return [f"{ranks:,}"] if nodes is None else [f"{ranks:,}", f"{nodes:,}"]


def _show_one(prediction: NoisePrediction, scale: Scale, slowdown: float | None) -> None:
    """All ways of predicting it, and what they differ by."""
    table = _table(scale)
    table.add_column("slowdown by the formula", justify="right")
    if prediction.delays:
        table.add_column("from the distribution", justify="right")
        table.add_column(f"{SIMULATED_PERIODS:,} periods simulated", justify="right")
    if slowdown:
        table.add_column(f"longest noise for {percent(slowdown)}", justify="right")
    formula = "does not hold" if prediction.source.periodic else "–"
    for row in prediction.rows(scale.ranks, slowdown):
        cells = [percent(row.formula) if row.formula is not None else formula]
        cells += [percent(row.measured), percent(row.simulated)] if prediction.delays else []
        cells += ["–" if row.bearable is None else quantity(row.bearable, "s")] if slowdown else []
        table.add_row(*_place(row.ranks, scale), *cells)
    out.print(table)
    for mark, least in prediction.reached().items() if prediction.holds else ():
        text = f"from {ranks_text(least)}" if least else "at no number of ranks"
        out.say(f"{percent(mark)} by the formula {text}")
    for remark in prediction.remarks:
        out.say(remark)
    if prediction.delays:
        out.say(UNSEEN)
        out.say("")


def _show_several(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float | None) -> None:
    """A column for each period, by the best way that there is."""
    table = _table(scale)
    for prediction in predictions:
        table.add_column(prediction.period.label, justify="right")
    for ranks in scale.ranks:
        table.add_row(*_place(ranks, scale), *(percent(prediction.slowdown(ranks)) for prediction in predictions))
    table.add_section()
    empty = [""] if scale.ranks_per_node else []
    for mark in MARKS:
        least = [prediction.ranks_for(mark) for prediction in predictions]
        table.add_row(f"{percent(mark)} from", *empty, *(ranks_text(count) if count else "–" for count in least))
    if any(prediction.delays and prediction.delays.capped for prediction in predictions):
        caps = [prediction.delays.capped if prediction.delays else None for prediction in predictions]
        table.add_row("saturated from", *empty, *(ranks_text(count) if count else "–" for count in caps))
    out.print(table)
    if slowdown:
        _show_bearable(predictions, scale, slowdown)
    out.say("")


def _show_bearable(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float) -> None:
    out.say(f"longest noise for {percent(slowdown)}, by the formula")
    table = _table(scale)
    rows = [prediction.rows(scale.ranks, slowdown) for prediction in predictions]
    for prediction in predictions:
        table.add_column(prediction.period.label, justify="right")
    for row in zip(*rows, strict=True):
        cells = ["–" if cell.bearable is None else quantity(cell.bearable, "s") for cell in row]
        table.add_row(*_place(row[0].ranks, scale), *cells)
    out.print(table)
