"""Comparisons of measurements with predictions: part of a benchmark's section, and a remark of the summary."""

import shlex
from collections.abc import Iterator, Sequence

from banzuke.compare.settings import figure_text, settings
from banzuke.document import Block, Cell, Code, Column, Details, Heading, Item, Items, Paragraph, Row, Section, Table
from banzuke.plan.wording import code
from banzuke.predict.residual import PhaseSeconds, Residual, Unpredicted
from banzuke.report.chapter import Chapter
from banzuke.report.figures import value_cell
from banzuke.report.settings import column_title, setting_cell
from banzuke.units import number
from banzuke.views.view import ViewCase, views
from banzuke.words import Message, Quantity, Share, Span, declared, message
from banzuke.words.language import Words


def residual_blocks(chapter: Chapter, words: Words) -> list[Block]:
    """Return the comparison; empty: nothing predicts its figures, or none is verified."""
    predicted = [(case, outcome) for case, outcome in _outcomes(chapter) if isinstance(outcome, Residual)]
    blocks: list[Block] = []
    if predicted:
        blocks += [
            Heading(words(message("residual-heading"))),
            Paragraph(words(message("residual-intro")), small=True),
            _table(chapter, predicted, words),
            *_explanations(chapter, predicted, words),
            *_phases(chapter, predicted, words),
        ]
    unpredicted = [outcome.why for _, outcome in _outcomes(chapter) if isinstance(outcome, Unpredicted)]
    why = [words(message("residual-none", why=reason)) for reason in dict.fromkeys(unpredicted)]
    return [*blocks, Items(tuple(map(Item, why)))] if why else blocks


def at_scale_section(run: str, chapters: Sequence[Chapter], words: Words, prefix: str) -> Section | None:
    """Return how to predict this machine with more nodes; None: no model predicted any figure here."""
    predicted = [
        chapter.name for chapter in chapters if any(isinstance(outcome, Residual) for _, outcome in _outcomes(chapter))
    ]
    if not predicted:
        return None
    quoted = shlex.quote(run)
    network = shlex.quote("network = { bandwidth = 12.5e9 }")
    blocks = (
        Paragraph(words(message("residual-at-scale-intro"))),
        Code(
            f"banzuke predict {predicted[0]} {quoted} --nodes 1000 --with {network}\nbanzuke predict --explore {quoted}"
        ),
    )
    return Section(f"{prefix}at-scale", words(message("residual-at-scale")), blocks)


def residual_remark(chapter: Chapter, case: ViewCase) -> Message | None:
    """Return the remark for the summary; None: the prediction holds, or there is none."""
    residual = chapter.residuals.get(case.id)
    if not isinstance(residual, Residual) or not residual.large:
        return None
    predicted = Quantity(residual.forecast.estimate.figure, residual.figure.unit)
    if residual.disturbance:
        what = residual.disturbance.message
        return message("residual-disturbed-remark", share=Share(residual.ratio), predicted=predicted, what=what)
    return message(
        "residual-remark",
        kind="unexplained"
        if not residual.explanation
        else "explained"
        if residual.explanation.plausible
        else "implausible",
        ratio=residual.ratio,
        predicted=predicted,
        what=residual.explanation.title if residual.explanation else "",
        factor=residual.explanation.factor if residual.explanation else 1.0,
    )


def _outcomes(chapter: Chapter) -> Iterator[tuple[ViewCase, Residual | Unpredicted]]:
    return ((case, chapter.residuals[case.id]) for case in chapter.cases if case.id in chapter.residuals)


def _table(chapter: Chapter, predicted: Sequence[tuple[ViewCase, Residual]], words: Words) -> Table:
    titles = ("predicted", "interval", "measured", "ratio")
    texts = (
        message("residual-predicted"),
        message("residual-interval"),
        message("residual-measured"),
        message("residual-ratio"),
    )
    columns = [
        *(Column(column_title(names, words)) for names in chapter.columns),
        *(Column(words(text), numeric=True, name=name) for name, text in zip(titles, texts, strict=True)),
    ]
    rows = [Row((*_heads(chapter, case, words), *_cells(case, residual, words))) for case, residual in predicted]
    return Table(tuple(columns), tuple(rows), words(message("residual-caption")), heads=len(chapter.columns))


def _heads(chapter: Chapter, case: ViewCase, words: Words) -> list[Cell]:
    values = settings(case.assessment.record)
    return [setting_cell(values, names, words) for names in chapter.columns]


def _cells(case: ViewCase, residual: Residual, words: Words) -> tuple[Cell, ...]:
    forecast, unit = residual.forecast, residual.forecast.unit
    figure = forecast.estimate.figure
    note = words(message("residual-outside")) if residual.large else ""
    return (
        Cell(figure_text(figure, unit), figure, unit),
        Cell(words.fact(Span(forecast.low, forecast.high, unit))),
        value_cell(case, residual.figure, residual.figure.value, "median"),
        Cell(number(residual.ratio), residual.ratio, "1", note=note),
    )


def _explanations(chapter: Chapter, predicted: Sequence[tuple[ViewCase, Residual]], words: Words) -> list[Block]:
    """Return a sentence for each large difference: its possible explanation, and the phase that differs most."""
    said = [(case.label, words.joined(_judged(chapter, residual))) for case, residual in predicted if residual.large]
    items = tuple(Item(": ".join(filter(None, parts))) for parts in said)
    return [Items(items)] if items else []


def _judged(chapter: Chapter, residual: Residual) -> Iterator[Message]:
    if residual.disturbance:
        yield message("residual-disturbed", what=residual.disturbance.message)
    elif residual.explanation is None:
        yield message("residual-unexplained")
    else:
        what, factor = residual.explanation.title, residual.explanation.factor
        if residual.explanation.plausible:
            yield message("residual-explained", what=what, factor=factor)
        else:
            yield message("residual-implausible", what=what, factor=factor)
    if residual.phases:
        most = residual.phases[0]
        measured, predicted = Quantity(most.measured, "s"), Quantity(most.predicted, "s")
        yield message("residual-apart", phase=_title(chapter, most), measured=measured, predicted=predicted)


def _phases(chapter: Chapter, predicted: Sequence[tuple[ViewCase, Residual]], words: Words) -> list[Block]:
    """Return predicted and measured time by phase, for the first case whose record and model have phases."""
    first = next((pair for pair in predicted if pair[1].phases), None)
    if first is None:
        return []
    case, residual = first
    texts = (
        message("residual-phase"),
        message("residual-predicted"),
        message("residual-measured"),
        message("residual-difference"),
    )
    rows = []
    for phase in residual.phases:
        seconds = (phase.predicted, phase.measured, phase.measured - phase.predicted)
        rows.append(
            Row(
                (
                    Cell(words(_title(chapter, phase))),
                    *(Cell(words.fact(Quantity(value, "s")), value, "s") for value in seconds),
                )
            )
        )
    table = Table(tuple(Column(words(text), numeric=place > 0) for place, text in enumerate(texts)), tuple(rows))
    summary = words(message("residual-phases"))
    return [Details(f"{summary} ({case.label})" if case.label else summary, (table,))]


def _title(chapter: Chapter, phase: PhaseSeconds) -> Message:
    """Return the phase's title as in the view of the benchmark's breakdown."""
    title_code = code(chapter.name, "phase", phase.name)
    titles = (said for view in views(chapter.benchmark) for said in view.declared(chapter.name))
    return next(
        (said for said in titles if said.code == title_code), declared(title_code, phase.name.replace("_", " "))
    )
