"""What the command does before it is imported, and faulty environments that it tolerates."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from banzuke.__main__ import settle


def banzuke(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "banzuke", *words]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False)


def test_a_terminal_of_an_impossible_size_is_as_one_of_unknown_size() -> None:
    assert len(banzuke("--help", COLUMNS="0", LINES="0").stdout.splitlines()) > 20
    for size in ("0", "-5", "abc", "100000000", "²", "1e3", "", "9" * 5000):
        variables = {"COLUMNS": size, "LINES": size}
        settle(variables)
        assert not variables, size


def test_a_possible_size_stays() -> None:
    variables = {"COLUMNS": "80", "LINES": "24", "TZ": "Asia/Tokyo"}
    settle(variables)
    assert variables == {"COLUMNS": "80", "LINES": "24", "TZ": "Asia/Tokyo"}


def test_a_time_zone_that_is_no_file_of_one_is_utc(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "cut").write_bytes(b"TZif2" + bytes(20))
    for zone in ("/dev/zero", ":/dev/zero", str(tmp_path), str(tmp_path / "pipe"), str(tmp_path / "cut"), __file__):
        variables = {"TZ": zone}
        settle(variables)
        assert variables == {"TZ": "UTC0"}, zone
    done = banzuke("list", "--results", str(tmp_path), TZ="/dev/zero")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("file", [Path("/usr/share/zoneinfo/Asia/Tokyo")])
def test_a_file_of_a_time_zone_stays(file: Path) -> None:
    if not file.is_file():
        pytest.skip("no time zones here")
    variables = {"TZ": f":{file}"}
    settle(variables)
    assert variables == {"TZ": f":{file}"}


def test_a_reader_that_ends_first_ends_us_quietly() -> None:
    """`banzuke list | head -1`: as tools that SIGPIPE ends, whether Rich, Typer or Python notices it."""
    for words in (["list"], ["--help"], ["--version"]):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "banzuke", *words]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        os.close(writing)
        assert (done.returncode, done.stderr) == (141, ""), words


def test_an_interrupt_while_modules_are_imported_ends_without_a_traceback(tmp_path: Path) -> None:
    """Interrupts at several moments during the imports; before `main`, Python itself starts."""
    begun = tmp_path / "begun"
    code = f"import banzuke.__main__ as m; m.settle = lambda _: open({str(begun)!r}, 'w').close(); m.main()"
    for number in range(6):
        begun.unlink(missing_ok=True)
        words = [sys.executable, "-c", code, "list", "--results", str(tmp_path)]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            while not begun.exists():
                time.sleep(0.001)
            time.sleep(0.05 * number)
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
        assert (process.returncode, said) in {(130, ""), (130, "Aborted!\n"), (0, "")}


@pytest.mark.parametrize("number", ["1" * 401, "1" * 5000, "nan"])
def test_absurd_numbers_are_wrong_calls(number: str, tmp_path: Path) -> None:
    for name in ("BANZUKE_REPEAT", "BANZUKE_NEIGHBOURS"):
        done = banzuke("run", "stream", "--dry-run", "--results", str(tmp_path), **{name: number})
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), name


@pytest.mark.parametrize("limit", ["-n 5", "-n 8"])
def test_where_few_files_may_be_open_there_is_no_traceback(limit: str, tmp_path: Path) -> None:
    code = "import banzuke.__main__; banzuke.__main__.main()"
    words = [
        "sh",
        "-c",
        f'ulimit {limit}; exec "$@"',
        "sh",
        sys.executable,
        "-c",
        code,
        "list",
        "--results",
        str(tmp_path),
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "Raise the limit" in done.stderr
