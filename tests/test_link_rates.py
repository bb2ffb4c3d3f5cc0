"""Tests of what the rate of a link is and limits, beside no other test: rates are compared with their true values."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from banzuke.placement.compare import compare
from banzuke.placement.pattern import Grid, as_pattern
from banzuke.placement.readers.read import parse
from banzuke.placement.topology import NetworkTopology
from banzuke.plan.catalogue import declared_flows
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.testing import patiently
from banzuke.views.curve.regimes import regimes
from banzuke.views.curve.statistics import message_times
from tests.conftest import Banzuke, on_all, or_skipped
from tests.namespaces import NETWORK, TOOLS, Divided, Hosts, joined_hosts, limit_windows
from tests.patience import PATIENCE
from tests.screening import Screened
from tests.test_hosts import FRAMES, LINK, settings
from tests.test_messages import only_record, stored
from tests.test_submit import forget_others

pytestmark = pytest.mark.alone


def test_the_rate_of_a_shaped_link_comes_out_of_the_fit(across: Banzuke, hosts: Hosts, results: Path) -> None:
    """Each packet of 1514 bytes, which tc counts, carries 1448 bytes."""

    def fitted(factor: float) -> None:
        sizes = ("min_size=262144", "max_size=4194304", f"iterations={3 * factor:g}")
        folder = results / f"{factor:g}"
        variables = NETWORK | {"BANZUKE_RESULTS": str(folder)}
        with hosts.shaped("200mbit"):
            words = ("run", "pt2pt", "--placement", "other-node", *settings("test=latency", *sizes))
            done = across(*words, **variables)
        assert done.returncode == 0, done.stderr
        record = stored(folder)
        assert record.curve is not None
        (regime,) = regimes(message_times(record.curve, "latency"))
        assert regime.beta
        assert regime.beta.known == pytest.approx(200e6 / 8 * 1448 / 1514, rel=0.1)

    patiently(fitted)


def test_a_host_that_sends_slowly_is_named_and_the_measured_pairs_are_a_network(
    tmp_path: Path, results: Path, programs: Path
) -> None:
    words = ("--set", "test=pairs", "--set", "window=2", "--set", "iterations=10")
    with (
        or_skipped(TOOLS, joined_hosts(tmp_path, ("h1", "h2", "h3"))) as three,
        three.shaped("270mbit", sending={"h3": "90mbit"}),
    ):
        banzuke = on_all(three, results, programs)
        done = banzuke("run", "pt2pt", "--placement", "3-nodes-1", *words, "--json", **NETWORK)
        (file,) = results.glob("2*/records-*.jsonl")
        placed = banzuke("place", "allgather", "--topology", file, "--seconds", "0", "--json")
    assert placed.returncode == 0, placed.stderr
    document = json.loads(placed.stdout)
    assert "place-note-measured" in document["notes"]
    assert sorted(document["hosts_of_ranks"]) == ["h1", "h2", "h3"]
    assert document["switches"] == 3, "h3 is at one of its own, and another joins them"
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


@pytest.fixture(scope="module")
def linked(hosts: Hosts, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Banzuke:
    """Return `on_all` for two hosts whose link was measured at 200 Mbit/s.

    A rate counts for later runs only if nobody disturbed its launch, but a link this slow is the same beside others.
    """
    folder = tmp_path_factory.mktemp("linked")
    across = on_all(hosts, folder, programs)
    with hosts.shaped("200mbit"):
        done = across("run", "pt2pt", "--placement", "other-node", *settings(*LINK), **NETWORK)
        assert done.returncode == 0, done.stderr
        forget_others(folder)
        planned = across("run", "fft", "--placement", "2-nodes-1", "--dry-run", **NETWORK)
        assert "bandwidth of a host's link: from run" in planned.stderr
    return across


def test_a_transform_over_two_hosts_is_limited_by_their_link(linked: Banzuke, hosts: Hosts) -> None:
    """Each host sends a quarter of the numbers in each of three exchanges, or of one."""
    n, rate = 1 << 18, 200e6 / 8 * 1448 / 1514
    call = ("--set", f"n={n}", "--set", "rounds=3", "--set", "order=natural,cyclic", "--placement", "2-nodes-1")
    with hosts.shaped("200mbit"):
        done = linked("run", "fft", *call, "--json", **NETWORK)
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


def test_the_bracket_over_two_hosts_is_limited_by_their_link(linked: Banzuke, hosts: Hosts) -> None:
    """Each of two ranks sends half of psi and of chi, and half of each v in both directions; 12 and 60 divide evenly.

    The 2 MB that it sends in a round are far more than the link's burst.
    """
    nx, ky, z, v, m, rate = 20, 12, 4, 6, 15, 200e6 / 8 * 1448 / 1514
    shape = {"nx": nx, "ny": ky - 1, "nz": z // 2, "nv": v // 2, "nm": m - 1, "rounds": 3}
    call = [word for name, value in shape.items() for word in ("--set", f"{name}={value}")]
    with hosts.shaped("200mbit"):
        done = linked("run", "gkv", "--set", "kernel=fft", *call, "--placement", "2-nodes-1", "--json", **NETWORK)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    sent = 16 * (2 + 2 * v) * (2 * nx + 1) * ky * z * m / 4
    assert record["metrics"]["time"]["limit"] == pytest.approx(sent / rate, rel=0.1)
    assert 0.3 < record["metrics"]["time"]["fraction_of_limit"] < 1.1
    spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
    assert spent["alltoall"] > 0.5 * sum(spent.values())
    assert any("of the measured bandwidth of a host's link" in sentence["text"] for sentence in record["verdict"])


def test_a_slow_link_is_hpls_limit(hosts: Hosts, programs: Path, tmp_path: Path) -> None:
    n, nb, cable = 2000, 64, 50e6 / 8 / FRAMES
    across = on_all(hosts, tmp_path, programs)
    with hosts.shaped("50mbit"):  # so slow that even processors which others use are faster
        link = across("run", "pt2pt", "--placement", "other-node", *settings(*LINK), "--json", **NETWORK)
        done = across("run", "hpl", "--placement", "2-nodes-1", *settings(f"n={n}", f"nb={nb}"), "--json", **NETWORK)
    assert link.returncode == done.returncode == 0, done.stderr
    time = only_record(done)["metrics"]["time"]
    source = re.search(r"bandwidth of a host's link ([\d.]+) MB/s, measured by pt2pt", time["limit_source"])
    assert source, time["limit_source"]
    rate = float(source[1]) * 1e6
    assert 0.5 * cable < rate < 1.05 * cable
    assert time["limit"] == pytest.approx(8 * n * (n + nb) / 4 / rate, rel=0.01)
    assert 0.3 < time["fraction_of_limit"] < 1.05


SLOW = """
name = "two switches"
rate = 1e9
[switches]
first = { hosts = "a[1-2]", up = [{ to = "second", rate = 2.5e6 }] }
second = { hosts = "b[1-2]" }
"""
"""A network whose cable between switches has 20 Mbit/s; the others are as fast as memory."""
MESSAGE = 1 << 17


WORST = ("a1", "b1", "a2", "b2")
"""An order in which each message of a ring passes the slow cable."""


def test_the_proposed_order_beats_the_worst_by_what_the_model_says(tmp_path: Path, programs: Path) -> None:
    """A ring that crosses the slow cable once each way is compared with one that does at every step; and HPL, whose
    panels cross it, with one in which only exchanges of rows do.
    """
    topology = tmp_path / "slow.toml"
    topology.write_text(SLOW)
    network = parse(SLOW, topology.name)
    expected = modelled(network, "allgather", (4,), MESSAGE)
    assert expected == 2
    assert 1.4 < modelled(network, "hpl", (2, 2), 960, by_rows=True) < 1.5
    with or_skipped(TOOLS, joined_hosts(tmp_path, WORST, Divided(("b1", "b2"), "20mbit"))) as hosts:
        limit_windows(hosts)

        def ran(benchmark: str, values: Sequence[str], orders: str, factor: float) -> Iterator[tuple[str, Record]]:
            folder = tmp_path / f"{benchmark}-{factor:g}"
            words = (*settings(*values), "--order", orders, "--topology", topology, "--wait", "0", "--oversubscribe")
            done = on_all(hosts, folder, programs)("run", benchmark, "--placement", "4-nodes-1", *words, **NETWORK)
            assert done.returncode == 0, done.stderr
            return in_orders(folder, orders.split(","))

        def gathered(factor: float) -> None:
            often = f"iterations={3 * factor:g}"
            sizes = ("operation=allgather", f"min_size={MESSAGE}", f"max_size={MESSAGE}", often)
            times = {}
            for order, record in ran("collectives", sizes, "node,random:1,place", factor):
                assert record.curve
                (point,) = record.curve.points
                times[order] = min(point.metrics["slowest_latency"].samples)  # other load only adds to the cable's time
            assert times["node"] / times["place"] == pytest.approx(expected, rel=0.15)

        def solved(factor: float) -> None:
            """Latencies are a part of the time of so small a matrix, and other load multiplies them."""
            times = {}
            for order, record in ran("hpl", ("n=960", "nb=192", "p=2", "q=2", "order=row"), "node,place", factor):
                assert record.breakdown
                times[order] = record.metrics["time"].samples[0] - sum(record.breakdown.seconds["solve"])
            assert times["place"] < times["node"]

        patiently(gathered)
        patiently(solved)


def modelled(network: NetworkTopology, name: str, grid: Grid, size: float, *, by_rows: bool = False) -> float:
    """Return how many times as long the worst order takes as the proposed one."""
    pattern = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.name == name)
    ranks = np.array(network.find(WORST))
    scheduled = ranks.reshape(grid).T.ravel() if by_rows else ranks
    comparison = compare(network, pattern, grid, scheduled, seconds=1, size=size)
    return comparison.named("scheduler").time / comparison.proposed.time


def in_orders(results: Path, orders: list[str]) -> Iterator[tuple[str, Record]]:
    """Yield the records by order, each in its own: the scheduler's, perhaps a random one, and the proposed one."""
    (run,) = results.glob("2*")
    names = []
    for record in Run(run).read().records:
        assert record.provenance
        order = record.provenance.variant.get("rank_order", "node")
        placed = [name for _, name in sorted((rank, host.name) for host in record.hosts for rank in host.ranks)]
        assert (placed == list(WORST)) is (order == "node")
        names.append(order)
        yield order, record
    assert names == orders


