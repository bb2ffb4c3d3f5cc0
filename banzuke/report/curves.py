"""Figures over message sizes as content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.limit.curve import Regime, message_times, metrics_of, regimes, statistics
from banzuke.limit.model import Assessment
from banzuke.limit.placement import placed
from banzuke.limit.roofline import fraction, own_bound
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.figures import Curve, Point, Samples
from banzuke.record.model import Record
from banzuke.record.settings import label_of, telling
from banzuke.report.content import Case, Scalar
from banzuke.report.curve_content import At, Curves, CurveSet, Fit, Line, Overlap, Value
from banzuke.text import slug
from banzuke.units import number, percent, quantity
from banzuke.words.language import words

SHOWN = (0, 8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20)
FEW = (0, 8, 4 << 10, 64 << 10, 1 << 20)
"""The sizes of short tables of more lines than MANY."""
MANY = 4
HIDDEN = ("placement", "min_size", "max_size")
"""Settings that a label need not tell: placements are told by their titles, sizes are seen."""
CONSEQUENCES = ("hosts", "ranks", "threads")
"""Settings that follow from a placement."""


@dataclass(frozen=True)
class _Entry:
    record: Record
    curve: Curve
    case: Case
    metric: Metric
    on: str
    """Its placement, for people."""
    kind: str
    """What was tested, where that varies."""


def curves(
    assessments: Sequence[Assessment], cases: Sequence[Case], benchmark: Benchmark | None, machine: Machine
) -> Curves | None:
    """None: no case has figures over sizes."""
    kind = _kind_parameter([found.record for found in assessments])
    entries = [
        _Entry(
            record,
            record.curve,
            case,
            metric=_main(record.curve, benchmark),
            on=words().fact(placed(record, benchmark, machine)),
            kind=str(record.parameters[kind]) if kind else "",
        )
        for found, case in zip(assessments, cases, strict=True)
        for record in [found.record]
        if record.curve
    ]
    if not entries:
        return None
    return Curves(
        along=entries[0].curve.along,
        groups=_groups(entries, kind),
        others=[
            _line(entry, _declared(entry.curve, name, benchmark), entry.case.label)
            for entry in entries
            for name in metrics_of(entry.curve)
            if name != entry.metric.name
        ],
        overlaps=_overlaps([entry for entry in entries if "overlap" in metrics_of(entry.curve)]),
    )


def _main(curve: Curve, benchmark: Benchmark | None) -> Metric:
    """The headline's metric, else the first."""
    names = metrics_of(curve)
    headlines = [m.name for m in benchmark.metrics if m.headline and m.name in names] if benchmark else []
    return _declared(curve, (headlines or names)[0], benchmark)


def _declared(curve: Curve, name: str, benchmark: Benchmark | None) -> Metric:
    known = [metric for metric in benchmark.metrics if metric.name == name] if benchmark else []
    if known:
        return known[0]
    unit = next(point.metrics[name].unit for point in curve.points if name in point.metrics)
    title = name.replace("_", " ").capitalize()
    return Metric(name, unit, "lower" if unit == "s" else "higher", title)


def _groups(entries: Sequence[_Entry], kind: str | None) -> list[CurveSet]:
    """One of each kind, for its placements to be compared; where there is one placement, all kinds together."""
    shared = len({entry.on for entry in entries}) == 1
    groups: dict[tuple[str, str], list[_Entry]] = {}
    for entry, beside in zip(entries, _beside(entries, kind), strict=True):
        groups.setdefault((beside if shared else entry.kind, entry.metric.name), []).append(entry)
    return [_group(of, among) for (of, _), among in groups.items()]


def _kind_parameter(records: Sequence[Record]) -> str | None:
    """The first parameter that varies and is a word: what was tested; None: nothing varies."""
    rows = [record.parameters for record in records]
    words = (names[0] for names in telling(rows) if all(isinstance(row.get(names[0]), str) for row in rows))
    return next(words, None)


def _beside(entries: Sequence[_Entry], kind: str | None) -> list[str]:
    """What varies beside the kind."""
    hidden = {*HIDDEN, kind}
    rows = [{name: value for name, value in e.case.settings.items() if name not in hidden} for e in entries]
    columns = telling(rows)
    return [_told(row, columns) for row in rows]


