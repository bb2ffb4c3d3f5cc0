"""The lock of a results folder; tests/test_faults.py kills real runs."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from banzuke.files.trust import user_name
from banzuke.launch.guard import Measuring, lock_file, measuring
from banzuke.launch.watchdog import MARK

CODE = """
import sys
import time
from pathlib import Path
from banzuke.launch.guard import guard
waited = []
left = guard(Path(sys.argv[1]), waited.append)
guard(Path(sys.argv[1]) / '..' / Path(sys.argv[1]).name, waited.append)
print(waited, left, flush=True)
input()
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Return the command of a process that holds the folder until its standard input ends."""
    return [sys.executable, "-c", CODE, str(tmp_path)]


def begun(words: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_process_does_not_wait_for_itself_and_leaves_no_lock(words: list[str], tmp_path: Path) -> None:
    with begun(words) as process:
        assert process.stdout
        assert process.stdout.readline() == "[] 0\n"
        lock = lock_file(tmp_path)
        assert lock.exists()
        process.communicate("\n")
    assert not lock.exists()


def test_the_watchdog_of_a_killed_process_removes_its_lock(words: list[str], tmp_path: Path) -> None:
    with begun(words) as process:
        assert process.stdout
        process.stdout.readline()
        process.kill()
    until = time.monotonic() + 600
    while lock_file(tmp_path).exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert not lock_file(tmp_path).exists()


def test_what_a_killed_run_left_is_known_by_the_mark_in_its_lock(words: list[str], tmp_path: Path) -> None:
    lock = lock_file(tmp_path)
    lock.write_text("4194304 left\n")
    with subprocess.Popen(["sleep", "600"], env=os.environ | {MARK: "left"}) as left, begun(words) as process:
        assert process.communicate("\n")[0] == "[] 1\n"
        assert left.wait() != 0
    assert not lock.exists()


def test_who_else_measures_on_this_host_is_known(words: list[str]) -> None:
    """Whichever folder the other process measures into."""
    with begun(words) as process:
        assert process.stdout
        process.stdout.readline()
        assert Measuring(process.pid, user_name(os.geteuid())) in measuring()
        process.communicate("\n")
    assert process.pid not in {other.process for other in measuring()}


def test_a_process_that_holds_two_folders_is_named_once(tmp_path: Path) -> None:
    code = CODE.replace("input()", "guard(Path(sys.argv[1]) / 'other', waited.append)\nprint(flush=True)\ninput()")
    with begun([sys.executable, "-c", code, str(tmp_path)]) as process:
        assert process.stdout
        assert [process.stdout.readline() for _ in range(2)][-1] == "\n"
        assert [other.process for other in measuring()].count(process.pid) == 1
        process.communicate("\n")


def test_of_two_that_measure_the_first_one_does_not_wait_for_the_other(tmp_path: Path) -> None:
    script = (
        "for line in sys.stdin: print([one.earlier for one in measuring() if one.process == int(line)], flush=True)"
    )
    code = f"{CODE.replace('input()', '')}\nfrom banzuke.launch.guard import measuring\n{script}"
    with begun([sys.executable, "-c", code, str(tmp_path / "a")]) as first:
        assert first.stdout
        first.stdout.readline()
        with begun([sys.executable, "-c", code, str(tmp_path / "b")]) as second:
            assert second.stdout
            second.stdout.readline()
            for asking, other, earlier in ((first, second, False), (second, first, True)):
                assert asking.stdin
                assert asking.stdout
                asking.stdin.write(f"{other.pid}\n")
                asking.stdin.flush()
                assert asking.stdout.readline() == f"[{earlier}]\n"
            second.communicate()
        first.communicate()


def test_a_process_that_only_looks_like_a_watchdog_is_none() -> None:
    words = [sys.executable, "-c", "import time; time.sleep(600)", "banzuke.launch.guard"]
    for owner in ("9" * 5000, "-1", "", "\N{ARABIC-INDIC DIGIT ONE}"):
        with subprocess.Popen([*words, owner, "mark"]) as process:
            measuring()
            process.kill()


def test_nothing_in_the_current_folder_is_executed(tmp_path: Path) -> None:
    """Others may be able to write there; the watchdog imports modules of each of these names when it starts."""
    for name in ("importlib", "atexit", "sitecustomize", "banzuke"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath('executed').touch()\n")
    words = [sys.executable, "-P", "-c", CODE, str(tmp_path)]
    subprocess.run(words, capture_output=True, timeout=60, input=b"\n", check=True, cwd=tmp_path)
    assert not (tmp_path / "executed").exists()
