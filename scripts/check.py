"""The gates behind `make check`, `test`, `test-merge`, `test-all`, `lint` and `format`: run every part, then report
which failed.

A part that cannot run here is skipped with the reason; with BANZUKE_NO_SKIPS=1 it fails.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path
from xml.etree import ElementTree as ET

from scripts import lint
from scripts.packages import ROOT, VENV, has_cross_libc, has_googletest, which
from scripts.running import BIN, CheckError, cmake_program, configure, environment, processors, run, say, skip

ALLOWED_SKIP = "hardware:"
"""Start of the reason of a skip that no set-up can avoid; conftest.py has the same for Python."""


SLOWEST = 30
"""Tests whose times are shown."""
UNIT = "^unit$"
"""Label of the tests of GoogleTest."""
FEW_RANKS = "^few-ranks$"
"""Label of tests with three ranks: enough to send every message unevenly; with a sanitizer more would take long."""
OTHER_RANKS = "^other-ranks$"
"""Label of tests with one rank, with two, and with more than three."""
THOROUGH_RANKS = "^thorough-ranks$"
"""Label of tests that repeat what other numbers of ranks show."""
EMULATED = ("sve-default-vector-length=16", "sve-default-vector-length=32", "sve-default-vector-length=256", "sve=off")
"""Processors of Arm, by QEMU's names, that run the tests of loops, too: with SVE's vectors of so many bytes, or none.

All tests run with 64 bytes, QEMU's default.
"""
LOOPS = (
    *("Batch.*", "Cached.*", "Choices.*", "Formats.*", "Kernels.*", "Loops.*", "Plane.*", "Rearranging.*"),
    *("Streams.Are*", "Streams.Leave*", "Awkward/*"),
)
"""Tests of loops that are compiled for instruction sets, as patterns of GoogleTest."""
WITHOUT_LIBRARIES = "-Library.*"
"""Filter of GoogleTest that leaves out tests which load a BLAS."""
NOTHING_RUN = "[==========] Running 0 tests"
"""What GoogleTest says where its filter leaves nothing."""
LONGEST = 600
"""Seconds that all tests of a program may take."""
MOST_AT_ONCE = 4
"""Most processes of Python tests, because many tests start programs that take every processor."""


SOME_FAILED = 1
"""Pytest's status if it ran all tests and some failed; others are of runs that ended early."""
MOST_REPEATED = 3
"""Most failed Python tests that are run again, alone: others on this machine may have delayed so many, not more."""


def failed_tests(junit: str) -> list[str]:
    return [case.get("name", "?") for case in ET.fromstring(junit).iter("testcase") if case.get("status") == "fail"]  # noqa: S314


def skipped_tests(junit: str) -> list[str]:
    """Return the tests that CTest did not run, except those whose output gives an allowed reason."""
    cases = ET.fromstring(junit).iter("testcase")  # noqa: S314  (written by our own CTest)
    return [
        case.get("name", "?")
        for case in cases
        if case.get("status") in ("notrun", "disabled") and ALLOWED_SKIP not in (case.findtext("system-out") or "")
    ]


def blas() -> dict[str, str]:
    """Return the variable for the BLAS that the C++ tests load: the user's choice, else PyPI's."""
    libraries = sorted(VENV.glob("lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas*.so"))
    chosen = os.environ.get("BANZUKE_BLAS") or next(map(str, libraries), None)
    return {"BANZUKE_BLAS": chosen} if chosen else {}


def mkl() -> dict[str, str]:
    """Return the variable for MKL from the set-up for tests, which one backend calls."""
    libraries = sorted(VENV.glob("lib/libmkl_rt.so.*"))
    return {"BANZUKE_MKL": str(libraries[-1])} if libraries else {}


def slowest_tests(junit: str) -> list[str]:
    """Return lines with seconds and names."""
    times = [(float(case.get("time", 0)), case.get("name", "?")) for case in ET.fromstring(junit).iter("testcase")]  # noqa: S314
    return [f"{seconds:6.1f} s  {name}" for seconds, name in sorted(times, reverse=True)[:SLOWEST] if seconds >= 1]


def run_ctest(preset: str, *targets: str, excluded: Sequence[str] = ()) -> None:
    """Build the targets, by default the preset's own, and run all tests except those with excluded labels."""
    env = environment() | blas() | mkl()
    configure(preset)
    chosen = ["--target", *targets] if targets else []
    run(cmake_program("cmake"), "--build", "--preset", preset, *chosen, env=env)
    run_programs(preset, env)
    junit = ROOT / "build" / preset / "ctest.xml"
    ctest = [cmake_program("ctest"), "--preset", preset, "--parallel", str(processors())]
    ctest += ["--label-exclude", "|".join([UNIT, *excluded])]
    junit.unlink(missing_ok=True)
    try:
        run(*ctest, "--no-tests=ignore", "--output-junit", junit, env=env)
    except CheckError as error:
        failed = failed_tests(junit.read_text(encoding="utf-8")) if junit.exists() else []
        raise CheckError(f"{error}: {', '.join(failed)}" if failed else str(error)) from None
    results = junit.read_text(encoding="utf-8")
    print("\n".join(slowest_tests(results)), flush=True)
    if skipped := skipped_tests(results):
        skip("some C++ tests", "CTest did not run " + ", ".join(skipped))


