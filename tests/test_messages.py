"""Tests of message passing end to end: placement of ranks, bytes on the network, ranks that die or hang."""

import contextlib
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from banzuke.record.model import Record
from banzuke.views.curve.regimes import regimes
from banzuke.views.curve.statistics import message_times
from tests.conftest import Banzuke, Result, Wrapped, on_all, or_skipped
from tests.namespaces import NETWORK, TOOLS, Hosts, joined_hosts
from tests.test_faults import refused

pytestmark = pytest.mark.alone
"""Rates of links are compared with their true values, and ranks that wait for each other take two processors."""
Around = Callable[[str], dict[str, str]]

QUICK = ("--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=20")
ENDLESS = ("--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=1000000")
"""Options of a case that takes many seconds, of which a test waits for one."""
RANK = "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"


def only_record(done: Result) -> dict[str, Any]:
    assert done.stdout, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    return dict(record)


def stored(results: Path) -> Record:
    """Return the only record of the only run, with its samples."""
    (file,) = results.glob("*/records-*.jsonl")
    return Record.model_validate_json(file.read_text())


# ------------------------------------------------------------------------------------------------------ two hosts


@pytest.mark.parametrize(
    ("words", "bytes_sent"),
    [
        (("pt2pt", "--set", "test=bandwidth", "--set", "min_size=65536", "--set", "max_size=65536"), 64 * 65536 * 5),
        (("collectives", "--set", "operation=alltoall", "--set", "min_size=65536", "--set", "max_size=65536"), 65536),
    ],
    ids=["pt2pt", "collectives"],
)
def test_messages_between_hosts_go_over_the_network(
    across: Banzuke, results: Path, words: tuple[str, ...], bytes_sent: int
) -> None:
    placement = "other-node" if words[0] == "pt2pt" else "2-nodes-1"
    done = across("run", *words, "--set", "iterations=5", "--placement", placement, "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    record = stored(results)
    assert record.provenance is not None
    assert record.provenance.placement == placement
    assert [(host.name, host.ranks) for host in record.hosts] == [("h1", [0]), ("h2", [1])]
    assert len({threads for binding in record.binding for threads in binding.threads}) == 2
    assert record.conditions["network_interface"] == "eth0"
    sent = record.conditions["network_bytes"]
    assert isinstance(sent, int | float)
    assert sent > bytes_sent
    if words[0] == "pt2pt":
        (demand,) = record.metrics["bandwidth"].demand
        assert (demand.resource, demand.amount, demand.busiest) == ("link.bytes", 64 * 65536, "host")


def test_messages_that_no_interface_carried_are_no_figure(across: Banzuke) -> None:
    words = ("run", "pt2pt", "--placement", "other-node", "--set", "test=latency", "--set", "iterations=100")
    record = only_record(across(*words, "--json", UCX_TLS="sm,self"))
    if record["status"] == "ok" and record["conditions"]["network_bytes"] > 2 * 4 << 20:
        pytest.skip("this MPI library takes the network between hosts under one kernel; MPICH from PyPI does not")
    assert record["status"] == "failed"
    assert record["metrics"] == {}
    assert "no network interface carried" in record["reason"]


def test_the_rate_of_a_shaped_link_comes_out_of_the_fit(across: Banzuke, hosts: Hosts, results: Path) -> None:
    """Each packet of 1514 bytes, which tc counts, carries 1448 bytes."""
    words = ("--set", "test=latency", "--set", "min_size=262144", "--set", "max_size=4194304", "--set", "iterations=5")
    with hosts.shaped("200mbit"):
        done = across("run", "pt2pt", "--placement", "other-node", *words, **NETWORK)
    assert done.returncode == 0, done.stderr
    record = stored(results)
    assert record.curve is not None
    (regime,) = regimes(message_times(record.curve, "latency"))
    assert regime.beta
    assert regime.beta.known == pytest.approx(200e6 / 8 * 1448 / 1514, rel=0.1)


def test_a_host_that_sends_slowly_is_named_and_no_pair_on_one_processor(
    tmp_path: Path, results: Path, programs: Path
) -> None:
    words = ("--set", "test=pairs", "--set", "window=2", "--set", "iterations=10")
    with (
        or_skipped(TOOLS, joined_hosts(tmp_path, ("h1", "h2", "h3"))) as three,
        three.shaped("270mbit", sending={"h3": "90mbit"}),
    ):
        done = on_all(three, results, programs)("run", "pt2pt", "--placement", "3-nodes-1", *words, "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    record = only_record(done)
    rates = record["pairs"]["bandwidth"]
    sent = list(zip(rates["from"], rates["values"], strict=True))
    assert sorted(sender for sender, _ in sent) == [0, 0, 1, 1, 2, 2]
    assert all(rate < 90e6 / 8 for sender, rate in sent if sender == 2)
    named = [cause["text"] for cause in record["causes"] if cause["code"].startswith("views-slow")]
    named_ranks = [re.sub(r", processor \d+", "", text) for text in named]
    assert "rank 2 (h3) sends slowly" in named_ranks
    assert not [text for text in named_ranks if "rank 0 (h1)" in text and "rank 2 (h3)" in text]
    processors = [binding["threads"] for binding in record["groups"][0]["binding"]]
    assert ("ranks_of_one_processor" in record["conditions"]) == (len(processors) < 3)


def test_a_transform_over_two_hosts_is_limited_by_their_link(across: Banzuke, hosts: Hosts) -> None:
    """Each host sends a quarter of the numbers in each of three exchanges, or of one."""
    n, rate = 1 << 18, 200e6 / 8 * 1448 / 1514
    link = ("--set", "test=bandwidth", "--set", "min_size=65536", "--set", "max_size=65536", "--set", "iterations=3")
    call = ("--set", f"n={n}", "--set", "rounds=3", "--set", "order=natural,cyclic", "--placement", "2-nodes-1")
    with hosts.shaped("200mbit"):
        assert across("run", "pt2pt", "--placement", "other-node", *link, **NETWORK).returncode == 0
        done = across("run", "fft", *call, "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    assert "bandwidth of a host's link: from run" in done.stderr
    natural, cyclic = json.loads(done.stdout)["records"]
    for record, exchanges in ((natural, 3), (cyclic, 1)):
        time = record["metrics"]["time"]
        assert time["limit"] == pytest.approx(exchanges * 16 * n / 4 / rate, rel=0.1)
        assert "bandwidth of a host's link" in time["limit_source"]
        assert 0.3 < time["fraction_of_limit"] < 1.1
        spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
        assert spent["exchange"] > 0.5 * sum(spent.values())
        assert any("of the measured bandwidth of a host's link" in sentence["text"] for sentence in record["verdict"])
        assert not [cause for cause in record["causes"] if cause["code"] == "limit-idle-cores"]


def test_the_bracket_over_two_hosts_is_limited_by_their_link(across: Banzuke, hosts: Hosts) -> None:
    """Each of two ranks sends half of psi and of chi, and half of each v in both directions; 12 and 60 divide evenly.

    The 2 MB that it sends in a round are far more than the link's burst.
    """
    nx, ky, z, v, m, rate = 20, 12, 4, 6, 15, 200e6 / 8 * 1448 / 1514
    link = ("--set", "test=bandwidth", "--set", "min_size=65536", "--set", "max_size=65536", "--set", "iterations=3")
    shape = {"nx": nx, "ny": ky - 1, "nz": z // 2, "nv": v // 2, "nm": m - 1, "rounds": 3}
    call = [word for name, value in shape.items() for word in ("--set", f"{name}={value}")]
    with hosts.shaped("200mbit"):
        assert across("run", "pt2pt", "--placement", "other-node", *link, **NETWORK).returncode == 0
        done = across("run", "gkv", "--set", "kernel=fft", *call, "--placement", "2-nodes-1", "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    sent = 16 * (2 + 2 * v) * (2 * nx + 1) * ky * z * m / 4
    assert record["metrics"]["time"]["limit"] == pytest.approx(sent / rate, rel=0.1)
    assert 0.3 < record["metrics"]["time"]["fraction_of_limit"] < 1.1
    spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
    assert spent["alltoall"] > 0.5 * sum(spent.values())
    assert any("of the measured bandwidth of a host's link" in sentence["text"] for sentence in record["verdict"])


def test_two_hosts_that_were_one_are_an_error(across: Banzuke, hosts: Hosts, tmp_path: Path) -> None:
    """This is as if two names in a host list were the same machine, for which Open MPI's launcher waits for ever."""
    agent = tmp_path / "agent"
    agent.write_text(hosts.agent.read_text().replace(str(hosts.processes["h2"]), str(hosts.processes["h1"])))
    agent.chmod(0o755)
    misled = {name: str(agent) for name, value in hosts.variables.items() if value == str(hosts.agent)}
    done = across("run", "pt2pt", *QUICK, "--placement", "other-node", "--timeout", "10", "--json", **NETWORK, **misled)
    assert done.returncode == 1, done.stderr
    record = only_record(done)
    assert record["status"] == "failed"
    assert re.search("placement other-node did not take effect|exceeded its time limit", record["reason"])


# ------------------------------------------------------------------------------------------------------- one host


@pytest.mark.parametrize("variables", [{}, {"GOMP_CPU_AFFINITY": "0", "OMP_PROC_BIND": "true"}], ids=["", "affinity"])
def test_ranks_stand_where_they_were_put_whatever_affinity_variables_say(
    banzuke: Banzuke, results: Path, variables: dict[str, str]
) -> None:
    done = banzuke("run", "pt2pt", *QUICK, "--placement", "same", "--json", **variables)
    assert done.returncode == 0, done.stderr
    for line in next(results.glob("*/records-*.jsonl")).read_text().splitlines():
        record = Record.model_validate_json(line)
        assert record.provenance is not None
        asked = record.provenance.command[record.provenance.command.index("--binding") + 1].split("|")
        assert asked[0] != asked[1]
        assert [binding.threads for binding in record.binding] == [[asked[0]], [asked[1]]]


def test_a_rank_that_is_moved_gives_no_figure(banzuke: Banzuke, pt2pt: Around) -> None:
    everywhere = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    move = f"while kill -0 $$; do taskset -acp {everywhere} $$; sleep 0.05; done"  # taskset does not report its end
    script = f'[ "{RANK}" = 1 ] && {{ ({move}) > /dev/null 2>&1 & }}; exec "$real" "$@"'
    words = ("--set", "test=latency", "--set", "min_size=4096", "--set", "max_size=4096", "--set", "iterations=50000")
    done = banzuke("run", "pt2pt", *words, "--placement", "same", "--json", **pt2pt(script))
    assert done.returncode == 1, done.stderr
    record = only_record(done)
    assert record["metrics"] == {}
    assert "was moved while it ran" in record["reason"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["pt2pt", "--ranks", "1"], "needs 2 ranks"),
        (
            ["pt2pt", "--ranks", "3", "--oversubscribe", "--set", "test=multi-pair"],
            "needs an even number of ranks, not 3). Nearest: 2 ranks",
        ),
        (["pt2pt", "--ranks", "4", "--oversubscribe", "--set", "test=bandwidth"], "bandwidth is between 2 ranks"),
        (["collectives", "--ranks", "1"], "needs at least 2 ranks"),
        (["pt2pt", "--set", "max_size=99999999999"], "max_size: 99999999999 is outside 0 to"),
        (
            ["pt2pt", "--set", "min_size=3", "--set", "max_size=3"],
            "no power of two is a message size from min_size 3 to max_size 3",
        ),
        (["pt2pt", "--placement", "same-planet"], "there is no placement 'same-planet' here"),
        (["pt2pt", "--placement", "other-node"], "there is no placement 'other-node' here"),
        (["pt2pt", "--placement", "same", "--ranks", "2"], "--placement already sets --ranks"),
        (["stream", "--placement", "same"], "stream takes no --placement"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_measured_is_refused(banzuke: Banzuke, words: list[str], error: str) -> None:
    assert error in refused(banzuke("run", *words, COLUMNS="300"))


# ----------------------------------------------------------------------------------------- ranks that die or hang


@pytest.fixture
def pt2pt(wrapped: Wrapped) -> Around:
    """Return `wrapped` for the point-to-point program."""
    return lambda script: wrapped(script, "banzuke-pt2pt-mpi")


def gone(file: Path) -> bool:
    """Return whether the process whose number is in the file has ended."""
    for _ in range(50):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), 0)
            time.sleep(0.1)
            continue
        return True
    return False


def disturbed(folder: Path, signal: str) -> str:
    """Return a script whose rank 1 gets the signal during messages, which rank 0's first output shows."""
    return (
        f'echo $$ > "{folder}/{RANK}"\n'
        f'[ "{RANK}" = 0 ] && exec 2> >(tee "{folder}/said" >&2)\n'
        f'[ "{RANK}" = 1 ] && (until grep -qs processes "{folder}/said"; do sleep 0.05; done\n'
        f"sleep 0.3; kill -{signal} $$) > /dev/null 2>&1 &\n"
        'exec "$real" "$@"'
    )


def test_a_rank_that_is_killed_in_the_middle_is_named(banzuke: Banzuke, pt2pt: Around, tmp_path: Path) -> None:
    reasons = []
    for attempt in map(str, range(3)):  # on a busy machine a launcher may name a rank that it killed itself
        folder = tmp_path / attempt
        folder.mkdir()
        done = banzuke("run", "pt2pt", *ENDLESS, "--placement", "same", "--json", **pt2pt(disturbed(folder, "KILL")))
        assert done.returncode == 1, done.stderr
        record = only_record(done)
        assert record["status"] == "failed"
        assert record["metrics"] == {}
        assert "killed by signal 9 (SIGKILL)" in record["reason"]
        assert gone(folder / "0")
        reasons.append(record["reason"])
        if "rank 1" in record["reason"]:
            return
    pytest.fail(f"rank 1 is never named: {reasons}")


def test_a_rank_that_stops_is_told_by_the_last_steps(banzuke: Banzuke, pt2pt: Around, tmp_path: Path) -> None:
    variables = pt2pt(disturbed(tmp_path, "STOP"))
    done = banzuke("run", "pt2pt", *ENDLESS, "--placement", "same", "--timeout", "3", "--json", **variables)
    assert done.returncode == 1, done.stderr
    reason = only_record(done)["reason"]
    assert "exceeded its time limit of 3 s" in reason
    assert "rank 0: latency" in reason
    assert "rank 1: nothing was heard" in reason
    assert gone(tmp_path / "0")
    assert gone(tmp_path / "1")
