"""The parts of `make lint` and `make format`."""

import fcntl
import hashlib
import json
import operator
import os
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
    """Yield the option for GCC's own headers, searched last, because clang-tidy from PyPI brings no omp.h."""
    command = [compiler, "-print-file-name=include"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0 and Path(result.stdout.strip()).is_dir():
        yield f"-idirafter{result.stdout.strip()}"


def sources_of(file: Path) -> list[Path]:
    """Return what a file that CMake wrote includes, or the file itself."""
    if (ROOT / "build") not in file.parents:
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(/.*)"', file.read_text(encoding="utf-8"), re.MULTILINE)]


def options_that_matter(entry: Mapping[str, str]) -> tuple[str, ...]:
    """Return a compiler's options, without folders of benchmarks, whose sources find their headers beside them."""
    words = shlex.split(entry["command"])[1:]
    own = ("-c", "-o", entry["file"], words[words.index("-o") + 1])
    folders = f"-I{ROOT / 'benchmarks'}"
    return tuple(word for word in words if word not in own and not word.startswith(folders))


def room_of(source: Path) -> tuple[str, ...]:
    """Return the folder of a source, such as benchmarks/hpl or core/gpu."""
    return source.parent.relative_to(ROOT).parts[:2]


ENTRY = re.compile(r'^(int main|extern "C" int LLVMFuzzerTestOneInput)\(', re.MULTILINE)
"""The start of a program or a fuzzer, of which a unit can have only one."""


@dataclass
class Unit:
    """Sources that are read together."""

    options: tuple[str, ...]
    sources: list[Path]
    alone: bool

    def takes(self, options: tuple[str, ...], sources: Sequence[Path]) -> bool:
        """Return whether the sources fit: backends in one folder define the same names, different folders do not."""
        rooms = set(map(room_of, self.sources))
        return not self.alone and options == self.options and rooms.isdisjoint(map(room_of, sources))


def gather_units(entries: Sequence[Mapping[str, str]]) -> list[Unit]:
    """Return units that have every source once, however often it is compiled: reading headers takes longest."""
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


INCLUDE = re.compile(r'^\s*#\s*include\s*"(.*)"', re.MULTILINE)


def files_read(unit: Unit, folders: Sequence[Path]) -> list[Path]:
    """Return a unit's sources and what they include in quotes, sorted; `folders`: where these are looked up."""
    seen: set[Path] = set()
    waiting = list(unit.sources)
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            waiting += [path for folder in (file.parent, *folders) if (path := (folder / name).resolve()).is_file()][:1]
    return sorted(seen)


class Passed:
    """Units that passed, in any clone: each an empty file, named after a hash of the project's files that clang-tidy
    read, its settings and its version. Headers of the system and of libraries are not part of it.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self._folder = folder
        self._settings = settings

    def mark_of(self, unit: Unit, folders: Sequence[Path]) -> Path:
        """Return the file that exists if the unit passed."""
        read = hashlib.sha256(repr((self._settings, unit.options)).replace(str(ROOT), "").encode())
        for file in files_read(unit, folders):
            read.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
        return self._folder / read.hexdigest()

    def remember(self, mark: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        mark.touch()


def cache_folder(checker: str) -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "banzuke" / checker


def clang_tidy() -> None:
    """Run clang-tidy on sources of many libraries together; `debug` compiles each by itself.

    Clang's -Wshadow, unlike GCC's, does not complain if a source's names hide those of another.
    """
    configure("lint", f"-DBANZUKE_TESTS={'ON' if has_googletest() else 'OFF'}")
    entries = json.loads((ROOT / "build/lint/compile_commands.json").read_text(encoding="utf-8"))
    folder = ROOT / "build/lint/units"
    folder.mkdir(exist_ok=True)
    compiler = shlex.split(entries[0]["command"])[0] if entries else "c++"
    extra = ["-Wno-unknown-warning-option", "-Wshadow", *gcc_headers(compiler)]
    config = ROOT / ".clang-tidy"
    program = [str(BIN / "clang-tidy"), "--quiet", f"--config-file={config}"]
    versions = [version_text(str(BIN / "clang-tidy")), version_text(compiler)]
    passed = Passed(cache_folder("clang-tidy"), config.read_text(encoding="utf-8"), *versions, *extra)

    def check(numbered: tuple[int, Unit]) -> str | None:
        """Return complaints; None: it passed before, as it is now."""
        number, unit = numbered
        mark = passed.mark_of(unit, (ROOT, ROOT / "build/lint"))
        if mark.exists():
            return None
        file = folder / f"{number}.cpp"
        file.write_text("".join(f'#include "{source}"\n' for source in unit.sources), encoding="utf-8")
        command = [*program, str(file), "--", *unit.options, *extra]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if result.returncode:
            return result.stdout + result.stderr
        passed.remember(mark)
        return ""

    # The largest first, so that none of them is left for the end.
    units = sorted(gather_units(entries), key=lambda unit: -sum(source.stat().st_size for source in unit.sources))
    print(f"$ clang-tidy ({sum(len(unit.sources) for unit in units)} sources in {len(units)} parts)", flush=True)
    with ThreadPoolExecutor(processors()) as pool:
        results = list(pool.map(check, enumerate(units)))
    if unchanged := results.count(None):
        print(f"{unchanged} of these parts are as they were when they passed", flush=True)
    if complaints := list(filter(None, results)):
        print("\n".join(complaints), flush=True)
        raise CheckError(f"clang-tidy complains in {len(complaints)} of {len(units)} parts")


def version_text(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


def python_format() -> None:
    run(BIN / "ruff", "format", "--check", "--quiet", "--diff", ".")


def ruff() -> None:
    run(BIN / "ruff", "check", "--quiet", ".")


def mypy() -> None:
    """Run mypy with a cache that clones share: it compares the contents of files, not their places and times."""
    folder = cache_folder("mypy")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:  # its database is for one run at a time
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(BIN / "mypy", "--num-workers", str(processors()), "--cache-dir", folder)


def shell() -> None:
    run(shutil.which("bash") or "bash", "-n", ".ci/run")


def rewrite() -> None:
    if files := cxx_sources():
        run(BIN / "clang-format", "-i", *files)
    run(BIN / "ruff", "check", "--fix-only", "--quiet", ".")
    run(BIN / "ruff", "format", ".")
    run(BIN / "python", "-m", "scripts.list_benchmarks")
    run(BIN / "python", "-m", "scripts.list_commands")
