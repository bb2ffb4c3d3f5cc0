"""Finds the programs of this installation and of its further builds: `banzuke-BENCHMARK-BACKEND`.

A build is all programs compiled by one compiler, with the same flags, for the same MPI library.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.text import nearest

DEFAULT = "default"
"""The build that belongs to the installation itself."""
TOOLS = ("banzuke-guest-init", "banzuke-messages", "banzuke-probe")
"""Programs that are not benchmarks."""


class NotBuiltError(BanzukeError):
    """A build lacks a benchmark's program, but another build has it."""


def builds() -> list[str]:
    """Return `default`, and the builds that were added, sorted."""
    added = paths.builds().glob("*/build.json")
    return [DEFAULT, *sorted(file.parent.name for file in added if not file.parent.name.startswith("."))]


def folder(build: str) -> Path:
    """Return the folder of a build's programs. Raises BanzukeError when there is no such build."""
    if build == DEFAULT:
        return paths.executables()
    if build not in (names := builds()):
        raise BanzukeError(
            f"there is no build '{build}'",
            why=f"none of this name is in {paths.builds()}",
            remedy=f"{nearest(build, names)}. `make build NAME=...` adds one",
        )
    return paths.builds() / build / "bin"


def build_facts(build: str) -> Mapping[str, str]:
    """Return the content of the build's file: compiler, flags, mpi, date, commit; empty for the installation itself."""
    try:
        said = json.loads((paths.builds() / build / "build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: str(value) for name, value in said.items()} if isinstance(said, dict) else {}


@cache
def commit(build: str = DEFAULT) -> str | None:
    """Return the Git commit of the sources of a build; None when they did not come from a Git checkout."""
    if build != DEFAULT:
        return build_facts(build).get("commit") or None
    try:
        return (paths.DATA / "commit").read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def benchmark_programs(build: str = DEFAULT) -> list[Path]:
    """Return all executable programs of benchmarks, sorted."""
    programs = sorted(folder(build).glob("banzuke-*-*"))
    return [path for path in programs if path.name not in TOOLS and path.is_file() and os.access(path, os.X_OK)]


def backends(benchmark: str, build: str = DEFAULT) -> list[str]:
    """Return the backends whose program is installed."""
    prefix = f"banzuke-{benchmark}-"
    return [path.name.removeprefix(prefix) for path in benchmark_programs(build) if path.name.startswith(prefix)]


def program(benchmark: str, backend: str, build: str = DEFAULT) -> Path:
    """Return the program of a backend. Raises BanzukeError; NotBuiltError when another build has it."""
    installed = backends(benchmark, build)
    path = folder(build) / f"banzuke-{benchmark}-{backend}"
    if backend in installed:
        return path
    if path.is_file():
        raise BanzukeError(f"{path} may not be executed", remedy="Set its permission with chmod +x, or install again")
    others = [other for other in builds() if other != build and backend in backends(benchmark, other)]
    if others:
        raise NotBuiltError(
            f"the build '{build}' has no program {path.name}",
            why=f"there is none in {path.parent}; {' and '.join(others)} {'have' if others[1:] else 'has'} it",
        )
    raise BanzukeError(
        f"{benchmark} has no backend '{backend}'",
        why=f"no {path.name} in {path.parent}",
        remedy=nearest(backend, installed) if installed else "None of its programs is installed: install Banzuke again",
    )
