"""Text that keeps its meaning in Markdown and in CSV."""

import re
from collections.abc import Iterable, Sequence

from banzuke.report.content import Content

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!])")


def md(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(header: list[str], rows: Iterable[list[str]], numeric: Iterable[int] = ()) -> list[str]:
    right = set(numeric)
    rule = ["---:" if index in right else "---" for index in range(len(header))]
    body = ["| " + " | ".join(row) + " |" for row in ([md(name) for name in header], rule, *rows)]
    return [*body, ""]


def cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets an apostrophe."""
    if isinstance(value, float):
        return repr(value)
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def figures(content: Content, ids: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for chart in content.charts:
        if chart.id in ids and chart.files:
            lines += [
                f"![{md(chart.description)}]({chart.files[0]})",
                "",
                f"*{md(chart.title)}.* {md(chart.caption)}",
                "",
            ]
    return lines
