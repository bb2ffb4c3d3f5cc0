"""The content of a page as data, from which the printers beside this module make HTML, Markdown, CSV and terminal text.

All text is in the reader's language already. A table is declared once and printed by each.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

Mark = Literal["", "verified", "failed", "skipped"]
Tone = Literal["", "better", "worse", "unsure", "faint"]
Kind = Literal["", "bad", "total", "own"]
"""Kind of a row: without figures, a sum over others, or of this machine among others."""


@dataclass(frozen=True)
class Origin:
    """Where in the records a number is from, so that it can be traced."""

    case: str
    """`provenance.id` of a record."""
    metric: str
    stat: str
    """`median`, `best`, `fraction_of_limit`, ..."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with what each format needs."""

    text: str = ""
    value: float | int | str | None = None
    """Full value in SI units, for CSV; None: the text."""
    unit: str = ""
    """Unit of the value."""
    origin: Origin | None = None
    share: float | None = None
    """Drawn as a bar beside the text."""
    mark: Mark = ""
    link: str = ""
    """Anchor in the page, with `#`, or the address of a page."""
    note: str = ""
    """A line below, in small print."""
    above: bool = False
    """Whether it is merged with the cell above."""
    wide: bool = False
    """Whether it extends over the rest of its row, whose further cells are empty."""
    tone: Tone = ""
    """Colour of the text on a terminal."""


@dataclass(frozen=True)
class Column:
    title: str
    numeric: bool = False
    name: str = ""
    """Name in CSV; empty: the title."""
    right: bool = False
    """Whether it is aligned like numbers on a terminal, but folded like text if lines are short, and never left out."""
    whole: bool = False
    """Whether a terminal folds it only if it is long: names that people copy."""


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    """As many as the table has columns."""
    kind: Kind = ""
    anchor: str = ""


@dataclass(frozen=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    file: str = ""
    """Name of the CSV file with its full values; empty: none is written."""
    heads: int = 1
    """Leading columns that name the row."""
    cards: bool = False
    """Whether a telephone shows each row as a card, because people look for it first."""

    @classmethod
    def of_texts(cls, columns: Iterable[Column], rows: Iterable[Iterable[str]], caption: str = "") -> "Table":
        """Return a table of plain texts, for a terminal."""
        return cls(tuple(columns), tuple(Row(tuple(map(Cell, texts))) for texts in rows), caption)


@dataclass(frozen=True)
class Paragraph:
    text: str
    small: bool = False


@dataclass(frozen=True)
class Heading:
    text: str
    of: str = ""
    """The case that it is about, in small print after the text."""
    anchor: str = ""


@dataclass(frozen=True)
class Item:
    text: str
    inner: tuple["Block", ...] = ()
    mark: Mark = ""
    link: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Items:
    items: tuple[Item, ...]
    ordered: bool = False
    style: Literal["", "facts", "marked", "prose", "references", "warnings"] = ""


@dataclass(frozen=True)
class FindingEntry:
    """A likely cause with its evidence and what would confirm it."""

    what: str
    evidence: str
    confirm: str
    of: str = ""
    """The case in which it was seen."""
    elsewhere: tuple[str, ...] = ()
    """What was seen in other cases."""
    more: str = ""
    """How many other cases, in words."""


@dataclass(frozen=True)
class Findings:
    findings: tuple[FindingEntry, ...]
    evidence: str
    """The word before the evidence: `Evidence`."""
    confirm: str


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite description; `id` names its files and is unique in the page."""

    id: str
    title: str
    description: str
    """For those who cannot see it: what is drawn, and what it shows."""
    caption: str
    spec: Mapping[str, Any]
    files: bool = True
    """Whether it is available as SVG and PDF."""
    plotted: bool = True
    """Whether the page draws it; otherwise it shows the description."""


@dataclass(frozen=True)
class Panel:
    """A part of a drawing that is not broken; at most as wide as a telephone's page, so that it is readable there."""

    width: float
    height: float
    body: str
    """SVG of our own, with escaped text and with the page's colours as CSS variables; see `document.drawing`."""


@dataclass(frozen=True)
class Drawing:
    """Panels, side by side if the page is wide, else one below the other; `id` names its file."""

    id: str
    title: str
    description: str
    """For those who cannot see it: everything that is drawn."""
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Charts:
    """Charts that are side by side if the page is wide."""

    charts: tuple[Chart, ...]


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Details:
    """Content that a click opens; on paper it is open, and Markdown beside a page has only what is short."""

    summary: str
    blocks: tuple["Block", ...]


@dataclass(frozen=True)
class Section:
    anchor: str
    title: str
    blocks: tuple["Block", ...]
    style: str = ""
    """A class of the page's style sheet."""
    whole: bool = False
    """Whether Markdown beside a page has all of it."""


Block: TypeAlias = Paragraph | Heading | Items | Findings | Table | Chart | Drawing | Charts | Code | Details


@dataclass(frozen=True)
class Document:
    language: str
    title: str
    subtitle: Sequence[str]
    sections: tuple[Section, ...]
    generator: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Texts of the page itself: `kind`, `skip`, `contents`, `light`, `dark`, `no-script`, `broken`, `data`, `more`
    (what Markdown says where the page has more), `whole`, `rest` (both where some sections are printed alone),
    `undrawn` (why charts are missing; empty: none is).
    """
    footer: tuple[str, ...] = ()
    first: int = 0
    """First sections that stand alone on paper unless the reader asks for all; 0: all are printed."""


def inside(blocks: Sequence["Block"]) -> list["Block"]:
    """Return all blocks in their order, including nested ones."""
    flat: list[Block] = []
    for block in blocks:
        flat.append(block)
        match block:
            case Details(blocks=inner):
                flat += inside(inner)
            case Charts(charts=charts):
                flat += charts
            case Items(items=items):
                for item in items:
                    flat += inside(item.inner)
    return flat


def with_charts(blocks: Sequence["Block"], change: Callable[[Chart], Chart]) -> tuple["Block", ...]:
    """Return the same blocks with all their charts changed, including nested ones."""
    return tuple(_with_charts(block, change) for block in blocks)


def _with_charts(block: "Block", change: Callable[[Chart], Chart]) -> "Block":
    match block:
        case Chart():
            return change(block)
        case Charts(charts=charts):
            return Charts(tuple(map(change, charts)))
        case Details(blocks=inner):
            return replace(block, blocks=with_charts(inner, change))
        case Items(items=items):
            return replace(block, items=tuple(replace(item, inner=with_charts(item.inner, change)) for item in items))
        case _:
            return block
