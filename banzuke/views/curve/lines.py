"""Figures over sizes as lines: statistics and regimes of each, and which lines are compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.amounts import Scalar
from banzuke.compare.settings import label_of, settings, telling
from banzuke.compare.sizes import TABLE_SIZES
from banzuke.judge.placement import placed
from banzuke.limit.best_time import fraction, own_bound
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.wording import along, bound_source, metric_title
from banzuke.record.figures import Curve, Point, Samples
from banzuke.record.model import Record
from banzuke.views.curve.regimes import Regime, regimes
from banzuke.views.curve.statistics import message_times, metrics_of, statistics
from banzuke.views.view import ViewCase, ViewSection
from banzuke.words import Message, Quantity, Share, message

SHOWN = (0, 8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20, 32 << 20, 256 << 20, 1 << 30)
MANY = 4
"""Largest number of lines with which the short table shows many sizes."""
_CONSEQUENCES = ("hosts", "ranks", "threads")
"""Settings that follow from a placement."""

Value = Quantity | Share | float


@dataclass(frozen=True)
class SizeStatistics:
    """Statistics of the samples of one size."""

    at: float
    count: int
    values: Mapping[str, Value]
    """median, average, minimum, maximum, p1 to p99.9 where samples are enough, outliers (share of the samples),
    outlier_time (their share of the time), farthest (the slowest over the median), limit, of_limit, peak, of_peak,
    message_rate."""


@dataclass(frozen=True)
class SizeLine:
    """One metric of one case over sizes."""

    case: ViewCase
    curve: Curve
    metric: Metric
    placement: str
    """Placement for the reader; empty: none in particular."""
    kind: str
    """What was tested, such as a test or an operation, if that varies."""
    points: tuple[SizeStatistics, ...]
    label: str = ""
    """Label that distinguishes it from the lines drawn with it."""

    @property
    def record(self) -> Record:
        return self.case.assessment.record

    @property
    def regimes(self) -> tuple[Regime, ...]:
        timed = self.metric.unit in ("s", "B/s")
        return regimes(message_times(self.curve, self.metric.name)) if timed else ()

    @property
    def asymptote(self) -> float | None:
        """B/s that the network's link allows for the largest messages; None: unknown, or not a matter of the link."""
        largest = self._samples[-1]
        if largest.unit == "B/s":
            bound = own_bound(largest, "theoretical")
            return largest.value_at(bound.seconds) if bound and bound.seconds else link(self.record)
        return link(self.record) if self.record.ranks == 2 else None

    @property
    def source(self) -> Message | str:
        """Source of its points' limits, or else of their peaks; empty: there is none."""
        bounds = [bound for samples in self._samples for bound in samples.bounds]
        return bound_source(
            next((b.source for kind in ("measured", "theoretical") for b in bounds if b.kind == kind), "")
        )

    @property
    def _samples(self) -> list[Samples]:
        return [p.metrics[self.metric.name] for p in self.curve.points if self.metric.name in p.metrics]


