"""Tests of the exploration page in a browser: Python's numbers, by mouse and keyboard, offline, in both languages."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.explore.data import Explored, explore
from banzuke.predict.explore.page import page as page_of
from banzuke.predict.explore.table import shown
from banzuke.predict.explore.testing import solver
from banzuke.predict.find import predicted_machine
from banzuke.ranking.editions import ranking_of, standing
from banzuke.results.store import Store
from banzuke.units import percent, quantity
from banzuke.words.language import words

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

JAPANESE = re.compile("[\N{HIRAGANA LETTER SMALL A}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")
NAMES = ("flow-type-ii", "oakleaf-fx")


@pytest.fixture(scope="module")
def machines() -> list[Explored]:
    printed = {machine.id: machine.figure for machine in published.load()}
    store = Store(Path("nowhere"))
    benchmarks = [solver(), find("stream")]
    return [
        explore(name, predicted_machine(name, store), benchmarks, printed[name], most=60, checked=40) for name in NAMES
    ]


@pytest.fixture(scope="module")
def file(machines: list[Explored], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "explore.html"
    path.write_text(page_of(machines, {"Fugaku": "no flop rate"}, [solver(), find("stream")]), encoding="utf-8")
    return path


class Opened:
    def __init__(self, browser: Browser, file: Path, width: int = 1280, scheme: str = "light", at: str = "") -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light", offline=True
        )
        self.page: Page = context.new_page()
        self.requests: list[str] = []
        self.messages: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.goto(file.as_uri() + at)
        self.page.wait_for_selector("html[data-drawn]", state="attached", timeout=30_000)

    def figure(self) -> float:
        return float(self.page.locator("#figure").get_attribute("data-value") or "nan")


@pytest.fixture(scope="module")
def desk(browser: Browser, file: Path) -> Opened:
    return Opened(browser, file)


def test_nothing_is_loaded_and_nothing_complains(desk: Opened, file: Path) -> None:
    assert desk.requests == [file.as_uri()]
    assert desk.messages == []


def test_the_browser_interpolates_as_python_does(desk: Opened, machines: list[Explored]) -> None:
    draw = random.Random(5)  # noqa: S311  (a test)
    for machine in machines:
        for name, table in machine.tables.items():
            for _ in range(20):
                positions = [draw.uniform(-1, 1) for _ in table.axes]
                named = dict(zip((axis.name for axis in table.axes), positions, strict=True))
                answers: list[dict[str, Any]] = desk.page.evaluate(
                    "([machine, benchmark, positions]) => banzukeEvaluate(machine, benchmark, positions)",
                    [machine.id, name, named],
                )
                for stop, answer in enumerate(answers):
                    outputs = table.at(stop, positions)
                    low, high = table.interval_at(stop, positions)
                    figure = math.exp(outputs[0])
                    assert answer["figure"] == pytest.approx(figure, rel=1e-9)
                    assert answer["seconds"] == pytest.approx(math.exp(outputs[1]), rel=1e-9)
                    assert answer["shares"] == pytest.approx(list(shown(outputs[3:])), abs=1e-9)
                    assert answer["low"] == pytest.approx(low * figure, rel=1e-9)
                    assert answer["high"] == pytest.approx(high * figure, rel=1e-9)


def test_what_is_shown_is_what_the_table_says(browser: Browser, file: Path, machines: list[Explored]) -> None:
    page = Opened(browser, file, at="#machine=flow-type-ii&benchmark=hpl&nodes=64").page
    table = machines[0].tables["hpl"]
    stop = table.stops.index(64)
    nominal = [axis.nominal for axis in table.axes]
    figure, seconds, peak = map(math.exp, table.at(stop, nominal)[:3])
    assert page.locator("#figure").inner_text() == quantity(figure, "flop/s")
    assert "{" not in page.locator("body").inner_text(), "every fact is filled in"
    assert page.locator("#of-peak").inner_text() == percent(figure / peak)
    assert page.locator("#naive").inner_text() == quantity(64 * math.exp(table.at(0, nominal)[0]), "flop/s")
    assert seconds > 0
    ranking = ranking_of(solver())
    assert ranking
    shown_figure = float(page.locator("#figure").get_attribute("data-value") or "nan")
    places = [words()(place) for place in standing(ranking, shown_figure, "flop/s")]
    assert page.locator("#place").inner_text() == "; ".join(places)
    assert page.locator("#error-rows tr").count() == 6, "two of processors, devices and small machines each"
    deviation = table.deviation
    assert deviation
    shown_text = page.locator("#deviation").inner_text()
    for error in deviation.figure:
        assert percent(error) in shown_text
    assert page.locator("#dot-rows tr").count() == len(table.dots) == page.locator("#plot .dot").count()


def test_sliders_follow_the_keyboard(browser: Browser, file: Path) -> None:
    opened = Opened(browser, file, at="#machine=flow-type-ii&benchmark=hpl")
    page = opened.page
    before = opened.figure()
    page.get_by_label("Memory bandwidth").focus()
    page.keyboard.press("End")
    assert opened.figure() > before * 1.1
    assert "×3" in (page.get_by_label("Memory bandwidth").get_attribute("aria-valuetext") or "")
    assert "--scale memory.bandwidth=3" in page.locator("#command").inner_text()
    page.get_by_role("button", name="As described").click()
    assert opened.figure() == before
    page.get_by_role("slider", name="Nodes", exact=True).focus()
    page.keyboard.press("Home")
    assert page.locator("#nodes-text").inner_text() == "1"
    assert opened.figure() < before


def test_the_address_keeps_what_was_chosen(browser: Browser, file: Path) -> None:
    opened = Opened(browser, file)
    opened.page.get_by_label("Machine").select_option("oakleaf-fx")
    opened.page.get_by_label("Benchmark").select_option("stream")
    opened.page.get_by_label("Memory bandwidth").fill("0.5")
    again = Opened(browser, file, at=opened.page.evaluate("location.hash"))
    assert again.figure() == opened.figure()
    assert again.page.get_by_label("Machine").input_value() == "oakleaf-fx"


def test_every_control_and_picture_has_a_name(desk: Opened) -> None:
    unnamed = desk.page.evaluate(
        """() => [...document.querySelectorAll("input, select, button")]
             .filter((one) => one.offsetParent && !one.labels?.[0]?.innerText.trim() && !one.innerText.trim())
             .map((one) => one.id)"""
    )
    assert unnamed == []
    assert "predicted" in (desk.page.locator("#plot").get_attribute("aria-label") or "")


def test_all_words_change_with_the_language(browser: Browser, file: Path) -> None:
    page = Opened(browser, file).page
    page.get_by_role("button", name="日本語").click()
    assert page.evaluate("document.documentElement.lang") == "ja"
    texts = page.locator("h1, h2, label, dt, th[data-word], .kind > span:first-child").all_inner_texts()
    assert [text for text in texts if text.strip() and not JAPANESE.search(text)] == []
    page.get_by_role("button", name="English").click()
    assert not JAPANESE.search(page.locator("h1").inner_text())


def test_it_is_dark_where_the_system_is(browser: Browser, file: Path) -> None:
    page = Opened(browser, file, scheme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(22, 22, 21)"
    page.locator("#theme").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.thorough
def test_a_telephone_scrolls_only_down(browser: Browser, file: Path) -> None:
    page = Opened(browser, file, width=400).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_numbers_are_written_as_on_the_terminal(desk: Opened, file: Path) -> None:
    """Each quantity from the page's own script equals Python's."""
    script = file.read_text(encoding="utf-8")
    text = (Path(page_of.__code__.co_filename).with_name("templates") / "text.js").read_text(encoding="utf-8")
    assert text in script
    cases = [
        (value, unit)
        for value in (0.0, 1.0, 2.5, 999.6, 1e3, 123456.0, 3.3e13, 1.5e-6, 4e-9)
        for unit in ("flop/s", "s", "B", "B/s")
    ]
    written = desk.page.context.new_page().evaluate(
        f"(cases) => {{ {text}; return cases.map(([v, u]) => quantity(v, u)); }}", cases
    )
    assert written == [quantity(value, unit) for value, unit in cases]
