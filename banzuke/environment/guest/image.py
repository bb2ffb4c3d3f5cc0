"""The root filesystem of a guest: the host's, a folder, or a disk image."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from banzuke.environment.guest.kernel import Kernel
from banzuke.errors import BanzukeError

_MAGIC = {
    (0, b"QFI\xfb"): "qcow2",
    (0, b"hsqs"): "raw",
    (0, b"XFSB"): "raw",
    (0x438, b"\x53\xef"): "raw",
    (0x1FE, b"\x55\xaa"): "raw",
}
"""Format of a disk image by the bytes at an offset: QEMU's own format, squashfs, XFS, ext4, a partition table."""
_HEAD = 0x43A
"""Bytes that contain all of these."""
_FILESYSTEMS = {"squashfs": "", "xfs": "norecovery", "ext4": "noload"}
"""File systems, each with the option that ignores the journal of an image that was not unmounted."""


@dataclass(frozen=True)
class GuestImage:
    folder: str = ""
    disk: str = ""
    """FORMAT:PATH."""

    def modules(self, kernel: Kernel) -> list[str]:
        return ["virtio_blk", *(kind for kind in _FILESYSTEMS if kernel.has(kind))] if self.disk else []

    def settings(self) -> Iterator[tuple[str, str]]:
        if self.folder:
            yield "folder", self.folder
        if self.disk:
            yield from (("disk", f"{kind} {option}") for kind, option in _FILESYSTEMS.items())


HOST = GuestImage()


def image(path: str) -> GuestImage:
    """Return the root filesystem at a path. Raises BanzukeError."""
    if not path:
        return HOST
    resolved = Path(path).resolve()
    try:
        kind = "" if resolved.is_dir() or resolved.is_fifo() else disk_format(resolved)  # reading a pipe would block
    except OSError as error:
        raise BanzukeError(f"cannot read the image {path}", why=error.strerror or str(error)) from error
    if kind:
        return GuestImage(disk=f"{kind}:{resolved}")
    if resolved.is_dir():
        return GuestImage(folder=str(resolved))
    raise BanzukeError(
        f"{path} is not an image for a virtual machine",
        why="it is neither a folder nor a disk with ext4, XFS, squashfs or partitions, raw or in QEMU's qcow2",
        remedy="Convert other disks with `qemu-img convert -O qcow2`, and unpack archives into a folder",
    )


def disk_format(path: Path) -> str:
    """Return the format of a disk, in QEMU's words; empty: not a disk."""
    with path.open("rb") as file:
        start = file.read(_HEAD)
    return next((kind for (at, magic), kind in _MAGIC.items() if start[at : at + len(magic)] == magic), "")
