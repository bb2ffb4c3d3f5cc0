"""Tests of a collection's charts in a browser: pointer, keyboard and clicks, under the page's own security policy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from banzuke.report.testing.sparse import collection
from banzuke.report.write import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHART = "#figure-spmv-rates"
POINTS = f"{CHART} .mark-symbol.role-mark path"


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("report")
    write(collection(("omp", "mkl"), families=12, sizes=5), folder)
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.goto((folder / "report.html").as_uri())
    opened.wait_for_selector('html[data-charts="drawn"]', timeout=60_000, state="attached")
    return opened


def shown(page: Page) -> Counter[bool]:
    """Return how many points are in full colour, and how many are not."""
    page.wait_for_timeout(200)
    values = page.eval_on_selector_all(POINTS, "points => points.map(p => Number(p.getAttribute('opacity') ?? 1))")
    return Counter(value == 1 for value in values)


def told(page: Page) -> str:
    page.wait_for_selector("#vg-tooltip-element.visible")
    return page.inner_text("#vg-tooltip-element")


def test_a_pointer_is_told_what_a_point_is(page: Page) -> None:
    page.locator(POINTS).first.hover(force=True)
    text = told(page)
    for word in ("Name", "Family", "1,000", "rows", "non-zeros", "mean row", "longest row", "flop/s"):
        assert word in text


def test_the_keyboard_goes_from_point_to_point(page: Page) -> None:
    page.locator(f"{CHART} .plot").focus()
    page.keyboard.press("ArrowRight")
    first = told(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert told(page) != first
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(200)
    assert told(page) == first


def test_a_click_on_a_family_brings_it_out(page: Page) -> None:
    assert shown(page) == {True: 60}
    page.locator(f"{CHART} .role-legend-symbol path").nth(3).click()
    assert shown(page) == {True: 5, False: 55}
    page.locator(f"{CHART} svg").dblclick(position={"x": 400, "y": 270})
    assert shown(page) == {True: 60}


def test_a_link_to_a_problem_that_failed_opens_what_holds_it(page: Page) -> None:
    page.locator("#problems a", has_text="bad").click()
    page.wait_for_timeout(200)
    assert page.locator("#case-spmv-121").is_visible()
