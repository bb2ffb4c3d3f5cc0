from collections.abc import Sequence

import pytest

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
    described = memory(plant(files | empty | {"proc/meminfo": b"MemTotal: 1024 kB\n"}))
    assert described.kind == "4 x DDR5-4800"
    assert described.peak_bandwidth == 3 * 8 * 4800e6


def test_channels_named_by_the_bank() -> None:
    modules = [parse_module(module("DIMM 0", f"P0 CHANNEL {letter}")) for letter in "ABBC"]
    assert peak_bandwidth([populated for populated in modules if populated]) == 3 * 8 * 4800e6


def test_a_locator_without_channel_leaves_the_bandwidth_unknown() -> None:
    parsed = parse_module(module("DIMM 0"))
    assert parsed is not None
    assert peak_bandwidth([parsed]) is None


XEON_6 = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"
XEON_8 = "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz"
EPYC_12 = "AMD EPYC 9654 96-Core Processor"


def board(
    names: Sequence[tuple[str, str]], *, rate: int, kind: int = 0x1A, empty: Sequence[tuple[str, str]] = ()
) -> dict[str, bytes]:
    """A table of modules and of empty slots."""
    tables = [module(*name, rate=rate, kind=kind) for name in names] + [module(*name, size=0) for name in empty]
    return {f"sys/firmware/dmi/entries/17-{number}/raw": table for number, table in enumerate(tables)}


def numbered(text: str, *numbers: int, bank: str = "Not Specified") -> list[tuple[str, str]]:
    return [(text.format(number), bank) for number in numbers]


