"""`banzuke binding` and `banzuke time` with real programs."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest
from typer.testing import CliRunner

from banzuke.cli import app, timing
from banzuke.testing import patiently

BUSY = """
import os, time
os.sched_setaffinity(0, {%d})
print("ready", flush=True)
end = time.monotonic() + %d
while time.monotonic() < end:
    pass
"""
CPU = min(os.sched_getaffinity(0))


def banzuke(*words: str) -> "subprocess.CompletedProcess[str]":
    call = [sys.executable, "-m", "banzuke", *words]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=600)


def busy(*options: str) -> Sequence[str]:
    return ("binding", "--after", "1s", "--seconds", "1500ms", *options, "--", sys.executable, "-c", BUSY % (CPU, 4))


def test_where_a_started_program_runs() -> None:
    done = banzuke(*busy("--json"))
    assert (done.returncode, done.stdout) == (0, "ready\n")
    seen = json.loads(done.stderr)
    (thread,) = seen["threads"]
    assert (thread["allowed"], thread["ran"]) == ([CPU], [CPU])
    assert thread["share"] > 0
    assert "shared-processor" not in [finding["code"] for finding in seen["findings"]]


def test_the_table_and_the_exit_status_are_the_programs() -> None:
    def observed(factor: float) -> None:
        after, seconds = f"{50 * factor:g}ms", f"{200 * factor:g}ms"
        line = f"sleep {0.3 * factor:g}; exit 7"
        done = banzuke("binding", "--after", after, "--seconds", seconds, "--", "sh", "-c", line)
        assert done.returncode == 7
        assert "no working thread of " in done.stderr

    patiently(observed)


def test_a_running_process() -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY % (CPU, 60)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        assert program.stdout.readline() == "ready\n"
        done = banzuke("binding", "--pid", str(program.pid), "--seconds", "1s")
        program.kill()
    assert done.returncode == 0
    assert f"({program.pid})" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("binding",), "one thing is to be observed"),
        (("binding", "--pid", "1", "--", "true"), "one thing is to be observed"),
        (("binding", "--", "no-such-program"), "cannot start 'no-such-program'"),
        (("binding", "--pid", "4194304"), "there is no process 4194304"),
        (("time", "--", "no-such-program"), "cannot start 'no-such-program'"),
        (("time", "--against", "'", "--", "true"), "is not a command"),
        (("time", "--against", " ", "--", "true"), "--against is empty"),
    ],
)
def test_wrong_calls_are_refused(words: Sequence[str], said: str) -> None:
    done = banzuke(*words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_program_is_timed() -> None:
    done = banzuke("time", "--repeat", "3", "--json", "--", "sh", "-c", "echo heard; sleep 0.05")
    assert done.returncode == 0
    assert done.stderr.count("heard") == 3
    (side,) = json.loads(done.stdout)["commands"]
    assert len(side["launches"]) == 3
    assert side["seconds"] >= 0.05
    assert all(launch["processor_seconds"] < launch["seconds"] for launch in side["launches"])


def test_of_two_programs_the_faster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their times are stand-ins, because those of real ones depend on what else runs."""

    def launched(words: Sequence[str], number: int, _repeat: int) -> timing.TimedLaunch:
        return timing.TimedLaunch(float(words[1]) * (1 + 0.01 * number), 0.0, 0, others=0.0, stolen=0.0)

    monkeypatch.setattr(timing, "_launched", launched)

    def compared(*options: str) -> str:
        words = ("time", "--repeat", "4", "--against", "sleep 0.2", *options, "--", "sleep", "0.05")
        return CliRunner().invoke(app, words, catch_exceptions=False).stdout

    against = json.loads(compared("--json"))["against"]
    assert (against["verdict"], against["ratio"]) == ("faster", pytest.approx(4))
    assert "sleep 0.05: faster, 4.000 times as fast as sleep 0.2" in " ".join(compared().split())


def test_a_program_that_fails_is_not_timed() -> None:
    done = banzuke("time", "--", "sh", "-c", "exit 3")
    assert done.returncode == 1
    assert "ended with status 3" in " ".join(done.stderr.split())
    assert not done.stdout


def test_one_launch_gives_no_verdict() -> None:
    done = banzuke("time", "--repeat", "1", "--against", "true", "--", "true")
    assert "no verdict from one launch" in " ".join(done.stdout.split())
    assert "--repeat 5" in done.stderr
