"""Real processes: how they end, and what remains of them."""

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch import process
from banzuke.launch.command import Command
from banzuke.launch.process import Progress, run
from banzuke.testing import patiently


def python(code: str) -> Command:
    return Command([sys.executable, "-c", code], {})


def ignore(_told: Progress) -> None:
    pass


def test_output_log_and_progress_are_kept_apart() -> None:
    reports: list[Progress] = []
    code = "import sys; print('record'); print('progress 1 4', 'a warning', 'progress x y', sep='\\n', file=sys.stderr)"
    outcome = run(python(code), timeout=600, progress=reports.append)
    assert outcome.stdout == "record\n"
    assert outcome.log == "a warning\nprogress x y\n"
    assert reports == [Progress(0.25)]
    assert outcome.status == 0
    assert not outcome.timed_out


def test_what_ranks_tell_is_no_part_of_the_log() -> None:
    lines = ['processes {"elsewhere":"0:1,1:2"}', "a warning", "step 1 set-up"]
    outcome = run(python(f"import sys; print(*{lines!r}, sep='\\n', file=sys.stderr)"), timeout=600, progress=ignore)
    assert outcome.log == "a warning\n"
    assert (len(outcome.ranks.processes), outcome.ranks.steps) == (2, {"set-up": [1]})


def test_last_steps_are_heard_after_the_time_limit() -> None:
    code = "import sys, time; time.sleep(1); print('step 0 waiting', file=sys.stderr, flush=True); time.sleep(600)"
    begun = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("banzuke.launch.process.LAST_WORDS", 60.0)  # a busy machine may be late with the step
        outcome = run(python(code), timeout=0.5, progress=ignore)
    assert outcome.timed_out
    assert outcome.ranks.steps == {"waiting": [0]}
    assert time.monotonic() - begun < 300


GOING_ON = (
    "import sys, time; [print(f'progress {n} 30', file=sys.stderr) or time.sleep(0.1 * FACTOR) for n in range(30)]"
)
STEPPING = "import sys, time; [print(f'step 0 {n}', file=sys.stderr) or time.sleep(0.4 * FACTOR) for n in range(9)]"
SILENT = "import time; time.sleep(600)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "others", "most", "timed_out", "limits"),
    [
        (SILENT, 0.0, 10, True, [1]),
        (SILENT, 0.9, 3, True, [3]),
        (GOING_ON, 0.0, 10, False, range(2, 11)),
        (GOING_ON, 0.0, 2, True, [2]),
        (GOING_ON, 0.9, 1, True, [1]),
        (GOING_ON + "; time.sleep(600)", 0.0, 20, True, range(2, 20)),
    ],
)
def test_a_time_limit_lengthens_for_what_goes_on_or_is_crowded_out(
    monkeypatch: pytest.MonkeyPatch, code: str, others: float, most: int, *, timed_out: bool, limits: Sequence[int]
) -> None:
    monkeypatch.setattr("banzuke.launch.process.lost_share", lambda *_: others)
    monkeypatch.setattr("banzuke.launch.process.LAST_WORDS", 0.1)

    def limited(factor: float) -> None:
        slow = f"import sys; sys.stderr.reconfigure(line_buffering=True); FACTOR = {factor};"
        outcome = run(python(slow + code), timeout=factor, progress=ignore, most=most)
        assert outcome.timed_out is timed_out
        assert outcome.limits in limits

    patiently(limited)


@pytest.mark.slow
def test_other_steps_than_at_the_limit_before_are_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first steps show no progress, because no earlier ones exist to compare them with."""

    def stepping(factor: float) -> None:
        shares = iter([0.9])
        monkeypatch.setattr("banzuke.launch.process.lost_share", lambda *_: next(shares, 0.0))
        outcome = run(python(f"FACTOR = {factor};{STEPPING}"), timeout=0.7 * factor, progress=ignore, most=10)
        assert (outcome.timed_out, outcome.limits > 2) == (False, True)

    patiently(stepping)


def test_progress_may_tell_a_rate() -> None:
    reports: list[Progress] = []
    odd = ["progress 1 4 flop/s", "progress 1 4 1e 2", "progress 1 4 nan flop/s", "progress 5 4", "progress 1 0"]
    lines = ["progress 310 1000 2.41e+11 flop/s", "progress 4 4 0 B/s", *odd]
    code = f"import sys; [print(line, file=sys.stderr) for line in {lines!r}]"
    outcome = run(python(code), timeout=600, progress=reports.append)
    assert reports == [Progress(0.31, 2.41e11, "flop/s"), Progress(1.0, 0.0, "B/s")]
    assert outcome.log.splitlines() == odd


def test_the_status_tells_signals() -> None:
    assert run(python("import os; os.kill(os.getpid(), 9)"), timeout=600, progress=ignore).status == -9
    assert run(python("raise SystemExit(3)"), timeout=600, progress=ignore).status == 3


def test_variables_are_set_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_TEST_REMOVED", "there")
    command = Command(
        [sys.executable, "-c", "import os; print(os.environ.get('BANZUKE_TEST_REMOVED'), os.environ['ADDED'])"],
        {"BANZUKE_TEST_REMOVED": "", "ADDED": "1 2"},
    )
    assert run(command, timeout=600, progress=ignore).stdout == "None 1 2\n"
    assert command.text().startswith("env -u BANZUKE_TEST_REMOVED ADDED='1 2' ")


@pytest.mark.slow
def test_a_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    started = tmp_path / "pids"
    code = f"""
