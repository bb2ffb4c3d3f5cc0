"""Tests of one problem on several hosts: solved and checked, limited by their link, refused if impossible."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SCRIPTS, SMALL, Banzuke, Result, Wrapped, on_all
from tests.namespaces import NETWORK, Hosts
from tests.patience import PATIENCE
from tests.test_faults import refused

MPIEXEC = SCRIPTS / "mpiexec"
ONE_EACH = ("--ranks", "2", "--threads", "1")
LINK = ("test=bandwidth", "min_size=65536", "max_size=65536", "iterations=3", "window=16")


def settings(*values: str) -> list[str]:
    return [word for value in values for word in ("--set", value)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all tests, so that ceilings are measured once."""
    return tmp_path_factory.mktemp("hosts") / "results"


@pytest.fixture(scope="module")
def link_known(hosts: Hosts, results: Path, programs: Path) -> None:
    """Measure the link quickly, because a run would take a quarter of a minute."""
    done = on_all(hosts, results, programs)("run", "pt2pt", "--placement", "other-node", *settings(*LINK), **NETWORK)
    assert done.returncode == 0, done.stderr


def only_record(done: Result) -> dict[str, Any]:
    assert done.stdout, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    return dict(record)


def demanded(record: dict[str, Any]) -> float:
    """Return the bytes on the busiest host's link."""
    assert record["status"] == "ok", record["reason"]
    (demand,) = [demand for demand in record["metrics"]["flop_rate"]["demand"] if demand["resource"] == "link.bytes"]
    assert demand["busiest"] == "host"
    return float(demand["amount"])


