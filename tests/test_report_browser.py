"""Tests of the report in a browser: drawn, offline, legible in the dark, on a telephone and on paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from banzuke.compare.statistics import median, spread
from banzuke.report import testing
from banzuke.report.model import Evaluation
from banzuke.report.testing.launches import launches
from banzuke.report.write import write
from banzuke.units import percent, quantity
from banzuke.views.breakdown import TimeBreakdown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route


class Visit:
    """A page opened from its file, with all its requests and messages."""

    def __init__(
        self, browser: Browser, file: Path, width: int = 1280, scheme: str = "light", *, script: bool = True
    ) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
        )
        self.page: Page = context.new_page()
        self.page.route("**/*", self._only_the_file)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.goto(file.as_uri())
        if script:
            self.page.wait_for_selector('html[data-charts="drawn"]', timeout=60_000, state="attached")

    def _only_the_file(self, route: Route) -> None:
        self.requests.append(route.request.url)
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            route.abort()

    def _note(self, message: ConsoleMessage) -> None:
        self.messages.append(f"{message.type}: {message.text}")


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return testing.rich()


@pytest.fixture(scope="module")
def report(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write(evaluation, folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def desk(browser: Browser, report: Path) -> Visit:
    return Visit(browser, report)


def test_nothing_leaves_the_page_and_nothing_complains(desk: Visit, report: Path) -> None:
    assert desk.requests == [report.as_uri()]
    assert desk.messages == []


def test_every_chart_is_drawn_with_marks(desk: Visit) -> None:
    marks = desk.page.eval_on_selector_all(
        ".plot",
        "plots => plots.map(p => p.querySelectorAll('svg .role-mark path, svg .role-mark text').length)",
    )
    assert len(marks) >= 8
    assert all(count > 0 for count in marks)


def test_visible_numbers_equal_the_records(desk: Visit, evaluation: Evaluation) -> None:
    shown = desk.page.eval_on_selector_all("data[data-stat]", FIGURES)
    assert len(shown) > 300
    assessments = {a.record.provenance.id: a for a in evaluation.assessments if a.record.provenance}
    for figure in shown:
        assessment = assessments[figure["case"]]
        value, metric, stat = float(figure["value"]), figure["metric"], figure["stat"]
        if stat == "check":
            assert value in [check.value for check in assessment.record.verification]
            continue
        if stat in ("seconds", "share_of_time"):
            part = next(part for part in TimeBreakdown({}).of(assessment) or () if part.name == metric)
            assert value == (part.seconds if stat == "seconds" else part.share)
            assert figure["text"] == (quantity(value, "s") if stat == "seconds" else percent(value))
            continue
        judged = next(f for f in assessment.figures if f.metric == metric)
        samples = assessment.record.metrics[metric].samples
        expected, text = {
            "median": (median(samples), quantity(value, judged.unit)),
            "best": (
                max(samples) if judged.better == "higher" else min(samples),
                quantity(value, judged.unit),
            ),
            "spread": (spread(samples), percent(value)),
            "count": (len(samples), str(len(samples))),
            "fraction_of_limit": (judged.fraction_of_limit, percent(value)),
            "fraction_of_peak": (judged.fraction_of_peak, percent(value)),
        }[stat]
        assert value == expected
        assert figure["text"] == text


def test_hostile_names_do_not_run(browser: Browser, tmp_path: Path) -> None:
    write(testing.hostile(), tmp_path)
    visit = Visit(browser, tmp_path / "report.html")
    assert visit.page.evaluate("window.hacked") is None
    assert visit.messages == []
    assert "<script>" in visit.page.inner_text("h1")


def luminance(page: Page, selector: str, name: str) -> float:
    colour = page.eval_on_selector(selector, f"e => getComputedStyle(e)['{name}']")
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(","))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_dark_follows_the_system_and_the_toggle_is_remembered(browser: Browser, report: Path) -> None:
    page = Visit(browser, report, scheme="dark").page
    label = ".plot svg .role-axis-label text"
    assert luminance(page, "body", "backgroundColor") < 40
    assert luminance(page, "body", "color") > 200
    assert luminance(page, label, "fill") > 120
    page.click("#theme")
    assert luminance(page, "body", "backgroundColor") > 240
    assert luminance(page, label, "fill") < 120
    page.reload()
    page.wait_for_selector('html[data-charts="drawn"]', state="attached")
    assert luminance(page, "body", "backgroundColor") > 240
    assert page.inner_text("#theme") == "Dark"


def test_toggle_works_without_storage(browser: Browser, report: Path) -> None:
    visit = Visit(browser, report)
    visit.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied'); }})"
    )
    visit.page.reload()
    visit.page.wait_for_selector('html[data-charts="drawn"]', state="attached")
    visit.page.click("#theme")
    assert luminance(visit.page, "body", "backgroundColor") < 40
    assert visit.messages == []


FIGURES = """all => all.map(e => ({...e.closest("tr").dataset, ...e.dataset, value: e.getAttribute("value"),
                                 text: e.textContent}))"""


@pytest.mark.parametrize(
    "make",
    [
        testing.rich,
        testing.hostile,
        *(pytest.param(make, marks=pytest.mark.thorough) for make in (testing.empty, testing.sixty, launches)),
    ],
)
def test_a_telephone_scrolls_only_down(browser: Browser, tmp_path: Path, make: Callable[[], Evaluation]) -> None:
    write(make(), tmp_path)
    page = Visit(browser, tmp_path / "report.html", width=390).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.eval_on_selector_all(
        ".plot svg", "all => all.filter(s => s.getBoundingClientRect().right > 391).length"
    )
    assert wide == 0
    squeezed = """all => all.filter(c => c.innerText.trim().length > 8 && c.clientWidth > 0 && c.clientWidth < 50)
                           .map(c => c.innerText)"""
    assert page.eval_on_selector_all("th, td", squeezed) == []
    spilling = "all => all.filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.innerText)"
    assert page.eval_on_selector_all(".specification th, .specification td", spilling) == []


def test_paper_is_light_and_shows_what_was_folded(browser: Browser, report: Path) -> None:
    page = Visit(browser, report, scheme="dark").page
    page.click("#theme")
    page.click("#theme")
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert len(paper) > 50_000
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) <= 2
    page.emulate_media(media="print", color_scheme="dark")
    assert luminance(page, "body", "color") < 60
    assert not page.is_visible("#theme")
    assert not page.is_visible("nav")
    assert page.is_visible("#summary")
    assert not page.is_visible("#machine")
    assert page.is_visible(".paper")
    page.emulate_media(media="screen")
    page.check("#whole")
    page.emulate_media(media="print")
    assert page.is_visible("#method")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.eval_on_selector_all("details:not([open])", "all => all.length") == 0


def test_paper_holds_its_tables(browser: Browser, report: Path) -> None:
    page = Visit(browser, report, width=688).page
    page.check("#whole")
    page.emulate_media(media="print")
    tables = page.eval_on_selector_all("table", "all => all.map(t => t.getBoundingClientRect().right)")
    assert max(tables) <= 689


def test_without_scripts_the_tables_are_all_there(browser: Browser, report: Path) -> None:
    visit = Visit(browser, report, script=False)
    assert visit.page.inner_text("h1") == "koto"
    assert visit.page.locator("#summary > .scroll tbody tr").count() == 4
    assert not visit.page.is_visible("#theme")
    assert "Charts are drawn by JavaScript" in visit.page.inner_text("main")


def test_keyboard_reaches_the_summary_first(desk: Visit) -> None:
    desk.page.keyboard.press("Tab")
    assert desk.page.evaluate("document.activeElement.className") == "skip"


def test_report_json_is_what_the_page_shows(desk: Visit, report: Path) -> None:
    content = json.loads(report.with_name("report.json").read_text(encoding="utf-8"))
    cases = {(case["id"], metric) for case in content["cases"] for metric in case["metrics"]}
    shown = desk.page.eval_on_selector_all("data[data-stat='median']", FIGURES)
    assert {(figure["case"], figure["metric"]) for figure in shown} == cases
