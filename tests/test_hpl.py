"""Tests of HPL end to end: every grid and method solves the same problem; errors are reported and leave nothing."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from banzuke.cpu_lists import parse_cpus
from banzuke.paths import executables
from tests.conftest import SCRIPTS, Banzuke, Result
from tests.patience import PATIENCE
from tests.test_input_file import HPL_DAT

PROGRAM = executables() / "banzuke-hpl-blas"
GRIDS = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2))
ORDERS = (1, 20, 250)
BLOCKS = (1, 32)
ORDER = 250
LARGE = 9000
"""An order that takes seconds."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all tests, so that libraries are probed once."""
    return tmp_path_factory.mktemp("hpl") / "results"


@pytest.fixture(scope="module", autouse=True)
def expected(results: Path, programs: Path) -> Iterator[str]:
    """Yield the digest of the pivots of `ORDER`, from one process with one block: no exchange, no update.

    From then on only the library that it used is probed, even if other load prevents a ranking from being stored.
    """
    words = ["run", "hpl", *settings(n=ORDER, nb=ORDER), "--threads", "1", "--json", "--results", str(results)]
    env = os.environ | {"BANZUKE_LIBEXEC": str(programs)}
    done = subprocess.run(
        [SCRIPTS / "banzuke", *words], env=env, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    (record,) = records(done)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANZUKE_BLAS", record["groups"][0]["software"]["blas_path"])
        yield record["conditions"]["pivots"]


@pytest.fixture
def solved(banzuke: Banzuke) -> Banzuke:
    """Return `banzuke run hpl ... --json` on any number of processors; all cases must verify."""

    def call(*words: str | Path, **variables: str) -> Result:
        done = banzuke("run", "hpl", *words, "--threads", "1", "--oversubscribe", "--json", **variables)
        assert done.returncode == 0, done.stderr
        return done

    return call


def records(done: Result) -> list[dict[str, Any]]:
    launches: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return launches


def settings(**parameters: object) -> list[str]:
    return [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]


def pivots(done: Result) -> dict[int, set[str]]:
    """Return the digests by order."""
    by_order: dict[int, set[str]] = {}
    for record in records(done):
        by_order.setdefault(record["parameters"]["n"], set()).add(record["conditions"]["pivots"])
    return by_order


@pytest.mark.thorough  # the C++ tests of ranks have the same grids
def test_every_grid_takes_the_same_pivots(solved: Banzuke, tmp_path: Path) -> None:
    lines = HPL_DAT.format(output="HPL.out", device=6, q=1).splitlines()
    lines[4:8] = map(" ".join, (["3"], map(str, ORDERS), ["2"], map(str, BLOCKS)))
    lines[9:12] = ["6", *(" ".join(map(str, side)) for side in zip(*GRIDS, strict=True))]
    file = tmp_path / "HPL.dat"
    file.write_text("\n".join(lines))
    done = solved("--input", file)
    ran = {tuple(record["parameters"][name] for name in ("p", "q", "n", "nb")) for record in records(done)}
    assert ran == {(p, q, n, nb) for p, q in GRIDS for n in ORDERS for nb in BLOCKS}
    by_order = pivots(done)
    assert [len(by_order[n]) for n in ORDERS] == [1, 1, 1]
    assert len(set.union(*by_order.values())) == len(ORDERS), "a digest that is always the same shows nothing"


@pytest.mark.parametrize(
    ("grid", "methods"),
    [
        ((1, 1), {"nb": "1,300", "nbmin": "1,16"}),
        ((2, 3), {"broadcast": "ring-modified,long", "lookahead": "0,1"}),
        ((3, 2), {"swap": "binary-exchange,spread-roll,mixed"}),
        ((3, 2), {"order": "column"}),
        # The C++ tests of ranks also have all of these.
        pytest.param((1, 1), {"nb": "7,64", "nbmin": "1,16"}, marks=pytest.mark.thorough),
        pytest.param(
            (2, 3),
            {"broadcast": "ring,two-ring,two-ring-modified,long-modified", "lookahead": "0,1"},
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            (3, 2),
            {"swap": "binary-exchange,spread-roll,mixed", "split": "0,0.6", "lookahead": "0,1"},
            marks=pytest.mark.thorough,
        ),
    ],
    ids=["panels", "broadcasts", "swaps", "orders of ranks", "all panels", "all broadcasts", "all swaps"],
)
def test_every_method_takes_the_same_pivots(
    solved: Banzuke, expected: str, grid: tuple[int, int], methods: dict[str, str]
) -> None:
    p, q = grid
    fixed: dict[str, object] = {"n": ORDER, "nb": 16, "p": p, "q": q}
    done = solved("--ranks", str(p * q), *settings(**fixed | methods))
    tried = [tuple(str(record["parameters"][name]) for name in methods) for record in records(done)]
    assert {frozenset(column) for column in zip(*tried, strict=True)} == {
        frozenset(values.split(",")) for values in methods.values()
    }
    assert pivots(done) == {ORDER: {expected}}


def running(results: Path) -> list[int]:
    """Return the ranks of HPL that were started with these results; a process that has ended has no name."""
    ranks = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, _, _ = (folder / "cmdline").read_bytes().partition(b"\0")
            if name.endswith(b"/banzuke-hpl-blas") and os.fsencode(results) in (folder / "environ").read_bytes():
                ranks.append(int(folder.name))
    return ranks


def resident(process: int) -> int:
    """Return the resident bytes; 0 if it has ended, such as one that only described itself."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


@contextlib.contextmanager
def in_the_middle(
    results: Path, n: int, words: Sequence[str], layout: Sequence[str] = ("--ranks", "2", "--threads", "1")
) -> Iterator["subprocess.Popen[str]"]:
    """Yield `banzuke run hpl` on two ranks once the matrix of order `n` exists and is being worked on."""
    with subprocess.Popen(
        [SCRIPTS / "banzuke", "run", "hpl", *layout, "--json", *words],
        env=os.environ | {"BANZUKE_RESULTS": str(results)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            # Groups of processors get unlike shares of the matrix where their rates differ.
            while len(ranks := running(results)) < 2 or sum(map(resident, ranks)) < 0.99 * 8 * n * n:
                assert process.poll() is None, ranks
                time.sleep(0.02)
            yield process
        finally:
            process.kill()
            for rank in running(results):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rank, signal.SIGKILL)


def test_a_rank_that_is_killed_ends_the_run(results: Path) -> None:
    """Each rank is a group of its own where there are processors for two: the job then has several programs."""
    allowed = sorted(os.sched_getaffinity(0))
    groups = ("--groups", f"{allowed[0]}+{allowed[1]}") if len(allowed) > 1 else ("--ranks", "2", "--threads", "1")
    with in_the_middle(results, LARGE, settings(n=LARGE), groups) as process:
        os.kill(running(results)[-1], signal.SIGKILL)
        output, _ = process.communicate(timeout=PATIENCE)
        assert running(results) == []
    assert process.returncode == 1
    (record,) = json.loads(output)["records"]
    assert record["status"] == "failed"
    assert "killed by signal 9 (SIGKILL)" in record["reason"]
    assert record["metrics"] == {}
    assert record["breakdown"] is None


def test_a_time_limit_ends_all_ranks(banzuke: Banzuke, results: Path) -> None:
    done = banzuke("run", "hpl", "--ranks", "2", "--threads", "1", "--timeout", "1", "--json", *settings(n=LARGE))
    assert done.returncode == 1
    (record,) = records(done)
    reason, *steps = record["reason"].split("; ")
    assert reason == "exceeded its time limit of 1 s and was ended"
    assert sum(len(parse_cpus(step.split(": ")[0].split(" ")[1])) for step in steps) == 2, steps  # for every rank
    assert running(results) == []


@pytest.mark.thorough  # half a minute; test_faults.py interrupts other programs
def test_an_interrupt_ends_all_ranks_and_the_run_goes_on_later(banzuke: Banzuke, results: Path) -> None:
    n = 6000
    words = settings(n=f"100,{n}")
    with in_the_middle(results, n, words) as process:
        os.kill(running(results)[0], signal.SIGSTOP)  # otherwise they might end by themselves
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert running(results) == []
    assert process.returncode == 130
    assert "The same command continues it" in errors
    again = banzuke("run", "hpl", "--ranks", "2", "--threads", "1", "--json", *words)
    assert again.returncode == 0, again.stderr
    assert "continuing" in again.stderr
    assert [record["parameters"]["n"] for record in records(again)] == [100, n]


def test_an_order_too_large_is_answered_with_the_largest_that_fits(banzuke: Banzuke, results: Path) -> None:
    before = set(results.glob("*"))
    done = banzuke("run", "hpl", "--ranks", "2", "--threads", "1", *settings(n=10**6))
    assert done.returncode == 2, done.stdout
    needed = re.search(r"hpl with n=1000000 .* needs ([\d.]+) TiB of memory", done.stderr)
    allowed = re.search(r"\(([\d.]+) ([GT])iB of [\d.]+ .iB may be used now\)", done.stderr)
    largest = re.search(r"n=(\d+) is the largest that fits", done.stderr)
    assert needed, done.stderr
    assert allowed
    assert largest
    assert 1 <= float(needed[1]) * 2**40 / (8 * 10**12) < 1.1
    assert 0.85 < 8 * int(largest[1]) ** 2 / (float(allowed[1]) * {"G": 2**30, "T": 2**40}[allowed[2]]) <= 1
    assert {path for path in set(results.glob("*")) - before if path.is_dir()} == set(), "nothing ran"


def test_the_memory_is_stated_before_the_run(banzuke: Banzuke) -> None:
    """It is printed from 1 GiB on."""

    def stated(n: int) -> re.Match[str] | None:
        words = ("run", "hpl", "--ranks", "2", "--threads", "1", *settings(n=n, nb=64), "--dry-run")
        return re.search(r"up to ([\d.]+) GiB of memory", banzuke(*words).stderr)

    n = 12_000
    match = stated(n)
    assert match
    assert 8 * n * n <= float(match[1]) * 2**30 < 1.2 * 8 * n * n
    assert not stated(1000)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["--ranks", "2", *settings(p=2, q=2)],
            "a grid of p x q = 2 x 2 takes 4 ranks, but there are 2). Nearest: 4 ranks or p=1 q=2",
        ),
        (settings(n=100, split=1.5), "split: 1.5 is outside 0 to"),
    ],
)
def test_calls_that_cannot_run(banzuke: Banzuke, words: list[str], error: str) -> None:
    done = banzuke("run", "hpl", *words)
    assert done.returncode == 2, done.stdout
    assert error in " ".join(done.stderr.split())
    assert not done.stdout


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        *((name, value, f"{name}: {value} is outside 1 to") for name in ("n", "nb", "p", "q") for value in ("0", "-3")),
        ("lookahead", "2", "lookahead: 2 is outside 0 to 1"),
        ("nbmin", "0", "nbmin: 0 is outside 1 to"),
        ("swap_threshold", "-1", "swap_threshold: -1 is outside 0 to"),
        ("split", "-0.1", "split: -0.1 is outside 0 to"),
        ("split", "nan", "split: 'nan' is not a finite number"),
        ("broadcast", "star", "is none of ring, ring-modified, two-ring, two-ring-modified, long, long-modified"),
        ("swap", "none", "'none' is none of binary-exchange, spread-roll, mixed"),
        ("order", "diagonal", "'diagonal' is none of row, column"),
    ],
)
def test_values_that_make_no_sense(name: str, value: str, error: str) -> None:
    words = [str(PROGRAM), f"--{name}", value, "--describe"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2, done.stdout
    assert error in done.stderr
    assert error in json.loads(done.stdout)["refused"]["why"]
