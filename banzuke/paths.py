"""Finds the folders of an installation's data and executables."""

import os
import sys
import sysconfig
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

DATA = _PACKAGE / "data" if (_PACKAGE / "data").is_dir() else _PACKAGE.parent
"""Folder of `benchmarks/`, `machines/` and `schema/`: inside an installation, or the source tree itself."""

BENCHMARKS = DATA / "benchmarks"
MACHINES = DATA / "machines"
SCHEMA = DATA / "schema"


PYTHON = (sys.executable, "-P")
"""Begins the command of every Python process that we start. Without -P it would import modules from the current folder
before the standard library's, and others may be able to write there. Not -I: an installation may be found by
PYTHONPATH.
"""


BUNDLE_FACTS = "bundle.json"
BUNDLE = _PACKAGE.parent.parent if (_PACKAGE.parent.parent / BUNDLE_FACTS).is_file() else None
"""Folder that an archive of `banzuke bundle` was unpacked to; None: this installation is not from one."""


NO_HOME = "/proc/nonexistent"
"""A home folder that nobody can create."""


def have_home() -> None:
    """Set an empty home folder for a user without one, such as a user ID without an entry in /etc/passwd.

    Libraries ask for the home folder on import, and end with an error where there is none.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = NO_HOME


def as_given(text: str) -> Path:
    """Return the path that a person wrote, perhaps with `~`, which stays as it is where there is no such home."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  (Path.expanduser raises RuntimeError)


def executables() -> Path:
    """Return the folder of the compiled programs: `BANZUKE_LIBEXEC`, or where the installation put its scripts."""
    own = BUNDLE / "bin" if BUNDLE else sysconfig.get_path("scripts")
    return Path(os.environ.get("BANZUKE_LIBEXEC") or own)


def builds() -> Path:
    """Return the folder of the installation's further builds, each in a folder with its name."""
    return executables().parent / "lib" / "banzuke" / "builds"


def prefix() -> Path:
    """Return the root of the Python environment, which also holds the libraries that PyPI packages bring."""
    return BUNDLE or Path(sys.prefix)


def packages() -> Path:
    """Return the folder of the Python packages, including Banzuke's own."""
    return BUNDLE / "packages" if BUNDLE else Path(sysconfig.get_path("platlib"))
