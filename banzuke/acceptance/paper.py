"""The sheet as pages of paper: SVG of A4, of which PDF files are made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from banzuke.document import Block, Column, Document, Drawing, Items, Paragraph, Row, Table
from banzuke.document.drawing import LARGE, SMALL, Pen, drawing_svg, length, wrapped

WIDTH, HEIGHT = 595.0, 842.0
"""Points of A4."""
MARGIN = 42.0
_INNER = WIDTH - 2 * MARGIN
_GAP = 8.0
_LINE = 1.3
_INDENT = 10.0
_MOST = 40
"""Most lines of one text."""
_SIGNATURE = 34.0
"""Least height of a row in which somebody writes."""


@dataclass
class _Paper:
    pens: list[Pen] = field(default_factory=lambda: [Pen(WIDTH)])
    y: float = MARGIN

    @property
    def pen(self) -> Pen:
        return self.pens[-1]

    def room(self, height: float) -> bool:
        """Begin another page where this height does not fit; return whether one was begun."""
        if self.y + height <= HEIGHT - MARGIN or self.y == MARGIN:
            return False
        self.pens.append(Pen(WIDTH))
        self.y = MARGIN
        return True


def pages(document: Document, colours: dict[str, str], font: str) -> list[str]:
    """Return an SVG for each page."""
    paper = _Paper()
    _text(paper, document.notes.get("kind", ""), SMALL, "soft")
    _text(paper, document.title, 18.0, bold=True)
    _text(paper, " · ".join(document.subtitle), SMALL, "soft")
    for section in document.sections:
        paper.room(70)
        paper.y += 12
        paper.pen.line(MARGIN, paper.y, WIDTH - MARGIN, paper.y, "ink", thick=0.8)
        _text(paper, section.title, LARGE, bold=True)
        for block in section.blocks:
            _block(paper, block, to_sign=section.anchor == "signatures")
    number = len(paper.pens)
    for at, pen in enumerate(paper.pens, 1):
        foot = f"{document.title} · {at} / {number} · {document.generator}"
        pen.text(MARGIN, HEIGHT - MARGIN + 8, foot, width=_INNER, size=7.5, fill="soft", most=1)
    return [
        drawing_svg(Drawing("", f"{document.title}, {at}", document.title, (pen.panel(HEIGHT),)), colours, font)
        for at, pen in enumerate(paper.pens, 1)
    ]


def _text(paper: _Paper, text: str, size: float, fill: str = "ink", *, bold: bool = False, indent: float = 0.0) -> None:
    """Write lines, over several pages if there are so many."""
    for line in wrapped(text.replace("`", ""), _INNER - indent, size * (1.08 if bold else 1), _MOST):
        paper.room(size * _LINE)
        paper.y = paper.pen.text(MARGIN + indent, paper.y, line, width=WIDTH, size=size, fill=fill, bold=bold, most=1)
    paper.y += 3


def _block(paper: _Paper, block: Block, *, to_sign: bool) -> None:
    match block:
        case Paragraph(text):
            _text(paper, text, 10.0)
        case Items(items):
            for item in items:
                paper.room(SMALL * _LINE)
                paper.pen.text(MARGIN, paper.y, "•", width=_INDENT, size=SMALL)
                _text(paper, item.text, SMALL, indent=_INDENT)
        case Table():
            _table(paper, block, _SIGNATURE if to_sign else 0.0)
        case _:
            raise TypeError(f"{type(block).__name__} is not printed on paper")


def _table(paper: _Paper, table: Table, least: float) -> None:
    widths = _widths(table)
    heads = tuple(column.title for column in table.columns)
    headed = any(heads)

    def head() -> None:
        if headed:
            paper.y = _row(paper, table.columns, widths, [[title] for title in heads], "soft")
            paper.pen.line(MARGIN, paper.y, WIDTH - MARGIN, paper.y, "ink", thick=0.5)

    paper.room(least + 40)
    head()
    for row in table.rows:
        texts = [[cell.text, cell.note] for cell in row.cells]
        height = max(least, _height(texts, widths))
        if paper.room(height):
            head()
        begin = paper.y
        end = _row(paper, table.columns, widths, texts, "ink", bold=row.kind == "total")
        paper.y = max(end, begin + least)
        paper.pen.line(MARGIN, paper.y, WIDTH - MARGIN, paper.y, "rule", thick=0.5)
    paper.y += 4


def _height(texts: Sequence[Sequence[str]], widths: Sequence[float]) -> float:
    lines = (
        sum(len(wrapped(part, width - _GAP, SMALL, _MOST)) for part in cell if part.strip())
        for cell, width in zip(texts, widths, strict=True)
    )
    return max(lines, default=1) * SMALL * _LINE + 5


def _row(
    paper: _Paper,
    columns: Sequence[Column],
    widths: Sequence[float],
    texts: Sequence[Sequence[str]],
    fill: str,
    *,
    bold: bool = False,
) -> float:
    x, bottom = MARGIN, paper.y
    for column, width, parts in zip(columns, widths, texts, strict=True):
        y = paper.y + 2
        right = column.numeric or column.right
        for place, part in enumerate(filter(str.strip, parts)):
            y = paper.pen.text(
                x + (width - _GAP if right else 0),
                y,
                part,
                width=width - _GAP,
                size=SMALL if place == 0 else 8.0,
                fill=fill if place == 0 else "soft",
                anchor="end" if right else "start",
                bold=bold,
                most=_MOST,
            )
        x, bottom = x + width, max(bottom, y)
    return bottom + 3


def _widths(table: Table) -> list[float]:
    """Return widths of columns: what each needs, the widest made narrower until all fit."""
    needed = [max(_widest(column.title, table.rows, place), 40.0) + _GAP for place, column in enumerate(table.columns)]
    if sum(needed) <= _INNER:
        return [*needed[:-1], needed[-1] + _INNER - sum(needed)]
    most = max(needed)
    while sum(min(width, most) for width in needed) > _INNER:
        most -= 1
    return [min(width, most) for width in needed]


def _widest(title: str, rows: Sequence[Row], place: int) -> float:
    texts: Iterator[str] = (text for row in rows for text in (row.cells[place].text, row.cells[place].note))
    measure: Callable[[str], float] = lambda text: length(text, SMALL)  # noqa: E731
    return max(map(measure, (title, *texts)))
