"""Tests of message passing end to end: placement of ranks, bytes on the network, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from banzuke.record.model import Record
from tests.conftest import Banzuke, Result
from tests.namespaces import NETWORK, Hosts
from tests.test_faults import refused

QUICK = ("--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=20")


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
    large = ("--set", "test=latency", "--set", "min_size=4194304", "--set", "max_size=4194304", "--set", "iterations=5")
    record = only_record(across("run", "pt2pt", "--placement", "other-node", *large, "--json", UCX_TLS="sm,self"))
    if record["status"] == "ok" and record["conditions"]["network_bytes"] > 5 * 4 << 20:
        pytest.skip("this MPI library takes the network between hosts under one kernel; MPICH from PyPI does not")
    assert record["status"] == "failed"
    assert record["metrics"] == {}
    assert "no network interface carried" in record["reason"]


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