def run_programs(preset: str, env: Mapping[str, str], chosen: str = "") -> None:
    """Run each program of tests in one process, in which a program has all its tests.

    `chosen`: a filter of GoogleTest in place of the preset's; then some programs may have nothing to run.
    """
    command = [cmake_program("ctest"), "--preset", preset, "--label-regex", UNIT, "--show-only=json-v1"]
    listing = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    # The largest first, so that none of the longest is left for the end.
    programs = sorted(
        (test["command"] for test in json.loads(listing)["tests"]), key=lambda words: -Path(words[-1]).stat().st_size
    )
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["testPresets"]
    own = next(preset_data for preset_data in presets if preset_data["name"] == preset).get("environment", {})
    variables = {**env, **own} | ({"GTEST_FILTER": chosen} if chosen else {})

    def output_of(program: Sequence[str]) -> tuple[bool, str]:
        status, output = carry_out(program, variables)
        return status == 0 and (bool(chosen) or NOTHING_RUN not in output), f"{shlex.join(program)}:\n{output}"

    print(f"$ test-* of {preset} ({len(programs)} programs)", flush=True)
    with ThreadPoolExecutor(processors()) as pool:
        results = list(pool.map(output_of, programs))
    if complaints := [output for passed, output in results if not passed]:
        print("\n".join(complaints), flush=True)
        raise CheckError("; ".join(map(failure_of, complaints)))
    if skipped := [name for _, output in results for name in skipped_cases(output)]:
        skip("some C++ tests", "their programs did not run " + ", ".join(skipped))


