"""Site files that are drafted from queues."""

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.batch.inventory.comparison import differences
from banzuke.batch.inventory.draft import draft, parts
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue
from banzuke.machine.cluster import BatchSystem
from banzuke.machine.published import PublishedSite
from banzuke.machine.site import StorageArea

CPU = NodeKind(sockets=2, cores=96, logical=96, memory=1 << 38, features=("ib",))
GPU = NodeKind(cores=64, memory=1 << 39, devices=(("a100", 4),), features=("ib",))
FAT = NodeKind(cores=64, memory=1 << 42, features=("ib", "fat"))


def site(system: BatchSystem | None, *queues: Queue, modules: tuple[str, ...] = ()) -> PublishedSite:
    described = parts(system or "slurm", queues)
    areas = {"home": StorageArea(mount="/home", kind="nfs4", source="server:/home")}
    text = draft(name="sea", file="s.toml", here="login", parts=described, system=system, areas=areas, modules=modules)
    return PublishedSite.model_validate(tomllib.loads(text))


def test_each_kind_of_node_becomes_a_partition_to_which_jobs_keep() -> None:
    queue = Queue("all", (Nodes(9, "c[1-9]", CPU), Nodes(2, "g[1-2]", GPU), Nodes(1, "f1", FAT)), longest=60.0)
    described = site("slurm", queue)
    assert [*described.partitions] == ["all-1", "all-a100", "all-fat"]
    assert [partition.batch and partition.batch.options for partition in described.partitions.values()] == [
        ["--exclude=g[1-2],f1"],
        ["--exclude=c[1-9],f1"],
        ["--constraint=fat"],
    ]
    gpus = described.partitions["all-a100"].node
    assert [(device.name, device.count) for device in gpus.devices] == [("a100", 4)]
    assert gpus.memory.usable == 1 << 39


@pytest.mark.parametrize("feature", ["a&b", "a|b", "[rack1|rack2]", "a*2", "(a)", "a,b", "a b", "a;b"])
def test_a_feature_that_no_option_can_name_is_not_asked_for(feature: str) -> None:
    odd = replace(CPU, features=("ib", feature))
    described = site("slurm", Queue("all", (Nodes(9, "c[1-9]", odd), Nodes(2, "g[1-2]", GPU))))
    options = [partition.batch.options for partition in described.partitions.values() if partition.batch]
    assert options == [["--exclude=g[1-2]"], ["--exclude=c[1-9]"]]


def test_a_queue_may_be_called_as_a_kind_of_node_of_another() -> None:
    mixed = Queue("a", (Nodes(1, "c1", CPU), Nodes(1, "g1", GPU)))
    assert [*site("slurm", mixed, Queue("a-1", (Nodes(1, "d1"),))).partitions] == ["a-1", "a-1-2", "a-a100"]


def test_other_systems_say_that_jobs_cannot_be_kept_from_other_nodes() -> None:
    queue = Queue("all", (Nodes(9, "c[1-9]", CPU), Nodes(2, "g[1-2]", GPU)))
    assert [part.unlike for part in parts("pbs", [queue])] == [True, True]
    assert [part.unlike for part in parts("pbs", [replace(queue, nodes=queue.nodes[:1])])] == [False]


def test_nodes_of_several_queues_are_described_once() -> None:
    nodes = (Nodes(9, "c[1-9]", CPU),)
    queues = [Queue("debug", nodes, 600.0), Queue("long", nodes), Queue("usual", nodes, 3600.0, default=True)]
    (part,) = parts("slurm", queues)
    assert part.queue
    assert (part.queue.name, [other.name for other in part.others]) == ("usual", ["long", "debug"])
    mixed = Queue("mixed", (*nodes, Nodes(2, "g[1-2]", GPU)), default=True)
    assert {part.key: part.options for part in parts("slurm", [mixed, queues[0]])} == {
        "debug": (),
        "mixed-a100": ("--exclude=c[1-9]",),
    }


def test_a_queue_of_unknown_nodes_is_a_partition() -> None:
    described = site("pjm", Queue("small"), Queue("large"))
    assert [
        (key, partition.nodes, partition.batch and partition.batch.queue)
        for key, partition in described.partitions.items()
    ] == [
        ("small", None, "small"),
        ("large", None, "large"),
    ]


def test_grid_engine_s_jobs_need_a_parallel_environment() -> None:
    queue = Queue("all.q", (Nodes(1, "c1"),), environments=("make", "openmpi", "smp"))
    batch = site("gridengine", queue).partitions["all.q"].batch
    assert batch
    assert batch.parallel_environment == "openmpi"


def test_partitions_reach_the_areas_of_the_login_node() -> None:
    described = site("slurm", Queue("a", (Nodes(1, "c1"),)))
    assert described.partitions["a"].mounts == ["home"]
    assert described.areas["home"].source == "server:/home"


@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.lists(st.text()), st.text())
def test_no_name_adds_anything_to_the_file(names: list[str], modules: list[str], file: str) -> None:
    queues = [Queue(name, (Nodes(1, f"c{number}"), Nodes(1, f"d{number}", GPU))) for number, name in enumerate(names)]
    described = parts("flux", queues)
    text = draft(name="s", file=file, here="x", parts=described, system="flux", areas={}, modules=modules)
    content = tomllib.loads(text)
    assert content.keys() == {"name", "partitions"}
    assert {partition["batch"]["queue"] for partition in content["partitions"].values()} == set(names)
    assert len(content["partitions"]) == 2 * len(names)


OFFERED = Queue("all", (Nodes(9, "c[1-9]", CPU), Nodes(2, "g[1-2]", GPU)), longest=3600.0)


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ("", []),
        ("longest = 7200", ["longest: 2 h 0 min here, at most 1 h 0 min in queue 'all'"]),
        ("queue = 'al'", ["there is no queue 'al'. Did you mean 'all'?"]),
        ("nodes = 12", ["nodes: 12 here, 11 in queue 'all'"]),
        ("hosts = ['c[8-11]']", ["hosts: c[10-11] not in queue 'all'"]),
        ("cores = 48", ["node cores: 48 here, 64 or 96 by the batch system"]),
        ("cores = 96", []),
        ("hosts = ['g1']\ncores = 96", ["node cores: 96 here, 64 by the batch system"]),
    ],
)
def test_what_differs_from_the_batch_system_is_told(change: str, problems: list[str]) -> None:
    changes = tomllib.loads(change)
    batch = {"system": "slurm", "queue": changes.pop("queue", "all"), "longest": changes.pop("longest", 60.0)}
    node = {"processors": [{"cores": changes.pop("cores")}]} if "cores" in changes else {}
    described = PublishedSite.model_validate(
        {"name": "x", "partitions": {"a": {"batch": batch, "node": node, **changes}}}
    )
    assert differences(described.partitions["a"], [OFFERED]) == problems


def test_a_closed_queue_and_a_missing_default_are_told() -> None:
    described = PublishedSite.model_validate({"name": "x", "partitions": {"a": {"batch": {"system": "slurm"}}}})
    assert differences(described.partitions["a"], [OFFERED]) == ["no queue is the default one, so jobs need one"]
    closed = replace(OFFERED, default=True, open=False)
    assert differences(described.partitions["a"], [closed]) == ["queue 'all' takes no jobs now"]
