"""Shows the effect of each value of an axis: a table for each axis, and the best values."""

from collections.abc import Mapping, Sequence
from functools import partial

from banzuke.compare.matching import variant
from banzuke.compare.settings import figure_text
from banzuke.document import Cell, Column, Row, Table
from banzuke.judge.effects import Effect, best_values, change, effects
from banzuke.judge.launches import FEWEST_LAUNCHES
from banzuke.plan.axes import Axis, axis_of, shown
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import axis_heading, axis_value, metric_title
from banzuke.record.model import Record
from banzuke.text import slug
from banzuke.units import times, times_span
from banzuke.words import Message, message
from banzuke.words.language import Words


def effect_blocks(
    records: Sequence[Record], benchmarks: Mapping[str, Benchmark], words: Words
) -> list[tuple[Table, list[Message]]]:
    """Return a table and the best values for each axis that was varied.

    A row is a headline figure of its first case; a column is a value.
    """
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {name for name, spec in benchmarks.items() if spec.collection}
    observed = effects(records, metrics, collections)
    axes = dict.fromkeys(effect.axis for effect in observed)
    by_axis = {name: [effect for effect in observed if effect.axis == name] for name in axes}
    return [
        (_effect_table(axis_of(name), of_axis, words), best_values(of_axis, collections, partial(_title, words=words)))
        for name, of_axis in by_axis.items()
    ]


def _effect_table(axis: Axis, observed: Sequence[Effect], words: Words) -> Table:
    rows: dict[tuple[str, str], dict[str, Effect]] = {}
    for effect in observed:
        rows.setdefault((_title(effect, words), effect.against), {}).setdefault(effect.value, effect)
    values = dict.fromkeys(effect.value for effect in observed)
    references = {against for _, against in rows}
    single = len(references) == 1
    first = words.fact(axis_value(references.pop()) if single else message("limit-first-value"))
    return Table(
        (
            Column(words(message("limit-figure"))),
            Column(first, numeric=True),
            *(Column(words.fact(axis_value(value))) for value in values),
        ),
        tuple(
            Row(
                (
                    Cell(title),
                    _reference(next(iter(by_value.values())), "" if single else words.fact(axis_value(against))),
                    *(_effect(by_value[value], words) if value in by_value else Cell() for value in values),
                )
            )
            for (title, against), by_value in rows.items()
        ),
        caption=words(message("limit-ratios", axis=axis_heading(axis), reference=first)),
        file=f"effects-{slug(axis.name)}.csv",
    )


def _title(effect: Effect, words: Words) -> str:
    line = effect.line
    title = words(metric_title(line.benchmark, line.metric)) if line.metric else ""
    others = {name: value for name, value in variant(line.case.record).items() if name != effect.axis}
    backends = {case.record.backend for case in (line.case, line.other) if case}
    name = " ".join((line.benchmark, *(backends if len(backends) == 1 else ())))
    return ", ".join(filter(None, (name, title, *shown(others))))


def _reference(effect: Effect, name: str) -> Cell:
    line = effect.line
    if line.a is None or line.metric is None:
        return Cell(name)
    text = figure_text(line.a.value, line.metric.unit)
    return Cell(f"{name}: {text}" if name else text, line.a.value, line.metric.unit)


def _effect(effect: Effect, words: Words) -> Cell:
    line = effect.line
    verdict = words(effect.meaningless or change(line))
    if effect.meaningless or line.ratio is None:
        return Cell(verdict)
    enough = line.interval and line.a and line.b and min(line.a.launches, line.b.launches) >= FEWEST_LAUNCHES
    interval = f" ({' to '.join(times_span(*line.interval))})" if line.interval and enough else ""
    return Cell(f"{times(line.ratio, line.interval)}{interval}", line.ratio, "1", note=verdict)
