"""CMake, Ninja, MPI and compilers: the machine's own if present and new enough, else PyPI's; and set-up's output.

Only the standard library is used, because set-up needs this before anything is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from scripts import compilers, devices
from scripts.packages import ROOT, VENV, search_path, which

MINIMUM_CMAKE = (3, 25)


class SetupError(Exception):
    """An error that is printed without a traceback."""


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    say(f"{title} ...")
    start = time.monotonic()
    yield
    say(f"{title}: {time.monotonic() - start:.1f} s")


@dataclass(frozen=True)
class Tools:
    """Programs taken from the machine; None if they are to be installed from PyPI."""

    cmake: str | None
    ninja: str | None
    mpi: str | None


def version_of(program: str) -> tuple[int, ...]:
    """Return the first version number that `program --version` prints; empty if it does not run."""
    try:
        result = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    version = re.search(r"\d+(?:\.\d+)+", result.stdout)
    return tuple(map(int, version.group().split("."))) if version and result.returncode == 0 else ()


def choose_tools(
    find: Callable[..., str | None], version: Callable[[str], tuple[int, ...]], environ: Mapping[str, str]
) -> Tools:
    """Return the machine's own tools that are present and new enough."""
    cmake = find("cmake")
    if cmake and version(cmake)[:2] < MINIMUM_CMAKE:
        cmake = None
    mpi = next((environ[name] for name in ("MPI_HOME", "I_MPI_ROOT", "CRAY_MPICH_DIR") if environ.get(name)), None)
    if mpi == str(VENV):
        mpi = None
    return Tools(cmake=cmake, ninja=find("ninja", "ninja-build"), mpi=mpi or usable_mpi(find))


def usable_mpi(find: Callable[..., str | None]) -> str | None:
    """Return `mpicc` if it finds MPI's headers: distributions also have packages with the wrapper alone."""
    wrapper = find("mpicc")
    if wrapper is None:
        return None
    command = [wrapper, "-x", "c", "-E", "-"]
    try:
        compiled = subprocess.run(
            command, input="#include <mpi.h>\n", capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return wrapper if compiled.returncode == 0 else None


def cpu_vendor(cpuinfo: str) -> str | None:
    vendor = re.search(r"^vendor_id\s*:\s*(\S+)", cpuinfo, re.MULTILINE)
    return vendor.group(1) if vendor else None


def tool_requirements(tools: Tools, architecture: str, vendor: str | None) -> list[str]:
    """Return what comes from PyPI on this machine besides the Python packages; pinned if figures depend on it."""
    wanted = []
    if tools.cmake is None:
        wanted.append("cmake>=" + ".".join(map(str, MINIMUM_CMAKE)))
    if tools.ninja is None:
        wanted.append("ninja>=1.10")
    if tools.mpi is None:
        # Free software for both architectures, with the standard ABI, which Open MPI 5 lacks, beside the ABI that it
        # shares with Intel's and Cray's. Others may be several times as fast within a host: `banzuke machine` says
        # so, and `make mpis` adds them.
        wanted.append("mpich==5.0.2")
    if architecture in ("x86_64", "aarch64"):
        # Even if the system has a BLAS: distributions' builds were up to five times slower in DGEMM.
        wanted.append("scipy-openblas32==0.3.34.*")
    if architecture == "x86_64" and vendor == "GenuineIntel":
        # 1 GB, so only where it can win: on Intel usually level with OpenBLAS or ahead, on AMD at half its rate.
        wanted.append("mkl==2026.*")
    if architecture == "x86_64" and vendor == "AuthenticAMD":
        # Has AMD's own BLIS with kernels for its newest cores: 1.2 times OpenBLAS on Zen 5. AMD's licence.
        wanted.append("aoclda==5.3.*")
    return wanted


def cmake_arguments(tools: Tools) -> list[str]:
    """Return where PyPI's MPI is. CMake would ask its mpicxx, but cannot read the answer if a path has a space."""
    if tools.mpi is not None:
        return []
    return [
        "-DMPI_SKIP_COMPILER_WRAPPER=ON",
        "-DMPI_CXX_LIB_NAMES=mpi",
        f"-DMPI_mpi_LIBRARY={VENV / 'lib/libmpi.so'}",
        f"-DMPI_CXX_HEADER_DIR={VENV / 'include'}",
        f"-DMPIEXEC_EXECUTABLE={VENV / 'bin/mpiexec'}",
    ]


def build_environment(tools: Tools, environ: Mapping[str, str], without: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables for CMake and for tests: the machine's programs first, then those in `.venv`.

    `without`: CMake options that leave parts out.
    """
    arguments = [
        "-DBANZUKE_MPI=ON",
        *cmake_arguments(tools),
        *devices.build_arguments(which, version_of, environ),
        *shlex.split(environ.get("CMAKE_ARGS", "")),
        *without,
    ]
    return {
        **environ,
        **compiler_cache(which, environ),
        "PATH": search_path() + os.pathsep + str(VENV / "bin"),
        "CMAKE_ARGS": shlex.join(arguments),
    }


def compiler_cache(find: Callable[..., str | None], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that make CMake compile through ccache and let all clones share its cache.

    They are empty if there is no ccache, or if the user has named a launcher, even an empty one.
    """
    if find("ccache") is None or "CMAKE_CXX_COMPILER_LAUNCHER" in environ:
        return {}
    return {
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "CCACHE_BASEDIR": str(ROOT),
        "CCACHE_NOHASHDIR": "1",  # -ffile-prefix-map already keeps the folder out of what is compiled
        "CCACHE_IGNOREOPTIONS": '"-ffile-prefix-map=*',  # as nvcc hands it on; ccache knows it without the quote
        "CCACHE_SLOPPINESS": "pch_defines,time_macros",  # precompiled headers need these; no source uses __TIME__
    }


def toolchain(tools: Tools, environ: Mapping[str, str]) -> str:
    """Return a digest of what CMake reads only in a fresh build folder."""
    names = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CMAKE_ARGS", "CMAKE_PREFIX_PATH")
    of_devices = devices.build_arguments(which, version_of, environ)
    return digest(
        [tools.cmake, tools.mpi, which(*compilers.DEFAULTS), of_devices], [environ.get(name) for name in names]
    )
