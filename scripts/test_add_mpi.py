"""Which MPI is added, and what is said when there is none."""

from pathlib import Path

import pytest

from scripts import add_mpi
from scripts.setup import SetupError


def library(folder: Path, *, lib: str = "lib") -> Path:
    for file in (f"{lib}/libmpi.so", "include/mpi.h"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    return folder


@pytest.mark.parametrize("lib", ["lib", "lib64", "lib/release"])
def test_the_library_is_found_where_vendors_put_it(tmp_path: Path, lib: str) -> None:
    folder = library(tmp_path / "an mpi", lib=lib)
    assert f"-DMPI_mpi_LIBRARY={folder / lib / 'libmpi.so'}" in add_mpi.find_arguments(folder)


def test_elsewhere_its_compiler_is_asked(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mpicxx").touch()
    assert add_mpi.find_arguments(tmp_path) == [f"-DMPI_HOME={tmp_path}"]


def test_a_folder_without_mpi_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="holds no MPI"):
        add_mpi.find_arguments(tmp_path)
    with pytest.raises(SetupError, match="no such folder"):
        add_mpi.home(str(tmp_path / "nowhere"))


def test_a_loaded_module_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mpicxx").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert add_mpi.home("") == tmp_path.resolve()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="which MPI"):
        add_mpi.home("")


@pytest.mark.parametrize("name", ["", "mpi", "omp", "Open MPI", "../x", "a/b", "-x", "x;y"])
def test_names_that_are_taken_or_no_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SetupError, match="NAME="):
        add_mpi.add(library(tmp_path), name)
