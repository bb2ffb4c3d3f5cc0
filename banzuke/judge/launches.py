"""Combines the launches of a case: their figures as one, which failed, and what sets one apart.

A launch stands out if it differs from all others by more than launches repeat (`BETTER`) and, in logarithms, by `APART`
times the range of the others. That is descriptive and proves nothing: with three launches, the usual test (Dixon's Q at
95%) finds an outlier only if the other two agree thirty times better, and in nearly half of all triples one differs by
`APART` times the others' range by chance alone. So the figure stays the median, which one such launch does not move;
the spread is reported, and with it what was recorded to be different during that launch.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median, median_high, median_low

from banzuke.compare.matching import neighbours
from banzuke.compare.statistics import Launches, launch_spread, mean_interval
from banzuke.judge.disturbance import BUSY, DISTANCE, SLOWED, STOLEN, SWITCHES
from banzuke.judge.finding import Finding, Taker
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.settings import BETTER
from banzuke.judge.states import hosts_apart_in
from banzuke.limit.best_time import fraction
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title
from banzuke.record.model import MIGRATED, Record
from banzuke.record.state import CROWDED
from banzuke.words import Listed, Message, Quantity, Reason, Share, Span, message

APART = 3.0
FEWER_HUGE_PAGES = 0.1
"""Share of the data by which huge pages must hold less to be reported."""
FEWEST_LAUNCHES = 3
"""Fewest launches of which one can stand out, or that have an interval; of two, either may be the unusual one."""


def together(middle: Figure, launches: Sequence[Assessment]) -> Figure:
    """Return the figure of all verified launches; `middle` is that of the median launch."""
    figures = [figure for launch in launches for figure in launch.figures if figure.metric == middle.metric]
    if len(figures) < 2:
        return middle
    medians = tuple(figure.value for figure in figures)
    value = median(medians)
    best = max if middle.better == "higher" else min
    limit, peak = (
        median(bounds) if bounds and own_bound is not None else None
        for own_bound, bounds in (
            (middle.limit, [figure.limit for figure in figures if figure.limit is not None]),
            (middle.peak, [figure.peak for figure in figures if figure.peak is not None]),
        )
    )
    positive = min(medians) > 0
    interval = mean_interval(Launches(medians)) if positive and len(medians) >= FEWEST_LAUNCHES else None
    return replace(
        middle,
        value=value,
        best=best(figure.best for figure in figures),
        samples=tuple(sample for figure in figures for sample in figure.samples),
        limit=limit,
        limit_source=_limit_source(middle, figures),
        fraction_of_limit=fraction(value, limit, middle.better),
        peak=peak,
        fraction_of_peak=fraction(value, peak, middle.better),
        medians=medians,
        interval=interval if interval and math.isfinite(interval.high) else None,
        spread=launch_spread(medians) if positive else None,
    )


def _limit_source(middle: Figure, figures: Sequence[Figure]) -> Message:
    """Return the source of the limit: the median launch's or, if they differ, all, as the limit is their median."""
    sources: list[Message] = []
    for figure in figures:
        if figure.limit is not None and figure.limit_source not in sources:
            sources.append(figure.limit_source)
    return message("limit-sources", sources=Listed(tuple(sources))) if len(sources) > 1 else middle.limit_source


def among(launches: Sequence[Assessment], main: Figure) -> tuple[tuple[Message, ...], tuple[Finding, ...]]:
    """Return what sets launches of a case apart in its main figure: for a summary, and with its evidence."""
    failed = unverified(launches)
    verified = [
        (number, launch.record) for number, launch in enumerate(launches, 1) if main.metric in launch.record.metrics
    ]
    low, high = min(main.medians, default=0.0), max(main.medians, default=0.0)
    if low <= 0 or high < BETTER * low:
        return failed, ()
    said, cause = _stands_out(verified, main, len(launches)) or _differ(verified, main, len(launches))
    return (*failed, said), (cause,)


def unverified(launches: Sequence[Assessment]) -> tuple[Message, ...]:
    """Return `2 of 3 launches verified`, `one failed: out of memory`; empty: all were, or there is only one."""
    others = [launch.record for launch in launches if launch.record.status != "ok"]
    ways = Counter((record.status, record.reason or "") for record in others)
    if not others or len(launches) < 2:
        return ()
    if len(others) == len(launches) and len(ways) == 1:
        return (message("limit-none-verified", launches=len(launches)),)
    return (
        message("limit-some-verified", verified=len(launches) - len(others), launches=len(launches)),
        *(
            message("limit-launches-failed", number=many, status=status, reason=Reason(reason))
            for (status, reason), many in ways.items()
        ),
    )