@dataclass(frozen=True)
class LineGroup:
    """Lines that are drawn together."""

    kind: str
    """What all lines have in common; empty: nothing else varies."""
    lines: tuple[SizeLine, ...]

    @property
    def metric(self) -> Metric:
        return self.lines[0].metric

    @property
    def sizes(self) -> list[float]:
        return sorted({point.at for line in self.lines for point in line.points})

    @property
    def shown(self) -> list[float]:
        """Sizes of the short table."""
        wanted = SHOWN if len(self.lines) <= MANY else TABLE_SIZES
        sizes = self.sizes
        return [size for size in sizes if size in wanted] or sizes[:: max(1, len(sizes) // len(TABLE_SIZES))]

    @property
    def link(self) -> float | None:
        """Rate of the network's link in B/s, if all lines have the same."""
        rates = {rate for line in self.lines if (rate := link(line.record))}
        return rates.pop() if len(rates) == 1 else None


def main_lines(section: ViewSection) -> list[SizeLine]:
    """Return the headline metric of each verified case that has a curve."""
    records = [case.assessment.record for case in section.cases if case.assessment.record.curve]
    kind = kind_parameter(records)
    return [
        replace(
            size_line(section.benchmark, case, record.curve),
            placement=section.words.fact(placed(record, section.benchmark, section.machine)),
            kind=str(record.parameters[kind]) if kind else "",
        )
        for case in section.cases
        for record in [case.assessment.record]
        if record.curve
    ]


def size_line(benchmark: Benchmark, case: ViewCase, curve: Curve) -> SizeLine:
    """Return the line of the headline's metric, else of the first metric."""
    names = metrics_of(curve)
    headlines = [metric.name for metric in benchmark.metrics if metric.headline and metric.name in names]
    metric = _declared(benchmark, curve, (headlines or names)[0])
    return _of_metric(SizeLine(case, curve, metric, "", "", ()), metric)


def other_lines(benchmark: Benchmark, main: Sequence[SizeLine]) -> Iterator[SizeLine]:
    for line in main:
        for name in metrics_of(line.curve):
            if name != line.metric.name:
                yield _of_metric(line, _declared(benchmark, line.curve, name))


def _of_metric(line: SizeLine, metric: Metric) -> SizeLine:
    points = [(point, point.metrics[metric.name]) for point in line.curve.points if metric.name in point.metrics]
    return replace(line, metric=metric, points=tuple(_statistics(point, samples, metric) for point, samples in points))


def _declared(benchmark: Benchmark, curve: Curve, name: str) -> Metric:
    declared = [metric for metric in benchmark.metrics if metric.name == name]
    if declared:
        return declared[0]
    unit = next(point.metrics[name].unit for point in curve.points if name in point.metrics)
    return Metric(name, unit, "lower" if unit == "s" else "higher", name.replace("_", " ").capitalize())


def grouped(lines: Sequence[SizeLine], hidden: Sequence[str], compared: Sequence[str] = ()) -> list[LineGroup]:
    """Group lines by kind, to compare placements; with one placement, all kinds are together.

    `hidden`: parameters that a label need not name, because sizes are shown. `compared`: parameters whose values are
    drawn together.
    """
    shared = len({line.placement for line in lines}) == 1
    kind = kind_parameter([line.record for line in lines])
    beside = _named(lines, [*hidden, *compared, "placement", *([kind] if kind else [])])
    groups: dict[tuple[str, str], list[SizeLine]] = {}
    for line, other in zip(lines, beside, strict=True):
        groups.setdefault((other if shared else line.kind, line.metric.name), []).append(line)
    return [
        LineGroup("" if varied == name else varied, _labelled(among, hidden))
        for (varied, name), among in groups.items()
    ]


def _labelled(lines: Sequence[SizeLine], hidden: Sequence[str]) -> tuple[SizeLine, ...]:
    """Return the lines with labels of their placement, and of the settings that do not follow from it."""
    placements = {line.placement for line in lines}
    several = len(placements) > 1
    names = _named(lines, [*hidden, "placement", *(_CONSEQUENCES if several else ())])
    return tuple(
        replace(line, label=_joined(line.placement if several or not name else "", name) or line.case.label)
        for line, name in zip(lines, names, strict=True)
    )


def _joined(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _named(lines: Sequence[SizeLine], hidden: Sequence[str]) -> list[str]:
    """Return the settings that vary; words are shown without the setting's name."""
    rows: list[dict[str, Scalar]] = [
        {name: value for name, value in settings(line.record).items() if name not in hidden} for line in lines
    ]
    columns = telling(rows)
    return [
        ", ".join(
            value if isinstance(value := row.get(names[0]), str) else label_of(row, [names])
            for names in columns
            if names[0] in row
        )
        for row in rows
    ]


def kind_parameter(records: Sequence[Record]) -> str | None:
    """Return the first parameter that varies and is a word, as it says what was tested; None: there is none."""
    rows = [record.parameters for record in records]
    words = (names[0] for names in telling(rows) if all(isinstance(row.get(names[0]), str) for row in rows))
    return next(words, None)


def _statistics(point: Point, samples: Samples, metric: Metric) -> SizeStatistics:
    summary = statistics(samples)
    figures = {
        "median": summary.median,
        "average": summary.mean,
        "minimum": summary.minimum,
        **{f"p{100 * share:g}": value for share, value in summary.percentiles.items()},
        "maximum": summary.maximum,
    }
    values: dict[str, Value] = {name: Quantity(value, metric.unit) for name, value in figures.items()}
    values["outliers"] = Share(summary.outliers.share)
    values["outlier_time"] = Share(summary.outliers.time_share)
    values["farthest"] = summary.outliers.farthest
    for kind, name in (("measured", "limit"), ("theoretical", "peak")):
        bound = own_bound(samples, kind)
        best = samples.value_at(bound.seconds) if bound and bound.seconds else None
        reached = fraction(summary.median, best, metric.better)
        if best is not None and reached is not None:
            values |= {name: Quantity(best, metric.unit), f"of_{name}": Share(reached)}
    if metric.unit == "B/s" and point.at > 0:
        values["message_rate"] = Quantity(summary.median / point.at, "/s")
    return SizeStatistics(point.at, summary.count, values)


def link(record: Record) -> float | None:
    """Return the rate of the network's link in B/s."""
    rate = record.conditions.get("link_rate")
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None


def group_title(benchmark: Benchmark, group: LineGroup) -> Message:
    metric = metric_title(benchmark.name, group.metric)
    if len(group.sizes) < 2:
        return message("views-of-kind", metric=metric, kind=group.kind) if group.kind else metric
    over = along(group.lines[0].curve.along)
    if group.kind:
        return message("views-over-of-kind", metric=metric, along=over, kind=group.kind)
    return message("views-over", metric=metric, along=over)
