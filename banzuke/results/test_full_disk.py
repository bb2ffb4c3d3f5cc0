"""Tests of runs on file systems that are full or not writable."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.results.store import Store
from banzuke.results.test_store import CASES, verified
from banzuke.testing import machine


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BanzukeError, match=r"cannot write .*file"):
        Store(tmp_path / "file" / "results").create(machine(), CASES)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("hardware: mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_keeps_what_was_written(small_disk: Path) -> None:
    run = Store(small_disk).create(machine(), CASES)
    run.append(verified(run))
    before = run.files()[0].read_bytes()
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for _ in range(64):
            file.write(b"x" * 4096)
    big = verified(run).model_copy(update={"reason": "x" * 8192})
    with pytest.raises(BanzukeError, match=r"cannot write .*No space left.*What was measured before is kept"):
        run.append(big)
    assert run.files()[0].read_bytes() == before
    with pytest.raises(BanzukeError, match="No space left"):
        run.update_machine(machine())
    assert run.machine() == machine()
    filler.unlink()
    run.append(verified(run))
    assert len(run.read().records) == 2


def test_a_read_only_folder_is_a_clear_error(tmp_path: Path) -> None:
    run = Store(tmp_path / "results").create(machine(), CASES)
    if os.geteuid() == 0:
        read_only = subprocess.run(
            ["mount", "--bind", "-o", "ro", run.folder, run.folder], capture_output=True, check=False
        )
        if read_only.returncode != 0:
            pytest.skip("hardware: this root may not mount")
    else:
        run.folder.chmod(0o500)
    try:
        with pytest.raises(BanzukeError, match="cannot write"):
            run.append(verified(run))
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", run.folder], check=True)
        else:
            run.folder.chmod(0o700)
