"""Commands as they are rendered; the programs are shell scripts that describe themselves."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch import conditions
from banzuke.launch.command import OPENMP_PLACEMENT, find_launcher, library_variables, render
from banzuke.launch.program import Description, check, describe
from banzuke.plan.benchmark import Library
from banzuke.plan.catalogue import find
from banzuke.testing import case, machine

PARAMETER = {"name": "n", "type": "integer", "help": "size", "value": 5, "minimum": 1, "maximum": 10**9}


@pytest.fixture(autouse=True)
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*OPENMP_PLACEMENT, "BANZUKE_BLAS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    install(tmp_path, footprint=1000)
    return tmp_path


def install(folder: Path, *, footprint: float, mpi: str = "none", status: int = 0) -> None:
    description = {
        "benchmark": "stream",
        "backend": "omp",
        "schema_version": 1,
        "parameters": [PARAMETER],
        "footprint": footprint,
        "compiler": "c",
        "flags": "f",
        "mpi": mpi,
    }
    for program in ("banzuke-stream-omp", "banzuke-dgemm-blas"):
        file = folder / program
        refusal = f"[ {status} = 0 ] || {{ echo 'n: 0 is too small' >&2; exit 2; }}"
        file.write_text(f"#!/bin/sh\n{refusal}\necho '{json.dumps(description)}'\n")
        file.chmod(0o755)


def description(**changes: object) -> Description:
    fields = {"benchmark": "stream", "backend": "omp", "schema_version": 1, "parameters": [], "footprint": 1.0}
    return Description.model_validate(fields | {"compiler": "c", "flags": "f", "mpi": "none"} | changes)


def test_one_rank_needs_no_launcher(installation: Path) -> None:
    command = render(case(), machine(cores=4), find("stream"), description())
    assert command.words == [
        str(installation / "banzuke-stream-omp"), "--n", "1000", "--binding", "0,2", "--progress",
    ]  # fmt: skip
    assert command.variables == {"OMP_NUM_THREADS": "2"}


@pytest.mark.parametrize("name", OPENMP_PLACEMENT)
def test_a_users_own_placement_is_honoured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "cores")
    assert "--binding" not in render(case(), machine(), find("stream"), description()).words


def test_too_many_processors_are_refused_unless_asked_for() -> None:
    wanted = case(threads=9)
    with pytest.raises(BanzukeError, match="9 processors"):
        render(wanted, machine(cores=4), find("stream"), description())
    assert "--binding" not in render(wanted, machine(cores=4), find("stream"), description(), oversubscribe=True).words


def test_ranks_get_a_launcher_and_a_place_each(tmp_path: Path) -> None:
    prefix = tmp_path / "mpi with space"
    (prefix / "bin").mkdir(parents=True)
    mpiexec = prefix / "bin" / "mpiexec"
    mpiexec.write_text("#!/bin/sh\necho 'mpiexec (Open MPI) 5.0'\n")
    mpiexec.chmod(0o755)
    command = render(
        case(ranks=2, threads=1), machine(cores=4), find("stream"), description(mpi=str(prefix / "lib" / "libmpi.so"))
    )
    assert command.words[:6] == [str(mpiexec), "-n", "2", "--bind-to", "none", "--oversubscribe"]
    assert command.words[-2] == "0|2"
    assert "'0|2'" in command.text()


def test_the_launcher_of_an_mpi_of_several_libraries_is_found(tmp_path: Path) -> None:
    mpiexec = tmp_path / "bin" / "mpiexec"
    mpiexec.parent.mkdir()
    mpiexec.write_text("#!/bin/sh\necho 'Intel(R) MPI Library'\n")
    mpiexec.chmod(0o755)
    assert find_launcher(f"{tmp_path}/lib/libmpicxx.so {tmp_path}/lib/libmpi.so /usr/lib/librt.a").path == mpiexec


def test_without_a_launcher_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    find_launcher.cache_clear()
    with pytest.raises(BanzukeError, match="no MPI launcher found"):
        find_launcher("/nowhere/lib/libmpi.so")


def test_the_fastest_library_is_used_and_what_slows_it_is_removed() -> None:
    command = render(case(benchmark="dgemm", backend="blas"), machine(), find("dgemm"), description())
    assert command.variables["BANZUKE_BLAS"] == "/lib/libopenblas.so"
    assert command.variables["OPENBLAS_CORETYPE"] == ""
    with pytest.raises(BanzukeError, match="no BLAS library works here"):
        render(case(benchmark="dgemm", backend="blas"), machine(blas_rate=None), find("dgemm"), description())


def test_sizes_beyond_the_memory_are_refused(installation: Path) -> None:
    install(installation, footprint=40 << 30)
    check(case(), machine(memory=64 << 30))
    with pytest.raises(BanzukeError, match=r"needs 80 GiB of memory \(64 GiB of 64 GiB"):
        check(case(ranks=2), machine(memory=64 << 30))


def test_unknown_parameters_are_answered_with_a_suggestion() -> None:
    with pytest.raises(BanzukeError, match=r"no parameter 'N'.*Did you mean 'n'"):
        check(case(parameters={"N": 5}), machine())


def test_ranks_without_mpi_are_refused() -> None:
    with pytest.raises(BanzukeError, match="built without MPI"):
        check(case(ranks=2), machine())


def test_a_programs_own_words_are_passed_on(installation: Path) -> None:
    install(installation, footprint=1, status=2)
    with pytest.raises(BanzukeError, match="n: 0 is too small"):
        describe(installation / "banzuke-stream-omp")


def test_a_foreign_program_is_refused(installation: Path) -> None:
    (installation / "banzuke-stream-omp").write_text("#!/bin/sh\necho '{}'\n")
    with pytest.raises(BanzukeError, match="another version"):
        describe(installation / "banzuke-stream-omp")


def test_conditions_are_shares_and_seconds() -> None:
    before = conditions.snapshot()
    sum(i * i for i in range(2_000_000))
    found = conditions.between(before, conditions.snapshot())
    assert found["load_before"] >= 0
    assert 0 <= found["other_busy_fraction"] <= 1
    assert all(value >= 0 for value in found.values())


def test_our_own_work_is_not_others() -> None:
    before = conditions.Snapshot(time=0, busy=100, stolen=1, own=10, throttled=2, load=0.5)
    after = conditions.Snapshot(time=1e6, busy=200, stolen=3, own=110, throttled=5, load=9)
    found = conditions.between(before, after)
    assert found["other_busy_fraction"] == 0
    assert found["throttled_seconds"] == 3
    assert found["load_before"] == 0.5
    assert found["steal_fraction"] > 0


def test_a_backends_own_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "libmkl_rt.so.2"
    library.touch()
    monkeypatch.delenv("BANZUKE_MKL", raising=False)
    library_variables.cache_clear()
    with_mkl = replace(find("stream"), libraries={"mkl": Library("MKL", "BANZUKE_MKL", "mkl")})
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert render(case(), machine(), with_mkl, description()).variables == {"OMP_NUM_THREADS": "2"}
    found = library_variables(with_mkl.libraries["mkl"])
    assert Path(found["BANZUKE_MKL"]).name.startswith("libmkl_rt.so")
    library_variables.cache_clear()
    monkeypatch.setenv("BANZUKE_MKL", "/my/libmkl_rt.so")
    assert library_variables(with_mkl.libraries["mkl"]) == {"BANZUKE_MKL": "/my/libmkl_rt.so"}
    calling = replace(with_mkl, libraries={case().backend: with_mkl.libraries["mkl"]})
    assert render(case(), machine(), calling, description()).variables["BANZUKE_MKL"] == "/my/libmkl_rt.so"
    with pytest.raises(BanzukeError, match=r"ESSL was not found here.*`pip install essl`.*BANZUKE_ESSL"):
        library_variables(Library("ESSL", "BANZUKE_ESSL", "essl"))
    library_variables.cache_clear()
