"""Tables of facts about hardware and software, and what is unknown of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from banzuke.document import Cell, Column, Paragraph, Row, Table
from banzuke.words import Fact, Listed, Message, Quantity, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class SpecificationRow:
    name: Fact
    value: Fact | None
    """Value; None: unknown."""
    note: tuple[Fact, ...] = ()
    """Notes beside the value, in order."""


@dataclass(frozen=True)
class SpecificationGroup:
    """A table of the specification."""

    title: Message
    rows: tuple[SpecificationRow, ...]


def row(name: Fact, value: Fact | None, *note: Fact | None) -> SpecificationRow:
    return SpecificationRow(name, None if value == "" else value, tuple(fact for fact in note if fact))


def amount(value: float | None, unit: str) -> Quantity | None:
    return None if value is None else Quantity(value, unit)


def note_text(words: Words, entry: SpecificationRow) -> str:
    return words(message("fact-comma")).join(map(words.fact, entry.note))


def table_of(group: SpecificationGroup, words: Words) -> Table:
    """Return the table, without rows about which nothing is known."""
    rows = [entry for entry in group.rows if entry.value is not None or entry.note]
    noted = any(entry.note for entry in rows)
    titles = [message("report-item"), message("report-value"), *([message("report-note")] if noted else [])]
    unknown = words(message("report-unknown"))
    return Table(
        tuple(Column(words(title)) for title in titles),
        tuple(
            Row(
                (
                    Cell(words.fact(entry.name)),
                    Cell(unknown if entry.value is None else words.fact(entry.value)),
                    *([Cell(note_text(words, entry))] if noted else []),
                )
            )
            for entry in rows
        ),
        caption=words(group.title),
    )


def unknown_items(groups: Iterable[SpecificationGroup], words: Words) -> list[Paragraph]:
    """Return a sentence with all items about which nothing is known."""
    names = tuple(entry.name for group in groups for entry in group.rows if entry.value is None and not entry.note)
    return [Paragraph(words(message("report-machine-unknown", items=Listed(names))), small=True)] if names else []
