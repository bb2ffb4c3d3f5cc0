"""What is said while cases run."""

import io

import pytest

from banzuke.cli import progress
from banzuke.cli.console import Console
from banzuke.cli.progress import ENOUGH, Display, Pace
from banzuke.launch.process import Progress
from banzuke.plan.benchmark import Case


def test_pace_counts_from_the_first_word_of_progress() -> None:
    pace = Pace()
    assert pace.left(0.1, 100.0) is None
    assert pace.left(0.2, 100.0 + ENOUGH / 2) is None
    assert pace.left(0.3, 110.0) == pytest.approx(35.0)
    assert pace.left(1.0, 150.0) == 0.0


def test_a_case_that_stands_still_has_no_pace() -> None:
    pace = Pace()
    assert pace.left(0.1, 0.0) is None
    assert pace.left(0.1, 60.0) is None


def test_time_left_follows_the_running_case_and_the_estimate_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, now = io.StringIO(), [1000.0]
    terminal = Console(file=shown, force_terminal=True, width=160)
    monkeypatch.setattr(progress, "errors", terminal)
    monkeypatch.setattr("banzuke.cli.progress.time.monotonic", lambda: now[0])

    def said(told: Progress) -> str:
        display.progress(told)
        shown.truncate(0)
        terminal.print(display._bars)
        return shown.getvalue()

    cases = [Case("hpl", "blas", {"n": 1000}, seconds=100.0), Case("stream", "omp", {}, seconds=50.0)]
    display = Display(cases)
    display.begin(cases[0], 0, 2)
    assert "2 min 20 s left" in said(Progress(0.1))
    now[0] += 20.0
    text = said(Progress(0.2, 2.41e11, "flop/s"))
    assert "[1/2] hpl 1 threads n=1000" in text
    assert "241 Gflop/s, 3 min 30 s left" in text
    assert "Gflop/s" not in said(Progress(0.2))
