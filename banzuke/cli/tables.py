"""Tables of assessments on the terminal."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from banzuke.cli.console import Console, out
from banzuke.compare.matching import placement, variant
from banzuke.compare.settings import figure_text
from banzuke.compare.sizes import headline_size
from banzuke.document import Block, Cell, Column, Row, Table
from banzuke.document.terminal import terminal, terminal_table
from banzuke.judge.energy import energies, per_watt
from banzuke.judge.launches import disturbed
from banzuke.judge.model import OWN_BEST, Assessment, Figure
from banzuke.judge.rules import ruling
from banzuke.launch.command import Command
from banzuke.limit.model import Residence
from banzuke.plan.axes import shown
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import count, percent, span
from banzuke.views.effects import effect_blocks
from banzuke.views.energy import energy_blocks
from banzuke.views.view import ShowsTogether, ViewCase, remarks, tabulated, views
from banzuke.words import Message, message
from banzuke.words.language import words

MOST_WHOLE = 4
"""Cases that are listed with all their figures; of more, unless `verbose`, with the headlines alone."""
MOST_REMARKS = 6
"""Remarks about cases that are not listed."""


def show(
    assessments: Sequence[Assessment],
    benchmarks: Mapping[str, Benchmark],
    *,
    verbose: bool,
    cases: bool = True,
    console: Console = out,
) -> None:
    """Print one row for each figure (for each family of a collection), then failures and likely causes.

    Of many cases, and where a view tabulates the other figures, only headlines are shown, unless `verbose`. Without
    `cases`, no case is listed, and remarks are few.
    """
    overviews = _overviews(assessments, benchmarks) if cases else {}
    singly = [assessment for assessment in assessments if assessment.record.benchmark not in overviews]
    if singly and cases:
        console.print(terminal_table(_figures(singly, benchmarks, verbose=verbose)))
        if any(figure.fraction_of_limit is not None for assessment in singly for figure in assessment.figures):
            console.say((words()(message("limit-legend")), "dim"))
    for blocks in overviews.values():
        for printed in terminal(blocks):
            console.print(printed)
    _effects(assessments, benchmarks, console)
    if cases:
        _energy(assessments, console)
    _warn(assessments, console, verbose=verbose)
    for assessment in {a.record.benchmark: a for a in reversed(assessments) if a.violations is not None}.values():
        console.say((assessment.record.benchmark, "bold"), f": {words().joined(ruling(assessment.violations))}")
    if verbose:
        _say_of_each(assessments, benchmarks, console)
    else:
        _say_once(assessments, benchmarks, console, cases=cases)
    if busy := disturbed([record for assessment in assessments for record in assessment.records], benchmarks):
        console.say(("warning:", "yellow"), f" {words()(busy)}")


def _warn(assessments: Sequence[Assessment], console: Console, *, verbose: bool) -> None:
    """Print each warning; unless `verbose`, only the first of those that differ in numbers alone, and their count."""
    alike: dict[Hashable, list[tuple[str, Message]]] = defaultdict(list)
    for benchmark, warning in dict.fromkeys(
        (a.record.benchmark, warning) for a in assessments for warning in a.warnings
    ):
        alike[(benchmark, warning) if verbose else (benchmark, warning.code, warning.english)].append(
            (benchmark, warning)
        )
    for (benchmark, warning), *others in alike.values():
        more = f" (and {count(len(others), 'time')} with other numbers: -v)" if others else ""
        console.say(("warning:", "yellow"), f" {benchmark}: {words()(warning)}{more}")


def _overviews(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark]) -> Mapping[str, Sequence[Block]]:
    """Return, by benchmark, what views print that show all its cases together."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    every = {
        name: [
            block
            for view in views(benchmark)
            if isinstance(view, ShowsTogether)
            for block in view.overview(benchmark, members, words())
        ]
        for name, members in by_benchmark.items()
        if (benchmark := benchmarks.get(name))
    }
    return {name: blocks for name, blocks in every.items() if blocks}


def _effects(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console) -> None:
    """Print a table for each axis on which cases ran with several values."""
    records = [record for assessment in assessments for record in assessment.records]
    for table, best in effect_blocks(records, benchmarks, words()):
        console.print(terminal_table(table))
        for said in best:
            console.say(words()(said))


def _energy(assessments: Sequence[Assessment], console: Console) -> None:
    telling = varying(assessment.record for assessment in assessments)
    cases = [(label(assessment.record, telling), assessment) for assessment in assessments]
    for printed in terminal(energy_blocks(cases, None, words())):
        console.print(printed)


def _figures(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], *, verbose: bool) -> Table:
    telling = varying(assessment.record for assessment in assessments)
    several = any(assessment.launches for assessment in assessments)
    between = ("launches", "95% interval") if several else ()
    powered = ("per watt",) if any(energies(assessment) for assessment in assessments) else ()
    titles = ("median", *between, "best", "of limit", "of peak", *powered)
    numbers = [Column(title, numeric=True) for title in titles]
    rows = []
    for assessment in assessments:
        size = headline_size(assessment.record)
        many = len(assessments) > MOST_WHOLE or tabulated(assessment, benchmarks.get(assessment.record.benchmark))
        brief = many and not verbose
        few = [figure for figure in assessment.figures if figure.headline] if brief else []
        shown = few or assessment.figures
        for figure in shown:
            texts = (
                f"{figure.title} at {size}" if size else figure.title,
                figure_text(figure.value, figure.unit),
                *(_between(figure, assessment) if several else ()),
                figure_text(figure.best, figure.unit),
                _of_limit(figure, assessment.residence),
                _share(figure.fraction_of_peak, assessment.residence),
                *([_ratio(assessment, figure)] if powered else []),
            )
            case = Cell(label(assessment.record, telling), above=figure is not shown[0])
            rows.append(Row((case, *map(Cell, texts))))
    return Table((Column("case"), Column("figure"), *numbers), tuple(rows))


