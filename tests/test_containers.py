"""Tests of real containers: an image made of this system's C library, MPI started outside, figures verified inside."""

import json
import os
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from banzuke.environment import elf
from banzuke.environment.tools import find_program
from banzuke.machine.blas import candidates
from tests.conftest import SCRIPTS, Banzuke, Result, installed, wait_for
from tests.patience import PATIENCE

PROGRAMS = {"bubblewrap": "bwrap", "charliecloud": "ch-run", "runc": "runc", "podman": "podman"}
"""Tools that are tested; crun refuses hybrid cgroups, and Docker needs a daemon."""
LIBC = ("libc.so.6", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")
MESSAGES = ("run", "pt2pt", "--set", "test=latency", "--set", "iterations=5", "--set", "max_size=1048576")
NUMBER = str(80_000_000 + os.getpid() % 1_000_000)
"""Size of an array by which this test's processes are recognised, also beside another run of the tests."""


@pytest.fixture
def banzuke(results: Path) -> Banzuke:
    """Return the command with the installation's own programs, because other folders do not exist inside."""
    return installed(results)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root filesystem with a shell and a C library, and nothing else."""
    root = tmp_path_factory.mktemp("images") / "an image's root"
    shell = elf.read(Path("/bin/sh"))
    assert shell
    listed = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True).stdout
    libraries = next(Path(line.split()[2]).parent for line in listed.splitlines() if "libc.so.6 =>" in line)
    wanted = [Path("/bin/sh"), Path(shell.loader), *(libraries / name for name in LIBC if (libraries / name).exists())]
    for file in wanted:
        target = root / file.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    (root / "etc").mkdir()
    return root


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def there(*tools: str) -> None:
    missing = [tool for tool in tools if not find_program(PROGRAMS[tool])]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def records(done: Result) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stdout + done.stderr
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    assert [(record["status"], record["reason"]) for record in records] == [("ok", None)] * len(records)
    assert all(check["passed"] for record in records for check in record["verification"])
    return records


def content(root: Path) -> list[tuple[Path, float]]:
    return sorted((path, path.lstat().st_mtime) for path in root.rglob("*"))


def named(tools: Iterable[str]) -> str:
    return ",".join(f"container:{tool}" for tool in tools)


def test_ranks_in_containers_reach_each_other(banzuke: Banzuke, image: Path) -> None:
    there(*PROGRAMS)
    before = content(image)
    launches = records(banzuke(*MESSAGES, "--environment", named(PROGRAMS), "--image", image, "--json"))
    assert [record["groups"][0]["ranks"] for record in launches] == [2] * len(PROGRAMS)
    for tool, record in zip(PROGRAMS, launches, strict=True):
        provenance = record["provenance"]
        assert (provenance["environment"], provenance["image"]) == (f"container:{tool}", str(image))
        assert provenance["environment_details"]["tool"] == tool
    assert content(image) == before


def test_without_an_image_the_host_is_its_own(banzuke: Banzuke) -> None:
    tools = ("bubblewrap", "charliecloud", "runc")
    there(*tools)
    for record in records(banzuke(*MESSAGES, "--environment", named(tools), "--json")):
        assert record["provenance"]["environment_details"]["image"] == "the root of the host, read-only"


def test_the_same_programs_run_in_each_environment(banzuke: Banzuke, image: Path) -> None:
    """HPL loads its BLAS library inside."""
    there("bubblewrap", "podman")
    places = f"native,{named(['bubblewrap', 'podman'])}"
    case = ("--ranks", "2", "--threads", "1", "--set", "n=400", "--environment", places, "--image", image, "--json")
    launches = records(banzuke("run", "hpl", *case, "--blas", candidates()[0].path))
    assert [record["provenance"]["environment"] for record in launches] == places.split(",")
    assert all(record["groups"][0]["software"] == launches[0]["groups"][0]["software"] for record in launches)
    assert all(record["groups"][0]["binding"] == launches[0]["groups"][0]["binding"] for record in launches)


@pytest.mark.thorough  # 17 s; the same programs run in each environment above
def test_an_archive_is_unpacked_once(banzuke: Banzuke, image: Path, tmp_path: Path) -> None:
    there("bubblewrap")
    archive = tmp_path / "an image's archive.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(image, arcname=".")
    for _ in range(2):
        (record,) = records(banzuke(*MESSAGES, "--environment", "container:bubblewrap", "--image", archive, "--json"))
        assert record["provenance"]["environment_details"]["image_digest"].startswith("sha256:")
    assert len(list((tmp_path / "cache/banzuke").glob("image-*"))) == 1


def test_a_definition_is_built(banzuke: Banzuke, image: Path, tmp_path: Path) -> None:
    there("podman")
    folder = tmp_path / "context"
    folder.mkdir()
    with tarfile.open(folder / "root.tar", "w") as tar:
        tar.add(image, arcname=".")
    (folder / "Containerfile").write_text("FROM scratch\nADD root.tar /\n")
    (record,) = records(banzuke(*MESSAGES, "--environment", "container:podman", "--image", folder, "--json"))
    digest = record["provenance"]["environment_details"]["image_digest"]
    assert len(digest) == 64
    subprocess.run(["podman", "image", "rm", "--force", digest], capture_output=True, check=True)


# Podman's own monitor may keep a container that is interrupted while it starts; docs/environments.md says so.
@pytest.mark.parametrize(
    "tool",
    [
        tool if tool == "runc" else pytest.param(tool, marks=pytest.mark.thorough)
        for tool in PROGRAMS
        if tool != "podman"
    ],
)
def test_nothing_goes_on_when_a_run_is_ended(image: Path, tmp_path: Path, tool: str) -> None:
    there(tool)
    case = ("--ranks", "2", "--threads", "1", "--set", f"n={NUMBER}", "--set", "rounds=100", "--results", tmp_path)
    words: list[str | Path] = [
        SCRIPTS / "banzuke",
        "run",
        "stream",
        *case,
        "--environment",
        f"container:{tool}",
        "--image",
        image,
    ]
    (tmp_path / "temporary").mkdir()
    variables = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: len(ours()) >= 2 or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)
    wait_for(lambda: not ours())
    wait_for(lambda: not list(tmp_path.glob("temporary/*")))


def ours() -> list[str]:
    """Return the command lines of this test's programs."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"banzuke-stream-omp") and NUMBER.encode() in words:
            processes.append(folder.name)
    return processes


def test_what_is_no_image_is_refused_before_anything_runs(banzuke: Banzuke, results: Path, tmp_path: Path) -> None:
    there("bubblewrap")
    path = tmp_path / "image"
    path.write_bytes(bytes(1 << 20))
    done = banzuke(*MESSAGES, "--environment", "container", "--image", path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"{path} is not an image (it begins with zeros)" in " ".join(done.stderr.split())
    assert not list(results.glob("*/records-*.jsonl"))


def test_the_command_can_be_typed(banzuke: Banzuke, image: Path, tmp_path: Path) -> None:
    """The output of --dry-run works in a shell, once a run has prepared the image."""
    there("bubblewrap")
    case = (*MESSAGES, "--environment", "container:bubblewrap", "--image", image)
    records(banzuke(*case, "--json"))
    done = banzuke(*case, "--dry-run")
    assert done.returncode == 0, done.stderr
    command = next(line for line in done.stdout.splitlines() if "bwrap" in line)
    typed = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert typed.returncode == 0, typed.stderr
    assert json.loads(typed.stdout)["status"] == "ok"
