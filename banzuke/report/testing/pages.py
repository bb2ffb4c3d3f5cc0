"""Parsers of report pages for tests."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from banzuke.document import Document
from banzuke.report import testing
from banzuke.report.model import Evaluation
from banzuke.report.testing.documents import document
from banzuke.report.write import write


class Page(HTMLParser):
    """Parser that collects every element with a figure, its visible text, and all tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.figures: list[tuple[dict[str, str], str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: dict[str, str] | None = None
        self._row: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        attributes = {name: value or "" for name, value in attrs}
        if tag == "tr":
            self._row = attributes
        if tag == "data":
            self._open = self._row | attributes

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.figures.append((self._open, data))

    def handle_endtag(self, tag: str) -> None:
        if tag == "data":
            self._open = None


def html(evaluation: Evaluation, folder: Path) -> str:
    write(evaluation, folder)
    return (folder / "report.html").read_text(encoding="utf-8")


@cache
def composed() -> Document:
    return document(testing.rich())
