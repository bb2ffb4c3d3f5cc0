"""Which launcher belongs to an MPI library; the launchers are shell scripts."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch.launcher import find_launcher


def test_the_launcher_of_an_mpi_of_several_libraries_is_found(tmp_path: Path) -> None:
    mpiexec = tmp_path / "bin" / "mpiexec"
    mpiexec.parent.mkdir()
    mpiexec.write_text("#!/bin/sh\necho 'Intel(R) MPI Library'\n")
    mpiexec.chmod(0o755)
    assert find_launcher(f"{tmp_path}/lib/libmpicxx.so {tmp_path}/lib/libmpi.so /usr/lib/librt.a").path == mpiexec


def test_without_a_launcher_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    find_launcher.cache_clear()
    with pytest.raises(BanzukeError, match="no MPI launcher found"):
        find_launcher("/nowhere/lib/libmpi.so")


def test_a_launcher_that_cannot_start_is_named(tmp_path: Path) -> None:
    mpiexec = tmp_path / "bin" / "mpiexec"
    mpiexec.parent.mkdir()
    mpiexec.write_text("no program")
    with pytest.raises(BanzukeError, match="bin/mpiexec does not work"):
        find_launcher(f"{tmp_path}/lib/libmpi.so")
