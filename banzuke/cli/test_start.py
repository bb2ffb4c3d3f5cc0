"""Tests of what every command loads before it starts."""

import subprocess
import sys


def loaded(code: str, modules: set[str]) -> list[str]:
    """Return which of these modules are loaded after this code."""
    code = f"import sys; {code}; print(*sys.modules.keys() & {modules})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_what_takes_long_to_load_waits_until_it_is_needed() -> None:
    """Only charts, queries, intervals and some policies need these, and each takes as long as a whole small command."""
    every = "from banzuke.cli.group import Loaded; [*Loaded().values()]"
    every += "; from banzuke.plan.catalogue import benchmarks; benchmarks()"
    assert not loaded(every, {"altair", "ClusterShell", "duckdb", "numpy", "scipy"})


def test_a_command_does_not_wait_for_the_others() -> None:
    assert not loaded("import banzuke.cli", {"banzuke.cli.options", "pydantic"})


FULL = """
import errno, os
from banzuke import cli
def full():
    raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
cli.app = full
cli.main()
"""


def test_an_output_beyond_a_quota_is_told() -> None:
    """tests/test_faults.py tests a full file system."""
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write the output (Disk quota exceeded). Free some space where")
