"""Checks before anything is built whether the C++ compiler can build Banzuke.

Like setup.py, it uses only the standard library.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OLDEST = {"GCC": 11, "Clang": 14}
"""Oldest compilers with which all was built. CMakeLists.txt has the same, for those who call CMake themselves."""
OLDEST_LIBRARY = 11
"""Oldest release of GCC's C++ library, which Clang also uses."""
NEWEST_NAMED = 30
"""Newest version that is looked for on PATH, as in g++-13."""

DEFAULTS = ("CC", "c++", "g++", "xlC", "icpx", "icx", "clang++")
"""Compilers that are tried if none is named, in CMake's order, without those of other systems; `CC` is Cray's."""
VERSIONS = {
    "GCC": ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"),
    "Clang": ("__clang_major__", "__clang_minor__", "__clang_patchlevel__"),
}
NO_GCC = ("__NVCOMPILER", "__INTEL_COMPILER", "__PGI", "_CRAYC", "__FUJITSU")
"""Macros of compilers that claim to be GCC, but are neither GCC nor Clang."""
OPENMP_FLAGS = {"GCC": ("-fopenmp",), "Clang": ("-fopenmp=libomp", "-fopenmp=libiomp5", "-fopenmp")}
"""Flags that CMake tries for OpenMP."""
OPENMP = "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n"


@dataclass(frozen=True)
class Compiler:
    """A compiler as it describes itself."""

    words: tuple[str, ...]
    """Words that call it."""
    family: str = ""
    """GCC or Clang; empty if neither, and then CMake finds out what it can do."""
    version: tuple[int, ...] = ()
    library: int | None = None
    """Release of GCC's C++ library that it uses; 0: one without <version>; None: another library."""

    def __str__(self) -> str:
        return f"{shlex.join(self.words)} is {self.family} {'.'.join(map(str, self.version))}"


def named(environ: Mapping[str, str], cxx: str = "") -> list[str]:
    """Return the words of the compiler that `cxx`, CMAKE_ARGS or CXX asks for; empty if none."""
    if cxx:
        return [cxx]
    words = shlex.split(environ.get("CMAKE_ARGS", ""))
    said = [match.group(1) for word in words if (match := re.fullmatch(r"-DCMAKE_CXX_COMPILER(?::\w+)?=(.+)", word))]
    return said[-1:] or shlex.split(environ.get("CXX", ""))


def chosen(find: Callable[..., str | None], environ: Mapping[str, str], cxx: str = "") -> Compiler | None:
    """Return the compiler that CMake would use; None if it is not there."""
    asked = named(environ, cxx)
    program = find(asked[0]) if asked else find(*DEFAULTS)
    return ask([program, *asked[1:]]) if program else None


def complaint(find: Callable[..., str | None], environ: Mapping[str, str], cxx: str = "") -> str:
    """Return why the compiler that CMake would use cannot build Banzuke, and what to do; empty if nothing is known."""
    compiler = chosen(find, environ, cxx)
    if compiler is None:
        asked = named(environ, cxx)
        return f"CXX={asked[0]}: there is no such compiler on PATH" if asked else ""
    if not compiler.family:
        return ""
    if why := too_old(compiler):
        return f"{why}. {remedy(find, compiler.family)}"
    if not has_openmp(compiler):
        return f"{compiler}, which has no OpenMP here: {of_openmp(compiler)}"
    return ""


def ask(words: Sequence[str]) -> Compiler:
    """Return the compiler by its macros, in C++20 mode with the library's version if it supports that."""
    macros = _macros([*words, "-std=c++20"], "#include <version>\n")
    whole = bool(macros)
    macros = macros or _macros(words, "")
    family = ""
    if "__clang_major__" in macros:
        family = "Clang"
    elif "__GNUC__" in macros and not any(name in macros for name in NO_GCC):
        family = "GCC"
    version = tuple(int(macros[name]) for name in VERSIONS.get(family, ()) if macros.get(name, "").isdigit())
    release = macros.get("_GLIBCXX_RELEASE", "")
    library = int(release) if release.isdigit() else None if whole else 0
    return Compiler(tuple(words), family, version, library)


def _macros(words: Sequence[str], text: str) -> dict[str, str]:
    """Return the macros; empty if the compiler does not run, or does not compile the text."""
    try:
        output = subprocess.run(
            [*words, "-dM", "-E", "-x", "c++", "-"],
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(re.findall(r"^#define (\w+) (.*)$", output, re.MULTILINE))


def too_old(compiler: Compiler) -> str:
    """Return why the compiler is too old; empty if it is not."""
    oldest = " and ".join(f"{family} {version}" for family, version in OLDEST.items())
    if compiler.version < (OLDEST[compiler.family],):
        return f"{compiler}, and the oldest compilers that build Banzuke are {oldest}"
    if compiler.library is not None and compiler.library < OLDEST_LIBRARY:
        its = f"that of GCC {compiler.library}" if compiler.library else "too old for C++20"
        return f"{compiler}, whose C++ library is {its}; that of GCC {OLDEST_LIBRARY} is the oldest that will do"
    return ""


def remedy(find: Callable[..., str | None], family: str) -> str:
    """Return what to use instead of a compiler that is too old, preferably of its family."""
    newer = next((name for name in _names(family) if (path := find(name)) and _fits(ask([path]))), None)
    if newer:
        return f"{newer} will do: put CXX={newer} after make"
    return (
        "Load the module of a newer one, or install one "
        f"(Debian and Ubuntu: sudo apt-get install g++-{OLDEST['GCC']} or newer), and put CXX=its name after make"
    )


def _names(family: str) -> list[str]:
    versions = range(NEWEST_NAMED, min(OLDEST.values()) - 1, -1)
    programs = ("clang++", "g++") if family == "Clang" else ("g++", "clang++")
    return [name for program in programs for name in (program, *(f"{program}-{version}" for version in versions))]


def _fits(compiler: Compiler) -> bool:
    return bool(compiler.family) and not too_old(compiler) and has_openmp(compiler)


def has_openmp(compiler: Compiler) -> bool:
    """Return whether a small OpenMP program can be compiled and linked."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "main.cpp")
        source.write_text(OPENMP, encoding="utf-8")
        return any(
            _succeeds([*compiler.words, flag, str(source), "-o", str(Path(folder, "main"))])
            for flag in OPENMP_FLAGS[compiler.family]
        )


def _succeeds(words: Sequence[str]) -> bool:
    try:
        return subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def of_openmp(compiler: Compiler) -> str:
    if compiler.family == "Clang":
        return f"install its library (Debian and Ubuntu: sudo apt-get install libomp-{compiler.version[0]}-dev)"
    return "install its library, libgomp"
