"""Tests of `banzuke bundle`: its archive on nodes that have neither this checkout, nor a network, nor a compiler."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.bundle import contents, dynamic
from banzuke.environment.libraries import LIBC
from banzuke.errors import BanzukeError
from banzuke.program import installed as programs_of
from banzuke.results.store import Store
from tests.conftest import SCRIPTS, SMALL, Result
from tests.namespaces import missing_tools, tool
from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent
BASE = Path(sys.executable).resolve().parent.parent
"""Folder of the interpreter from which this environment was made."""
QUICK = ("--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=20")
NEEDED = ("sh", "readlink", "uname", "getconf", "cut", "sort", "tail", "env", "ldd", "sha256sum")
"""Programs on a node's PATH: no compiler, no Python, no MPI."""

if missing := missing_tools(["unshare", "mount", "ip"]):
    pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)


def bundled(*words: str | Path, **variables: str) -> Result:
    """Run `banzuke bundle` of the installation, whose programs no test has replaced."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BANZUKE_")} | variables
    command = [SCRIPTS / "banzuke", "bundle", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suffix = "zst" if shutil.which("zstd") else "gz"
    path = tmp_path_factory.mktemp("archive") / f"bundle.tar.{suffix}"
    done = bundled(path)
    assert done.returncode == 0, done.stderr
    assert "glibc" in done.stdout
    assert [*path.parent.iterdir()] == [path]
    return path


@pytest.fixture(scope="module")
def home(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where it was unpacked."""
    folder = tmp_path_factory.mktemp("another place")
    subprocess.run(["tar", "xf", archive, "-C", folder], check=True)
    (top,) = folder.iterdir()
    return top


@pytest.fixture
def node_path(tmp_path: Path) -> Path:
    folder = tmp_path / "node-bin"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(shutil.which(name) or f"/no/{name}")
    return folder


