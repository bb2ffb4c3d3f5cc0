"""Several runs side by side: machines, headline figures, and collections problem by problem."""

from collections.abc import Iterable, Mapping, Sequence

from banzuke.limit.collection import Member, collections
from banzuke.plan.benchmark import Collection as Declared
from banzuke.record.compare import of_any_size
from banzuke.record.settings import setting_text, varying
from banzuke.report.collection import beside
from banzuke.report.content import Case, Content, Measurement, Scalar, Section, SpecificationTable, Verdict
from banzuke.report.model import Evaluation
from banzuke.report.study_content import Cell, Column, Fact, Facts, Headline, Problems, SideBySide
from banzuke.text import full_title
from banzuke.units import number

ABSENT = "–"


def side_by_side(evaluations: Sequence[Evaluation], contents: Sequence[Content]) -> SideBySide:
    columns = [
        _column(evaluation, content, name)
        for evaluation, content, name in zip(evaluations, contents, names(evaluations), strict=True)
    ]
    machines = _machines(contents)
    return SideBySide(
        columns=columns,
        cautions=cautions(evaluations, columns),
        headlines=_headlines(contents),
        differing=_of_all(machines, alike=False),
        alike=_of_all(machines, alike=True),
        problems=_problems(evaluations, contents, columns),
    )


def names(evaluations: Sequence[Evaluation]) -> list[str]:
    """By what tells the runs apart: as few as needed of site, partition, date, time and name."""
    minutes = [f"{evaluation.started:%F %H:%M}" for evaluation in evaluations]
    clock = "%H:%M" if len(set(minutes)) == len(minutes) else "%H:%M:%S"
    traits = [
        [evaluation.machine.name for evaluation in evaluations],
        [evaluation.machine.allotment.partition for evaluation in evaluations],
        [f"{evaluation.started:%-d %B %Y}" for evaluation in evaluations],
        [f"{evaluation.started:{clock}}" for evaluation in evaluations],
        [evaluation.run for evaluation in evaluations],
        [str(number) for number in range(1, len(evaluations) + 1)],
    ]
    found: list[tuple[str, ...]] = [()] * len(evaluations)
    for values in traits:
        further = [(*known, value) for known, value in zip(found, values, strict=True)]
        if len(set(further)) > len(set(found)):
            found = further
    return [", ".join(parts) for parts in found]


def cautions(evaluations: Sequence[Evaluation], columns: Sequence[Column]) -> list[str]:
    """What makes the comparison of these runs as a whole dubious."""
    traits = {
        "Banzuke": [", ".join(column.banzuke) for column in columns],
        "Commit": [_listed(_commits(evaluation)) for evaluation in evaluations],
        "Schema of the records": [_listed(str(version) for version in sorted(of.schemas)) for of in evaluations],
    }
    return [
        f"{what}: " + "; ".join(f"{value} in {column.name}" for value, column in zip(values, columns, strict=True))
        for what, values in traits.items()
        if len(set(values)) > 1
    ]


def _commits(evaluation: Evaluation) -> Iterable[str]:
    return sorted({of.commit or "" for a in evaluation.assessments if (of := a.record.provenance)})


def _listed(values: Iterable[str]) -> str:
    return ", ".join(filter(None, values)) or "not recorded"


def _column(evaluation: Evaluation, content: Content, name: str) -> Column:
    versions = {of.banzuke for assessment in evaluation.assessments if (of := assessment.record.provenance)}
    return Column(
        name=name,
        run=evaluation.run,
        machine=evaluation.machine.name,
        fingerprint=evaluation.machine.fingerprint,
        partition=evaluation.machine.allotment.partition,
        started=content.started,
        banzuke=sorted(versions),
        anchor=f"{content.prefix}run",
    )


def _headlines(contents: Sequence[Content]) -> list[Headline]:
    """Of each figure in a summary one row, in the order in which they first appear."""
    found: dict[tuple[str, str], dict[int, Verdict]] = {}
    for place, content in enumerate(contents):
        for verdict in content.verdicts:
            what = "" if verdict.mean else verdict.metric
            found.setdefault((verdict.benchmark, what), {}).setdefault(place, verdict)
    return [_headline(verdicts, contents) for verdicts in found.values()]