def _group(of: str, entries: Sequence[_Entry]) -> CurveSet:
    """`of`: what all of them are, which their labels then need not tell."""
    metric, along = entries[0].metric, entries[0].curve.along
    sizes = sorted({point.at for entry in entries for point in entry.curve.points})
    title = f"{metric.title} over {along}" if len(sizes) > 1 else metric.title
    if of and of != metric.name:
        title = f"{of.replace('_', ' ').capitalize()} {title[0].lower()}{title[1:]}"
    wanted = SHOWN if len(entries) <= MANY else FEW
    shown = [size for size in sizes if size in wanted] or sizes[:: max(1, len(sizes) // len(FEW))]
    links = {rate for entry in entries if (rate := _link(entry.record))}
    return CurveSet(
        title=title,
        slug=slug(f"{of} {metric.name}" if of and of != metric.name else metric.name),
        unit=metric.unit,
        lines=[_line(entry, entry.metric, label) for entry, label in zip(entries, _labels(entries), strict=True)],
        shown=shown,
        link=_value(links.pop(), "B/s") if len(links) == 1 else None,
    )


def _labels(entries: Sequence[_Entry]) -> list[str]:
    """What tells the lines apart: where the ranks stood, and the settings that do not follow from that."""
    placements = {entry.on for entry in entries}
    hidden = {*HIDDEN, *(CONSEQUENCES if len(placements) > 1 else ())}
    rows: list[dict[str, Scalar]] = [
        {name: value for name, value in entry.case.settings.items() if name not in hidden} for entry in entries
    ]
    columns = telling(rows)
    return [
        ", ".join(filter(None, (entry.on if len(placements) > 1 or not columns else "", _told(row, columns))))
        or entry.case.label
        for entry, row in zip(entries, rows, strict=True)
    ]


def _told(row: Mapping[str, Scalar], columns: Sequence[Sequence[str]]) -> str:
    """A word speaks for itself."""
    return ", ".join(
        value if isinstance(value := row.get(names[0]), str) else label_of(dict(row), [names]) for names in columns
    )


def _line(entry: _Entry, metric: Metric, label: str) -> Line:
    points = [(point, point.metrics[metric.name]) for point in entry.curve.points if metric.name in point.metrics]
    timed = metric.unit in ("s", "B/s")
    fits = regimes(message_times(entry.curve, metric.name)) if timed else ()
    rate = _asymptote(entry.record, points[-1][1])
    bounds = [bound for _, samples in points for bound in samples.bounds]
    sources = [bound.source for kind in ("measured", "theoretical") for bound in bounds if bound.kind == kind]
    return Line(
        case=entry.case.id,
        label=label,
        kind=entry.kind,
        metric=metric.name,
        title=metric.title,
        unit=metric.unit,
        better=metric.better,
        points=[_at(point, samples, metric) for point, samples in points],
        fits=[_fit(found, rate if found.last == points[-1][0].at else None) for found in fits],
        source=sources[0] if sources else "",
    )


def _at(point: Point, samples: Samples, metric: Metric) -> At:
    found = statistics(samples)
    figures = {
        "median": found.median,
        "average": found.mean,
        "minimum": found.minimum,
        **{f"p{100 * share:g}": value for share, value in found.percentiles.items()},
        "maximum": found.maximum,
    }
    values = {name: _value(value, metric.unit) for name, value in figures.items()}
    values["outliers"] = _share(found.outliers.share)
    values["outlier_time"] = _share(found.outliers.time_share)
    values["farthest"] = Value(value=found.outliers.farthest, text=number(found.outliers.farthest))
    for kind, name in (("measured", "limit"), ("theoretical", "peak")):
        bound = own_bound(samples, kind)
        best = samples.value_at(bound.seconds) if bound and bound.seconds else None
        reached = fraction(found.median, best, metric.better)
        if best is not None and reached is not None:
            values |= {name: _value(best, metric.unit), f"of_{name}": _share(reached)}
    if metric.unit == "B/s" and point.at > 0:
        values["message_rate"] = _messages(found.median / point.at)
    return At(at=point.at, text=_size(point.at), count=found.count, values=values)


def _fit(regime: Regime, link: float | None) -> Fit:
    alpha, half = regime.alpha.told, regime.half_size
    beta = regime.beta.told if regime.beta else None
    return Fit(
        first=regime.first,
        last=regime.last,
        text=f"{_size(regime.first)} to {_size(regime.last)}",
        alpha=None if alpha is None else _value(alpha, "s"),
        alpha_absent="" if alpha is not None else regime.alpha.error_text,
        beta=None if beta is None else _value(beta, "B/s"),
        beta_absent="" if beta is not None else regime.beta.error_text if regime.beta else "flat",
        half_size=None if half is None else Value(value=half, text=quantity(half, "B")),
        of_link=_share(beta / link) if beta and link else None,
        worst=_share(regime.worst),
        odd=", ".join(map(_size, regime.odd)),
    )


def _overlaps(entries: Sequence[_Entry]) -> list[Overlap]:
    names = ("pure_latency", "compute_time", "overlap", "latency")
    found = []
    for entry, told in zip(entries, _labels(entries), strict=True):
        label = told if entry.kind in told else f"{entry.kind}, {told}"
        for point in entry.curve.points:
            if not all(name in point.metrics for name in names):
                continue
            pure, compute, share, both = (statistics(point.metrics[name]).median for name in names)
            found.append(
                Overlap(
                    label=label,
                    case=entry.case.id,
                    at=point.at,
                    text=_size(point.at),
                    pure=_value(pure, "s"),
                    both=_value(both, "s"),
                    compute=_value(compute, "s"),
                    share=_share(share),
                )
            )
    return found


def _asymptote(record: Record, largest: Samples) -> float | None:
    """B/s that the network's link allows the largest messages; None: they do not show it, or it is not known."""
    bound = own_bound(largest, "theoretical")
    if largest.unit == "B/s":
        return largest.value_at(bound.seconds) if bound and bound.seconds else _link(record)
    return _link(record) if record.ranks == 2 else None


def _link(record: Record) -> float | None:
    rate = record.conditions.get("link_rate")
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None


def _value(value: float, unit: str) -> Value:
    return Value(value=value, text=quantity(value, unit))


def _messages(rate: float) -> Value:
    return Value(value=rate, text=quantity(rate, "1/s").replace("1/s", "/s"))


def _share(value: float) -> Value:
    return Value(value=value, text=percent(value))


def _size(size: float) -> str:
    return quantity(size, "B")
