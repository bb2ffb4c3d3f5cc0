"""Decides whether two sides differ, by the medians of their launches.

A ratio above 1 always means better by the metric's own direction. Faster or slower requires an interval that does not
contain 1 and includes the spread between launches if they were interleaved, else that between runs (`apart`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from banzuke.compare.apart import apart, interleaved, one_case, several_runs, without_each_other
from banzuke.compare.blocks import run
from banzuke.compare.matching import CaseLaunches, in_turn
from banzuke.compare.statistics import (
    Interval,
    Launches,
    launch_spread,
    mean_interval,
    median,
    paired_interval,
    ratio_interval,
    times_better,
)
from banzuke.plan.benchmark import Metric
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.record.state import taken
from banzuke.words import Message, message

Verdict = Literal[
    "faster",
    "slower",
    "equal",
    "no difference shown",
    "no verdict from one launch",
    "cannot be told",
    "not comparable",
    "only in A",
    "only in B",
]
ONE_LAUNCH: Final = "no verdict from one launch"
UNEVEN = "the interval is of geometric means, from which the medians lie far"
UNEVEN_PAIRS = "the interval is of geometric means of the pairs alone, from which the medians lie far"
UNTOLD: Final = "cannot be told"
"""It is unknown how runs apart in time differ, or too few launches agree on a count."""
EQUAL: Final = "equal"
"""All launches of both sides gave the same count."""
COUNT = "count"
"""Unit of counts, such as iterations, which the problem and the program decide and not the state of the machine."""
FEWEST_QUIET = 3
"""Fewest undisturbed rounds for which the disturbed ones are left out."""
ROUNDING = 1e-9
"""Relative distance at which a ratio is still taken to be in an interval of width zero."""


Reached = Literal["pass", "fail", "untold"]
"""Whether a ratio reaches the least that is asked of it."""
Confidence = Literal["interval", "median"]
"""What has to reach it: the whole 95% interval, or the ratio of the medians."""


@dataclass(frozen=True)
class Side:
    """A metric of one side."""

    value: float
    """Median of the launches' medians, as everywhere; intervals are of their geometric means."""
    launches: int
    samples: int
    """Samples of all launches together."""
    interval: Interval | None
    """95% interval of the value, by the spread between launches."""
    spread: float | None
    """Standard deviation of the logarithms of the launches' medians."""


@dataclass(frozen=True)
class Judgement:
    a: Side
    b: Side
    ratio: float | None
    """How many times better B's value is: `times_better`."""
    interval: Interval | None
    """95% interval of the ratio of geometric means of launches' medians or, if runs are compared, of runs'."""
    verdict: Verdict
    reason: str
    paired: bool = False
    """Whether launches were taken in turn, so that the interval compares each with its partner."""
    blocks: tuple[int, int] | None = None
    """Number of compared runs of each side, which are apart in time; None: the launches were interleaved."""
    told: tuple[Message, ...] = ()
    """Messages about what was compared: of runs apart in time, of disturbed launches, of counts."""


class MeasuredSide(NamedTuple):
    """Samples of a metric of one side."""

    launches: list[list[float]]
    """Samples of each launch."""
    others: list[float]
    """Medians of other launches of the same case, for the spread between launches if there is only one here."""

    @property
    def reduced(self) -> Launches:
        return Launches([median(samples) for samples in self.launches], self.others)

    @property
    def unusable(self) -> str:
        """Why there can be no ratio; empty: there can."""
        return "" if min(self.reduced.medians) > 0 else "a ratio needs positive medians"


def measured(case: CaseLaunches, metric: str, at: float | None = None) -> MeasuredSide:
    """Return the samples of a metric in a case's launches; `at`: at this point of their curves."""
    others = [median(samples) for samples in _launches(case.others, metric, at)]
    return MeasuredSide(_launches(case.measured, metric, at), [value for value in others if value > 0])


def _launches(records: Iterable[Record], metric: str, at: float | None) -> list[list[float]]:
    """Return the samples of each record that has the metric."""
    return [metrics[metric].samples for record in records if metric in (metrics := _metrics(record, at))]


def _metrics(record: Record, at: float | None) -> Mapping[str, Samples]:
    if at is None:
        return record.metrics
    return next((point.metrics for point in record.curve.points if point.at == at), {}) if record.curve else {}