@pytest.mark.parametrize(
    ("names", "empty", "rate", "kind", "channels"),
    [
        # Dell, two sockets
        (numbered("A{}", *range(1, 7)) + numbered("B{}", *range(1, 7)), [], 2933, 0x1A, 12),
        (numbered("A{}", *range(1, 9)) + numbered("B{}", *range(1, 9)), [], 4800, 0x22, 16),
        (numbered("A{}", 1, 2, 3, 4), numbered("B{}", 1, 2, 3, 4), 2400, 0x1A, None),
        (numbered("A{}", *range(1, 13)) + numbered("B{}", *range(1, 13)), [], 2933, 0x1A, None),
        (numbered("A{}", *range(1, 7)) + numbered("B{}", *range(1, 7)), [], 2400, 0x1A, None),
        # letters of channels on a desktop board
        ([("A1", "Bank0/1"), ("A2", "Bank2/3"), ("B1", "Bank4/5"), ("B2", "Bank6/7")], [], 3200, 0x1A, None),
        # Supermicro; the banks of some are those of the first slot for all
        ([(f"P1-DIMM{letter}1", f"P0_Node0_Channel{i}_Dimm0") for i, letter in enumerate("ABCD")], [], 2400, 0x1A, 4),
        ([(f"P1-DIMM{letter}1", "P0_Node0_Channel0_Dimm0") for letter in "ABCDEFGH"], [], 4800, 0x22, 8),
        ([("DIMMA1", "P0_Node0_Channel0_Dimm0"), ("DIMMB1", "P0_Node0_Channel1_Dimm0")], [], 3600, 0x22, 2),
        # the two contradict each other
        ([("DIMM_A1", "P0_Node0_Channel0_Dimm0"), ("DIMM_B1", "P0_Node0_Channel0_Dimm1")], [], 3600, 0x22, None),
        # more than nine channels
        ([("x", f"P0_Node0_Channel{i}_Dimm0") for i in range(12)], [], 4800, 0x22, 12),
        # Gigabyte
        ([(f"DIMM_P{p}_{c}{s}", f"BANK {s}") for p in "01" for c in "ABCDEFGH" for s in "01"], [], 3200, 0x1A, 16),
        ([(f"DIMM_P0_{letter}0", "BANK 0") for letter in "ABCDEFGHIJKL"], [], 4800, 0x22, 12),
        # Cisco, Intel, AMD, Amazon, Huawei, Quanta, Inspur
        ([("DIMM_A1", "NODE 0 CHANNEL 0 DIMM 0"), ("DIMM_B1", "NODE 0 CHANNEL 1 DIMM 0")], [], 2133, 0x1A, 2),
        ([(f"CPU{p}_DIMM_{c}{s}", f"NODE {p}") for p in "12" for c in "ABCDEF" for s in "12"], [], 2666, 0x1A, 12),
        ([("CPU1_DIMM_Q1", "P1 CHANNEL Q"), ("CPU1_DIMM_R1", "P1 CHANNEL R")], [], 2933, 0x1A, 2),
        ([("DIMM_A0", "NODE 1"), ("DIMM_A1", "NODE 1"), ("DIMM_G0", "NODE 2")], [], 2666, 0x1A, 2),
        ([(f"CPU0 Channel{c} DIMM{s}", "NODE 0") for c in range(8) for s in "01"], [], 3200, 0x1A, 8),
        ([("DIMM130 J40", "_Node1_Channel3_Dimm0"), ("DIMM140 J41", "_Node1_Channel4_Dimm0")], [], 2666, 0x1A, 2),
        ([(f"CPU{p} CH{c}/D{s}", f"BANK {c}") for p in "01" for c in range(8) for s in "01"], [], 4800, 0x22, 16),
        ([(f"CPU{p}_DIMM_{c}", "BANK 0") for p in "01" for c in "ABCDEFGHIJKL"], [], 6400, 0x22, 24),
        ([(f"CPU{p}_MC0_DIMM_{c}{s}", "NODE 0") for p in "01" for c in "AB" for s in "01"], [], 3200, 0x1A, 4),
        ([(f"DIMM{c}0 J{c}", f"SOCKET 0 CHANNEL {c} DIMM 0") for c in range(8)], [], 2400, 0x1A, 8),
        # a channel that two sockets have
        ([(f"CPU{p} DIMM {s}", f"CHANNEL {c}") for p in "01" for c in "AB" for s in "01"], [], 3200, 0x1A, None),
        ([("DIMM 0", f"CHANNEL {c}") for c in "ABAB"], [], 3200, 0x1A, None),
        ([(f"DIMM {s}", f"CHANNEL {c}") for c in "AB" for s in "01"], [], 3200, 0x1A, 2),
        ([(f"CPU{p}_C{c}D{s}", "NODE 0") for p in "01" for c in range(8) for s in "01"], [], 3200, 0x1A, 16),
        # desktops and laptops
        ([("ChannelA-DIMM0", "BANK 0"), ("ChannelB-DIMM0", "BANK 2")], [], 2667, 0x1A, 2),
        ([(f"Controller{c}-Channel{x}-DIMM0", "BANK 0") for c in "01" for x in "AB"], [], 5600, 0x22, 4),
        ([("DIMM 0", "P0 CHANNEL A"), ("DIMM 1", "P0 CHANNEL A"), ("DIMM 0", "P0 CHANNEL B")], [], 6000, 0x22, 2),
        ([("DIMM_A2", "BANK 1"), ("DIMM_B2", "BANK 3")], [("DIMM_A1", "BANK 0"), ("DIMM_B1", "BANK 2")], 3200, 0x1A, 2),
        # numbers of slots, of which the channels are unknown: HP, IBM, Lenovo, Dell's towers, AMI, QEMU
        (numbered("PROC 1 DIMM {}", 1, 3, 5), numbered("PROC 1 DIMM {}", 2, 4, 6), 2400, 0x1A, None),
        ([*numbered("PROC  1 DIMM {}", 1), ("PROC  1 DIMM 6D", "Not Specified")], [], 1333, 0x18, None),
        (numbered("DIMM {}", *range(1, 9), bank="Bank 1"), [], 2933, 0x1A, None),
        (numbered("DIMM{}", 0, 1, bank="BANK 0"), [], 2666, 0x1A, None),
        (numbered("CPU0-DIMM{}", 1, 2, bank="CPU0"), [], 2400, 0x1A, None),
        (numbered("Node0_Dimm{}", 0, 1, bank="Node0_Bank0"), [], 1600, 0x18, None),
        (numbered("A1_DIMM{}", 0, 1, bank="A1_BANK0"), [], 1600, 0x18, None),
        (numbered("XMM{}", 1, 2), [], 1333, 0x18, None),
        (numbered("M{}", 1, 2, bank="Bank 0"), [], 1333, 0x18, None),
        ([("DIMM A", "Not Specified"), ("DIMM B", "Not Specified")], [], 1600, 0x18, None),
        # a letter that is no channel's: it has more slots than any channel
        ([(f"DIMM_A{slot}", "NODE 0") for slot in range(1, 7)], [], 2933, 0x1A, None),
        ([("DIMM_A1", "BANK 0"), ("DIMM_A1", "BANK 0")], [], 3200, 0x1A, None),
    ],
)
def test_every_maker_names_slots_in_another_way(
    names: list[tuple[str, str]], empty: list[tuple[str, str]], rate: int, kind: int, channels: int | None, plant: Plant
) -> None:
    """As public outputs of dmidecode show them."""
    peak = memory(plant(board(names, rate=rate, kind=kind, empty=empty))).peak_bandwidth
    assert peak == (None if channels is None else channels * 8 * rate * 1e6)


