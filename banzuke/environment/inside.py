"""What a process in a container sees: a root filesystem, and what of the host is put into it."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from banzuke.errors import BanzukeError

KERNEL = (Path("/proc"), Path("/sys"), Path("/dev"))
"""Ranks that share memory need the host's own."""
_MOST_LINKS = 40
"""As many as the kernel follows."""


@dataclass(frozen=True)
class Mount:
    source: Path
    target: Path
    writable: bool = False


@dataclass(frozen=True)
class Layout:
    """A root made of the entries of `root`, in which other folders can be put without a change to it."""

    root: Path
    mounts: tuple[Mount, ...]
    links: tuple[tuple[str, Path], ...]
    """Symbolic links: what each says, and where."""


@dataclass(frozen=True)
class Inside:
    """All mounts are of the host's folders at equal paths."""

    mounts: tuple[Mount, ...]
    variables: Mapping[str, str]
    """Set inside, and nowhere else."""
    root: Layout | str
    """What it is put into: entries of a folder, or an image in the words of the tool."""


def resolve(root: Path, path: PurePath | str) -> Path:
    """Where `path` leads for a process whose root is `root`: never out of it, whatever symbolic links say.

    Parts that do not exist stay as they are.
    """
    todo = [part for part in reversed(PurePath(path).parts) if part not in {"/", "."}]
    found: list[str] = []
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            found = found[:-1]
            continue
        here = root.joinpath(*found, part)
        if links < _MOST_LINKS and here.is_symlink():
            links += 1
            said = PurePath(os.readlink(here))  # noqa: PTH115  (Path.readlink is no shorter)
            if said.is_absolute():
                found = []
            todo += [part for part in reversed(said.parts) if part not in {"/", "."}]
        else:
            found.append(part)
    return root.joinpath(*found)


def inside(root: Path, path: PurePath) -> Path:
    """What `path` is without symbolic links for a process whose root is `root`."""
    return Path("/") / resolve(root, path).relative_to(root)


def layout(root: Path, targets: Iterable[Path]) -> Layout:
    """The root `root` with room for `targets`, of which nothing of its own is shown. Raises BanzukeError."""
    taken = {*targets, *KERNEL}
    mounts: list[Mount] = []
    links: list[tuple[str, Path]] = []
    try:
        for path, status in _entries(root, Path("/"), taken):
            source = root / path.relative_to("/")
            if stat.S_ISLNK(status.st_mode):
                links.append((os.readlink(source), path))  # noqa: PTH115
            elif stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and path.parent != Path("/")):
                mounts.append(Mount(source, path))
    except OSError as error:
        raise BanzukeError(f"the image {root} cannot be read", why=error.strerror or str(error)) from error
    return Layout(root, tuple(mounts), tuple(links))


def _entries(root: Path, folder: Path, taken: set[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    for name in sorted(os.listdir(root / folder.relative_to("/"))):  # noqa: PTH208
        path = folder / name
        status = (root / path.relative_to("/")).lstat()
        if path in taken:
            continue
        if any(path in target.parents for target in taken) and stat.S_ISDIR(status.st_mode):
            yield from _entries(root, path, taken)
        else:
            yield path, status


def apart(folders: Iterable[Path]) -> list[Path]:
    """Without those that others hold, sorted."""
    kept: list[Path] = []
    for folder in sorted(set(folders)):
        if not any(other == folder or other in folder.parents for other in kept):
            kept.append(folder)
    return kept
