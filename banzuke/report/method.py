"""The section on method: how the figures were made, stated once at the end of the report."""

from collections.abc import Iterator, Sequence

from banzuke.compare.statistics import CONFIDENCE, FEWEST_FOR_MEDIAN
from banzuke.document import Item, Items, Section
from banzuke.judge.effects import varied
from banzuke.judge.energy import unmeasured
from banzuke.judge.launches import APART
from banzuke.judge.settings import BETTER
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.views.view import views
from banzuke.words import Duration, Message, Share, message
from banzuke.words.language import Words


def method_section(evaluation: Evaluation, words: Words, prefix: str) -> Section:
    items = tuple(Item(words(note)) for note in dict.fromkeys(_notes(evaluation)))
    return Section(f"{prefix}method", words(message("report-method")), (Items(items, style="prose"),))


def _notes(evaluation: Evaluation) -> Iterator[Message]:
    assessments = evaluation.assessments
    records = [assessment.record for assessment in assessments]
    yield message("report-method-median")
    yield message("report-method-one-launch", confidence=Share(CONFIDENCE), fewest=FEWEST_FOR_MEDIAN)
    if any(assessment.launches for assessment in assessments):
        yield message(
            "report-method-launches", confidence=Share(CONFIDENCE), apart=Share(BETTER - 1), times=float(APART)
        )
    yield message("report-method-checks")
    yield message("report-method-shares")
    if any(a.residence and a.residence.place != "in memory" for a in assessments):
        yield message("report-method-caches")
    yield from _shapes(evaluation)
    if varied(records):
        yield message("report-method-variants", confidence=Share(CONFIDENCE))
    yield from _energy(records)
    yield message("report-method-units")
    if evaluation.published:
        yield message("report-method-published")
    single = sum(len(figure.samples) == 1 for assessment in assessments for figure in assessment.figures)
    if single:
        yield message("report-method-single", number=single)
    total = (evaluation.ended - evaluation.started).total_seconds()
    if evaluation.overhead_seconds is not None and total > 0:
        yield message("report-method-overhead", cases=Duration(total), overhead=Duration(evaluation.overhead_seconds))


def _energy(records: Sequence[Record]) -> Iterator[Message]:
    """Return how energy was measured; records of versions without sensors give nothing."""
    energies = [record.energy for record in records if record.energy]
    if any(energy.joule for energy in energies):
        yield message("report-method-energy")
    elif energies and all(energy.unmeasured == "no-sensor" for energy in energies):
        yield message("report-method-no-energy", why=unmeasured("no-sensor"))


def _shapes(evaluation: Evaluation) -> Iterator[Message]:
    """Return how results other than single figures were made."""
    for assessment in evaluation.assessments:
        for view in views(evaluation.benchmarks.get(assessment.record.benchmark)):
            if view.of(assessment) is not None and (note := view.method()):
                yield note
