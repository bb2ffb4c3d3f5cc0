"""The sections on axes: each benchmark's headline figures for each value, relative to the usual value."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from banzuke.compare.cautions import cautions
from banzuke.compare.matching import identity, value, variant
from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Heading, Item, Items, Paragraph, Row, Section, Table
from banzuke.judge.effects import Effect, best_values, change, effects, meaningless
from banzuke.plan.axes import Axis, axis_of, shown
from banzuke.plan.wording import axis_heading, axis_value, full_title, metric_title
from banzuke.record.model import Record
from banzuke.report.chapter import Chapter
from banzuke.report.charts.axis_charts import Compared, Mark, Varied, variant_charts
from banzuke.report.model import Evaluation
from banzuke.text import slug
from banzuke.units import times, times_span
from banzuke.words import message
from banzuke.words.language import Words


def variant_sections(
    evaluation: Evaluation, chapters: Sequence[Chapter], words: Words, prefix: str
) -> Iterator[Section]:
    """Return a section for each axis that has several values in the run."""
    records = [record for assessment in evaluation.assessments for record in assessment.records]
    benchmarks = evaluation.benchmarks
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {chapter.name for chapter in chapters if chapter.collected}
    all_effects = effects(records, metrics, collections)
    for name in dict.fromkeys(effect.axis for effect in all_effects):
        axis = axis_of(name)
        of_axis = [effect for effect in all_effects if effect.axis == name]
        varied = _varied(axis, of_axis, chapters, words)
        blocks: list[Block] = [Paragraph(words(message("report-axis-intro", against=varied.against)))]
        blocks += [drawn.block for drawn in variant_charts(varied, words, prefix)]
        if best := best_values(of_axis, collections, partial(_title, chapters=chapters, words=words)):
            blocks.append(Items(tuple(Item(words(said)) for said in best)))
        blocks += [_table(varied, words), *_unlike(axis, of_axis, records, words), *_about(axis, records, words)]
        yield Section(f"{prefix}axis-{varied.slug}", varied.title, tuple(blocks), "variants")


def _varied(axis: Axis, of_axis: Sequence[Effect], chapters: Sequence[Chapter], words: Words) -> Varied:
    references = list(dict.fromkeys(effect.against for effect in of_axis))
    return Varied(
        title=words(axis_heading(axis)),
        slug=slug(axis.name),
        against=words.fact(axis_value(references[0])) if len(references) == 1 else words(message("report-axis-first")),
        values=tuple(words.fact(axis_value(value)) for value in dict.fromkeys(effect.value for effect in of_axis)),
        figures=tuple(_compared(axis, of_axis, {chapter.name: chapter for chapter in chapters}, words)),
    )


def _title(effect: Effect, chapters: Sequence[Chapter], words: Words) -> str:
    line = effect.line
    name = next((chapter.title for chapter in chapters if chapter.name == line.benchmark), line.benchmark)
    metric = words(metric_title(line.benchmark, line.metric)) if line.metric else ""
    others = {axis: value for axis, value in variant(line.case.record).items() if axis != effect.axis}
    return ", ".join((full_title(name, metric, words), *shown(others)))


def _compared(
    axis: Axis, of_axis: Sequence[Effect], chapters: Mapping[str, Chapter], words: Words
) -> Iterator[Compared]:
    """Return one entry for each headline metric, benchmark and backend: its first case, and the range over all."""
    groups: dict[tuple[str, ...], dict[str, list[Effect]]] = {}
    for effect in of_axis:
        line = effect.line
        others = shown({name: value for name, value in variant(line.case.record).items() if name != axis.name})
        key = (line.benchmark, line.backend, line.metric.name if line.metric else "", ", ".join(others))
        groups.setdefault(key, {}).setdefault(effect.value, []).append(effect)
    backends = {(benchmark, backend) for benchmark, backend, *_ in groups}
    for (benchmark, backend, _, rest), by_value in groups.items():
        effect = next(iter(by_value.values()))[0]
        first = effect.line
        if first.metric is None or first.a is None:
            continue
        chapter = chapters.get(benchmark)
        whole = full_title(chapter.title if chapter else benchmark, words(metric_title(benchmark, first.metric)), words)
        title, colon, metric = whole.partition(": ")
        several = sum(name == benchmark for name, _ in backends) > 1
        apart = ", ".join(filter(None, (title, backend if several else "", rest)))
        yield Compared(
            title=f"{apart}{colon}{metric}",
            anchor=chapter.anchor if chapter else "",
            against=words.fact(axis_value(effect.against)),
            reference=figure_text(first.a.value, first.metric.unit),
            marks=tuple(
                _mark(words.fact(axis_value(value)), with_value, words) for value, with_value in by_value.items()
            ),
        )


def _mark(name: str, with_value: Sequence[Effect], words: Words) -> Mark:
    line = with_value[0].line
    unit = line.metric.unit if line.metric else "1"
    ratios = [effect.line.ratio for effect in with_value if effect.line.ratio is not None]
    drawn = not with_value[0].meaningless
    return Mark(
        value=name,
        figure=figure_text(line.b.value if line.b else 0.0, unit),
        ratio=line.ratio if drawn else None,
        interval=(line.interval.low, line.interval.high) if line.interval and drawn else None,
        said=words(with_value[0].meaningless or change(line)),
        all=(min(ratios), max(ratios)) if len(ratios) > 1 and drawn else None,
    )


def _table(varied: Varied, words: Words) -> Table:
    titles = (
        message("report-figure"),
        message("report-axis-against"),
        message("report-axis-reference"),
        None,
        message("report-value"),
        message("report-ratio"),
        message("report-interval"),
        message("report-all-cases"),
        message("report-verdict"),
    )
    columns = tuple(
        Column(words(title) if title else varied.title, numeric=place in (2, 4, 5, 6, 7))
        for place, title in enumerate(titles)
    )
    rows = []
    for figure in varied.figures:
        link = f"#{figure.anchor}" if figure.anchor else ""
        named = (Cell(figure.title, link=link), Cell(figure.against), Cell(figure.reference))
        for place, mark in enumerate(figure.marks):
            shared = named if place == 0 else (Cell(above=True),) * 3
            rows.append(
                Row(
                    (
                        *shared,
                        Cell(mark.value),
                        Cell(mark.figure),
                        Cell("–") if mark.ratio is None else Cell(times(mark.ratio, mark.interval), mark.ratio),
                        Cell(_interval(mark.interval, words)),
                        Cell(_range(mark.all, words)),
                        Cell(mark.said),
                    )
                )
            )
    return Table(columns, tuple(rows), caption=words(message("report-axis-caption", against=varied.against)))


def _interval(span: tuple[float, float] | None, words: Words) -> str:
    if span is None:
        return "–"
    low, high = times_span(*span)
    return words(message("report-range", low=low, high=high))


def _range(span: tuple[float, float] | None, words: Words) -> str:
    return words(message("report-range", low=span[0], high=span[1])) if span else "–"


def _of_value(axis: Axis, records: Sequence[Record], wanted: str) -> list[Record]:
    return [record for record in records if value(record, axis.name) == wanted]


def _unlike(axis: Axis, of_axis: Sequence[Effect], records: Sequence[Record], words: Words) -> Iterator[Block]:
    """Return why figures are meaningless, and what else differs between the values."""
    against = of_axis[0].against
    taking = {identity(record, but=axis.name) for record in records if value(record, axis.name) != against}
    records = [record for record in records if identity(record, but=axis.name) in taking]
    reference = _of_value(axis, records, against)
    items: dict[str, None] = {}
    for other in dict.fromkeys(effect.value for effect in of_axis):
        other_records = _of_value(axis, records, other)
        if why := meaningless(other_records):
            items[words(message("report-axis-meaningless", value=words.fact(axis_value(other)), why=why))] = None
        names = (axis_value(against), axis_value(other))
        items |= {words(caution): None for caution in cautions(reference, other_records, names, axis.name)}
    if items:
        yield Heading(words(message("report-axis-cautions")))
        yield Items(tuple(map(Item, items)), style="warnings")


def _about(axis: Axis, records: Sequence[Record], words: Words) -> Iterator[Block]:
    """Return details of the environments."""
    made: dict[str, dict[str, str]] = {}
    for provenance in (record.provenance for record in records if record.provenance and axis.name == "environment"):
        about = made.setdefault(provenance.environment, {})
        about |= provenance.environment_details
        about |= {words(message("report-image")): provenance.image} if provenance.image else {}
    texts = {
        name: ", ".join(f"{key.replace('_', ' ')} {text}" for key, text in about.items())
        for name, about in made.items()
    }
    if any(texts.values()):
        yield Items(tuple(Item(f"{name}: {text}") for name, text in texts.items() if text), style="facts")
