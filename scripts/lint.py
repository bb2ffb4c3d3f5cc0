"""The parts of `make lint` and `make format`."""

import json
import operator
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
        yield f"-idirafter{result.stdout.strip()}"


def sources_of(file: Path) -> list[Path]:
    """What a file that CMake wrote includes, or the file itself."""
    if (ROOT / "build") not in file.parents:
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(/.*)"', file.read_text(encoding="utf-8"), re.MULTILINE)]


def options_that_matter(entry: Mapping[str, str]) -> tuple[str, ...]:
    """Give a compiler's options, without folders of benchmarks, whose sources find their headers beside them."""
    words = shlex.split(entry["command"])[1:]
    own = ("-c", "-o", entry["file"], words[words.index("-o") + 1])
    folders = f"-I{ROOT / 'benchmarks'}"
    return tuple(word for word in words if word not in own and not word.startswith(folders))


def room_of(source: Path) -> tuple[str, ...]:
    """Such as benchmarks/hpl or core/gpu."""
    return source.parent.relative_to(ROOT).parts[:2]


ENTRY = re.compile(r'^(int main|extern "C" int LLVMFuzzerTestOneInput)\(', re.MULTILINE)
"""Where a program or a fuzzer begins, of which there is one."""


@dataclass
class Unit:
    """Sources that are read together."""

    options: tuple[str, ...]
    sources: list[Path]
    alone: bool

    def takes(self, options: tuple[str, ...], sources: Sequence[Path]) -> bool:
        """Two of one room may stand for each other, as backends do; two benchmarks share no names."""
        rooms = set(map(room_of, self.sources))
        return not self.alone and options == self.options and rooms.isdisjoint(map(room_of, sources))


def gather_units(entries: Sequence[Mapping[str, str]]) -> list[Unit]:
    """Give every source once, whatever is compiled of it how often: reading headers takes most of the time."""
    units: list[Unit] = []
    seen: set[Path] = set()
    for entry in sorted(entries, key=operator.itemgetter("file")):
        sources = [source for source in sources_of(Path(entry["file"])) if source not in seen]
        seen.update(sources)
        if not sources:
            continue
        options = options_that_matter(entry)
        alone = any(ENTRY.search(source.read_text(encoding="utf-8")) for source in sources)
        fitting = (unit for unit in units if not alone and unit.takes(options, sources))
        if unit := next(fitting, None):
            unit.sources += sources
        else:
            units.append(Unit(options, sources, alone))
    return units


def clang_tidy() -> None:
    """Sources of many libraries together; `debug` compiles each by itself.

    Clang's -Wshadow, unlike GCC's, does not say that a source's names hide those of another.
    """
    configure("lint", f"-DBANZUKE_TESTS={'ON' if has_googletest() else 'OFF'}")
    entries = json.loads((ROOT / "build/lint/compile_commands.json").read_text(encoding="utf-8"))
    folder = ROOT / "build/lint/units"
    folder.mkdir(exist_ok=True)
    compiler = shlex.split(entries[0]["command"])[0] if entries else "c++"
    extra = ["-Wno-unknown-warning-option", "-Wshadow", *gcc_headers(compiler)]
    program = [str(BIN / "clang-tidy"), "--quiet", f"--config-file={ROOT / '.clang-tidy'}"]

    def check(numbered: tuple[int, Unit]) -> str:
        number, unit = numbered
        file = folder / f"{number}.cpp"
        file.write_text("".join(f'#include "{source}"\n' for source in unit.sources), encoding="utf-8")
        command = [*program, str(file), "--", *unit.options, *extra]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return result.stdout + result.stderr if result.returncode else ""

    # The longest first, so that none of them is left for the end.
    units = sorted(gather_units(entries), key=lambda unit: -sum(source.stat().st_size for source in unit.sources))
    print(f"$ clang-tidy ({sum(len(unit.sources) for unit in units)} sources in {len(units)} parts)", flush=True)
    with ThreadPoolExecutor(processors()) as pool:
        complaints = [output for output in pool.map(check, enumerate(units)) if output]
    if complaints:
        print("\n".join(complaints), flush=True)
        raise CheckError(f"clang-tidy complains in {len(complaints)} of {len(units)} parts")


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
    run(BIN / "python", "-m", "scripts.list_commands")
