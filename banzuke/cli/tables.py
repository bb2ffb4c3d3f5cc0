"""Assessments on the terminal."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from banzuke.cli import families
from banzuke.cli.console import Console, out
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal, terminal_table
from banzuke.launch.command import Command
from banzuke.limit.collection import collections
from banzuke.limit.curve import Parameter, message_times, metrics_of, regimes, statistics
from banzuke.limit.launches import disturbed
from banzuke.limit.model import Assessment, Figure, Residence
from banzuke.limit.rules import ruling
from banzuke.limit.variants import effect_tables
from banzuke.limit.view import Case, View, remarks, tabulated, views
from banzuke.plan.axes import shown
from banzuke.plan.benchmark import Benchmark
from banzuke.record.figures import Curve, Samples
from banzuke.record.matching import placement, variant
from banzuke.record.model import Record
from banzuke.record.settings import figure_text
from banzuke.record.sizes import headline_size
from banzuke.record.statistics import median
from banzuke.report.curves import SHOWN
from banzuke.units import percent, quantity, span
from banzuke.words.language import words

ENGLISH = words()


def show(
    assessments: Sequence[Assessment],
    benchmarks: Mapping[str, Benchmark],
    *,
    verbose: bool,
    console: Console = out,
) -> None:
    """One row a figure, of collections one a family, then what went wrong and what likely holds the headlines back.

    Where a view tabulates the other figures, the headlines alone, unless `verbose`.
    """
    collected = collections(assessments, benchmarks)
    singly = [assessment for assessment in assessments if assessment.record.benchmark not in collected]
    if singly:
        console.print(terminal_table(_figures(singly, benchmarks, verbose=verbose)))
    for collection, members in collected.values():
        families.show(collection, members, console)
    _effects(assessments, benchmarks, console)
    warnings = dict.fromkeys((a.record.benchmark, warning) for a in assessments for warning in a.warnings)
    for benchmark, warning in warnings:
        console.say(("warning:", "yellow"), f" {benchmark}: {ENGLISH(warning)}")
    for assessment in {a.record.benchmark: a for a in reversed(assessments) if a.violations is not None}.values():
        console.say((assessment.record.benchmark, "bold"), f": {ENGLISH.joined(ruling(assessment.violations))}")
    if busy := disturbed([record for assessment in assessments for record in assessment.records]):
        console.say(("warning:", "yellow"), f" {ENGLISH(busy)}")
    telling = varying(assessment.record for assessment in assessments)
    for assessment in assessments:
        shown_by = views(benchmarks.get(assessment.record.benchmark))
        _remarks(assessment, telling, shown_by, console, verbose=verbose)


def _effects(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console) -> None:
    """Of each axis on which cases ran with several values."""
    for table in effect_tables([record for of in assessments for record in of.records], benchmarks, ENGLISH):
        console.print(terminal_table(table))


def _figures(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], *, verbose: bool) -> Table:
    telling = varying(assessment.record for assessment in assessments)
    several = any(assessment.launches for assessment in assessments)
    between = ("launches", "95% interval") if several else ()
    numbers = [Column(title, numeric=True) for title in ("median", *between, "best", "of limit", "of peak")]
    rows = []
    for assessment in assessments:
        size = headline_size(assessment.record)
        brief = not verbose and tabulated(assessment, benchmarks.get(assessment.record.benchmark))
        few = [figure for figure in assessment.figures if figure.headline] if brief else []
        shown = few or assessment.figures
        for figure in shown:
            texts = (
                f"{figure.title} at {size}" if size else figure.title,
                figure_text(figure.value, figure.unit),
                *(_between(figure, assessment) if several else ()),
                figure_text(figure.best, figure.unit),
                _share(figure.fraction_of_limit, assessment.residence),
                _share(figure.fraction_of_peak, assessment.residence),
            )
            case = Cell(label(assessment.record, telling), above=figure is not shown[0])
            rows.append(Row((case, *map(Cell, texts))))
    return Table((Column("case"), Column("figure"), *numbers), tuple(rows))


def _between(figure: Figure, assessment: Assessment) -> tuple[str, str]:
    """How many launches the figure is of, and the interval by how these differ."""
    launches = len(assessment.each)
    shown = f"{launches}" if figure.launches == launches else f"{figure.launches} of {launches}"
    few = "too few" if assessment.launches else "–"
    return shown, span(*figure.interval, figure.unit) if figure.interval else few


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
        console.print(terminal_table(_sizes(record.curve)))
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
    names = [first.replace("_", " "), "average", "slowest 1%", "slowest", "in outliers"]
    headings = (curve.along, *names, *(name.replace("_", " ") for name in others))
    points = [point for point in curve.points if first in point.metrics]
    rows = []
    for point in [point for point in points if point.at in SHOWN] or points:
        samples = point.metrics[first]
        found, rate = statistics(samples), samples.unit.endswith("/s")
        figures = (
            found.median,
            found.mean,
            found.percentiles.get(0.01 if rate else 0.99),
            found.minimum if rate else found.maximum,
        )
        texts = (
            quantity(point.at, curve.unit),
            *("–" if value is None else quantity(value, samples.unit) for value in figures),
            percent(found.outliers.time_share),
            *(_median(point.metrics.get(name)) for name in others),
        )
        rows.append(Row(tuple(map(Cell, texts))))
    return Table(tuple(Column(heading, numeric=True) for heading in headings), tuple(rows))


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
