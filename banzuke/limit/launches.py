"""Several launches of a case taken together: their figures as one, which failed, and what sets one apart.

A launch stands out where it lies apart from all others by more than launches repeat (`BETTER`), and, in logarithms,
`APART` times as far as these lie from each other. That describes and proves nothing: of three launches the usual test
(Dixon's Q, at 95%) tells an outlier only where the other two agree thirty times better, and by chance alone one lies
`APART` times as far off in nearly half of all triples. So the figure stays the median, which one such launch does not
move, the spread is told, and beside it stands what was recorded to be different during that launch.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from banzuke.limit.disturbance import BUSY, SLOWED, STOLEN, SWITCHES
from banzuke.limit.model import Assessment, Cause, Figure
from banzuke.limit.roofline import fraction
from banzuke.limit.settings import BETTER
from banzuke.record.model import MIGRATED, Record
from banzuke.record.statistics import Launches, launch_spread, mean_interval
from banzuke.units import number, percent, quantity, span

APART = 3.0
HUGE = 0.1
"""Share of the data that huge pages hold less, from which that is told."""
FEWEST = 3
"""Launches from which one can be told from the others: of two, either may be the odd one."""


def together(middle: Figure, launches: Sequence[Assessment]) -> Figure:
    """The figure of all launches that verified; `middle` is that of the median launch."""
    found = [figure for one in launches for figure in one.figures if figure.metric == middle.metric]
    if len(found) < 2:
        return middle
    medians = tuple(figure.value for figure in found)
    value = median(medians)
    best = max if middle.better == "higher" else min
    limit, peak = (
        median(known) if known and of_middle is not None else None
        for of_middle, known in (
            (middle.limit, [figure.limit for figure in found if figure.limit is not None]),
            (middle.peak, [figure.peak for figure in found if figure.peak is not None]),
        )
    )
    positive = min(medians) > 0
    interval = mean_interval(Launches(medians)) if positive else None
    return replace(
        middle,
        value=value,
        best=best(figure.best for figure in found),
        samples=tuple(sample for figure in found for sample in figure.samples),
        limit=limit,
        fraction_of_limit=fraction(value, limit, middle.better),
        peak=peak,
        fraction_of_peak=fraction(value, peak, middle.better),
        medians=medians,
        interval=interval if interval and math.isfinite(interval.high) else None,
        spread=launch_spread(medians) if positive else None,
    )


def among(launches: Sequence[Assessment], main: Figure) -> tuple[str, tuple[Cause, ...]]:
    """What is to be said of the launches of a case by its main figure: for a summary, and with its evidence."""
    failed = unverified(launches)
    verified = [(place, one.record) for place, one in enumerate(launches, 1) if main.metric in one.record.metrics]
    low, high = min(main.medians, default=0.0), max(main.medians, default=0.0)
    if low <= 0 or high < BETTER * low:
        return failed, ()
    said, cause = _stands_out(verified, main, len(launches)) or _differ(verified, main, len(launches))
    return "; ".join(filter(None, (failed, said))), (cause,)


def unverified(launches: Sequence[Assessment]) -> str:
    """`2 of 3 launches verified; one failed: out of memory`; empty: all did, or there is one."""
    others = [one.record for one in launches if one.record.status != "ok"]
    ways = Counter((record.status, record.reason or "") for record in others)
    told = [
        f"{'one' if many == 1 else many} {status if status == 'failed' else 'skipped'}: {reason}"
        for (status, reason), many in ways.items()
    ]
    counted = f"{len(launches) - len(others)} of {len(launches)} launches verified"
    if len(others) == len(launches) and len(ways) == 1:
        return f"none of {len(launches)} launches verified"
    return "; ".join([counted, *told]) if others and len(launches) > 1 else ""


Numbered = tuple[int, Record]
"""A launch and its number among all of the case, from 1 on."""


def _stands_out(verified: Sequence[Numbered], main: Figure, total: int) -> tuple[str, Cause] | None:
    """None: no launch does."""
    ranked = sorted(zip(main.medians, verified, strict=True), key=lambda pair: pair[0])
    values = [value for value, _ in ranked]
    below, above = values[1] / values[0], values[-1] / values[-2]
    (value, (place, record)), rest = (ranked[0], values[1:]) if below > above else (ranked[-1], values[:-1])
    if len(values) < FEWEST or max(below, above) < max(BETTER, (rest[-1] / rest[0]) ** APART):
        return None
    others = [other for _, other in verified if other is not record]
    how = "better" if (value > rest[0]) == (main.better == "higher") else "worse"
    ratio = max(value / median(rest), median(rest) / value)
    seen = _differences(record, others, better=how == "better")
    during = f": {', '.join(text for text, _ in seen)}" if seen else ""
    return f"launch {place} of {total} was {number(ratio)} times {how} than the others{during}", Cause(
        "a launch that stands out from the others",
        f"launch {place} of {total}, at {record.started:%H:%M:%S}, gave {quantity(value, main.unit)}, the others "
        f"{span(min(rest), max(rest), main.unit)}; during it {_different(seen)}",
        "the median leaves it out; more launches (--repeat 5) show whether it comes again",
    )


def _differ(verified: Sequence[Numbered], main: Figure, total: int) -> tuple[str, Cause]:
    worst = (min if main.better == "higher" else max)(zip(main.medians, verified, strict=True), key=lambda of: of[0])
    place, record = worst[1]
    others = [other for _, other in verified if other is not record]
    gave = span(min(main.medians), max(main.medians), main.unit)
    spread = f", a spread of {percent(main.spread)}" if main.spread is not None else ""
    return f"its launches gave {gave}", Cause(
        "launches that differ by more than launches usually do",
        f"{len(verified)} launches gave {gave}{spread}; during the worst, launch {place} of "
        f"{total}, {_different(_differences(record, others, better=False))}",
        "run it again on the quiet machine, with more launches (--repeat 5)",
    )


@dataclass(frozen=True)
class _Seen:
    """Something that was recorded of each launch and may have made it better or worse than others."""

    text: str
    of: Callable[[Record], float | None]
    harm: Callable[[float, float], bool]
    """Whether so much in one launch is worse than so much in others, and worth telling."""
    written: Callable[[float], str]


def _condition(name: str) -> Callable[[Record], float | None]:
    def value(record: Record) -> float | None:
        seen = record.conditions.get(name)
        return float(seen) if isinstance(seen, int | float) and not isinstance(seen, bool) else None

    return value


def _per_second(name: str) -> Callable[[Record], float | None]:
    """Of the time that was measured, and of each thread of a rank."""
    count, timed = _condition(name), _condition("timed_seconds")

    def rate(record: Record) -> float | None:
        seen, seconds = count(record), timed(record) or (record.ended - record.started).total_seconds()
        return seen / seconds / record.threads if seen is not None and seconds > 0 else None

    return rate


def _stopped(record: Record) -> float | None:
    seen, seconds = _condition("throttled_seconds")(record), (record.ended - record.started).total_seconds()
    return seen / seconds if seen is not None and seconds > 0 else None


def _more(by: float) -> Callable[[float, float], bool]:
    return lambda one, other: one - other > by


_SEEN = (
    _Seen("other processes used {} of the processors' time", _condition("other_busy_fraction"), _more(BUSY), percent),
    _Seen("the hypervisor took {} of the time", _condition("steal_fraction"), _more(STOLEN), percent),
    _Seen("a quota stopped the processes for {} of the time", _stopped, _more(STOLEN), percent),
    _Seen(
        "the clock was {} after it",
        _condition("clock_hz"),
        lambda one, other: one < (1 - SLOWED) * other,
        lambda value: quantity(value, "Hz"),
    ),
    _Seen("each thread was preempted {} times a second", _per_second("involuntary_switches"), _more(SWITCHES), number),
    _Seen("huge pages held {} of the data", _condition("huge_page_fraction"), lambda a, b: b - a > HUGE, percent),
)


def _different(seen: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{text}{usual}" for text, usual in seen) or "nothing that was recorded was different"


def _differences(record: Record, others: Sequence[Record], *, better: bool) -> list[tuple[str, str]]:
    """What was recorded that makes a launch better or worse, and how it was during the others, in their median.

    Nobody can say whether other processors are better ones, or those that are nearer each other: they are told anyway.
    """
    found = []
    for seen in _SEEN:
        mine = seen.of(record)
        theirs = [value for other in others if (value := seen.of(other)) is not None]
        if mine is not None and theirs:
            usual = median(theirs)
            if seen.harm(usual, mine) if better else seen.harm(mine, usual):
                found.append((seen.text.format(seen.written(mine)), f" ({seen.written(usual)} during the others)"))
    near = [distance for other in others if (distance := other.distance) is not None]
    if record.distance and near and not 1 / MIGRATED <= record.distance / median(near) <= MIGRATED:
        passed = "a cache line passed between the threads' processors in"
        usually = f" ({quantity(median(near), 's')} during the others)"
        found.append((f"{passed} {quantity(record.distance, 's')}", usually))
    if all(other.binding != record.binding for other in others):
        found.append(("its threads were on other processors", ""))
    if all([host.name for host in other.hosts] != [host.name for host in record.hosts] for other in others):
        found.append(("it was on other hosts", ""))
    return found


def singly(cases: Iterable[Assessment]) -> list[Assessment]:
    """Each launch by itself, in the order of their starts."""
    return sorted((one for case in cases for one in case.each), key=lambda one: one.record.started)
