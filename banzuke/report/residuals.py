"""What was measured over what models predict: rows of a benchmark's section, and a remark of the summary."""

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
    """Empty: nothing predicts its figures, or none verified."""
    predicted = [(case, found) for case, found in _found(chapter) if isinstance(found, Residual)]
    blocks: list[Block] = []
    if predicted:
        blocks += [
            Heading(words(message("residual-heading"))),
            Paragraph(words(message("residual-intro")), small=True),
            _table(chapter, predicted, words),
            *_explanations(chapter, predicted, words),
            *_phases(chapter, predicted, words),
        ]
    unpredicted = [found.why for _, found in _found(chapter) if isinstance(found, Unpredicted)]
    why = [words(message("residual-none", why=one)) for one in dict.fromkeys(unpredicted)]
    return [*blocks, Items(tuple(map(Item, why)))] if why else blocks


def at_scale_section(run: str, chapters: Sequence[Chapter], words: Words, prefix: str) -> Section | None:
    """How to ask what figures this machine would have on more nodes; None: no model predicted any here."""
    known = [chapter.name for chapter in chapters if any(isinstance(of, Residual) for _, of in _found(chapter))]
    if not known:
        return None
    of = shlex.quote(run)
    network = shlex.quote("network = { bandwidth = 12.5e9 }")
    blocks = (
        Paragraph(words(message("residual-at-scale-intro"))),
        Code(f"banzuke predict {known[0]} {of} --nodes 1000 --with {network}\nbanzuke predict --explore {of}"),
    )
    return Section(f"{prefix}at-scale", words(message("residual-at-scale")), blocks)


def residual_remark(chapter: Chapter, case: ViewCase) -> Message | None:
    """For the summary; None: the prediction holds, or there is none."""
    found = chapter.residuals.get(case.id)
    if not isinstance(found, Residual) or not found.large:
        return None
    predicted = Quantity(found.forecast.estimate.figure, found.figure.unit)
    if found.disturbance:
        what = found.disturbance.message
        return message("residual-disturbed-remark", share=Share(found.ratio), predicted=predicted, what=what)
    return message(
        "residual-remark",
        kind="unexplained" if not found.explanation else "explained" if found.explanation.plausible else "implausible",
        ratio=found.ratio,
        predicted=predicted,
        what=found.explanation.title if found.explanation else "",
        factor=found.explanation.factor if found.explanation else 1.0,
    )


def _found(chapter: Chapter) -> Iterator[tuple[ViewCase, Residual | Unpredicted]]:
    return ((case, chapter.residuals[case.id]) for case in chapter.cases if case.id in chapter.residuals)


def _table(chapter: Chapter, found: Sequence[tuple[ViewCase, Residual]], words: Words) -> Table:
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
    rows = [Row((*_heads(chapter, case, words), *_cells(case, each, words))) for case, each in found]
    return Table(tuple(columns), tuple(rows), words(message("residual-caption")), heads=len(chapter.columns))


def _heads(chapter: Chapter, case: ViewCase, words: Words) -> list[Cell]:
    values = settings(case.assessment.record)
    return [setting_cell(values, names, words) for names in chapter.columns]


def _cells(case: ViewCase, found: Residual, words: Words) -> tuple[Cell, ...]:
    forecast, unit = found.forecast, found.forecast.unit
    figure = forecast.estimate.figure
    note = words(message("residual-outside")) if found.large else ""
    return (
        Cell(figure_text(figure, unit), figure, unit),
        Cell(words.fact(Span(forecast.low, forecast.high, unit))),
        value_cell(case, found.figure, found.figure.value, "median"),
        Cell(number(found.ratio), found.ratio, "1", note=note),
    )


def _explanations(chapter: Chapter, found: Sequence[tuple[ViewCase, Residual]], words: Words) -> list[Block]:
    """Of large ones."""
    said = [(case.label, words.joined(_judged(chapter, each))) for case, each in found if each.large]
    items = tuple(Item(": ".join(filter(None, one))) for one in said)
    return [Items(items)] if items else []


def _judged(chapter: Chapter, found: Residual) -> Iterator[Message]:
    if found.disturbance:
        yield message("residual-disturbed", what=found.disturbance.message)
    elif found.explanation is None:
        yield message("residual-unexplained")
    else:
        what, factor = found.explanation.title, found.explanation.factor
        if found.explanation.plausible:
            yield message("residual-explained", what=what, factor=factor)
        else:
            yield message("residual-implausible", what=what, factor=factor)
    if found.phases:
        most = found.phases[0]
        measured, predicted = Quantity(most.measured, "s"), Quantity(most.predicted, "s")
        yield message("residual-apart", phase=_title(chapter, most), measured=measured, predicted=predicted)


def _phases(chapter: Chapter, found: Sequence[tuple[ViewCase, Residual]], words: Words) -> list[Block]:
    """Of the first case whose record and model have them."""
    first = next(((case, each) for case, each in found if each.phases), None)
    if first is None:
        return []
    case, of = first
    texts = (
        message("residual-phase"),
        message("residual-predicted"),
        message("residual-measured"),
        message("residual-difference"),
    )
    rows = []
    for each in of.phases:
        seconds = (each.predicted, each.measured, each.measured - each.predicted)
        rows.append(
            Row(
                (
                    Cell(words(_title(chapter, each))),
                    *(Cell(words.fact(Quantity(one, "s")), one, "s") for one in seconds),
                )
            )
        )
    table = Table(tuple(Column(words(text), numeric=place > 0) for place, text in enumerate(texts)), tuple(rows))
    summary = words(message("residual-phases"))
    return [Details(f"{summary} ({case.label})" if case.label else summary, (table,))]


def _title(chapter: Chapter, phase: PhaseSeconds) -> Message:
    """As the view of the benchmark's breakdown calls it."""
    found = code(chapter.name, "phase", phase.name)
    known = (said for view in views(chapter.benchmark) for said in view.declared(chapter.name))
    return next((said for said in known if said.code == found), declared(found, phase.name.replace("_", " ")))
