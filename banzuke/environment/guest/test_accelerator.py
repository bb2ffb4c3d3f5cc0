from pathlib import Path

import pytest

from banzuke.environment.guest import accelerator as module
from banzuke.environment.guest.accelerator import find_accelerator
from banzuke.environment.guest.boot import GuestOutput
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import Qemu
from banzuke.errors import BanzukeError


@pytest.fixture
def boots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each boot does: `dies` means that it fails."""
    device = tmp_path / "kvm"
    device.touch()
    monkeypatch.setattr(module, "DEVICE", device)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    coming: list[str] = []

    def boot(*_arguments: object, limit: float) -> GuestOutput:
        assert limit == module.TRIAL
        if coming.pop(0) == "dies":
            raise BanzukeError("the guest died")
        return GuestOutput(end="exit 0")

    monkeypatch.setattr(module, "boot", boot)
    return coming


@pytest.fixture
def guest(tmp_path: Path) -> tuple[Qemu, Kernel]:
    for name in ("qemu", "vmlinuz"):
        (tmp_path / name).touch()
    return Qemu(str(tmp_path / "qemu"), "", "x86_64", ""), Kernel(tmp_path / "vmlinuz", "6.1", None)


def test_kvm_is_used_when_a_guest_boots_and_tried_once(boots: list[str], guest: tuple[Qemu, Kernel]) -> None:
    boots.append("boots")
    assert find_accelerator("", *guest) == ("kvm", "")
    assert find_accelerator("kvm", *guest) == ("kvm", "")
    assert boots == []


def test_a_guest_that_dies_means_emulation_until_something_changes(
    boots: list[str], guest: tuple[Qemu, Kernel], tmp_path: Path
) -> None:
    boots += ["dies", "boots"]
    assert find_accelerator("", *guest) == ("tcg", "the guest died")
    with pytest.raises(BanzukeError, match=r"KVM cannot be used \(the guest died\)"):
        find_accelerator("kvm", *guest)
    (tmp_path / "qemu").unlink()
    (tmp_path / "qemu").touch()
    assert find_accelerator("", *guest) == ("kvm", "")


def test_without_the_device_nothing_is_tried(guest: tuple[Qemu, Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEVICE", Path("/nonexistent/kvm"))
    accelerator, why = find_accelerator("", *guest)
    assert accelerator == "tcg"
    assert "No such file" in why
    with pytest.raises(BanzukeError, match="KVM cannot be used"):
        find_accelerator("kvm", *guest)
    assert find_accelerator("tcg", *guest)[0] == "tcg"


def test_a_trial_is_made_where_nothing_can_be_remembered(
    boots: list[str], guest: tuple[Qemu, Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    boots += ["boots", "boots"]
    assert [find_accelerator("", *guest)[0] for _ in range(2)] == ["kvm", "kvm"]
    assert boots == []
