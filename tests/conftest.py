"""The installed command, run as a person would."""

import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = Path(sysconfig.get_path("scripts"))
Result = subprocess.CompletedProcess[str]
Banzuke = Callable[..., Result]
SMALL = ("--set", "n=100000", "--set", "rounds=3")
"""A STREAM case of milliseconds; its figure means nothing."""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def banzuke(results: Path) -> Banzuke:
    """Runs `banzuke ...` with the results in a folder of the test; keyword arguments are variables."""

    def call(*words: str | Path, **variables: str) -> Result:
        folders = {"BANZUKE_RESULTS": str(results), "BANZUKE_TUNED": str(results.parent / "tuned")}
        environment = os.environ | folders | variables
        return subprocess.run(
            [SCRIPTS / "banzuke", *words], env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    return call


@pytest.fixture
def wrapped(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Variables under which STREAM's program is a shell script around the real one, `$real`."""

    def wrap(script: str) -> dict[str, str]:
        folder = tmp_path / "programs"
        folder.mkdir(exist_ok=True)
        for program in SCRIPTS.glob("banzuke-*"):
            (folder / program.name).symlink_to(program)
        stream = folder / "banzuke-stream-omp"
        stream.unlink()
        stream.write_text(
            f"#!/bin/bash\nreal={SCRIPTS}/banzuke-stream-omp\n"
            f'case "$*" in *--describe*) exec "$real" "$@";; esac\n{script}\n'
        )
        stream.chmod(0o755)
        return {"BANZUKE_LIBEXEC": str(folder)}

    return wrap
