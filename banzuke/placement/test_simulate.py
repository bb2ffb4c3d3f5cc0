"""Tests of simulations, with times that can be told by hand, and SimGrid's own fat tree beside ours."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from banzuke.errors import BanzukeError
from banzuke.placement import simulate as module
from banzuke.placement.pattern import at_once, exchange, ring
from banzuke.placement.score import Traffic
from banzuke.placement.shapes import dragonfly, fat_tree, torus
from banzuke.placement.simulate import of_phases, simulate
from banzuke.placement.skeleton import Action, RankProcess, Skeleton
from banzuke.placement.testing import two_switches
from banzuke.placement.topology import Cable, NetworkTopology, topology_of

MB = 1e6
needs_simgrid = pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")


def network(cables: list[Cable], hosts: list[str], routing: str = "destination") -> NetworkTopology:
    return topology_of("net", cables, hosts, routing=routing)  # type: ignore[arg-type]


@needs_simgrid
def test_a_ring_over_one_cable_takes_twice_as_long_if_two_messages_share_it() -> None:
    topology = two_switches(hosts=2, uplinks=1)
    skeleton = of_phases([ring("step", np.arange(4), 0, MB)], 1.0, 4)
    near = simulate(topology, np.array([0, 1, 2, 3]), skeleton, "striped")
    assert near.seconds == pytest.approx(MB, rel=1e-4)
    far = simulate(topology, np.array([0, 2, 1, 3]), skeleton, "striped")
    assert far.seconds == pytest.approx(2 * MB, rel=1e-4)
    assert far.busy.max() == pytest.approx(1.0, rel=1e-4)
    assert near.busy.max() == pytest.approx(1.0, rel=1e-4)


@needs_simgrid
@pytest.mark.parametrize("size", [3e9, 1e13])
def test_messages_may_exceed_what_an_int_counts(size: float) -> None:
    skeleton = of_phases([ring("step", np.arange(4), 0, size)], 1.0, 4)
    replayed = simulate(two_switches(hosts=2, uplinks=1), np.arange(4), skeleton, "striped")
    assert replayed.seconds == pytest.approx(size, rel=1e-4)
    assert replayed.busy.max() == pytest.approx(1.0, rel=1e-4)


@needs_simgrid
def test_ranks_of_one_host_do_not_load_its_cable_and_computation_takes_its_time() -> None:
    def actions(rank: int) -> list[Action]:
        if rank == 0:
            return [Action("compute", 0, 3.0), Action("send", 1, MB)]
        return [Action("recv", 0, MB), Action("compute", 0, 0.5)]

    skeleton = Skeleton([RankProcess(0, lambda: iter(actions(0))), RankProcess(1, lambda: iter(actions(1)))])
    inside = simulate(two_switches(), np.array([1, 1]), skeleton, "striped")
    assert inside.seconds == pytest.approx(3.5)
    assert not inside.busy.any()


@needs_simgrid
@pytest.mark.parametrize("shape", ["tree", "dragonfly", "torus"])
def test_exchanges_take_what_the_model_says_where_nothing_is_congested(shape: str) -> None:
    hosts = [f"n{number}" for number in range(16)]
    topology = {
        "tree": lambda: network(fat_tree(hosts, [4, 4], [1, 4], [1, 1], 1.0), hosts),
        "dragonfly": lambda: network(dragonfly(hosts, 2, 2, 16, 1.0, 1.0), hosts),
        "torus": lambda: network(torus(hosts, [4, 4], 1.0), hosts, "first"),
    }[shape]()
    phases = exchange(16, MB) if shape == "tree" else [ring("step", np.arange(16), 0, MB)]
    order = np.arange(16)
    model = sum(phase.times * time.seconds for phase, time in zip(phases, _times(topology, phases, order), strict=True))
    assert simulate(topology, order, of_phases(phases, 1.0, 16), "striped").seconds == pytest.approx(model, rel=0.01)


def _times(topology: NetworkTopology, phases: list, order: np.ndarray) -> tuple:  # type: ignore[type-arg]
    return Traffic(topology, tuple(phases)).score(order).phases


@needs_simgrid
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_simgrids_own_fat_tree_with_d_mod_k_gives_the_same_times(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Ours is a list of routes; SimGrid's is made from the same parameters. One step of an exchange, congested."""
    hosts = [f"n{number}" for number in range(16)]
    topology = network(fat_tree(hosts, [4, 4], [1, 2], [1, 1], 1e9), hosts)
    order = np.random.default_rng(seed).permutation(16)
    skeleton = of_phases(exchange(16, MB)[3:6], 1.0, 16)
    ours = simulate(topology, order, skeleton, "striped").seconds
    cluster = (
        '<zone id="network" routing="Full"><cluster id="tree" prefix="n" suffix="" radical="0-15" speed="1Gf" '
        'bw="1e9Bps" lat="0s" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"/></zone>\n</platform>\n'
    )
    head = module.HEAD.partition("<zone")[0]
    write = module._write_platform

    def written(folder: Path, *arguments: object) -> object:
        values = write(folder, *arguments)  # type: ignore[arg-type]
        (folder / "platform.xml").write_text(head + cluster, encoding="ascii")
        (folder / "hosts").write_text("".join(f"n{host}\n" for host in order), encoding="ascii")
        return values

    monkeypatch.setattr(module, "_write_platform", written)
    assert simulate(topology, order, skeleton, "striped").seconds == pytest.approx(ours, rel=0.01)
    assert ours > 1.3 * 3 * MB / 1e9


