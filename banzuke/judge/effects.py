"""Compares the values of an axis: cases of one run that differ in nothing else, against the usual or first value."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.matching import identity, value, variant
from banzuke.compare.runs import Comparison, Metrics, compare
from banzuke.compare.verdict import ONE_LAUNCH
from banzuke.environment.vm import emulated
from banzuke.plan.axes import AXES, BACKEND, axis_of
from banzuke.plan.wording import axis_value
from banzuke.record.model import Record
from banzuke.units import times
from banzuke.words import Message, message

SHOWN_AS_TIMES = 2.0
"""Ratio from which a difference is given as a factor instead of per cent."""
NO_TIMES = message("limit-no-times")


@dataclass(frozen=True)
class Effect:
    """A headline figure with one value of an axis, compared with another in the same case; above 1 is better."""

    axis: str
    against: str
    """The usual value, or the first one."""
    value: str
    line: Comparison
    meaningless: Message | None
    """Why its times have no meaning; None: they have."""


def varied(records: Sequence[Record]) -> list[str]:
    """Return axes on which records differ: declared ones in their order, then variables, then devices' backends."""
    names = {**AXES, **{name: None for record in records for name in variant(record)}}
    values: dict[str, set[str]] = {name: {value(record, name) for record in records} for name in names}
    values[BACKEND.name] = {value(record, BACKEND.name) for record in records if _on_devices(record)}
    return [name for name, distinct in values.items() if len(distinct) > 1]


def _on_devices(record: Record) -> bool:
    return any(place.devices for place in record.binding)


def effects(records: Sequence[Record], metrics: Metrics, collections: Collection[str] = ()) -> list[Effect]:
    """Compare each headline figure of every case that ran with several values of an axis; empty: there is none.

    An image belongs to its environment, and is not an axis of its own if both differ.
    """
    headlines = {key: metric for key, metric in metrics.items() if metric.headline}
    return [effect for name in varied(records) for effect in _along(name, records, headlines, collections)]


def _along(name: str, records: Sequence[Record], headlines: Metrics, collections: Collection[str]) -> Iterator[Effect]:
    alike: dict[Hashable, dict[str, list[Record]]] = {}
    for record in records:
        if name == BACKEND.name and not _on_devices(record):
            continue
        alike.setdefault(identity(record, but=name), {}).setdefault(value(record, name), []).append(record)
    usual = axis_of(name).usual
    for by_value in alike.values():
        against = usual if usual in by_value else next(iter(by_value))
        reference = by_value.pop(against)
        for other, launches in by_value.items():
            for line in compare(reference, launches, headlines, collections):
                if line.metric is not None and line.a and line.b:
                    yield Effect(name, against, other, line, meaningless([*reference, *launches]))


def meaningless(records: Sequence[Record]) -> Message | None:
    """Return why the times of any of these records have no meaning; None: they have."""
    without_times = any(record.provenance and emulated(record.provenance.environment_details) for record in records)
    return NO_TIMES if without_times else None


def change(line: Comparison) -> Message:
    """Return `3.1% worse`, or why no difference is shown."""
    if line.ratio is None:
        return message("limit-incomparable", reason=line.reason)
    if line.verdict == ONE_LAUNCH:
        return message("limit-one-launch")
    if line.verdict not in ("faster", "slower"):
        return message("limit-no-difference")
    factor, how = max(line.ratio, 1 / line.ratio), "better" if line.ratio > 1 else "worse"
    if factor >= SHOWN_AS_TIMES:
        return message("limit-times", ratio=times(factor, _beside(line, factor)), how=how)
    return message("limit-percent", change=f"{100 * (factor - 1):.2g}%", how=how)


def _beside(line: Comparison, factor: float) -> tuple[float, float] | None:
    """Return the interval of the ratio or of its inverse, depending on which one the factor is."""
    if line.interval is None or factor == line.ratio or line.interval.low <= 0:
        return line.interval
    return 1 / line.interval.high, 1 / line.interval.low


def best_values(
    effects: Sequence[Effect], collections: Collection[str], title_of: Callable[[Effect], str]
) -> list[Message]:
    """Say which value of an axis is best for each figure, and by how much, if the difference is significant.

    Collections are left out: their problems differ in this, and have their own place in the report.
    """
    by_figure: dict[tuple[str, str], dict[str, Effect]] = {}
    for effect in effects:
        if effect.line.benchmark not in collections and effect.line.ratio is not None and not effect.meaningless:
            by_figure.setdefault((title_of(effect), effect.against), {}).setdefault(effect.value, effect)
    sentences = (_best(title, against, by_value) for (title, against), by_value in by_figure.items())
    return [sentence for sentence in sentences if sentence]


def _best(title: str, against: str, by_value: Mapping[str, Effect]) -> Message | None:
    ratios = {against: 1.0} | {value: effect.line.ratio or 0.0 for value, effect in by_value.items()}
    first, second = sorted(ratios, key=lambda value: -ratios[value])[:2]
    verdict = by_value[second if first == against else first].line.verdict
    if verdict not in ("faster", "slower", ONE_LAUNCH) or ratios[second] <= 0:
        return None
    ratio, best, next_one = ratios[first] / ratios[second], axis_value(first), axis_value(second)
    if verdict == ONE_LAUNCH:
        return message("limit-best-of-one-launch", figure=title, value=best, ratio=ratio, second=next_one)
    return message("limit-best", figure=title, value=best, ratio=ratio, second=next_one)
