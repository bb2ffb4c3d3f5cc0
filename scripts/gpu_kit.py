"""Tests and figures of NVIDIA devices, here or elsewhere; behind `make test-gpu` and `make gpu-kit`.

A kit is a folder with all programs and tests for devices, which needs only the driver where it runs: no compiler, front
end or MPI. `make test-gpu` makes one for the devices here and runs it.
"""

import argparse
import itertools
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts import devices
from scripts.packages import ROOT, has_googletest, which
from scripts.running import CheckError, cmake_program, environment, run, say
from scripts.tools import version_of

BUILD = ROOT / "build/gpu"
PARTS = ROOT / "scripts/kit"
CALLS = {
    "dgemm": (
        "--m 8192 --n 8192 --k 8192",
        *(f"--m 16384 --n 16384 --k {k}" for k in (128, 256, 512, 1024, 16384)),
        *(f"--m {m} --n {m} --k {k} --split rates" for m in (4608, 9216, 18432) for k in (576, 864, 1152, 1440)),
    ),
    "stream": ("--n 268435456", "--n 16777216"),
    "hpl": (
        "--n 92160 --nb 1024 --inner 128",
        *(f"--n 92160 --nb 1024 --inner 128 --panel {panel}" for panel in ("host", "device")),
        *(f"--n 73728 --nb 1024 --inner 128{held}" for held in ("", " --held 36864", " --held 24576")),
    ),
    "hpcg": ("--nx 256 --ny 256 --nz 256 --seconds 3",),
    "geofem": (
        *(f"--nx {edge} --ny {edge} --nz {edge}" for edge in (80, 160)),
        *(f"--nx 160 --ny 160 --nz 160 {order}" for order in ("--ordering mc", "--colours 32")),
    ),
    "spmv": (
        "",
        *(
            f"--family {family} --nonzeros 10000000"
            for family in ("stencil-9", "p2-tetrahedra", "rmat", "web", "dense")
        ),
        *(f"--family {family} --nonzeros 30000000" for family in ("stencil-27", "p1-tetrahedra", "lp")),
    ),
    "fft": ("--n 67108864", "--n 16777216 --dimensions 3", "--n 67108864 --transform library"),
    "gups": ("--n 4294967296", "--n 134217728", "--n 2097152 --rounds 20"),
    "memory": (
        "--test latency --max_size 536870912",
        "--test bandwidth --min_size 4194304 --max_size 1073741824",
    ),
    "transfer": (
        *(f"--path pinned --direction {way} --max_size 1073741824" for way in ("to-device", "to-host", "both")),
        *(f"--path {path} --direction {way}" for path in ("kernel", "pageable") for way in ("to-device", "to-host")),
        "--path local",
        *(f"--path {path}" for path in ("peer", "peer --direction both", "peer-write", "peer-read")),
        *(f"--path {path}" for path in ("staged", "pipelined", "nccl")),
        *(f"--test latency --path {path}" for path in ("pinned", "pinned --direction to-host", "kernel", "peer")),
        "--test pairs",
    ),
}
"""Options of each benchmark's calls, with arrays larger than a device's cache; without an entry, one call without
options. Benchmarks and calls are in order of worth.
"""
BACKENDS = ("cuda", "omptarget", "openacc")
KINDS = ("banzuke", "test", "bench")
DIRECTIVES = ("libgomp.so.1", "libgomp-plugin-nvptx.so.1")
"""GCC's runtime for programs by directives, and the plugin that it loads for NVIDIA's devices."""
NO_DEVICE = (
    "there is no NVIDIA device here, or its driver is not visible. Run `make test-gpu` on a machine that has one, or "
    "`make gpu-kit` here, copy build/gpu-kit there and start its run.sh"
)