def median_of(record: Record, metric: str, at: float | None = None) -> float | None:
    """Return the median of a launch's samples; None: it has none."""
    launches = _launches([record], metric, at)
    return median(launches[0]) if launches else None


def side(measurement: MeasuredSide) -> Side:
    reduced, usable = measurement.reduced, not measurement.unusable
    return Side(
        value=median(reduced.medians),
        launches=len(measurement.launches),
        samples=sum(map(len, measurement.launches)),
        interval=mean_interval(reduced) if usable else None,
        spread=launch_spread(reduced.medians) if usable else None,
    )


def judge(
    a: CaseLaunches, b: CaseLaunches, metric: Metric, at: float | None = None, names: tuple[str, str] = ("A", "B")
) -> Judgement:
    """Judge a metric that both have; `at`: at this point of their curves; `names`: what the reason calls the sides."""
    mine, theirs = (measured(case, metric.name, at) for case in (a, b))
    sides = side(mine), side(theirs)
    if why := mine.unusable or theirs.unusable:
        return Judgement(*sides, None, None, "not comparable", why)
    if metric.unit == COUNT and (constant := _of_counts(a, b, metric, at, names)):
        return constant
    rounds = [pair for pair in in_turn(a, b) if all(_launches([record], metric.name, at) for record in pair)]
    paired = len(rounds) > 1 and not (several_runs(a) or several_runs(b))
    if not paired and not interleaved(a, b):
        return _of_runs(a, b, metric, at, names)
    remarks: tuple[Message, ...] = ()
    if paired:
        counted = _undisturbed(rounds)
        mine, theirs = (MeasuredSide(_launches(records, metric.name, at), []) for records in zip(*counted, strict=True))
        if left_out := len(rounds) - len(counted):
            sides = side(mine), side(theirs)
            remarks = (message("compare-turns-disturbed", disturbed=left_out, rounds=len(rounds)),)
    top, bottom = (theirs.reduced, mine.reduced) if metric.better == "higher" else (mine.reduced, theirs.reduced)
    interval = paired_interval(top.medians, bottom.medians) if paired else ratio_interval(top, bottom)
    verdict, reason = conclude(interval, {names[0]: mine, names[1]: theirs})
    ratio = times_better(sides[1].value, sides[0].value, metric.better)
    beside = "" if not ratio or _holds(interval, ratio) else UNEVEN_PAIRS if paired else UNEVEN
    reason = "; ".join(filter(None, (reason, beside)))
    return Judgement(*sides, ratio, interval, verdict, reason, paired, told=remarks)


def _undisturbed(rounds: Sequence[tuple[Record, Record]]) -> Sequence[tuple[Record, Record]]:
    """Return the rounds without those in which others disturbed a launch, if enough remain; else all."""
    quiet = [pair for pair in rounds if not any(taken(record).disturbed for record in pair)]
    return quiet if len(quiet) >= FEWEST_QUIET else rounds


def _of_counts(
    a: CaseLaunches, b: CaseLaunches, metric: Metric, at: float | None, names: tuple[str, str]
) -> Judgement | None:
    """Judge counts of which all launches of a side agree, whenever they were made.

    Counts that differ are told apart if so many launches would seldom divide in this way by chance; launches of other
    runs of the case count with the side that they agree with. That takes counts not to vary from run to run alone, and
    the reader is told where no further run shows it. None: the count varies in a side or between runs of a case, or may
    follow the state of the machine.
    """
    cases = without_each_other(a, b)
    mine, theirs = (measured(case, metric.name, at) for case in cases)
    first, second = (measurement.reduced.medians[0] for measurement in (mine, theirs))
    others = {*mine.others, *theirs.others}
    if {*mine.reduced.medians} != {first} or {*theirs.reduced.medians} != {second}:
        return None
    if first != second:
        by_rates = any(record.dealt_by_rates for case in (a, b) for record in case.measured)
        steady = (
            len(others) <= 1 and others <= {first, second}
            if one_case(a, b)
            else {*mine.others} <= {first} and {*theirs.others} <= {second}
        )
        if not steady or (by_rates and not interleaved(a, b)):
            return None
    sides = side(mine), side(theirs)
    judgement = Judgement(*sides, times_better(second, first, metric.better), None, EQUAL, "")
    agreeing = [
        Launches([value] * (len(measurement.launches) + measurement.others.count(value)))
        for value, measurement in ((first, mine), (second, theirs))
    ]
    top, bottom = agreeing[::-1] if metric.better == "higher" else agreeing
    fewest, launches = min(side.launches for side in sides), sum(side.launches for side in sides)
    interval = ratio_interval(top, bottom) if fewest > 1 and others <= {first, second} else None
    if first == second:
        return replace(judgement, interval=interval, told=(message("compare-counts-equal", launches=launches),))
    if interval:
        runs = len({run(record) for case in cases for record in (*case.measured, *case.others)})
        said = message("compare-counts-differ", left=names[0], right=names[1], runs=runs)
        return replace(judgement, interval=interval, verdict=conclude(interval, {})[0], told=(said,))
    if fewest == 1:
        verdict, reason = conclude(None, {names[0]: mine, names[1]: theirs})
        return replace(judgement, verdict=verdict, reason=reason)
    return replace(judgement, verdict=UNTOLD, told=(message("compare-counts-few", launches=launches),))


