"""The libraries with which programs are started."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch.command import library_path, library_variables
from banzuke.launch.test_command import description, render
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.site import Blas
from banzuke.machine.user_variables import BINDING, COUNTING, PLACING
from banzuke.plan.benchmark import Devices
from banzuke.plan.capabilities import Libraries, Library
from banzuke.plan.catalogue import find
from banzuke.testing import case, machine


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PLACING, *COUNTING, *BINDING, "BANZUKE_BLAS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    for program in ("banzuke-stream-omp", "banzuke-dgemm-blas"):
        (tmp_path / program).touch(0o755)


def test_the_fastest_library_is_used_and_what_slows_it_is_removed() -> None:
    command = render(case(benchmark="dgemm", backend="blas"), machine(), find("dgemm"), description())
    assert command.variables["BANZUKE_BLAS"] == "/lib/libopenblas.so"
    assert command.variables["OPENBLAS_CORETYPE"] == ""
    with pytest.raises(BanzukeError, match="no working BLAS library was found"):
        render(case(benchmark="dgemm", backend="blas"), machine(blas_rate=None), find("dgemm"), description())


def test_a_backends_own_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "libmkl_rt.so.2"
    library.touch()
    monkeypatch.delenv("BANZUKE_MKL", raising=False)
    library_path.cache_clear()
    mkl = Library("MKL", "BANZUKE_MKL", "`pip install mkl`")
    other = replace(find("stream"), libraries=Libraries(by_backend={"mkl": mkl}))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert render(case(), machine(), other, description()).variables == {"OMP_NUM_THREADS": "2"}
    variables = library_variables(mkl)
    assert Path(variables["BANZUKE_MKL"]).name.startswith("libmkl_rt.so")
    library_path.cache_clear()
    monkeypatch.setenv("BANZUKE_MKL", "/my/libmkl_rt.so")
    assert library_variables(mkl) == {"BANZUKE_MKL": "/my/libmkl_rt.so"}
    calling = replace(other, libraries=Libraries(by_backend={case().backend: mkl}))
    assert render(case(), machine(), calling, description()).variables["BANZUKE_MKL"] == "/my/libmkl_rt.so"
    with pytest.raises(BanzukeError, match=r"ESSL was not found here.*`pip install essl`.*BANZUKE_ESSL"):
        library_variables(Library("ESSL", "BANZUKE_ESSL", "`pip install essl`"))
    library_path.cache_clear()


def test_a_devices_library_is_named_where_it_is_known_and_needed_where_it_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = Library("Ours", "BANZUKE_OURS", "`pip install ours`", ("libours.so.1",))
    devices = Devices(lambda _machine: [], libraries={"blas": ours}, library_parameter="product")
    calling = replace(find("dgemm"), devices=devices)
    device = AllottedDevice(identity="GPU-1", name="H100", vendor="NVIDIA", memory=1, memory_available=1)
    here = machine().changed(allotment={"devices": [device]})

    def variables(library: str = "") -> Mapping[str, str]:
        asked = case(benchmark="dgemm", backend="blas", library=library)
        groups = tuple(replace(group, devices=1) for group in asked.groups)
        return render(replace(asked, groups=groups), here, calling, description()).variables

    library_path.cache_clear()
    assert variables() == {"OMP_NUM_THREADS": "2"}
    with pytest.raises(BanzukeError, match="Ours was not found here"):
        variables("Ours")
    library_path.cache_clear()
    monkeypatch.setenv("BANZUKE_OURS", "/my/libours.so.1")
    assert variables() == variables("Ours") == {"OMP_NUM_THREADS": "2", "BANZUKE_OURS": "/my/libours.so.1"}
    library_path.cache_clear()


def test_a_library_is_found_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    threads = tmp_path / "libfft_threads.so.3"
    threads.touch()
    ours = Library("Ours", "BANZUKE_OURS", "Install it", ("libfft_omp.so.3", "libfft_threads.so.3"))
    assert library_variables(ours) == {"BANZUKE_OURS": str(threads)}
    library_path.cache_clear()
    (tmp_path / "libfft_omp.so.3").touch()
    assert library_variables(ours) == {"BANZUKE_OURS": str(tmp_path / "libfft_omp.so.3")}
    library_path.cache_clear()


def test_the_library_that_was_asked_for_is_taken() -> None:
    libraries = [Blas(name=name, path=f"/{name}", flop_rate=1e9) for name in ("MKL", "OpenBLAS")]
    here = machine()
    here = here.changed(partition={"software": here.software.model_copy(update={"blas": libraries})})
    paths = [
        render(case(benchmark="dgemm", backend="blas", library=name), here, find("dgemm"), description()).variables
        for name in ("", "OpenBLAS")
    ]
    assert [variables["BANZUKE_BLAS"] for variables in paths] == ["/MKL", "/OpenBLAS"]
