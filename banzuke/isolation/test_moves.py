"""What is written into an artificial tree; tests of the command, also in the guest, move real threads."""

from pathlib import Path

from banzuke.isolation.control_groups import Hierarchy
from banzuke.isolation.journal import ControllerWasOff, Entry, FileWas, GroupMade
from banzuke.isolation.moves import Mover, write
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree


def mover(tree: Tree, *, unified: bool, own: str = "/cg") -> tuple[Mover, list[Entry]]:
    noted: list[Entry] = []
    cgroups = Hierarchy(tree, unified, "/cg", "/", own)
    return Mover(tree, cgroups, [0], [1, 2, 3], noted.extend), noted


def cpus(tree: Tree) -> dict[str, str]:
    files = sorted(tree.path("cg").rglob("cpuset.cpus"))
    return {str(file.parent.relative_to(tree.root)): file.read_text().strip() for file in files}


def test_nested_groups_of_version_1_stay_within_each_other(plant: Plant) -> None:
    """At every write, as the kernel requires."""
    before = {"cg": "0-3", "cg/a": "1-3", "cg/a/b": "2", "cg/a/b/c": "2", "cg/d": "0-1", "cg/d/e": "1", "cg/f": "0"}
    tree = plant({f"{name}/cpuset.cpus": value for name, value in before.items()})
    work, noted = mover(tree, unified=False)
    inside(tree)
    moved = work.move(list, everything=True)
    assert cpus(tree) == dict.fromkeys(before, "0") | {"cg": "0-3"}
    assert sorted(moved.confined) == ["/cg/a", "/cg/d"]
    state = before.copy()
    for entry in reversed(noted):
        assert isinstance(entry, FileWas)
        assert not write(tree, entry.path, entry.old)
        inside(tree)
    assert cpus(tree) == state


def inside(tree: Tree) -> None:
    for file in tree.path("cg").rglob("cpuset.cpus"):
        above = file.parents[1] / "cpuset.cpus"
        if above.is_file():
            name, upper = (str(path.relative_to(tree.root)) for path in (file, above))
            assert set(tree.cpus(name)) <= set(tree.cpus(upper)), (name, file.read_text(), above.read_text())


def test_our_own_path_is_not_confined(plant: Plant) -> None:
    before = {"cg": "0-3", "cg/batch": "0-3", "cg/batch/job": "0-3", "cg/batch/other": "2-3", "cg/system": "0-3"}
    tree = plant({f"{name}/cpuset.cpus": value for name, value in before.items()})
    work, _ = mover(tree, unified=False, own="/cg/batch/job")
    work.move(list, everything=True)
    assert cpus(tree) == before | {"cg/batch/other": "0", "cg/system": "0"}


def version_2(plant: Plant, *, on: bool) -> Tree:
    files = {
        "cg/cgroup.subtree_control": "memory cpuset" if on else "memory",
        "cg/cpuset.cpus.effective": "0-3",
        "cg/system/cpuset.cpus": "",
        "cg/job/cpuset.cpus": "2-3",
        "cg/job/cpuset.cpus.effective": "2-3",
    }
    return plant(files)


def test_version_2_where_the_controller_is_off(plant: Plant) -> None:
    """Switching it off again returns the processors, which the kernel would not do otherwise."""
    tree = version_2(plant, on=False)
    work, noted = mover(tree, unified=True)
    work.move(list, everything=True)
    assert cpus(tree) == {"cg/job": "0", "cg/system": "0"}
    assert tree.text("cg/cgroup.subtree_control") == "+cpuset"
    assert noted == [ControllerWasOff(path="/cg/cgroup.subtree_control")]


def test_version_2_where_the_controller_is_on(plant: Plant) -> None:
    tree = version_2(plant, on=True)
    work, noted = mover(tree, unified=True)
    moved = work.move(list, everything=True)
    assert cpus(tree) == {"cg/job": "0", "cg/system": ""}
    assert noted == [FileWas(path="/cg/job/cpuset.cpus", old="2-3")]
    assert moved.problems == ["what starts in /cg/system later is not confined: it has no cpuset.cpus"]


def test_processes_alone_leave_the_groups(plant: Plant) -> None:
    tree = version_2(plant, on=True)
    work, noted = mover(tree, unified=True)
    work.move(list, everything=False)
    assert cpus(tree) == {"cg/job": "2-3", "cg/system": ""}
    assert noted == []


def test_a_group_that_cannot_be_made_is_told(plant: Plant) -> None:
    tree = plant({"proc/uptime": "1"})
    work, noted = mover(tree, unified=False)
    assert work.make_group(Hierarchy(tree, False, "/cg", "/", "/cg"), "/cg", "banzuke-job", [1]) is None
    assert work.moved.problems == ["cannot make /cg/banzuke-job: No such file or directory"]
    assert noted == [GroupMade(path="/cg/banzuke-job")]


def test_writing_says_why_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old text")
    assert write(Tree(tmp_path), "file", "") == ""
    assert (tmp_path / "file").read_text() == "\n"
    assert write(Tree(tmp_path), "missing", "1") == "No such file or directory"
    assert write(Tree(), "/dev/full", "1") == "No space left on device"


def test_a_group_that_somebody_else_made_is_left_alone(plant: Plant) -> None:
    """Restoring would end its processes and remove it."""
    tree = plant({"cg/banzuke-job/tasks": "4711", "cg/cpuset.mems": "0"})
    work, noted = mover(tree, unified=False)
    cgroups = Hierarchy(tree, False, "/cg", "/", "/cg")
    assert work.make_group(cgroups, "/cg", "banzuke-job", [1]) is None
    assert noted == []
    assert work.moved.problems == ["cannot make /cg/banzuke-job: it exists; remove it if nobody uses it"]
