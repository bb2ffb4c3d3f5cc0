"""Tests of what is printed while cases run."""

import io
import re
from collections.abc import Sequence

import pytest

from banzuke.cli import progress
from banzuke.cli.console import Console
from banzuke.cli.progress import ENOUGH, Pace, RunDisplay
from banzuke.launch.complete import CaseOrigin, unmeasured
from banzuke.launch.process import Progress
from banzuke.plan.case import Case, RankGroup

FAILED = unmeasured(Case("stream", (RankGroup("omp"),), {}), CaseOrigin("run", "machine", 0), "it broke")
VERIFIED = FAILED.model_copy(update={"status": "ok", "reason": None})


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

    def said(reported: Progress) -> str:
        display.progress(reported)
        shown.truncate(0)
        terminal.print(display._bars)
        return shown.getvalue()

    cases = [
        Case("hpl", (RankGroup("blas"),), {"n": 1000}, seconds=100.0),
        Case("stream", (RankGroup("omp"),), {}, seconds=50.0),
    ]
    display = RunDisplay(cases)
    display.begin(cases[0], 0, 2)
    assert "2 min 20 s left" in said(Progress(0.1))
    now[0] += 20.0
    text = said(Progress(0.2, 2.41e11, "flop/s"))
    assert "[1/2] hpl 1 thread n=1000" in text
    assert "241 Gflop/s, 3 min 30 s left" in text
    assert "Gflop/s" not in said(Progress(0.2))


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return an error stream that is no terminal."""
    shown = io.StringIO()
    monkeypatch.setattr(progress, "errors", Console(file=shown))
    return shown


def carried_out(cases: Sequence[Case], failing: Sequence[Case] = (), *, verbose: bool = False) -> None:
    with RunDisplay(cases, verbose=verbose) as display:
        for number, planned in enumerate(cases):
            display.begin(planned, number, len(cases))
            display.progress(Progress(1.0))
            display.end(planned, FAILED if planned in failing else VERIFIED)


def test_a_benchmark_of_many_cases_has_one_line(log: io.StringIO) -> None:
    many = [Case("stream", (RankGroup("omp"),), {"n": n}, seconds=1.0) for n in range(300)]
    carried_out([*many, Case("hpl", (RankGroup("blas"),), {"n": 1000}, seconds=1.0)], failing=many[:2])
    first, second, stream, hpl = log.getvalue().splitlines()
    assert first == "failed stream 1 thread n=0: it broke"
    assert "n=1" in second
    assert stream.startswith("verified stream: 298 of 300 cases in ")
    assert hpl == "verified hpl 1 thread n=1000"


def test_launches_of_a_case_count_as_such(log: io.StringIO) -> None:
    carried_out([Case("stream", (RankGroup("omp"),), {"n": n}, seconds=1.0) for n in (1, 2, 1, 2, 1, 2)])
    assert log.getvalue().startswith("verified stream: 6 launches in ")


def test_every_case_has_its_line_when_asked(log: io.StringIO) -> None:
    carried_out([Case("stream", (RankGroup("omp"),), {"n": n}, seconds=1.0) for n in range(5)], verbose=True)
    assert log.getvalue().splitlines() == [f"verified stream 1 thread n={n}" for n in range(5)]


def on_terminal(monkeypatch: pytest.MonkeyPatch, case: Case, seconds: float) -> str:
    """Return the last line shown in 80 columns after a case has run for `seconds` without reporting progress."""
    shown, now = io.StringIO(), [1000.0]
    terminal = Console(file=shown, force_terminal=True, width=80)
    monkeypatch.setattr(progress, "errors", terminal)
    monkeypatch.setattr("banzuke.cli.progress.time.monotonic", lambda: now[0])
    display = RunDisplay([case, Case("stream", (RankGroup("omp"),), {}, seconds=case.seconds)])
    display.begin(case, 0, 2)
    now[0] += seconds
    with terminal.capture() as captured:
        terminal.print(display._bars)
    (line,) = re.sub(r"\x1b\[[0-9;]*m", "", captured.get()).splitlines()
    return line


def test_in_80_columns_there_is_room_for_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    line = on_terminal(monkeypatch, Case("hpcg", (RankGroup("omp", ranks=2),), {"name": "x" * 100}, seconds=100.0), 0.0)
    assert line.startswith("[1/2] hpcg 2 ranks x 1 thread")
    assert len(re.findall("[━╸╺]", line)) >= 10
    assert line.rstrip().endswith("3 min 20 s left")
    assert len(line) <= 80


def test_a_silent_case_moves_the_bar_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("hpcg", (RankGroup("omp"),), {}, seconds=100.0)
    shares = [on_terminal(monkeypatch, case, seconds).split("%")[0].split()[-1] for seconds in (0.0, 50.0, 1000.0)]
    assert shares == ["0", "25", "48"], "of two cases alike; the second has not begun"


def test_of_a_missing_environment_no_case_says_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    case = Case("stream", (RankGroup("omp"),), {})
    with RunDisplay([case, case]) as display:
        for record in (VERIFIED, unmeasured(case, CaseOrigin("run", "m"), "no kernel", skipped=True, missing="vm")):
            display.begin(case, 0, 2)
            display.end(case, record)
    said = capsys.readouterr().err
    assert "verified stream: 1 of 2" in said
    assert "no kernel" not in said
