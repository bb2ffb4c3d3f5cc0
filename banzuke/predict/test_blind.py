"""Tests that machines to which nothing is fitted are predicted about as well as those that were left out of fits."""

from collections import Counter
from statistics import median

import pytest

from banzuke.document.markdown import blocks_markdown
from banzuke.machine.public import known_machines, small_machines
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.blind import FILE, SMALL_FILE, Blind, blind_figures
from banzuke.predict.blind_page import blind_blocks

MARKS = {"hpl": 0.08, "hpcg": 0.20}
"""Largest median errors."""


@pytest.fixture(scope="module")
def figures() -> list[Blind]:
    return blind_figures(benchmarks(), FILE)


@pytest.mark.catalogue
def test_nothing_is_fitted_to_them(figures: list[Blind]) -> None:
    fitted = {machine.id for machine in known_machines()}
    names = {figure.machine.id for figure in figures}
    assert len(names) >= 15
    assert not names & fitted
    values = {figure.value for machine in known_machines() for figure in machine.figure}
    assert not {figure.published for figure in figures} & values


@pytest.mark.catalogue
def test_their_errors_are_small_and_their_intervals_hold_nine_in_ten(figures: list[Blind]) -> None:
    for benchmark, mark in MARKS.items():
        assert median(abs(figure.error) for figure in figures if figure.benchmark == benchmark) <= mark
    within = Counter(figure.within for figure in figures)
    assert within[True] >= 0.85 * len(figures)


@pytest.mark.catalogue
def test_each_figure_stands_in_a_table(figures: list[Blind]) -> None:
    text = "\n".join(blocks_markdown(blind_blocks(figures, benchmarks())))
    assert all(figure.machine.name in text for figure in figures)
    assert sum(line.startswith("| HPL |") for line in text.splitlines()) == 2 + sum(
        figure.benchmark == "hpl" for figure in figures
    )


def test_intervals_hold_most_boards_laptops_and_desktops_to_which_nothing_is_fitted() -> None:
    figures = blind_figures(benchmarks(), SMALL_FILE)
    fitted = {machine.id for machine in small_machines()}
    assert not fitted & {figure.machine.id for figure in figures}
    assert len(figures) >= 10
    assert sum(figure.within for figure in figures) >= 0.85 * len(figures)
    assert all(figure.high < 10 * figure.low for figure in figures), "so that intervals say something"
