"""What every command waits for."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("library", ["altair", "duckdb", "numpy", "scipy"])
def test_what_takes_long_to_load_waits_until_it_is_needed(library: str) -> None:
    """Charts, queries, intervals and some policies need them; each takes as long as a small command altogether."""
    load = "import sys, banzuke.cli; from banzuke.plan.catalogue import benchmarks; benchmarks()"
    code = f"{load}; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
