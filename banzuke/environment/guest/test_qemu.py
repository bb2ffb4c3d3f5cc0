import os
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from banzuke.environment.guest import qemu as module
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import Channels, FileShare, Qemu, Shape, find_share, words
from banzuke.errors import BanzukeError

GIB = 1 << 30
DEVICES = 'name "virtio-9p-pci", bus PCI\nname "vhost-user-fs-pci", bus PCI\n'
KERNEL = Kernel(Path("/boot/vmlinuz"), "6.1", None)
CHANNELS = Channels(3, 4, 5, 6, 7)


def here(architecture: str = "x86_64", devices: str = DEVICES, *, topoext: bool = False) -> Qemu:
    return Qemu("/usr/bin/qemu", "QEMU 7.2", architecture, devices, topoext)


def kernel(tmp_path: Path, *modules: str) -> Kernel:
    (tmp_path / "modules.builtin").write_text("".join(f"kernel/{name}.ko\n" for name in modules))
    return Kernel(Path("/boot/vmlinuz"), "6.1", tmp_path)


def after(arguments: list[str], option: str) -> list[str]:
    return [value for name, value in pairwise(arguments) if name == option]


def test_kvm_has_the_hosts_processor_with_its_sockets_cores_and_threads() -> None:
    shape = Shape(tuple(range(16)), 8 * GIB, sockets=2, threads=2)
    arguments = words(here(topoext=True), "kvm", shape, KERNEL, FileShare("9p"), CHANNELS)
    assert after(arguments, "-cpu") == ["host,migratable=off,host-cache-info=on,l3-cache=off,topoext=on"]
    assert after(arguments, "-smp") == ["16,sockets=2,cores=4,threads=2"]
    assert after(arguments, "-m") == ["8192M"]
    assert after(arguments, "-accel") == ["kvm"]
    assert "mount_tag=host" in after(arguments, "-device")[-1]
    assert "readonly=on" in after(arguments, "-fsdev")[0]
    assert "tsc" not in after(arguments, "-append")[0]


def test_emulation_on_another_architecture() -> None:
    arguments = words(here("aarch64"), "tcg", Shape((0, 1), GIB), KERNEL, None, CHANNELS, append="isolcpus=1")
    assert after(arguments, "-machine")[0] == "virt,gic-version=max"
    assert after(arguments, "-cpu") == ["max"]
    assert after(arguments, "-append")[0].startswith("console=ttyAMA0 ")
    assert after(arguments, "-append")[0].endswith(" isolcpus=1")
    assert after(words(here("aarch64"), "kvm", Shape((0,), GIB), KERNEL, None, CHANNELS), "-cpu") == ["host"]


def test_processors_that_do_not_divide_are_all_cores_of_one_socket() -> None:
    arguments = words(here(), "tcg", Shape((0, 1, 2), GIB, sockets=2), KERNEL, None, CHANNELS)
    assert after(arguments, "-smp") == ["3,sockets=1,cores=3,threads=1"]


def test_memory_lies_on_the_hosts_numa_nodes() -> None:
    shape = Shape((0, 1, 8, 9), GIB + (1 << 20), nodes=(0, 2))
    arguments = words(here(), "kvm", shape, KERNEL, FileShare("virtiofs", ("/usr/libexec/virtiofsd",)), CHANNELS)
    assert after(arguments, "-object") == [
        "memory-backend-memfd,share=on,id=memory0,size=512M,host-nodes=0,policy=bind",
        "memory-backend-memfd,share=on,id=memory1,size=512M,host-nodes=2,policy=bind",
    ]
    assert after(arguments, "-numa") == [
        "node,nodeid=0,memdev=memory0,cpus=0-1",
        "node,nodeid=1,memdev=memory1,cpus=2-3",
    ]
    assert after(arguments, "-m") == ["1024M"]  # the sum of both parts, or QEMU refuses


def test_a_disk_is_read_only_whatever_its_path() -> None:
    arguments = words(here(), "tcg", Shape((0,), GIB), KERNEL, None, CHANNELS, disk="qcow2:/a,b:c.img")
    drive = "if=none,id=disk,format=qcow2,readonly=on,file.driver=file,file.filename=/a,,b:c.img"
    assert after(arguments, "-drive") == [drive]


def test_9p_is_first_and_virtiofs_needs_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_installed", lambda _name: "/usr/libexec/virtiofsd")
    monkeypatch.setattr(module, "output", lambda *_words, **_limits: "--shared-dir <shared-dir>")
    has = kernel(tmp_path, "9p", "9pnet_virtio", "virtiofs")
    assert find_share(here(), has).kind == "9p"
    assert find_share(here(devices='"vhost-user-fs-pci"'), has).kind == "virtiofs"
    monkeypatch.setattr(module, "_installed", lambda _name: None)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(BanzukeError, match=r"has virtiofs, .* has 9p, and virtiofsd is not installed"):
        find_share(here(), kernel(tmp_path, "virtiofs"))


@pytest.mark.parametrize(("user", "sandbox"), [(0, "chroot"), (1000, "none")])
def test_each_virtiofsd_is_called_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, sandbox: str
) -> None:
    has = kernel(tmp_path, "virtiofs")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(module, "_installed", lambda _name: "/usr/libexec/virtiofsd")
    monkeypatch.setattr(module, "output", lambda *_words, **_limits: "--shared-dir <shared-dir>")
    assert find_share(here(), has).daemon[1:] == ("--shared-dir=/", "--cache=always", f"--sandbox={sandbox}")
    monkeypatch.setattr(module, "output", lambda *_words, **_limits: "-o source=PATH")
    if user == 0:
        assert "source=/" in find_share(here(), has).daemon
    else:
        with pytest.raises(BanzukeError, match=r"runs as root only.*newer one"):
            find_share(here(), has)


def test_a_machine_without_qemu_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(module, "_installed", lambda _name: None)
    find = module.find_qemu.__wrapped__
    with pytest.raises(
        BanzukeError, match=r"QEMU is not installed .*apt install qemu-system-arm.*dnf install qemu-kvm"
    ):
        find("aarch64")
    with pytest.raises(BanzukeError, match="no virtual machine for s390x"):
        find("s390x")
