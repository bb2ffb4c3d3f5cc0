"""Build the benchmarks of message passing for one more MPI library, as a backend beside the first.

    make mpi MPI=/opt/openmpi NAME=openmpi
    banzuke run pt2pt collectives --backend mpi,openmpi

Each program belongs to the library that it was built for, and is started by that library's launcher.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.setup import ROOT, VENV, SetupError, run, search_path, step, which

TAKEN = {"mpi", "omp", "blas", "mkl", "cuda"}
"""Names of other backends."""


def home(named: str | None) -> Path:
    """Folder of the library: the named one, or that of the mpicxx of a loaded module. Raises SetupError."""
    if named:
        folder = Path(named).expanduser().resolve()
        if not folder.is_dir():
            raise SetupError(f"MPI={named}: there is no such folder")
        return folder
    compiler = which("mpicxx", "mpicc")
    if compiler is None:
        raise SetupError("which MPI? Load its module, or say: make mpi MPI=/opt/openmpi NAME=openmpi")
    return Path(compiler).resolve().parent.parent


def find_arguments(folder: Path) -> list[str]:
    """How CMake finds the library: its files where they have their usual places, else by asking its mpicxx."""
    libraries = [folder / lib / "libmpi.so" for lib in ("lib", "lib64", "lib/release")]
    library = next((file for file in libraries if file.exists()), None)
    if library is None or not (folder / "include/mpi.h").is_file():
        if not (folder / "bin/mpicxx").is_file():
            raise SetupError(f"{folder} holds no MPI: neither lib/libmpi.so with include/mpi.h nor bin/mpicxx")
        return [f"-DMPI_HOME={folder}"]
    return [
        "-DMPI_SKIP_COMPILER_WRAPPER=ON",
        "-DMPI_CXX_LIB_NAMES=mpi",
        f"-DMPI_mpi_LIBRARY={library}",
        f"-DMPI_CXX_HEADER_DIR={folder / 'include'}",
    ]


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": search_path() + os.pathsep + str(VENV / "bin")}


def build(into: Path, target: str, arguments: Sequence[str]) -> None:
    """Builds the target for the MPI that CMake finds by the arguments. Raises SetupError."""
    configure = ["cmake", "-S", str(ROOT), "-B", str(into), "-G", "Ninja", "--fresh", "-DBANZUKE_MPI=ON"]
    run([*configure, *arguments], environment())
    run(["cmake", "--build", str(into), "--target", target], environment())


def add(folder: Path, name: str, prefix: Path = VENV) -> None:
    """Builds, and installs the programs into `prefix`/bin. Raises SetupError."""
    if not re.fullmatch(r"[a-z][a-z0-9]*([.-][a-z0-9]+)*", name) or name in TAKEN:
        raise SetupError(f"NAME={name}: use small letters and digits, and none of {', '.join(sorted(TAKEN))}")
    into = ROOT / "build" / f"mpi-{name}"
    options = [f"-DBANZUKE_MPI_BACKEND={name}", f"-DCMAKE_INSTALL_PREFIX={prefix}"]
    with step(f"building for {folder}"):
        build(into, "mpi-programs", [*options, *find_arguments(folder)])
        run(["cmake", "--install", str(into), "--component", "mpi-programs"], environment())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make mpi", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--mpi", default="", help="folder of the library; without it, that of the mpicxx on PATH")
    parser.add_argument("--name", required=True, help="what the backend is called")
    asked = parser.parse_args(arguments)
    try:
        add(home(asked.mpi), asked.name)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    print(f"Now: .venv/bin/banzuke run pt2pt collectives --backend mpi,{asked.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
