"""What a bundle is made of: files of this installation and of this machine by their place in the bundle.

bin/       the start script, the programs, MPI's launcher
lib/       libraries; below it the further builds of the programs, as in an installation
packages/  Python packages
python/    the interpreter, unless the nodes' own is to be used
"""

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from banzuke import paths
from banzuke.bundle import dynamic
from banzuke.environment.libraries import LIBC, loaded
from banzuke.errors import BanzukeError
from banzuke.machine.blas_paths import from_pypi
from banzuke.paths import packages
from banzuke.program import installed
from banzuke.words.language import LANGUAGES

_MPI = re.compile(r"libmpi[^/]*\.so.*")
"""Vendors' names of MPI libraries: libmpi.so.12, libmpi_gnu_112.so.12, libmpifort.so.12."""
_LEFT_OUT = {"__pycache__", "include", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3"} | {
    *("pydoc_data", "site-packages", "dist-packages", "pkgconfig", "cmake", "man", "doc")
}
"""Folders that only developers need."""
_SUFFIXES = {".a", ".c", ".h", ".hpp", ".la", ".lib", ".pxd", ".pyc", ".pyi", ".pyx"}
_RECORDS = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
"""Records of how pip installed a package, with paths of this machine; metadata and licences are kept."""
_COMPILING = re.compile(
    r"bin/(mpi(cc|cxx|c\+\+|fort|f77|f90|vars|chversion).*|mpiexec\.gforker|hydra_(nameserver|persist))"
    r"|lib/libmpi(_abi\.so.*|\.so)"
)
"""Parts of an MPI library that only serve to compile programs, or that our programs do not use."""
_MODULES = re.compile(
    r"_(tkinter|curses(_panel)?|dbm|gdbm|crypt|xx|test|ctypes_test).*|readline.*|nis\..*|ossaudio.*|xx.*"
)
"""Extension modules of the interpreter that are not used here, some of which need many libraries."""
_LOCALES = re.compile(rf"(root|({'|'.join(LANGUAGES)})(_\w+)?)\.dat")
TOPOLOGY = "libexec/lstopo-no-graphics"
"""hwloc's tool, if this machine has it."""


