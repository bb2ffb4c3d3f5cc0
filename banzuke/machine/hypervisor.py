"""Detects a virtual machine by the marks that systemd-detect-virt uses."""

from banzuke.machine.command import output
from banzuke.machine.tree import Tree

_DMI = (
    ("VMware", "VMware"), ("VirtualBox", "VirtualBox"), ("innotek", "VirtualBox"), ("QEMU", "QEMU"),
    ("KVM", "KVM"), ("Xen", "Xen"), ("Bochs", "Bochs"), ("Parallels", "Parallels"), ("BHYVE", "bhyve"),
    ("Amazon EC2", "KVM"), ("Google Compute Engine", "KVM"), ("Hyper-V", "Hyper-V"),
    ("Virtual Machine", "Hyper-V"),
)  # fmt: skip
_CLOCKS = (("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen"))
_NAMES = {
    "kvm": "KVM",
    "amazon": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "microsoft": "Hyper-V",
    "xen": "Xen",
}


def hypervisor(tree: Tree, cpu_flags: frozenset[str]) -> str | None:
    """Return the hypervisor's name; "unknown" if only its presence is visible; None: none seen."""
    return _dmi(tree, cpu_flags) or _xen(tree) or (_running(tree) if "hypervisor" in cpu_flags else None)


def _dmi(tree: Tree, cpu_flags: frozenset[str]) -> str | None:
    folder = "sys/class/dmi/id"
    text = " ".join(tree.text(f"{folder}/{name}") or "" for name in ("product_name", "sys_vendor", "bios_vendor"))
    if "Amazon EC2" in text and "metal" in text:
        return None
    x86_on_metal = bool(cpu_flags) and "lm" in cpu_flags and "hypervisor" not in cpu_flags
    return None if x86_on_metal else next((name for mark, name in _DMI if mark in text), None)


def _xen(tree: Tree) -> str | None:
    return "Xen" if tree.text("sys/hypervisor/type") == "xen" else None


def _running(tree: Tree) -> str:
    clocks = tree.text("sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    for mark, name in _CLOCKS:
        if mark in clocks:
            return name
    detected = output(["systemd-detect-virt", "--vm"]) if tree.is_this_machine else None
    return _NAMES.get(detected or "", detected) or "unknown"
