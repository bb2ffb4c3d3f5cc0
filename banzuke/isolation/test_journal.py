import os
from pathlib import Path
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.isolation.journal import (
    NAME,
    Begun,
    ControllerWasOff,
    Entry,
    FileWas,
    GroupMade,
    Journal,
    ThreadWas,
    abandon,
    claim,
    open_journal,
)
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

ENTRIES: list[Entry] = [
    FileWas(path="/a", old="1\n2"),
    ControllerWasOff(path="/b"),
    GroupMade(path="/c"),
    ThreadWas(pid=1, tid=2, start=3, affinity=[0, 4], wide=True),
]


def begun(**changes: Any) -> Begun:
    fields: dict[str, Any] = {
        "boot": "this",
        "pid": os.getpid(),
        "start": 5,
        "since": 1e9,
        "command": ["hpl"],
        "scope": "all",
        "uid": 0,
        "session": 1,
        "system": [0],
        "job": [1],
        "mark": "m",
    }
    return Begun(**(fields | changes))


@pytest.fixture
def tree(plant: Plant) -> Tree:
    return plant({"proc/sys/kernel/random/boot_id": "this"})


def written(folder: Path, tree: Tree, **changes: Any) -> Journal:
    journal = Journal(folder / NAME, claim(folder, tree), begun(**changes))
    journal.begin()
    journal.add(ENTRIES)
    return journal


def left(folder: Path, tree: Tree) -> Journal:
    journal = open_journal(folder, tree)
    assert isinstance(journal, Journal)
    return journal


def test_it_reads_back_what_a_killed_process_left(tmp_path: Path, tree: Tree) -> None:
    written(tmp_path, tree).close()
    reopened = left(tmp_path, tree)
    assert reopened.begun == begun()
    assert reopened.entries == ENTRIES
    reopened.close()


def test_a_line_that_was_cut_off_is_a_change_that_was_not_made(tmp_path: Path, tree: Tree) -> None:
    written(tmp_path, tree).close()
    file = tmp_path / NAME
    file.write_bytes(file.read_bytes()[:-5])
    reopened = left(tmp_path, tree)
    assert reopened.entries == ENTRIES[:-1]
    reopened.close()


@pytest.mark.parametrize("line", [0, 2])
def test_what_cannot_be_understood_is_not_thrown_away(tmp_path: Path, tree: Tree, line: int) -> None:
    """For example, another version's; treating the host as free would hide that it is isolated."""
    written(tmp_path, tree).close()
    file = tmp_path / NAME
    lines = file.read_text().splitlines(keepends=True)
    lines[line] = '{"kind": "news"}\n'
    file.write_text("".join(lines))
    with pytest.raises(BanzukeError, match="cannot be understood"):
        open_journal(tmp_path, tree)
    assert file.read_text() == "".join(lines)


def test_a_beginning_that_was_cut_off_is_none(tmp_path: Path, tree: Tree) -> None:
    (tmp_path / NAME).write_text('{"kind":"begun","boot":"th')
    abandon(tmp_path, claim(tmp_path, tree))


@pytest.mark.parametrize("other", ["", '{"boot":"another","new":1}\nx\n'])
def test_a_boot_makes_it_void(tmp_path: Path, tree: Tree, other: str) -> None:
    written(tmp_path, tree, boot="another").close()
    if other:
        (tmp_path / NAME).write_text(other)
    descriptor = claim(tmp_path, tree)
    assert os.fstat(descriptor).st_size == 0
    abandon(tmp_path, descriptor)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [(["hpl", "-x"], "killed, or could not restore everything"), ([], r"since .*: --apply\) \(by --apply")],
)
def test_what_was_left_is_refused_with_the_remedy(tmp_path: Path, tree: Tree, command: list[str], said: str) -> None:
    written(tmp_path, tree, command=command).close()
    with pytest.raises(BanzukeError, match=said) as caught:
        claim(tmp_path, tree)
    assert f"process {os.getpid()}" in str(caught.value)
    assert "banzuke isolate --restore" in str(caught.value)


def test_a_live_owner_is_named(tmp_path: Path, tree: Tree, plant: Plant) -> None:
    stat = f"{os.getpid()} (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5"
    plant({f"proc/{os.getpid()}/stat": stat})
    journal = written(tmp_path, tree)
    with pytest.raises(BanzukeError, match=rf"isolated already \(process {os.getpid()}, since .*: hpl\)"):
        claim(tmp_path, tree)
    journal.close()


def test_the_watchdog_of_a_dead_owner_is_waited_for(
    tmp_path: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = written(tmp_path, tree)
    naps = []

    def restored(seconds: float) -> None:
        naps.append(seconds)
        abandon(tmp_path, journal.descriptor)

    monkeypatch.setattr("banzuke.isolation.journal.time.sleep", restored)
    abandon(tmp_path, claim(tmp_path, tree))
    assert len(naps) == 1


def test_what_could_not_be_undone_is_kept(tmp_path: Path, tree: Tree) -> None:
    journal = written(tmp_path, tree)
    journal.keep(ENTRIES[1:2])
    journal.close()
    reopened = left(tmp_path, tree)
    assert reopened.entries == ENTRIES[1:2]
    reopened.keep([])
    reopened.close()
    assert not (tmp_path / NAME).exists()


def test_a_full_disk_stops_before_the_change(tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    journal = Journal(tmp_path / NAME, full, begun())
    with pytest.raises(BanzukeError, match="No space left"):
        journal.add(ENTRIES)
    assert journal.entries == []
    journal.close()
