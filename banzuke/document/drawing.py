"""Drawings in SVG: a pen for boxes, lines and wrapped text, and the file of a whole drawing."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate, takewhile
from typing import Literal

from banzuke.document import Drawing, Panel
from banzuke.text import printable

SMALL, USUAL, LARGE = 9.5, 11.0, 13.0
_LINE = 1.3
_GAP = 24.0
_WIDEST = 1100.0
Anchor = Literal["start", "middle", "end"]


@dataclass
class Pen:
    """A pen that draws a panel; colours are names of the page's: `ink`, `soft`, `c1`, ..."""

    width: float
    marks: list[str] = field(default_factory=list)

    def panel(self, height: float) -> Panel:
        return Panel(self.width, height, "".join(self.marks))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = "",
        stroke: str = "rule",
        *,
        dashed: bool = False,
        radius: float = 3,
    ) -> None:
        """Draw a rectangle with its upper left corner at `x`, `y`; an empty `fill` or `stroke` is not drawn."""
        look = f'fill="{_colour(fill)}" stroke="{_colour(stroke)}"' + (' stroke-dasharray="3 3"' if dashed else "")
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}"'
        self.marks.append(f"<rect {place} {look}/>")

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "soft", *, thick: float = 1.5) -> None:
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.marks.append(f'<line {ends} stroke="{_colour(stroke)}" stroke-width="{thick:g}"/>')

    def dot(self, x: float, y: float, fill: str) -> None:
        self.marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_colour(fill)}"/>')

    def dots(self, places: Iterable[tuple[float, float]], fill: str, *, wide: float = 3) -> None:
        """Draw many dots as one path, with eight bytes for each; those that look the same are drawn once."""
        drawn, last = [], (0, 0)
        for x, y in dict.fromkeys((round(10 * x), round(10 * y)) for x, y in places):
            drawn.append(f"m{x - last[0]} {y - last[1]}h0".replace(" -", "-"))
            last = x, y
        if drawn:
            look = f'fill="none" stroke="{_colour(fill)}" stroke-width="{10 * wide:g}" stroke-linecap="round"'
            self.marks.append(f'<path transform="scale(.1)" {look} d="{"".join(drawn)}"/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        width: float,
        size: float = USUAL,
        fill: str = "ink",
        anchor: Anchor = "start",
        bold: bool = False,
        most: int = 2,
    ) -> float:
        """Write below `y`, in at most so many lines of this width, and return where the last one ends."""
        weight = ' font-weight="600"' if bold else ""
        for line in wrapped(text, width / 1.08 if bold else width, size, most):
            y += size * _LINE
            self.marks.append(
                f'<text x="{x:.1f}" y="{y - 0.3 * size:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
                f' fill="{_colour(fill)}"{weight}>{escape(printable(line))}</text>'
            )
        return y


def wrapped(text: str, width: float, size: float, most: int) -> list[str]:
    """Return lines of at most this width; if the last one is too long, it ends with an ellipsis."""
    words, lines = text.split(), [""]
    while words and len(lines) <= most:
        word = words.pop(0)
        longer = f"{lines[-1]} {word}".lstrip()
        if length(longer, size) <= width:
            lines[-1] = longer
        elif lines[-1]:
            words.insert(0, word)
            lines.append("")
        else:
            widths = accumulate(length(character, size) for character in word)
            fits = max(1, sum(1 for _ in takewhile(lambda end: end <= width, widths)))
            lines[-1] = word[:fits]
            words[:0] = [word[fits:]] if word[fits:] else []
    if len(lines) <= most:
        return [line for line in lines if line]
    last = lines[most - 1]
    while last and length(f"{last}…", size) > width:
        last = last[:-1]
    return [*lines[: most - 1], f"{last}…"]


def length(text: str, size: float) -> float:
    """Return the approximate width of a line of text; Chinese and Japanese characters are square."""
    return sum(1.02 if unicodedata.east_asian_width(c) in "WF" else 0.56 for c in text) * size


def panel_svg(panel: Panel) -> str:
    """Return a panel for a page: as wide as there is room, but no wider than it was drawn."""
    size = f'viewBox="0 0 {panel.width:g} {panel.height:g}" style="width:100%;max-width:{panel.width:g}px"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} aria-hidden="true">{panel.body}</svg>'


def drawing_svg(drawing: Drawing, colours: Mapping[str, str], font: str) -> str:
    """Return a complete file in these colours, with panels in rows."""
    placed = list(_rows(drawing.panels))
    width = max(x + panel.width for x, _, panel in placed)
    height = max(y + panel.height for _, y, panel in placed)
    inner = "".join(
        f'<svg x="{x:g}" y="{y:g}" width="{panel.width:g}" height="{panel.height:g}">{panel.body}</svg>'
        for x, y, panel in placed
    )
    for name, colour in colours.items():
        inner = inner.replace(_colour(name), colour)
    about = f"<title>{escape(printable(drawing.title))}</title><desc>{escape(printable(drawing.description))}</desc>"
    ground = f'<rect width="100%" height="100%" fill="{colours["paper"]}"/>'
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{escape(font)}">'
    return f"{head}{about}{ground}{inner}</svg>"


def _rows(panels: Iterable[Panel]) -> Iterable[tuple[float, float, Panel]]:
    x = y = tallest = 0.0
    for panel in panels:
        if x and x + panel.width > _WIDEST:
            x, y, tallest = 0.0, y + tallest + _GAP, 0.0
        yield x, y, panel
        x, tallest = x + panel.width + _GAP, max(tallest, panel.height)


def _colour(name: str) -> str:
    return f"var(--{name})" if name else "none"
