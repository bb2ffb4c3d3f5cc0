"""The jobs that are planned for benchmarks, sizes, shapes and hosts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from banzuke.batch.plan import Size, Target, TargetPart, jobs, sizes, study, time_limit
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch
from banzuke.machine.partitions import NodeCount
from banzuke.machine.site import Device, NodeType, Partition, Processor


def test_a_shape_says_how_many_nodes_it_has_or_is_one_of_each_number() -> None:
    assert sizes([1, 4, 1], []) == [Size(1), Size(4)]
    assert sizes([], ["12:mesh", "12:torus", "2x3x2:torus"]) == [
        Size(12, "mesh"), Size(12, "torus"), Size(12, "2x3x2:torus"),
    ]  # fmt: skip
    assert sizes([12, 24], ["mesh", "torus"]) == [
        Size(12, "mesh"), Size(24, "mesh"), Size(12, "torus"), Size(24, "torus"),
    ]  # fmt: skip
    assert sizes([12], ["2x3x2:mesh"]) == [Size(12, "2x3x2:mesh")]
    assert Size(12, "2x3x2:torus").name == "n12-2x3x2-torus"


@pytest.mark.parametrize(
    ("nodes", "shape", "reason"),
    [
        ([8], "12:mesh", "12 are 12 nodes, and --nodes asks for 8"),
        ([12], "2x3:torus", "2x3 are 6 nodes, and --nodes asks for 12"),
        ([], "0:mesh", "0 are 0 nodes"),
        ([], "ring", "is not understood"),
        ([], "2x:mesh", "is not understood"),
        ([], "mesh;rm", "is not understood"),
        ([8, 12], "12:mesh", "--nodes 8 has no shape"),
    ],
)
def test_an_impossible_shape_is_refused(nodes: list[int], shape: str, reason: str) -> None:
    with pytest.raises(BanzukeError) as refusal:
        sizes(nodes, [shape])
    assert reason in str(refusal.value)


def target(tmp_path: Path, **changes: Any) -> Target:
    node = NodeType(processors=[Processor(cores=48)], devices=[Device(name="A100", count=4)])
    fields: dict[str, Any] = {
        "name": "s",
        "folder": tmp_path / "s",
        "directory": tmp_path,
        "partition": "cpu",
        "described": Partition(node=node, nodes=16),
        "batch": Batch(system="slurm"),
        "hosts": (),
        "seconds": 600.0,
        "version": "banzuke 1",
        "variables": {"A": "1"},
        "begin": None,
        "reservation": "r",
    }
    return Target(**fields | changes)


def words(names: Sequence[str], further: Sequence[str]) -> list[str]:
    return ["banzuke", "run", *names, *further]


def commands(where: Target, asked: list[Size], spanning: list[str], alone: list[str]) -> dict[str, str]:
    return {planned.name: " ".join(planned.job.command) for planned in jobs(where, asked, spanning, alone, words)}


def test_one_node_needs_one_job(tmp_path: Path) -> None:
    assert commands(target(tmp_path), [Size(1)], ["hpl"], ["stream"]) == {"n1": "banzuke run hpl stream --run s-n1"}


def test_there_is_a_job_for_each_size_and_one_array_for_all_that_needs_one_node(tmp_path: Path) -> None:
    made = jobs(target(tmp_path), [Size(1), Size(4, "torus")], ["hpl", "fft"], ["stream", "dgemm"], words)
    assert [" ".join(planned.job.command) for planned in made] == [
        "banzuke run hpl fft --nodes 1 --run s-n1",
        "banzuke run hpl fft --nodes 4 --shape torus --run s-n4-torus",
        "banzuke run stream dgemm --batch s --run s-each.%e",
    ]
    assert [(planned.nodes, planned.job.elements) for planned in made] == [(1, 1), (4, 1), (1, 4)]
    assert made[2].runs == ["s-each.1", "s-each.2", "s-each.3", "s-each.4"]
    (chunk,) = made[1].job.chunks
    assert (chunk.tasks, chunk.threads, chunk.devices, chunk.memory, chunk.shape) == (48, 1, 4, None, "torus")
    job = made[0].job
    assert (job.name, job.seconds, job.reservation, job.variables) == ("banzuke-n1", 600.0, "r", {"A": "1"})


def test_a_job_has_nodes_of_several_partitions(tmp_path: Path) -> None:
    large = TargetPart("large", Partition(nodes=4), Batch(system="slurm", queue="fat"))
    where = target(tmp_path, others=(large,))
    asked = sizes([NodeCount.of("2+3"), NodeCount.of("4+1")], [])
    made = jobs(where, asked, ["hpl"], [], words)
    assert [" ".join(planned.job.command) for planned in made] == [
        "banzuke run hpl --nodes 2+3 --run s-n2-3",
        "banzuke run hpl --nodes 4+1 --run s-n4-1",
    ]
    assert [[(chunk.partition, chunk.nodes, chunk.tasks) for chunk in planned.job.chunks] for planned in made] == [
        [("cpu", 2, 48), ("large", 3, 1)],
        [("cpu", 4, 48), ("large", 1, 1)],
    ]
    for wrong, said in (("17+1", "partition cpu has 16"), ("1+5", "partition large has 4"), ("1+1+1", "cpu and large")):
        with pytest.raises(BanzukeError) as refused:
            jobs(where, sizes([NodeCount.of(wrong)], []), ["hpl"], [], words)
        assert said in str(refused.value)
    for alone, asked in ((where, [Size(5)]), (target(tmp_path), sizes([NodeCount.of("2+3")], []))):
        with pytest.raises(BanzukeError, match="does not give a number of nodes for each partition"):
            jobs(alone, asked, ["hpl"], [], words)
    with pytest.raises(BanzukeError, match="--shape is of the nodes of one partition"):
        sizes([NodeCount.of("2+3")], ["mesh"])


def test_a_study_has_jobs_of_each_kind_on_each_number_of_nodes(tmp_path: Path) -> None:
    benchmarks = {"weak": ["hpl"], "strong": ["hpl"], "throughput": ["hpl", "stream"]}
    made = study(target(tmp_path), [Size(2), Size(4)], benchmarks, words)  # type: ignore[arg-type]
    assert [" ".join(planned.job.command) for planned in made] == [
        "banzuke run hpl --nodes 2 --run s-n2",
        "banzuke run hpl --nodes 2 --scaling strong:2 --run s-n2-strong",
        "banzuke run hpl --nodes 4 --run s-n4",
        "banzuke run hpl --nodes 4 --scaling strong:2 --run s-n4-strong",
        "banzuke run hpl stream --nodes 1 --batch s-copies2 --run s-copies2.%e",
        "banzuke run hpl stream --nodes 1 --batch s-copies4 --run s-copies4.%e",
    ]
    assert [planned.job.elements for planned in made] == [1, 1, 1, 1, 2, 4]
    named = study(target(tmp_path, hosts=("a", "b")), [Size(1), Size(2)], {"throughput": ["stream"]}, words)
    assert [planned.name for planned in named] == ["copies1-a", "copies2-a", "copies2-b"]


def test_one_number_of_nodes_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="needs more than 4 nodes to compare"):
        study(target(tmp_path), [Size(4, "mesh"), Size(4, "torus")], {"weak": ["hpl"]}, words)


def test_named_hosts_have_a_job_each(tmp_path: Path) -> None:
    made = jobs(target(tmp_path, hosts=("a", "b", "c")), [Size(2), Size(3)], ["hpl"], ["stream"], words)
    assert [(planned.name, planned.job.chunks[0].hosts, planned.run) for planned in made] == [
        ("n2", ("a", "b"), "s-n2"),
        ("n3", ("a", "b", "c"), "s-n3"),
        ("on-a", ("a",), "s-on-a"),
        ("on-b", ("b",), "s-on-b"),
        ("on-c", ("c",), "s-on-c"),
    ]


def test_what_the_partition_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"--nodes 32 is too many \(partition cpu has 16\)"):
        commands(target(tmp_path), [Size(32)], ["hpl"], [])
    with pytest.raises(BanzukeError, match=r"--nodes 3 is too many \(--hosts names 2\)"):
        commands(target(tmp_path, hosts=("a", "b")), [Size(3)], ["hpl"], [])
    named = Partition(nodes=2, hosts=["n[1-2]"])
    assert commands(target(tmp_path, hosts=("n1",), described=named), [Size(1)], ["hpl"], [])
    with pytest.raises(BanzukeError, match=r"--hosts names n\[8-9\] \(partition cpu has n\[1-2\]\)"):
        commands(target(tmp_path, hosts=("n9", "n1", "n8"), described=named), [Size(1)], ["hpl"], [])
    with pytest.raises(BanzukeError, match="--shape has no effect on stream"):
        commands(target(tmp_path), [Size(12, "mesh")], [], ["stream"])


def test_a_time_limit_is_the_one_asked_for_or_as_long_as_needed_and_allowed() -> None:
    assert time_limit(None, 600, None, "cpu") == 600
    assert time_limit(None, 600, 300, "cpu") == 300
    assert time_limit(60, 600, 300, "cpu") == 60
    with pytest.raises(BanzukeError, match="jobs of partition cpu may take 5 min"):
        time_limit(400, 600, 300, "cpu")
