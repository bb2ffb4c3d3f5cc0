"""`banzuke compare A B`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from banzuke.cli import by_size
from banzuke.cli.by_size import NOTHING
from banzuke.cli.compare_data import family_data, line_data, published_data
from banzuke.cli.compare_notes import TONES, Notes, show_cautions, show_footer
from banzuke.cli.compare_ratios import ratios_told
from banzuke.cli.compare_sides import check_apart, chosen_axis, machine_of, resolve
from banzuke.cli.compare_totals import FailBelow, finish, totals_data
from banzuke.cli.console import out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, Json, Results
from banzuke.cli.tables import varying, where
from banzuke.compare.cautions import cautions
from banzuke.compare.families import Collections, FamilyComparison, by_family, comparable
from banzuke.compare.matching import CaseLaunches
from banzuke.compare.runs import (
    RELATIVE,
    Comparison,
    Metrics,
    PeakOf,
    PublishedComparison,
    compare_published,
)
from banzuke.compare.runs import compare as compare_runs
from banzuke.compare.settings import figure_text
from banzuke.compare.statistics import Interval
from banzuke.compare.verdict import ONE_LAUNCH, Side
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.judge.assess import assess
from banzuke.judge.launches import disturbed_sides
from banzuke.judge.placement import crowded_sides
from banzuke.judge.siblings import Siblings
from banzuke.limit.residence import cached_rate
from banzuke.machine.model import Machine
from banzuke.machine.public import known_machines
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.plan import catalogue
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.results.store import Store
from banzuke.units import percent, quantity, times, times_span
from banzuke.words.language import words

ALONE = ("only in A", "only in B")


def compare(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A run (name, prefix, `last`, `previous` or a path), a published machine, or a file like those of "
            "published machines (SITE.toml, SITE.toml:PARTITION). last:mkl selects a run's cases with the backend mkl, "
            "last:isolated those in that environment, last:memory=local or last:n=1000 those with that value of an "
            "option or parameter. Several runs, separated by commas, are one side: A1,A2,A3.",
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(
            metavar="B",
            help="What to compare with A, in the same forms. Ratios above 1 mean that B is better; with a published "
            "machine on either side, that the run is better.",
        ),
    ],
    results: Results = DEFAULT_RESULTS,
    as_json: Json = False,
    fail_below: FailBelow = None,
) -> None:
    """Compare two runs, or a run with a published machine, and show which differences are significant."""
    store, machines, benchmarks = Store(results), known_machines(), catalogue.benchmarks()
    lines: Sequence[Comparison | PublishedComparison] = ()
    collections = {name: spec.collection for name, spec in benchmarks.items() if spec.collection}
    sides = [resolve(name, store, machines) for name in (a, b)]
    match sides:
        case [PublishedMachine(), PublishedMachine()]:
            raise BanzukeError(
                f"{a} and {b} are both published machines",
                why="a comparison needs the samples of at least one run",
                remedy="`banzuke report` compares a run with all published machines",
            )
        case [PublishedMachine() as machine, list() as records]:
            lines = _against(b, records, machine, benchmarks, store, as_json=as_json, least=fail_below)
        case [list() as records, PublishedMachine() as machine]:
            lines = _against(a, records, machine, benchmarks, store, as_json=as_json, least=fail_below)
        case [list() as first, list() as second]:
            check_apart((a, first), (b, second))
            lines = _two_runs(
                (a, first), (b, second), _metrics(benchmarks), collections, store, as_json=as_json, least=fail_below
            )
    finish(lines, fail_below, as_json=as_json)


def _metrics(benchmarks: Mapping[str, Benchmark]) -> Metrics:
    return {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}


def _peak_of(machine: Machine | None, benchmarks: Mapping[str, Benchmark]) -> PeakOf | None:
    if machine is None:
        return None

    def peak(record: Record, metric: str) -> float | None:
        figures = assess(record, siblings=Siblings(), machine=machine, benchmarks=benchmarks, ceilings=()).figures
        return next((figure.peak for figure in figures if figure.metric == metric), None)

    return peak


def _two_runs(
    a: tuple[str, Sequence[Record]],
    b: tuple[str, Sequence[Record]],
    metrics: Metrics,
    collections: Collections,
    store: Store,
    *,
    as_json: bool,
    least: float | None,
) -> Sequence[Comparison]:
    left, right = (comparable(side[1], collections) for side in (a, b))
    every = compare_runs(left, right, metrics, collections, store.launched)
    here, there = (machine_of(name, store) for name, _ in (a, b))
    every = [_without_ratio_to_cache(line, here, there) for line in every]
    if all(line.verdict in ALONE for line in every):
        ran, other = (_programs(records) for _, records in (a, b))
        raise BanzukeError(
            f"{a[0]} and {b[0]} have no case in common",
            why=f"{ran} in A, {other} in B",
            remedy="`banzuke list --benchmark NAME` shows the runs of a benchmark",
        )
    doubts = [
        *cautions(a[1], b[1], but=chosen_axis(a[0], b[0])),
        *crowded_sides({"A": a[1], "B": b[1]}),
        *disturbed_sides({"A": a[1], "B": b[1]}),
    ]
    warnings = list(map(words(), doubts))
    rest, families = by_family(every, collections)
    shared = {line.benchmark for line in every if line.verdict not in ALONE}
    alone = Counter(
        (line.benchmark, line.verdict)
        for line in rest
        if line.verdict in ALONE and (line.benchmark in collections or line.benchmark not in shared)
    )
    lines = [line for line in rest if (line.benchmark, line.verdict) not in alone]
    if as_json:
        data = {"comparisons": [line_data(x) for x in every], "families": [family_data(x) for x in families]}
        write_json({"a": a[0], "b": b[0], "cautions": warnings, **data, **totals_data(every, least)})
        return every
    telling = varying(line.case.record for line in lines)
    shown: CaseLaunches | None = None
    notes = Notes()
    rows = []
    for line in lines:
        unit = line.metric.unit if line.metric else ""
        texts = (
            _label(line.case, telling) if line.case is not shown else "",
            by_size.figure(line),
            _shown(line.a, unit),
            _shown(line.b, unit),
            _ratio(line.ratio, line.interval),
        )
        rows.append(Row((*map(Cell, texts), notes.verdict(line))))
        shown = line.case
    if rows or not families:
        _print(f"A = {a[0]}, B = {b[0]}; above 1: B is better", ("A", "B", "B over A"), rows)
    _show_families(store, a[0], b[0], families)
    along = by_size.few(lines)
    for printed in by_size.tables(along, lambda case: _label(case, telling), TONES):
        out.print(terminal_table(printed))
    for (benchmark, verdict), count in alone.items():
        noun = collections[benchmark].noun if benchmark in collections else f"case{'s' * (count > 1)}"
        out.say(f"{benchmark}: {count} {noun} {verdict}")
    single = Counter(
        (line.benchmark, line.reason) for line in every if line.benchmark in collections and line.verdict == ONE_LAUNCH
    )
    for (benchmark, reason), count in single.items():
        out.say(f"{benchmark}: {count} ratio{'s' * (count > 1)} without a verdict: {reason}")
    notes.show()
    show_footer(warnings, [*every, *(at for _, judgements in along for at in judgements.values())])
    return every


def _without_ratio_to_cache(line: Comparison, here: Machine | None, there: Machine | None) -> Comparison:
    """Return the line without its ratio if one side's data came from a cache and the other's from memory."""
    if line.ratio is None or line.metric is None or line.other is None:
        return line
    sides = {"A": (line.case, here), "B": (line.other, there)}
    texts = {name: _cached(case, line.metric.name, machine) for name, (case, machine) in sides.items()}
    served = {name: text for name, text in texts.items() if text}
    if len(served) != 1:
        return line
    ((name, evidence),) = served.items()
    reason = f"a rate of the cache in {name}, of the memory in {'B' if name == 'A' else 'A'}: in {name} {evidence}"
    return replace(line, ratio=None, interval=None, verdict="not comparable", reason=reason)


def _without_cache_rate(line: PublishedComparison, here: Machine | None) -> PublishedComparison:
    """Return the line without its ratio if the run's data came from a cache: published rates are those of memory."""
    evidence = _cached(line.case, line.metric, here) if line.case and line.ratio is not None else ""
    if not evidence:
        return line
    return replace(
        line, ratio=None, interval=None, verdict="not comparable", reason=f"a rate of the cache here: {evidence}"
    )


