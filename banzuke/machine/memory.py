"""Finds the memory, what cgroups leave of it, and its modules where the firmware's tables may be read."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from banzuke.machine.cgroup import Limits
from banzuke.machine.channels import Slot, channels, channels_of_socket, least_channels_of_socket
from banzuke.machine.cpuinfo import fields
from banzuke.machine.hypervisor import hypervisor
from banzuke.machine.site import Memory
from banzuke.machine.tree import Tree, parse_size

_TYPES = {
    0x18: "DDR3", 0x1A: "DDR4", 0x1B: "LPDDR", 0x1C: "LPDDR2", 0x1D: "LPDDR3", 0x1E: "LPDDR4",
    0x20: "HBM", 0x21: "HBM2", 0x22: "DDR5", 0x23: "LPDDR5", 0x24: "HBM3",
}  # fmt: skip
_OTHER_USE = {0x05, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x1F}
"""Types of memory in the table that are not main memory: of screens, of firmware chips, and non-volatile."""
_CXL = 0xA4
"""Location of an array of slots (structure type 16, section 7.17.1)."""
_ARRAYS_OF_OTHER_USE = {0x04, 0x05, 0x06, 0x07}
"""Uses of arrays for screens, flash, non-volatile memory and caches (section 7.17.2)."""
_PLUGGED = {0x09, 0x0D}
"""Form factors DIMM and SODIMM."""
_OF_DIMM = 64
"""Data bits of each module since DDR. For DDR5, two channels of 32 bits, some firmware reports only half."""
_UNKNOWN_RATE = (0, 0xFFFF)
_SLOWEST = {"DDR3": 800, "DDR4": 1250, "DDR5": 3200}
"""MT/s. A lower value is the clock, which some firmware reports in place of the rate."""


@dataclass(frozen=True)
class Module:
    """One populated memory device, from SMBIOS structure type 17 (DMTF DSP0134, section 7.18)."""

    kind: str | None
    rate: int | None
    """Transfers per second."""
    width: int | None
    """Data bits."""
    slot: Slot


def memory(tree: Tree) -> Memory:
    """Return the memory; without a peak in a virtual machine, where the modules are invented."""
    tables = dmi_tables(tree)
    cxl = {handle for handle, (location, _) in _arrays(tree).items() if location == _CXL}
    modules = [module for table in tables if (module := parse_module(table, behind_cxl=table[4:6] in cxl))]
    processor = fields(tree.text("proc/cpuinfo") or "")
    peak = None
    if hypervisor(tree, frozenset(processor.get("flags", "").split())) is None:
        peak = peak_bandwidth(
            modules,
            slots=[slot for table in tables if (slot := parse_slot(table))],
            vendor=tree.text("sys/class/dmi/id/sys_vendor"),
            model=processor.get("model name"),
        )
    return Memory.of_known(total=meminfo(tree).get("MemTotal"), kind=describe(modules), peak_bandwidth=peak)


def memory_left(tree: Tree, limits: Limits) -> tuple[int, int]:
    """Return the bytes that cgroups allow, and the free bytes among them; 0 when /proc/meminfo cannot be read."""
    info = meminfo(tree)
    allowed, available = info.get("MemTotal", 0), info.get("MemAvailable", info.get("MemFree", 0))
    if limits.memory is not None:
        allowed = min(allowed, limits.memory)
    if limits.memory_left is not None:
        available = min(available, limits.memory_left)
    return allowed, available


def installed(tree: Tree) -> int:
    """Return the installed memory in whole GiB, which unlike MemTotal is the same under every kernel."""
    block = tree.text("sys/devices/system/memory/block_size_bytes")
    count = len(tree.names("sys/devices/system/memory", r"memory\d+"))
    try:
        total = int(block or "", 16) * count
    except ValueError:
        total = 0
    return (total or meminfo(tree).get("MemTotal", 0)) + (1 << 29) >> 30


def meminfo(tree: Tree) -> dict[str, int]:
    """Return bytes by the kernel's names."""
    pairs = re.findall(r"^(\w+):\s+(\d+) kB$", tree.text("proc/meminfo") or "", re.MULTILINE)
    return {name: size for name, value in pairs if (size := parse_size(f"{value}K")) is not None}


def dmi_tables(tree: Tree) -> list[bytes]:
    """Return raw structures of type 17; empty when they may not be read (only root may) or there are none."""
    others = {handle for handle, (_, use) in _arrays(tree).items() if use in _ARRAYS_OF_OTHER_USE}
    tables = _structures(tree, 17, 0x17)
    return [table for table in tables if table[1] <= len(table) and table[4:6] not in others]


