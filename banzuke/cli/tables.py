"""Assessments as a table and as the JSON document of `--json`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from banzuke.cli import effects, families
from banzuke.cli.console import Console, out
from banzuke.document.terminal import terminal
from banzuke.launch.command import Command
from banzuke.limit.collection import collections
from banzuke.limit.curve import Parameter, message_times, metrics_of, regimes, statistics
from banzuke.limit.launches import singly
from banzuke.limit.model import Assessment, Figure, Residence
from banzuke.limit.rules import ruling
from banzuke.limit.view import Case, View, remarks, views
from banzuke.plan.axes import shown
from banzuke.plan.benchmark import Benchmark
from banzuke.record.figures import Curve, Samples
from banzuke.record.matching import neighbours, placement, variant
from banzuke.record.model import Record
from banzuke.record.settings import figure_text
from banzuke.record.sizes import headline_size
from banzuke.record.statistics import median
from banzuke.report.curves import SHOWN
from banzuke.units import count, percent, quantity, span
from banzuke.words.language import words

ENGLISH = words()

CROWDED = 0.1
"""Of the processors' time, taken by other processes: figures are worth less then, whatever they are of."""


def document(assessments: Sequence[Assessment]) -> Mapping[str, Any]:
    """`{"records": [...], "cases": [...]}`: each launch by itself, and the launches of each case taken together.

    Long series of single samples stay in the run's folder.
    """
    return {
        "records": [_entry(launch) for launch in singly(assessments)],
        "cases": [_case(assessment) for assessment in assessments],
    }


def _entry(assessment: Assessment) -> dict[str, Any]:
    record = assessment.record.model_dump(mode="json", exclude={"series"})
    record["metrics"] = {figure.metric: _figure(figure) for figure in assessment.figures}
    if assessment.residence:
        record["data"] = assessment.residence.place
    return record | _said(assessment)


def _said(assessment: Assessment) -> dict[str, Any]:
    return {
        "verdict": ENGLISH.joined(assessment.verdict),
        "warnings": list(map(ENGLISH, assessment.warnings)),
        "causes": [
            {
                "what": ENGLISH(finding.message),
                "evidence": ENGLISH.attribute(finding.message, "evidence"),
                "confirm": ENGLISH.attribute(finding.message, "confirm"),
            }
            for finding in assessment.causes
        ],
    }


