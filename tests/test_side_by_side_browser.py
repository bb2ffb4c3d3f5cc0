"""Tests of the report of several runs in a browser, light and dark, on a desk and on a telephone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from banzuke.report.test_side_by_side import run
from banzuke.report.testing import hpl, stream
from banzuke.report.testing.parts import machine
from banzuke.report.testing.sparse import collection
from banzuke.report.write import write_study
from tests.test_report_browser import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    here, there = (collection((way,), families=4, sizes=3) for way in ("omp", "mkl"))
    first = run("a", stream(1, 2, 0.9), hpl(2, 20000), *here.assessments)
    second = run("b", stream(3, 2, 0.6), *there.assessments, on=machine("A machine with quite a long name"), days=3)
    write_study([first, second], folder)
    return folder / "report.html"


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "dark"),
        (390, "light"),
        pytest.param(1280, "light", marks=pytest.mark.thorough),
        pytest.param(390, "dark", marks=pytest.mark.thorough),
    ],
)
def test_everything_is_drawn_and_nothing_sticks_out(browser: "Browser", page: Path, width: int, scheme: str) -> None:
    visit = Visit(browser, page, width, scheme)
    assert visit.messages == []
    assert visit.requests == [page.as_uri()]
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    drawn = visit.page.eval_on_selector_all(
        ".plot", "plots => plots.map(p => p.querySelectorAll('svg .role-mark path').length)"
    )
    assert len(drawn) >= 5
    assert all(drawn)
    heads = visit.page.eval_on_selector_all("h2", "all => all.map(e => e.innerText)")
    assert heads[:3] == ["Figures side by side", "Machines side by side", "SpMV"]
