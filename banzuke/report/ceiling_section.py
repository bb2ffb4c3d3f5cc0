"""The section on the machine's ceilings, and how far its figures lie below them."""

from collections.abc import Sequence

from banzuke.document import Block, Cell, Column, Paragraph, Row, Section, Table
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.wording import resource_title, state_title
from banzuke.report.chapter import Chapter
from banzuke.report.charts.roofline import roofline_chart
from banzuke.units import quantity
from banzuke.words import message
from banzuke.words.language import Words


def roofline_section(
    chapters: Sequence[Chapter], ceilings: Sequence[Ceiling], machine: Machine, words: Words, prefix: str
) -> Section | None:
    """Return the section; None: no ceiling is known."""
    if not ceilings:
        return None
    drawn = roofline_chart(chapters, ceilings, machine, words, prefix)
    first: Block = drawn.block if drawn else Paragraph(words(message("report-no-roofline")))
    table = _table(ceilings, words, several=len(machine.device_kinds) > 1)
    return Section(f"{prefix}roofline", words(message("report-roofline")), (first, table))


def _table(ceilings: Sequence[Ceiling], words: Words, *, several: bool) -> Table:
    """Return the table of ceilings. `several`: kinds of device, so that ceilings name their device."""
    titles = (
        message("report-ceiling"),
        message("report-kind"),
        message("report-value"),
        message("report-threads"),
        message("report-source"),
    )
    return Table(
        tuple(Column(words(title), numeric=place in (2, 3)) for place, title in enumerate(titles)),
        tuple(
            Row(
                (
                    Cell(_name(ceiling, words, several=several)),
                    Cell(words(message("report-ceiling-kind", kind=ceiling.kind))),
                    Cell(quantity(ceiling.value, ceiling.resource.unit), ceiling.value, ceiling.resource.unit),
                    Cell(_threads(ceiling, words)),
                    Cell(words(ceiling.source)),
                )
            )
            for ceiling in ceilings
        ),
        caption=words(message("report-ceilings-caption")),
    )


def _name(ceiling: Ceiling, words: Words, *, several: bool) -> str:
    title = words(ceiling.title) if ceiling.title else words(resource_title(ceiling.resource))
    if ceiling.state.levels:
        return words(message("report-ceiling-in-state", title=title, state=state_title(ceiling.state)))
    if not ceiling.devices:
        return title
    return words(
        message(
            "report-ceiling-of-device", title=title, device=ceiling.device if several and ceiling.device else "none"
        )
    )


def _threads(ceiling: Ceiling, words: Words) -> str:
    if ceiling.devices:
        return "–"
    return words(message("report-all")) if ceiling.threads is None else f"{ceiling.threads:,}"
