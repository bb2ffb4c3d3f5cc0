"""Tests of the settings that a search tries instead of another."""

import pytest

from banzuke.machine.model import Machine
from banzuke.machine.site import Cache, NumaNode
from banzuke.plan.benchmark import Layout, Scalar, Setting
from banzuke.plan.catalogue import find
from banzuke.plan.layouts import on_all_cores
from banzuke.testing import machine, with_hosts

HPL = find("hpl")


def here(*, cores: int = 8, mpi: bool = True) -> Machine:
    """Return a machine with two NUMA nodes and four last-level caches."""
    described = machine(cores=cores)
    numa = [NumaNode(node=node, cpus=[]) for node in range(2)]
    caches = [Cache(level=3, kind="unified", bytes=1 << 20, instances=4, shared_by=2)]
    software = described.software.model_copy(update={"mpi": {"/bin/mpiexec": "MPICH"} if mpi else {}})
    return described.changed(partition={"software": software}, node={"numa": numa}, allotment={"caches": caches})


def setting(ranks: int = 1, *, p: int = 1, **changes: Scalar) -> Setting:
    values: dict[str, Scalar] = {"n": 10000, "nb": 192, "p": p, "q": ranks // p, "nbmin": 8, "lookahead": 1}
    values |= {"broadcast": "ring-modified", "swap": "mixed", "split": 0.5, **changes}
    return Setting(Layout(ranks, 8 // ranks), values)


def tried(axis: str, at: Setting, *names: str) -> list[tuple[Scalar, ...]]:
    return [tuple(other.parameters[name] for name in names) for other in HPL.tuning.axes[axis](here(), at)]


def test_layouts_fill_the_cores_along_the_hardware() -> None:
    settings = HPL.tuning.axes["layout"](here(), setting(2))
    assert [(s.layout.ranks, s.layout.threads) for s in settings] == [(1, 8), (4, 2), (8, 1)]
    assert [(s.parameters["p"], s.parameters["q"]) for s in settings] == [(1, 1), (2, 2), (2, 4)]
    assert HPL.tuning.axes["layout"](here(mpi=False), setting(1)) == []
    odd = HPL.tuning.axes["layout"](here(cores=6), setting(1))
    assert [s.layout for s in odd] == [Layout(2, 3), Layout(6, 1)], "four do not divide six"


def test_layouts_of_several_hosts_stay_on_them() -> None:
    machine = with_hosts(here(), 2)
    settings = HPL.tuning.axes["layout"](machine, Setting(on_all_cores(machine, 4, 2), setting(4).parameters))
    assert [(s.layout.hosts, s.layout.ranks, s.layout.threads) for s in settings] == [(2, 2, 8), (2, 8, 2), (2, 16, 1)]
    assert [tuple(s.parameters[name] for name in ("p", "q", "order")) for s in settings] == [
        (1, 2, "column"),
        (2, 4, "column"),
        (4, 4, "column"),
    ]


def test_numbers_go_step_by_step() -> None:
    assert tried("block size", setting(), "nb") == [(160,), (224,)]
    assert tried("block size", setting(nb=200), "nb") == [(192,), (224,)]
    assert tried("block size", setting(nb=384), "nb") == [(320,)]
    assert tried("block size", setting(nb=128, n=130), "nb") == [(96,)]
    assert tried("grid", setting(8, p=2), "p", "q") == [(1, 8), (4, 2)]
    assert tried("panel recursion", setting(nbmin=4), "nbmin") == [(8,)]


@pytest.mark.parametrize("axis", ["grid", "look-ahead", "broadcast", "row swaps", "split update"])
def test_one_rank_has_nothing_to_say_to_others(axis: str) -> None:
    assert not HPL.tuning.axes[axis](here(), setting(1))


def test_rows_and_columns_of_the_grid_bring_their_own_axes() -> None:
    row, column = setting(4, p=1), setting(4, p=4)
    assert len(tried("broadcast", row, "broadcast")) == 5
    assert tried("look-ahead", row, "lookahead") == [(0,)]
    assert not tried("row swaps", row)
    assert not tried("split update", row)
    assert tried("row swaps", column, "swap") == [("binary-exchange",), ("spread-roll",)]
    assert tried("split update", column, "split") == [(0.0,), (0.3,)]
    assert not tried("broadcast", column)
    assert not tried("look-ahead", column)
    assert not tried("broadcast", setting(2, p=1)), "two columns have one way"
