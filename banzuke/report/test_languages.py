"""Tests that a report has the same figures in every language, and no English text that has a translation."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

from banzuke.report import testing
from banzuke.report.model import Evaluation
from banzuke.report.testing.drawings import DRAW, as_drawn
from banzuke.report.testing.messages import messages
from banzuke.report.testing.sparse import collection
from banzuke.report.write import write
from banzuke.words.language import LANGUAGES, files

pytestmark = pytest.mark.slow


class Shown(HTMLParser):
    """Parser of a page that collects its figures with their origins, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.figures: list[tuple[tuple[str, str | None], ...]] = []
        self.texts: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if {"data-stat", "data-metric"} & {name for name, _ in attrs}:
            self.figures.append(
                tuple(
                    sorted(
                        attribute for attribute in attrs if attribute[0] == "value" or attribute[0].startswith("data-")
                    )
                )
            )
        self._inside = [tag] if tag in ("script", "style") else []

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  (the base names it)
        self._inside = []

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.texts.append(" ".join(data.split()))


@pytest.fixture(scope="module", params=[testing.rich, messages, collection], ids=lambda made: made.__name__)
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Shown]]:
    made: Callable[[], Evaluation] = request.param
    evaluation, by_language = made(), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DRAW, as_drawn)
        for language in LANGUAGES:
            folder = tmp_path_factory.mktemp(language)
            *_, page = write(evaluation, folder, language).files
            by_language[language] = folder, Shown(page.read_text(encoding="utf-8"))
    return by_language


def test_all_languages_show_the_same_figures(pages: dict[str, tuple[Path, Shown]]) -> None:
    _, english = pages["en"]
    assert english.figures
    for _, shown in pages.values():
        assert _without_labels(shown) == _without_labels(english)


def _without_labels(shown: Shown) -> list[list[tuple[str, str | None]]]:
    return [[(name, value) for name, value in figure if name != "data-label"] for figure in shown.figures]


def test_data_files_are_of_no_language(pages: dict[str, tuple[Path, Shown]]) -> None:
    for name in ("report.csv", "report.json"):
        english = (pages["en"][0] / name).read_bytes()
        assert all((folder / name).read_bytes() == english for folder, _ in pages.values()), name


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_no_text_of_a_page_is_in_english_that_has_words(language: str, pages: dict[str, tuple[Path, Shown]]) -> None:
    english, theirs = whole("en"), whole(language)
    translated = {text for code, text in english.items() if theirs.get(code, text) != text and not NAME.fullmatch(text)}
    assert len(translated) > 100
    assert not translated.intersection(pages[language][1].texts)


NAME = re.compile("[a-z]+|[^A-Za-z]*")
"""Texts that may also be a setting's value, such as `default`, or have no words at all."""


def whole(language: str) -> dict[str, str]:
    """Return texts without facts, by code."""
    return {
        entry.id.name: entry.value.elements[0].value
        for file in files(language)
        for entry in FluentParser().parse(file.read_text(encoding="utf-8")).body
        if isinstance(entry, ast.Message)
        and entry.value
        and len(entry.value.elements) == 1
        and isinstance(entry.value.elements[0], ast.TextElement)
    }
