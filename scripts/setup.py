#!/usr/bin/env python3
"""Make `.venv` beside the sources, with Banzuke and all that it needs; used by the Makefile.

Nothing else on the machine is changed, with one exception: as root on Debian, the few system packages that the target
needs are installed. Without root, the command that would do so is printed. A compiler, CMake, Ninja and MPI that are
already on PATH (the system's, loaded modules') are used; what is missing comes from PyPI. Only the standard library is
used, and the syntax remains readable for old Pythons, so that they can report what they lack.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
from scripts import compilers, devices
from scripts.packages import ROOT, VENV, which
from scripts.system_packages import install_system_packages
from scripts.tools import (
    SetupError,
    Tools,
    build_environment,
    choose_tools,
    cpu_vendor,
    digest,
    say,
    step,
    tool_requirements,
    toolchain,
    version_of,
)

STATE = VENV / "setup.json"
LOG = VENV / "setup.log"
CHANGING = VENV / "setup-unfinished"
"""Marker that exists while packages are being written; if it is there at the start, a run was killed."""

MINIMUM_PYTHON = (3, 11)

NINJA_STEP = re.compile(r"^\s*\[(\d+)/(\d+)\] (?!Re-checking)", re.MULTILINE)

INPUTS = ("CMakeLists.txt", "pyproject.toml", "core", "banzuke", "benchmarks", "machines", "schema")
"""Sources of the installed package; a change in any of them builds it again."""

OPTIONAL_PARTS = {
    "cuda": "BANZUKE_CUDA",
    "hip": "BANZUKE_HIP",
    "omptarget": "BANZUKE_OFFLOAD",
    "openacc": "BANZUKE_OFFLOAD",
}
"""CMake options by platform of devices, after which folders, targets and programs are named."""

EXTRAS = {"evaluate": (), "test": ("test",), "fuzz": ("test",), "lint": ("test", "lint")}
"""Optional dependencies in pyproject.toml that each target needs. Type checks also cover the tests."""


def project_requirements(pyproject: Mapping[str, Any], extras: Iterable[str]) -> list[str]:
    project = pyproject["project"]
    requirements = [*pyproject["build-system"]["requires"], *project["dependencies"]]
    for extra in extras:
        requirements += project["optional-dependencies"][extra]
    return requirements


def is_input(path: Path) -> bool:
    """Return whether a file is part of the package; tests are not installed, so a change in one builds nothing."""
    return (
        "__pycache__" not in path.parts
        and not path.name.startswith(("test_", "."))
        and path.name != "conftest.py"
        and path.is_file()
    )


def digest_of_inputs(root: Path, inputs: Sequence[str] = INPUTS) -> str:
    """Return a digest of names and contents of all that the package is made of."""
    total = hashlib.sha256()
    for top in inputs:
        start = root / top
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if is_input(path):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                total.update(f"{path.relative_to(root)}\0{content}\n".encode())
    return total.hexdigest()


def check_compiler(named: str = "") -> None:
    """Raise SetupError if the compiler, or the one that is named, cannot build the programs."""
    if why := compilers.complaint(which, os.environ, named):
        raise SetupError(why)


class Progress:
    """A display of Ninja's progress from its `[n/m]`: in place on a terminal, else a line every ten seconds."""

    def __init__(self, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._in_place = out.isatty()
        self._pause = 0.0 if self._in_place else 10.0
        self._told = clock()
        self._shown = ""

    def read(self, output: str) -> None:
        steps = NINJA_STEP.findall(output)
        if not steps or self._clock() < self._told + self._pause:
            return
        self._told = self._clock()
        self._shown = "setup:   {} of {} built".format(*steps[-1])
        self._out.write(f"\r{self._shown}" if self._in_place else f"{self._shown}\n")
        self._out.flush()

    def close(self) -> None:
        if self._in_place and self._shown:
            self._out.write("\r" + " " * len(self._shown) + "\r")
            self._out.flush()


def run(command: Sequence[str], environ: Mapping[str, str] | None = None, log: Path | None = None) -> None:
    """Run with the output in the log, whose end is shown only if the command fails; a build's progress is shown."""
    say("  " + shlex.join(command))
    progress = Progress(sys.stdout)
    log = log or LOG
    # Output goes to a file, so that a command whose set-up is killed can go on writing and finish.
    with log.open("w", encoding="utf-8") as written, log.open(encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=written, stderr=written, env=environ, close_fds=False)
        try:
            while process.poll() is None:
                progress.read(output.read())
                time.sleep(0.1)
            progress.read(output.read())
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            progress.close()
    if process.returncode:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-40:])
        raise SetupError(
            f"{tail}\n{shlex.join(command)} ended with status {process.returncode}; all of its output: {log}"
        )


