"""What each value of an axis does: cases of one run that differ in nothing else, against the usual or first value."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from banzuke.environment.vm import emulated
from banzuke.plan.axes import AXES, axis_of
from banzuke.record.compare import Comparison, Metrics, compare
from banzuke.record.matching import identity, value, variant
from banzuke.record.model import Record
from banzuke.record.verdict import ONE_LAUNCH
from banzuke.words import Message, message

MANY = 2.0
"""Ratio from which a difference is shown as times."""
NO_TIMES = message("limit-no-times")


@dataclass(frozen=True)
class Effect:
    """A headline figure with a value of an axis against the same case with another; a ratio above 1 is better."""

    axis: str
    against: str
    """The usual value, or the first one."""
    value: str
    line: Comparison
    meaningless: Message | None
    """Why its times mean nothing."""


def varied(records: Sequence[Record]) -> list[str]:
    """Axes on which records differ, in their own order, then variables."""
    names = {**AXES, **{name: None for record in records for name in variant(record)}}
    values: dict[str, set[str]] = {name: {value(record, name) for record in records} for name in names}
    return [name for name, found in values.items() if len(found) > 1]


def effects(records: Sequence[Record], metrics: Metrics, collections: Collection[str] = ()) -> list[Effect]:
    """On each axis, of every case that ran with several values, each headline figure with each; empty: there is none.

    An image belongs to its environment, and is no axis of its own where both differ.
    """
    headlines = {key: metric for key, metric in metrics.items() if metric.headline}
    return [effect for name in varied(records) for effect in _along(name, records, headlines, collections)]


def _along(name: str, records: Sequence[Record], headlines: Metrics, collections: Collection[str]) -> list[Effect]:
    alike: dict[Hashable, dict[str, list[Record]]] = {}
    for record in records:
        alike.setdefault(identity(record, but=name), {}).setdefault(value(record, name), []).append(record)
    found = []
    for by_value in alike.values():
        usual = axis_of(name).usual
        against = usual if usual in by_value else next(iter(by_value))
        found += [
            Effect(name, against, one, line, meaningless([*by_value[against], *of]))
            for one, of in by_value.items()
            if one != against
            for line in compare(by_value[against], of, headlines, collections)
            if line.metric is not None and line.a and line.b
        ]
    return found


def meaningless(records: Sequence[Record]) -> Message | None:
    """Why the times of one of them mean nothing."""
    found = any(record.provenance and emulated(record.provenance.environment_details) for record in records)
    return NO_TIMES if found else None


def change(line: Comparison) -> Message:
    """`3.1% worse`; where no difference is shown, why."""
    if line.ratio is None:
        return message("limit-incomparable", reason=line.reason)
    if line.verdict == ONE_LAUNCH:
        return message("limit-one-launch")
    if line.verdict not in ("faster", "slower"):
        return message("limit-no-difference")
    times, how = max(line.ratio, 1 / line.ratio), "better" if line.ratio > 1 else "worse"
    if times >= MANY:
        return message("limit-times", ratio=times, how=how)
    return message("limit-percent", change=f"{100 * (times - 1):.2g}%", how=how)
