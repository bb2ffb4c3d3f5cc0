"""Finds words in Latin letters that remain on a page in another language."""

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

_SKIPPED = {"script", "style", "code", "pre", "samp", "kbd"}
"""Elements whose text belongs to no language."""
_SKIPPED_CLASS = "references"
"""Class of lists of publications, whose titles stay in their own language."""
_NAMES = re.compile(
    r"`[^`]*`"  # code
    r"|https?://\S+"
    r"|(?<![\w])--?[a-z][\w-]*(?:[ =][\w./:|,-]+)?"  # options
    r"|\|\|.*?\|\|"  # norms
    r"|[\w.+/:~@%$&*-]*[\w./]*[_/=@$\\0-9][\w.+/:~@%$&*=\\,-]*"  # paths, assignments, identifiers, numbers with units
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]+")
_ACRONYM = re.compile(r"[A-Z][A-Z]+s?|[A-Z][a-z]?[A-Z]\w*")
"""`MPI`, `FMA`, `OpenMP`, `DaVinci`: names that no language translates."""


class _Texts(HTMLParser):
    """Parser that collects the visible texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._skipped: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if self._skipped or tag in _SKIPPED or _SKIPPED_CLASS in (own.get("class") or "").split():
            if tag not in _VOID:
                self._skipped.append(tag)
            return
        self.texts += [text for name in ("title", "alt", "aria-label", "placeholder") if (text := own.get(name))]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[len(self._skipped) - 1 - self._skipped[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._skipped and (text := " ".join(data.split())):
            self.texts.append(text)


_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def visible(page: str) -> list[str]:
    """Return the texts of an HTML page that are not code and not the titles of publications."""
    return _Texts(page).texts


def latin(texts: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return each word in Latin letters that is neither an acronym nor one of `names`, with the text it is in."""
    allowed = {name.casefold() for name in names}
    for text in texts:
        for word in _WORD.findall(_NAMES.sub(" ", text)):
            if word.casefold() not in allowed and not _ACRONYM.fullmatch(word):
                yield word, text