@pytest.mark.parametrize(
    ("names", "empty", "model", "channels"),
    [
        # the second slots of a channel come after all the first ones
        (numbered("A{}", *range(1, 13)) + numbered("B{}", *range(1, 13)), [], XEON_6, 12),
        (numbered("A{}", *range(1, 13)), [], XEON_8, 8),
        (numbered("A{}", *range(1, 13)), [], EPYC_12, 12),
        (numbered("A{}", 1, 2), [], XEON_6, 2),
        (numbered("A{}", 1, 2), [], None, None),
        (numbered("PROC 1 DIMM {}", 1, 3, 5, 8, 10, 12), numbered("PROC 1 DIMM {}", 2, 4, 6, 7, 9, 11), XEON_6, 6),
        (numbered("PROC 1 DIMM {}", 1, 2), numbered("PROC 1 DIMM {}", *range(3, 13)), XEON_6, 1),
        (numbered("PROC 1 DIMM {}", *range(1, 13)), [], EPYC_12, 12),
        (numbered("PROC 1 DIMM {}", 1, 3), [], XEON_6, None),
    ],
)
def test_numbers_of_slots_tell_channels_where_the_processors_number_of_them_is_known(
    names: list[tuple[str, str]], empty: list[tuple[str, str]], model: str | None, channels: int | None, plant: Plant
) -> None:
    files: dict[str, str | bytes] = {**board(names, rate=2933, empty=empty), "sys/class/dmi/id/sys_vendor": "Dell Inc."}
    peak = memory(plant(files | ({"proc/cpuinfo": f"model name\t: {model}"} if model else {}))).peak_bandwidth
    assert peak == (None if channels is None else channels * 8 * 2933e6)


def test_letters_of_dell_s_are_sockets_in_the_older_names_too(plant: Plant) -> None:
    """`DIMM_A1` to `DIMM_A3` are three channels of an R710, but one channel on other makers' boards."""
    files: dict[str, str | bytes] = {**board(numbered("DIMM_A{}", 1, 2, 3), rate=1333, kind=0x18)}
    assert memory(plant(files)).peak_bandwidth == 8 * 1333e6
    assert memory(plant(files | {"sys/class/dmi/id/sys_vendor": "Dell Inc."})).peak_bandwidth is None


