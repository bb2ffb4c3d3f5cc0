"""The user's own folders."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.files.own import _private, cache_folder, cache_path, for_commands, state_folder


def test_the_folder_is_made_for_its_user_alone(tmp_path: Path) -> None:
    folder = _private(tmp_path / "x")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert _private(folder) == folder


def test_a_folder_that_others_may_have_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(_private(tmp_path / "mine"))
    (tmp_path / "file").touch(mode=0o600)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    for name in ("link", "file", "open"):
        with pytest.raises(BanzukeError, match="cannot be trusted"):
            _private(tmp_path / name)
    monkeypatch.setattr("banzuke.files.own.os.geteuid", lambda: 4711)
    with pytest.raises(BanzukeError, match="cannot be trusted"):
        _private(tmp_path / "mine")


def test_a_cache_that_others_could_fill_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache has libraries and root file systems that are run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_path() == cache_folder() == tmp_path / "banzuke"
    tmp_path.chmod(0o777)
    with pytest.raises(BanzukeError, match="can be written by everybody"):
        cache_path()


def test_what_commands_read_lies_where_nobody_else_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.files.own.state_folder", lambda: Path("/state"))
    assert for_commands(tmp_path) == tmp_path
    for mode in (0o777, 0o1777):
        tmp_path.chmod(mode)
        assert for_commands(tmp_path) == Path("/state")


def test_where_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.files.own._private", lambda folder: folder)
    monkeypatch.setattr("banzuke.files.own.os.geteuid", lambda: 0)
    assert state_folder() == Path("/run/banzuke")
    monkeypatch.setattr("banzuke.files.own.os.geteuid", lambda: 4711)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert state_folder() == tmp_path / "banzuke"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert state_folder() == Path("/tmp/banzuke-4711")


def test_no_place_for_the_folder() -> None:
    with pytest.raises(BanzukeError, match="cannot make /proc/nowhere/banzuke"):
        _private(Path("/proc/nowhere/banzuke"))
