"""Tests of bad input and faults: a clear error, the right status, and nothing lost."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from banzuke.isolation.marked import bearers
from banzuke.machine.tree import Tree
from banzuke.results.lines import read
from tests.conftest import SCRIPTS, SMALL, Banzuke, Result, Wrapped, wait_for
from tests.patience import PATIENCE

Start = Callable[..., "subprocess.Popen[str]"]


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the error of a wrong call."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout.strip()
    return " ".join(done.stderr.split())


REPEATED = pytest.mark.thorough
"""Mark of tests that test_refusals.py has in one process."""


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["run", "steam"], "unknown benchmark 'steam'. Did you mean 'stream'?"),
        pytest.param(
            ["run", "stream", "--set", "rouns=3"],
            "stream has no parameter 'rouns'. Did you mean 'rounds'?",
            marks=REPEATED,
        ),
        pytest.param(["run", "stream", "--set", "rounds"], "--set 'rounds' is not understood", marks=REPEATED),
        pytest.param(["run", "stream", "--set", "n=0"], "n: 0 is outside 1 to", marks=REPEATED),
        (["run", "stream", "--set", "n=-5"], "n: -5 is outside 1 to"),
        pytest.param(["run", "stream", "--set", "n=lots"], "n: 'lots' is not a whole number", marks=REPEATED),
        (["run", "stream", "--set", "n=99999999999999999999999"], "is not a whole number"),
        (["run", "stream", "--set", "n=1000000000000"], "TiB of memory"),
        pytest.param(
            ["run", "stream", "--set", "stores=magic"], "stores: 'magic' is none of nontemporal, plain", marks=REPEATED
        ),
        pytest.param(["run", "stream", "--backend", "cud"], "stream has no backend 'cud'", marks=REPEATED),
        pytest.param(
            ["run", "stream", "--ranks", "4096"], "4,096 ranks x 1 thread need 4,096 processors", marks=REPEATED
        ),
        (["run", "stream", "--ranks", "0"], "Invalid value"),
        pytest.param(["run", "dgemm", "--blas", "/nonexistent/libblas.so"], "/nonexistent/libblas.so", marks=REPEATED),
        (["explain", "dgem"], "Did you mean 'dgemm'?"),
        (["report", "last"], "there is no last run"),
        (["compare", "last", "Oakleaf"], "there is no last run"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls(banzuke: Banzuke, words: list[str], error: str) -> None:
    assert error in refused(banzuke(*words, COLUMNS="300"))


def test_a_library_that_is_no_blas_is_refused(banzuke: Banzuke, tmp_path: Path) -> None:
    library = tmp_path / "libnothing.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "/dev/null", "-o", library], check=True)
    error = refused(banzuke("run", "dgemm", "--set", "n=100", "--blas", library))
    assert "no working BLAS library was found" in error
    assert "cblas_dgemm" in error


def test_a_results_folder_that_cannot_be_written(banzuke: Banzuke, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    error = refused(banzuke("run", "stream", *SMALL, "--results", blocked / "results"))
    assert "cannot write" in error
    assert "--results" in error


def test_figures_are_shown_when_the_report_cannot_be_written(banzuke: Banzuke, wrapped: Wrapped) -> None:
    script = 'cd "$BANZUKE_RESULTS"/2*/; mkdir -p report.html; exec "$real" "$@" --n 100000 --rounds 3'
    done = banzuke("evaluate", "--only", "stream", "-v", **wrapped(script))
    assert done.returncode == 2
    assert "STREAM Triad" in done.stdout
    assert "no headline: data in cache" in done.stdout
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


def test_output_onto_a_full_disk_is_an_error(results: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [SCRIPTS / "banzuke", "list", "--results", results],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("machine", "--json"), ("explain", "stream"), ("--version",), ("--help",)])
def test_output_into_a_closed_stream_is_an_error(words: Sequence[str]) -> None:
    """Python itself would drop the output, and end with 0."""
    call = ["sh", "-c", '"$0" "$@" >&-', str(SCRIPTS / "banzuke"), *words]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "standard output is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode_is_no_obstacle() -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shown = subprocess.check_output([SCRIPTS / "banzuke", "explain", "dgemm"], env=environment, text=True)
    assert "DGEMM" in shown
    assert shown.isascii()


def test_the_command_shown_can_be_typed_again(banzuke: Banzuke) -> None:
    done = banzuke("run", "stream", *SMALL, "--ranks", "2", "--threads", "1", "--verbose")
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if "--binding" in line)
    command, _, _ = line.strip().rpartition("  (")
    again = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert json.loads(again.stdout.splitlines()[-1])["status"] == "ok"


def test_a_kernel_that_is_killed(banzuke: Banzuke, wrapped: Wrapped) -> None:
    done = banzuke("run", "stream", *SMALL, "--json", **wrapped("kill -9 $$"))
    assert done.returncode == 1
    (record,) = json.loads(done.stdout)["records"]
    assert record["status"] == "failed"
    assert "killed by signal 9 (SIGKILL)" in record["reason"]
    assert record["metrics"] == {}


def test_a_kernel_over_its_time_limit(banzuke: Banzuke, wrapped: Wrapped) -> None:
    done = banzuke("run", "stream", *SMALL, "--timeout", "1", "--json", **wrapped("sleep 10000 & wait"))
    assert done.returncode == 1
    (record,) = json.loads(done.stdout)["records"]
    assert record["reason"] == "exceeded its time limit of 1 s and was ended"


def test_a_kernel_that_gives_up_says_why(banzuke: Banzuke, wrapped: Wrapped) -> None:
    done = banzuke("run", "stream", *SMALL, **wrapped("echo 'the disk is on fire' >&2; exit 7"))
    assert done.returncode == 1
    assert "ended with status 7 and no record: the disk is on fire" in done.stdout + done.stderr


def test_one_failure_does_not_stop_the_others(banzuke: Banzuke, wrapped: Wrapped) -> None:
    variables = wrapped('case "$*" in *plain*) kill -11 $$;; esac; exec "$real" "$@"')
    done = banzuke("run", "stream", *SMALL, "--set", "stores=plain,nontemporal", "--json", **variables)
    assert done.returncode == 1
    assert [record["status"] for record in json.loads(done.stdout)["records"]] == ["failed", "ok"]


def test_a_rank_that_dies_ends_the_run(banzuke: Banzuke, wrapped: Wrapped) -> None:
    script = '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && { sleep 0.3; kill -9 $$; }; exec "$real" "$@"'
    done = banzuke("run", "stream", *SMALL, "--ranks", "2", "--threads", "1", "--json", **wrapped(script))
    assert done.returncode == 1
    (record,) = json.loads(done.stdout)["records"]
    assert record["status"] == "failed"
    assert "time limit" not in record["reason"], "the other would wait for ever"
    assert record["metrics"] == {}


def test_truncated_and_foreign_files_are_passed_over_by_name(banzuke: Banzuke, results: Path, tmp_path: Path) -> None:
    assert banzuke("run", "stream", *SMALL).returncode == 0
    (file,) = results.glob("*/records-*.jsonl")
    with file.open("a") as stream:
        stream.write('{"foreign": true}\n{"half": \n{"unfinished": ')
    output = tmp_path / "page"
    done = banzuke("report", "last", "--output", output)
    assert done.returncode == 0, done.stderr
    html = (output / "report.html").read_text()
    assert f"{file.name}, line 2" in html
    assert f"{file.name}, line 3" in html
    assert f"{file.name}, line 4" not in html
    assert json.loads(banzuke("list", "--json").stdout)["runs"][0]["verified"] == 1


@pytest.mark.parametrize(
    ("limit", "error"),
    [
        ("-v 300000", "(ulimit -v allows 293 MiB of address space)"),
        ("-n 100", "256 files have to be open at once (ulimit -n allows 100 open files)"),
        ("-f 1", "(File too large, ulimit -f allows 1 KiB in a file)"),
    ],
)
def test_a_limit_of_the_shell_is_named(results: Path, limit: str, error: str) -> None:
    words = [str(SCRIPTS / "banzuke"), "run", "stream", *SMALL, "--results", str(results)]
    done = subprocess.run(
        ["bash", "-c", f'ulimit {limit}; exec "$0" "$@"', *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert f"{error}. Raise the limit" in refused(done)


def test_a_limit_of_address_space_leaves_a_report_and_refuses_a_chart_alone(
    banzuke: Banzuke, results: Path, tmp_path: Path
) -> None:
    """The limit is one that batch systems set: V8, which draws, reserves more than any of them allows."""
    assert banzuke("run", "stream", *SMALL).returncode == 0

    def limited(*words: str) -> Result:
        command = [str(SCRIPTS / "banzuke"), *words]
        return subprocess.run(
            ["bash", "-c", 'ulimit -v 16000000; exec "$0" "$@"', *command],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    done = limited("report", "--results", str(results), "--output", str(tmp_path / "page"))
    assert done.returncode == 0, done.stderr
    assert "`ulimit -v` allows 15.3 GiB" in " ".join(done.stderr.split())
    html = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert '<code>ulimit <span class="option">-v</span></code> allows 15.3 GiB' in html
    assert 'id="drawing"' in html
    assert '.pdf">PDF' not in html
    noise = ("predict", "noise", "--period", "1ms", "--length", "1us", "--interval", "1s")
    done = limited(*noise, "--chart", str(tmp_path / "noise.svg"))
    assert done.returncode == 2
    assert "error: cannot draw" in done.stderr
    assert "`ulimit -v` allows 15.3 GiB" in " ".join(done.stderr.split())
    assert not (tmp_path / "noise.svg").exists()


def in_small_shared_memory(size: str, **variables: str) -> dict[str, Any]:
    """Return the record of two ranks whose /dev/shm has only this size."""
    words = ["run", "stream", *SMALL, "--ranks", "2", "--threads", "1", "--json"]
    namespace = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
    mounted = [*namespace, "sh", "-c", f'mount -t tmpfs -o size={size} tmpfs /dev/shm && exec "$0" "$@"']
    if subprocess.run([*mounted, "true"], capture_output=True, check=False).returncode:
        pytest.skip("hardware: nobody may mount another /dev/shm here")
    done = subprocess.run(
        [*mounted, SCRIPTS / "banzuke", *words],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    record: dict[str, Any] = json.loads(done.stdout)["records"][0]
    return record


def test_a_full_shared_memory_is_named_with_what_helps(results: Path) -> None:
    reason = in_small_shared_memory("1m", BANZUKE_RESULTS=str(results))["reason"]
    first, _, rest = reason.partition("; ")
    ends = ("7 (SIGBUS)", "13 (SIGPIPE)", "15 (SIGTERM)")  # of the full one, or of the other
    assert first in [f"killed by signal {end}" for end in ends]
    assert rest.startswith("/dev/shm, in which ranks pass messages, was probably full: it has 1 MiB")
    helps = dict(word.split("=", 1) for word in reason.rpartition("may be slower: ")[2].split())
    assert in_small_shared_memory("1m", BANZUKE_RESULTS=str(results), **helps)["status"] == "ok"


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_goes_on_where_it_was(
    banzuke: Banzuke, wrapped: Wrapped, results: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    words = ["run", "stream", *SMALL, "--set", "stores=plain,nontemporal", "--json"]
    hang = tmp_path / "hang"
    hang.write_text("")
    variables = wrapped(
        f'case "$*" in *nontemporal*) [ -e {hang} ] && {{ touch {hang}.now; sleep 10000; }};; esac; exec "$real" "$@"'
    )
    environment = os.environ | {"BANZUKE_RESULTS": str(results)} | variables
    with subprocess.Popen(
        [SCRIPTS / "banzuke", *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not Path(f"{hang}.now").exists():
            time.sleep(0.05)
            assert process.poll() is None
        process.send_signal(sent)
        _, errors = process.communicate(timeout=PATIENCE)
    if sent != signal.SIGKILL:
        assert process.returncode == 130
        assert "The same command continues it" in errors
        (folder,) = (path for path in results.iterdir() if path.is_dir())
        assert f"Interrupted after 1 of 2 launches. The run is {folder.name} in {folder}." in errors
        (advice,) = (line for line in errors.splitlines() if " report " in line)
        report = shlex.split(advice.partition(": ")[2])
        assert report[1:] == ["report", folder.name, "--results", str(results)]
        assert banzuke(*report[1:]).returncode == 0
        assert (folder / "report.html").is_file()
    hang.unlink()

    again = banzuke(*words, **variables)
    assert again.returncode == 0, again.stderr
    assert "continuing" in again.stderr
    records = json.loads(again.stdout)["records"]
    assert [record["parameters"]["stores"] for record in records] == ["plain", "nontemporal"]
    assert len({file.parent for file in results.glob("*/records-*.jsonl")}) == 1
    assert datetime.fromisoformat(records[0]["ended"]) < datetime.fromisoformat(records[1]["started"])


@pytest.fixture
def started(results: Path) -> Iterator[Start]:
    """Return a function that starts `banzuke ...` in the background with readable errors; keywords are variables."""
    with contextlib.ExitStack() as stack:

        def start(*words: str, **variables: str) -> "subprocess.Popen[str]":
            process = subprocess.Popen(
                [SCRIPTS / "banzuke", *words],
                env=os.environ | {"BANZUKE_RESULTS": str(results)} | variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield start


def at_work(results: Path) -> set[int]:
    """Return the processes that a run into the folder has started, including itself."""
    return bearers(Tree(), [f"BANZUKE_RESULTS={results}"])


@pytest.mark.parametrize("ranks", [1, 2])
def test_nothing_outlives_a_killed_front_end(
    wrapped: Wrapped, results: Path, tmp_path: Path, started: Start, ranks: int
) -> None:
    """This includes the launcher, ranks, and what has left their sessions."""
    there = tmp_path / "there"
    variables = wrapped(f"setsid sleep 10000 & echo >> {there}; exec sleep 10000")
    process = started("run", "stream", *SMALL, "--ranks", str(ranks), "--threads", "1", **variables)
    wait_for(lambda: there.exists() and len(there.read_text()) == ranks)
    process.kill()
    process.wait()
    wait_for(lambda: not at_work(results))


def test_a_killed_run_is_cleared_away_before_the_next_one_measures(
    banzuke: Banzuke, wrapped: Wrapped, results: Path, tmp_path: Path, started: Start
) -> None:
    """It is also cleared if nothing was left to do it at once."""
    there = tmp_path / "there"
    variables = wrapped(f'[ -e {there} ] && exec "$real" "$@"; touch {there}; exec sleep 10000')
    process = started("run", "stream", *SMALL, **variables)
    wait_for(there.exists)
    begun = at_work(results)
    watchdog = next(pid for pid in begun if b"banzuke.launch.watchdog" in Path(f"/proc/{pid}/cmdline").read_bytes())
    for pid in (watchdog, process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    assert at_work(results)

    again = banzuke("run", "stream", *SMALL, "--json", **variables)
    assert "stopped 1 process left behind by a killed run" in again.stderr
    assert [record["status"] for record in json.loads(again.stdout)["records"]] == ["ok"]
    assert not at_work(results)


def test_two_runs_do_not_measure_beside_each_other(
    wrapped: Wrapped, results: Path, tmp_path: Path, started: Start
) -> None:
    hold, there = tmp_path / "hold", tmp_path / "there"
    hold.touch()
    variables = wrapped(f'touch {there}; while [ -e {hold} ]; do sleep 0.1; done; exec "$real" "$@"')
    first = started("run", "stream", *SMALL, **variables)
    wait_for(there.exists)
    second = started("run", "stream", *SMALL, "--fresh", **variables)
    assert second.stderr
    assert second.stderr.readline() == f"waiting for process {first.pid}, which is measuring into {results}\n"
    hold.unlink()
    assert (first.wait(), second.wait()) == (0, 0)
    both = [read(file).records[0] for file in results.glob("*/records-*.jsonl")]
    earlier, later = sorted(both, key=lambda record: record.started)  # folders of one second have any order
    assert earlier.ended < later.started


@pytest.mark.skipif(os.geteuid() != 0, reason="hardware: only root mounts")
@pytest.mark.parametrize("named", ["absolute", "relative"])
def test_a_run_whose_file_system_is_unmounted_is_not_taken_for_done(
    wrapped: Wrapped, tmp_path: Path, started: Start, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """The unmount is lazy: processes that have files open can still reach them, but nobody else can."""
    disk, there, hold = (tmp_path / name for name in ("disk", "there", "hold"))
    disk.mkdir()
    hold.touch()
    if subprocess.run(["mount", "-t", "tmpfs", "banzuke-test", disk], check=False).returncode != 0:
        pytest.skip("hardware: nobody may mount here")
    try:
        monkeypatch.chdir(disk)
        variables = wrapped(f'touch {there}; while [ -e {hold} ]; do sleep 0.1; done; exec "$real" "$@"')
        variables["BANZUKE_RESULTS"] = str(disk / "results") if named == "absolute" else "results"
        process = started("run", "stream", *SMALL, **variables)
        wait_for(there.exists)
    finally:
        monkeypatch.undo()
        subprocess.run(["umount", "-l", disk], check=True)
    hold.unlink()
    assert process.wait() == 2
    assert process.stderr
    said = " ".join(process.stderr.read().split())
    assert "is no longer there (its file system was unmounted" in said
    assert [*disk.iterdir()] == []
