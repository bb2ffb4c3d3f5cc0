"""Reaches folders part by part, following no link of another user, and then uses their descriptors.

So nobody who can write to a folder on the way can lead us to files that they could not read or write themselves.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from banzuke.files import trust

_MOST_LINKS = 40
"""Most links that are followed, as in the kernel (path_resolution(7))."""
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""With O_DIRECTORY, automounts are entered; with O_PATH, a folder on the way need not be readable."""


@dataclass(frozen=True)
class FilePlace:
    """A name in a folder; it need not exist, and is never a link that should be followed."""

    folder: int
    """Descriptor for the *at() calls, not for reading."""
    name: str
    """Name in the folder; `.`: the folder itself."""
    doubt: str
    """Why the way to here is not ours, as `/home/alice belongs to alice`; empty: it is."""
    exchangeable: str
    """The same if others can also replace what we own; see `trust.exchangeable`."""

    def open(self, flags: int, mode: int = 0o666) -> int:
        """Open the place. Raises OSError, also for a link."""
        return os.open(self.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=self.folder)

    def status(self) -> os.stat_result:
        """Return its status. Raises OSError if there is nothing."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)


@contextmanager
def reached(path: Path, *, make: bool = False, follow: bool = True, partly: bool = False) -> Iterator[FilePlace]:
    """Yield the place that a path leads to.

    `make`: make the folders on the way; `follow`: if it is a link, yield its target; `partly`: if a folder is missing,
    yield its place. Raises OSError, also if the working directory has been removed.
    """
    way = _Walk()
    try:
        yield way.to(path, make=make, follow=follow, partly=partly)
    finally:
        way.close()


@contextmanager
def entered(path: Path) -> Iterator[FilePlace]:
    """Yield a folder itself. Raises OSError."""
    with reached(path / "_", follow=False) as place:
        yield replace(place, name=".")


Way = Literal["ours", "read", "any"]
"""How strictly the way to something is checked. `ours`: as the thing itself; `read`: others may replace it by something
else of ours, because `read_ours` checks what it reads; `any`: not at all, because it is known by its identity.
"""


def doubt(path: Path, way: Way = "ours") -> str:
    """Return why a file or folder, or the way to it, is not ours, as `/home/alice belongs to alice`; empty: it is.

    Also for one that is missing, since others could make it where they can write. Raises OSError.
    """
    with reached(path, partly=True) as place:
        on_the_way = {"ours": place.doubt, "read": place.exchangeable, "any": ""}[way]
        try:
            descriptor = place.open(os.O_PATH)
        except FileNotFoundError:
            return on_the_way
        try:
            why = trust.doubt(descriptor)
        finally:
            os.close(descriptor)
        return on_the_way or (why and f"{path} {why}")


class _Walk:
    """A walk from the root of the file system to a place."""

    def __init__(self) -> None:
        self._folder = os.open("/", _FOLDER)
        self._path = Path("/")
        self._doubt = self._exchangeable = ""
        self._look()
        self._links = 0

    def close(self) -> None:
        os.close(self._folder)

    def to(self, path: Path, *, make: bool, follow: bool, partly: bool) -> FilePlace:
        """Walk to a path; see `reached`. Raises OSError."""
        # Not `Path.absolute`: the kernel knows where the working directory is now, and what `..` is there.
        left = _parts(str(path) if path.is_absolute() else os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118
        while left:
            name = left.pop()
            if not left and name != ".." and not (follow and self._is_link(name)):
                return self._place(name)
            try:
                left += self._step(name, make=make)
            except FileNotFoundError:
                if not partly:
                    raise
                return self._place(name)
        return self._place(".")

    def _place(self, name: str) -> FilePlace:
        return FilePlace(self._folder, name, self._doubt, self._exchangeable)

    def _step(self, name: str, *, make: bool) -> list[str]:
        """Enter a folder; return the remaining parts if it is a link."""
        try:
            return self._enter(name)
        except FileNotFoundError:
            if not make:
                raise
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._folder)
            return self._enter(name)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP) or not self._is_link(name):
                raise
            return self._target(name)

    def _enter(self, name: str) -> list[str]:
        self._change(os.open(name, _FOLDER, dir_fd=self._folder))
        self._path /= name
        self._look()
        return []

    def _is_link(self, name: str) -> bool:
        try:
            return stat.S_ISLNK(os.stat(name, dir_fd=self._folder, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _target(self, name: str) -> list[str]:
        link = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            owner, target = os.fstat(link).st_uid, os.readlink("", dir_fd=link)
        finally:
            os.close(link)
        self._links += 1
        if self._links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not trust.follows(owner, self._folder):
            raise PermissionError(
                errno.EPERM, f"{self._path / name} is a link of {trust.user_name(owner)}; name what it leads to"
            )
        if target.startswith("/"):
            self._change(os.open("/", _FOLDER))
            self._path = Path("/")
        return _parts(target)

    def _change(self, folder: int) -> None:
        os.close(self._folder)
        self._folder = folder

    def _look(self) -> None:
        """Check a folder that was entered."""
        if not self._doubt and (why := trust.doubt(self._folder, passing=True)):
            self._doubt = f"{self._path} {why}"
        if not self._exchangeable and (why := trust.exchangeable(self._folder)):
            self._exchangeable = f"{self._path} {why}"


def _parts(path: str) -> list[str]:
    """Return the parts of a path, last one first."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]
