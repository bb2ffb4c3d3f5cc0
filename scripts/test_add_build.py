"""Tests of further builds, which are installed completely or not at all; a small project stands for Banzuke's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import add_build, devices
from scripts.add_build import Request, add, find_mpi, install
from scripts.tools import SetupError

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
file(GENERATE OUTPUT banzuke-small-omp CONTENT [[#!/bin/sh
echo '{"compiler": "c", "flags": "${CMAKE_CXX_FLAGS}", "mpi": "none", "mpi_name": "none"}'
]] FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
add_custom_target(programs COMMAND ${CMAKE_COMMAND} -E echo made)
install(PROGRAMS ${CMAKE_BINARY_DIR}/banzuke-small-omp DESTINATION bin)
"""
PROGRAM = """#!/bin/sh
echo '{"compiler": "GNU 1", "flags": "-O3", "mpi": "/opt/lib/libmpi.so", "mpi_name": "mpich"}'
"""


def library(folder: Path, *, lib: str = "lib") -> Path:
    for file in (f"{lib}/libmpi.so", "include/mpi.h"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    return folder


def made(folder: Path, program: str = PROGRAM) -> Path:
    """Return a folder with a program."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/banzuke-small-omp").write_text(program)
    (folder / "bin/banzuke-small-omp").chmod(0o755)
    return folder


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where builds are installed; CMake works beside it."""
    monkeypatch.setattr(add_build, "ROOT", tmp_path)
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    return tmp_path / "prefix"


def installed(prefix: Path) -> list[str]:
    return sorted(path.name for path in (prefix / "lib/banzuke/builds").iterdir())


@pytest.mark.parametrize("lib", ["lib", "lib64", "lib/release"])
def test_the_mpi_is_found_where_vendors_put_it(tmp_path: Path, lib: str) -> None:
    folder = library(tmp_path / "an mpi", lib=lib)
    assert f"-DMPI_mpi_LIBRARY={folder / lib / 'libmpi.so'}" in find_mpi(str(folder))


def test_elsewhere_its_compiler_is_asked(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mpicxx").touch()
    assert find_mpi(str(tmp_path)) == [f"-DMPI_HOME={tmp_path}"]


def test_a_folder_without_mpi_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="holds no MPI"):
        find_mpi(str(tmp_path))
    with pytest.raises(SetupError, match="no such folder"):
        find_mpi(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", ["", "default", "Fast", "Open MPI", "../x", "a/b", "-x", "x;y", "a,b", "a" * 41])
def test_names_that_are_taken_or_no_names_are_refused(name: str) -> None:
    with pytest.raises(SetupError, match="NAME="):
        Request(name).arguments()


def test_a_compiler_that_is_not_there_is_refused() -> None:
    with pytest.raises(SetupError, match="CXX=no-such-compiler: there is no such compiler"):
        Request("fast", compiler="no-such-compiler").arguments()


def test_what_is_asked_for_is_what_cmake_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMAKE_ARGS", "-DA='b c'")
    asked = Request("fast", sys.executable, "-O2 -g", str(library(tmp_path))).arguments()
    assert {"-DBANZUKE_MPI=ON", f"-DCMAKE_CXX_COMPILER={sys.executable}", "-DCMAKE_CXX_FLAGS=-O2 -g", "-DA=b c"} < {
        *asked
    }
    assert f"-DMPI_CXX_HEADER_DIR={tmp_path / 'include'}" in asked
    assert asked.index("-DA=b c") == 0, "what is asked for comes last, which is what counts"


def test_a_build_is_installed_with_what_its_programs_say(tmp_path: Path, prefix: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(PROJECT.replace("${CMAKE_CXX_FLAGS}", "-O2 -g"))
    add(Request("fast", flags="-O2 -g"), prefix, project)
    assert installed(prefix) == ["fast"]
    said = json.loads((prefix / "lib/banzuke/builds/fast/build.json").read_text())
    assert (said["flags"], said["mpi_name"], said["date"][:2]) == ("-O2 -g", "none", "20")
    cache = (tmp_path / "build/builds/fast/CMakeCache.txt").read_text()
    assert "CMAKE_CXX_FLAGS:UNINITIALIZED=-O2 -g" in cache or "CMAKE_CXX_FLAGS:STRING=-O2 -g" in cache


def test_a_build_that_fails_keeps_its_log_and_leaves_what_was_there(tmp_path: Path, prefix: Path) -> None:
    install("fast", made(tmp_path / "made"), prefix)
    before = (prefix / "lib/banzuke/builds/fast/build.json").read_text()
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(PROJECT + "message(FATAL_ERROR sun-shone)")
    with pytest.raises(SetupError) as refused:
        add(Request("fast"), prefix, project)
    log = tmp_path / "build/builds/fast/build.log"
    assert str(log) in str(refused.value)
    assert "sun-shone" in log.read_text()
    assert installed(prefix) == ["fast"]
    assert (prefix / "lib/banzuke/builds/fast/build.json").read_text() == before


def test_a_build_that_failed_is_continued(tmp_path: Path, prefix: Path) -> None:
    """Its objects are reused; with other flags all is compiled again."""
    project = tmp_path / "project"
    project.mkdir()
    sources = "add_library(parts OBJECT good.cpp bad.cpp)\nadd_dependencies(programs parts)\n"
    (project / "CMakeLists.txt").write_text(PROJECT + sources)
    (project / "good.cpp").write_text("int good;\n")
    (project / "bad.cpp").write_text("int bad\n")
    with pytest.raises(SetupError, match="expected"):
        add(Request("fast"), prefix, project)
    [made] = (tmp_path / "build/builds/fast").rglob("good.cpp.o")
    before = made.stat().st_mtime_ns
    (project / "bad.cpp").write_text("int bad;\n")
    add(Request("fast"), prefix, project)
    assert made.stat().st_mtime_ns == before
    assert installed(prefix) == ["fast"]
    add(Request("fast", flags="-O1"), prefix, project)
    assert made.stat().st_mtime_ns > before


def test_a_program_for_devices_that_does_not_build_is_left_out(
    tmp_path: Path, prefix: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BANZUKE_CUDA", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    sources = """
add_library(parts OBJECT good.cpp)
add_dependencies(programs parts)
if(BANZUKE_CUDA)
  add_library(small-cuda OBJECT bad.cpp)
  add_dependencies(programs small-cuda)
endif()
"""
    (project / "CMakeLists.txt").write_text(PROJECT + sources)
    (project / "good.cpp").write_text("int good;\n")
    (project / "bad.cpp").write_text("int bad\n")
    monkeypatch.setenv("CMAKE_ARGS", "-DBANZUKE_CUDA=ON")
    monkeypatch.setattr(devices, "build_arguments", lambda *_: [])
    add(Request("fast"), prefix, project)
    assert installed(prefix) == ["fast"]
    log = tmp_path / "build/builds/fast/build-banzuke_cuda.log"
    assert (
        f"WARNING: programs of BANZUKE_CUDA do not build here and are left out; why: {log}" in capsys.readouterr().out
    )
    assert "bad.cpp" in log.read_text()
    monkeypatch.setenv("BANZUKE_CUDA", "on")
    with pytest.raises(SetupError, match="expected"):
        add(Request("fast"), prefix, project)


@pytest.mark.parametrize(
    ("program", "why"),
    [("#!/bin/sh\necho no library >&2; exit 127\n", "no library"), ("#!/bin/sh\necho words\n", "Expecting value")],
)
def test_a_build_whose_programs_do_not_start_is_not_installed(
    tmp_path: Path, prefix: Path, program: str, why: str
) -> None:
    install("fast", made(tmp_path / "good"), prefix)
    with pytest.raises(SetupError, match=f"banzuke-small-omp was built, but cannot be started: {why}"):
        install("fast", made(tmp_path / "bad", program), prefix)
    assert (prefix / "lib/banzuke/builds/fast/bin/banzuke-small-omp").read_text() == PROGRAM
    with pytest.raises(SetupError, match="no program was built"):
        install("fast", tmp_path / "empty", prefix)
    assert installed(prefix) == ["fast"]


def test_a_newer_build_takes_the_place_of_the_older(tmp_path: Path, prefix: Path) -> None:
    install("fast", made(tmp_path / "first"), prefix)
    install("fast", made(tmp_path / "second", PROGRAM.replace("-O3", "-O2")), prefix)
    assert json.loads((prefix / "lib/banzuke/builds/fast/build.json").read_text())["flags"] == "-O2"
    assert installed(prefix) == ["fast"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["NAME=other", "MPI=/no/such/folder"], "MPI=/no/such/folder: there is no such folder"),
        (["NAME=other", "CXX=no-such-compiler"], "CXX=no-such-compiler: there is no such compiler"),
        (["NAME=default"], "NAME=default: use"),
        (['NAME=it\'s "fast"; echo `id` >&2'], 'NAME=it\'s "fast"; echo `id` >&2: use'),
        (["CXXFLAGS=-DA=\"b c\" -DD='e'", 'CXX=no "such', "NAME=other"], 'CXX=no "such: there is no such compiler'),
        ([], "NAME is missing"),
    ],
)
def test_make_refuses_before_anything_is_built(words: list[str], said: str) -> None:
    root = Path(add_build.__file__).parent.parent
    environment = {name: value for name, value in os.environ.items() if name not in ("CXX", "CXXFLAGS", "MPI", "NAME")}
    done = subprocess.run(
        ["make", "build", *words],
        cwd=root,
        env={**environment, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
