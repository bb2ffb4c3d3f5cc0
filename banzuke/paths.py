"""Where an installation keeps its data and its executables."""

import os
import sys
import sysconfig
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

DATA = _PACKAGE / "data" if (_PACKAGE / "data").is_dir() else _PACKAGE.parent
"""Holds `benchmarks/`, `machines/` and `schema/`: inside an installation, or the source tree itself."""

BENCHMARKS = DATA / "benchmarks"
MACHINES = DATA / "machines"
SCHEMA = DATA / "schema"


PYTHON = (sys.executable, "-P")
"""Starts every child of ours that is Python. Without -P it would take modules from the current folder, even before the
standard library's, and others may be able to write there. Not -I: an installation may be found by PYTHONPATH.
"""


BUNDLE_FACTS = "bundle.json"
BUNDLE = _PACKAGE.parent.parent if (_PACKAGE.parent.parent / BUNDLE_FACTS).is_file() else None
"""The folder that an archive of `banzuke bundle` was unpacked to, where that is the installation."""


NO_HOME = "/proc/nonexistent"
"""A home that nobody can make."""


def have_home() -> None:
    """Gives a user who has none, as numbers without an entry in /etc/passwd may, a home in which nothing is.

    Libraries ask for one as they are imported, and end with an error where there is none.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = NO_HOME


def as_given(text: str) -> Path:
    """A path that a person wrote, perhaps with `~`. Where there is no such home, there is no such file."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  (Path.expanduser raises RuntimeError)


def executables() -> Path:
    """Folder of the compiled programs: `BANZUKE_LIBEXEC`, or where the installation put its scripts."""
    own = BUNDLE / "bin" if BUNDLE else sysconfig.get_path("scripts")
    return Path(os.environ.get("BANZUKE_LIBEXEC") or own)


def builds() -> Path:
    """Folder of the installation's further builds, each in a folder by its name."""
    return executables().parent / "lib" / "banzuke" / "builds"


def prefix() -> Path:
    """Root of the Python environment, which also holds the libraries that PyPI packages bring."""
    return BUNDLE or Path(sys.prefix)


def packages() -> Path:
    """Folder of the Python packages, Banzuke's own among them."""
    return BUNDLE / "packages" if BUNDLE else Path(sysconfig.get_path("platlib"))
