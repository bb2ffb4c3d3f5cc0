"""The programs of this installation: `banzuke-BENCHMARK-BACKEND`."""

import os
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.text import nearest


def backends(benchmark: str) -> list[str]:
    """Backends whose program is installed."""
    prefix = f"banzuke-{benchmark}-"
    programs = paths.executables().glob(f"{prefix}*")
    return sorted(p.name.removeprefix(prefix) for p in programs if p.is_file() and os.access(p, os.X_OK))


def program(benchmark: str, backend: str) -> Path:
    """The program of a backend. Raises BanzukeError when it is not installed."""
    found = backends(benchmark)
    path = paths.executables() / f"banzuke-{benchmark}-{backend}"
    if backend not in found and path.is_file():
        raise BanzukeError(f"{path} may not be executed", remedy="Set its permission with chmod +x, or install again")
    if backend not in found:
        raise BanzukeError(
            f"{benchmark} has no backend '{backend}'",
            why=f"no {path.name} in {path.parent}",
            remedy=nearest(backend, found) if found else "None of its programs is installed: install Banzuke again",
        )
    return path
