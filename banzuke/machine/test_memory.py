from banzuke.machine.cgroup import Limits
from banzuke.machine.conftest import Plant
from banzuke.machine.memory import installed, memory, memory_left, parse_module, peak_bandwidth


def module(locator: str, bank: str = "", *, size: int = 0x7FFF, kind: int = 0x22, rate: int = 4800) -> bytes:
    """A structure of type 17 as SMBIOS 3.2 lays it out."""
    raw = bytearray(0x54)
    raw[0], raw[1] = 17, len(raw)
    raw[0x0A:0x0C] = (64).to_bytes(2, "little")
    raw[0x0C:0x0E] = size.to_bytes(2, "little")
    raw[0x10], raw[0x11], raw[0x12] = 1, 2, kind
    raw[0x15:0x17] = (5600).to_bytes(2, "little")
    raw[0x20:0x22] = rate.to_bytes(2, "little")
    return bytes(raw) + f"{locator}\0{bank or 'none'}\0\0".encode()


def test_bandwidth_counts_channels_not_modules(plant: Plant) -> None:
    names = ["CPU1_DIMM_A1", "CPU1_DIMM_A2", "CPU1_DIMM_B1", "CPU2_DIMM_A1"]
    files = {f"sys/firmware/dmi/entries/17-{i}/raw": module(name) for i, name in enumerate(names)}
    empty = {"sys/firmware/dmi/entries/17-9/raw": module("CPU2_DIMM_B1", size=0)}
    found = memory(plant(files | empty | {"proc/meminfo": b"MemTotal: 1024 kB\n"}))
    assert found.kind == "4 x DDR5-4800"
    assert found.peak_bandwidth == 3 * 8 * 4800e6


def test_channels_named_by_the_bank() -> None:
    modules = [parse_module(module("DIMM 0", f"P0 CHANNEL {letter}")) for letter in "ABBC"]
    assert peak_bandwidth([one for one in modules if one]) == 3 * 8 * 4800e6


def test_a_locator_without_channel_leaves_the_bandwidth_unknown() -> None:
    found = parse_module(module("DIMM 0"))
    assert found is not None
    assert found.channel is None
    assert peak_bandwidth([found]) is None


def test_malformed_tables() -> None:
    whole = module("A1")
    assert all(parse_module(whole[:length]) is None for length in range(0x17))
    assert parse_module(b"\xff" * 100) is None
    assert peak_bandwidth([]) is None


def test_limits_of_groups(plant: Plant) -> None:
    tree = plant({"proc/meminfo": "MemTotal:  1000 kB\nMemFree:  300 kB\nMemAvailable:  800 kB\nHugePages_Total: 5"})
    assert memory(tree).total == 1000 << 10
    assert memory_left(tree, Limits()) == (1000 << 10, 800 << 10)
    assert memory_left(tree, Limits(memory=500 << 10, memory_left=90 << 10)) == (500 << 10, 90 << 10)


def test_installed_memory_is_whole_gib(plant: Plant) -> None:
    tree = plant({"proc/meminfo": "MemTotal: 24684092 kB"})
    assert installed(tree) == 24
    blocks = {f"sys/devices/system/memory/memory{i}/state": "online" for i in range(16)}
    assert installed(plant(blocks | {"sys/devices/system/memory/block_size_bytes": "8000000"})) == 2
