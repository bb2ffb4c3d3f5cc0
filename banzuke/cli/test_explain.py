"""Tests of `banzuke explain`: what a benchmark's folder declares comes before its page."""

import pytest

from banzuke.cli import explain
from banzuke.plan.catalogue import benchmarks, find

pytestmark = pytest.mark.unit


def rows(name: str) -> dict[str, str]:
    return {title.text: cell.text for title, cell in (row.cells for row in explain.in_short(find(name)).rows)}


def test_it_says_what_limits_a_figure_and_whose_limit_it_is() -> None:
    assert rows("hpl")["limited by"] == "flop rate, bandwidth of a host's link"
    assert {"hpcg", "spmv"} <= set(rows("stream")["is the limit of"].split(", "))
    assert rows("dgemm")["limited by"] == "theoretical flop rate, memory bandwidth"


def test_published_figures_and_lists_are_counted() -> None:
    assert rows("hpl")["compared with"].endswith("published machines, the TOP500")
    assert "compared with" not in rows("gups")


@pytest.mark.catalogue
@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_every_benchmark_is_told_in_ten_lines(name: str) -> None:
    shown = rows(name)
    assert len(shown) <= 8
    assert all(shown[title] for title in ("figure", "start", "backends here"))


def test_without_programs_the_page_can_still_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "backends", lambda _name: [])
    monkeypatch.setattr(explain, "usual_backend", lambda _spec: "")
    shown = rows("stream")
    assert shown["backends here"].startswith("none")
    assert "parameters" not in shown