@pytest.mark.thorough  # half a minute beside no other; unit tests judge invented pairs
def test_a_screen_names_the_only_slow_cable_of_four(tmp_path: Path, programs: Path) -> None:
    """Two hosts at each of four switches send over one cable, which gives each of them a half."""
    leaves = {f"leaf{number}": [f"h{2 * number - 1}", f"h{2 * number}"] for number in range(1, 5)}
    topology = tmp_path / "leaves.toml"
    topology.write_text(
        'name = "leaves"\nrate = 25e6\n[switches]\ncore = {}\n'
        + "".join(f'{leaf} = {{ hosts = "{",".join(at)}", up = [{{ to = "core" }}] }}\n' for leaf, at in leaves.items())
    )
    screened = Screened(tmp_path, programs, sizes={"stream-omp": 100_000}, messages=True)
    names = [host for at in leaves.values() for host in at]
    cables = [Divided(at, "200mbit", "100mbit" if leaf == "leaf2" else "") for leaf, at in leaves.items()]
    with or_skipped(TOOLS, joined_hosts(tmp_path, names, *cables)) as hosts, hosts.shaped("200mbit"):
        (tmp_path / "ssh").symlink_to(hosts.agent)
        words = ("screen", "--topology", topology, "--minutes", "0.01", "--timeout", str(PATIENCE), "--json")
        path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = on_all(hosts, tmp_path / "results", screened.programs)(*words, **NETWORK, **path)
    document = json.loads(done.stdout)
    (cable,) = document["cables"]
    assert (cable["from"], cable["to"]) == ("leaf2", "core"), done.stderr
    assert 40 < cable["percent"] < 60
    assert done.returncode == 1
