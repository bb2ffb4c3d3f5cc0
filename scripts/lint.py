"""The parts of `make lint` and `make format`."""

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.packages import ROOT, has_googletest
from scripts.running import BIN, CheckError, configure, processors, run


def sources(*suffixes: str) -> list[Path]:
    folders = ("core", "benchmarks")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


def cxx_sources() -> list[Path]:
    return sources(".cpp", ".hpp", ".cu", ".cuh")


def clang_format() -> None:
    if files := cxx_sources():
        run(BIN / "clang-format", "--dry-run", "-Werror", *files, quiet=True)


def gcc_headers(compiler: str) -> Iterator[str]:
    """GCC's own folder, searched last: clang-tidy from PyPI brings no omp.h."""
    command = [compiler, "-print-file-name=include"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0 and Path(result.stdout.strip()).is_dir():
        yield f"--extra-arg=-idirafter{result.stdout.strip()}"


def is_read(file: str) -> bool:
    """Sources for CUDA are read once, as those for the emulated devices; only the runtime differs."""
    return "-cuda.dir/" not in file or "/banzuke-gpu-cuda.dir/" in file


def clang_tidy() -> None:
    """Sources of a library together, whose headers take most of the time; `debug` compiles each by itself.

    Clang's -Wshadow, unlike GCC's, does not say that a source's names hide those of another.
    """
    configure("lint", f"-DBANZUKE_TESTS={'ON' if has_googletest() else 'OFF'}")
    build = ROOT / "build/lint"
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = sorted({entry["file"] for entry in entries if is_read(entry["file"])})
    compiler = shlex.split(entries[0]["command"])[0] if entries else "c++"
    options = [
        "--quiet",
        "-p",
        str(build),
        "--extra-arg=-Wno-unknown-warning-option",
        "--extra-arg=-Wshadow",
        *gcc_headers(compiler),
    ]

    def check(file: str) -> str:
        command = [str(BIN / "clang-tidy"), *options, file]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return result.stdout + result.stderr if result.returncode else ""

    print(f"$ clang-tidy ({len(files)} files)", flush=True)
    with ThreadPoolExecutor(processors()) as pool:
        complaints = [output for output in pool.map(check, files) if output]
    if complaints:
        print("\n".join(complaints), flush=True)
        raise CheckError(f"clang-tidy complains in {len(complaints)} of {len(files)} files")


def python_format() -> None:
    run(BIN / "ruff", "format", "--check", "--quiet", "--diff", ".")


def ruff() -> None:
    run(BIN / "ruff", "check", "--quiet", ".")


def mypy() -> None:
    run(BIN / "mypy", "--num-workers", str(processors()))


def shell() -> None:
    run(shutil.which("bash") or "bash", "-n", ".ci/run")


def rewrite() -> None:
    if files := cxx_sources():
        run(BIN / "clang-format", "-i", *files)
    run(BIN / "ruff", "check", "--fix-only", "--quiet", ".")
    run(BIN / "ruff", "format", ".")
    run(BIN / "python", "-m", "scripts.list_benchmarks")
