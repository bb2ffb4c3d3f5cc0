"""What `banzuke predict` prints of a figure: facts, resources, what would change it, assumptions."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.table import Table as RichTable

from banzuke.cli.console import out
from banzuke.cli.predict_kinds import show_kinds
from banzuke.cli.predict_run import show_run
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.plan.benchmark import Benchmark, Scalar
from banzuke.predict.constants import Constant
from banzuke.predict.contradictions import contradictions
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.kinds import Composition
from banzuke.predict.model import BETTER, Forecast, Swing, model_of
from banzuke.predict.resources import resource_titles
from banzuke.ranking.editions import ranking_of, standing
from banzuke.results.store import Store
from banzuke.units import count, duration, number, percent, quantity, span
from banzuke.words.language import words

BAR, NARROW = 24, 12
"""Characters of the longest bar on the terminal, and on one narrower than a hundred columns."""
MOST_BARS = 8
"""Most bars on the terminal; `--json` has all."""
LEAST_SHARE = 1e-3
"""Smallest change shown, as a share of the figure; smaller ones are only counted."""
SHORTEST_ENERGY = 1.0
"""Seconds from which an energy is printed: that of one message tells nothing. The document has all."""


def flags(machine: PredictedMachine) -> list[str]:
    """Return the contradictions in the description of the machine."""
    parts = [(machine.site.partitions[name], machine.site.called(name)) for name in machine.nodes]
    return [*machine.site.flags, *(flag for part, name in parts for flag in (*part.flags, *contradictions(part, name)))]


def _runs_of_places(places: Mapping[str, int]) -> Iterator[str]:
    """Yield each place with the editions, in turn, in which the figure would have it."""
    for place, editions in groupby(sorted(places), key=lambda edition: places[edition]):
        first, *others = editions
        yield f"{place} from {first} to {others[-1]}" if others else f"{place} in {first}"


def _facts(
    prediction: Forecast, machine: PredictedMachine, benchmark: Benchmark, *, targeted: bool, verbose: bool
) -> dict[str, str]:
    """Return what is predicted, by name, as text. `targeted`: nodes were sought that reach a figure."""
    unit = prediction.unit
    figure = quantity(prediction.estimate.figure, unit)
    likely = span(prediction.low, prediction.high, unit)
    title = benchmark.metric_of(prediction.metric).title
    within = f"with {percent(prediction.probability)} probability" if prediction.probability else "likely"
    facts = {title: figure if likely == figure else f"{figure}, {within} {likely}"}
    if prediction.peak:
        facts["of peak"] = percent(prediction.estimate.figure / prediction.peak)
    if prediction.estimate.figure != prediction.estimate.seconds:
        facts["time"] = duration(prediction.estimate.seconds)
    if prediction.joules is not None and prediction.estimate.seconds >= SHORTEST_ENERGY:
        power = quantity(prediction.joules / prediction.estimate.seconds, "W")
        facts["energy"] = f"{quantity(prediction.joules, 'J')}, at {power}: the nodes' power as described"
    if prediction.joules is None and targeted:
        facts["energy"] = "unknown: the nodes' power is not described (--with node.power=500)"
    if prediction.naive is not None and prediction.nodes > 1:
        several = len(machine.nodes) > 1
        alone = "the sum of what each node alone" if several else f"{prediction.nodes:,} times what one node"
        facts["linear scaling"] = f"{quantity(prediction.naive, unit)}: {alone} is predicted to do"
    if ranking := ranking_of(benchmark) if prediction.metric == model_of(benchmark).metric else None:
        facts[f"in the {ranking.title}"] = words().joined(standing(ranking, prediction.estimate.figure, unit))
        if verbose and (places := ranking.places(prediction.estimate.figure)):
            facts["in each edition"] = ", ".join(_runs_of_places(places))
    facts["chosen"] = ", ".join(f"{name} {_value(value)}" for name, value in prediction.estimate.call.items())
    return facts


def show_prediction(
    prediction: Forecast,
    machine: PredictedMachine,
    constants: Mapping[str, Constant],
    benchmark: Benchmark,
    store: Store,
    composition: Composition | None,
    *,
    targeted: bool,
    verbose: bool,
) -> None:
    """Print the figure with its facts, what its time is spent on, what would change it, and what is assumed."""
    by = f", by run {machine.origin.run}" if machine.origin else ""
    out.say((benchmark.title, "bold"), f" on {count(prediction.nodes, 'node')} of {prediction.of}{by}")
    facts = _facts(prediction, machine, benchmark, targeted=targeted, verbose=verbose)
    rows = tuple(Row((Cell(name, tone="faint"), Cell(text))) for name, text in facts.items())
    out.print(terminal_table(Table((Column(""), Column("")), rows)))
    if composition:
        show_kinds(composition, prediction.unit)
    if machine.origin:
        show_run(machine.origin, prediction, constants, store, verbose=verbose)
    _resources(prediction)
    _tornado(prediction)
    _assumptions(prediction, constants, verbose=verbose)
    if prediction.estimate.remarks or flags(machine):
        out.print()
    for remark in prediction.estimate.remarks:
        out.say(words().sentence(remark))
    for flag in flags(machine):
        out.say(("contradictory in the description:", "yellow"), f" {flag}")


def _value(value: Scalar) -> str:
    return number(value, 4) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def _resources(prediction: Forecast) -> None:
    titles = resource_titles()
    total = sum(prediction.estimate.resources.values())
    rows = (
        (words()(titles.get(name, name)), duration(spent), percent(spent / total))
        for name, spent in sorted(prediction.estimate.resources.items(), key=lambda item: -item[1])
        if spent > 0
    )
    columns = Column("what the time is spent on"), Column("time", numeric=True), Column("share", numeric=True)
    out.print()
    out.print(terminal_table(Table.of_texts(columns, rows)))


def _tornado(prediction: Forecast) -> None:
    """Print how the figure changes if each described number is a tenth worse or better, then over the ranges of the
    assumed numbers.
    """
    better = percent(BETTER - 1)
    upgrades = [swing for swing in prediction.swings if not swing.uncertain]
    unsure = [swing for swing in prediction.swings if swing.uncertain]
    _bars(f"if this were {better} worse or better", upgrades, prediction)
    _bars("by the range of what is assumed", unsure, prediction)
    if upgrades:
        first = upgrades[0]
        best = max(first.low, first.high) if prediction.more_is_better else min(first.low, first.high)
        gain = best / prediction.estimate.figure - 1
        change = f"{percent(abs(gain))} {'more' if gain > 0 else 'less'}"
        out.say(f"What buys most: {first.title}; {better} better gives {change}.")


def _bars(title: str, swings: Sequence[Swing], prediction: Forecast) -> None:
    if not swings:
        return
    middle = prediction.estimate.figure
    widest = max(abs(end - middle) for swing in swings for end in (swing.low, swing.high))
    table = RichTable(box=None, header_style="bold", pad_edge=False)  # Rich keeps the blanks in bars
    table.add_column(title, overflow="fold")
    table.add_column("low", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("high", justify="right")
    half = (BAR if out.width >= 100 else NARROW) // 2
    shown = [swing for swing in swings[:MOST_BARS] if abs(swing.high - swing.low) > LEAST_SHARE * middle] or swings[:1]
    for swing in shown:
        low, high = sorted((swing.low, swing.high))
        table.add_row(
            swing.title,
            quantity(low, prediction.unit),
            _bar(low, middle, high, widest, half),
            quantity(high, prediction.unit),
        )
    out.print()
    out.print(table)
    if len(swings) > len(shown):
        out.say((f"and {len(swings) - len(shown)} that move it less", "dim"))


def _bar(low: float, middle: float, high: float, widest: float, half: int) -> str:
    """Return the bar on both sides of the figure, all on one scale; the longest side has `half` characters."""
    left, right = (round(half * max(0.0, part) / widest) for part in (middle - low, high - middle))
    return f"{'█' * left:>{half}}│{'█' * right:<{half}}"


def _assumptions(prediction: Forecast, constants: Mapping[str, Constant], *, verbose: bool) -> None:
    """Print the constants that replace numbers missing in the description and that change the figure."""
    named = [constants[swing.name] for swing in prediction.swings if swing.uncertain]
    if not named:
        return
    if not verbose:
        numbers = "assumed number" if len(named) == 1 else f"{len(named)} assumed numbers"
        out.say((f"-v shows the {numbers} with range and source", "dim"))
        return
    out.print()
    out.say(("assumed, with the same numbers for all machines", "bold"))
    for constant in named:
        unit = constant.unit
        value = number(constant.value) if unit == "1" else quantity(constant.value, unit)
        ends = (
            f"{number(constant.low)} to {number(constant.high)}"
            if unit == "1"
            else span(constant.low, constant.high, unit)
        )
        out.say(f"{constant.title}: {value}, {ends} ", (f"({constant.source})", "dim"))