def carry_out(words: Sequence[str], env: Mapping[str, str]) -> tuple[int, str]:
    """Return status and output; a program that exceeds its time is killed with the ranks that it started."""
    with subprocess.Popen(
        words,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return 1, f"{output}killed after {LONGEST} s\n"
    return process.returncode, output


def failure_of(output: str) -> str:
    """Return the program (from the first line) with its failed tests, or with the last line if it did not finish."""
    lines = output.splitlines()
    failed = re.findall(r"^\[  FAILED  \] (\S+)$", output, re.MULTILINE)
    return f"{Path(lines[0].split()[0].rstrip(':')).name}: {', '.join(failed) or lines[-1]}"


def skipped_cases(output: str) -> list[str]:
    """Return the tests that a GoogleTest program skipped, except those whose output gives an allowed reason."""
    cases = re.findall(
        r"^\[ RUN      \] (\S+)\n(.*?)^\[ +(?:OK|SKIPPED|FAILED) +\] \1", output, re.DOTALL | re.MULTILINE
    )
    return [name for name, text in cases if ": Skipped" in text and ALLOWED_SKIP not in text]


def native_tests(preset: str, *targets: str, excluded: Sequence[str] = ()) -> None:
    if has_googletest():
        run_ctest(preset, *targets, excluded=excluded)
    else:
        skip(f"C++ tests of {preset}", "GoogleTest is not installed (libgtest-dev)")


def unit_tests() -> None:
    if not has_googletest():
        skip("C++ unit tests", "GoogleTest is not installed (libgtest-dev)")
        return
    env = environment()
    configure("release")
    run(cmake_program("cmake"), "--build", "--preset", "release", "--target", "unit-tests", env=env)
    run_programs("release", env, WITHOUT_LIBRARIES)


def hip_programs(*targets: str) -> None:
    """Build these targets for AMD devices, by default the preset's own."""
    if which("hipcc") is None:
        skip("programs for AMD devices", "hipcc is not installed (hipcc, libamdhip64-dev)")
        return
    configure("hip")
    chosen = ["--target", *targets] if targets else []
    run(cmake_program("cmake"), "--build", "--preset", "hip", *chosen, env=environment(), quiet=True)


def cuda_kit() -> None:
    run(sys.executable, "-m", "scripts.gpu_kit", "--kit", quiet=True)


def aarch64_tests() -> None:
    """Run the C++ tests under QEMU, those of loops with each length of SVE's vectors."""
    wanted = {
        "libgtest-dev": has_googletest(),
        "g++-aarch64-linux-gnu": which("aarch64-linux-gnu-g++") is not None,
        "libc6-dev-arm64-cross": has_cross_libc(),
        "qemu-user": which("qemu-aarch64") is not None,
    }
    if missing := [name for name, there in wanted.items() if not there]:
        skip("C++ tests on aarch64", "not installed: " + ", ".join(missing))
    else:
        run_ctest("aarch64")
        for processor in EMULATED:
            print(f"# {processor}", flush=True)
            run_programs("aarch64", environment() | {"QEMU_CPU": f"max,{processor}"}, ":".join(LOOPS))


def write_bytecode(env: Mapping[str, str], root: Path = ROOT) -> None:
    """Write the bytecode of tests that have none, as in a new clone; otherwise each process of pytest would write it.

    Each processor gets a part. Rewriting assertions takes more than half of the time of collecting all tests.
    """
    files = [
        file
        for folder in ("banzuke", "benchmarks", "scripts", "tests")
        for file in sorted((root / folder).rglob("test_*.py"))
        if not any(Path(cache_from_source(file)).parent.glob(f"{file.stem}.*-pytest-*.pyc"))
    ]
    parts = [part for first in range(processors()) if (part := files[first :: processors()])]
    collect: list[str | Path] = [BIN / "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(lambda part: run(*collect, *part, env=env, quiet=True), parts))


def python_tests(arguments: Sequence[str] = ()) -> None:
    """Run the Python tests; those of a file share a process and its fixtures, except as `conftest.py` says."""
    env = environment()
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # tests start Python hundreds of times
    write_bytecode(env)
    processes = min(MOST_AT_ONCE, processors() + 2)  # many tests wait for what they have started
    several = ["--numprocesses", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
    slowest = ["--durations", str(SLOWEST), "--durations-min", "1"]
    cache = ROOT / "build" / "pytest-cache"  # a developer's own, with earlier failures, stays as it is
    try:
        run(BIN / "pytest", *several, *slowest, "--cache-clear", "-o", f"cache_dir={cache}", *arguments, env=env)
    except CheckError as error:
        failures = cache / "v" / "cache" / "lastfailed"
        failed = list(json.loads(failures.read_text())) if failures.is_file() else []
        if error.status != SOME_FAILED or not 0 < len(failed) <= MOST_REPEATED:
            raise
        run(BIN / "pytest", "-p", "no:cacheprovider", *failed, env=env)
        for test in failed:
            say(f"UNSTABLE {test}: failed among the others, passed alone; mend it or what it tests")


def parts(gate: str, arguments: Sequence[str]) -> dict[str, Callable[[], None]]:
    """Return the parts, quick ones first, except that Python's summary comes last."""
    merging = gate == "test-merge"  # each number of ranks is tested once, with the address sanitizer or as installed
    repeated = [] if gate == "test-all" else [THOROUGH_RANKS]
    few, others = ([FEW_RANKS], [OTHER_RANKS]) if merging else ([], [])
    sanitizers = {
        "C++ tests, address and undefined-behaviour sanitizers": lambda: native_tests(
            "asan", excluded=[*others, *repeated]
        ),
        "C++ tests, thread sanitizer": lambda: native_tests("tsan"),
    }
    if gate == "check":
        return {
            "C++ unit tests": unit_tests,
            "Python unit tests": lambda: python_tests(
                ["-m", "unit and not slow and not fuzz", "--hypothesis-profile=quick", *arguments]
            ),
        }
    if gate in ("test", "test-merge"):
        tests = {
            # clang-tidy has already read the benches, which compare implementations.
            "C++ tests": lambda: native_tests("release", "tests", excluded=[*few, *repeated]),
            "Python tests": lambda: python_tests(
                ["-m", "not guest and not mpi and not thorough", "--hypothesis-profile=quick", *arguments]
            ),
        }
        kernels = {"Kernels for AMD devices": lambda: hip_programs("device-kernels")}
        return sanitizers | kernels | tests if merging else tests
    if gate == "test-all":
        return sanitizers | {
            "Programs for AMD devices": hip_programs,
            "Programs and tests for NVIDIA devices, without MPI": cuda_kit,
            "C++ tests": lambda: native_tests("release"),
            "C++ tests on aarch64": aarch64_tests,
            "Python tests, damaged input": lambda: python_tests(["-m", "fuzz", "--hypothesis-profile=long"]),
            "Python tests": lambda: python_tests(["-m", "not fuzz", *arguments]),
        }
    if gate == "lint":
        return {
            "shell syntax": lint.shell,
            "C++ formatting": lint.clang_format,
            "Python formatting": lint.python_format,
            "ruff": lint.ruff,
            "mypy": lint.mypy,
            "clang-tidy": lint.clang_tidy,
        }
    return {"format": lint.rewrite}


def main() -> int:
    gate, *arguments = sys.argv[1:]
    failures = []
    for name, part in parts(gate, arguments).items():
        start = time.monotonic()
        say(f"{name} ...")
        try:
            part()
        except CheckError as error:
            failures.append(f"{name}: {error}")
            say(f"FAILED {failures[-1]}")
        else:
            if not name.startswith("Python"):
                say(f"{name}: {time.monotonic() - start:.1f} s")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
