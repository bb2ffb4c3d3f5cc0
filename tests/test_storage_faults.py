"""Tests of storage that fails while it is measured: the reason is reported, others' files are untouched, nothing is
left.
"""

import contextlib
import errno
import os
import shutil
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from banzuke.testing import patiently
from tests.conftest import wait_for
from tests.file_systems import Disk, Place
from tests.storage import (
    FOR_LONG,
    MDTEST,
    MIB,
    MPI,
    POSIX,
    PROGRAMS,
    URING,
    Program,
    carried_out,
    entries,
    files_of,
    meanwhile,
    processes_of,
    reason,
    record_of,
    running,
)

BUFFERED, DIRECT = {"access": "buffered"}, {"access": "direct"}
each_bandwidth = pytest.mark.parametrize(
    ("program", "changed"),
    [(POSIX, BUFFERED), (POSIX, DIRECT), (URING, BUFFERED), (URING, DIRECT | {"queue_depth": 8}), (MPI, BUFFERED)],
)
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "area"
    folder.mkdir()
    return Place(folder)


@each_program
def test_nothing_is_left_of_a_run(program: Program, place: Place) -> None:
    record = record_of(carried_out(program.words(place, ranks=2)))
    assert (record["status"], record["reason"]) == ("ok", None)
    assert not entries(place.seen)


@each_program
def test_too_little_space_is_said_before_anything_is_written(program: Program, disk: Disk) -> None:
    words = reason(carried_out(program.words(disk, **program.large)))
    assert "free" in words
    assert "needed" in words
    assert not entries(disk.seen)


@each_program
def test_a_disk_that_fills_up(program: Program, disk: Disk) -> None:
    with running(program.words(disk, **FOR_LONG), disk) as run, (disk.seen / "of another").open("wb", 0) as other:
        while run.process.poll() is None:
            with contextlib.suppress(OSError):
                other.write(bytes(MIB))
        assert os.strerror(errno.ENOSPC) in reason(run.end())
    assert entries(disk.seen) == ["of another"]


@each_bandwidth
def test_a_device_that_fails(program: Program, changed: dict[str, Any], disk: Disk) -> None:
    disk.lose_all_beyond(24 * MIB)
    words = reason(carried_out(program.words(disk, **(changed | {"block": 40 * MIB}))))
    assert os.strerror(errno.EIO) in words
    assert str(disk.folder) in words
    assert not entries(disk.seen)


@each_bandwidth
def test_a_device_that_can_no_longer_be_read(program: Program, changed: dict[str, Any], disk: Disk) -> None:
    with running(program.words(disk, **changed, **FOR_LONG), disk) as run:
        disk.lose_all_beyond(MIB)
        assert os.strerror(errno.EIO) in reason(run.end())
    assert not entries(disk.seen)


@each_program
def test_a_file_system_without_writing(program: Program, disk: Disk) -> None:
    assert carried_out(disk.on("mount", "-o", "remount,ro", disk.folder)).returncode == 0
    words = reason(carried_out(program.words(disk)))
    assert os.strerror(errno.EROFS) in words
    assert str(disk.folder) in words


@each_program
@pytest.mark.skipif(os.geteuid() != 0, reason="hardware: only root can be another user")
def test_a_folder_of_another_user(program: Program, place: Place, tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    words = ["setpriv", "--reuid=65534", "--clear-groups", *program.words(place)]
    assert os.strerror(errno.EACCES) in reason(carried_out(words))


@each_program
def test_a_folder_that_vanishes(program: Program, place: Place) -> None:
    with running(program.words(place, ranks=2, **FOR_LONG), place) as run:
        while place.folder.exists():
            shutil.rmtree(place.folder, ignore_errors=True)
        words = reason(run.end())
    # MPI has its own message for a file that it cannot open.
    assert os.strerror(errno.ENOENT) in words or (program is MPI and f"cannot open {place.folder}" in words)


@each_program
def test_a_folder_that_is_none(program: Program, place: Place) -> None:
    (place.folder / "file").write_text("of another")
    for name, why in (("nowhere", errno.ENOENT), ("file", errno.ENOTDIR)):
        words = reason(carried_out(program.words(place.below(name))))
        assert os.strerror(why) in words
        assert f"{place.folder}/{name}" in words
    assert (place.folder / "file").read_text() == "of another"


def flip(folder: Path, offset: int) -> None:
    """Write into every file that exists."""
    for file in files_of(folder):
        with contextlib.suppress(OSError):
            descriptor = os.open(file, os.O_WRONLY)
            if os.fstat(descriptor).st_size > offset:
                os.pwrite(descriptor, b"flip", offset)
            os.close(descriptor)


@each_program
def test_a_flipped_byte_is_found_and_located(program: Program, place: Place) -> None:
    offset = 3 * MIB + 4321 if program.name != MDTEST.name else 2345

    def flipped(factor: float) -> None:
        with meanwhile(partial(flip, place.folder, offset)):
            done = carried_out(program.words(place, ranks=2, rounds=int(8 * factor)))
        record = record_of(done)
        assert record["status"] == "failed"
        (wrong,) = (check["quantity"] for check in record["verification"] if not check["passed"])
        assert "bz." in wrong
        assert "rank" in wrong
        assert any(str(offset + further) in wrong for further in range(4))
        assert not entries(place.folder)

    patiently(flipped)


@each_program
@pytest.mark.parametrize(
    ("sent", "ranks"),
    [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGHUP, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2)],
)
def test_nothing_is_left_of_an_interrupted_run(
    program: Program, sent: signal.Signals, ranks: int, place: Place
) -> None:
    with running(program.words(place, ranks=ranks, **FOR_LONG), place) as run:
        run.process.send_signal(sent)
        run.end()
    wait_for(lambda: not entries(place.folder))


