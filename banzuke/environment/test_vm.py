import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from banzuke.environment import libraries, vm
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import FileShare, Qemu
from banzuke.environment.libraries import NOTHING
from banzuke.environment.model import Wanted
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.paths import PYTHON
from banzuke.testing import machine

GIB = 1 << 30


@pytest.fixture(autouse=True)
def equipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vm, "find_qemu", lambda: Qemu("/usr/bin/qemu", "QEMU 7.2", "x86_64", ""))
    monkeypatch.setattr(vm, "find_kernel", lambda _named: Kernel(Path("/boot/vmlinuz-6.1"), "6.1", None))
    monkeypatch.setattr(vm, "find_share", lambda _qemu, _kernel: FileShare("9p"))
    monkeypatch.setattr(
        vm, "find_accelerator", lambda asked, *_, **_dry: (asked or "kvm", "no KVM" if asked == "tcg" else "")
    )


def two_sockets() -> Machine:
    """Return two sockets of two cores with two threads each, numbered by Linux: threads last, sockets alternating."""
    plain = machine(cores=4, threads_per_core=2)
    places = {"packages": [[0, 2, 4, 6], [1, 3, 5, 7]], "siblings": [[0, 4], [1, 5], [2, 6], [3, 7]]}
    numa = [NumaNode(node=0, cpus=[0, 2, 4, 6]), NumaNode(node=1, cpus=[1, 3, 5, 7])]
    return plain.changed(allotment=places, node={"numa": numa})


def options(words: list[str]) -> dict[str, str]:
    before = words[4 : words.index("--")]
    return dict(zip(before[::2], before[1::2], strict=True))


def test_the_guest_numbers_its_processors_by_socket_core_and_thread() -> None:
    guest = vm.find(Wanted("vm"), two_sockets(), Path("/prefix"), dry_run=False)
    assert guest.shape.cpus == (0, 4, 2, 6, 1, 5, 3, 7)
    assert (guest.shape.sockets, guest.shape.threads, guest.shape.nodes) == (2, 2, (0, 1))
    assert [guest.cpu(number) for number in (0, 1, 2, 4)] == [0, 4, 2, 1]
    assert guest.warning == ""
    assert guest.details["kernel"] == "6.1"


def test_the_operating_systems_processors_stay_outside() -> None:
    guest = vm.find(Wanted("vm", os_cores=(0, 4)), two_sockets(), Path("/prefix"), dry_run=False)
    assert guest.shape.cpus == (2, 6, 1, 5, 3, 7)
    assert (guest.shape.sockets, guest.shape.nodes) == (1, ())  # QEMU cannot have one core here and two there
    with pytest.raises(BanzukeError, match="processor 4 is not among the guest's"):
        guest.cpu(4)
    with pytest.raises(BanzukeError, match="no processor is left"):
        vm.find(Wanted("vm", os_cores=tuple(range(8))), two_sockets(), Path("/prefix"), dry_run=False)


def test_the_command_can_be_typed() -> None:
    guest = vm.find(Wanted("vm", "tcg"), machine(cores=2), Path("/prefix"), dry_run=False)
    words = guest.outer(["mpiexec", "-n", "2", "prog"], {"A": "1"}, 4 * GIB)
    assert words[:4] == [*PYTHON, "-m", "banzuke.environment.guest"]
    assert words[-4:] == ["mpiexec", "-n", "2", "prog"]
    typed = options(words)
    assert (typed["--cpus"], typed["--accelerator"], typed["--kernel"]) == ("0,1", "tcg", "/boot/vmlinuz-6.1")
    assert 5 * GIB < int(typed["--memory"]) < 6 * GIB
    assert "--image" not in typed
    assert guest.inner(["prog"], {}) == ["prog"]
    assert "times mean nothing" in guest.warning


def test_more_memory_than_the_host_has_is_refused() -> None:
    guest = vm.find(Wanted("vm"), machine(memory=64 * GIB), Path("/prefix"), dry_run=False)
    guest.outer(["prog"], {}, 59 * GIB)
    with pytest.raises(BanzukeError, match=r"needs .* of memory .*--set"):
        guest.outer(["prog"], {}, 61 * GIB)


def test_an_image_shows_the_programs_their_libraries_and_what_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    disk, matrix = tmp_path / "disk.img", tmp_path / "data" / "a.mtx"
    disk.write_bytes(b"hsqs")
    matrix.parent.mkdir()
    matrix.touch()
    guest = vm.find(Wanted("vm", image=str(disk)), machine(), Path("/prefix"), dry_run=False)
    words = guest.outer(["prog", f"--matrix={matrix}"], {"LD_LIBRARY_PATH": "/mine"}, GIB)
    pairs = [(name, value) for name, value in pairwise(words) if name.startswith("--")]
    assert ("--image", str(disk)) in pairs
    assert {("--bring", "/prefix"), ("--bring", str(matrix.parent))} <= set(pairs)
    paths = next(value for name, value in pairs if name == "--variable")
    assert paths.startswith(f"LD_LIBRARY_PATH=/mine:{tmp_path}/cache/")


def test_an_image_runs_what_the_system_has_from_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "banzuke-a-omp"
    shutil.copy("/bin/sh", program)
    monkeypatch.setattr(libraries, "_SYSTEM", (tmp_path,))
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    disk = tmp_path / "disk.img"
    disk.write_bytes(b"hsqs")
    guest = vm.find(Wanted("vm", image=str(disk)), machine(), Path("/usr"), dry_run=False)
    words = guest.outer(["mpiexec", "-n", "2", str(program)], {}, GIB)
    assert words[-4:-1] == ["mpiexec", "-n", "2"]
    assert Path(words[-1]).parent.parent == tmp_path / "cache/banzuke"
    assert "/usr" not in words


def test_an_image_for_another_processor_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    shell = tmp_path / "root/bin/sh"
    shell.parent.mkdir(parents=True)
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    header[18] = 22  # s390x
    shell.write_bytes(bytes(header))
    with pytest.raises(BanzukeError, match="is for s390x"):
        vm._image(str(tmp_path / "root"), NOTHING)
    (tmp_path / "container.sif").write_bytes(bytes(32) + b"SIF_MAGIC")
    with pytest.raises(BanzukeError, match="is not an image for a virtual machine"):
        vm._image(str(tmp_path / "container.sif"), NOTHING)
    with pytest.raises(BanzukeError):
        vm._image(str(tmp_path / "none"), NOTHING)
