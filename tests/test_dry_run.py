"""Tests that `--dry-run` writes nothing, whatever the environment of the cases."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from banzuke.environment.tools import find_program
from tests.conftest import SMALL, Banzuke

TOOLS = {"bubblewrap": "bwrap", "charliecloud": "ch-run", "runc": "runc", "podman": "podman"}
CASE = ("run", "stream", *SMALL)
HOSTS = ",".join(f"host-with-a-long-name-{number:03}" for number in range(300))
"""More hosts than fit on a command line."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that holds all folders in which a run may write."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "vmlinuz").touch()  # enough, because none is booted
    monkeypatch.setenv("BANZUKE_GUEST_KERNEL", str(tmp_path / "vmlinuz"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def image(home: Path) -> Path:
    """Return a root filesystem with a C library."""
    root = home / "image"
    for file in ("/bin/sh", *loaded("/bin/sh"), *loaded("/usr/bin/env")):
        (root / file.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root / file.lstrip("/"))
    return root


def loaded(program: str) -> list[str]:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [word for word in listed.split() if word.startswith("/")]


def listing(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in (folder, *folder.rglob("*"))}


def installed(*names: str) -> None:
    programs = TOOLS | {"qemu": f"qemu-system-{os.uname().machine}"}
    if missing := [name for name in names if not find_program(programs[name])]:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "pt2pt", "--hosts", HOSTS, "--placement", "other-node"),
        ("run", "hpl", "--tune"),
        ("evaluate", "--only", "stream"),
    ],
    ids=["hosts", "tune", "evaluate"],
)
def test_nothing_is_written(banzuke: Banzuke, home: Path, words: tuple[str, ...]) -> None:
    before = listing(home)
    done = banzuke(*words, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert listing(home) == before


@pytest.mark.parametrize("words", [CASE, ("evaluate", "--only", "stream")], ids=["run", "evaluate"])
def test_as_json_it_is_one_document(banzuke: Banzuke, home: Path, words: tuple[str, ...]) -> None:
    before = listing(home)
    done = banzuke(*words, "--dry-run", "--json")
    document = json.loads(done.stdout)
    assert all("banzuke-stream-omp --n" in command for command in document["commands"])
    assert document["commands"]
    assert document["seconds"] > 0
    assert document["memory"] > 0
    assert listing(home) == before


@pytest.mark.parametrize("with_image", [True, False], ids=["image", "host"])
def test_nothing_is_written_for_an_environment(banzuke: Banzuke, home: Path, image: Path, *, with_image: bool) -> None:
    tools = [tool for tool in TOOLS if with_image or tool != "podman"]
    installed(*tools, "qemu")
    environments = ["native", "isolated", "vm", *(f"container:{tool}" for tool in tools)]
    words = [*CASE, "--environment", ",".join(environments), *(["--image", image] if with_image else [])]
    before = listing(home)
    done = banzuke(*words, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("banzuke-stream-omp --n") == len(environments)
    assert listing(home) == before


@pytest.mark.parametrize("environment", ["container", "vm"])
def test_an_archive_is_not_unpacked(banzuke: Banzuke, home: Path, image: Path, environment: str) -> None:
    installed("bubblewrap", "qemu")
    with tarfile.open(home / "image.tar.gz", "w:gz") as tar:
        tar.add(image, arcname=".")
    before = listing(home)
    done = banzuke(*CASE, "--environment", environment, "--image", home / "image.tar.gz", "--dry-run")
    assert done.returncode == 2, done.stdout
    assert "is not unpacked yet" in " ".join(done.stderr.split())
    assert listing(home) == before


def test_a_definition_is_not_built(banzuke: Banzuke, home: Path, image: Path) -> None:
    installed("podman")
    (image / "Containerfile").write_text("FROM scratch\n")
    before = listing(home)
    file = image / "Containerfile"
    done = banzuke(*CASE, "--environment", "container:podman", "--image", file, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "localhost/banzuke:" in done.stdout
    assert listing(home) == before
