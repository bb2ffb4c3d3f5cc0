"""Tests of charts over message sizes and of all pairs in a browser: drawn, with tooltips, legible on a telephone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from banzuke.report.testing.messages import messages
from banzuke.report.write import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write(messages(), folder)
    return folder / "report.html"


def opened(browser: Browser, report: Path, width: int = 1280) -> tuple[Page, list[str]]:
    page = browser.new_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_selector('html[data-charts="drawn"]', timeout=60_000, state="attached")
    return page, said


def test_all_are_drawn_and_nothing_complains(browser: Browser, report: Path) -> None:
    page, said = opened(browser, report)
    assert said == []
    points = "#figure-pt2pt-over-latency .mark-symbol.role-mark path"
    assert page.locator(points).count() == 4 * 23
    assert page.locator("#figure-pt2pt-pairs-latency .mark-rect.role-mark path").count() == 8 * 7 + 2 * 7
    page.locator(points).first.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    tooltip = page.inner_text("#vg-tooltip-element")
    for word in ("share their last-level cache", "1 B", "194 ns", "Average", "Slowest"):
        assert word in tooltip


@pytest.mark.thorough
def test_a_telephone_scrolls_only_down(browser: Browser, report: Path) -> None:
    page, _ = opened(browser, report, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    beyond = "all => all.filter(s => s.getBoundingClientRect().right > 391).length"
    assert page.eval_on_selector_all(".plot svg", beyond) == 0
    squeezed = """all => all.filter(c => c.innerText.trim().length > 8 && c.clientWidth > 0 && c.clientWidth < 50)
                           .map(c => c.innerText)"""
    assert page.eval_on_selector_all("th, td", squeezed) == []
