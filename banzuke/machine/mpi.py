"""MPI libraries: which are installed, each with its launcher, and what a probe of them says."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from banzuke import paths
from banzuke.machine.site import Mpi
from banzuke.units import quantity

CLEARLY = 1.25
"""Ratio of two probed figures from which one library is clearly faster; a probe takes moments, on any processors."""

_NAMES = ("libmpi.so.12", "libmpi.so.40", "libmpich.so.12", "libmpi_cray.so.12")
_UNNUMBERED = ("libmpi.so", "libmpi_cray.so")
"""Names without a number, which beside the others may be text for the linker."""
_STANDARD = ("libmpi_abi.so", "libmpi_abi.so.1", "libmpi_abi.so.0")
"""Names of the library with the standard binary interface of MPI 5, under which programs of any MPI run."""
_VARIABLES = (
    "MPI_HOME", "MPI_ROOT", "MPI_DIR", "I_MPI_ROOT", "CRAY_MPICH_DIR", "MPICH_DIR", "MPICH_HOME", "OPENMPI_DIR",
    "OPENMPI_HOME", "OPAL_PREFIX", "EBROOTOPENMPI", "EBROOTIMPI", "EBROOTMPICH", "EBROOTMVAPICH2", "HPCX_MPI_DIR",
)  # fmt: skip
"""Variables of modules that name a library's folder."""
_SYSTEM = (
    "/usr/lib64/openmpi", "/usr/lib64/mpich", "/usr/lib64/mvapich2", "/usr/lib64/mpi/gcc/openmpi5",
    "/usr/lib64/mpi/gcc/openmpi4", "/usr/lib64/mpi/gcc/mpich", "/usr/local", "/opt/openmpi", "/opt/mpich", "/opt/mpi",
    "/opt/intel/oneapi/mpi/latest", "/usr",
)  # fmt: skip
_LAUNCHERS = ("mpiexec", "mpirun")
_DEBIANS = {"40": "openmpi", "12": "mpich"}
"""What Debian appends to a launcher's name, by the version in its library's name."""


def folder_of_more() -> Path:
    """Return the folder to which `make mpis` installs further libraries, each into a folder with its name."""
    return paths.builds().parent / "mpi"


def candidates(builds: Mapping[str, str]) -> list[Mpi]:
    """Return the libraries on this machine by real path, those of the installation first; nothing is loaded.

    `builds`: the library's file that each build's programs load. A library without a launcher is left out.
    """
    libraries: dict[str, Mpi] = {}
    for path in [*map(Path, builds.values()), *_files()]:
        real = os.path.realpath(path)
        launcher = None if real in libraries or not _is_file(Path(real)) else _launcher(Path(real))
        if launcher:
            own = [name for name, file in builds.items() if os.path.realpath(file) == real]
            libraries[real] = Mpi(path=real, launcher=str(launcher), builds=own, standard=_standard(Path(real).parent))
    return list(libraries.values())


def _files() -> Iterator[Path]:
    for folder in _roots():
        for below in ("lib", "lib64", "lib/release", f"lib/{os.uname().machine}-linux-gnu", "."):
            yield from _in_folder(folder / below)


def _roots() -> Iterator[Path]:
    yield paths.prefix()
    with suppress(OSError):
        yield from sorted(folder_of_more().iterdir())
    yield from (Path(os.environ[name]) for name in _VARIABLES if os.environ.get(name))
    for name in _LAUNCHERS:
        if command := shutil.which(name):
            yield from (Path(command).parent.parent, Path(os.path.realpath(command)).parent.parent)
    yield from map(Path, _SYSTEM)


def _in_folder(folder: Path) -> Iterator[Path]:
    """Yield the libraries in `folder`; Open MPI and MPICH may share one."""
    numbered = [folder / name for name in _NAMES if _is_file(folder / name)]
    yield from numbered or [folder / name for name in _UNNUMBERED if _is_file(folder / name)]


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; variables may name folders that this user may not read."""
    with suppress(OSError):
        return path.is_file()
    return False


def _standard(folder: Path) -> str | None:
    return next((str(folder / name) for name in _STANDARD if _is_file(folder / name)), None)


def _launcher(library: Path) -> Path | None:
    """Return the launcher in the library's installation; where several libraries share it, the one named after it."""
    number = re.search(r"\.so\.(\d+)", library.name)
    suffix = _DEBIANS.get(number[1], "") if number else ""
    for home in library.parents[1:5]:
        plain: tuple[str, ...] = () if _has_several(home) else _LAUNCHERS
        names = [*(f"{name}.{suffix}" for name in _LAUNCHERS if suffix), *plain]
        for name in names:
            file = home / "bin" / name
            if _is_file(file) and os.access(file, os.X_OK):
                return file
    return None