def _arrays(tree: Tree) -> dict[bytes, tuple[int, int]]:
    """Return the location and use of each array of slots, by its handle."""
    return {table[2:4]: (table[4], table[5]) for table in _structures(tree, 16, 6)}


def _structures(tree: Tree, kind: int, least: int) -> Iterator[bytes]:
    """Yield the structures of a type that have at least this many bytes."""
    folder = "sys/firmware/dmi/entries"
    for name in tree.names(folder, rf"{kind}-\d+"):
        table = tree.data(f"{folder}/{name}/raw")
        if table and len(table) >= least and table[0] == kind and table[1] >= least:
            yield table


def parse_slot(raw: bytes) -> Slot | None:
    """Return the firmware's names for a slot, from a raw structure of type 17; None for a slot that is
    not main memory.
    """
    if raw[0x12] in _OTHER_USE:
        return None
    strings = raw[raw[1] :].split(b"\0")
    locator, bank = (
        strings[index - 1].decode("latin-1").strip() if 0 < index <= len(strings) else "" for index in raw[0x10:0x12]
    )
    return Slot(locator, bank)


def parse_module(raw: bytes, *, behind_cxl: bool = False) -> Module | None:
    """Return the module in a raw structure of type 17; None when it is malformed, its slot is empty or it is
    not main memory.
    """
    if len(raw) < 0x17 or raw[0] != 17 or raw[1] < 0x17 or raw[1] > len(raw):
        return None
    slot = parse_slot(raw)
    if int.from_bytes(raw[0x0C:0x0E], "little") == 0 or slot is None:
        return None
    kind = "CXL" if behind_cxl else _TYPES.get(raw[0x12])
    width = int.from_bytes(raw[0x0A:0x0C], "little")
    # Some firmware includes the bits of error correction: 72 or 80 for 64.
    data = None if width in _UNKNOWN_RATE else 1 << (width.bit_length() - 1)
    odd = raw[0x0E] in _PLUGGED and data != _OF_DIMM
    return Module(kind=kind, rate=_rate(raw, kind), width=None if odd else data, slot=slot)


def _rate(raw: bytes, kind: str | None) -> int | None:
    """Return the rate at which a module runs, not the highest that it supports, which is in the same table."""
    able = int.from_bytes(raw[0x15:0x17], "little")
    runs = int.from_bytes(raw[0x20:0x22], "little") if raw[1] >= 0x22 else able
    if runs in _UNKNOWN_RATE or runs < _SLOWEST.get(kind or "", 0):
        return None
    # Half the highest rate is ambiguous: a slow setting, or the clock in place of the rate.
    return None if abs(2 * runs - able) <= 2 else runs * 1_000_000


def describe(modules: list[Module]) -> str | None:
    """Return the modules as in "12 x DDR5-6000"; None if no module reports its kind."""
    groups = Counter((m.kind, m.rate) for m in modules if m.kind)
    texts = [f"{count} x {kind}" + (f"-{rate // 1_000_000}" if rate else "") for (kind, rate), count in groups.items()]
    return " + ".join(texts) or None


def peak_bandwidth(
    modules: list[Module], *, slots: list[Slot] | None = None, vendor: str | None = None, model: str | None = None
) -> float | None:
    """Return the B/s of all channels: width x rate of the slowest module in each; None when an operand is unknown.

    `slots`: all slots, including empty ones; `vendor`: the board's; `model`: the processors'. Memories of several
    kinds, such as HBM beside DDR5, have no common peak, and for an unknown kind the rate may be the clock.
    """
    rates = [module.rate for module in modules if module.rate]
    kinds = {module.kind for module in modules}
    if len(rates) < len(modules) or len(kinds) != 1 or kinds & {None, "CXL"}:
        return None
    used = [module.slot for module in modules]
    least = least_channels_of_socket(modules[0].kind, min(rates) // 1_000_000)
    names = channels(used, slots or used, vendor=vendor, channels_known=channels_of_socket(model), at_least=least)
    if names is None:
        return None
    peaks: dict[Hashable, float] = {}
    for module, name in zip(modules, names, strict=True):
        if module.rate is None or module.width is None:
            return None
        rate = module.rate * module.width / 8
        peaks[name] = min(rate, peaks.get(name, rate))
    return sum(peaks.values()) or None
