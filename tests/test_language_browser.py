"""Tests of the Japanese report in a browser: its headings, charts and lines, on a telephone and on paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from banzuke.report import testing
from banzuke.report.write import write
from tests.test_report_browser import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

JAPANESE = re.compile("[\N{HIRAGANA LETTER SMALL A}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")
SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
"""Three words in a row, which are English and not a name."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    *_, page = write(testing.rich(), tmp_path_factory.mktemp("report"), "ja").files
    return page


def test_headings_and_columns_are_japanese(browser: Browser, report: Path) -> None:
    visit = Visit(browser, report)
    assert visit.messages == []
    assert visit.page.evaluate("document.documentElement.lang") == "ja"
    texts = visit.page.locator("h2, h3, caption, thead th, nav a, #theme, .kind").all_inner_texts()
    assert len(texts) > 30
    assert [text for text in texts if SENTENCE.search(text)] == []
    assert sum(bool(JAPANESE.search(text)) for text in texts) > len(texts) / 2


def test_charts_are_labelled_in_japanese(browser: Browser, report: Path) -> None:
    page = Visit(browser, report).page
    titles = page.locator(".plot svg .role-axis-title text").all_text_contents()
    assert [text for text in titles if SENTENCE.search(text)] == []
    assert any(JAPANESE.search(text) for text in titles)


@pytest.mark.thorough
def test_a_telephone_scrolls_only_down_and_keeps_short_headings_whole(browser: Browser, report: Path) -> None:
    page = Visit(browser, report, width=360).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("getComputedStyle(document.body).lineBreak") == "strict"


def test_paper_has_it_all(browser: Browser, report: Path) -> None:
    page = Visit(browser, report).page
    assert len(page.pdf(format="A4")) > 100_000
