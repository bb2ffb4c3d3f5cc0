"""The page of watched figures, in each language and with many runs."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from banzuke.compare.changes import changes, is_suspected, reference
from banzuke.compare.explained import Difference
from banzuke.compare.test_runs import record
from banzuke.compare.watched import Alarm, Vanished, WatchedFigure, WatchedRun, WatchedSeries
from banzuke.document import Drawing, Table, inside
from banzuke.document.markdown import document_markdown
from banzuke.plan.benchmark import Metric
from banzuke.plan.catalogue import benchmarks
from banzuke.record.state import ONE_STATE
from banzuke.report.page import page
from banzuke.report.watch import MOST_DIFFERENCES, Watching, watch_document
from banzuke.report.watch_chart import beyond, drawn_range, history_panel
from banzuke.words import message
from banzuke.words.language import LANGUAGES, words

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SPECS = benchmarks()
TRIAD = next(metric for metric in SPECS["stream"].metrics if metric.headline)
LARGEST = 1_500_000
"""Bytes of the page of 1,000 runs of 100 figures."""
STEADY = [1e11 * value for value in (1.0, 1.003, 0.998, 1.001, 0.999, 1.002)] * 4
LOWER = [*STEADY, *(0.9 * value for value in STEADY[:4])]


def series(values: Sequence[float], metric: Metric = TRIAD) -> WatchedSeries:
    launch = record(threads=4)
    runs = tuple(
        WatchedRun(f"run-{day}", launch, begun := BEGAN + timedelta(days=day), begun + timedelta(minutes=1), value)
        for day, value in enumerate(values)
    )
    lasting = list(changes(values))
    alarms = tuple(Alarm(runs[c.onset], runs[c.onset - 1], runs[c.confirmed], c.ratio) for c in lasting)
    rest = values[lasting[-1].onset if lasting else 0 :]
    return WatchedSeries("f", metric, launch, ONE_STATE, runs, alarms, reference(rest), is_suspected(rest))


def figure(values: Sequence[float], machine: str = "koto", differences: int = 2) -> WatchedFigure:
    watched = series(values)
    differ = [Difference(message("watch-kernel", name=f"<{at}>"), "6.1", "6.8") for at in range(differences)]
    return WatchedFigure(watched, machine, "stream, 4 threads", {id(alarm): differ for alarm in watched.alarms})


def watching(*figures: WatchedFigure, missing: Sequence[Vanished] = ()) -> Watching:
    return Watching(figures, missing, SPECS, 28, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_answers_first_then_draws_what_changed(language: str) -> None:
    gone = Vanished("f", "stream", "omp", TRIAD, "run-9", "failed: no memory")
    document = watch_document(
        watching(figure(STEADY), figure(LOWER), figure(LOWER[:-1], "nada"), missing=[gone]), words(language)
    )
    assert [section.anchor for section in document.sections] == ["answer", "changed", "steady", "method"]
    text = document_markdown(document)
    assert {
        "en": "Of 3 figures, 1 is newly worse and none newly better",
        "ja": "全3件のうち、新たな低下1件、新たな向上なし",
    }[language] in text
    assert "run-9" in text
    answer, changed, steady, _ = document.sections
    table = next(block for block in answer.blocks if isinstance(block, Table))
    assert [row.cells[0].link for row in table.rows] == ["#steady", "#change-2", "#change-3"]
    drawings = [block for block in inside(changed.blocks) if isinstance(block, Drawing)]
    assert [drawing.id for drawing in drawings] == ["change-2-runs", "change-3-runs"]
    assert "▼ 10%" in drawings[0].panels[0].body
    assert ">?</text>" in drawings[1].panels[0].body
    assert all("▼" not in panel.body for block in steady.blocks if isinstance(block, Drawing) for panel in block.panels)
    (explained,) = (block for block in changed.blocks if isinstance(block, Table))
    assert [cell.text for cell in explained.rows[0].cells[2:]] == ["6.1", "6.8"]
    assert "&lt;0&gt;" in page(document)
    assert "<0>" not in page(document)


def test_few_of_many_differences_are_listed() -> None:
    (explained,) = (
        block
        for block in watch_document(watching(figure(LOWER, differences=100)), words()).sections[1].blocks
        if isinstance(block, Table)
    )
    assert len(explained.rows) == MOST_DIFFERENCES + 1
    assert explained.rows[-1].cells[1].text == "80 more"
    (explained,) = (
        block
        for block in watch_document(watching(figure(LOWER, differences=0)), words()).sections[1].blocks
        if isinstance(block, Table)
    )
    assert explained.rows[0].cells[1].text == "nothing that is recorded"


def test_a_bad_run_is_drawn_at_the_edge_and_hides_no_change() -> None:
    watched = series([*STEADY, 1e6, *STEADY, 1e15])
    low, high = drawn_range(watched)
    assert 0.9e11 < low < high < 1.1e11
    assert beyond(watched) == 2
    assert "--faint" in history_panel(watched, "", "").body
    assert beyond(series([*STEADY, *STEADY])) == 0


@pytest.mark.parametrize("values", [[1e11], [1.0, 1.0], [5e-324, 1e300]])
def test_any_few_runs_are_drawn(values: Sequence[float]) -> None:
    body = history_panel(series(values), "x" * 300, "日" * 300).body
    assert "nan" not in body
    assert all(-20 <= float(y) <= 5000 for y in re.findall(r' y="([-0-9.e]+)"', body))


def test_the_page_of_many_runs_is_small() -> None:
    values = (1e11 * np.exp(0.015 * np.random.default_rng(1).standard_normal(1000))).tolist()
    many = [figure(values) for _ in range(2)]
    small = len(page(watch_document(watching(*many * 20), words())).encode())
    large = len(page(watch_document(watching(*many * 50), words())).encode())
    assert large < LARGEST
    assert large - small < 60 * 20_000, "each figure adds little"
