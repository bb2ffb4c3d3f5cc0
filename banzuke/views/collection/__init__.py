"""Shows cases that are many problems: a summary of each family, each problem, and solvers compared."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from banzuke.document import Block, Cell, Charts, Column, Details, Heading, Item, Items, Origin, Paragraph, Row, Table
from banzuke.judge.collection import (
    FamilyRatios,
    FamilySummary,
    Member,
    Ratio,
    family_ratios,
    members,
    over,
    ratios,
    summaries,
    verdict,
)
from banzuke.judge.model import Assessment, Figure
from banzuke.plan.benchmark import Benchmark, Collection, Statistic
from banzuke.plan.problems import ALL
from banzuke.plan.wording import collection_noun, metric_title, statistic_title
from banzuke.record.model import Record
from banzuke.units import number, percent, quantity
from banzuke.views.collection.facts import NOTHING, choice_of, fact_text, number_of, place_of
from banzuke.views.collection.ratio_study import RatioStudy
from banzuke.views.view import View, ViewSection
from banzuke.words import Listed, Message, Reason, message
from banzuke.words.language import Words


class ProblemFamilies(View[None]):
    """Shows a benchmark's collection: families of problems, every problem, and solvers compared with each other."""

    name = "collection"
    samples = True

    def lists(self, section: ViewSection) -> bool:
        return section.benchmark.collection is not None and len(section.cases) > 1

    def overview(self, benchmark: Benchmark, assessments: Sequence[Assessment], words: Words) -> Sequence[Block]:
        collection = benchmark.collection
        if collection is None or len(assessments) < 2:
            return []
        problems = members(collection, assessments)
        noun = collection_noun(benchmark.name, collection)
        return [
            _families(benchmark, collection, problems, words),
            Paragraph(words.joined(verdict(noun, problems))),
            *(Paragraph(words(_comparison(between, noun))) for between in _by_other(problems)),
        ]

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return families, charts and solvers compared; and, folded, every problem."""
        from banzuke.views.collection.charts import charts  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        collection = section.benchmark.collection
        if collection is None or not self.lists(section):
            return []
        problems = members(collection, [case.assessment for case in section.cases])
        beside = (
            block
            for index, between in enumerate(_by_other(problems), 1)
            for block in _beside(
                section, _study(section, section, collection, between), f"{section.slug}-ratio-{index}"
            )
        )
        words, noun = section.words, collection_noun(section.benchmark.name, collection)
        every = words(message("views-all-problems", number=len(problems), problems=noun))
        about = Paragraph(words(message("views-problems-csv", file=f"{section.slug}.csv")), small=True)
        drawn = tuple(drawn.block for drawn in charts(section, collection, problems))
        return [
            _families(section.benchmark, collection, problems, words),
            *([Charts(drawn)] if drawn else []),
            *beside,
            Details(every, (about, _problems(section, collection, problems))),
        ]

    def beside(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str], slug: str) -> Sequence[Block]:
        """Return one run's problems over another's: see `_studies`."""
        studies = _studies(mine, theirs, names)
        slugs = (slug, f"{slug}-devices")
        return [block for study, name in zip(studies, slugs, strict=False) for block in _beside(mine, study, name)]

    def beside_on_terminal(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str]) -> Sequence[Block]:
        return [block for study in _studies(mine, theirs, names) for block in _sentences(mine, study)]

    def tables(self, section: ViewSection) -> Mapping[str, Table]:
        """Return a row for each problem with its properties and figures."""
        collection = section.benchmark.collection
        if collection is None or not self.lists(section):
            return {}
        problems = members(collection, [case.assessment for case in section.cases])
        facts = (collection.along, *collection.statistics)
        metrics = _metrics(problems)
        kinds = ("median", "best", "fraction_of_limit")
        rows = [
            Row(
                (
                    Cell(member.problem.name),
                    Cell(member.problem.family),
                    Cell(member.solver),
                    Cell(_state(member.assessment.record)),
                    Cell(member.place or ""),
                    Cell(choice_of(collection, member)),
                    *(Cell(value=number_of(member.assessment.record, fact)) for fact in facts),
                    *(Cell(value=value) for name in metrics for value in _values(member, name)),
                    Cell(case.id),
                    Cell(member.assessment.record.reason or ""),
                )
            )
            for case, member in zip(section.cases, problems, strict=True)
        ]
        names = ["name", "family", "solved_with", "state", "data", "solved_by", *(fact.title for fact in facts)]
        names += [*(f"{name}_{kind}" for name in metrics for kind in kinds), "case", "reason"]
        return {"": Table(tuple(map(Column, names)), tuple(rows))}


def _studies(mine: ViewSection, theirs: ViewSection, names: tuple[str, str]) -> Sequence[RatioStudy]:
    """Return one run's problems over another's, each run by the solver of its first problem.

    They are followed by those of the first solvers on devices. None: no problem is shared.
    """
    collection = mine.benchmark.collection
    if collection is None or not mine.cases or not theirs.cases:
        return []
    here, there = (members(collection, [case.assessment for case in section.cases]) for section in (mine, theirs))
    pairs = [(_by_first(here), _by_first(there))]
    on_devices = _by_first(_on_devices(here)), _by_first(_on_devices(there))
    pairs += [on_devices] if all(on_devices) and on_devices != pairs[0] else []
    studies = []
    for pair in pairs:
        titles = [
            mine.words(message("views-run-with-solver", run=name, solver=run[0].solver)) if run[0].solver else name
            for name, run in zip(names, pair, strict=True)
        ]
        if shared := over(pair[0], pair[1], titles[0], titles[1]):
            studies.append(_study(mine, theirs, collection, shared))
    return studies


def _by_first(problems: Sequence[Member]) -> list[Member]:
    """Return the problems that were solved as the first one."""
    return [member for member in problems if member.solver == problems[0].solver]


def _on_devices(problems: Sequence[Member]) -> list[Member]:
    return [member for member in problems if member.assessment.record.devices]


def _study(mine: ViewSection, theirs: ViewSection, collection: Collection, ratios: Sequence[Ratio]) -> RatioStudy:
    return RatioStudy(collection, ratios, mine.machine, theirs.machine)


def _by_other(problems: Sequence[Member]) -> list[list[Ratio]]:
    """Return ratios grouped by the two solvers that they compare."""
    return [list(group) for _, group in groupby(ratios(problems), key=lambda ratio: (ratio.solver, ratio.other))]


def _families(benchmark: Benchmark, collection: Collection, problems: Sequence[Member], words: Words) -> Table:
    """Return families by the first solver, and the totals of every solver."""
    first = problems[0].solver
    groups = [group for group in summaries(problems) if group.solver == first or group.family == ALL]
    noun = collection_noun(benchmark.name, collection)
    limited = any(group.worst_of_limit for group in groups)
    numeric = (
        noun,
        message("views-mean"),
        message("views-lowest"),
        message("views-in-cache"),
        message("views-partly"),
        message("views-in-memory"),
        *((message("views-of-limit"), message("views-lowest-of-limit")) if limited else ()),
    )
    columns = (
        Column(words(message("views-family"))),
        *(Column(words(title), numeric=True) for title in numeric),
        *((Column(words(message("views-which-is"))),) if limited else ()),
    )
    caption = message("views-families", solver=first or "none", limited="yes" if limited else "no", problems=noun)
    return Table(columns, tuple(_family(group, words, limited=limited) for group in groups), words(caption))


def _family(group: FamilySummary, words: Words, *, limited: bool) -> Row:
    """Return the row of a family. `limited`: with shares of the limit."""
    worst = group.worst.figure if group.worst else None
    least = group.worst_of_limit.figure if group.worst_of_limit else None
    whole = group.family == ALL
    name = words(message("views-all-families", solver=group.solver or "none")) if whole else group.family
    partly = message("views-some-of", some=group.verified, all=group.count)
    shares = (
        Cell(NOTHING) if group.of_limit is None else Cell(percent(group.of_limit), group.of_limit),
        _share(least, group.worst_of_limit),
        Cell(group.worst_of_limit.problem.name if group.worst_of_limit else ""),
    )
    return Row(
        (
            Cell(name),
            Cell(f"{group.count}", group.count) if group.verified == group.count else Cell(words(partly)),
            Cell(NOTHING) if group.mean is None else Cell(quantity(group.mean, group.unit), group.mean, group.unit),
            _value(worst, group.worst, "median"),
            *(Cell(f"{count}", count) for count in group.places.values()),
            *(shares if limited else ()),
        ),
        kind="total" if whole else "",
    )


def _origin(member: Member, metric: str, stat: str) -> Origin | None:
    provenance = member.assessment.record.provenance
    return Origin(provenance.id, metric, stat) if provenance else None


def _value(figure: Figure | None, member: Member | None, stat: str) -> Cell:
    if figure is None or member is None:
        return Cell(NOTHING)
    origin = _origin(member, figure.metric, stat)
    return Cell(quantity(figure.value, figure.unit), figure.value, figure.unit, origin)


def _share(figure: Figure | None, member: Member | None) -> Cell:
    if figure is None or member is None or figure.fraction_of_limit is None:
        return Cell(NOTHING)
    origin = _origin(member, figure.metric, "fraction_of_limit")
    return Cell(percent(figure.fraction_of_limit), figure.fraction_of_limit, "1", origin)


def _problems(section: ViewSection, collection: Collection, problems: Sequence[Member]) -> Table:
    """Return every problem with its properties and medians."""
    words, name = section.words, section.benchmark.name
    several = any(member.solver for member in problems)
    titles = {metric.name: words(metric_title(name, metric)) for metric in section.benchmark.metrics}
    metrics, facts = _metrics(problems), (collection.along, *collection.statistics)
    columns = (
        Column(words(message("views-problem"))),
        *((Column(words(message("views-solver"))),) if several else ()),
        *(Column(words(statistic_title(name, fact)), numeric=True) for fact in facts),
        *(Column(titles.get(metric, metric), numeric=True) for metric in metrics),
        Column(words(message("views-of-limit")), numeric=True),
        Column(words(message("views-data"))),
        Column(words(message("views-format"))),
        Column(words(message("views-check"))),
    )
    rows = []
    for case, member in zip(section.cases, problems, strict=True):
        record = member.assessment.record
        figures = {figure.metric: figure for figure in member.assessment.figures}
        good = record.status == "ok"
        cells = (
            Cell(member.problem.name),
            *((Cell(member.solver),) if several else ()),
            *(_fact(record, fact) for fact in facts),
            *(_value(figures.get(metric), member, "median") for metric in metrics),
            _share(member.figure, member),
            Cell(words(place_of(member))),
            Cell(choice_of(collection, member)),
            Cell(words.fact(Reason(record.reason)) if record.reason else "", mark="verified" if good else "failed"),
        )
        rows.append(Row(cells, kind="" if good else "bad", anchor=case.anchor))
    noun = collection_noun(name, collection)
    return Table(columns, tuple(rows), words(message("views-problems", problems=noun)))


def _beside(section: ViewSection, study: RatioStudy, slug: str) -> Sequence[Block]:
    """Return the comparison of one solver, or run, with another; above 1 the former is better."""
    from banzuke.views.collection.charts import scatter_of_ratios  # noqa: PLC0415  (as above)

    words, noun, ratios = section.words, collection_noun(section.benchmark.name, study.collection), study.ratios
    numeric = (noun, message("views-mean"), message("views-lowest"))
    columns = (
        Column(words(message("views-family"))),
        *(Column(words(title), numeric=True) for title in numeric),
        Column(words(message("views-which-is"))),
        Column(words(message("views-highest")), numeric=True),
        Column(words(message("views-which-is"))),
    )
    rows = tuple(_ratio_row(group, words) for group in family_ratios(ratios))
    solver, other = ratios[0].solver, ratios[0].other
    drawn = scatter_of_ratios(section, study, slug)
    return [
        Heading(words(message("views-beside", solver=solver, other=other))),
        Paragraph(words(_comparison(ratios, noun))),
        Table(columns, rows, words(message("views-ratios", solver=solver, other=other))),
        *((drawn.block, Items(tuple(Item(words(said)) for said in study.sentences(noun)))) if drawn else ()),
    ]


def _sentences(section: ViewSection, study: RatioStudy) -> Iterator[Block]:
    """Return what the chart shows as sentences."""
    words, noun, ratios = section.words, collection_noun(section.benchmark.name, study.collection), study.ratios
    yield Paragraph(words(_comparison(ratios, noun)))
    yield from (Paragraph(words(said)) for said in study.sentences(noun))
    if study.named:
        outliers = [
            message("views-ratio-of", problem=ratio.member.problem.name, ratio=ratio.ratio) for ratio in study.named
        ]
        more = len(study.outliers.found) - len(outliers)
        yield Paragraph(words(message("views-ratios-outliers", each=Listed(tuple(outliers)), more=more)))


def _ratio_row(group: FamilyRatios, words: Words) -> Row:
    whole = group.family == ALL
    return Row(
        (
            Cell(words(message("views-all-families", solver="none")) if whole else group.family),
            Cell(f"{group.count}", group.count),
            Cell(number(group.mean), group.mean),
            Cell(number(group.least.ratio), group.least.ratio),
            Cell(group.least.problem.name),
            Cell(number(group.most.ratio), group.most.ratio),
            Cell(group.most.problem.name),
        ),
        kind="total" if whole else "",
    )


def _comparison(ratios: Sequence[Ratio], noun: Message) -> Message:
    whole = family_ratios(ratios)[-1]
    return message(
        "views-solvers-compared",
        solver=ratios[0].solver,
        other=ratios[0].other,
        ratio=whole.mean,
        number=len(ratios),
        problems=noun,
        least=whole.least.ratio,
        most=whole.most.ratio,
    )


def _metrics(problems: Sequence[Member]) -> list[str]:
    return list(dict.fromkeys(figure.metric for member in problems for figure in member.assessment.figures))


def _values(member: Member, name: str) -> tuple[float | str, float | str, float | str]:
    """Return median, best and share of the limit."""
    figure = next((figure for figure in member.assessment.figures if figure.metric == name), None)
    if figure is None:
        return "", "", ""
    return figure.value, figure.best, "" if figure.fraction_of_limit is None else figure.fraction_of_limit


def _state(record: Record) -> str:
    if record.status == "ok":
        return "verified"
    if record.status == "failed" and any(not check.passed for check in record.verification):
        return "did not verify"
    return record.status


def _fact(record: Record, statistic: Statistic) -> Cell:
    return Cell(fact_text(record, statistic), number_of(record, statistic), statistic.unit)