Numbered = tuple[int, Record]
"""A launch and its number within the case, counted from 1."""


def _stands_out(verified: Sequence[Numbered], main: Figure, total: int) -> tuple[Message, Finding] | None:
    """Return the launch that stands out, as a remark and a finding; None: no launch does."""
    ranked = sorted(zip(main.medians, verified, strict=True), key=lambda pair: pair[0])
    values = [value for value, _ in ranked]
    below, above = values[1] / values[0], values[-1] / values[-2]
    (value, (number, record)), rest = (ranked[0], values[1:]) if below > above else (ranked[-1], values[:-1])
    if len(values) < FEWEST_LAUNCHES or max(below, above) < max(BETTER, (rest[-1] / rest[0]) ** APART):
        return None
    others = [other for _, other in verified if other is not record]
    how = "better" if (value > rest[0]) == (main.better == "higher") else "worse"
    ratio = max(value / median(rest), median(rest) / value)
    seen = _differences(record, others, better=how == "better")
    return (
        message("limit-launch-apart", launch=number, launches=total, ratio=ratio, how=how, seen=seen),
        Finding(
            0.0 if how == "better" else _cost(main, value),
            message(
                "limit-launch-stands-out",
                launch=number,
                launches=total,
                time=f"{record.started:%H:%M:%S}",
                value=Quantity(value, main.unit),
                others=Span(min(rest), max(rest), main.unit),
                seen=seen,
            ),
            against="launches",
            cause=_cause(seen),
            taker="" if how == "better" else _taker(seen),
        ),
    )


def _differ(verified: Sequence[Numbered], main: Figure, total: int) -> tuple[Message, Finding]:
    worst = (min if main.better == "higher" else max)(
        zip(main.medians, verified, strict=True), key=lambda pair: pair[0]
    )
    number, record = worst[1]
    others = [other for _, other in verified if other is not record]
    gave = Span(min(main.medians), max(main.medians), main.unit)
    seen = _differences(record, others, better=False)
    return message("limit-launches-gave", gave=gave), Finding(
        _cost(main, worst[0]),
        message(
            "limit-launches-differ",
            verified=len(verified),
            gave=gave,
            spread=Share(main.spread or 0.0),
            launch=number,
            launches=total,
            seen=seen,
        ),
        against="launches",
        cause=_cause(seen),
        taker=_taker(seen),
    )


def _cost(main: Figure, worst: float) -> float:
    """Return by how much the worst launch lowers the figure; a launch that is better costs nothing."""
    rest = list(main.medians)
    rest.remove(worst)
    usual = (median_low if main.better == "higher" else median_high)(rest)
    return max(0.0, 1 - (fraction(main.value, usual, main.better) or 1.0))


_TAKERS: Mapping[str, Taker] = {
    "limit-launch-busy": "others",
    "limit-launch-preempted": "others",
    "limit-launch-stolen": "hypervisor",
    "limit-launch-throttled": "quota",
}


def _taker(seen: Listed) -> Taker:
    """Return who took more of the processors from this launch than from the others, since the cost is the taker's."""
    return next((_TAKERS[difference.code] for difference in _messages(seen) if difference.code in _TAKERS), "")


def _cause(seen: Listed) -> str:
    return DISTANCE if any(difference.code == "limit-launch-distance" for difference in _messages(seen)) else "launches"


def _messages(seen: Listed) -> list[Message]:
    return [item for item in seen.items if isinstance(item, Message)]


@dataclass(frozen=True)
class _Seen:
    """A condition that is recorded of each launch and may have made it better or worse than others."""

    read: Callable[[Record], float | None]
    harm: Callable[[float, float], bool]
    """Whether this value in one launch is worse than that in the others, and worth reporting."""
    message: Callable[[float, float], Message]
    """The message about the value in one launch and that in the others."""


def _condition(name: str) -> Callable[[Record], float | None]:
    def value(record: Record) -> float | None:
        seen = record.conditions.get(name)
        return float(seen) if isinstance(seen, int | float) and not isinstance(seen, bool) else None

    return value


def _per_second(name: str) -> Callable[[Record], float | None]:
    """Return a reader of a counter's rate in the timed part, per thread of a rank."""
    count, timed = _condition(name), _condition("timed_seconds")

    def rate(record: Record) -> float | None:
        seen, seconds = count(record), timed(record) or (record.ended - record.started).total_seconds()
        return seen / seconds / record.threads if seen is not None and seconds > 0 else None

    return rate


def _stopped(record: Record) -> float | None:
    seen, seconds = _condition("throttled_seconds")(record), (record.ended - record.started).total_seconds()
    return seen / seconds if seen is not None and seconds > 0 else None