def optional_parts(log: str) -> set[str]:
    """Return the CMake options that leave out what failed in a build; empty if not only programs for devices did."""
    platform = re.compile(f"[-/]({'|'.join(OPTIONAL_PARTS)})\\b")
    failed = [platform.search(line) for line in re.findall(r"^\s*FAILED: (.*)$", log, re.MULTILINE)]
    parts = [OPTIONAL_PARTS[name.group(1)] for name in failed if name]
    return set(parts) if len(parts) == len(failed) else set()


def what_builds(build: Callable[[Sequence[str]], None], log: Path) -> None:
    """Build, leaving out optional programs that do not build, with a warning.

    `build` gets the CMake options that leave them out, and writes the log. Raises SetupError if others do not build, or
    programs that were asked for (BANZUKE_CUDA=ON).
    """
    without: list[str] = []
    while True:
        try:
            build([f"-D{part}=OFF" for part in without])
        except SetupError:
            parts = optional_parts(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else set()
            asked = {part for part in parts if os.environ.get(part, "").upper() == "ON"}
            if not parts or asked or parts & set(without):
                raise
            for part in sorted(parts):
                kept = shutil.copy(log, log.with_name(f"{log.stem}-{part.lower()}.log"))
                say(f"WARNING: programs of {part} do not build here and are left out; why: {kept}")
            without += sorted(parts)
        else:
            return


def tell_why_building_takes_long() -> None:
    processors = len(os.sched_getaffinity(0))
    say(f"  compiles the benchmarks here, on {processors} processors; later only what has changed")
    load = os.getloadavg()[0]
    if load > processors:
        say(f"  slower than usual: other programs keep these processors busy (load {load:.0f})")


def pip(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    """Run pip. One that ends by itself, even in failure, leaves whole packages; only a killed one does not."""
    CHANGING.touch()
    try:
        run([str(VENV / "bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments], environ)
    except SetupError:
        CHANGING.unlink()
        raise
    CHANGING.unlink()


def read_state() -> dict[str, Any]:
    try:
        state = json.loads(STATE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write_state(state: Mapping[str, Any]) -> None:
    new = STATE.with_suffix(".new")
    new.write_text(json.dumps(state, indent=1), encoding="utf-8")
    new.replace(STATE)


def use_new_enough_python() -> None:
    """Continue under a Python that is new enough, if PATH has one."""
    if sys.version_info[:2] >= MINIMUM_PYTHON:
        return
    say(f"{sys.executable} is Python {platform.python_version()}; 3.11 or newer is needed")
    for minor in range(MINIMUM_PYTHON[1], MINIMUM_PYTHON[1] + 10):
        other = which(f"python3.{minor}")
        if other and version_of(other)[:2] >= MINIMUM_PYTHON:
            say(f"using {other}")
            os.execv(other, [other, *sys.argv])  # noqa: S606  (no shell is what we want)
    raise SetupError("no newer Python is on PATH; load a module, or: sudo apt-get install python3.11-venv")


def usable(state: Mapping[str, Any]) -> bool:
    """Return whether `.venv` can be updated: complete, made for this folder, its Python still there."""
    if CHANGING.exists() or state.get("root", str(ROOT)) != str(ROOT):
        return False
    probe = [str(VENV / "bin/python"), "-c", "import pip, sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_environment() -> None:
    if VENV.exists():
        say(".venv is unfinished, broken or was moved: creating it again")
        shutil.rmtree(VENV)
    VENV.mkdir()
    CHANGING.touch()
    with step("virtual environment"):
        run([sys.executable, "-m", "venv", str(VENV)])
    CHANGING.unlink()
    write_state({"root": str(ROOT)})


def build_package(tools: Tools, without: Sequence[str] = ()) -> None:
    """Build the package; `without`: CMake options that leave parts out. Raises SetupError."""
    # Verbose, because otherwise pip hides Ninja's progress.
    words = ["install", "--verbose", "--no-build-isolation", "--no-deps", "--force-reinstall", "."]
    pip(words, build_environment(tools, os.environ, without))


def prepare(target: str, tools: Tools) -> None:
    """Bring `.venv` up to date for the target; if it is, this takes no time."""
    import tomllib  # noqa: PLC0415  (missing in the old Pythons that this file still has to talk to)

    state = read_state()
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    cpuinfo = Path("/proc/cpuinfo")
    vendor = cpu_vendor(cpuinfo.read_text(encoding="utf-8", errors="replace")) if cpuinfo.is_file() else None
    cuda = devices.cuda_of_machine(which, version_of, os.environ, wanted=target in {"test", "lint"})
    if cuda.complaint:
        say(cuda.complaint)
    requirements = [
        *tool_requirements(tools, platform.machine(), vendor),
        *devices.requirements(cuda, devices.nvidia_driver()),
        *project_requirements(pyproject, EXTRAS[target]),
    ]
    packages = digest(requirements)
    sources = digest_of_inputs(ROOT)
    built = digest(sources, toolchain(tools, os.environ))
    builds = target in {"evaluate", "test"}
    installed = state.get("packages", {})
    current = installed.get(target) == packages and (not builds or state.get("built") == built)
    if current and not CHANGING.exists() and state.get("root") == str(ROOT):
        return

    if builds:
        check_compiler()
    if not usable(state):
        make_environment()
        state, installed = read_state(), {}
    if installed.get(target) != packages:
        with step("packages from PyPI"):
            pip(["install", *requirements])
        state = {**state, "root": str(ROOT), "packages": {**installed, target: packages}}
        write_state(state)
    built = digest(sources, toolchain(tools, os.environ))  # the packages may have brought a compiler
    if builds and state.get("built") != built:
        if state.get("toolchain") != toolchain(tools, os.environ):
            for cache in ROOT.glob("build/*/CMakeCache.txt"):
                cache.unlink()
            # Before building: if that fails, what it cached must not outlive another choice of tools.
            state = {**state, "built": "", "toolchain": toolchain(tools, os.environ)}
            write_state(state)
        with step("building and installing Banzuke"):
            tell_why_building_takes_long()
            build = partial(build_package, tools)
            # Tests cover all programs.
            what_builds(build, LOG) if target == "evaluate" else build()
        write_state({**state, "built": built})


@contextmanager
def alone() -> Iterator[None]:
    """Wait for a lock, because two runs at once would destroy each other's environment; without file locks, go on."""
    with (ROOT / "pyproject.toml").open(encoding="utf-8") as handle:
        os.set_inheritable(handle.fileno(), True)  # a pip that outlives a killed set-up keeps the lock
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up in this folder")
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass
        yield


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Make .venv beside the sources, with Banzuke and all that it needs.",
        epilog="Offline: pip is used plainly, so PIP_INDEX_URL, PIP_NO_INDEX and PIP_FIND_LINKS count.",
    )
    parser.add_argument("target", choices=sorted(EXTRAS), help="what the environment is for")
    parser.add_argument("--no-apt", action="store_true", help="install no system packages, even as root")
    arguments = parser.parse_args()
    start = time.monotonic()
    try:
        use_new_enough_python()
        with alone():
            install_system_packages(arguments.target, allowed=not arguments.no_apt)
            prepare(arguments.target, choose_tools(which, version_of, os.environ))
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsetup: interrupted; run it again to continue", file=sys.stderr)
        return 130
    say(f"ready for {arguments.target} in {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