def _headline(verdicts: Mapping[int, Verdict], contents: Sequence[Content]) -> Headline:
    first = min(verdicts)
    verdict = verdicts[first]
    if verdict.mean:
        same = len({of.metric for of in verdicts.values()}) == 1
        means = {place: _cell(of, "" if same else of.metric) for place, of in verdicts.items()}
        title = full_title(verdict.title, "geometric mean")
        return Headline(title=title, unit=verdict.mean.unit, better="higher", cells=_in_order(means, contents))
    sources = {place: _source(of, contents[place]) for place, of in verdicts.items()}
    settings = {
        place: {name: value for name, value in entry.settings.items() if name != "repetition"}
        for place, (entry, _) in sources.items()
    }
    telling = varying(settings.values())
    measurement = next((m for _, m in sources.values() if m), None)
    unit, better = (measurement.unit, measurement.better) if measurement else ("", "higher")
    cells = {}
    for place, of in verdicts.items():
        own = settings[place]
        said = ", ".join(f"{name} {setting_text(own[name])}" for name in telling if name in own)
        cells[place] = _cell(of, said, _ratio(of, verdict, better) if _comparable(unit, own, settings[first]) else None)
    title = full_title(verdict.title, verdict.metric) if verdict.metric else verdict.title
    return Headline(title=title, unit=unit, better=better, cells=_in_order(cells, contents))


def _in_order(cells: Mapping[int, Cell], contents: Sequence[Content]) -> list[Cell | None]:
    return [cells.get(place) for place in range(len(contents))]


def _source(verdict: Verdict, content: Content) -> tuple[Case, Measurement | None]:
    """The case that the figure is of, and the figure there; without one the first case."""
    section = next(section for section in content.sections if section.name == verdict.benchmark)
    if verdict.figure is None:
        return section.cases[0], None
    entry = next(entry for entry in section.cases if entry.id == verdict.figure.case)
    return entry, next(m for m in entry.measurements if m.metric == verdict.figure.metric)


_PLACE = ("backend", "environment", "image", "neighbours", "placement", "hosts", "threads", "groups")
"""Settings that say how the work was done, and not what it was."""


def _comparable(unit: str, mine: Mapping[str, Scalar], first: Mapping[str, Scalar]) -> bool:
    """Rates can always be; times where the work was the same."""
    work = [{name: value for name, value in of.items() if name not in _PLACE} for of in (mine, first)]
    return of_any_size(unit) or work[0] == work[1]


def _ratio(mine: Verdict, first: Verdict, better: str) -> float | None:
    if mine is first or mine.figure is None or first.figure is None or min(mine.figure.value, first.figure.value) <= 0:
        return None
    ratio = mine.figure.value / first.figure.value
    return ratio if better == "higher" else 1 / ratio


def _cell(verdict: Verdict, settings: str, ratio: float | None = None) -> Cell:
    return Cell(
        figure=verdict.figure,
        mean=verdict.mean,
        of_limit=verdict.of_limit,
        mean_of_limit=verdict.mean_of_limit,
        state=verdict.state,
        settings=settings,
        ratio=ratio,
        ratio_text=f"{number(ratio)} ×" if ratio is not None else "",
    )


Machines = dict[tuple[str, str], list[str]]
"""(table, row) -> the value of each column."""


def _machines(contents: Sequence[Content]) -> Machines:
    found: Machines = {}
    for place, content in enumerate(contents):
        for table in content.specification:
            for name, value in _rows(table).items():
                found.setdefault((table.title, name), [ABSENT] * len(contents))[place] = value
    return found


def _rows(table: SpecificationTable) -> dict[str, str]:
    """Several rows of one name in one."""
    found: dict[str, str] = {}
    for row in table.rows:
        found[row.name] = "; ".join(filter(None, (found.get(row.name, ""), row.value)))
    return found


def _of_all(machines: Machines, *, alike: bool) -> list[Facts]:
    """Rows in the order of the tables that they first appeared in."""
    tables: dict[str, list[Fact]] = {}
    for (title, name), values in machines.items():
        if (len(set(values)) == 1) == alike:
            tables.setdefault(title, []).append(Fact(name=name, values=values))
    return [Facts(title=title, rows=rows) for title, rows in tables.items()]


def _problems(
    evaluations: Sequence[Evaluation], contents: Sequence[Content], columns: Sequence[Column]
) -> list[Problems]:
    """Of each collection the first run that has it over each other one, where they have problems in common."""
    found: dict[str, list[tuple[int, Declared, list[Member], Section]]] = {}
    for place, (evaluation, content) in enumerate(zip(evaluations, contents, strict=True)):
        for name, (declared, members) in collections(evaluation.assessments, evaluation.benchmarks).items():
            section = next(section for section in content.sections if section.name == name)
            found.setdefault(name, []).append((place, declared, members, section))
    problems = []
    for (first, declared, mine, section), *others in found.values():
        for place, _, theirs, _ in others:
            versus = beside(declared, (columns[first].name, mine, section.cases), (columns[place].name, theirs))
            if versus:
                problems.append(Problems(title=section.title, noun=declared.noun, slug=section.slug, versus=versus))
    return problems
