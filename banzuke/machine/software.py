"""Finds compilers and MPI launchers with their versions, asking all at once."""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from banzuke.machine.command import output
from banzuke.machine.site import Software
from banzuke.paths import prefix

_COMPILERS = (
    "gcc", "g++", "gfortran", "clang", "clang++", "flang", "nvcc", "nvc++", "nvfortran", "hipcc", "icx",
    "icpx", "ifx", "fccpx", "FCCpx", "frtpx", "fcc", "FCC", "frt", "armclang", "armclang++", "armflang",
    "CC", "ftn",
)  # fmt: skip
_LAUNCHERS = ("mpiexec", "mpirun")


def software() -> Software:
    """Return the commands on PATH and in the Python environment; "unknown" if the version is not reported."""
    launchers = _launchers()
    with ThreadPoolExecutor(max_workers=16) as pool:
        compilers = dict(zip(_COMPILERS, pool.map(_compiler_version, _COMPILERS), strict=True))
        versions = pool.map(_launcher_version, launchers)
        mpi: dict[tuple[Path, str], str] = {}
        for path, version in zip(launchers, versions, strict=True):
            mpi.setdefault((path.resolve().parent, version), str(path))
    return Software(
        compilers={name: version for name, version in compilers.items() if version},
        mpi={path: version for (_, version), path in mpi.items()},
    )


def _compiler_version(command: str) -> str | None:
    text = output([command, "--version"])
    return version_in(text) or "unknown" if text else None


def version_in(text: str) -> str | None:
    """Return the version in a compiler's --version: the release of nvcc, else the first a.b or a.b.c."""
    match = re.search(r"\bV(\d+(?:\.\d+)+)", text) or re.search(r"(?<![\w.])(\d+\.\d+(?:\.\d+)*)", text)
    return match[1] if match else None


def mpi_version(text: str) -> str | None:
    """Return the version in the --version of Hydra (MPICH, MVAPICH), Open MPI or Intel MPI."""
    first = text.splitlines()[0] if text else ""
    if "HYDRA" in text:
        match = re.search(r"Version:\s*(\S+)", text)
        return f"MPICH {match[1]}" if match else "MPICH"
    if "Intel(R) MPI" in first:
        match = re.search(r"Version (\S+(?: Update \d+)?)", first)
        return f"Intel MPI {match[1]}" if match else "Intel MPI"
    if "Open MPI" in first or "OpenRTE" in first or "prterun" in first:
        match = re.search(r"(\d+\.\d+\S*)", first)
        return f"Open MPI {match[1]}" if match else "Open MPI"
    return None


def _launcher_version(path: Path) -> str:
    text = output([str(path), "--version"])
    return (mpi_version(text) if text else None) or "unknown"


def _launchers() -> list[Path]:
    """Return one path per program, the first on PATH first; `mpiexec` and `mpirun` may be the same program."""
    folders = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    folders += [prefix() / "bin", Path(sys.executable).parent]
    launchers: dict[Path, Path] = {}
    for folder in folders:
        for name in _LAUNCHERS:
            path = folder / name
            try:
                if path.is_file() and os.access(path, os.X_OK):
                    launchers.setdefault(path.resolve(), path)
            except OSError:
                continue
    return list(launchers.values())
