"""Programs that are run for their output and do not end, or print without end."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from banzuke import child
from banzuke.child import TooMuchError, captured
from banzuke.machine.command import output


def shell(lines: str, **options: object) -> child.Captured:
    return captured(["sh", "-c", lines], **{"seconds": 600, **options})  # type: ignore[arg-type]


def gone(number: str) -> bool:
    """Return whether the process ends within a moment, which init needs to reap it."""
    for _ in range(3000):
        state = Path(f"/proc/{number}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_both_streams_and_the_status_are_told() -> None:
    done = shell("echo out; echo err >&2; exit 3")
    assert (done.status, done.text, done.complaint) == (3, "out\n", "err\n")
    assert shell("kill -9 $$").status == -signal.SIGKILL


def test_what_cannot_be_started_is_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        captured(["/no/such/program"], seconds=1)
    with pytest.raises(OSError, match="null"):
        captured(["sh\0"], seconds=1)


@pytest.mark.parametrize("stream", [1, 2])
def test_what_prints_without_end_is_ended_and_takes_no_memory(stream: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TooMuchError, match="more than 1 MiB"):
        shell(f"cat /dev/zero >&{stream}", most=1 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_of_what_only_the_end_is_wanted_the_end_is_kept() -> None:
    done = shell("head -c 3000000 /dev/zero; echo end", most=1 << 20, last=True)
    assert (len(done.output), done.text[-4:]) == (1 << 20, "end\n")


def test_at_the_time_out_all_of_it_is_ended(tmp_path: Path) -> None:
    begun = time.monotonic()
    for seconds in (0.5, 5.0, 50.0):  # on a busy machine the shell may start late
        with pytest.raises(TimeoutError, match=rf"within {seconds:g} s"):
            shell(f"sleep 600 & echo $! > {tmp_path}/child; wait", seconds=seconds)
        if (tmp_path / "child").exists():
            break
    assert time.monotonic() - begun < 300
    assert gone((tmp_path / "child").read_text().strip())


def test_nobody_waits_for_what_holds_the_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For example the master process of shared connections that ssh leaves behind."""
    monkeypatch.setattr(child, "LAST_WORDS", 0.3)
    done = shell(f"setsid sleep 600 & echo $! > {tmp_path}/child; echo said")
    assert (done.text, done.status) == ("said\n", 0)
    left = int((tmp_path / "child").read_text())
    os.kill(left, signal.SIGKILL)  # it was still running


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    code = f"""
from banzuke.child import captured
captured(["sh", "-c", "sleep 600 & echo $! > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/child; wait"], seconds=600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as process:
        while not (tmp_path / "child").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.wait(600)
    assert gone((tmp_path / "child").read_text().strip())


def test_a_program_of_the_machine_that_prints_without_end_is_as_one_that_is_absent() -> None:
    assert output(["cat", "/dev/zero"]) is None
