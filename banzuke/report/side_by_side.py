"""Several runs side by side: headline figures, machines, and collections problem by problem."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from banzuke.amounts import Scalar
from banzuke.compare.cautions import variables_apart
from banzuke.compare.matching import CaseLaunches, with_others
from banzuke.compare.runs import of_any_size
from banzuke.compare.settings import figure_text, settings, varying
from banzuke.compare.statistics import Interval, times_better
from banzuke.compare.verdict import judge
from banzuke.document import Block, Cell, Charts, Column, Details, Item, Items, Paragraph, Row, Section, Table
from banzuke.judge.launches import disturbed_sides
from banzuke.judge.placement import crowded_sides
from banzuke.limit.residence import of_memory
from banzuke.plan.benchmark import Metric
from banzuke.record.model import Record
from banzuke.report.chapter import Chapter
from banzuke.report.charts.side_by_side import Shown, side_by_side_charts
from banzuke.report.fact_table import SpecificationGroup
from banzuke.report.figures import lacking, mark, value_cell
from banzuke.report.model import Evaluation
from banzuke.report.settings import settings_text
from banzuke.report.specification import specification
from banzuke.report.summary import SummaryLine, line_title, summary_lines
from banzuke.units import times
from banzuke.words import Listed, Message, message
from banzuke.words.language import Words

ABSENT = "–"


@dataclass(frozen=True)
class ComparedRun:
    """One of several runs."""

    name: str
    """Name that distinguishes it from the others."""
    prefix: str
    """Prefix of its anchors."""
    evaluation: Evaluation
    chapters: Sequence[Chapter]

    @property
    def anchor(self) -> str:
        return f"{self.prefix}run"


def run_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """Return the runs' names from what distinguishes them.

    They have as few as needed of site, partition, date, time and name, and never a time alone.
    """
    minutes = [f"{evaluation.started:%F %H:%M}" for evaluation in evaluations]
    clock = "%F %H:%M" if len(set(minutes)) == len(minutes) else "%F %H:%M:%S"
    traits = [
        [evaluation.machine.name for evaluation in evaluations],
        [evaluation.machine.allotment.partition for evaluation in evaluations],
        [f"{evaluation.started:%F}" for evaluation in evaluations],
        [f"{evaluation.started:{clock}}" for evaluation in evaluations],
        [evaluation.run for evaluation in evaluations],
        [str(place) for place in range(1, len(evaluations) + 1)],
    ]
    labels: list[tuple[str, ...]] = [()] * len(evaluations)
    for values in traits:
        further = [
            (*(part for part in parts if not value.startswith(part)), value)  # a time includes its date
            for parts, value in zip(labels, values, strict=True)
        ]
        if len(set(further)) > len(set(labels)):
            labels = further
    return [", ".join(parts) for parts in labels]


def side_by_side(runs: Sequence[ComparedRun], words: Words) -> list[Section]:
    return [
        Section("figures", words(message("report-side-figures")), tuple(_figures(runs, words)), "side"),
        Section("machines", words(message("report-side-machines")), tuple(_machines(runs, words)), "side"),
    ]


def _figures(runs: Sequence[ComparedRun], words: Words) -> Iterable[Block]:
    items = [Item(words(said)) for said in cautions(runs)]
    if items:
        yield Items(tuple(items), style="warnings")
    rows = headlines(runs, words)
    if not rows:
        yield Paragraph(words(message("report-side-nothing")))
        return
    columns = (Column(words(message("report-benchmark"))), *(Column(run.name) for run in runs))
    yield Table(
        columns,
        tuple(Row((Cell(row.title), *(cell.cell if cell else Cell(ABSENT) for cell in row.cells))) for row in rows),
        caption=words(message("report-side-caption")),
    )
    drawn = side_by_side_charts(
        [run.name for run in runs],
        [(row.title, [cell.shown if cell else None for cell in row.cells]) for row in rows],
        words,
    )
    if drawn:
        yield Charts(tuple(chart.block for chart in drawn))


def cautions(runs: Sequence[ComparedRun]) -> list[Message]:
    """Return reasons why the comparison of these runs as a whole is dubious."""
    records = [[record for a in run.evaluation.assessments for record in a.records] for run in runs]
    provenances = [[record.provenance for record in side if record.provenance] for side in records]
    traits = {
        "Banzuke": [sorted({provenance.banzuke for provenance in side}) for side in provenances],
        "commit": [sorted({provenance.commit for provenance in side if provenance.commit}) for side in provenances],
    }
    none = message("report-not-recorded")
    sides = {run.name: side for run, side in zip(runs, records, strict=True)}
    shared = crowded_sides(sides)
    unlike = [
        message(
            "report-side-unlike",
            what=what,
            each=Listed(
                tuple(
                    message("report-side-has", run=run.name, value=Listed(tuple(texts)) if texts else none)
                    for run, texts in zip(runs, values, strict=True)
                )
            ),
        )
        for what, values in traits.items()
        if len({tuple(texts) for texts in values}) > 1
    ]
    return [*disturbed_sides(sides), *shared, *variables_apart(list(sides.items())), *unlike]


@dataclass(frozen=True)
class Entry:
    """A headline figure of one run."""

    cell: Cell
    shown: Shown

    @property
    def ratio(self) -> float | None:
        return self.shown.ratio


@dataclass(frozen=True)
class RunHeadline:
    title: str
    unit: str
    cells: Sequence[Entry | None]
    """Entries in the order of the runs; None: the run has no such figure."""


def headlines(runs: Sequence[ComparedRun], words: Words) -> list[RunHeadline]:
    """Return one row for each figure of the summaries, in order of first appearance."""
    by_figure: dict[tuple[str, str], dict[int, SummaryLine]] = {}
    for place, run in enumerate(runs):
        for line in summary_lines(run.evaluation, run.chapters, words):
            metric = line.figure.metric if line.figure else ""
            by_figure.setdefault((line.chapter.name, metric), {}).setdefault(place, line)
    return [_headline(by_place, runs, words) for by_place in by_figure.values()]


def _headline(by_run: Mapping[int, SummaryLine], runs: Sequence[ComparedRun], words: Words) -> RunHeadline:
    first = by_run[min(by_run)]
    own = {place: _settings(line) for place, line in by_run.items()}
    telling = varying(own.values())
    unit = first.figure.unit if first.figure else first.mean_unit
    entries: dict[int, Entry] = {}
    for place, line in by_run.items():
        mean = line.mean is not None
        said = line.title if mean else settings_text({k: own[place][k] for k in telling if k in own[place]}, words)
        ratio: FigureRatio = None, None
        if line is not first and not mean and _comparable(line, first, own[place], own[min(by_run)]):
            ratio = _ratio(line, first, runs[place].evaluation.launched, runs[min(by_run)].evaluation.launched)
        entries[place] = _entry(line, "" if mean and line.title == first.title else said, ratio, words)
    return RunHeadline(line_title(first, words), unit, [entries.get(place) for place in range(len(runs))])


def _settings(line: SummaryLine) -> dict[str, Scalar]:
    return {} if line.mean is not None else settings(line.case.assessment.record)


Settings = Mapping[str, Scalar]
_PLACE = ("backend", "environment", "image", "neighbours", "placement", "hosts", "threads", "groups")
"""Settings of how the work was done rather than what it was."""


def _comparable(line: SummaryLine, first: SummaryLine, mine: Settings, theirs: Settings) -> bool:
    """Return whether two figures can be compared.

    Rates can, except one from a cache with one from memory. Times can if the work was the same. Extremes also need the
    same method.
    """
    if _of_cache(line) != _of_cache(first):
        return False
    spec = line.chapter.benchmark
    how = set(spec.sizing.method) if spec else set()
    names = (mine.keys() | theirs.keys()) - set(_PLACE)
    differing = {name for name in names if mine.get(name) != theirs.get(name)}
    headline = first.figure.metric if first.figure else ""
    extreme = any(metric.extreme and metric.name == headline for metric in (spec.metrics if spec else ()))
    unit = first.figure.unit if first.figure else first.mean_unit
    return (of_any_size(unit) or not differing - how) and not (extreme and differing & how)


def _of_cache(line: SummaryLine) -> bool:
    """Return whether a cache served a rate that should be of memory."""
    assessment = line.case.assessment
    served = line.figure is not None and assessment.residence is not None and assessment.residence.place == "in cache"
    return (
        served and line.figure is not None and of_memory(assessment.record, line.figure.metric, line.chapter.benchmark)
    )


FigureRatio = tuple[float | None, Interval | None]
"""Ratio to the first run with the figure, above 1 if better, and its interval, as in `compare`."""


def _ratio(
    mine: SummaryLine, first: SummaryLine, beside: Sequence[Record], beside_first: Sequence[Record]
) -> FigureRatio:
    """Return the ratio; the launches beside each figure's own show how runs vary."""
    if mine.figure is None or first.figure is None:
        return None, None
    better: Literal["higher", "lower"] = "higher" if first.figure.better == "higher" else "lower"
    metric = Metric(first.figure.metric, first.figure.unit, better, "")
    ratio = times_better(mine.figure.value, first.figure.value, metric.better)
    sides = [
        with_others(CaseLaunches(line.case.assessment.records), launched)
        for line, launched in ((first, beside_first), (mine, beside))
    ]
    measured = all(case.units(metric.name) for case in sides)
    return ratio, judge(sides[0], sides[1], metric).interval if ratio and measured else None


