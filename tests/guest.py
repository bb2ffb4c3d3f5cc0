"""A Linux guest for tests: runs a command in it, and gets a kernel from the distribution's packages if none is here."""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from banzuke.environment.guest.kernel import VARIABLE, find_kernel
from banzuke.environment.guest.qemu import find_qemu, find_share
from banzuke.errors import BanzukeError
from tests.patience import PATIENCE

PROCESSOR = {"x86_64": "amd64", "aarch64": "arm64"}
"""Debian's names of processors."""
Result = subprocess.CompletedProcess[str]


class CannotError(Exception):
    """The error if this machine cannot boot a guest."""


def run(
    kernel: Path, *command: str | Path, options: tuple[str | Path, ...] = (), variables: Mapping[str, str] | None = None
) -> Result:
    """Run the command in a guest with two processors; `options` come last, so that they override these."""
    words = [*guest(kernel), *map(str, options), "--", *map(str, command)]
    environment = os.environ | dict(variables or {})
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


def guest(kernel: Path) -> list[str]:
    """Return the first words of the command that boots a guest; its times mean nothing."""
    front = [sys.executable, "-m", "banzuke.environment.guest", "--accelerator", "tcg"]
    return [*front, "--cpus", "0,1", "--memory", "1e9", "--kernel", str(kernel)]


def kernel() -> Path:
    """Return the user's own kernel, the system's, or one that is unpacked into the cache. Raises CannotError."""
    try:
        image = find_kernel(os.environ.get(VARIABLE, ""))
        find_share(find_qemu(), image)
    except BanzukeError:
        return _unpacked()
    return image.path


def _unpacked() -> Path:
    # The cloud kernel is smaller and boots faster, but has only virtiofs, which needs root on Debian 12.
    kind = ("cloud-" if os.geteuid() == 0 else "") + PROCESSOR.get(platform.machine(), "none")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "banzuke" / f"test-kernel-{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kernels := list(folder.glob("whole/boot/vmlinuz-*"))):
            _fetch(f"linux-image-{kind}", folder)
            kernels = list(folder.glob("whole/boot/vmlinuz-*"))
    return kernels[0]


def _fetch(package: str, folder: Path) -> None:
    """Unpack the kernel that the package depends on into `whole`."""
    try:
        name = _download(package, folder)
    except CannotError:  # package lists are missing or older than the mirror
        _output("apt-get", "update", folder=folder)
        name = _download(package, folder)
    (archive,) = folder.glob(f"{name}_*.deb")
    shutil.rmtree(folder / "part", ignore_errors=True)
    _output("dpkg", "-x", archive, folder / "part", folder=folder)
    archive.unlink()
    (folder / "part").rename(folder / "whole")


def _download(package: str, folder: Path) -> str:
    """Download a package, and return its name."""
    depends = _output("apt-cache", "depends", "--important", package, folder=folder)
    name = next((line.split()[1] for line in depends.splitlines() if "Depends: linux-image-" in line), package)
    _output("apt-get", "download", name, folder=folder)
    return name


def _output(*words: str | Path, folder: Path) -> str:
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotError(f"no kernel for a guest: {words[0]}: {getattr(error, 'stderr', '') or error}") from error
    return done.stdout
