"""Debian packages that the targets of setup.py need. Like setup.py, it uses only the standard library."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.compilers import DEFAULTS

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"


@dataclass(frozen=True)
class SystemPackage:
    """A Debian package that a target needs, and a test of whether what it brings is there."""

    name: str
    targets: tuple[str, ...]
    why: str
    present: Callable[[], bool]
    required: bool = False


def search_path() -> str:
    """Return PATH without our own environment, which may be activated."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if folder and Path(folder) != VENV / "bin")


def which(*names: str) -> str | None:
    return next((path for name in names if (path := shutil.which(name, path=search_path()))), None)


def has_googletest() -> bool:
    prefixes = ["/usr", "/usr/local", *os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)]
    return any(prefix and Path(prefix, "include/gtest/gtest.h").is_file() for prefix in prefixes)


def has_cross_libc() -> bool:
    return Path("/usr/aarch64-linux-gnu/lib/libc.a").is_file()


def has_llvm(library: str) -> bool:
    return any(Path("/usr/lib").glob(f"llvm*/lib/{library}"))


def has_fftw() -> bool:
    return any(next(Path("/usr").glob(f"{folder}/libfftw3_omp.so.3"), None) for folder in ("lib", "lib64", "lib/*"))


def has_pmix() -> bool:
    return any(Path("/usr/lib").glob("*/pmix2/lib/libpmix.so"))


def has_hip() -> bool:
    folders = ("/usr", os.environ.get("ROCM_PATH", "/opt/rocm"))
    return any(Path(folder, "include/hip/hip_runtime_api.h").is_file() for folder in folders)


def has_offloading() -> bool:
    return any(Path("/usr/lib/gcc").glob("*/*/accel/nvptx-none/mkoffload"))


def has_japanese_font() -> bool:
    """Return whether fontconfig finds a Japanese font."""
    try:
        listed = subprocess.run(["fc-list", ":lang=ja"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return bool(listed.stdout.strip())


SYSTEM_PACKAGES = (
    SystemPackage(
        "python3-venv",
        ("evaluate", "test", "fuzz", "lint"),
        "Python cannot make virtual environments without it",
        lambda: VENV.is_dir() or importlib.util.find_spec("ensurepip") is not None,
        required=True,
    ),
    SystemPackage(
        "g++",
        ("evaluate", "test", "lint"),
        "the benchmarks are C++20",
        lambda: which(*os.environ.get("CXX", "").split()[:1], *DEFAULTS) is not None,
        required=True,
    ),
    SystemPackage(
        "hwloc",
        ("evaluate", "test"),
        "names caches and NUMA nodes better than sysfs does",
        lambda: which("lstopo-no-graphics", "lstopo") is not None,
    ),
    SystemPackage(
        "clang", ("fuzz",), "has libFuzzer, which runs the C++ fuzzers", lambda: which("clang++") is not None
    ),
    SystemPackage(
        "libclang-rt-dev", ("fuzz",), "holds it", lambda: has_llvm("clang/*/lib/linux/libclang_rt.fuzzer-*.a")
    ),
    SystemPackage("libomp-dev", ("fuzz",), "Clang's OpenMP", lambda: has_llvm("libomp.so")),
    SystemPackage("libgtest-dev", ("test", "lint"), "C++ tests", has_googletest),
    SystemPackage(
        "ccache", ("test",), "compiles once what several clones have in common", lambda: which("ccache") is not None
    ),
    SystemPackage("libfftw3-double3", ("test",), "FFTW, which transforms are held against", has_fftw),
    SystemPackage(
        "chromium",
        ("test",),
        "tests of the report in a browser",
        lambda: which("chromium", "chromium-browser", "google-chrome") is not None,
    ),
    SystemPackage("fonts-ipafont-gothic", ("test",), "draws reports in Japanese", has_japanese_font),
    SystemPackage("libsimgrid-dev", ("test",), "simulates networks", lambda: which("smpirun") is not None),
    SystemPackage("qemu-user", ("test",), "runs the C++ tests for aarch64", lambda: which("qemu-aarch64") is not None),
    SystemPackage(
        "g++-aarch64-linux-gnu",
        ("test",),
        "builds the C++ tests for aarch64",
        lambda: which("aarch64-linux-gnu-g++") is not None,
    ),
    SystemPackage(
        "iproute2",
        ("test",),
        "joins network namespaces, which stand for hosts in tests",
        lambda: which("ip") is not None and which("tc") is not None,
    ),
    SystemPackage(
        "qemu-system-x86",
        ("test",),
        "starts virtual machines, in one of which everything is isolated",
        lambda: which("qemu-system-x86_64") is not None,
    ),
    SystemPackage(
        "glusterfs-server",
        ("test",),
        "a parallel file system; brings XFS, on which it keeps its data",
        lambda: Path("/usr/sbin/glusterd").is_file(),
    ),
    SystemPackage(
        "moosefs-master", ("test",), "another parallel file system", lambda: Path("/usr/sbin/mfsmaster").is_file()
    ),
    SystemPackage(
        "moosefs-chunkserver", ("test",), "keeps its data", lambda: Path("/usr/sbin/mfschunkserver").is_file()
    ),
    SystemPackage("moosefs-client", ("test",), "mounts it", lambda: which("mfsmount") is not None),
    SystemPackage("slurmctld", ("test",), "a batch system", lambda: Path("/usr/sbin/slurmctld").is_file()),
    SystemPackage("slurmd", ("test",), "runs its jobs", lambda: Path("/usr/sbin/slurmd").is_file()),
    SystemPackage("slurm-client", ("test",), "submits them", lambda: which("sbatch") is not None),
    SystemPackage("munge", ("test",), "knows who does", lambda: Path("/usr/sbin/munged").is_file()),
    SystemPackage(
        "gridengine-master", ("test",), "another batch system", lambda: Path("/usr/sbin/sge_qmaster").is_file()
    ),
    SystemPackage("gridengine-exec", ("test",), "runs its jobs", lambda: Path("/usr/sbin/sge_execd").is_file()),
    SystemPackage("gridengine-client", ("test",), "submits them", lambda: which("qconf") is not None),
    SystemPackage("libpmix-dev", ("test",), "starts Open MPI's ranks by Slurm", has_pmix),
    SystemPackage("openssh-server", ("test",), "starts programs on hosts", lambda: Path("/usr/sbin/sshd").is_file()),
    SystemPackage("e2fsprogs", ("test",), "makes their disks", lambda: which("mke2fs") is not None),
    SystemPackage("acl", ("test",), "lets another user write a file", lambda: which("setfacl") is not None),
    SystemPackage("bubblewrap", ("test",), "runs programs in containers", lambda: which("bwrap") is not None),
    SystemPackage("podman", ("test",), "runs programs in containers", lambda: which("podman") is not None),
    SystemPackage("charliecloud", ("test",), "runs programs in containers", lambda: which("ch-run") is not None),
    SystemPackage("runc", ("test",), "runs programs in containers", lambda: which("runc") is not None),
    SystemPackage("hipcc", ("test",), "compiles programs for AMD devices", lambda: which("hipcc") is not None),
    SystemPackage("libamdhip64-dev", ("test",), "their runtime", has_hip),
    SystemPackage("gcc-offload-nvptx", ("test",), "compiles directives for NVIDIA devices", has_offloading),
    SystemPackage("libc6-dev-arm64-cross", ("test",), "builds the C++ tests for aarch64", has_cross_libc),
)
