"""Look for inputs that break a reader: the C++ fuzzers with Clang's libFuzzer, then Python's with Hypothesis.

    make fuzz ARGS="--seconds 600"

The corpus is kept in build/fuzz/corpus, and the next call continues from it. An input that breaks a reader is kept in
build/fuzz/found; add it to the seeds beside the fuzzer when the reader is fixed.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.packages import ROOT, which
from scripts.running import BIN, CheckError, cmake_program, configure, environment, run

BUILD = ROOT / "build/fuzz"


def fuzzers(root: Path = ROOT) -> dict[str, Path]:
    """Return the programs, as CMakeLists.txt names them, and the folders of their seeds."""
    sources = [*root.glob("core/fuzz_*.cpp"), *root.glob("benchmarks/*/fuzz_*.cpp")]
    return {source.stem.replace("_", "-"): source.with_suffix("") for source in sorted(sources)}


def native(seconds: int) -> list[str]:
    """Return the names of fuzzers that found something. Raises CheckError if they cannot be built."""
    if which("clang++") is None:
        raise CheckError("the C++ fuzzers need Clang (Debian: clang, libclang-rt-dev, libomp-dev)")
    configure("fuzz")
    run(cmake_program("cmake"), "--build", "--preset", "fuzz", env=environment())
    failing = []
    for name, seeds in fuzzers().items():
        corpus = BUILD / "corpus" / name
        artifacts = BUILD / "found" / name
        for folder in (corpus, artifacts):
            folder.mkdir(parents=True, exist_ok=True)
        limits = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=60", "-rss_limit_mb=2048", "-verbosity=0"]
        try:
            run(BUILD / "bin" / name, *limits, f"-artifact_prefix={artifacts}/", corpus, seeds)
        except CheckError:
            failing.append(name)
    return failing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=int, default=60, help="time of each C++ fuzzer (default: %(default)s)")
    asked = parser.parse_args(arguments)
    failures = []
    try:
        failures += native(asked.seconds)
    except CheckError as error:
        failures.append(str(error))
    try:
        run(BIN / "pytest", "-m", "fuzz", "--hypothesis-profile=fuzz", env=os.environ)
    except CheckError as error:
        failures.append(f"Python: {error}")
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