def calls(programs: Sequence[str]) -> list[str]:
    """Return the lines of calls.txt, a program and its options each, in order of worth.

    First one call of each program, benchmarks in the order of CALLS, then all others, so that a kit that is stopped has
    a figure of as much as can be.
    """
    order = {benchmark: place for place, benchmark in enumerate(CALLS)}

    def benchmark_of(program: str) -> str:
        return program.removeprefix("banzuke-").rpartition("-")[0]

    ranked = sorted(programs, key=lambda program: order.get(benchmark_of(program), len(order)))
    lines = [
        [f"{program} {options}".strip() for options in CALLS.get(benchmark_of(program), ("",))] for program in ranked
    ]
    return [*(first for first, *_ in lines), *(line for _, *others in lines for line in others)]


def static_openmp() -> list[str]:
    """Return the CMake argument for GCC's OpenMP as an archive, so that the kit does not need it where it runs."""
    asked = subprocess.run(["c++", "-print-file-name=libgomp.a"], capture_output=True, text=True, check=False)
    archive = Path(asked.stdout.strip())
    return [f"-DOpenMP_gomp_LIBRARY={archive}"] if archive.is_absolute() and archive.is_file() else []


def runtime_of_directives() -> list[Path]:
    """Return those of DIRECTIVES that GCC has here."""
    libraries = []
    for name in DIRECTIVES:
        asked = subprocess.run(["c++", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        path = Path(asked.stdout.strip())
        libraries += [path] if path.is_absolute() and path.is_file() else []
    return libraries


def build(architectures: str) -> None:
    """Build the programs. Raises CheckError."""
    of_devices = [word for word in devices.build_arguments(which, version_of) if "ARCHITECTURES" not in word]
    if "-DBANZUKE_CUDA=ON" not in of_devices:
        raise CheckError("there is no nvcc: load a CUDA module, or set BANZUKE_CUDA=ON, and run this again")
    chosen = f"-DBANZUKE_CUDA_ARCHITECTURES={architectures}"
    configure = [cmake_program("cmake"), "--preset", "gpu", *of_devices, chosen, *static_openmp()]
    run(*configure, env=environment(), quiet=True)
    run(cmake_program("cmake"), "--build", "--preset", "gpu", env=environment())


def pack(built: Path, kit: Path, libraries: Sequence[Path] = ()) -> int:
    """Pack the kit and return its size in bytes; programs by directives load `libraries` from beside themselves."""
    programs, *others = (
        [program for backend in BACKENDS for program in sorted(built.glob(f"{kind}-*-{backend}"))] for kind in KINDS
    )
    shutil.rmtree(kit, ignore_errors=True)
    (kit / "bin").mkdir(parents=True)
    probe = [file for file in (built / "banzuke-probe",) if file.is_file()]
    for program in [*programs, *itertools.chain(*others), *probe]:
        shutil.copy(program, kit / "bin")
    if any(not program.name.endswith("-cuda") for program in programs):
        (kit / "lib").mkdir()
        for library in libraries:
            shutil.copy(library, kit / "lib")
    for part in PARTS.iterdir():
        if part.is_file():
            shutil.copy(part, kit)
    (kit / "calls.txt").write_text("".join(f"{call}\n" for call in calls([program.name for program in programs])))
    return sum(file.stat().st_size for file in kit.rglob("*") if file.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-gpu", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kit", action="store_true", help="make the folder build/gpu-kit and run nothing")
    parser.add_argument("--architectures", default="90", help="of the devices where the kit will run; 90")
    asked = parser.parse_args()
    if not asked.kit and not devices.nvidia_driver():
        print(f"test-gpu: {NO_DEVICE}", file=sys.stderr)
        return 2
    if not has_googletest():
        print("test-gpu: GoogleTest is not installed (Debian: libgtest-dev)", file=sys.stderr)
        return 2
    kit = ROOT / "build/gpu-kit"
    try:
        build(asked.architectures if asked.kit else "")
    except CheckError as error:
        print(f"test-gpu: {error}", file=sys.stderr)
        return 1
    say(f"{kit.relative_to(ROOT)}: {pack(BUILD / 'bin', kit, runtime_of_directives()) / 1e6:.0f} MB")
    if asked.kit:
        say(f"copy it to a machine with a device, and there: sh {kit.name}/run.sh")
        return 0
    results = ROOT / "build/gpu-results"
    command = ["sh", str(kit / "run.sh"), str(results)]
    print("$ " + shlex.join(command), flush=True)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
