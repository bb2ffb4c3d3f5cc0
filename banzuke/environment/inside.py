"""What a process in a container sees: a root filesystem, and what of the host is put into it."""

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
"""Ranks that share memory need the host's own."""
_MOST_LINKS = 40
"""As many as the kernel follows."""
_DEEPEST = 256
"""Names in a path: shutil.rmtree, which has to go through what was made, takes a level of calls for each."""


@dataclass(frozen=True)
class BindMount:
    source: Path
    target: Path
    writable: bool = False


@dataclass(frozen=True)
class RootLayout:
    """A root made of the entries of `root`, in which other folders can be put without a change to it."""

    root: Path
    mounts: tuple[BindMount, ...]
    links: tuple[tuple[str, Path], ...]
    """Symbolic links: what each says, and where."""


@dataclass(frozen=True)
class Inside:
    """All mounts are of the host's folders at equal paths."""

    mounts: tuple[BindMount, ...]
    variables: Mapping[str, str]
    """Set inside, and nowhere else."""
    root: RootLayout | str
    """What it is put into: entries of a folder, or an image in the words of the tool."""


def resolve(root: Path, path: PurePath | str) -> Path:
    """Where `path` leads for a process whose root is `root`: never out of it, whatever symbolic links say.

    Parts that do not exist stay as they are. Raises OSError for a loop of links and for folders too deep in each other.
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
        except OSError:  # no link, or nothing at all
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
    """The last one first. By hand, because PurePath takes two slashes at the beginning for a root of its own."""
    return [part for part in reversed(str(path).split("/")) if part not in {"", "."}]


@contextlib.contextmanager
def opened(root: Path, path: PurePath | str, *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder that `path` leads to for a process whose root is `root`; `make`: and all on its way.

    Each step opens a plain name in a folder that is open, where the kernel follows no link: whatever is in the root,
    what is done by names in that folder is done inside. Raises OSError.
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
    """Symbolic links in `root`, where they are not yet: what each says, and where. Raises OSError."""
    for said, path in links:
        with opened(root, path.parent, make=True) as folder, contextlib.suppress(FileExistsError):
            os.symlink(said, path.name, dir_fd=folder)


def inside(root: Path, path: PurePath) -> Path:
    """What `path` is without symbolic links for a process whose root is `root`. Raises BanzukeError."""
    with reading(root):
        return Path("/") / resolve(root, path).relative_to(root)


def find(root: Path, *names: str) -> Iterator[Path]:
    """What a path of such names, shell patterns each, leads to for a process whose root is `root`."""
    *folders, last = names
    places = find(root, *folders) if folders else iter([root])
    for place in places:
        try:
            entries = sorted(os.listdir(place))  # noqa: PTH208  (names are enough)
        except OSError:  # no folder, or one that may not be read
            continue
        for name in fnmatch.filter(entries, last):
            with contextlib.suppress(OSError):  # a link to itself
                yield resolve(root, (place / name).relative_to(root))


@contextlib.contextmanager
def reading(image: Path | str) -> Iterator[None]:
    """Raises BanzukeError for an OSError."""
    try:
        yield
    except OSError as error:
        raise BanzukeError(f"the image {image} cannot be read", why=str(error)) from error


def layout(root: Path, targets: Iterable[Path]) -> RootLayout:
    """The root `root` with room for `targets`, of which nothing of its own is shown. Raises BanzukeError."""
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
    """Without those that others hold, sorted."""
    kept: list[Path] = []
    for folder in sorted(set(folders)):
        if not any(other == folder or other in folder.parents for other in kept):
            kept.append(folder)
    return kept
