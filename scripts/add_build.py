"""Build all programs again, with another compiler, other flags or another MPI, as a further build of the installation.

    make build NAME=fast CXX=clang++ CXXFLAGS="-O3 -march=native" MPI=/opt/openmpi
    banzuke run hpcg --build default,fast

What is not given is as in the installation itself. Programs and `build.json` are installed in
`.venv/lib/banzuke/builds/NAME`, completely or not at all: a build of that name stays until the new one works.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts import compilers, devices
from scripts.packages import ROOT, VENV, search_path, which
from scripts.setup import alone, check_compiler, run, what_builds
from scripts.tools import SetupError, choose_tools, cmake_arguments, compiler_cache, digest, step, toolchain, version_of

NAME = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")
LONGEST_NAME = 40
SECONDS = 30
"""Seconds that a program may take to describe itself."""


@dataclass(frozen=True)
class Request:
    """The requested build; an empty field means as in the installation."""

    name: str
    compiler: str = ""
    flags: str = ""
    mpi: str = ""
    """Folder of the library."""

    def arguments(self) -> list[str]:
        """Return the arguments for CMake. Raises SetupError."""
        if not NAME.fullmatch(self.name) or len(self.name) > LONGEST_NAME or self.name == "default":
            raise SetupError(
                f"NAME={self.name}: use {LONGEST_NAME} small letters and digits at most, "
                "which - . and _ may separate; default is the installation itself"
            )
        check_compiler(self.compiler)
        chosen = ["-DBANZUKE_MPI=ON", *(find_mpi(self.mpi) if self.mpi else own_mpi())]
        chosen += devices.build_arguments(which, version_of)
        chosen += [f"-DCMAKE_CXX_COMPILER={self.compiler}"] if self.compiler else []
        chosen += [f"-DCMAKE_CXX_FLAGS={self.flags}"] if self.flags else []
        return [*shlex.split(os.environ.get("CMAKE_ARGS", "")), *chosen]  # of equal names, the last one counts


def own_mpi() -> list[str]:
    """Return how CMake finds the installation's MPI; programs find an MPI beside them even if both are moved."""
    beside = cmake_arguments(choose_tools(which, version_of, os.environ))
    return [*beside, "-DCMAKE_INSTALL_RPATH=$ORIGIN/../../../.."] if beside else []


def find_mpi(named: str) -> list[str]:
    """Return how CMake finds a library: by its files if they are where usual, else by its mpicxx. Raises SetupError."""
    folder = Path(named).expanduser().resolve()
    if not folder.is_dir():
        raise SetupError(f"MPI={named}: there is no such folder")
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
        f"-DCMAKE_INSTALL_RPATH={library.parent};$ORIGIN/../../../..",
    ]


def compile_in(
    into: Path, targets: Sequence[str], arguments: Sequence[str], source: Path = ROOT, without: Sequence[str] = ()
) -> None:
    """Compile with these arguments for CMake, and `without` for optional parts to leave out.

    What the same compiler has built in the folder with the same arguments is reused, even after a failed build. Raises
    SetupError.
    """
    into.mkdir(parents=True, exist_ok=True)
    configured = into / "configured"
    asked = digest(str(source), [*arguments], toolchain_of(arguments))
    unchanged = configured.is_file() and configured.read_text(encoding="utf-8") == asked
    configured.unlink(missing_ok=True)
    words = ["-S", str(source), "-B", str(into), "-G", "Ninja", *([] if unchanged else ["--fresh"])]
    call_cmake(into, *words, *arguments, *without)
    configured.write_text(asked, encoding="utf-8")
    build_in(into, targets)


def toolchain_of(arguments: Sequence[str]) -> list[str]:
    """Return what CMake reads only in a fresh build folder, including the compiler's version, which may change."""
    environment = {**os.environ, "CMAKE_ARGS": shlex.join(arguments)}
    compiler = compilers.chosen(which, environment)
    return [toolchain(choose_tools(which, version_of, os.environ), os.environ), str(compiler)]


def build_in(into: Path, targets: Sequence[str]) -> None:
    """Build in a folder that CMake has configured. Raises SetupError."""
    call_cmake(into, "--build", str(into), "--target", *targets)


def call_cmake(into: Path, *words: str) -> None:
    """Call CMake; its output goes to `into`/build.log."""
    environment = {
        **os.environ,
        **compiler_cache(which, os.environ),
        "PATH": search_path() + os.pathsep + str(VENV / "bin"),
    }
    run(["cmake", *words], environment, into / "build.log")


def describe(program: Path) -> dict[str, Any]:
    """Return a program's description of itself. Raises SetupError if there is none."""
    try:
        done = subprocess.run([program, "--describe"], capture_output=True, text=True, timeout=SECONDS, check=True)
        said: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        why = str(getattr(error, "stderr", None) or error).strip()
        raise SetupError(f"{program.name} was built, but cannot be started: {why}") from error
    return said


def commit() -> str:
    """Return the commit of the sources, in the installation's format; empty if they are no git checkout."""
    words = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def install(name: str, made: Path, prefix: Path) -> None:
    """Move a folder with programs in `bin` to its place in `prefix`, with what they report about themselves.

    Raises SetupError if one reports nothing; nothing has changed then.
    """
    programs = [file for file in sorted((made / "bin").glob("banzuke-*-*")) if file.name != "banzuke-guest-init"]
    said = [describe(program) for program in programs]
    if not said:
        raise SetupError("no program was built")
    facts = {key: said[0][key] for key in ("compiler", "flags", "mpi", "mpi_name")}
    facts |= {"commit": commit(), "date": datetime.now(UTC).isoformat(timespec="seconds")}
    (made / "build.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    builds = prefix / "lib" / "banzuke" / "builds"
    builds.mkdir(parents=True, exist_ok=True)
    place, old = builds / name, builds / f".{name}.old"
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    made.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def add(request: Request, prefix: Path = VENV, source: Path = ROOT) -> None:
    """Build and install. Raises SetupError; a build that was installed under the name then stays."""
    arguments = request.arguments()
    into = ROOT / "build" / "builds" / request.name
    new = prefix / "lib" / "banzuke" / "builds" / f".{request.name}.new"
    shutil.rmtree(new, ignore_errors=True)
    try:
        with step(f"building {request.name}"):
            what_builds(lambda without: compile_in(into, ["programs"], arguments, source, without), into / "build.log")
            run(["cmake", "--install", str(into), "--prefix", str(new)], None, into / "build.log")
            install(request.name, new, prefix)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make build", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--name", required=True, help="name of the build")
    parser.add_argument("--cxx", default="", help="compiler; without it, that of the installation")
    parser.add_argument("--cxxflags", default="", help="flags beside ours; an -O among them replaces our -O3")
    parser.add_argument("--mpi", default="", help="folder of the MPI library; without it, that of the installation")
    asked = parser.parse_args(arguments)
    try:
        with alone():
            add(Request(asked.name, asked.cxx, asked.cxxflags, asked.mpi))
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsetup: interrupted; nothing has changed", file=sys.stderr)
        return 130
    print(f"Now: .venv/bin/banzuke run stream --build default,{asked.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