def _has_several(home: Path) -> bool:
    """Return whether the launchers of several libraries are in one folder, so that a plain name may be any of them."""
    return any(_is_file(home / "bin" / f"{name}.{suffix}") for name in _LAUNCHERS for suffix in _DEBIANS.values())


def fastest(libraries: Sequence[Mpi], figure: str) -> Mpi | None:
    """Return the library with the best `figure`: latency, bandwidth or allreduce."""
    probed = [library for library in libraries if getattr(library, figure)]
    return max(probed, key=lambda library: advantage(library, figure), default=None)


def advantage(library: Mpi, figure: str) -> float:
    """Return the figure as a rate, so that more is better; 0: unknown."""
    value = float(getattr(library, figure) or 0.0)
    return value if figure == "bandwidth" or not value else 1 / value


def in_use(libraries: Sequence[Mpi], build: str = "default") -> Mpi | None:
    """Return the library that this build's programs load."""
    return next((library for library in libraries if build in library.builds), None)


_TITLES = {"latency": ("8 B message", "s"), "bandwidth": ("1 MiB messages", "B/s"), "allreduce": ("8 B Allreduce", "s")}


def explain(libraries: Sequence[Mpi]) -> str:
    """Return a line for each figure that says which library is the fastest, and how the one in use compares."""
    used = in_use(libraries)
    lines = []
    for figure, (title, unit) in _TITLES.items():
        best = fastest(libraries, figure)
        if best is None:
            continue
        line = f"{title}: {named(best)} {quantity(getattr(best, figure), unit)}"
        if used and used is not best and getattr(used, figure):
            ratio = advantage(best, figure) / advantage(used, figure)
            other = f"{named(used)}, in use, {quantity(getattr(used, figure), unit)}"
            line += f"; {other}" + (f" ({ratio:.1f} times)" if ratio >= CLEARLY else ", about as good")
        elif used is best and len(libraries) > 1:
            line += ", in use, is the fastest"
        lines.append(f"{line}.")
    faster = [library for figure in _TITLES if (library := clearly_faster(libraries, used, figure))]
    lines += dict.fromkeys(how_to_use(library) for library in faster)
    return "\n".join(lines)


def clearly_faster(libraries: Sequence[Mpi], used: Mpi | None, figure: str) -> Mpi | None:
    """Return the library with the best `figure` if that is clearly better than that of `used`."""
    best = fastest(libraries, figure)
    if best is None or used is None or not getattr(used, figure):
        return None
    return best if advantage(best, figure) >= CLEARLY * advantage(used, figure) else None


def how_to_use(library: Mpi) -> str:
    """Return a line that says how programs are built and run with this library."""
    if library.builds:
        return f"{named(library)}: run with --build {library.builds[0]}."
    return f"{named(library)}: `make build NAME={short(library)} MPI={home(library)}`, then --build {short(library)}."


def home(library: Mpi) -> str:
    """Return the folder that `make build MPI=` takes: that of the library's launcher."""
    return str(Path(library.launcher).parent.parent)


def short(library: Mpi) -> str:
    """Return a name for a build with this library: openmpi, mpich, intelmpi."""
    words = re.match(r"([A-Za-z ]+) \d", named(library))
    return words[1].replace(" ", "").lower() if words else "other"


def named(library: Mpi) -> str:
    """Return the name by which the library calls itself, without what it says about the system."""
    return short_version(library.version) if library.version else library.path


def short_version(text: str) -> str:
    """Return `MPICH 5.0.2`, `Open MPI 5.0.11` or `Intel MPI 2021.18.1` of a library's own text."""
    number = re.search(r"\d+(\.\d+)+\w*", text)
    for mark, name in (("Intel(R) MPI", "Intel MPI"), ("Open MPI", "Open MPI"), ("CRAY MPICH", "Cray MPICH"),
                       ("MVAPICH", "MVAPICH"), ("MPICH", "MPICH")):  # fmt: skip
        if mark in text and number:
            return f"{name} {number[0]}"
    return text