@pytest.mark.parametrize(
    "mark",
    [
        {"proc/cpuinfo": "flags\t: fpu lm hypervisor"},
        {"sys/class/dmi/id/product_name": "m7g.large", "sys/class/dmi/id/sys_vendor": "Amazon EC2"},
    ],
)
def test_modules_of_a_virtual_machine_have_no_peak(mark: dict[str, str | bytes], plant: Plant) -> None:
    files: dict[str, str | bytes] = {**board([("DIMM_A1", "BANK 0")], rate=4800, kind=0x22)}
    assert memory(plant(files | mark)).peak_bandwidth is None


def described(*, width: int = 64, form: int = 0x09, kind: int = 0x22, rate: int = 4800) -> float | None:
    raw = bytearray(module("CPU1_DIMM_A1", kind=kind, rate=rate))
    raw[0x0A:0x0C], raw[0x0E] = width.to_bytes(2, "little"), form
    parsed = parse_module(bytes(raw))
    return peak_bandwidth([parsed] if parsed else [])


def test_what_the_firmware_does_not_know_is_unknown() -> None:
    assert described() == 8 * 4800e6
    assert described(rate=0) is None  # what it could do at most is told, and not how it runs
    assert described(kind=0x02) is None
    assert described(width=32) is None  # half of a module
    assert described(width=16, form=0x0B, kind=0x23, rate=6400) == 2 * 6400e6  # soldered
    assert described(width=32, form=0x0B, kind=0x13, rate=333) is None  # the clock of DDR2


def test_arrays_tell_what_is_behind_cxl_and_what_is_no_main_memory(plant: Plant) -> None:
    def array(handle: int, location: int, use: int) -> bytes:
        return bytes([16, 0x17, handle, 0, location, use]) + bytes(0x11)

    def slot(name: str, handle: int) -> bytes:
        raw = bytearray(module(name))
        raw[4] = handle
        return bytes(raw)

    folder = "sys/firmware/dmi/entries"
    files: dict[str, str | bytes] = {
        f"{folder}/16-0/raw": array(1, 0x03, 0x03),
        f"{folder}/16-1/raw": array(2, 0x03, 0x05),
        f"{folder}/17-0/raw": slot("CPU1_DIMM_A1", 1),
        f"{folder}/17-1/raw": slot("CPU1_DIMM_B1", 2),
    }
    assert memory(plant(files)).peak_bandwidth == 8 * 4800e6
    cxl = memory(plant(files | {f"{folder}/16-1/raw": array(2, 0xA4, 0x03)}))
    assert cxl.peak_bandwidth is None
    assert cxl.kind == "1 x DDR5-4800 + 1 x CXL-4800"


def test_bits_of_error_correction_carry_no_data() -> None:
    raw = bytearray(module("CPU1_DIMM_A1"))
    for width in (72, 80):
        raw[0x0A:0x0C] = width.to_bytes(2, "little")
        parsed = parse_module(bytes(raw))
        assert parsed
        assert parsed.width == 64


@pytest.mark.parametrize(("kind", "rate", "expected"), [(0x1A, 1067, None), (0x22, 2800, None), (0x1A, 1333, 1333)])
def test_a_clock_in_the_place_of_a_rate_is_no_rate(kind: int, rate: int, expected: int | None) -> None:
    parsed = parse_module(module("CPU1_DIMM_A1", kind=kind, rate=rate))
    assert parsed
    assert parsed.rate == (expected and expected * 1_000_000)


def test_what_is_no_main_memory_is_no_module() -> None:
    """Optane and a firmware chip, which are in the same table."""
    assert parse_module(module("CPU1_DIMM_A2", kind=0x1F)) is None
    assert parse_module(module("SYSTEM ROM", kind=0x09)) is None


def test_memories_of_two_kinds_have_no_peak_in_common() -> None:
    modules = [parse_module(module("CPU1_DIMM_A1")), parse_module(module("CPU1_DIMM_B1", kind=0x24))]
    assert peak_bandwidth([populated for populated in modules if populated]) is None


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
