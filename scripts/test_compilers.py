"""Tests of which compilers are refused before anything is built, and with what message."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import compilers, setup, tools
from scripts.packages import ROOT, VENV, which

GCC = "#define __GNUC__ {0}\n#define __GNUC_MINOR__ {1}\n#define __GNUC_PATCHLEVEL__ 0\n#define _GLIBCXX_RELEASE {0}\n"
CLANG = (
    "#define __GNUC__ 4\n#define __GNUC_MINOR__ 2\n#define __GNUC_PATCHLEVEL__ 1\n"
    "#define __clang_major__ {0}\n#define __clang_minor__ {1}\n#define __clang_patchlevel__ 6\n"
    "#define _GLIBCXX_RELEASE {2}\n"
)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., str]:
    """Return a function that makes a compiler with these macros."""

    def made(name: str, macros: str, *, cxx20: bool = True, openmp: bool = True) -> str:
        program = tmp_path / name
        refuse = "" if cxx20 else 'case "$*" in *c++20*) echo "unrecognized option -std=c++20" >&2; exit 1;; esac\n'
        link = f'case "$*" in *-fopenmp*) exit {0 if openmp else 1};; esac\n'
        program.write_text(f"#!/bin/sh\n{refuse}{link}cat <<'E'\n{macros}E\n")
        program.chmod(0o755)
        return str(program)

    return made


def on(folder: Path) -> Callable[..., str | None]:
    return lambda *names: next((path for name in names if (path := shutil.which(name, path=str(folder)))), None)


@pytest.mark.parametrize(
    ("macros", "complaint"),
    [
        (GCC.format(10, 2), "g++ is GCC 10.2.0, and the oldest compilers that build Banzuke are GCC 11 and Clang 14"),
        (GCC.format(11, 1), ""),
        (GCC.format(15, 0), ""),
        (CLANG.format(13, 0, 12), "g++ is Clang 13.0.6, and the oldest compilers that build Banzuke are GCC 11 and Cl"),
        (CLANG.format(14, 0, 12), ""),
        (CLANG.format(14, 0, 10), "g++ is Clang 14.0.6, whose C++ library is that of GCC 10; that of GCC 11 is the ol"),
        (CLANG.format(16, 0, 12).replace("_GLIBCXX_RELEASE", "_LIBCPP_VERSION"), ""),
        (GCC.format(4, 2) + "#define __NVCOMPILER 1\n", ""),
        ("", ""),
    ],
)
def test_a_compiler_that_is_too_old_is_named_with_what_is_needed(
    make: Callable[..., str], tmp_path: Path, macros: str, complaint: str
) -> None:
    make("g++", macros)
    said = compilers.complaint(on(tmp_path), {})
    assert said.startswith(f"{tmp_path}/{complaint}") if complaint else not said
    assert not complaint or "Load the module of a newer one, or install one" in said


def test_one_without_cxx20_is_too_old_too(make: Callable[..., str], tmp_path: Path) -> None:
    make("c++", GCC.format(8, 5), cxx20=False)
    assert "c++ is GCC 8.5.0, and the oldest" in compilers.complaint(on(tmp_path), {})
    make("clang++", CLANG.format(14, 0, "").replace("#define _GLIBCXX_RELEASE \n", ""), cxx20=False)
    assert "whose C++ library is too old for C++20" in compilers.complaint(on(tmp_path), {"CXX": "clang++"})


def test_a_newer_one_on_path_is_what_to_use(make: Callable[..., str], tmp_path: Path) -> None:
    make("g++", GCC.format(8, 5))
    make("g++-12", GCC.format(12, 2))
    make("g++-13", GCC.format(13, 1), openmp=False)
    assert compilers.complaint(on(tmp_path), {}).endswith("g++-12 will do: put CXX=g++-12 after make")
    make("g++", GCC.format(8, 5), openmp=False)
    assert "g++-12 will do" in compilers.complaint(on(tmp_path), {})


def test_what_is_asked_for_is_judged(make: Callable[..., str], tmp_path: Path) -> None:
    make("c++", GCC.format(12, 2))
    old = make("old compiler", GCC.format(9, 3))
    find = on(tmp_path)
    assert not compilers.complaint(find, {})
    for environ in (
        {"CXX": f"'{old}' -m64"},
        {"CXX": "c++", "CMAKE_ARGS": f"'-DCMAKE_CXX_COMPILER:FILEPATH={old}' -DA=b"},
    ):
        assert "is GCC 9.3.0" in compilers.complaint(find, environ)
    assert "is GCC 9.3.0" in compilers.complaint(find, {"CXX": "c++"}, cxx=old)
    assert compilers.complaint(find, {"CXX": "g++-4"}) == "CXX=g++-4: there is no such compiler on PATH"


def test_cmakes_own_order_is_known(tmp_path: Path) -> None:
    """Compilers of HP-UX and Windows are left out, because on Linux other programs have these names."""
    cmake = which("cmake") or str(VENV / "bin/cmake")
    script = tmp_path / "root.cmake"
    script.write_text("message(${CMAKE_ROOT})\n")
    root = subprocess.run([cmake, "-P", script], capture_output=True, text=True, check=True).stderr.strip()
    module = Path(root, "Modules/CMakeDetermineCXXCompiler.cmake").read_text().replace("${_CMAKE_TOOLCHAIN_PREFIX}", "")
    listed = re.search(r"set\(CMAKE_CXX_COMPILER_LIST (.*)\)", module)
    assert listed
    assert [name for name in listed[1].split() if name not in {"aCC", "cl", "bcc"}] == list(compilers.DEFAULTS)


def test_where_none_is_named_it_is_the_one_that_cmake_takes(make: Callable[..., str], tmp_path: Path) -> None:
    old, modern = GCC.format(9, 3), GCC.format(12, 2)
    make("c++", old)
    assert "is GCC 9.3.0" in compilers.complaint(on(tmp_path), {})
    make("CC", modern)
    assert not compilers.complaint(on(tmp_path), {})
    for name in ("CC", "c++"):
        (tmp_path / name).unlink()
    make("icpx", modern)
    make("clang++", old)
    assert not compilers.complaint(on(tmp_path), {})


def test_openmp_is_asked_for_before(make: Callable[..., str], tmp_path: Path) -> None:
    make("c++", CLANG.format(15, 0, 12), openmp=False)
    assert compilers.complaint(on(tmp_path), {}).endswith(
        "has no OpenMP here: install its library (Debian and Ubuntu: sudo apt-get install libomp-15-dev)"
    )


@pytest.mark.parametrize("name", ["g++", "clang++"])
def test_real_ones_are_known(name: str) -> None:
    words = shutil.which(name)
    if words is None:
        pytest.skip(f"{name} is not installed")
    compiler = compilers.ask([words])
    assert compiler.family == {"g++": "GCC", "clang++": "Clang"}[name]
    assert compiler.version == tools.version_of(words)[: len(compiler.version)]
    assert compiler.library is not None
    assert compiler.library >= compilers.OLDEST_LIBRARY


def test_set_up_stops_before_anything_is_built(make: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", make("g++-9", GCC.format(9, 3)))
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    with pytest.raises(tools.SetupError, match=r"is GCC 9\.3\.0"):
        setup.check_compiler()


def test_cmake_and_readers_are_told_the_same() -> None:
    cmake = (ROOT / "CMakeLists.txt").read_text()
    said = {name.replace("GNU", "GCC"): int(number) for name, number in re.findall(r"set\(oldest_(\w+) (\d+)\)", cmake)}
    assert said == compilers.OLDEST
    oldest = " or ".join(f"{family} {version}" for family, version in compilers.OLDEST.items())
    assert f"({oldest}, or newer)" in (ROOT / "README.md").read_text()
