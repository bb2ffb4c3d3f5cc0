"""Tests of compilers for devices, on all kinds of machines."""

from pathlib import Path

import pytest

from scripts import devices
from scripts.devices import Cuda

OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22)\n"
CLOSED = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version: 12.2.0\n"
)
NEW, OLD = (580, 95, 5), (550, 54, 15)
TOOLKIT = ("/opt/cuda", (12, 6))


@pytest.mark.parametrize(("text", "version"), [(OPEN, NEW), (CLOSED, OLD), ("NVRM version: none\n", ())])
def test_the_drivers_version_is_read_from_the_kernel(tmp_path: Path, text: str, version: tuple[int, ...]) -> None:
    (tmp_path / "version").write_text(text)
    (tmp_path / "nvidia0").touch()
    assert devices.nvidia_driver(tmp_path / "version", tmp_path) == version


def test_else_it_is_asked_of_nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "version").write_text(OPEN)
    (tmp_path / "nvidiactl").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert devices.nvidia_driver(tmp_path / "version", tmp_path) == ()  # a driver without a device
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 535.104.05\necho 535.104.05\n")
    program.chmod(0o755)
    assert devices.nvidia_driver(tmp_path / "absent", tmp_path) == (535, 104, 5)
    program.write_text(
        "#!/bin/sh\necho 'NVIDIA-SMI has failed because it could not talk to driver 535.104.05'\nexit 9\n"
    )
    assert devices.nvidia_driver(tmp_path / "absent", tmp_path) == ()


def test_a_toolkit_that_a_module_names_goes_first_and_old_ones_are_passed_over() -> None:
    versions = {"/module/bin/nvcc": (12, 6), "/usr/bin/nvcc": (11, 8), "/usr/local/cuda/bin/nvcc": (13, 0)}

    def found(environ: dict[str, str]) -> tuple[str, tuple[int, ...]] | None:
        return devices.toolkit_of_machine(lambda _: "/usr/bin/nvcc", lambda at: versions.get(at, ()), environ)

    assert found({"CUDA_HOME": "/module"}) == ("/module", (12, 6))
    assert found({"CUDA_HOME": "/gone"}) == ("/usr/local/cuda", (13, 0))
    del versions["/usr/local/cuda/bin/nvcc"]
    assert found({}) is None


@pytest.mark.parametrize(
    ("toolkit", "driver", "wish", "wanted", "expected"),
    [
        (None, (), "", False, Cuda()),
        (None, NEW, "", False, Cuda(from_pypi=True)),
        (None, (), "", True, Cuda(from_pypi=True)),
        (None, (), "ON", False, Cuda(from_pypi=True)),
        (None, NEW, "OFF", True, Cuda()),
        (TOOLKIT, (), "", False, Cuda(home="/opt/cuda")),
        (TOOLKIT, OLD, "", False, Cuda(home="/opt/cuda")),  # CUDA 12 runs with any driver for CUDA 12
        (TOOLKIT, NEW, "OFF", False, Cuda()),
    ],
)
def test_what_programs_are_built_with(
    toolkit: tuple[str, tuple[int, ...]] | None, driver: tuple[int, ...], wish: str, *, wanted: bool, expected: Cuda
) -> None:
    assert devices.choose_cuda(toolkit, driver, wish, wanted=wanted) == expected


def test_a_driver_that_is_too_old_is_named_beside_what_is_needed() -> None:
    for toolkit in (None, ("/opt/cuda", (13, 0))):
        chosen = devices.choose_cuda(toolkit, OLD, "", wanted=False)
        assert (chosen.home, chosen.from_pypi) == (None, False)
        assert "550.54.15" in chosen.complaint
        assert "CUDA 13.0 need 580" in chosen.complaint
    assert devices.choose_cuda(None, OLD, "ON", wanted=False).from_pypi
    assert devices.choose_cuda(None, OLD, "", wanted=True).from_pypi