@each_program
def test_what_a_killed_run_leaves_goes_with_the_next(program: Program, place: Place) -> None:
    with running(program.words(place, ranks=2, **FOR_LONG), place) as run:
        os.kill(processes_of(program, place)[-1], signal.SIGKILL)
        run.end()
    assert len(entries(place.folder)) == 1
    assert record_of(carried_out(program.words(place)))["status"] == "ok"
    assert not entries(place.folder)


@each_program
def test_a_run_beside_another_leaves_it_alone(program: Program, place: Place) -> None:
    with running(program.words(place, **FOR_LONG), place) as run:
        (first,) = entries(place.folder)
        record = record_of(carried_out(program.words(place)))
        assert record["status"] == "ok"
        assert entries(place.folder) == [first]
        (folder,) = record["conditions"]["folders_left"]
        assert folder.startswith(f"{first}: made on host ")
        assert "which is running" in folder
        run.process.send_signal(signal.SIGTERM)
        run.end()


@each_program
def test_files_of_others_stay(program: Program, place: Place) -> None:
    """This includes files that somebody puts into our own folder."""
    names = (".banzuke-ior-0123456789abcdef", ".banzuke-thesis", "bz.0")
    for name in names:
        (place.folder / name).mkdir()
        (place.folder / name / "bz.0").write_text("of another")
    with running(program.words(place, **FOR_LONG), place) as run:
        (ours,) = set(entries(place.folder)) - set(names)
        thesis = place.folder / ours / "thesis"
        thesis.write_text("of another")
        run.process.send_signal(signal.SIGTERM)
        done = run.end()
    assert thesis.read_text() == "of another"
    assert entries(place.folder / ours) == ["mark", "thesis"]
    assert all((place.folder / name / "bz.0").read_text() == "of another" for name in names)
    assert done.returncode != 0


@each_program
def test_links_are_never_followed(program: Program, place: Place, tmp_path: Path) -> None:
    """Links are followed neither in place of what a killed run left, nor of what it had made in there."""
    precious = tmp_path / "precious"
    precious.mkdir()
    with running(program.words(place, **FOR_LONG), place) as run:
        (left,) = entries(place.folder)
        run.process.kill()
        run.end()
    shutil.copy(place.folder / left / "mark", precious / "mark")
    for name in ("bz.0", "bz.tree.0"):
        (precious / name).write_text("of another")
    (place.folder / f"{left}-link").symlink_to(precious)
    (place.folder / left / "bz.link").symlink_to(precious)
    (place.folder / left / "bz.file").symlink_to(precious / "bz.0")
    record = record_of(carried_out(program.words(place)))
    assert record["status"] == "ok"
    assert entries(precious) == ["bz.0", "bz.tree.0", "mark"]
    assert (precious / "bz.0").read_text() == "of another"
    assert (place.folder / f"{left}-link").is_symlink()


def test_a_tree_deeper_than_paths_are_long_is_refused(place: Place) -> None:
    done = carried_out([*MDTEST.words(place, depth=1000, items=1001), "--describe", "--ranks", "1"])
    assert "depth" in done.stdout
    assert done.returncode == 2
