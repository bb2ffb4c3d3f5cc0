"""Tests that figures of caches are detected, and have other names than the storage's."""

import contextlib
import mmap
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from banzuke.testing import patiently
from tests.file_systems import Disk, Place, Shared
from tests.storage import MIB, MPIEXEC, POSIX, carried_out, files_of, meanwhile, record_of

STORAGE, CACHED = {"write_bandwidth", "read_bandwidth"}, {"cached_write_bandwidth", "cached_read_bandwidth"}


def told(place: Place, **changed: Any) -> tuple[set[str], dict[str, Any]]:
    """Return the names of the figures, and the conditions."""
    return figures(POSIX.words(place, **changed))


def figures(words: list[str]) -> tuple[set[str], dict[str, Any]]:
    record = record_of(carried_out(words))
    assert record["status"] == "ok", record["reason"]
    for name, metric in record["metrics"].items():
        assert bool(metric.get("demand")) == (name in STORAGE), "what asks nothing of storage is no ceiling for it"
    return set(record["metrics"]), record["conditions"]


def test_what_goes_past_the_cache_is_the_storage(drive: Disk) -> None:
    names, conditions = told(drive, access="direct")
    assert names == STORAGE
    assert (conditions["write_evidence"], conditions["read_evidence"]) == ("direct", "direct")


def test_pages_that_were_dropped_are_read_from_the_storage(drive: Disk) -> None:
    names, conditions = told(drive)
    assert names == STORAGE
    assert (conditions["write_evidence"], conditions["read_evidence"]) == ("fsync", "pages absent")
    assert conditions["read_cached_share"] == 0
    assert "cached_below" not in conditions


@pytest.mark.parametrize("access", ["buffered", "direct"])
def test_a_loop_device_may_have_the_pages_of_its_file(disk: Disk, access: str) -> None:
    names, conditions = told(disk, access=access)
    assert names == {"write_bandwidth", "cached_read_bandwidth"}
    assert (conditions["write_evidence"], conditions["read_evidence"]) == ("fsync", "no evidence")
    [below] = conditions["cached_below"]
    assert below["kind"] == "loop"
    assert below["over"].startswith("/memfd:disk")
    assert told(disk, access=access, fsync="no")[0] == CACHED


@pytest.mark.parametrize("access", ["buffered", "direct"])
@pytest.mark.parametrize("layers", ["on the storage", "in memory", "in memory, out of sight"])
def test_layers_are_where_the_upper_one_is(drive: Disk, layers: str, access: str) -> None:
    """Layers are those of a container's root, for example, for whose files the kernel counts no cached pages."""
    place, above = drive.below("merged"), drive.folder / "above"
    script = 'cd "$1"; mkdir merged above; '
    if layers != "on the storage":
        script += "mount -t tmpfs -o size=64m tmpfs above; "
    script += "mkdir above/upper above/work lower; "
    upper = "above" if "out of sight" in layers else above
    script += f"mount -t overlay -o lowerdir=lower,upperdir={upper}/upper,workdir={upper}/work overlay merged"
    assert carried_out(drive.on("sh", "-ec", script, "sh", drive.folder)).returncode == 0
    names, conditions = told(place, access=access)
    if layers == "on the storage":
        assert names == STORAGE
        return
    assert names == CACHED
    evidence = "in memory" if layers == "in memory" else "pages present"
    assert (conditions["write_evidence"], conditions["read_evidence"]) == (evidence, evidence)


def test_an_fsync_that_does_nothing_for_one_rank_is_known_to_all(disk: Disk) -> None:
    """Decisions for all ranks depend on what all know; otherwise some would wait for ever."""
    assert carried_out(disk.on("sh", "-ec", 'cd "$1"; mkdir data lower work', "sh", disk.folder)).returncode == 0
    script = (
        'cd "$1"; shift; mount -t overlay -o lowerdir=lower,upperdir=data,workdir=work,volatile overlay data; exec "$@"'
    )
    rank = POSIX.words(Place(disk.folder / "data"), phases="write")
    other = ["unshare", "--mount", "sh", "-ec", script, "sh", str(disk.folder), *rank]
    names, conditions = figures(disk.on(MPIEXEC, "-n", "1", *rank, ":", "-n", "1", *other))
    assert names == {"cached_write_bandwidth"}
    assert conditions["write_evidence"] == "fsync dropped"


def keep(kept: dict[Path, mmap.mmap], folder: Path) -> None:
    """Map every file that exists, so that its pages stay in the cache even if somebody drops them."""
    for file in set(files_of(folder)) - set(kept):
        with contextlib.suppress(OSError, ValueError), file.open("rb") as opened:
            kept[file] = mmap.mmap(opened.fileno(), 8 * MIB, mmap.MAP_SHARED, mmap.PROT_READ)
    for mapped in kept.values():
        sum(mapped[:: mmap.PAGESIZE])


def test_pages_that_stayed_are_seen(drive: Disk) -> None:
    def stayed(factor: float) -> None:
        with meanwhile(partial(keep, {}, drive.seen)):
            names, conditions = told(drive, rounds=int(10 * factor))
        assert names == CACHED
        assert (conditions["read_from"], conditions["read_evidence"]) == ("cache", "pages present")
        assert (conditions["write_to"], conditions["write_evidence"]) == ("cache", "pages present")
        assert conditions["read_cached_share"] > 0.5

    patiently(stayed)


@pytest.mark.parametrize("access", ["buffered", "direct"])
def test_calls_that_another_library_serves_show_nothing(disk: Disk, tmp_path: Path, access: str) -> None:
    """Libraries such as libeatmydata do so, which images for tests preload."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path / "no-op.so"
    text = "int fsync(int f) { return 0 * f; }"
    subprocess.run([compiler, "-shared", "-fPIC", "-xc", "-", "-o", library], input=text, text=True, check=True)
    record = record_of(carried_out(POSIX.words(disk, access=access), LD_PRELOAD=str(library)))
    assert record["status"] == "ok", record["reason"]
    assert set(record["metrics"]) == CACHED
    conditions = record["conditions"]
    assert (conditions["write_evidence"], conditions["read_evidence"]) == ("replaced calls", "replaced calls")
    assert conditions["replaced_calls"] == [f"fsync: {library}"]


def test_writes_that_nobody_waited_for_are_the_cache_s(drive: Disk) -> None:
    names, conditions = told(drive, fsync="no")
    assert names == {"cached_write_bandwidth", "read_bandwidth"}
    assert (conditions["write_to"], conditions["write_evidence"]) == ("cache", "no fsync")


@pytest.mark.parametrize("access", ["buffered", "direct"])
def test_a_file_system_in_memory_is_no_storage(disk: Disk, access: str) -> None:
    memory = disk.below("memory")
    memory.seen.mkdir()
    assert carried_out(disk.on("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", memory.folder)).returncode == 0
    names, conditions = told(memory, access=access)
    assert names == CACHED
    assert (conditions["write_evidence"], conditions["read_evidence"]) == ("in memory", "in memory")


def test_what_a_client_in_user_space_keeps_is_not_known(gluster: Shared) -> None:
    names, conditions = told(gluster.of("h1"))
    assert names == {"write_bandwidth", "cached_read_bandwidth"}
    assert (conditions["read_from"], conditions["read_evidence"]) == ("cache", "no evidence")
