"""Whose files are: by their owner, by who else may write them, and by the way to them."""

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.files import NotOursError, check_ours, read_ours, read_whole, rename, trust, whose, write_whole

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="hardware: only root can be other users")
OTHER, THIRD = 12345, 12346


def test_ours_is_what_only_we_can_write(tmp_path: Path) -> None:
    file = write_whole(tmp_path / "run" / "plan.json", b"{}")
    assert whose(file, file.parent) == ""
    assert read_ours(file) == b"{}"
    file.chmod(0o646)
    assert whose(file) == f"{file} can be written by everybody"
    with pytest.raises(NotOursError, match=r"nothing is taken from .*plan\.json .*can be written by everybody"):
        read_ours(file)
    assert read_whole(file) == b"{}"
    file.chmod(0o644)
    file.parent.chmod(0o777)
    assert whose(file) == f"{file.parent} can be written by everybody"
    file.parent.chmod(0o1777)
    assert whose(file) == ""  # nobody can replace it
    assert whose(file.parent) == f"{file.parent} can be written by everybody"


def test_what_is_not_there_is_nobodys(tmp_path: Path) -> None:
    assert whose(tmp_path / "none", tmp_path / "none" / "none") == ""
    tmp_path.chmod(0o777)
    for path in (tmp_path / "none", tmp_path / "none" / "none" / ".." / "none"):
        assert whose(path) == f"{tmp_path} can be written by everybody"


@as_root
def test_another_users_is_not_ours_nor_what_lies_in_it(tmp_path: Path) -> None:
    file = write_whole(tmp_path / "theirs" / "plan.json", b"{}")
    os.chown(file, OTHER, -1)
    assert whose(file) == f"{file} belongs to user {OTHER}"
    os.chown(file, 0, -1)
    os.chown(file.parent, OTHER, -1)
    assert whose(file) == f"{file.parent} belongs to user {OTHER}"
    with pytest.raises(
        BanzukeError, match=r"not continued .*belongs to user 12345.*Root takes nothing from other users"
    ):
        check_ours(file, problem="not continued")


@as_root
def test_an_access_control_list_counts(tmp_path: Path) -> None:
    if shutil.which("setfacl") is None:
        pytest.skip("setfacl is not installed")
    file = write_whole(tmp_path / "plan.json", b"{}")
    done = subprocess.run(["setfacl", "-m", f"u:{OTHER}:rw", file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"hardware: no access control lists here: {done.stderr}")
    assert stat.S_IMODE(file.stat().st_mode) == 0o664
    assert whose(file) == f"{file} can be written by user {OTHER}"
    subprocess.run(["setfacl", "-m", f"u:{OTHER}:r", file], check=True)
    assert whose(file) == ""
    subprocess.run(["setfacl", "-m", f"g:{OTHER}:rw", file], check=True)
    assert whose(file) == f"{file} can be written by the group {OTHER}"


def inside(user: int, groups: list[int], do: Callable[[], str]) -> str:
    """Return the result of a function in a process of this user."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setgroups(groups)
        os.setgid(groups[0])
        os.setuid(user)
        os.write(writing, do().encode())
        os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading) as pipe:
        return pipe.read()


@as_root
def test_a_team_can_do_no_more_than_hide_what_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder may be on the way, but a file that the group can write is not ours, unless we trust the group."""
    games = pwd.getpwnam("games")
    team = Path("/tmp") / tmp_path.parent.name  # pytest's own folders are closed to others
    team.mkdir()
    try:
        file = write_whole(team / "plan.json", b"{}")
        os.chown(team, OTHER, games.pw_gid)
        team.chmod(0o2770)
        os.chown(file, THIRD, games.pw_gid)

        def read() -> str:
            return whose(file, way="read")

        assert inside(THIRD, [games.pw_gid], read) == ""
        file.chmod(0o664)
        assert inside(THIRD, [games.pw_gid], read) == f"{file} can be written by the group games"
        monkeypatch.setenv(trust.TEAM, "games")
        assert inside(THIRD, [games.pw_gid], read) == ""
        os.chown(file, games.pw_uid, games.pw_gid)
        assert inside(THIRD, [games.pw_gid], read) == ""
        assert read() == f"{team} belongs to user {OTHER}"  # root trusts no group
        assert inside(THIRD, [games.pw_gid], lambda: whose(file)) == f"{team} belongs to user {OTHER}"
        team.chmod(0o2772)
        assert inside(THIRD, [games.pw_gid], read) == f"{team} can be written by everybody"
    finally:
        for path in (*team.iterdir(), team):
            (path.unlink if path.is_file() else path.rmdir)()


@as_root
def test_a_private_group_is_its_user(tmp_path: Path) -> None:
    file = write_whole(tmp_path / "plan.json", b"{}")
    for group, others in (("root", ""), ("games", f"{file} can be written by the group games")):
        os.chown(file, 0, pwd.getpwnam(group).pw_gid)
        file.chmod(0o664)
        assert whose(file) == others


@as_root
def test_links_of_others_are_not_followed_wherever_they_are(tmp_path: Path) -> None:
    secret = write_whole(tmp_path / "secret" / "file", b"secret")
    for link in (tmp_path / "link", tmp_path / "chain"):
        link.symlink_to("secret" if link.name == "link" else "link")
    assert read_whole(tmp_path / "chain" / "file") == b"secret"
    os.chown(tmp_path / "link", OTHER, -1, follow_symlinks=False)
    for way in (tmp_path / "link" / "file", tmp_path / "chain" / ".." / "link" / "file"):
        with pytest.raises(BanzukeError, match=f"link is a link of user {OTHER}; name what it leads to"):
            read_whole(way)
        with pytest.raises(BanzukeError, match="is a link of user"):
            write_whole(way, b"theirs")
    assert secret.read_bytes() == b"secret"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BanzukeError, match="Too many levels"):
        read_whole(tmp_path / "loop" / "file")


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    secret = write_whole(tmp_path / "secret", b"secret")
    (tmp_path / "file").symlink_to(secret)
    write_whole(tmp_path / "file", b"new")
    assert secret.read_bytes() == b"secret"
    assert not (tmp_path / "file").is_symlink()
    assert rename(tmp_path / "file", "other").read_bytes() == b"new"


def test_a_link_in_the_place_of_the_file_that_is_being_written_changes_no_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = write_whole(tmp_path / "secret", b"secret")
    secret.chmod(0o600)

    def swap(_descriptor: int) -> None:
        (temporary,) = tmp_path.glob(".file.*")
        temporary.unlink()
        temporary.symlink_to(secret)

    monkeypatch.setattr("os.fsync", swap)
    write_whole(tmp_path / "file", b"new")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert secret.read_bytes() == b"secret"