def _ratio(assessment: Assessment, figure: Figure) -> str:
    value = per_watt(assessment, figure)
    return words().fact(value) if value else "–"


def _between(figure: Figure, assessment: Assessment) -> tuple[str, str]:
    """Return the number of launches behind the figure, and its interval from their variation."""
    launches = len(assessment.each)
    shown = f"{launches}" if figure.launches == launches else f"{figure.launches} of {launches}"
    few = "too few" if assessment.launches else "–"
    return shown, span(*figure.interval, figure.unit) if figure.interval else few


def _of_limit(figure: Figure, where: Residence | None) -> str:
    own = f" {words()(OWN_BEST)}" if figure.own_ceiling else ""
    return _share(figure.fraction_of_limit, where) + own


def _share(fraction: float | None, where: Residence | None) -> str:
    if fraction is None:
        return where.place if where and where.place == "in cache" else "–"
    return percent(fraction)


def _say_of_each(assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console) -> None:
    telling = varying(assessment.record for assessment in assessments)
    for assessment in assessments:
        benchmark = benchmarks.get(assessment.record.benchmark)
        _say_all(_remarks(assessment, telling, benchmark), console)
        _details(assessment, telling, benchmark, console)


def _say_once(
    assessments: Sequence[Assessment], benchmarks: Mapping[str, Benchmark], console: Console, *, cases: bool
) -> None:
    """What is remarkable; without `cases` a few remarks, and what went wrong first."""
    telling = varying(assessment.record for assessment in assessments)
    remarked = dict.fromkeys(
        remark
        for assessment in (assessments if cases else _first(assessments))
        for remark in _remarks(assessment, telling, benchmarks.get(assessment.record.benchmark))
    )
    _say_all(remarked if cases else islice(remarked, MOST_REMARKS), console)


def _first(assessments: Sequence[Assessment]) -> list[Assessment]:
    """Return the cases that failed, and then the first case of each benchmark."""
    first = {assessment.record.benchmark: assessment for assessment in reversed(assessments)}
    return [*(assessment for assessment in assessments if assessment.record.status != "ok"), *first.values()]


def _remarks(
    assessment: Assessment, telling: Sequence[str], benchmark: Benchmark | None
) -> Iterator[tuple[str, str, str]]:
    """Yield what is remarkable about a case: of what, its style, the text."""
    record = assessment.record
    if record.status != "ok" and not record.lacks_environment:
        yield record.benchmark, "bold red", words().joined(assessment.verdict)
    elif assessment.remark:
        yield label(record, telling), "yellow", words().joined(assessment.remark)
    for remark in remarks(assessment, views(benchmark)):
        yield record.benchmark, "yellow", words()(remark)


def _say_all(remarked: Iterable[tuple[str, str, str]], console: Console) -> None:
    for name, style, text in remarked:
        console.say((name, style), f": {text}")


def _details(assessment: Assessment, telling: Sequence[str], benchmark: Benchmark | None, console: Console) -> None:
    """Print what belongs to a case apart from its figures: likely causes with evidence, views, command and binding."""
    record = assessment.record
    if any(figure.headline for figure in assessment.figures):
        for finding in assessment.causes:
            evidence, confirm = (words().attribute(finding.message, name) for name in ("evidence", "confirm"))
            console.say(f"  {words()(finding.message)}: {evidence}. To confirm: {confirm}")
    if benchmark:
        _views(assessment, benchmark, label(record, telling), console)
    if record.provenance:
        bound = "; ".join(f"rank {b.ranks}: processors {' '.join(b.threads)}" for b in record.binding)
        command = Command(record.provenance.command, record.provenance.variables).text()
        console.say((f"  {command}  ({bound})", "dim"))


def _views(assessment: Assessment, benchmark: Benchmark, named: str, console: Console) -> None:
    case = ViewCase(assessment, assessment.record.provenance.id if assessment.record.provenance else "", named)
    for block in terminal(block for view in views(benchmark) for block in view.brief(benchmark, case, words())):
        console.print(block)


def label(record: Record, telling: Sequence[str]) -> str:
    """Return a case's label, such as `dgemm, 2 threads, k 32`, with the parameters that vary and unusual settings."""
    settings = [f"{name} {record.parameters[name]}" for name in telling if name in record.parameters]
    return ", ".join([record.benchmark, record.layout, *where(record), *settings])


def where(record: Record) -> list[str]:
    """Return placement and variant, as far as they are not the usual ones."""
    place = placement(record)
    return [*([place] if place != "none" else []), *shown(variant(record))]


def varying(records: Iterable[Record]) -> list[str]:
    """Return the parameters in which cases of one benchmark differ."""
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in records:
        for name, value in record.parameters.items():
            values[record.benchmark, name].add(str(value))
    return list(dict.fromkeys(name for (_, name), texts in values.items() if len(texts) > 1))
