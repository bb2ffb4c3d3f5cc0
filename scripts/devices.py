"""Compilers for accelerators: chooses which of the machine's are used, and what comes from PyPI.

Like setup.py, it uses only the standard library.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.packages import VENV

OLDEST_CUDA = (12, 4)
OLDEST_DRIVER = {12: 525, 13: 580}
"""Oldest driver for each release of CUDA, by NVIDIA's table of minor version compatibility."""

TOOLKIT = "13.0"
COMPILER = tuple(
    f"nvidia-{part}=={TOOLKIT}.*" for part in ("cuda-nvcc", "cuda-runtime", "cuda-crt", "cuda-cccl", "nvvm")
)
LIBRARIES = (
    "nvidia-cublas==13.0.*",
    "nvidia-cufft==12.0.*",
    "nvidia-cusparse==12.6.*",
    f"nvidia-nvjitlink=={TOOLKIT}.*",
)
"""Libraries of that toolkit; programs load them at run time, so only a machine with a device needs them."""


@dataclass(frozen=True)
class Cuda:
    """The toolkit for programs for NVIDIA devices, the machine's or PyPI's; with neither, they are not built."""

    home: str | None = None
    """Folder of the machine's toolkit."""
    from_pypi: bool = False
    complaint: str = ""
    """Why they are not built although there is a device."""


def text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def nvidia_driver(kernel: Path = Path("/proc/driver/nvidia/version"), devices: Path = Path("/dev")) -> tuple[int, ...]:
    """Return the version of the driver if there is a device, else an empty one."""
    version = r"(?<![\w.])(\d{3,}(?:\.\d+)+)"
    if kernel.is_file() and any(devices.glob("nvidia[0-9]*")):
        text = kernel.read_text(encoding="utf-8", errors="replace")
    else:
        ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        try:
            text = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=True).stdout
        except (OSError, subprocess.SubprocessError):
            return ()
    match = re.search(version, text)
    return tuple(map(int, match.group(1).split("."))) if match else ()


def toolkit_of_machine(
    find: Callable[..., str | None], version: Callable[[str], tuple[int, ...]], environ: Mapping[str, str]
) -> tuple[str, tuple[int, ...]] | None:
    """Return folder and version of the first toolkit that is new enough: CUDA_HOME's, on PATH, where usual."""
    named = environ.get("CUDA_HOME")
    for compiler in (str(Path(named, "bin/nvcc")) if named else None, find("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if compiler and (its := version(compiler)) >= OLDEST_CUDA:
            return str(Path(compiler).parent.parent), its
    return None


def choose_cuda(
    toolkit: tuple[str, tuple[int, ...]] | None, driver: tuple[int, ...], wish: str, *, wanted: bool
) -> Cuda:
    """Choose the toolkit; `wish` (ON or OFF) overrides, and tests that compile everything are `wanted` without a
    device.
    """
    if wish == "OFF":
        return Cuda()
    release = toolkit[1] if toolkit else tuple(map(int, TOOLKIT.split(".")))
    needed = OLDEST_DRIVER.get(release[0], max(OLDEST_DRIVER.values()))
    complaint = ""
    if driver and driver[0] < needed:
        complaint = (
            f"the NVIDIA driver here is {text(driver)}, and programs for CUDA {text(release[:2])} need {needed} or "
            "newer; going on without the device"
        )
    if complaint and not wanted and wish != "ON":
        return Cuda(complaint=complaint)
    if toolkit:
        return Cuda(home=toolkit[0], complaint=complaint)
    offered = platform.machine() in ("x86_64", "aarch64")
    return Cuda(from_pypi=offered and bool(wish == "ON" or wanted or driver), complaint=complaint)


def cuda_of_machine(
    find: Callable[..., str | None],
    version: Callable[[str], tuple[int, ...]],
    environ: Mapping[str, str],
    *,
    wanted: bool,
) -> Cuda:
    wish = environ.get("BANZUKE_CUDA", "").upper()
    return choose_cuda(toolkit_of_machine(find, version, environ), nvidia_driver(), wish, wanted=wanted)


def installed_toolkit(venv: Path = VENV) -> Path | None:
    """Return the folder of PyPI's toolkit in our environment."""
    compiler = next(iter(sorted(venv.glob("lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))), None)
    return compiler.parent.parent if compiler else None


def requirements(cuda: Cuda, driver: tuple[int, ...]) -> list[str]:
    """Return what comes from PyPI: 0.3 GB, and 1.2 GB more if there is a device to run with."""
    if not cuda.from_pypi:
        return []
    return [*COMPILER, *(LIBRARIES if driver else ())]


def uses_hip(find: Callable[..., str | None], environ: Mapping[str, str], kernel: Path = Path("/dev/kfd")) -> bool:
    """Return whether to build for HIP: if hipcc is there with a device or a loaded module, not only Debian's."""
    wish = environ.get("BANZUKE_HIP", "").upper()
    if wish in ("ON", "OFF"):
        return wish == "ON"
    named = environ.get("ROCM_PATH")
    there = find("hipcc") is not None or any(Path(at, "bin/hipcc").is_file() for at in (named, "/opt/rocm") if at)
    return there and (bool(named) or kernel.exists())


def cmake_arguments(cuda: Cuda, driver: tuple[int, ...], environ: Mapping[str, str], *, hip: bool) -> list[str]:
    """Return the toolkit, and what it compiles for; empty leaves that to CMake: the devices here, or all major ones.

    Programs by directives are built with those for CUDA, and for a device without a toolkit if a compiler offloads.
    """
    home = cuda.home or (installed_toolkit() if cuda.from_pypi else None)
    by_directives = environ.get("BANZUKE_OFFLOAD", "").upper() or ("AUTO" if home or driver else "OFF")
    arguments = [
        f"-DBANZUKE_HIP={'ON' if hip else 'OFF'}",
        f"-DBANZUKE_CUDA={'ON' if home else 'OFF'}",
        f"-DBANZUKE_OFFLOAD={by_directives}",
        f"-DBANZUKE_OFFLOAD_CXX={environ.get('BANZUKE_OFFLOAD_CXX', '')}",
    ]
    if home:
        architectures = "" if driver else environ.get("BANZUKE_CUDA_ARCHITECTURES", "")
        arguments += [f"-DBANZUKE_CUDA_HOME={home}", f"-DBANZUKE_CUDA_ARCHITECTURES={architectures}"]
    return arguments


def build_arguments(
    find: Callable[..., str | None], version: Callable[[str], tuple[int, ...]], environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Return CMake's arguments from what set-up prepared; PyPI's toolkit stays in use once it is there."""
    cuda = cuda_of_machine(find, version, environ, wanted=installed_toolkit() is not None)
    return cmake_arguments(cuda, nvidia_driver(), environ, hip=uses_hip(find, environ))
