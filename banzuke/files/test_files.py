"""Files are written completely or not at all."""

import os
import resource
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.files import check_file, read_whole, write_whole


def test_a_write_that_is_cut_short_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old", encoding="utf-8")
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_whole(target, b"x" * 5000)
        except BanzukeError as error:
            os._exit(0 if "cannot write" in str(error) else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BanzukeError, match=r"cannot write .*Name a folder that you can write"):
        write_whole(tmp_path / "file" / "file.txt", b"")


def test_no_file_takes_the_place_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("missing")
    for name in ("folder", "pipe", "link"):
        with pytest.raises(BanzukeError, match=f"{name} is a {name}"):
            check_file(tmp_path / name)
    with pytest.raises(BanzukeError, match="/dev/null is a device"):
        check_file(Path("/dev/null"))
    check_file(tmp_path / "missing")
    (tmp_path / "file").touch()
    check_file(tmp_path / "file")


def test_only_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_whole(file) == b"12345"
    assert read_whole(file, 5) == b"12345"
    os.mkfifo(tmp_path / "pipe")
    for path, why in (
        (file, "larger than 0 MiB"),
        (tmp_path, "a folder"),
        (tmp_path / "pipe", "a pipe"),
        (Path("/dev/zero"), "a device"),
        (tmp_path / "none", "No such file"),
        (Path("\0"), "null"),
    ):
        with pytest.raises(BanzukeError, match=f"cannot read .*{why}"):
            read_whole(path, 4)


def test_what_has_no_size_in_advance_is_read_only_so_far() -> None:
    assert Path("/proc/self/status").stat().st_size == 0
    assert b"Name:" in read_whole(Path("/proc/self/status"))
    with pytest.raises(BanzukeError, match="larger than"):
        read_whole(Path("/proc/self/status"), 10)


def test_a_small_file_takes_little_memory_whatever_size_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)
    assert len(read_whole(tmp_path / "file", 1 << 50)) == 3_000_000