@needs_simgrid
@pytest.mark.parametrize("shape", ["tree", "dragonfly", "torus"])
def test_messages_that_all_begin_at_once_take_as_long_as_their_busiest_link(shape: str) -> None:
    """They are of one size, so that those on the busiest link have the smallest shares, and it is busy to the end."""
    hosts = [f"n{number}" for number in range(16)]
    topology = {
        "tree": lambda: network(fat_tree(hosts, [4, 4], [1, 2], [1, 1], 1.0), hosts),
        "dragonfly": lambda: network(dragonfly(hosts, 4, 2, 2, 1.0, 1.0), hosts),
        "torus": lambda: network(torus(hosts, [4, 4], 1.0), hosts, "first"),
    }[shape]()
    order = np.random.default_rng(1).permutation(16)
    phases = [at_once("all", exchange(16, MB))]
    (model,) = _times(topology, phases, order)
    simulated = simulate(topology, order, of_phases(phases, 1.0, 16), "striped").seconds
    assert simulated == pytest.approx(model.seconds, rel=0.01)
    in_turn = sum(step.seconds for step in _times(topology, exchange(16, MB), order))
    assert in_turn > 1.2 * simulated


@needs_simgrid
def test_no_link_carries_more_than_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many unequal messages at once; SimGrid's default method gets these wrong."""
    hosts = [f"n{number}" for number in range(64)]
    topology = network(fat_tree(hosts, [8, 8], [1, 8], [1, 1], 1e9), hosts)
    order = np.random.default_rng(1).permutation(64)
    skeleton = of_phases([at_once("all", exchange(64, MB))], 1.0, 64)
    assert simulate(topology, order, skeleton, "striped").busy.max() <= 1.001
    monkeypatch.setattr(module, "SETTINGS", (*module.SETTINGS, "network/optim:Lazy"))
    with pytest.raises(BanzukeError, match="result is impossible"):
        simulate(topology, order, skeleton, "striped")


@needs_simgrid
def test_the_folder_of_a_simulation_may_have_any_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "two words, $HOME 'x'"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    skeleton = of_phases([ring("step", np.arange(2), 0, MB)], 1.0, 2)
    assert simulate(two_switches(), np.arange(2), skeleton, "striped").seconds == pytest.approx(MB, rel=1e-4)
    assert not list(place.iterdir())


KILLED = """
import sys, tempfile
import numpy as np
from banzuke.placement.pattern import ring
from banzuke.placement.simulate import of_phases, simulate
from banzuke.placement.testing import two_switches

tempfile.tempdir = sys.argv[1]
skeleton = of_phases([ring("step", np.arange(2), 0, 1.0)], 1.0, 2)
simulate(two_switches(), np.arange(2), skeleton, "striped")
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_nothing_of_a_simulation_outlives_its_end(sent: signal.Signals, tmp_path: Path) -> None:
    """A simulation without end, as far as the test goes: two processes, one of which started the other."""
    programs, folders = tmp_path / "bin", tmp_path / "folders"
    for folder in (programs, folders):
        folder.mkdir()
    (programs / "smpirun").write_text("#!/bin/sh\nsleep 1000 &\ntouch begun\nwait\n")
    (programs / "smpirun").chmod(0o755)
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    process = subprocess.Popen([sys.executable, "-c", KILLED, folders], stderr=subprocess.DEVNULL, env=variables)
    wait_for(lambda: list(folders.glob("*/begun")))
    wait_for(lambda: len(inside(folders)) == 2)  # `touch` may not have ended yet
    process.send_signal(sent)
    process.wait()
    wait_for(lambda: not list(folders.iterdir()) and not inside(folders))


def inside(folder: Path) -> list[Path]:
    """Return the processes whose folder is below this one."""
    processes = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if folder in link.readlink().parents:
                processes.append(link)
    return processes


def wait_for(wanted: Callable[[], object]) -> None:
    end = time.monotonic() + 600
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.02)


@needs_simgrid
def test_a_failed_simulation_says_why() -> None:
    """A receive without a send: SimGrid finds that nothing goes on."""
    skeleton = Skeleton([RankProcess(0, lambda: iter([Action("recv", 1, MB)])), RankProcess(1, lambda: iter([]))])
    with pytest.raises(BanzukeError, match="SimGrid ended without a result"):
        simulate(two_switches(), np.array([0, 1]), skeleton, "striped")


def test_what_cannot_be_simulated_is_refused() -> None:
    unrated = network([Cable("a", "s", np.nan), Cable("b", "s", np.nan)], ["a", "b"])
    two = network([Cable("a", "s", 1.0, 2), Cable("b", "s", 1.0)], ["a", "b"])
    for topology, problem in (
        (unrated, "rates of its cables are not known"),
        (two_switches(routing="adaptive"), "adaptive routing"),
        (two, "divided among adapters"),
    ):
        with pytest.raises(BanzukeError, match=problem):
            module.check(topology, "striped")
    module.check(two, "by-rank")


def test_an_absent_simulator_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert "libsimgrid-dev" in (module.absent() or "")
