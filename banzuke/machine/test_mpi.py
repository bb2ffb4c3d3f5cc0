"""MPI libraries are found with their launchers, and their probed figures compared."""

import os
from pathlib import Path

import pytest

from banzuke.machine import mpi
from banzuke.machine.site import Mpi


def plant(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        file.chmod(0o755)


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder outside which no library is found."""
    monkeypatch.setattr(mpi, "_SYSTEM", ())
    monkeypatch.setattr("banzuke.paths.prefix", lambda: tmp_path / "nothing")
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path / "own" / "bin"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for name in mpi._VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_libraries_are_found_each_with_its_launcher(only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built, added, module = only / "mpich", only / "own/lib/banzuke/mpi/openmpi", only / "intel"
    plant(built / "lib/libmpi.so.12", built / "lib/libmpi_abi.so.1", built / "bin/mpiexec")
    plant(added / "lib/libmpi.so", added / "lib/libmpi.so.40", added / "bin/mpirun")
    plant(module / "lib/release/libmpi.so.12", module / "bin/mpiexec", only / "alone/lib/libmpi.so.40")
    monkeypatch.setenv("I_MPI_ROOT", str(module))
    monkeypatch.setenv("MPI_HOME", str(only / "alone"))  # which has no launcher
    monkeypatch.setenv("MPI_ROOT", "x" * 5000)  # which the system refuses, as folders that others may not read
    file = str(built / "lib/libmpi.so.12")
    first, second, third = mpi.candidates({"default": file, "fast": file})
    assert (first.path, first.launcher) == (file, str(built / "bin/mpiexec"))
    assert first.builds == ["default", "fast"]
    assert first.standard == str(built / "lib/libmpi_abi.so.1")
    assert (second.path, second.launcher) == (str(added / "lib/libmpi.so.40"), str(added / "bin/mpirun"))
    assert (third.path, third.standard) == (str(module / "lib/release/libmpi.so.12"), None)


def test_libraries_that_share_a_folder_have_the_launchers_named_after_them(
    only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in Debian, where mpiexec is a link to either."""
    usr = only / "usr"
    libraries = usr / "lib" / f"{os.uname().machine}-linux-gnu"
    plant(libraries / "libmpi.so.40", libraries / "libmpich.so.12")
    plant(*(usr / "bin" / name for name in ("mpiexec", "mpiexec.openmpi", "mpirun.mpich")))
    monkeypatch.setattr(mpi, "_SYSTEM", (str(usr),))
    launchers = {Path(library.path).name: Path(library.launcher).name for library in mpi.candidates({})}
    assert launchers == {"libmpi.so.40": "mpiexec.openmpi", "libmpich.so.12": "mpirun.mpich"}
    (usr / "bin" / "mpirun.mpich").unlink()
    assert [Path(library.path).name for library in mpi.candidates({})] == ["libmpi.so.40"]


USED = Mpi(
    path="/m/lib/libmpi.so.12",
    launcher="/m/bin/mpiexec",
    version="MPICH Version: 5.0.2",
    builds=["default"],
    latency=8e-7,
    bandwidth=1e10,
    allreduce=2e-7,
)
OTHER = USED.having(
    path="/i/lib/libmpi.so.12",
    launcher="/i/bin/mpiexec",
    version="Intel(R) MPI Library 2021.18.1 for Linux* OS",
    builds=[],
    latency=2e-7,
    bandwidth=1.1e10,
    allreduce=3e-7,
)


def test_the_fastest_of_each_figure_is_named_beside_the_one_in_use() -> None:
    assert mpi.explain([USED, OTHER]).splitlines() == [
        "8 B message: Intel MPI 2021.18.1 200 ns; MPICH 5.0.2, in use, 800 ns (4.0 times).",
        "1 MiB messages: Intel MPI 2021.18.1 11 GB/s; MPICH 5.0.2, in use, 10 GB/s, about as good.",
        "8 B Allreduce: MPICH 5.0.2 200 ns, in use, is the fastest.",
        "Intel MPI 2021.18.1: `make build NAME=intelmpi MPI=/i`, then --build intelmpi.",
    ]
    assert mpi.explain([USED, OTHER.having(builds=["intel"])]).endswith("2021.18.1: run with --build intel.")
    assert mpi.explain([USED.having(latency=None, bandwidth=None, allreduce=None, problem="broken")]) == ""


@pytest.mark.parametrize(
    ("text", "name", "build"),
    [
        ("MPICH Version: 5.0.2", "MPICH 5.0.2", "mpich"),
        ("Open MPI v5.0.11", "Open MPI 5.0.11", "openmpi"),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS", "Intel MPI 2021.18.1", "intelmpi"),
        ("MPI VERSION : CRAY MPICH version 8.1.29 (ANL base 3.4a2)", "Cray MPICH 8.1.29", "craympich"),
        ("MVAPICH Version : 3.0", "MVAPICH 3.0", "mvapich"),
        ("Some library", "Some library", "other"),
    ],
)
def test_a_library_has_its_makers_name(text: str, name: str, build: str) -> None:
    library = USED.having(version=text)
    assert (mpi.named(library), mpi.short(library)) == (name, build)
