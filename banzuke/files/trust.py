"""Decides whose a file is: ours if we or root own it and nobody else can write it; others are only read as data.

A private group, whose only member is the owner, does not count as somebody else: distributions that create files
group-writable (umask 002) rely on that, and let OpenSSH accept it. See docs/security.md.
"""

import grp
import os
import pwd
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from banzuke.errors import BanzukeError

TEAM = "BANZUKE_TRUST_GROUP"
"""Variable that names a group whose members a user trusts like himself. Root trusts no group."""
ROOT = 0
_BELONGS, _BY_EVERYBODY = "belongs to", "can be written by everybody"
_ACL = "system.posix_acl_access"
_ACL_USER, _ACL_GROUP_OBJ, _ACL_GROUP, _ACL_MASK = 0x02, 0x04, 0x08, 0x10
_WRITE = 2
"""Write permission in an access control list (acl(5))."""


def doubt(descriptor: int, *, passing: bool = False) -> str:
    """Return why an open file or folder is not ours, as `belongs to alice`; empty: it is.

    `passing`: a folder on the way to something. In one with the sticky bit, nobody can replace what others own.
    """
    status = os.fstat(descriptor)
    if not (_trusts(status.st_uid) or (passing and status.st_uid in _stands_for_root())):
        return f"{_BELONGS} {user_name(status.st_uid)}"
    if passing and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return _BY_EVERYBODY
    if status.st_mode & stat.S_IWGRP:  # with an access control list, these are the bits of its mask
        return next(_other_writers(descriptor, status.st_gid), "")
    return ""


def exchangeable(descriptor: int) -> str:
    """Return why not even our own files can be trusted in a folder on the way, as `can be written by everybody`.

    Empty: they can, because others may replace them but cannot make files that we own. Root trusts no such folder.
    """
    if os.geteuid() == ROOT:
        return doubt(descriptor, passing=True)
    mode = os.fstat(descriptor).st_mode
    return _BY_EVERYBODY if mode & stat.S_IWOTH and not mode & stat.S_ISVTX else ""


def follows(owner: int, folder: int) -> bool:
    """Return whether a link in this open folder that belongs to this user may be followed."""
    if owner not in _stands_for_root():
        return _trusts(owner)
    # This owner stands for all users that a container does not know, so only links near the host's root count, as
    # /var/run, /home.
    parent = os.open("..", os.O_PATH | os.O_CLOEXEC, dir_fd=folder)
    try:
        near_root = os.path.samestat(os.fstat(parent), os.stat("/"))  # noqa: PTH116
    finally:
        os.close(parent)
    return near_root and not os.fstat(folder).st_mode & (stat.S_IWOTH | stat.S_IWGRP)


def trust_group(name: str) -> None:
    """Trust the group from now on, also in what we start. Raises BanzukeError."""
    if os.geteuid() == ROOT:
        raise BanzukeError(f"the group {name} is not trusted", why="root trusts no group", remedy="Leave it out")
    try:
        number = grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise BanzukeError(f"there is no group '{name}'", remedy="`id -Gn` shows yours") from error
    if number not in (os.getegid(), *os.getgroups()):
        raise BanzukeError(f"the group {name} is not trusted", why="you are no member", remedy="`id -Gn` shows yours")
    os.environ[TEAM] = name


def remedy(why: str) -> str:
    """Return what to do about something that is not ours for this reason."""
    if _BELONGS not in why:
        trusting = "" if os.geteuid() == ROOT else ", or, of a group that you trust: banzuke --trust-group GROUP ..."
        return f"Take that permission away (chmod go-w; of an access control list: setfacl -b){trusting}"
    if os.geteuid() == ROOT:
        return "Root takes nothing from other users: call this as the owner (runuser -u OWNER -- banzuke ...)"
    return "Only its owner, and root, can; of a team that you trust: banzuke --trust-group GROUP ..."


def user_name(number: int) -> str:
    """Return `alice`, or `user 1234` for an unknown user."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _trusts(owner: int) -> bool:
    return owner in (ROOT, os.geteuid()) or _in_team(owner)


def _in_team(owner: int) -> bool:
    team = _team()
    with suppress(KeyError):
        account = pwd.getpwuid(owner)
        return team is not None and team in os.getgrouplist(account.pw_name, account.pw_gid)
    return False


def _team() -> int | None:
    """Return the number of the trusted group; None: no group is trusted."""
    if os.geteuid() == ROOT or not (name := os.environ.get(TEAM)):
        return None
    with suppress(KeyError):
        return grp.getgrnam(name).gr_gid
    return None


def _other_writers(descriptor: int, group: int) -> Iterator[str]:
    """Yield who else has the write permission of its group."""
    try:
        entries = _access_list(descriptor)
    except FileNotFoundError:
        yield "may be written by others, which cannot be seen without /proc"
        return
    mask = next((allowed for kind, allowed, _ in entries if kind == _ACL_MASK), _WRITE)
    for kind, allowed, number in entries or [(_ACL_GROUP_OBJ, _WRITE, 0)]:
        if not allowed & mask & _WRITE:
            continue
        if kind == _ACL_USER and not _trusts(number):
            yield f"can be written by {user_name(number)}"
        gid = group if kind == _ACL_GROUP_OBJ else number
        if kind in (_ACL_GROUP_OBJ, _ACL_GROUP) and not (gid == _team() or _is_private(gid, os.geteuid())):
            yield f"can be written by the group {_group_name(gid)}"


def _access_list(descriptor: int) -> list[tuple[int, int, int]]:
    """Return kind, permissions and number of each entry of an access control list; empty: there is no list.

    Raises FileNotFoundError if there is no /proc.
    """
    try:
        content = os.getxattr(f"/proc/self/fd/{descriptor}", _ACL)  # works for a descriptor opened with O_PATH, too
    except FileNotFoundError:
        raise
    except OSError:
        return []
    return list(struct.iter_unpack("<HHI", content[4:]))  # after a version number


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


@cache
def _is_private(group: int, user: int) -> bool:
    """Return whether only this user and root are in the group, whose name is that of one of them."""
    try:
        entry = grp.getgrgid(group)
        names = {pwd.getpwuid(number).pw_name for number in (user, ROOT)}
    except KeyError:
        return False
    # Large sites do not list their users, so the name must match, too.
    others = (account.pw_name for account in pwd.getpwall() if account.pw_gid == group and account.pw_name not in names)
    return entry.gr_name in names and set(entry.gr_mem) <= names and next(others, None) is None


@cache
def _stands_for_root() -> frozenset[int]:
    """Return the owner of the host root's folders, as / and /home, in a user namespace without that root; else none."""
    with suppress(OSError, ValueError):
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()]
        if not any(outside == "0" for _, outside, _ in ranges):
            return frozenset({int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii"))})
    return frozenset()
