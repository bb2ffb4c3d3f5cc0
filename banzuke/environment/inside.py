"""What a process in a container sees: a root filesystem, and the parts of the host that are mounted in it."""

import contextlib
import errno
import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from banzuke.errors import BanzukeError

KERNEL = (Path("/proc"), Path("/sys"), Path("/dev"))
"""The host's own folders, which ranks that share memory need."""
_MOST_LINKS = 40
"""Most links to follow, as in the kernel."""
_DEEPEST = 256
"""Most names in a path; shutil.rmtree, which must be able to remove what was made, recurses for each."""


@dataclass(frozen=True)
class BindMount:
    source: Path
    target: Path
    writable: bool = False


@dataclass(frozen=True)
class RootLayout:
    """A root made of the entries of `root`, in which other folders can be mounted without changing it."""

    root: Path
    mounts: tuple[BindMount, ...]
    links: tuple[tuple[str, Path], ...]
    """Symbolic links: target and path of each."""


@dataclass(frozen=True)
class Inside:
    """What a container shows; all mounts are of the host's folders at equal paths."""

    mounts: tuple[BindMount, ...]
    variables: Mapping[str, str]
    """Set inside only."""
    root: RootLayout | str
    """What it is mounted on: entries of a folder, or an image by the tool's name for it."""


def resolve(root: Path, path: PurePath | str) -> Path:
    """Return where `path` leads for a process whose root is `root`: never outside, whatever symbolic links say.

    Parts that do not exist stay as they are. Raises OSError for a loop of links and for too many nested folders.
    """
    todo = _parts(path)
    resolved: list[str] = []
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            resolved = resolved[:-1]
            continue
        try:
            said = os.readlink(root.joinpath(*resolved, part))  # noqa: PTH115  (Path.readlink is no shorter)
        except OSError:  # not a link, or nothing at all
            resolved.append(part)
            if len(resolved) > _DEEPEST:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path)) from None
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        if said.startswith("/"):
            resolved = []
        todo += _parts(said)
    return root.joinpath(*resolved)


def _parts(path: PurePath | str) -> list[str]:
    """Return the parts of a path, last one first; not by PurePath, which takes two leading slashes for another root."""
    return [part for part in reversed(str(path).split("/")) if part not in {"", "."}]


@contextlib.contextmanager
def opened(root: Path, path: PurePath | str, *, make: bool = False) -> Iterator[int]:
    """Open the folder that `path` leads to for a process whose root is `root`; `make`: create missing folders.

    Each step opens a plain name in an open folder, where the kernel follows no link. So whatever the root contains,
    operations by name in the yielded descriptor's folder stay inside. Raises OSError.
    """
    names = resolve(root, path).relative_to(root).parts
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in names:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=folder)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def make_links(root: Path, links: Iterable[tuple[str, Path]]) -> None:
    """Make missing symbolic links in `root`, each given by target and path. Raises OSError."""
    for said, path in links:
        with opened(root, path.parent, make=True) as folder, contextlib.suppress(FileExistsError):
            os.symlink(said, path.name, dir_fd=folder)


def inside(root: Path, path: PurePath) -> Path:
    """Return `path` without symbolic links for a process whose root is `root`. Raises BanzukeError."""
    with reading(root):
        return Path("/") / resolve(root, path).relative_to(root)


def find(root: Path, *names: str) -> Iterator[Path]:
    """Find what a path of such names, each a shell pattern, leads to for a process whose root is `root`."""
    *folders, last = names
    places = find(root, *folders) if folders else iter([root])
    for place in places:
        try:
            entries = sorted(os.listdir(place))  # noqa: PTH208  (names are enough)
        except OSError:  # not a folder, or not readable
            continue
        for name in fnmatch.filter(entries, last):
            with contextlib.suppress(OSError):  # a link to itself
                yield resolve(root, (place / name).relative_to(root))


@contextlib.contextmanager
def reading(image: Path | str) -> Iterator[None]:
    """Raise BanzukeError for an OSError."""
    try:
        yield
    except OSError as error:
        raise BanzukeError(f"the image {image} cannot be read", why=str(error)) from error


def layout(root: Path, targets: Iterable[Path]) -> RootLayout:
    """Return the root `root` with room for `targets`, hiding what it has in their places. Raises BanzukeError."""
    taken = {*targets, *KERNEL}
    mounts: list[BindMount] = []
    links: list[tuple[str, Path]] = []
    with reading(root):
        for path, status in _entries(root, Path("/"), taken):
            source = root / path.relative_to("/")
            if stat.S_ISLNK(status.st_mode):
                links.append((os.readlink(source), path))  # noqa: PTH115
            elif stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and path.parent != Path("/")):
                mounts.append(BindMount(source, path))
    return RootLayout(root, tuple(mounts), tuple(links))


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
    """Return the folders that are in none of the others, sorted."""
    kept: list[Path] = []
    for folder in sorted(set(folders)):
        if not any(other == folder or other in folder.parents for other in kept):
            kept.append(folder)
    return kept