@dataclass(frozen=True)
class File:
    content: Path | bytes
    executable: bool = False

    def read(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()

    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size


@dataclass
class Contents:
    files: dict[str, File] = field(default_factory=dict)
    """By their place in the bundle."""
    packages: dict[str, str] = field(default_factory=dict)
    """Versions by name on PyPI."""
    left: dict[str, Path] = field(default_factory=dict)
    """Libraries of this site that nodes must have, by name."""

    def add(self, place: PurePosixPath | str, source: Path, *, executable: bool | None = None) -> None:
        executable = os.access(source, os.X_OK) if executable is None else executable
        self.files[str(place)] = File(source.resolve(), executable)


def gather(builds: Collection[str], *, python: bool) -> Contents:
    """Gather the contents of a bundle of the installation and of these further builds. Raises BanzukeError."""
    if paths.BUNDLE:
        raise BanzukeError(f"{paths.BUNDLE} came from a bundle", remedy="Unpack the same archive wherever it is needed")
    contents = Contents()
    programs = [*_programs(installed.folder(installed.DEFAULT), "bin", contents)]
    for build in sorted({*builds} - {installed.DEFAULT}):
        place = f"lib/banzuke/builds/{build}"
        programs += _programs(installed.folder(build), f"{place}/bin", contents)
        contents.add(f"{place}/build.json", paths.builds() / build / "build.json", executable=False)
    for package in _required("banzuke"):
        _add_package(package, contents)
    for library in from_pypi():
        _add_library(library, contents)
        _add_licence(library, contents)
    if topology := shutil.which("lstopo-no-graphics"):
        contents.add(TOPOLOGY, Path(topology))
        programs.append(Path(topology))
    if python:
        programs += _add_interpreter(contents)
    binaries = [file.content for file in contents.files.values() if isinstance(file.content, Path)]
    for binary in [*programs, *(path for path in binaries if ".so" in path.name)]:
        add_needed(binary, contents)
    return contents


def _programs(folder: Path, place: str, contents: Contents) -> Iterable[Path]:
    programs = sorted(path for path in folder.glob("banzuke-*") if path.is_file() and os.access(path, os.X_OK))
    if not programs:
        raise BanzukeError(f"no programs in {folder}", remedy="Install Banzuke again")
    for program in programs:
        contents.add(f"{place}/{program.name}", program)
    return programs


def _required(name: str) -> list[Distribution]:
    """Return the package and all that it needs here, each once. Raises BanzukeError."""
    packages_by_name: dict[str, Distribution] = {}
    open_ends = [Requirement(name)]
    while open_ends:
        wanted = open_ends.pop()
        key = canonicalize_name(wanted.name)
        if key in packages_by_name:
            continue
        try:
            packages_by_name[key] = distribution(wanted.name)
        except PackageNotFoundError as error:
            raise BanzukeError(
                f"the Python package {wanted.name} is not installed",
                why="Banzuke needs it, so a bundle would not work without it",
                remedy="Install Banzuke again",
            ) from error
        extras = ["", *sorted(wanted.extras)]
        for requirement in map(Requirement, packages_by_name[key].requires or ()):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                open_ends.append(requirement)
    return [packages_by_name[key] for key in sorted(packages_by_name)]


def _add_package(package: Distribution, contents: Contents) -> None:
    """Add its files among the Python packages; its commands are not needed."""
    if not package.files:
        raise BanzukeError(
            f"which files belong to the Python package {package.name} is not known",
            why="it was installed without a list of them, or in editable mode",
            remedy="Install it with pip, or Banzuke with `make setup`",
        )
    contents.packages[package.name] = package.version
    for file in package.files:
        source = Path(str(file.locate()))
        if ".." not in file.parts and _runs(PurePosixPath(file)) and source.is_file():
            contents.add(PurePosixPath("packages", *file.parts), source)


def _runs(path: PurePosixPath) -> bool:
    """Return whether a file is needed to run: no test, no header, no locale of a language that is not written here."""
    if path.suffix in _SUFFIXES or path.name in _RECORDS or not _LEFT_OUT.isdisjoint(path.parts[:-1]):
        return False
    return path.parent.name != "locale-data" or _LOCALES.fullmatch(path.name) is not None


def _add_library(library: Path, contents: Contents) -> str:
    """Add a library beside the others of its package if it belongs to the installation, else in `lib`."""
    if library.is_relative_to(packages()):
        place = f"packages/{library.relative_to(packages())}"
    elif library.is_relative_to(paths.prefix()):
        place = str(library.relative_to(paths.prefix()))
    else:
        place = f"lib/{library.name}"
    contents.files.setdefault(place, File(library.resolve(), executable=True))
    return place


def add_needed(binary: Path, contents: Contents) -> None:
    """Add libraries that the loader will look for, except those of glibc and an MPI from outside the installation.

    Raises BanzukeError if one is missing.
    """
    # As text, because a `Path` for each of thousands of files, for each of hundreds of binaries, takes longer than the
    # copy.
    there = {place.rpartition("/")[2] for place in contents.files} | contents.left.keys()
    resolved: dict[str, Path] | None = None
    open_ends = [binary]
    while open_ends:
        file = open_ends.pop()
        linked = dynamic.read(file.read_bytes())
        for name in linked.needed if linked else ():
            if name in there or LIBC.fullmatch(name):
                continue
            if resolved is None:
                resolved = dict(loaded(binary, os.environ.get("LD_LIBRARY_PATH", "")))
            library = resolved.get(name) or _beside(file, name)
            if library is None:
                raise BanzukeError(
                    f"{binary} needs {name}, which is not found",
                    why="a bundle without it would not work",
                    remedy="Load the modules that were loaded when Banzuke was built",
                )
            library = Path(os.path.normpath(library))
            there.add(name)
            if _MPI.fullmatch(name) and not _add_mpi(library, contents):
                contents.left[name] = library
                continue
            if not library.is_relative_to(paths.prefix()):
                library = library.with_name(name)
            _add_library(library, contents)
            open_ends.append(library)


def _beside(file: Path, name: str) -> Path | None:
    """Return where a BLAS library of a Python package finds what it needs, if the loader does not."""
    other = file.with_name(name)
    return other if file.is_relative_to(packages()) and other.is_file() else None


def _add_mpi(library: Path, contents: Contents) -> bool:
    """Add all of the PyPI package of this library; False: it is another MPI, made for this site's network."""
    if not library.is_relative_to(paths.prefix()):
        return False
    for source in _with(library, contents):
        place = str(source.relative_to(paths.prefix()))
        its_own = not source.is_relative_to(packages()) and not _COMPILING.fullmatch(place)
        if its_own and _runs(PurePosixPath(place)):
            contents.add(place, source)
    _add_licence(library, contents)
    return True


def _add_licence(library: Path, contents: Contents) -> None:
    """Add the metadata of its package."""
    for source in _with(library, contents):
        place = source.relative_to(packages()) if source.is_relative_to(packages()) else None
        if place and place.parts[0].endswith(".dist-info") and _runs(PurePosixPath(place)):
            contents.add(PurePosixPath("packages", *place.parts), source)


def _with(library: Path, contents: Contents) -> list[Path]:
    """Return all files of the PyPI package that installed this one."""
    package = _owners().get(str(library))
    if package is None:
        return []
    contents.packages[package.name] = package.version
    files = [Path(os.path.normpath(str(file.locate()))) for file in package.files or ()]
    return [file for file in files if file.is_file() and file.is_relative_to(paths.prefix())]


@cache
def _owners() -> dict[str, Distribution]:
    """Return the package that installed a library, by the library's path."""
    return {
        os.path.normpath(str(file.locate())): package
        for package in distributions()
        for file in package.files or ()
        if ".so" in file.name
    }


def _add_interpreter(contents: Contents) -> list[Path]:
    """Add the interpreter of this environment, if it finds its library beside itself wherever it is.

    Raises BanzukeError if it is built otherwise.
    """
    program = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    if not (library / "os.py").is_file() or not (library / "lib-dynload").is_dir():
        raise BanzukeError(
            f"{program} cannot be copied",
            why=f"its standard library is not in {library}",
            remedy="Use --without-python where the nodes have the same version of Python",
        )
    contents.add(f"python/bin/{interpreter()}", program)
    home = f"python/{sys.platlibdir}/{interpreter()}"
    for folder, inner, names in os.walk(library):
        inner[:] = sorted({*inner} - _LEFT_OUT - {name for name in inner if name.startswith("config-")})
        for name in sorted(names):
            source = Path(folder, name)
            within = source.relative_to(library)
            if within.parts[0] == "lib-dynload" and _MODULES.fullmatch(name):
                continue
            if source.is_file() and _runs(PurePosixPath(within)):
                contents.add(f"{home}/{within}", source)
    return [program]


def interpreter() -> str:
    return f"python{sys.version_info[0]}.{sys.version_info[1]}"