import os, subprocess, sys, time
stubborn = 'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)'
child = subprocess.Popen([sys.executable, '-c', stubborn])
open({str(started)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
time.sleep(600)
"""
    begun = time.monotonic()
    for seconds in (1.5, 15.0, 150.0):  # on a busy machine it may start late
        outcome = run(python(code), timeout=seconds, progress=ignore)
        assert outcome.timed_out
        if started.exists():
            break
    assert time.monotonic() - begun < 500
    for pid in started.read_text().split():
        assert gone(int(pid))


def test_ranks_of_a_launcher_that_was_killed_are_ended(tmp_path: Path) -> None:
    """Open MPI's ranks have groups of their own, but are in the launcher's session."""
    rank = tmp_path / "pid"
    code = f"""
import os, subprocess, sys
child = subprocess.Popen(['sleep', '600'], process_group=0)
open({str(rank)!r}, 'w').write(str(child.pid))
os.kill(os.getpid(), 9)
"""
    assert run(python(code), timeout=600, progress=ignore).status == -9
    assert gone(int(rank.read_text()))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_interrupt_ends_the_group_and_is_passed_on(tmp_path: Path, elsewhere: bool) -> None:  # noqa: FBT001
    """Also if the kernel delivers it to another thread than the one that waits."""
    started = tmp_path / "pid"
    code = f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)"

    def interrupt() -> None:
        while not (started.exists() and started.read_text()):
            time.sleep(0.05)
        if elsewhere:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        else:
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(python(code), timeout=600, progress=ignore)
    assert time.monotonic() - begun < 300
    assert gone(int(started.read_text()))


@pytest.mark.slow
def test_a_child_that_left_the_group_does_not_hold_the_run(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {pid}; exec sleep 600' & sleep 0.5; echo done"
    begun = time.monotonic()
    outcome = run(Command(["sh", "-c", script], {}), timeout=600, progress=ignore)
    assert time.monotonic() - begun < 300
    assert outcome.stdout == "done\n"
    os.kill(int(pid.read_text()), signal.SIGKILL)


def test_what_prints_without_end_is_ended_and_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_PRINTED", 1 << 20)
    begun = time.monotonic()
    outcome = run(Command(["yes"], {}), timeout=600, progress=ignore)
    assert time.monotonic() - begun < 300
    assert (outcome.flooded, outcome.timed_out, outcome.stdout) == (True, False, "")


def test_of_an_error_stream_without_line_breaks_the_log_has_the_beginning() -> None:
    log = run(Command(["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x >&2"], {}), timeout=600, progress=ignore).log
    assert log == "x" * 4096 + "...\n"


def test_what_cannot_be_started_raises() -> None:
    with pytest.raises(OSError, match="nonexistent"):
        run(Command(["/nonexistent/program"], {}), timeout=1, progress=ignore)


def gone(pid: int) -> bool:
    """A zombie that waits for its parent counts as gone."""
    for _ in range(2000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (OSError, IndexError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_the_end_of_a_process_is_waited_for_and_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(_seconds: float) -> None:
        raise AssertionError("a short case would be over long before this is")

    monkeypatch.setattr("subprocess.time.sleep", sleep)
    assert run(Command(["sleep", "0.02"], {}), timeout=600, progress=ignore).status == 0


def test_what_the_command_reads_is_there_first(tmp_path: Path) -> None:
    file = tmp_path / "new" / "hosts"
    assert run(Command(["cat", str(file)], {}, {file: "n1\nn2\n"}), timeout=600, progress=ignore).stdout == "n1\nn2\n"
    (tmp_path / "taken").touch()
    with pytest.raises(BanzukeError, match="cannot write"):
        run(Command(["true"], {}, {tmp_path / "taken" / "hosts": ""}), timeout=600, progress=ignore)


@pytest.mark.parametrize("timeout", [1e9, math.inf])
def test_a_time_limit_may_be_longer_than_the_kernel_waits(timeout: float) -> None:
    outcome = run(python("import time; time.sleep(0.2)"), timeout=timeout, progress=ignore)
    assert (outcome.status, outcome.timed_out) == (0, False)