def _of_runs(a: CaseLaunches, b: CaseLaunches, metric: Metric, at: float | None, names: tuple[str, str]) -> Judgement:
    """Judge sides that were not interleaved; figures are those of the launches that count, if any."""
    compared = apart(a, b, lambda record: median_of(record, metric.name, at), names)
    counted = [replace(case, records=launches or case.records) for case, launches in ((a, compared.a), (b, compared.b))]
    mine, theirs = (measured(case, metric.name, at) for case in counted)
    sides = side(mine), side(theirs)
    ratio = times_better(sides[1].value, sides[0].value, metric.better)
    judgement = Judgement(*sides, ratio, None, UNTOLD, "", blocks=compared.counts, told=compared.messages)
    if compared.contrast is None:
        every = {name: measured(case, metric.name, at) for name, case in zip(names, (a, b), strict=True)}
        single = any(len(measurement.launches) == 1 for measurement in every.values())
        verdict, reason = conclude(None, every) if single else (UNTOLD, "")
        return replace(judgement, verdict=verdict, reason=reason)
    low, high = compared.contrast.interval
    interval = Interval(low, high) if metric.better == "higher" else Interval(1 / high, 1 / low if low else math.inf)
    if not ratio or _holds(interval, ratio):
        verdict, reason = conclude(interval, {})
        return replace(judgement, interval=interval, verdict=verdict, reason=reason)
    drifting = (*compared.messages, message("compare-drifts"))
    if (ratio - 1) * (interval.low - 1) > 0 and (ratio - 1) * (interval.high - 1) > 0:
        return replace(judgement, interval=interval, verdict=conclude(interval, {})[0], told=drifting)
    return replace(judgement, interval=interval, verdict="no difference shown", told=drifting)


def _holds(interval: Interval | None, ratio: float) -> bool:
    return interval is None or interval.low * (1 - ROUNDING) <= ratio <= interval.high * (1 + ROUNDING)


def reached(ratio: float | None, interval: Interval | None, least: float, by: Confidence = "interval") -> Reached:
    """Return whether a ratio reaches what is asked; of the interval, neither if it holds `least` within it."""
    if by == "median":
        return "untold" if ratio is None else "pass" if ratio >= least else "fail"
    if interval is None:
        return "untold"
    return "pass" if interval.low >= least else "fail" if interval.high < least else "untold"


def overall(verdicts: Iterable[Reached]) -> Reached:
    """Return the verdict of all: if one fails, they fail; else, if one cannot be told, neither can all."""
    seen = set(verdicts)
    return "fail" if "fail" in seen else "untold" if "untold" in seen else "pass"


def conclude(interval: Interval | None, sides: Mapping[str, MeasuredSide]) -> tuple[Verdict, str]:
    """Return the verdict, and what it is based on or lacks."""
    single = [name for name, measurement in sides.items() if len(measurement.launches) == 1]
    if interval is None and single:
        return ONE_LAUNCH, (
            f"one launch in {' and '.join(single)} does not show how launches differ: measure with --repeat 5"
        )
    if interval is None:
        return "no difference shown", "all launches agree exactly, and so few may do so by chance"
    said = [
        f"one launch in {name}: the variation is taken from {len(sides[name].others)} others of this case in "
        "the results folder"
        for name in single
    ]
    if 1 in interval:
        return "no difference shown", "; ".join(["the interval contains 1", *said])
    return ("faster" if interval.low > 1 else "slower"), "; ".join(said)