def _cached(case: CaseLaunches, metric: str, machine: Machine | None) -> str:
    """Return the evidence that a memory rate came from a cache; empty if it did not, or if nothing shows it."""
    benchmark = catalogue.benchmarks().get(case.record.benchmark)
    served = cached_rate(case.record, metric, machine, benchmark) if machine else None
    return words()(served.message) if served else ""


def _programs(records: Sequence[Record]) -> str:
    return ", ".join(sorted({f"{record.benchmark} {record.backend}" for record in records})) or "nothing"


def _show_families(store: Store, a: str, b: str, families: Sequence[FamilyComparison]) -> None:
    if not families:
        return
    out.print(terminal_table(_families(a, b, families)))
    if ":" not in a + b:  # a report always shows a whole run
        for said in ratios_told(store, a, b, {family.benchmark for family in families}):
            out.print(said)
        out.say(f"`banzuke report {b} {a}` draws the ratio of each problem over its size")


def _families(a: str, b: str, families: Sequence[FamilyComparison]) -> Table:
    """Return a table with a line for each family; `banzuke report B A` draws each problem."""
    numbers = ("cases", "B over A", "lowest", "highest", "faster", "slower")
    columns = (
        *(Column(title) for title in ("benchmark", "figure", "family")),
        *(Column(title, numeric=True) for title in numbers),
    )
    rows = []
    shown = ""
    for family in families:
        name = f"{family.benchmark} {family.backend}, {family.metric.title}"
        first, last = family.lines[0], family.lines[-1]
        new = name != shown
        texts = (
            f"{family.benchmark} {family.backend}" if new else "",
            family.metric.title if new else "",
            family.family,
            str(len(family.lines)),
            times(family.mean),
            times(first.ratio, first.comparison.interval),
            times(last.ratio, last.comparison.interval),
            str(family.count("faster")),
            str(family.count("slower")),
        )
        rows.append(texts)
        shown = name
    return Table.of_texts(columns, rows, f"By family, geometric means; A = {a}, B = {b}; above 1: B is better")


