import gzip
import lzma
import os
import platform
from pathlib import Path

import pytest

from banzuke.environment.guest import kernel as module
from banzuke.environment.guest.kernel import find_kernel
from banzuke.errors import BanzukeError


@pytest.fixture(autouse=True)
def running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-5")


def image(release: str) -> bytes:
    """Return the beginning of an x86 kernel."""
    start = bytearray(0x400)
    start[0x202:0x206] = b"HdrS"
    start[0x20E:0x210] = (0x100).to_bytes(2, "little")
    return bytes(start[:0x300]) + release.encode() + b" (builder@host) #1 SMP\0" + bytes(64)


def ko(depends: str = "", likes: str = "") -> bytes:
    return b"\x7fELF...\0license=GPL\0" + f"depends={depends}\0softdep=pre: {likes}\0".encode()


def write(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def machine(root: Path, release: str = "6.1.0-5") -> Path:
    """Make a kernel with modules as distributions compress them; the disk's driver is built in."""
    modules = root / "lib/modules" / release
    write(modules / "kernel/fs/9p/9p.ko.xz", lzma.compress(ko("9pnet,netfs")))
    write(modules / "kernel/net/9p/9pnet.ko", ko())
    write(modules / "kernel/net/9p/9pnet_virtio.ko.gz", gzip.compress(ko("virtio-ring,9pnet")))
    write(modules / "kernel/drivers/virtio/virtio_ring.ko", ko())
    write(modules / "kernel/fs/netfs/netfs.ko", ko(likes="crc32c absent"))
    write(modules / "kernel/crypto/crc32c_generic.ko", ko())
    write(modules / "modules.builtin", b"kernel/drivers/block/virtio_blk.ko\n")
    return write(root / f"boot/vmlinuz-{release}", image(release))


def test_the_running_kernel_is_first_then_the_newest(tmp_path: Path) -> None:
    machine(tmp_path, "6.1.0-10")
    machine(tmp_path, "6.1.0-9")
    write(tmp_path / "boot/vmlinuz-0-rescue-12345", image("9.9"))
    assert find_kernel(root=tmp_path).release == "6.1.0-10"
    machine(tmp_path)
    assert find_kernel(root=tmp_path).release == "6.1.0-5"


def test_the_release_comes_from_the_file_and_the_modules_from_beside_it(tmp_path: Path) -> None:
    path = machine(tmp_path).rename(tmp_path / "boot/bzImage")
    kernel = find_kernel(str(path))
    assert (kernel.release, kernel.folder) == ("6.1.0-5", tmp_path / "lib/modules/6.1.0-5")
    beside = write(tmp_path / "lib/modules/6.1.0-5/vmlinuz", b"MZ as on aarch64")
    assert find_kernel(str(beside)).release == "6.1.0-5"


def test_modules_come_after_what_they_need(tmp_path: Path) -> None:
    modules = find_kernel(str(machine(tmp_path))).modules(["9pnet_virtio", "9p", "virtio_blk"])
    assert list(modules) == ["9pnet", "virtio_ring", "9pnet_virtio", "crc32c_generic", "netfs", "9p"]
    assert modules["9p"] == ko("9pnet,netfs")


def test_what_is_built_in_is_there_and_what_is_nowhere_is_told(tmp_path: Path) -> None:
    kernel = find_kernel(str(machine(tmp_path)))
    assert kernel.has("virtio_blk")
    assert not kernel.has("virtiofs")
    with pytest.raises(BanzukeError, match=r"has no 'virtiofs'.*BANZUKE_GUEST_KERNEL"):
        kernel.modules(["virtiofs"])


def test_a_kernel_without_a_folder_of_modules_is_taken_at_its_word(tmp_path: Path) -> None:
    kernel = find_kernel(str(write(tmp_path / "vmlinuz", image("6.9-mine"))))
    assert kernel.folder is None
    assert kernel.modules(["9p"]) == {}


def test_a_broken_module_is_told(tmp_path: Path) -> None:
    path = machine(tmp_path)
    write(tmp_path / "lib/modules/6.1.0-5/kernel/fs/9p/9p.ko.xz", b"no xz")
    with pytest.raises(BanzukeError, match=r"cannot read the kernel's module .*9p\.ko\.xz"):
        find_kernel(str(path)).modules(["9p"])


def test_no_kernel_and_none_that_can_be_read_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BanzukeError, match="there is no kernel for a guest"):
        find_kernel(root=tmp_path)
    machine(tmp_path)

    def refused(_path: Path) -> module.Kernel:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "_described", refused)
    with pytest.raises(BanzukeError, match=r"vmlinuz-6\.1\.0-5 is for root.*chmod \+r"):
        find_kernel(root=tmp_path)
    with pytest.raises(BanzukeError, match="cannot read the kernel /nonexistent"):
        find_kernel("/nonexistent")


def test_a_pipe_is_no_kernel_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BanzukeError, match=r"cannot read the kernel .*pipe \(it is not a regular file"):
        find_kernel(str(tmp_path / "pipe"))
