"""The section on failed and skipped cases, with reasons, at the top of a report."""

from collections.abc import Iterator, Sequence

from banzuke.document import Block, Code, Details, Item, Items, Paragraph, Section
from banzuke.record.model import Record
from banzuke.report.chapter import Chapter
from banzuke.report.figures import mark, state
from banzuke.report.model import Evaluation
from banzuke.views.view import ViewCase
from banzuke.words import Reason, message
from banzuke.words.language import Words


def failures_section(evaluation: Evaluation, chapters: Sequence[Chapter], words: Words, prefix: str) -> Section | None:
    """Return the section; None: nothing failed."""
    blocks: list[Block] = []
    missing = max(0, evaluation.planned - sum(len(chapter.cases) for chapter in chapters))
    if missing:
        blocks.append(Paragraph(words(message("report-missing-cases", number=missing))))
    if evaluation.missing_launches:
        blocks.append(Paragraph(words(message("report-missing-launches", number=evaluation.missing_launches))))
    failed = tuple(item for chapter in chapters for case in chapter.cases for item in _items(chapter, case, words))
    if failed:
        blocks.append(Items(failed, style="marked"))
    if evaluation.unreadable:
        blocks.append(Paragraph(words(message("report-unreadable"))))
        blocks.append(Items(tuple(map(Item, evaluation.unreadable))))
    if evaluation.without_views:
        blocks.append(Paragraph(words(message("report-without-views", error=evaluation.without_views))))
    if not blocks:
        return None
    return Section(f"{prefix}problems", words(message("report-problems")), tuple(blocks), "problems", whole=True)


def _items(chapter: Chapter, case: ViewCase, words: Words) -> Iterator[Item]:
    """Return an item for each launch that is not verified; launches with the same reason share one."""
    alike: dict[tuple[str, str], list[tuple[str, Record]]] = {}
    for place, record in enumerate(case.assessment.records, 1):
        if record.status != "ok":
            name = launch_name(case, place, words) if case.assessment.launches else ""
            alike.setdefault((words(state(record)), record.reason or ""), []).append((name, record))
    for (said, reason), launches in alike.items():
        _, record = launches[0]
        where = words(message("fact-comma")).join(
            filter(None, (chapter.title, case.label, *(name for name, _ in launches)))
        )
        log = record.provenance.log if record.provenance else None
        inner = (Details(words(message("report-log")), (Code(log),)),) if log else ()
        why = words.fact(Reason(reason))
        yield Item(f"{where}: {said}: {why}" if reason else f"{where}: {said}", inner, mark(record), f"#{case.anchor}")


def launch_name(case: ViewCase, place: int, words: Words) -> str:
    return words(message("report-launch", number=place, launches=len(case.assessment.launches)))
