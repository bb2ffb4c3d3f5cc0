"""Each cause has its own remedy: advice for a full disk would be wrong if a permission is missing."""

import errno
import os
import re
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.files import read_named, unwritable, write_whole

NOBODY = 65534


def in_child(act: Callable[[], None]) -> str:
    """Return the error of a call that fails in a process with other rights or limits."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            act()
        except BanzukeError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can become another user")
def test_a_missing_right_is_no_full_disk(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0o600)

    def write() -> None:
        os.setuid(NOBODY)
        write_whole(tmp_path / "ro", b"x")

    def read() -> None:
        os.setuid(NOBODY)
        read_named(tmp_path / "secret")

    assert in_child(write) == (f"cannot write {tmp_path}/ro (Permission denied). Name a folder that you can write")
    assert in_child(read).endswith(
        "(Permission denied). Ask its owner for the right to read it, or name a copy of yours"
    )


def test_limits_are_to_be_raised(tmp_path: Path) -> None:
    def large() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        write_whole(tmp_path / "x", b"x" * 5000)

    def many() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        write_whole(tmp_path / "x", b"x")

    for act, limit in ((large, "ulimit -f allows"), (many, "ulimit -n allows")):
        said = in_child(act)
        assert limit in said
        assert "Raise the limit" in said
        assert "Free some space" not in said


def test_names_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, remedy in (
        (tmp_path / ("x" * 300), "Use a shorter name"),
        (tmp_path / "file/x", "A part of the path is a file"),
    ):
        with pytest.raises(BanzukeError, match=remedy):
            write_whole(path, b"")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EDQUOT, "Remove files of yours there"),
        (errno.EROFS, "The file system is mounted read-only"),
        (errno.EPERM, "lsattr"),
        (errno.EIO, "The device or its connection has failed"),
        (errno.ESTALE, "The server of this file system"),
        (errno.ETXTBSY, "Something uses it"),
        (errno.ENOENT, "The folder is missing"),
        (errno.EXDEV, "Name another folder"),
    ],
)
def test_each_cause_has_its_remedy(number: int, remedy: str) -> None:
    said = str(unwritable(Path("x"), OSError(number, os.strerror(number))))
    assert remedy in said
    assert "--" not in said
    assert ("Free some space" in said) is (number == errno.ENOSPC)


@pytest.mark.parametrize("option", ["", "--area", "--results", "--output"])
def test_no_other_option_is_named_than_the_one_that_was_used(option: str) -> None:
    for number in errno.errorcode:
        said = str(unwritable(Path("x"), OSError(number, os.strerror(number)), option))
        assert set(re.findall("--[a-z]+", said)) <= {option}, said
        assert not re.search("[{}]", said)
    missing = str(unwritable(Path("x"), OSError(errno.ENOENT, "No such file"), option))
    assert ("make it, or name another with --" in missing) is bool(option)


@pytest.mark.parametrize(
    ("path", "remedy"),
    [("/proc", "/proc is the kernel's"), ("/proc/foo/x", "/proc is the kernel's"), ("/nowhere/x", "folder is missing")],
)
def test_nobody_is_told_to_make_what_cannot_be_made(path: str, remedy: str) -> None:
    said = str(unwritable(Path(path), OSError(errno.ENOENT, os.strerror(errno.ENOENT))))
    assert remedy in said
    assert ("make it" in said) is (path == "/nowhere/x")
    assert "measured before" not in said


def test_what_was_measured_is_kept_where_something_was() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert "What was measured before is kept" in str(unwritable(Path("x"), full, kept=True))
    assert "measured before" not in str(unwritable(Path("x"), full))


def test_a_name_that_is_missing_is_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "site.toml").touch()
    for wrong in ("stie.toml", "Site.toml"):
        with pytest.raises(BanzukeError, match=rf"No such file.*Did you mean '{tmp_path}/site.toml'"):
            read_named(tmp_path / wrong)
    (tmp_path / "dangling").symlink_to("nowhere")
    for wrong in ("abcdefgh", "dangling"):
        with pytest.raises(BanzukeError, match="Check the name"):
            read_named(tmp_path / wrong)
