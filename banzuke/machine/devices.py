"""Finds GPUs and network interfaces in the kernel's files."""

import re

from banzuke.machine.site import Device, Interface
from banzuke.machine.tree import Tree

_ACCELERATORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
"""PCI vendors whose display devices can compute; a server's management chip is a display device too, but only draws."""
_NETWORK_TYPES = {1: "ethernet", 32: "infiniband"}
"""ARPHRD_* of linux/if_arp.h."""


def gpus(tree: Tree) -> list[Device]:
    """Return the kinds of devices in the kernel's files: the NVIDIA driver's /proc, and PCI for all others."""
    nvidia = _nvidia_proc(tree)
    return nvidia + _pci(tree, skip_nvidia=bool(nvidia))


def _nvidia_proc(tree: Tree) -> list[Device]:
    version = re.search(r"Kernel Module\s+(?:for \S+\s+)?([\d.]+)", tree.text("proc/driver/nvidia/version") or "")
    devices = []
    for bus in tree.names("proc/driver/nvidia/gpus"):
        text = tree.text(f"proc/driver/nvidia/gpus/{bus}/information") or ""
        if model := re.search(r"^Model:\s*(.+)$", text, re.MULTILINE):
            devices.append(Device(name=model[1].strip(), driver=version[1] if version else None))
    return devices


def _pci(tree: Tree, *, skip_nvidia: bool) -> list[Device]:
    devices = []
    for bus in tree.names("sys/bus/pci/devices"):
        folder = f"sys/bus/pci/devices/{bus}"
        if not re.match("0x(03|12)", tree.text(f"{folder}/class") or ""):
            continue
        vendor = _ACCELERATORS.get(tree.text(f"{folder}/vendor") or "")
        if vendor is None or (vendor == "NVIDIA" and skip_nvidia):
            continue
        name = tree.text(f"{folder}/product_name") or f"{vendor} {tree.text(f'{folder}/device') or 'GPU'}"
        devices.append(Device.of_known(name=name, memory=tree.integer(f"{folder}/mem_info_vram_total")))
    return devices


def interfaces(tree: Tree) -> list[Interface]:
    """Return hardware interfaces and InfiniBand ports; virtual interfaces only where there is no hardware one."""
    hardware, virtual = [], []
    for name in tree.names("sys/class/net"):
        folder = f"sys/class/net/{name}"
        kind = _NETWORK_TYPES.get(tree.integer(f"{folder}/type") or 0)
        if kind is None:
            continue
        if tree.exists(f"{folder}/wireless"):
            kind = "wireless"
        megabits = tree.integer(f"{folder}/speed")
        speed = megabits * 1e6 if megabits and megabits > 0 else None
        if tree.exists(f"{folder}/device"):
            node = _numa_node(tree, folder)
            hardware.append(Interface.of_known(name=name, kind=kind, bits_per_second=speed, numa_node=node))
        elif tree.text(f"{folder}/operstate") == "up":
            virtual.append(Interface.of_known(name=name, kind="virtual", bits_per_second=speed))
    return (hardware or virtual) + _infiniband(tree)


def _infiniband(tree: Tree) -> list[Interface]:
    ports = []
    for device in tree.names("sys/class/infiniband"):
        node = _numa_node(tree, f"sys/class/infiniband/{device}")
        for port in tree.names(f"sys/class/infiniband/{device}/ports"):
            folder = f"sys/class/infiniband/{device}/ports/{port}"
            rate = re.match(r"(\d+(?:\.\d+)?) Gb/sec", tree.text(f"{folder}/rate") or "")
            over_ethernet = tree.text(f"{folder}/link_layer") == "Ethernet"
            ports.append(
                Interface.of_known(
                    name=f"{device}:{port}",
                    kind="rdma over ethernet" if over_ethernet else "infiniband",
                    bits_per_second=float(rate[1]) * 1e9 if rate else None,
                    numa_node=node,
                )
            )
    return ports


def _numa_node(tree: Tree, folder: str) -> int | None:
    node = tree.integer(f"{folder}/device/numa_node")
    return node if node is not None and node >= 0 else None  # -1: the firmware does not say
