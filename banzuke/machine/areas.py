"""The storage areas that a run measures: folders that the user names, on the file systems of this machine."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files.remedies import writing_remedy
from banzuke.machine import published
from banzuke.machine.model import Machine
from banzuke.machine.mounts import filesystem_of
from banzuke.machine.site import Site, StorageArea
from banzuke.machine.tree import Tree

_NAMED = re.compile(r"(?:(.+\.toml):)?([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.*)", re.DOTALL)
_DESCRIBED = re.compile(r"(.+\.toml)(?::(.+))?", re.DOTALL)


@dataclass(frozen=True)
class _Asked:
    name: str
    folder: Path
    site: Site | None = None
    """Site that describes the area under this name."""


def with_areas(machine: Machine, asked: Sequence[str]) -> Machine:
    """Return the machine with the areas of `--area`.

    `NAME=PATH`; a path alone, which is named after its mount point; `SITE.toml`, for all areas that the file describes
    and this user can write to, `SITE.toml:NAME` for one of them, and `SITE.toml:NAME=PATH` for a folder in it. Raises
    BanzukeError for a folder that cannot be written to, and where two have the same name or folder.
    """
    chosen: dict[str, _Asked] = {}
    for area in chain.from_iterable(map(_read, asked)):
        if area.name in chosen:
            raise BanzukeError(
                f"--area names {area.name} twice",
                why=f"{chosen[area.name].folder} and {area.folder}",
                remedy="Give each a name of its own: --area NAME=PATH",
            )
        if area.folder in (other.folder for other in chosen.values()):
            raise BanzukeError(f"--area names the folder {area.folder} twice", remedy="Leave one of them out")
        if error := _unusable(area.folder):
            why = error.strerror or str(error)
            remedy = writing_remedy(error, path=area.folder, option="--area")
            raise BanzukeError(f"--area {area.folder} cannot be measured", why=why, remedy=remedy)
        chosen[area.name] = area
    return _with(machine, chosen.values())


def with_folder(machine: Machine, folder: Path) -> Machine:
    """Return the machine with the area of this folder alone, which need not exist yet."""
    path = Path(os.path.realpath(folder))
    return _with(machine, [_Asked(_mount_point(path), path)])


def with_described(machine: Machine) -> Machine | None:
    """Return the machine with the described areas of its partition that this user can write to; None:
    there are none.
    """
    areas = machine.site.areas
    described = [name for name in machine.partition.mounts if name in areas and areas[name].mount not in (None, name)]
    folders = {name: next((path for path in _folders(areas[name]) if not _unusable(path)), None) for name in described}
    asked = [_Asked(name, folder) for name, folder in folders.items() if folder]
    return _with(machine, asked) if asked else None


def _read(text: str) -> Iterator[_Asked]:
    """Read one `--area`. Raises BanzukeError."""
    if (named := _NAMED.fullmatch(text)) and named[3] and "\0" not in text:
        site = published.read(Path(named[1])) if named[1] else None
        _area(site, named[2], named[1])
        yield _Asked(named[2], Path(os.path.realpath(named[3])), site)
    elif named or not text or "\0" in text:
        raise BanzukeError(f"--area '{text}' names no folder", remedy="Write --area NAME=PATH: --area scratch=/scratch")
    elif described := _DESCRIBED.fullmatch(text):
        yield from _of_site(described[1], described[2])
    else:
        folder = Path(os.path.realpath(text))
        yield _Asked(_mount_point(folder), folder)


def _of_site(file: str, name: str | None) -> Iterator[_Asked]:
    """Yield the area of this name in a site file; without a name, those that this user can write to."""
    site = published.read(Path(file))
    names = [name] if name else list(site.areas)
    usable = {area: [f for f in _folders(_area(site, area, file)) if not _unusable(f)] for area in names}
    if not any(usable.values()):
        raise BanzukeError(
            f"{file} describes no storage area {f'{name} ' if name else ''}that can be measured",
            why="you can write to none of its mounts",
            remedy=f"Name a folder in one: --area {file}:{names[0] if names else 'NAME'}=PATH",
        )
    for area, folders in usable.items():
        if folders:
            yield _Asked(area, folders[0], site)


def _area(site: Site | None, name: str, file: str | None) -> StorageArea:
    """Return the area as described. Raises BanzukeError."""
    if site is None:
        return StorageArea()
    if name not in site.areas:
        there = ", ".join(site.areas) or "none"
        raise BanzukeError(f"{file} describes no storage area '{name}'", why=f"it has {there}", remedy="Add it")
    return site.areas[name]


def _folders(area: StorageArea) -> list[Path]:
    """Return where a user may write in the area: the mount point, or the user's folder there."""
    if not area.mount:
        return []
    mount, user = Path(os.path.realpath(area.mount)), os.environ.get("USER")
    return [mount, *([mount / user] if user else [])]


def _unusable(folder: Path) -> OSError | None:
    """Return why no file can be created in the folder; None: one can."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error


def _there(path: Path) -> Path:
    """Return the path, or the nearest existing folder above it."""
    return next((folder for folder in (path, *path.parents) if folder.is_dir()), Path("/"))


def _mount_point(path: Path) -> str:
    filesystem = filesystem_of(Tree(), _there(path))
    return filesystem.mount if filesystem else str(path)


def _with(machine: Machine, asked: Iterable[_Asked]) -> Machine:
    areas, free = dict(machine.site.areas), dict(machine.allotment.storage_available)
    links, folders = list(machine.site.links), {}
    for area in asked:
        filesystem = filesystem_of(Tree(), _there(area.folder))
        if filesystem is None:
            raise BanzukeError(f"{area.folder} cannot be measured", why="its file system does not answer")
        described = area.site.areas[area.name] if area.site else areas.get(area.name, StorageArea())
        areas[area.name] = described.having(
            kind=filesystem.kind, source=filesystem.source, mount=filesystem.mount, capacity=filesystem.total
        )
        new = area.site.links if area.site else []
        links += [link for link in new if area.name in link.between and link not in links]
        folders[area.name] = str(area.folder)
        free.pop(area.name, None)
        if filesystem.free is not None:
            free[area.name] = filesystem.free
    mounts = list(dict.fromkeys([*machine.partition.mounts, *folders]))
    return machine.changed(
        site={"areas": areas, "links": links},
        partition={"mounts": mounts},
        allotment={"folders": folders, "storage_available": free},
    )
