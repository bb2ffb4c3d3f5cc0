import os
import shutil
from pathlib import Path

import pytest

from banzuke.environment import elf, libraries
from banzuke.environment.libraries import NOTHING, bring, gathered, needs, own
from banzuke.errors import BanzukeError
from banzuke.files.own import cache_folder

SHELL = Path(shutil.which("sh") or "/bin/sh")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    "folder", ["/", "/usr", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/bin", "/etc", "/tmp", "/dev/shm"]
)
def test_what_images_have_theirs_of_is_not_shown(folder: str) -> None:
    assert not own(Path(folder))


@pytest.mark.parametrize("folder", ["/opt/banzuke", "/home/me", "/scratch/project/.venv/lib", "/usr/local/cuda/lib64"])
def test_what_is_ours_is_shown(folder: str) -> None:
    assert own(Path(folder))


def test_a_program_of_the_system_is_supplied_and_its_libc_is_not() -> None:
    needed = needs([SHELL])
    assert SHELL.name in needed.supply
    assert not any(name.startswith(("libc.", "ld-linux", "libm.")) for name in needed.supply)
    assert needed.libc >= (2, 2)


def test_a_whole_installation_is_shown(tmp_path: Path) -> None:
    for name in ("bin/program", "share/x"):
        (tmp_path / "prefix" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SHELL, tmp_path / "prefix" / name)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/program").symlink_to(tmp_path / "prefix/bin/program")
    assert needs([tmp_path / "links/program"]).folders >= {tmp_path / "links", tmp_path / "prefix"}


def test_libraries_are_sought_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "mpi/2021.13"
    asked: list[list[str]] = []

    def ldd(words: list[str], **_: float) -> str:
        asked.append(words)
        return f"\tlibmpi.so.12 => {home}/lib/release/libmpi.so.12 (0x00007f)\n\tlibc.so.6 => /lib/libc.so.6 (0x01)\n"

    monkeypatch.setattr(libraries, "output", ldd)
    needed = needs([tmp_path / "program"], f"{home}/lib/release")
    assert asked == [["env", f"LD_LIBRARY_PATH={home}/lib/release", "ldd", str(tmp_path / "program")]]
    assert needed.folders == {home, tmp_path}
    assert needed.supply == {}


def test_libraries_are_gathered_once_and_anew_when_they_change(tmp_path: Path, cache: Path) -> None:
    file = tmp_path / "liba.so.1"
    file.write_text("one")
    first = gathered({"liba.so": file})
    assert (first / "liba.so").read_text() == "one"
    assert gathered({"liba.so": file}) == first
    file.write_text("three")
    assert gathered({"liba.so": file}) != first
    assert not list(cache.rglob(".making*"))


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(BanzukeError, match="Set XDG_CACHE_HOME"):
        cache_folder()


def test_a_library_of_the_system_moves_with_its_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    system = tmp_path / "system"
    system.mkdir()
    shutil.copy(SHELL, system / "libreal.so.0")
    (system / "libblas.so.3").symlink_to("libreal.so.0")
    monkeypatch.setattr(libraries, "_SYSTEM", (system,))
    words = ["mpiexec", "-n", "2", str(SHELL), "-c"]
    variables = {"BANZUKE_BLAS": str(system / "libblas.so.3"), "LD_LIBRARY_PATH": "/mine"}
    brought = bring(words, variables, needs([SHELL]))
    moved = Path(brought.variables["BANZUKE_BLAS"])
    assert moved.name == "libblas.so.3"
    assert moved.parent in brought.folders
    assert elf.read(moved) == elf.read(SHELL)
    assert brought.variables["LD_LIBRARY_PATH"] == f"/mine:{moved.parent}"
    assert brought.words == [*words[:3], str(moved.parent / SHELL.name), "-c"]


def test_files_that_a_command_names_are_shown(tmp_path: Path) -> None:
    data = tmp_path / "da ta"
    data.mkdir()
    (data / "it's.mtx").touch()
    words = [str(SHELL), "--file", str(data / "it's.mtx"), f"--other={tmp_path}", "--n", "5", "/etc", "/", "/x" * 3000]
    shown = bring(words, {}, NOTHING).folders
    assert {data, tmp_path} <= set(shown)
    assert not {Path("/etc"), Path("/")} & set(shown)


def test_of_a_shared_folder_the_file_alone_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "_SHARED", {tmp_path})
    (tmp_path / "a.mtx").touch()
    shutil.copy(SHELL, tmp_path / "mpiexec")
    shown = bring([str(tmp_path / "mpiexec"), f"--file={tmp_path / 'a.mtx'}"], {}, NOTHING).folders
    assert tmp_path / "a.mtx" in shown
    assert not {tmp_path, tmp_path / "mpiexec"} & set(shown)  # the image has its own


def test_a_removed_variable_stays_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    brought = bring([str(SHELL)], {"LD_LIBRARY_PATH": ""}, NOTHING)
    assert brought.variables["LD_LIBRARY_PATH"].count(":") == 0
    assert os.path.isabs(brought.variables["LD_LIBRARY_PATH"])  # noqa: PTH117