def _entry(line: SummaryLine, said: str, figure_ratio: FigureRatio, words: Words) -> Entry:
    record = line.case.assessment.record
    ratio = times(figure_ratio[0], figure_ratio[1]) if figure_ratio[0] else ""
    if line.figure is None and line.mean is None:
        text = words(lacking(line.case.assessment))
        return Entry(Cell(text, mark=mark(record)), Shown(text, said, None, None, ""))
    share = line.figure.fraction_of_limit if line.figure else line.mean_of_limit
    notes = [
        words(message("report-side-ratio", ratio=ratio)) if ratio else "",
        words(line.share) if line.share else "",
        said,
    ]
    note = ", ".join(filter(None, notes))
    if line.figure:
        cell = value_cell(line.case, line.figure, line.figure.value, "median", note)
    else:
        cell = Cell(figure_text(line.mean or 0.0, line.mean_unit), line.mean, line.mean_unit, note=note)
    return Entry(cell, Shown(cell.text, said, share, figure_ratio[0], ratio))


def _machines(runs: Sequence[ComparedRun], words: Words) -> Iterable[Block]:
    table = _specifications([specification(run.evaluation.machine) for run in runs], words)
    differing = {key: values for key, values in table.items() if len(set(values)) > 1}
    alike = {key: values for key, values in table.items() if len(set(values)) == 1}
    if differing:
        yield _facts(differing, runs, message("report-side-differs"), words)
    else:
        yield Paragraph(words(message("report-side-same-machine")))
    if alike:
        inner = _facts(alike, runs, message("report-side-alike"), words)
        yield Details(words(message("report-side-alike")), (inner,))


Specifications = Mapping[tuple[str, str], Sequence[str]]
"""Values of the runs by group and row."""


def _specifications(machines: Sequence[Sequence[SpecificationGroup]], words: Words) -> Specifications:
    """Return the rows of all machines; rows of the same name are merged."""
    rows: dict[tuple[str, str], list[list[str]]] = {}
    for place, groups in enumerate(machines):
        for group in groups:
            for row in group.rows:
                key = words(group.title), words.fact(row.name)
                values = rows.setdefault(key, [[] for _ in machines])
                values[place] += [] if row.value is None else [words.fact(row.value)]
    return {key: ["; ".join(parts) or ABSENT for parts in values] for key, values in rows.items() if any(values)}


def _facts(specifications: Specifications, runs: Sequence[ComparedRun], caption: Message, words: Words) -> Table:
    rows = []
    last = ""
    for (group, name), values in specifications.items():
        rows.append(Row((Cell(group) if group != last else Cell(above=True), *map(Cell, (name, *values)))))
        last = group
    item = words(message("report-item"))
    columns = (Column(""), Column(item), *(Column(run.name) for run in runs))
    return Table(columns, tuple(rows), caption=words(caption), heads=2)
