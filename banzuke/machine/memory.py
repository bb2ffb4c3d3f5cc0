"""Memory: what there is, what cgroups leave, and its modules where the firmware's tables may be read."""

import re
from collections import Counter
from dataclasses import dataclass

from banzuke.machine.cgroup import Limits
from banzuke.machine.site import Memory
from banzuke.machine.tree import Tree, parse_size

_TYPES = {
    0x18: "DDR3", 0x1A: "DDR4", 0x1B: "LPDDR", 0x1C: "LPDDR2", 0x1D: "LPDDR3", 0x1E: "LPDDR4",
    0x20: "HBM", 0x21: "HBM2", 0x22: "DDR5", 0x23: "LPDDR5", 0x24: "HBM3",
}  # fmt: skip
_UNKNOWN_RATE = (0, 0xFFFF)


@dataclass(frozen=True)
class Module:
    """One populated memory device, from SMBIOS structure type 17 (DMTF DSP0134, section 7.18)."""

    kind: str | None
    rate: int | None
    """Transfers per second."""
    width: int | None
    """Data bits."""
    channel: str | None
    """None: its locators do not show it."""


def memory(tree: Tree) -> Memory:
    modules = dmi_modules(tree)
    total = _meminfo(tree).get("MemTotal")
    return Memory.of_known(total=total, kind=describe(modules), peak_bandwidth=peak_bandwidth(modules))


def memory_left(tree: Tree, limits: Limits) -> tuple[int, int]:
    """Bytes that cgroups allow, and of these the free ones; 0 when /proc/meminfo cannot be read."""
    info = _meminfo(tree)
    allowed, available = info.get("MemTotal", 0), info.get("MemAvailable", info.get("MemFree", 0))
    if limits.memory is not None:
        allowed = min(allowed, limits.memory)
    if limits.memory_left is not None:
        available = min(available, limits.memory_left)
    return allowed, available


def installed(tree: Tree) -> int:
    """Bytes that the hardware presents: unlike MemTotal the same under every kernel, in whole GiB."""
    block = tree.text("sys/devices/system/memory/block_size_bytes")
    count = len(tree.names("sys/devices/system/memory", r"memory\d+"))
    try:
        total = int(block or "", 16) * count
    except ValueError:
        total = 0
    return (total or _meminfo(tree).get("MemTotal", 0)) + (1 << 29) >> 30


def _meminfo(tree: Tree) -> dict[str, int]:
    pairs = re.findall(r"^(\w+):\s+(\d+) kB$", tree.text("proc/meminfo") or "", re.MULTILINE)
    return {name: size for name, value in pairs if (size := parse_size(f"{value}K")) is not None}


def dmi_modules(tree: Tree) -> list[Module]:
    """Populated modules; empty when the tables may not be read (they are root's) or hold none."""
    folder = "sys/firmware/dmi/entries"
    tables = (tree.data(f"{folder}/{name}/raw") for name in tree.names(folder, r"17-\d+"))
    return [module for table in tables if table and (module := parse_module(table))]


def parse_module(raw: bytes) -> Module | None:
    """One raw structure of type 17; None when it is malformed or its slot is empty."""
    if len(raw) < 0x17 or raw[0] != 17 or raw[1] < 0x17 or raw[1] > len(raw):
        return None
    if int.from_bytes(raw[0x0C:0x0E], "little") == 0:
        return None
    strings = raw[raw[1] :].split(b"\0")
    locator, bank = (
        strings[index - 1].decode("latin-1").strip() if 0 < index <= len(strings) else "" for index in raw[0x10:0x12]
    )
    speed = int.from_bytes(raw[0x15:0x17], "little")
    if raw[1] >= 0x22:
        configured = int.from_bytes(raw[0x20:0x22], "little")
        speed = configured if configured not in _UNKNOWN_RATE else speed
    width = int.from_bytes(raw[0x0A:0x0C], "little")
    return Module(
        kind=_TYPES.get(raw[0x12]),
        rate=None if speed in _UNKNOWN_RATE else speed * 1_000_000,
        width=None if width in _UNKNOWN_RATE else width,
        channel=_channel(locator, bank),
    )


def _channel(locator: str, bank: str) -> str | None:
    """What names the channel: "P0 CHANNEL A" in the bank, or "CPU1_DIMM_A2" without the slot's digit."""
    if match := re.search(r"^.*CHANNEL\s*\w", bank, re.IGNORECASE):
        return match[0]
    match = re.search(r"^(.*[A-Z])\d$", locator)
    return match[1] if match else None


def describe(modules: list[Module]) -> str | None:
    """E.g. "12 x DDR5-6000"; None if no module reports its kind."""
    groups = Counter((m.kind, m.rate) for m in modules if m.kind)
    texts = [f"{count} x {kind}" + (f"-{rate // 1_000_000}" if rate else "") for (kind, rate), count in groups.items()]
    return " + ".join(texts) or None


def peak_bandwidth(modules: list[Module]) -> float | None:
    """B/s: over all channels, width x rate of the slowest module in it; None when any operand is unknown."""
    channels: dict[str, float] = {}
    for module in modules:
        if module.channel is None or module.rate is None or module.width is None:
            return None
        rate = module.rate * module.width / 8
        channels[module.channel] = min(rate, channels.get(module.channel, rate))
    return sum(channels.values()) or None
