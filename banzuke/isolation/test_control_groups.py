import os

import pytest

from banzuke.isolation.control_groups import Hierarchy, hierarchy
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

V1 = "34 30 0:31 / /cg rw - cgroup cgroup rw,cpuset"
V2 = "34 30 0:31 / /cg rw - cgroup2 cgroup2 rw"


def found(tree: Tree) -> Hierarchy:
    result, why = hierarchy(tree)
    assert result, why
    return result


def version_1(plant: Plant) -> Tree:
    return plant(
        {
            "proc/self/mountinfo": V1,
            "proc/self/cgroup": "3:cpu,cpuset:/batch/job\n1:name=systemd:/\n0::/other",
            "cg/cgroup.procs": "",
            "cg/cpuset.cpus": "0-7",
            "cg/batch/cpuset.cpus": "0-5",
            "cg/batch/job/cpuset.cpus": "",
        }
    )


def version_2(plant: Plant, own: str = "/batch/job", controllers: str = "cpuset cpu") -> Tree:
    return plant(
        {
            "proc/self/mountinfo": V2,
            "proc/self/cgroup": f"0::{own}",
            "cg/cgroup.procs": "",
            "cg/cgroup.controllers": controllers,
            "cg/cpuset.cpus.effective": "0-7",
            "cg/batch/cpuset.cpus.effective": "0-3",
            "cg/batch/job/cgroup.procs": "1",
        }
    )


def test_version_1(plant: Plant) -> None:
    cgroups = found(version_1(plant))
    assert (cgroups.unified, cgroups.own, cgroups.list_name) == (False, "/cg/batch/job", "tasks")
    assert cgroups.path == ["/cg", "/cg/batch", "/cg/batch/job"]
    assert cgroups.cpus("/cg/batch/job") == set(range(6))
    assert cgroups.takes_tasks("/cg/batch")
    assert cgroups.folder("7:cpuset:/x/y\n0::/z") == "/cg/x/y"
    assert cgroups.children("/cg") == ["/cg/batch"]


def test_version_2(plant: Plant) -> None:
    two = found(version_2(plant))
    assert (two.unified, two.own, two.list_name) == (True, "/cg/batch/job", "cgroup.procs")
    assert two.cpus("/cg/batch/job") == {0, 1, 2, 3}
    assert two.takes_tasks("/cg")
    assert not two.takes_tasks("/cg/batch/job")  # a group must not have both processes and groups below it
    assert two.folder("7:cpuset:/x\n0::/z") == "/cg/z"


def test_the_top_of_a_container_is_a_group_like_others(plant: Plant) -> None:
    version_2(plant, own="/")
    assert not found(plant({"cg/cgroup.type": "domain"})).takes_tasks("/cg")


def test_a_mount_that_shows_a_part(plant: Plant) -> None:
    version_1(plant)
    cgroups = found(plant({"proc/self/mountinfo": V1.replace(" / /cg", " /batch /cg"), "cg/job/cpuset.cpus": "1"}))
    assert cgroups.own == "/cg/job"
    assert cgroups.folder("3:cpuset:/elsewhere") is None
    assert cgroups.folder("3:cpuset:/batch/../../x") is None


def test_none(plant: Plant) -> None:
    assert hierarchy(plant({}))[1] == "no control groups with the cpuset controller are mounted"


def test_version_2_without_the_controller(plant: Plant) -> None:
    result, why = hierarchy(version_2(plant, controllers="cpu memory"))
    assert result is None
    assert "no control groups with the cpuset controller" in why


def test_our_own_group_cannot_be_seen(plant: Plant) -> None:
    result, why = hierarchy(version_2(plant, own="/../outside"))
    assert result is None
    assert "do not show the one of this process" in why


def test_what_cannot_be_written(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    result, why = hierarchy(version_1(plant))
    assert result is None
    assert why == "the control groups under /cg may not be written"
