"""The container tool that is chosen, and why others are not; tools are scripts. tests/test_containers.py runs real
ones.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.environment import container as module
from banzuke.environment import elf
from banzuke.environment.container import TOOLS, find
from banzuke.environment.registry import wanted
from banzuke.environment.testing import write_elf, write_root
from banzuke.environment.tools import APART
from banzuke.errors import BanzukeError
from banzuke.testing import machine

Add = Callable[..., None]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Put scripts under the names of tools on an otherwise empty PATH; the programs are copies of `true`."""
    folder, programs = tmp_path / "bin", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    shutil.copy(shutil.which("true") or "/bin/true", programs / "banzuke-stream-omp")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(programs))
    monkeypatch.setattr(module, "find_program", lambda *names: next(filter(None, map(shutil.which, names)), None))
    for name in ("ldd", "env", "bash", "sh", "cat"):
        (folder / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(folder))

    def add(name: str, text: str = "exit 0") -> None:
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)

    return add


def found(text: str, image: str = "") -> module.Container:
    return find(wanted(text, image), machine(), Path("/opt/banzuke"), dry_run=False)


def test_every_tool_and_its_reason_are_told(tools: Add) -> None:
    tools("bwrap", "echo bwrap: No permissions to create new namespace >&2; exit 1")
    tools("docker", "echo no daemon >&2; exit 1")
    with pytest.raises(BanzukeError) as caught:
        found("container")
    for name in TOOLS:
        assert f"{name}: " in caught.value.why
    assert "apptainer or singularity is not on PATH" in caught.value.why
    assert "No permissions to create new namespace" in caught.value.why
    assert "docker: needs --image" in caught.value.why


def test_the_next_tool_is_taken_when_one_does_not_work(tools: Add) -> None:
    tools("ch-run", "exit 3")
    tools("bwrap", '[ "$1" != --version ] || echo bubblewrap 9')
    taken = found("container")
    assert taken.details == {"tool": "bubblewrap", "tool_version": "bubblewrap 9", "image": module.OWN_ROOT}
    assert taken.name == "container"


def test_a_tool_that_needs_an_image_says_how_to_give_one(tools: Add) -> None:
    tools("docker")
    with pytest.raises(BanzukeError, match=r"with docker \(needs --image\)\. Add --image"):
        found("container:docker")


@pytest.mark.parametrize("name", ["bubblewrap", "bwrap"])
def test_only_the_tool_that_was_asked_for_is_taken(tools: Add, name: str) -> None:
    tools("ch-run")
    with pytest.raises(BanzukeError, match=r"with bubblewrap \(bwrap is not on PATH\)"):
        found(f"container:{name}")


def test_too_few_processors_are_said(tools: Add) -> None:
    tools("bwrap", "echo 'banzuke-stream-omp: cannot bind a thread to processor 3: Invalid argument' >&2; exit 2")
    with pytest.raises(BanzukeError, match=r"processor 3.*the container may use fewer processors"):
        found("container:bubblewrap")


def test_the_trial_binds_to_all_processors(tools: Add, tmp_path: Path) -> None:
    tools("bwrap", f'echo "$@" >> {tmp_path}/log')
    found("container:bubblewrap")
    assert "banzuke-stream-omp --trial --binding 0,1,2,3" in (tmp_path / "log").read_text()


def test_an_image_that_cannot_run_is_refused_before_any_tool(tools: Add, tmp_path: Path) -> None:
    tools("bwrap", f"touch {tmp_path}/ran")
    other = "x86_64" if os.uname().machine == "aarch64" else "aarch64"
    with pytest.raises(BanzukeError, match=f"is for {other}"):
        found("container", str(write_root(tmp_path / "root", other)))
    assert not (tmp_path / "ran").exists()


def test_no_programs_are_said(tools: Add, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tools("bwrap")
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    with pytest.raises(BanzukeError, match="no programs to run in a container"):
        found("container")


def test_links_count_as_the_image_has_them(tools: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "programs/banzuke-stream-omp"
    tools("podman", "echo abc 5 amd64")
    tools("bwrap")
    asked = wanted("container:podman", "localhost/image")
    link = tmp_path / "prefix"
    link.symlink_to("programs")
    monkeypatch.setattr(module, "_SHARED", tmp_path / "bin")
    words = find(asked, machine(), link, dry_run=False).inner([str(program)], {})
    assert f"type=bind,source={link},target={link},readonly" in words
    root = write_root(tmp_path / "root", os.uname().machine, "2.99")
    loader = elf.read(program)
    assert loader
    write_elf(root / loader.loader.lstrip("/"), os.uname().machine)
    (root / "prefix").symlink_to("/var/prefix")
    words = find(wanted("container:bubblewrap", str(root)), machine(), Path("/prefix"), dry_run=False).inner(
        [str(program)], {}
    )
    assert "--ro-bind /prefix /var/prefix" in " ".join(words)


def test_ranks_that_cannot_read_each_other_are_told(tools: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    tools("bwrap")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for name in APART:
        monkeypatch.delenv(name, raising=False)
    taken = found("container:bubblewrap")
    assert "copied twice" in taken.warning
    words = taken.inner(["/p"], {})
    assert words[: 1 + len(APART)] == ["env", *(f"{name}={value}" for name, value in APART.items())]
    monkeypatch.setenv("UCX_TLS", "rc")
    left = set(words[1 : 1 + len(APART)]) - {"UCX_TLS=^cma", "MV2_SMP_USE_CMA=0"}
    assert set(taken.inner(["/p"], {"MV2_SMP_USE_CMA": "1"})[1 : 1 + len(left)]) == left
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert found("container:bubblewrap").inner(["/p"], {})[0] != "env"


def test_the_folder_for_temporary_files_can_be_written(tools: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    tools("bwrap")
    monkeypatch.setenv("TMPDIR", "/var/tmp")
    words = found("container:bubblewrap").inner(["/p"], {})
    assert [words[i + 1] for i, word in enumerate(words) if word == "--bind"] == ["/tmp", "/var/tmp"]
    monkeypatch.setenv("TMPDIR", "/does/not/exist")
    assert "/does/not/exist" not in found("container:bubblewrap").inner(["/p"], {})