def _case(assessment: Assessment) -> dict[str, Any]:
    """A launch that did not verify has no median."""
    record = assessment.record
    return {
        "case": record.provenance.case if record.provenance else None,
        "benchmark": record.benchmark,
        "backend": record.backend,
        "launches": [
            {"id": of.provenance.id if of.provenance else None, "status": of.status, "reason": of.reason}
            for of in assessment.records
        ],
        "metrics": {
            figure.metric: _judged(figure)
            | {
                "launches": list(figure.medians or (figure.value,)),
                "interval": list(figure.interval) if figure.interval else None,
                "spread": figure.spread,
            }
            for figure in assessment.figures
        },
        **_said(assessment),
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return _judged(figure) | {"samples": list(figure.samples)}


def _judged(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "unit": figure.unit,
        "best": figure.best,
        "limit": figure.limit,
        "limit_source": ENGLISH(figure.limit_source),
        "fraction_of_limit": figure.fraction_of_limit,
        "peak": figure.peak,
        "peak_source": ENGLISH(figure.peak_source),
        "fraction_of_peak": figure.fraction_of_peak,
    }


def show(
    assessments: Sequence[Assessment],
    benchmarks: Mapping[str, Benchmark],
    *,
    verbose: bool,
    console: Console = out,
) -> None:
    """One row a figure, of collections one a family, then what went wrong and what likely holds the headlines back.

    Of noise, which has a dozen figures a case, the headlines unless `verbose`.
    """
    collected = collections(assessments, benchmarks)
    singly = [assessment for assessment in assessments if assessment.record.benchmark not in collected]
    _figures(singly, console, verbose=verbose)
    for collection, members in collected.values():
        families.show(collection, members, console)
    effects.show(assessments, benchmarks, console)
    warnings = dict.fromkeys((a.record.benchmark, warning) for a in assessments for warning in a.warnings)
    for benchmark, warning in warnings:
        console.say(("warning:", "yellow"), f" {benchmark}: {ENGLISH(warning)}")
    for assessment in {a.record.benchmark: a for a in reversed(assessments) if a.violations is not None}.values():
        console.say((assessment.record.benchmark, "bold"), f": {ENGLISH.joined(ruling(assessment.violations))}")
    if crowded := _crowded([record for assessment in assessments for record in assessment.records]):
        console.say(("warning:", "yellow"), f" {crowded}")
    telling = varying(assessment.record for assessment in assessments)
    for assessment in assessments:
        shown_by = views(benchmarks.get(assessment.record.benchmark))
        _remarks(assessment, telling, shown_by, console, verbose=verbose)


def _crowded(records: Sequence[Record]) -> str:
    """That the figures are not the machine's alone; empty: nothing speaks for that."""
    alone = [record for record in records if not neighbours(record)]
    seen = [record.conditions.get("other_busy_fraction") for record in alone]
    busy = [share for share in seen if isinstance(share, float) and share >= CROWDED]
    if not busy:
        return ""
    return (
        f"during {len(busy)} of {count(len(alone), 'launch')} other processes used {percent(median(busy))} of the "
        "processors (median): these launches are disturbed. Stop the others (see top) and run again"
    )


def _figures(assessments: Sequence[Assessment], console: Console, *, verbose: bool) -> None:
    telling = varying(assessment.record for assessment in assessments)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("case", overflow="fold")
    table.add_column("figure", overflow="fold")
    several = any(assessment.launches for assessment in assessments)
    between = ("launches", "95% interval") if several else ()
    for heading in ("median", *between, "best", "of limit", "of peak"):
        table.add_column(heading, justify="right", no_wrap=True)
    for assessment in assessments:
        size = headline_size(assessment.record)
        few = [figure for figure in assessment.figures if figure.headline] if assessment.noise and not verbose else []
        shown = few or assessment.figures
        for figure in shown:
            table.add_row(
                label(assessment.record, telling) if figure is shown[0] else "",
                f"{figure.title} at {size}" if size else figure.title,
                figure_text(figure.value, figure.unit),
                *(_between(figure, assessment) if several else ()),
                figure_text(figure.best, figure.unit),
                _share(figure.fraction_of_limit, assessment.residence),
                _share(figure.fraction_of_peak, assessment.residence),
            )
    if table.row_count:
        console.print(table)


def _between(figure: Figure, assessment: Assessment) -> tuple[str, str]:
    """How many launches the figure is of, and the interval by how these differ."""
    launches = len(assessment.each)
    shown = f"{launches}" if figure.launches == launches else f"{figure.launches} of {launches}"
    return shown, span(*figure.interval, figure.unit) if figure.interval else "–"


def _share(fraction: float | None, where: Residence | None) -> str:
    return where.place if fraction is None and where and where.place == "in cache" else percent(fraction)


def _remarks(
    assessment: Assessment, telling: Sequence[str], shown_by: Sequence[View[Any]], console: Console, *, verbose: bool
) -> None:
    record = assessment.record
    headline = any(figure.headline for figure in assessment.figures)
    if record.status != "ok":
        console.say((record.benchmark, "bold red"), f": {ENGLISH.joined(assessment.verdict)}")
    elif assessment.remark:
        console.say((label(record, telling), "yellow"), f": {ENGLISH.joined(assessment.remark)}")
    for remark in remarks(assessment, shown_by):
        console.say((record.benchmark, "yellow"), f": {ENGLISH(remark)}")
    if verbose and headline:
        for finding in assessment.causes:
            evidence, confirm = (ENGLISH.attribute(finding.message, name) for name in ("evidence", "confirm"))
            console.say(f"  {ENGLISH(finding.message)}: {evidence}. To confirm: {confirm}")
    if verbose:
        _views(assessment, label(record, telling), shown_by, console)
    if verbose and record.curve:
        console.print(_sizes(record.curve))
        for line in _lines(record.curve):
            console.say(f"  {line}")
    if verbose and record.provenance:
        bound = "; ".join(f"rank {b.ranks}: processors {' '.join(b.threads)}" for b in record.binding)
        command = Command(record.provenance.command, record.provenance.variables).text()
        console.say((f"  {command}  ({bound})", "dim"))


def _views(assessment: Assessment, named: str, shown_by: Sequence[View[Any]], console: Console) -> None:
    case = Case(assessment, assessment.record.provenance.id if assessment.record.provenance else "", named)
    for block in terminal(block for view in shown_by for block in view.brief(case, ENGLISH)):
        console.print(block)


def _sizes(curve: Curve) -> Table:
    """A few sizes: the first metric in full, of the others their medians."""
    first, *others = metrics_of(curve)
    table = Table(box=None, header_style="bold", pad_edge=False)
    names = [f"  {first.replace('_', ' ')}", "average", "slowest 1%", "slowest", "in outliers"]
    for heading in (f"  {curve.along}", *names, *(name.replace("_", " ") for name in others)):
        table.add_column(heading, justify="right", overflow="fold")
    points = [point for point in curve.points if first in point.metrics]
    for point in [point for point in points if point.at in SHOWN] or points:
        samples = point.metrics[first]
        found, rate = statistics(samples), samples.unit.endswith("/s")
        figures = {
            "median": found.median,
            "average": found.mean,
            "percentile": found.percentiles.get(0.01 if rate else 0.99),
            "slowest": found.minimum if rate else found.maximum,
        }
        table.add_row(
            quantity(point.at, curve.unit),
            *("–" if value is None else quantity(value, samples.unit) for value in figures.values()),
            percent(found.outliers.time_share),
            *(_median(point.metrics.get(name)) for name in others),
        )
    return table


def _median(samples: Samples | None) -> str:
    return quantity(median(samples.samples), samples.unit) if samples else "–"


def _lines(curve: Curve) -> Iterator[str]:
    """`0 B to 4 KiB: 194 ns + n / 10.8 GB/s`: what the time of a message follows."""
    first = metrics_of(curve)[0]
    for regime in regimes(message_times(curve, first)):
        sizes = " to ".join(quantity(size, curve.unit) for size in (regime.first, regime.last))
        rate = f" + n / {_parameter('beta', regime.beta, 'B/s')}" if regime.beta else ""
        yield f"{sizes}: {_parameter('alpha', regime.alpha, 's')}{rate}"


def _parameter(name: str, parameter: Parameter, unit: str) -> str:
    """`194 ns`, or `alpha (±15%)` where that is all that is known."""
    told = parameter.told
    return f"{name} ({parameter.error_text})" if told is None else quantity(told, unit)


def label(record: Record, telling: Sequence[str]) -> str:
    """`dgemm, 2 threads, k 32`: the benchmark, the layout, the parameters that tell cases apart, what is unusual."""
    settings = [f"{name} {record.parameters[name]}" for name in telling if name in record.parameters]
    return ", ".join([record.benchmark, record.layout, *where(record), *settings])


def where(record: Record) -> list[str]:
    """Placement and variant, as far as they are not the usual ones."""
    place = placement(record)
    return [*([place] if place != "none" else []), *shown(variant(record))]


def varying(records: Iterable[Record]) -> list[str]:
    """Parameters that tell cases of one benchmark apart."""
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in records:
        for name, value in record.parameters.items():
            values[record.benchmark, name].add(str(value))
    return list(dict.fromkeys(name for (_, name), found in values.items() if len(found) > 1))