def replaced(folder: Path, name: str, said: str) -> None:
    """Replace the node's program of this name by one with this output."""
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho {shlex.quote(said)}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def on_node(home: Path, node_path: Path, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that runs a program of the read-only bundle, without network and with its sources hidden.

    The node's own Python is visible only if it is the system's, whose folder also has other files of this machine.
    """
    empty = tmp_path / "empty"
    empty.mkdir()
    hidden = [ROOT, *([] if BASE in {Path("/usr"), Path("/usr/local")} else [BASE])]
    covers = [f"mount --bind {shlex.quote(str(empty))} {shlex.quote(str(folder))}" for folder in hidden]
    place = shlex.quote(str(home))
    covers += [f"mount --bind {place} {place}", f"mount -o remount,bind,ro {place}", f"{tool('ip')} link set lo up"]
    variables = {"PATH": str(node_path), "HOME": str(tmp_path), "PYTHONPATH": "/no/such", "PYTHONHOME": "/no/such"}
    variables["BANZUKE_WAIT"] = "0"

    def call(*words: str | Path, **further: str) -> Result:
        inner = shlex.join(["env", "-i", *(f"{key}={value}" for key, value in (variables | further).items())])
        script = " && ".join([*covers, f'exec {inner} "$0" "$@"'])
        command = ["unshare", "--mount", "--net", "sh", "-c", script, home / words[0], *words[1:]]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)

    return call


def test_it_runs_where_nothing_of_what_it_was_made_from_is_left(
    on_node: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    done = on_node("check")
    assert done.returncode == 0, done.stderr
    assert "Usage: banzuke [OPTIONS]" in on_node("bin/banzuke", "--help").stdout
    done = on_node("bin/banzuke", "run", "stream", *SMALL, "--results", "results")
    assert done.returncode == 0, done.stderr
    done = on_node("bin/banzuke", "run", "pt2pt", *QUICK, "--results", "results")
    assert done.returncode == 0, done.stderr
    run = Store(tmp_path / "results").find("last")
    records = run.read().records
    assert records
    for record in records:
        assert record.status == "ok"
        assert record.provenance
        assert record.provenance.command[0] == str(home / "bin" / "mpiexec")


def test_python_there_loads_nothing_of_the_node_but_glibc(on_node: Callable[..., Result], home: Path) -> None:
    code = """
import ctypes, ssl, sqlite3, bz2, lzma, numpy, scipy.special, duckdb, vl_convert, pydantic
for line in open("/proc/self/maps"):
    if ".so" in line: print(line.split(maxsplit=5)[5].strip())
"""
    done = on_node("bin/python3", "-c", code)
    assert done.returncode == 0, done.stderr
    files = {Path(line) for line in done.stdout.splitlines()}
    assert any(file.is_relative_to(home) for file in files)
    assert not [file for file in files if not file.is_relative_to(home) and not LIBC.fullmatch(file.name)]


def test_what_python_starts_gets_its_variables_as_they_were(on_node: Callable[..., Result], home: Path) -> None:
    code = "import os, subprocess, sys; print(sys.executable); sys.stdout.flush(); subprocess.run(['env'])"
    first, *variables = on_node("bin/python3", "-c", code).stdout.splitlines()
    assert first == str(home / "bin" / "python3")
    assert "PYTHONPATH=/no/such" in variables
    assert "PYTHONHOME=/no/such" in variables
    assert [line for line in variables if line.startswith(("LD_LIBRARY_PATH", "BANZUKE_"))] == ["BANZUKE_WAIT=0"]


def test_it_is_the_installation_that_it_was_made_from(on_node: Callable[..., Result], home: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BANZUKE_")}
    version = subprocess.run(
        [SCRIPTS / "banzuke", "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert on_node("bin/banzuke", "--version").stdout == version.stdout
    assert f"banzuke {json.loads((home / 'bundle.json').read_text())['installation']}\n" == version.stdout


@pytest.mark.thorough
def test_two_bundles_of_one_installation_are_equal(archive: Path, tmp_path: Path) -> None:
    other = tmp_path / f"other{''.join(archive.suffixes)}"
    assert bundled(other, PYTHONHASHSEED="1", TZ="Asia/Tokyo").returncode == 0
    assert other.read_bytes() == archive.read_bytes()


def test_no_path_of_this_machine_is_in_what_is_used(home: Path) -> None:
    ours = {str(ROOT), sys.prefix, str(BASE)} - {"/usr", "/usr/local"}
    searched = 0
    for file in filter(Path.is_file, home.rglob("*")):
        content = file.read_bytes()
        if linked := dynamic.read(content):
            searched += 1
            entries = [entry for entry in linked.search.split(":") if entry]
            assert all(entry.startswith("$ORIGIN") for entry in entries), file
        assert str(ROOT).encode() not in content, file
        if content.startswith(b"#!") or file.suffix == ".pth":
            assert not any(path.encode() in content for path in ours), file
    assert searched > 20
    assert not [*home.rglob("direct_url.json"), *home.rglob("RECORD"), *home.rglob("*.pyc")]
    assert not [file for file in home.rglob("*") if file.is_symlink()]
    assert not [*home.rglob("libmkl*"), *(home / "packages" / "banzuke").rglob("test_*")]


def test_search_paths_are_read_and_written_as_readelf_reads_them(tmp_path: Path) -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("not installed: readelf")
    program = SCRIPTS / "banzuke-pt2pt-mpi"
    content = program.read_bytes()
    before = dynamic.read(content)
    assert before

    def listed(file: Path) -> tuple[list[str], list[str]]:
        lines = subprocess.run([readelf, "-Wd", file], capture_output=True, text=True, check=True).stdout.splitlines()
        inner = [(line.partition(")")[0].rpartition("(")[2], line.partition("[")[2].rstrip("]")) for line in lines]
        return [text for tag, text in inner if tag == "NEEDED"], [text for tag, text in inner if tag == "RUNPATH"]

    assert listed(program) == ([*before.needed], [before.search])
    changed = tmp_path / program.name
    for wanted in (["$ORIGIN/../lib"], []):
        changed.write_bytes(dynamic.with_search(content, wanted.__contains__))
        assert listed(changed) == ([*before.needed], [":".join(wanted)])
        assert changed.stat().st_size == program.stat().st_size


def test_a_damaged_file_and_a_missing_one_are_named(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(home, copy, copy_function=os.link)
    damaged = copy / "bin" / "banzuke-stream-omp"
    content = bytearray(damaged.read_bytes())
    content[4096:4103] = b"damaged"
    damaged.unlink()  # and the other copy stays whole
    damaged.write_bytes(content)
    (copy / "packages" / "rich" / "text.py").unlink()
    done = subprocess.run([copy / "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "bin/banzuke-stream-omp: FAILED" in done.stderr
    assert "packages/rich/text.py" in done.stderr
    assert "is damaged" in done.stderr
    done = subprocess.run([copy / "bin" / "banzuke", "--version"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "this bundle is incomplete: No module named 'rich.text'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_truncated_archive_does_not_unpack_as_if_whole(archive: Path, tmp_path: Path) -> None:
    part = tmp_path / archive.name
    part.write_bytes(archive.read_bytes()[:-1000])
    assert subprocess.run(["tar", "xf", part, "-C", tmp_path], capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize(
    ("program", "says", "complaint"),
    [
        ("getconf", "glibc 2.17", "this node has 2.17"),
        ("uname", "riscv64", "this node is riscv64"),
    ],
)
def test_a_node_of_another_kind_is_refused(
    on_node: Callable[..., Result], node_path: Path, program: str, says: str, complaint: str
) -> None:
    replaced(node_path, program, says)
    done = on_node("bin/banzuke", "--version")
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_newer_glibc_is_accepted(on_node: Callable[..., Result], node_path: Path) -> None:
    replaced(node_path, "getconf", "glibc 2.100")
    assert on_node("bin/banzuke", "--version").returncode == 0


@pytest.mark.thorough  # makes two more bundles
def test_without_python_the_nodes_own_is_used_where_its_version_fits(
    tmp_path: Path, node_path: Path, archive: Path
) -> None:
    path = tmp_path / f"without{''.join(archive.suffixes)}"
    done = bundled(path, "--without-python")
    assert done.returncode == 0, done.stderr
    assert path.stat().st_size < archive.stat().st_size
    subprocess.run(["tar", "xf", path, "-C", tmp_path], check=True)
    (home,) = tmp_path.glob("banzuke-*")
    assert not (home / "python").exists()
    start = [str(home / "bin" / "banzuke"), "--version"]
    replaced(node_path, "python3", "Python 3.9.2")
    done = subprocess.run(start, env={"PATH": str(node_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"compiled for {contents.interpreter()}" in done.stderr
    assert "Python 3.9.2" in done.stderr
    (node_path / "python3").unlink()
    (node_path / "python3").symlink_to(Path(sys.executable).resolve())
    others = tmp_path / "others"  # others can write modules here that Python might import
    others.mkdir()
    for name in ("sysconfig", "json", "banzuke"):
        (others / f"{name}.py").write_text("raise SystemExit(3)")
    environment = {"PATH": str(node_path)}
    done = subprocess.run(start, env=environment, cwd=others, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:8]) == (0, "banzuke "), done.stderr


@pytest.mark.parametrize("name", ["a:b", "a;b", "$LIB"])
def test_a_folder_that_a_search_path_cannot_name_is_refused(name: str, home: Path, tmp_path: Path) -> None:
    """A name after the colon would be looked for in the current folder, in which others may write."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "bin").mkdir()
    copy = shutil.copy(home / "bin" / "python3", tmp_path / name / "bin")
    done = subprocess.run([copy, "-c", ""], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Move it to another one" in done.stderr


def test_an_interrupted_bundle_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bundle.tar.gz"
    path.write_text("the one before")
    with subprocess.Popen([SCRIPTS / "banzuke", "bundle", path], stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + PATIENCE
        while not any(file.stat().st_size > 1 << 20 for file in tmp_path.glob(".bundle*")):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode not in {0, 1, 2}
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_text() == "the one before"


@pytest.mark.parametrize("suffix", [pytest.param(".tar.gz", marks=pytest.mark.thorough), ".tar.zst"])
def test_a_full_file_system_is_told_and_nothing_is_left(suffix: str, tmp_path: Path) -> None:
    if suffix == ".tar.zst" and not shutil.which("zstd"):
        pytest.skip("not installed: zstd")
    bundle = shlex.join([str(SCRIPTS / "banzuke"), "bundle", f"bundle{suffix}"])
    script = (
        f"mount -t tmpfs -o size=4m none {shlex.quote(str(tmp_path))} && cd {shlex.quote(str(tmp_path))} && {bundle}"
    )
    command = ["unshare", "--mount", "sh", "-c", f"{script}; echo status $?; ls -A"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["status", "2"], done.stderr
    assert f"cannot write bundle{suffix}" in done.stderr
    assert "No space left on device" in done.stderr


def test_an_mpi_of_the_site_is_named_and_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Path(sys.prefix) / "lib" / "libmpi.so.12"
    if not library.is_file():
        pytest.skip("not installed: MPICH of PyPI")
    monkeypatch.setattr(paths, "prefix", lambda: tmp_path)  # so that PyPI's is outside the installation
    gathered = contents.gather([], python=False)
    assert gathered.left == {"libmpi.so.12": library}
    assert not [place for place in gathered.files if "libmpi" in place or "hydra" in place or "mpich" in place]
    assert "bin/banzuke-pt2pt-mpi" in gathered.files


def test_further_builds_come_along_and_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libexec = tmp_path / "bin"
    further = tmp_path / "lib" / "banzuke" / "builds" / "fast"
    for folder in (libexec, further / "bin"):
        folder.mkdir(parents=True)
        shutil.copy(SCRIPTS / "banzuke-stream-omp", folder)
    (further / "build.json").write_text(json.dumps({"compiler": "GNU"}))
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(libexec))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(paths.prefix() / "lib"))  # the programs were moved from there
    gathered = contents.gather(programs_of.builds(), python=False)
    assert {"bin/banzuke-stream-omp", "lib/banzuke/builds/fast/bin/banzuke-stream-omp"} <= gathered.files.keys()
    assert "lib/banzuke/builds/fast/build.json" in gathered.files
    done = bundled(tmp_path / "x.tar.gz", "--build", "fost")
    assert done.returncode == 2
    assert "there is no build 'fost'" in done.stderr


@pytest.mark.parametrize(("name", "complaint"), [("bundle.zip", "names no archive"), ("folder.tar.gz", "is a folder")])
def test_a_name_that_cannot_be_is_refused(name: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "folder.tar.gz").mkdir()
    done = bundled(tmp_path / name)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_library_of_a_python_package_needs_what_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AOCL's library has no path to its OpenMP library, so that the loader looks for that beside the programs."""
    folder = tmp_path / "some.libs"
    folder.mkdir()
    build = ["cc", "-shared", "-nostdlib", "-xc", "/dev/null", f"-L{folder}"]
    subprocess.run([*build, "-o", folder / "libinner-1.so"], check=True)
    subprocess.run([*build, "-Wl,--no-as-needed", "-linner-1", "-o", folder / "libouter-1.so"], check=True)
    gathered = contents.Contents()
    with pytest.raises(BanzukeError, match=r"needs libinner-1\.so, which is not found"):
        contents.add_needed(folder / "libouter-1.so", gathered)
    monkeypatch.setattr(contents, "packages", lambda: tmp_path)
    contents.add_needed(folder / "libouter-1.so", gathered)
    assert gathered.files.keys() == {"packages/some.libs/libinner-1.so"}
