"""Tables on the terminal of what noise is predicted to cost."""

from collections.abc import Iterable, Sequence

from banzuke.cli.console import out
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.slowdown.data import Scale
from banzuke.slowdown.prediction import MARKS, SIMULATED_PERIODS, NoisePrediction, NoiseSource
from banzuke.slowdown.remarks import ranks_text
from banzuke.units import percent, quantity

UNSEEN = "Noise rarer than what was measured is in none of these; independent ranks are assumed."


def show_predictions(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float | None) -> None:
    """Print the slowdown by each source of noise at each number of ranks; with `slowdown`, a share, also the longest
    noise that keeps below it.
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


def _print(scale: Scale, titles: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table of these columns after those for the ranks and, if known, the nodes."""
    titles = ["ranks", *(["nodes"] if scale.ranks_per_node else []), *titles]
    out.print(terminal_table(Table.of_texts((Column(title, right=True) for title in titles), rows)))


def _place(ranks: int, scale: Scale) -> list[str]:
    nodes = scale.nodes(ranks)
    return [f"{ranks:,}"] if nodes is None else [f"{ranks:,}", f"{nodes:,}"]


def _show_one(prediction: NoisePrediction, scale: Scale, slowdown: float | None) -> None:
    """Print the predictions by all methods, and remarks on how they differ."""
    titles = ["slowdown by the formula"]
    if prediction.delays:
        titles += ["from the distribution", f"{SIMULATED_PERIODS:,} periods simulated"]
    if slowdown:
        titles.append(f"longest noise for {percent(slowdown)}")
    rows = []
    formula = "does not hold" if prediction.source.periodic else "–"
    for row in prediction.rows(scale.ranks, slowdown):
        cells = [percent(row.formula) if row.formula is not None else formula]
        cells += [percent(row.measured), percent(row.simulated)] if prediction.delays else []
        cells += ["–" if row.bearable is None else quantity(row.bearable, "s")] if slowdown else []
        rows.append((*_place(row.ranks, scale), *cells))
    _print(scale, titles, rows)
    for mark, least in prediction.reached().items() if prediction.holds else ():
        text = f"from {ranks_text(least)}" if least else "at no number of ranks"
        out.say(f"{percent(mark)} by the formula {text}")
    for remark in prediction.remarks:
        out.say(remark)
    if prediction.delays:
        out.say(UNSEEN)
        out.say("")


def _show_several(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float | None) -> None:
    """Print a column for each period, by the best method available."""
    rows = [
        [*_place(ranks, scale), *(percent(prediction.slowdown(ranks)) for prediction in predictions)]
        for ranks in scale.ranks
    ]
    empty = [""] if scale.ranks_per_node else []
    for mark in MARKS:
        least = [prediction.ranks_for(mark) for prediction in predictions]
        rows.append([f"{percent(mark)} from", *empty, *(ranks_text(count) if count else "–" for count in least)])
    if any(prediction.delays and prediction.delays.capped for prediction in predictions):
        caps = [prediction.delays.capped if prediction.delays else None for prediction in predictions]
        rows.append(["saturated from", *empty, *(ranks_text(count) if count else "–" for count in caps)])
    _print(scale, (prediction.period.label for prediction in predictions), rows)
    if slowdown:
        _show_bearable(predictions, scale, slowdown)
    out.say("")


def _show_bearable(predictions: Sequence[NoisePrediction], scale: Scale, slowdown: float) -> None:
    out.say(f"longest noise for {percent(slowdown)}, by the formula")
    columns = [prediction.rows(scale.ranks, slowdown) for prediction in predictions]
    rows = (
        [
            *_place(row[0].ranks, scale),
            *("–" if cell.bearable is None else quantity(cell.bearable, "s") for cell in row),
        ]
        for row in zip(*columns, strict=True)
    )
    _print(scale, (prediction.period.label for prediction in predictions), rows)
