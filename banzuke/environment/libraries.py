"""Finds what a program of this host needs to run in an image that has only a C library."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from banzuke.environment import elf
from banzuke.errors import BanzukeError
from banzuke.files.own import cache_folder, cache_path
from banzuke.files.remedies import writing_remedy
from banzuke.machine.command import output
from banzuke.program import installed

_SYSTEM = tuple(map(Path, ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib")))
"""Folders of which an image has its own."""
_SHARED = {
    *map(Path, ("/", "/bin", "/dev/shm", "/etc", "/home", "/opt", "/sbin", "/srv", "/tmp", "/usr", "/var")),  # noqa: S108
    *map(Path, ("/usr/bin", "/usr/local", "/usr/local/bin", "/usr/sbin", "/var/tmp")),  # noqa: S108
}
"""Folders that hold many things, or of which an image has its own."""
LIBC = re.compile(r"(ld-linux.*|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl)\.so\.\d+")
"""Parts of glibc, which must come from the same place as the loader."""
_NEEDED = re.compile(r"^\s*(\S+) => (/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


@dataclass(frozen=True)
class Needs:
    """What some programs and libraries need."""

    folders: frozenset[Path]
    """Whole installations that must be visible at the same place."""
    supply: Mapping[str, Path]
    """Libraries of the system, by the name under which they are looked for."""
    libc: elf.Version

    def with_others(self, others: "Needs") -> "Needs":
        supply = {**self.supply, **others.supply}
        return Needs(self.folders | others.folders, supply, max(self.libc, others.libc))


NOTHING = Needs(frozenset(), {}, (0, 0))


def needs(files: Iterable[Path], search: str = "") -> Needs:
    """Return what these programs and libraries need, with all that they load if LD_LIBRARY_PATH is `search`."""
    folders: set[Path] = set()
    supply: dict[str, Path] = {}
    libc = (0, 0)
    for file in files:
        for name, path in ((file.name, file), *loaded(file, search)):
            if not LIBC.fullmatch(name):
                _place(path.absolute(), name, folders, supply)
                libc = max(libc, _libc(path.resolve()))
    return Needs(frozenset(folders), supply, libc)


def programs() -> list[Path]:
    """Return the programs of the installation and of its additional builds."""
    builds = [sorted(installed.folder(build).glob("banzuke-*")) for build in installed.builds()]
    return [file for files in builds for file in files if elf.read(file)]


def installation(prefix: Path) -> Needs:
    """Return what all programs need, together with the rest of the installation."""
    needed = needs(programs(), os.environ.get("LD_LIBRARY_PATH", ""))
    return needed.with_others(Needs(frozenset({prefix} if own(prefix) else ()), {}, (0, 0)))


def _place(file: Path, name: str, folders: set[Path], supply: dict[str, Path]) -> None:
    """Add the installation that a file and the target of its links belong to; of the system, only the file."""
    if not own(file.parent):
        supply[name] = file
        return
    for folder in {file.parent, file.resolve().parent}:
        homes = (place.parent for place in (folder, *folder.parents) if place.name in {"bin", "lib", "lib64"})
        if own(folder):
            folders.add(next(filter(own, homes), folder))


def own(folder: Path) -> bool:
    """Return whether a folder belongs to one installation and holds nothing of which images have their own."""
    return folder not in _SHARED and not any(system == folder or system in folder.parents for system in _SYSTEM)


@cache
def loaded(file: Path, search: str) -> tuple[tuple[str, Path], ...]:
    """Return all libraries that the loader would load for it, by name, if LD_LIBRARY_PATH is `search`."""
    listed = output(["env", f"LD_LIBRARY_PATH={search}", "ldd", str(file)], timeout=20) or ""
    return tuple((name, Path(path)) for name, path in _NEEDED.findall(listed))


@cache
def _libc(file: Path) -> elf.Version:
    library = elf.read(file)
    return library.libc if library else (0, 0)


def stamp(paths: Iterable[Path]) -> str:
    """Return a text that changes whenever one of these files, or an entry of these folders, has changed."""
    states = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return hashlib.sha256(repr(states).encode()).hexdigest()[:12]


def gathered(supply: Mapping[str, Path], *, dry_run: bool = False) -> Path:
    """Return a folder with copies of these libraries, which is made once. Raises BanzukeError."""
    names = hashlib.sha256(repr(sorted(supply)).encode()).hexdigest()[:4]
    folder = cache_path() / f"libraries-{names}{stamp(path for _, path in sorted(supply.items()))}"
    if folder.is_dir() or dry_run:
        return folder
    home = cache_folder()
    try:
        with tempfile.TemporaryDirectory(dir=home, prefix=".making-") as temporary:
            made = Path(temporary) / "libraries"
            made.mkdir()
            for name, path in supply.items():
                shutil.copy(path, made / name)
            if not folder.is_dir():
                made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # otherwise, another process was faster
            raise BanzukeError(
                f"cannot gather libraries in {home}",
                why=error.strerror or str(error),
                remedy=f"{writing_remedy(error, path=home)}. XDG_CACHE_HOME names another folder, which all hosts of "
                "the job must see",
            ) from error
    return folder


@dataclass(frozen=True)
class Brought:
    """What an image is given of the host for one command."""

    words: list[str]
    """The command inside the image."""
    folders: list[Path]
    """To be visible at the same place; single files if a folder does not belong to one installation."""
    variables: dict[str, str]
    """To be set inside the image."""


def bring(words: Sequence[str], variables: Mapping[str, str], base: Needs, *, dry_run: bool = False) -> Brought:
    """Return the libraries and files that a command needs, whose programs need `base`; it may begin with a launcher.

    System libraries are taken from the gathered copies, except a launcher, which would lack its own files there. A dry
    run only says where these would be. Raises BanzukeError if libraries cannot be gathered.
    """
    libraries = dict(_libraries(variables))
    before = variables.get("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH", ""))
    launchers = [path for path in map(Path, words) if path.is_absolute() and own(path.parent) and elf.read(path)]
    needed = base.with_others(needs([*launchers, *libraries.values()], before))
    folder = gathered(needed.supply, dry_run=dry_run)

    def there(path: Path) -> str:
        moved = path.name in needed.supply and path.is_absolute() and not own(path.parent)
        return str(folder / path.name if moved else path)

    inside = {name: there(path) for name, path in libraries.items()}
    inside["LD_LIBRARY_PATH"] = ":".join(filter(None, [before, str(folder)]))
    seen = [there(Path(word)) if word.startswith("/") else word for word in words]
    files = [path for word in seen if (path := _named(word))]
    return Brought(seen, [*needed.folders, folder, *files], inside)


def _libraries(variables: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield the libraries that variables name, such as BANZUKE_BLAS."""
    for name, value in (os.environ | variables).items():
        if name.startswith("BANZUKE_") and ".so" in value and Path(value).is_absolute() and Path(value).is_file():
            yield name, Path(value)


def _named(word: str) -> Path | None:
    """Return what must be visible for the file that a word names to be readable; images have the system's programs."""
    path = Path(word.rpartition("=")[2])
    try:
        if not (path.is_absolute() and path.exists()):
            return None
    except OSError:  # the name is too long
        return None
    folder = path if path.is_dir() else path.parent
    if own(folder):
        return folder
    return path if path.is_file() and not elf.read(path) else None