@pytest.mark.usefixtures("link_known")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hpl", settings("n=1000", "nb=64")),
        ("hpcg", [*ONE_EACH, *settings("nx=16", "ny=16", "nz=16", "seconds=0")]),
        ("geofem", [*ONE_EACH, *settings("nx=20", "ny=10", "nz=10")]),
        ("fft", settings("n=90000", "rounds=2")),
    ],
)
def test_all_hosts_solve_one_problem(across: Banzuke, name: str, words: list[str]) -> None:
    done = across("run", name, "--nodes", "2", *words, "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    record = only_record(done)
    assert [hosts["names"] for hosts in record["groups"][0]["hosts"]] == ["h[1-2]"]
    assert record["provenance"]["placement"].startswith("2-nodes-")
    assert {check["passed"] for check in record["verification"]} == {True}


# ------------------------------------------------------------------------------------------ what goes over the link

FRAMES = 1514 / 1448
"""Most bytes of frames per byte of a message, because the kernel gives the card several messages at once. Replies, and
what is sent before and after the timing, are added.
"""


def launched(hosts: Hosts, ranks: int, program: str, *words: object) -> tuple[dict[str, Any], float]:
    """Return the record, and the bytes that the busiest host's card carried during the launch."""
    command = [MPIEXEC, "-n", ranks, "-ppn", ranks // 2, "-hosts", ",".join(hosts.names), SCRIPTS / program, *words]
    blas = next(SCRIPTS.parent.glob("lib/python*/site-packages/scipy_openblas32/lib/*.so"))
    variables = {**NETWORK, **hosts.variables, "OMP_NUM_THREADS": "1", "BANZUKE_BLAS": str(blas)}
    before = [hosts.carried(name) for name in hosts.names]
    done = subprocess.run(
        hosts.on("h1", *map(str, command), "--binding", "0|1"),
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    carried = max(hosts.carried(name) - sent for name, sent in zip(hosts.names, before, strict=True))
    return json.loads(done.stdout), carried


@pytest.mark.parametrize(
    ("ranks", "p", "q", "order"),
    [
        (2, 1, 2, "row"),
        (2, 2, 1, "row"),
        (4, 2, 2, "column"),
        pytest.param(4, 2, 2, "row", marks=pytest.mark.thorough),
    ],
)
def test_hpls_panels_and_rows_are_what_the_card_counts(hosts: Hosts, ranks: int, p: int, q: int, order: str) -> None:
    words = ("--n", 3000, "--nb", 100, "--p", p, "--q", q, "--order", order)
    record, carried = launched(hosts, ranks, "banzuke-hpl-blas", *words)
    assert 1 < carried / demanded(record) < 1.15 * FRAMES


def test_hpcgs_halos_are_what_the_card_counts(hosts: Hosts) -> None:
    """The bytes are the difference of a longer and a shorter run, which have the same reference part and tests."""
    words = ("--nx", 16, "--ny", 16, "--nz", 16, "--seconds")
    short, few = launched(hosts, 2, "banzuke-hpcg-omp", *words, 0)
    for time in (2, 6, 20, 100):  # even two seconds may have only one set if other processes keep the processors busy
        long, many = launched(hosts, 2, "banzuke-hpcg-omp", *words, time)
        if long["conditions"]["sets"] > short["conditions"]["sets"]:
            break
    else:
        pytest.fail("no longer run had more sets")
    assert 1 < (many - few) / (demanded(long) - demanded(short)) < 1.2 * FRAMES


@pytest.mark.parametrize(
    ("ranks", "deal"), [(2, "equal"), (2, "1:3"), pytest.param(4, "equal", marks=pytest.mark.thorough)]
)
def test_geofems_halos_are_what_the_card_counts(hosts: Hosts, ranks: int, deal: str) -> None:
    """The rates are measured without messages."""
    words = ("--nx", 40, "--ny", 20, "--nz", 20, "--deal", deal)
    record, carried = launched(hosts, ranks, "banzuke-geofem-omp", *words)
    assert 1 < carried / demanded(record) < 1.1 * FRAMES


# ------------------------------------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["hpl", "--nodes", "2", "--set", "p=3", "--set", "q=1"], "a grid of p x q = 3 x 1 takes 3 ranks"),
        (["hpcg", "--nodes", "2", "--ranks", "2", "--set", "px=3"], "no grid of 3 x 0 x 0 processes"),
        (["geofem", "--nodes", "2", "--ranks", "2", "--set", "px=3"], "2 ranks cannot be a grid of 3 x"),
        (["hpl", "--nodes", "2", "--ranks", "3"], "3 ranks cannot be spread evenly over 2 hosts. Use 2 or 4 ranks"),
        (["hpl", "--nodes", "3"], "--nodes 3 is more than there are (2 hosts may be used)"),
        (["stream", "hpl", "--nodes", "2"], "stream cannot run on 2 hosts (each host is measured by itself)"),
    ],
)
def test_what_cannot_be_is_refused(banzuke: Banzuke, words: list[str], error: str) -> None:
    assert error in refused(banzuke("run", *words, "--hosts", "h1,h2", COLUMNS="300"))


def test_a_case_of_one_rank_runs_on_the_host_that_was_named(hosts: Hosts, programs: Path, tmp_path: Path) -> None:
    first, second = hosts.names
    words = ("run", "stream", *SMALL, "--ranks", "1", "--hosts", second, "--json")
    environment = os.environ | {"BANZUKE_LIBEXEC": str(programs), "BANZUKE_RESULTS": str(tmp_path)}
    done = subprocess.run(
        [*hosts.banzuke(first), *words],
        env=environment | hosts.variables | NETWORK,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (group,) = only_record(done)["groups"]
    assert [host["names"] for host in group["hosts"]] == [second]


@pytest.mark.usefixtures("link_known")
def test_a_rank_that_dies_on_another_host_ends_all_and_is_named(across: Banzuke, wrapped: Wrapped) -> None:
    """On a busy machine a launcher may name a rank that it killed itself, but not each time."""
    killed = '[ "$PMI_RANK" = 1 ] && (sleep 0.5; kill -KILL $$) > /dev/null 2>&1 & exec "$real" "$@"'
    words = (*ONE_EACH, *settings("n=20000", "nb=64"))
    reasons: list[str] = []
    while not any("rank 1" in reason for reason in reasons):
        assert len(reasons) < 3, reasons
        variables = wrapped(killed, "banzuke-hpl-blas")
        done = across("run", "hpl", "--nodes", "2", *words, "--fresh", "--json", **NETWORK, **variables)
        assert done.returncode == 1, done.stderr
        record = only_record(done)
        assert (record["status"], record["metrics"]) == ("failed", {})
        assert "killed by signal 9 (SIGKILL)" in record["reason"]
        reasons.append(record["reason"])


def test_an_evaluation_runs_what_spans_hosts_on_all_of_them(across: Banzuke) -> None:
    done = across("evaluate", "--only", "hpl,stream", "--nodes", "2", "--dry-run", "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    assert "stream: on one host each" in " ".join(done.stderr.split())
    commands = json.loads(done.stdout)["commands"]
    assert {"-hosts h1,h2" in command for command in commands if "banzuke-hpl" in command} == {True}
    assert {"-hosts h1,h2" in command for command in commands if "banzuke-stream" in command} == {False}
