"""Finds whether the processor's virtualization works, by booting a guest, because a device file promises little."""

import contextlib
import hashlib
import os
import socket
from pathlib import Path

from banzuke.environment.guest.boot import Guest, boot
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import MIB, Qemu, Shape
from banzuke.errors import BanzukeError
from banzuke.files import write_whole
from banzuke.files.own import cache_path

DEVICE = Path("/dev/kvm")
TRIAL = 15.0
"""Seconds for a guest to boot: ten times what it takes, but less than with each instruction emulated."""


def find_accelerator(asked: str, qemu: Qemu, kernel: Kernel, *, dry_run: bool = False) -> tuple[str, str]:
    """Return `kvm` or `tcg`, and why not the former. Raises BanzukeError.

    `asked`: one of them, or empty for the best. A dry run boots nothing: KVM is taken unless it is known not to work.
    """
    if asked == "tcg":
        return "tcg", "software emulation was asked for"
    problem = _unusable() or _trial(qemu, kernel, dry_run=dry_run)
    if problem and asked == "kvm":
        raise BanzukeError(
            "KVM cannot be used",
            why=problem,
            remedy="Load the module kvm_intel or kvm_amd and join the group of /dev/kvm, or ask for vm:tcg",
        )
    return ("tcg", problem) if problem else ("kvm", "")


def _unusable() -> str:
    try:
        os.close(os.open(DEVICE, os.O_RDWR))
    except OSError as error:
        return f"{DEVICE}: {error.strerror}"
    return ""


def _trial(qemu: Qemu, kernel: Kernel, *, dry_run: bool) -> str:
    """Return what went wrong with a guest, cached until the host reboots or a file changes; empty: nothing."""
    remembered = cache_path() / f"kvm-{_digest(qemu, kernel)}"
    if remembered.is_file():
        return remembered.read_text()
    if dry_run:
        return ""
    problem = _tried(qemu, kernel)
    with contextlib.suppress(BanzukeError):  # no place to remember it
        write_whole(remembered, problem.encode())
    return problem


def _tried(qemu: Qemu, kernel: Kernel) -> str:
    guest = Guest(qemu, "kvm", Shape(cpus=(0, 1), memory=512 * MIB), kernel, words=())
    try:
        boot(guest, (1, 2), limit=TRIAL)
    except BanzukeError as error:
        return str(error)
    return ""


def _digest(qemu: Qemu, kernel: Kernel) -> str:
    files = [(path, os.stat(path).st_mtime_ns) for path in (qemu.path, kernel.path)]  # noqa: PTH116
    try:
        booted = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        booted = ""
    return hashlib.sha256(repr((socket.gethostname(), booted, files)).encode()).hexdigest()[:16]