def _against(
    name: str,
    records: Sequence[Record],
    machine: PublishedMachine,
    benchmarks: Mapping[str, Benchmark],
    store: Store,
    *,
    as_json: bool,
    least: float | None,
) -> Sequence[PublishedComparison]:
    own = machine_of(name, store)
    lines = compare_published(records, machine, _metrics(benchmarks), _peak_of(own, benchmarks), store.launched)
    lines = [_without_cache_rate(line, own) for line in lines]
    names = {record.benchmark for record in records}
    relative = [figure for figure in machine.figure if figure.benchmark in names and figure.kind in RELATIVE]
    if not lines and not relative:
        ran = ", ".join(sorted(names)) or "nothing"
        printed = ", ".join(sorted({figure.benchmark for figure in machine.figure})) or "no figure"
        raise BanzukeError(f"{name} and {machine.name} have no benchmark in common", why=f"{ran} here, {printed} there")
    warnings = list(map(words(), [*disturbed_sides({name: records}), *crowded_sides({name: records})]))
    if as_json:
        data = {"cautions": warnings, "comparisons": [published_data(x) for x in lines]}
        write_json({"run": name, "machine": machine.id, **data, **totals_data(lines, least)})
        return lines
    if not lines:
        _relative(machine, relative)
        return lines
    title = f"{name} beside {machine.name}; above 1: this run is better than published"
    telling = varying(line.case.record for line in lines if line.case)
    notes = Notes()
    rows = []
    for line in lines:
        unit = line.figure.unit
        per = "\nper node" if line.per_node else ""
        texts = (
            _label(line.case, telling) if line.case else line.benchmark,
            line.declared.title if line.declared else line.metric,
            quantity(line.published, unit) + per if line.published is not None else NOTHING,
            _of_peak(line.published_of_peak),
            _shown(line.ours, unit),
            _of_peak(line.ours_of_peak),
            _ratio(line.ratio, line.interval),
        )
        rows.append(Row((*map(Cell, texts), notes.verdict(line))))
    _print(title, ("published", "of peak", "here", "of peak", "ratio"), rows)
    notes.show()
    show_cautions(warnings)
    for source in dict.fromkeys(report.citation for report in machine.site.reports.values()):
        out.say(f"Published in {source}")
    out.say("Figures here are medians of launches; publications often print the best of several passes.")
    return lines


def _relative(machine: PublishedMachine, figures: Sequence[PublishedFigure]) -> None:
    out.say(f"The figures of {machine.name} compare two machines, so a single run cannot be compared with them:")
    for figure in figures:
        text = f"{figure.benchmark} {figure.metric.replace('_', ' ')} {figure.as_printed}. {figure.note}"
        out.say(f"{text} {machine.source(figure)}")
    out.say("With runs of two machines, banzuke compare A B gives such ratios.")


def _print(title: str, numbers: Sequence[str], rows: Sequence[Row]) -> None:
    columns = Column("case"), Column("figure"), *(Column(number, right=True) for number in numbers), Column("verdict")
    out.print(terminal_table(Table(columns, tuple(rows), title)))


def _label(case: CaseLaunches, telling: Sequence[str]) -> str:
    record = case.record
    name = f"{record.benchmark} {record.backend}, {record.layout}"
    settings = [f"{name}={record.parameters[name]}" for name in telling if name in record.parameters]
    return ", ".join([" ".join([name, *settings]), *where(record)])


def _shown(side: Side | None, unit: str) -> str:
    if side is None:
        return NOTHING
    launches = f"{side.launches} launch{'es' * (side.launches > 1)}"
    return f"{figure_text(side.value, unit)}\n{launches}" if unit else str(side.value)


def _of_peak(fraction: float | None) -> str:
    return NOTHING if fraction is None else percent(fraction)


def _ratio(ratio: float | None, interval: Interval | None) -> str:
    if ratio is None:
        return NOTHING
    return "\n".join((times(ratio, interval), *([" to ".join(times_span(*interval))] if interval else ())))