def test_libraries_come_only_where_there_is_a_device_and_all_are_of_one_toolkit() -> None:
    assert devices.requirements(Cuda(), NEW) == []
    assert devices.requirements(Cuda(home="/opt/cuda"), NEW) == []
    without = devices.requirements(Cuda(from_pypi=True), ())
    assert all(requirement.endswith("==13.0.*") for requirement in without)
    assert not any("cublas" in requirement for requirement in without)
    added = {name.split("==")[0] for name in devices.requirements(Cuda(from_pypi=True), NEW)} - {
        name.split("==")[0] for name in without
    }
    assert added == {"nvidia-cublas", "nvidia-cufft", "nvidia-cusparse", "nvidia-nvjitlink"}


def test_cmake_is_told_the_toolkit_and_what_to_compile_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Cuda(home="/opt/my cuda")
    in_gates = {"BANZUKE_CUDA_ARCHITECTURES": "90"}
    assert "-DBANZUKE_CUDA_ARCHITECTURES=90" in devices.cmake_arguments(home, (), in_gates, hip=False)
    assert "-DBANZUKE_CUDA_ARCHITECTURES=" in devices.cmake_arguments(home, NEW, in_gates, hip=False)
    assert "-DBANZUKE_CUDA_ARCHITECTURES=" in devices.cmake_arguments(home, (), {}, hip=False)
    assert "-DBANZUKE_CUDA_HOME=/opt/my cuda" in devices.cmake_arguments(home, (), {}, hip=False)
    without = devices.cmake_arguments(Cuda(), NEW, {}, hip=True)
    assert without[:2] == ["-DBANZUKE_HIP=ON", "-DBANZUKE_CUDA=OFF"]
    assert not any("ARCHITECTURES" in word for word in without)

    monkeypatch.setattr(devices, "installed_toolkit", lambda: None)  # not there yet
    assert "-DBANZUKE_CUDA=OFF" in devices.cmake_arguments(Cuda(from_pypi=True), NEW, {}, hip=False)
    monkeypatch.setattr(devices, "installed_toolkit", lambda: tmp_path)
    assert f"-DBANZUKE_CUDA_HOME={tmp_path}" in devices.cmake_arguments(Cuda(from_pypi=True), NEW, {}, hip=False)


def test_pypis_toolkit_is_found_in_the_environment(tmp_path: Path) -> None:
    assert devices.installed_toolkit(tmp_path) is None
    compiler = tmp_path / "lib/python3.12/site-packages/nvidia/cu13/bin/nvcc"
    compiler.parent.mkdir(parents=True)
    compiler.touch()
    assert devices.installed_toolkit(tmp_path) == compiler.parent.parent


def test_hip_is_for_devices_and_modules_unless_asked_for(tmp_path: Path) -> None:
    there, absent = "/usr/bin/hipcc", tmp_path / "kfd"
    kernel = tmp_path / "present"
    kernel.touch()
    assert not devices.uses_hip(lambda _: there, {}, absent)  # Debian's, for tests
    assert devices.uses_hip(lambda _: there, {}, kernel)
    assert devices.uses_hip(lambda _: there, {"ROCM_PATH": "/opt/rocm-6"}, absent)
    assert devices.uses_hip(lambda _: None, {"BANZUKE_HIP": "ON"}, absent)
    assert not devices.uses_hip(lambda _: there, {"BANZUKE_HIP": "off"}, kernel)
    assert not devices.uses_hip(lambda _: None, {"ROCM_PATH": str(tmp_path)}, kernel)


def test_programs_by_directives_are_for_devices_and_beside_those_for_cuda_unless_asked_for() -> None:
    def wish(cuda: Cuda, driver: tuple[int, ...], **environ: str) -> list[str]:
        return devices.cmake_arguments(cuda, driver, environ, hip=False)

    assert "-DBANZUKE_OFFLOAD=OFF" in wish(Cuda(), ())
    assert "-DBANZUKE_OFFLOAD=AUTO" in wish(Cuda(), NEW)
    assert "-DBANZUKE_OFFLOAD=AUTO" in wish(Cuda(home="/opt/cuda"), ())
    assert "-DBANZUKE_OFFLOAD=OFF" in wish(Cuda(home="/opt/cuda"), NEW, BANZUKE_OFFLOAD="off")
    assert "-DBANZUKE_OFFLOAD_CXX=nvc++" in wish(Cuda(), NEW, BANZUKE_OFFLOAD_CXX="nvc++")