def _more(by: float) -> Callable[[float, float], bool]:
    return lambda own, other: own - other > by


_SEEN = (
    _Seen(
        _condition("other_busy_fraction"),
        _more(BUSY),
        lambda own, usual: message("limit-launch-busy", one=Share(own), usual=Share(usual)),
    ),
    _Seen(
        _condition("steal_fraction"),
        _more(STOLEN),
        lambda own, usual: message("limit-launch-stolen", one=Share(own), usual=Share(usual)),
    ),
    _Seen(
        _stopped,
        _more(STOLEN),
        lambda own, usual: message("limit-launch-throttled", one=Share(own), usual=Share(usual)),
    ),
    _Seen(
        _condition("clock_hz"),
        lambda own, other: own < (1 - SLOWED) * other,
        lambda own, usual: message("limit-launch-clock", one=Quantity(own, "Hz"), usual=Quantity(usual, "Hz")),
    ),
    _Seen(
        _per_second("involuntary_switches"),
        _more(SWITCHES),
        lambda own, usual: message("limit-launch-preempted", one=own, usual=usual),
    ),
    _Seen(
        _condition("huge_page_fraction"),
        lambda own, other: other - own > FEWER_HUGE_PAGES,
        lambda own, usual: message("limit-launch-pages", one=Share(own), usual=Share(usual)),
    ),
)


def _differences(record: Record, others: Sequence[Record], *, better: bool) -> Listed:
    """Return what was recorded that makes a launch better or worse, and the median of that in the other launches.

    Different or nearer processors are always listed, because it is not known whether they are better.
    """
    differences: list[Message] = []
    for seen in _SEEN:
        mine = seen.read(record)
        theirs = [value for other in others if (value := seen.read(other)) is not None]
        if mine is not None and theirs:
            usual = median(theirs)
            if seen.harm(usual, mine) if better else seen.harm(mine, usual):
                differences.append(seen.message(mine, usual))
    near = [distance for other in others if (distance := other.distance) is not None]
    if record.distance and near and not 1 / MIGRATED <= record.distance / median(near) <= MIGRATED:
        own, usually = Quantity(record.distance, "s"), Quantity(median(near), "s")
        differences.append(message("limit-launch-distance", one=own, usual=usually))
    if all(other.binding != record.binding for other in others):
        differences.append(message("limit-launch-processors"))
    if all([host.name for host in other.hosts] != [host.name for host in record.hosts] for other in others):
        differences.append(message("limit-launch-hosts"))
    return Listed(tuple(differences or [message("limit-launch-alike")]))


def used_by_others(records: Sequence[Record], benchmarks: Mapping[str, Benchmark]) -> Message | None:
    """Return how much of the processors others used in launches that were not meant to have neighbours.

    That is the median over the disturbed launches, with the benchmark that was disturbed most; None: none was.
    """
    busy = _busy(records)
    if not busy:
        return None
    usual, (most, during) = median(share for share, _ in busy), max(busy)
    return message(
        "limit-used-by-others",
        share=Share(usual),
        apart="yes" if most - usual > BUSY else "no",
        most=Share(most),
        benchmark=benchmark_title(benchmarks[during]) if during in benchmarks else during,
    )


def _busy(records: Sequence[Record]) -> list[tuple[float, str]]:
    shares = ((_condition("other_busy_fraction")(record) or 0.0, record.benchmark) for record in _alone(records))
    return [(share, benchmark) for share, benchmark in shares if share >= CROWDED]


def _alone(records: Sequence[Record]) -> list[Record]:
    """Return launches without intended neighbours; a skipped case is none."""
    return [record for record in records if record.status != "skipped" and not neighbours(record)]


def disturbed(records: Sequence[Record], benchmarks: Mapping[str, Benchmark] | None = None) -> Message | None:
    """Return a warning that the figures are not the machine's alone, if others disturbed them; None: nobody did."""
    used = used_by_others(records, benchmarks or {})
    if used is None:
        return None
    return message("limit-disturbed", disturbed=len(_busy(records)), launches=len(_alone(records)), used=used)


def disturbed_sides(sides: Mapping[str, Sequence[Record]]) -> list[Message]:
    """Return this warning for each of several runs that are compared, and the hosts that slowed others down."""
    sentences = ((name, disturbed(records)) for name, records in sides.items())
    return [
        *(message("limit-disturbed-in", run=name, what=sentence) for name, sentence in sentences if sentence),
        *(said for name, records in sides.items() for said in hosts_apart_in(name, records)),
    ]


def singly(cases: Iterable[Assessment]) -> list[Assessment]:
    """Return each launch by itself, in the order of their starts."""
    return sorted((launch for case in cases for launch in case.each), key=lambda launch: launch.record.started)
