"""Text that keeps its meaning in Markdown and in CSV, whatever it contains."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Self

from markupsafe import Markup

from banzuke.report.content import ChartFile
from banzuke.text import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&]|^[-+=])")
_FORMULA = re.compile(r"\s*[=+\-@]|\t")


class Markdown(Markup):
    """Text in Markdown. What is formatted into it, joined by it or put into a `table` is escaped unless it is Markdown.

    A line break in such a text becomes a space.
    """

    __slots__ = ()

    @classmethod
    def escape(cls, text: Any, /) -> Self:
        return text if isinstance(text, cls) else cls(_SPECIAL.sub(r"\\\1", printable(" ".join(str(text).split()))))


md = Markdown.escape
EMPTY = Markdown()
HEADING = Markdown("### {}")
ITEM = Markdown("- {}")


def table(header: Sequence[str], rows: Iterable[Sequence[object]], numeric: Iterable[int] = ()) -> list[Markdown]:
    right = set(numeric)
    rule = [Markdown("---:" if index in right else "---") for index in range(len(header))]
    return [*(Markdown("| {} |").format(Markdown(" | ").join(map(md, row))) for row in (header, rule, *rows)), EMPTY]


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers in full; text that a spreadsheet would take for a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in (header, *rows))
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return repr(value)
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if _FORMULA.match(unicodedata.normalize("NFKC", text)) else text  # a full-width = counts, too


def figures(charts: Iterable[ChartFile], ids: Sequence[str]) -> list[Markdown]:
    lines: list[Markdown] = []
    for chart in charts:
        if chart.id in ids and chart.files:
            lines += [
                Markdown("![{}]({})").format(chart.description, Markdown(chart.files[0])),
                EMPTY,
                Markdown("*{}.* {}").format(chart.title, chart.caption),
                EMPTY,
            ]
    return lines
