"""Names of processors that the kernel identifies by numbers.

Arm's are those of util-linux, sys-utils/lscpu-arm.c, and of Linux, arch/arm64/include/asm/cputype.h; Apple's
since M3 and Oryon V3 are those of pytorch/cpuinfo (pull requests 385 and 357); IBM Z's machine types are those
of IBM's own list.
"""

from collections.abc import Mapping

ARM: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "0x41": (
        "ARM",
        {
            "0xb02": "ARM11 MPCore", "0xb36": "ARM1136", "0xb56": "ARM1156", "0xb76": "ARM1176", "0xc05": "Cortex-A5",
            "0xc07": "Cortex-A7", "0xc08": "Cortex-A8", "0xc09": "Cortex-A9", "0xc0d": "Cortex-A17",
            "0xc0e": "Cortex-A17", "0xc0f": "Cortex-A15", "0xd01": "Cortex-A32", "0xd02": "Cortex-A34",
            "0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55", "0xd06": "Cortex-A65",
            "0xd07": "Cortex-A57", "0xd08": "Cortex-A72", "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75",
            "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1", "0xd0d": "Cortex-A77", "0xd0e": "Cortex-A76AE",
            "0xd14": "Cortex-R82AE", "0xd15": "Cortex-R82", "0xd40": "Neoverse V1", "0xd41": "Cortex-A78",
            "0xd42": "Cortex-A78AE", "0xd43": "Cortex-A65AE", "0xd44": "Cortex-X1", "0xd46": "Cortex-A510",
            "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse N2", "0xd4a": "Neoverse E1",
            "0xd4b": "Cortex-A78C", "0xd4c": "Cortex-X1C", "0xd4d": "Cortex-A715", "0xd4e": "Cortex-X3",
            "0xd4f": "Neoverse V2", "0xd80": "Cortex-A520", "0xd81": "Cortex-A720", "0xd82": "Cortex-X4",
            "0xd83": "Neoverse V3AE", "0xd84": "Neoverse V3", "0xd85": "Cortex-X925", "0xd87": "Cortex-A725",
            "0xd88": "Cortex-A520AE", "0xd89": "Cortex-A720AE", "0xd8a": "C1-Nano", "0xd8b": "C1-Pro",
            "0xd8c": "C1-Ultra", "0xd8e": "Neoverse N3", "0xd8f": "Cortex-A320", "0xd90": "C1-Premium",
        },
    ),
    "0x42": ("Broadcom", {"0x00f": "Brahma B15", "0x100": "Brahma B53", "0x516": "ThunderX2"}),
    "0x43": (
        "Cavium",
        {
            "0x0a0": "ThunderX", "0x0a1": "ThunderX 88XX", "0x0a2": "ThunderX 81XX", "0x0a3": "ThunderX 83XX",
            "0x0af": "ThunderX2", "0x0b0": "OCTEON TX2", "0x0b1": "OCTEON TX2 98XX", "0x0b2": "OCTEON TX2 96XX",
            "0x0b3": "OCTEON TX2 95XX", "0x0b4": "OCTEON TX2 95XXN", "0x0b5": "OCTEON TX2 95XXMM",
            "0x0b6": "OCTEON TX2 95XXO", "0x0b8": "ThunderX3",
        },
    ),
    "0x46": ("Fujitsu", {"0x001": "A64FX", "0x003": "MONAKA"}),
    "0x48": (
        "HiSilicon",
        {
            "0xd01": "Kunpeng 920", "0xd02": "Kunpeng 920", "0xd03": "Kunpeng 920", "0xd06": "Kunpeng 950",
            "0xd22": "Kunpeng 920", "0xd40": "Cortex-A76", "0xd41": "Cortex-A77",
        },
    ),
    "0x4e": ("NVIDIA", {"0x000": "Denver", "0x003": "Denver 2", "0x004": "Carmel", "0x010": "Olympus"}),
    "0x50": ("APM", {"0x000": "X-Gene"}),
    "0x51": (
        "Qualcomm",
        {
            "0x001": "Oryon", "0x002": "Oryon V3", "0x00f": "Scorpion", "0x02d": "Scorpion", "0x04d": "Krait",
            "0x06f": "Krait", "0x200": "Kryo", "0x201": "Kryo", "0x205": "Kryo", "0x211": "Kryo",
            "0x800": "Falkor V1/Kryo 2XX Gold", "0x801": "Kryo 2XX Silver", "0x802": "Kryo 3XX Gold",
            "0x803": "Kryo 3XX Silver", "0x804": "Kryo 4XX Gold", "0x805": "Kryo 4XX Silver", "0xc00": "Falkor",
            "0xc01": "Saphira",
        },
    ),
    "0x53": ("Samsung", {"0x001": "Exynos M1", "0x002": "Exynos M3", "0x003": "Exynos M4", "0x004": "Exynos M5"}),
    "0x56": ("Marvell", {"0x131": "Feroceon 88FR131", "0x581": "PJ4", "0x584": "PJ4B-MP"}),
    "0x61": (
        "Apple",
        {
            "0x000": "Swift", "0x001": "Cyclone", "0x002": "Typhoon", "0x003": "Typhoon", "0x004": "Twister",
            "0x005": "Twister", "0x006": "Hurricane", "0x007": "Hurricane", "0x008": "Monsoon", "0x009": "Mistral",
            "0x00b": "Vortex", "0x00c": "Tempest", "0x00f": "Tempest (M9)", "0x010": "Vortex", "0x011": "Tempest",
            "0x012": "Lightning", "0x013": "Thunder", "0x020": "Icestorm (A14)", "0x021": "Firestorm (A14)",
            "0x022": "Icestorm (M1)", "0x023": "Firestorm (M1)", "0x024": "Icestorm (M1 Pro)",
            "0x025": "Firestorm (M1 Pro)", "0x026": "Thunder (M10)", "0x028": "Icestorm (M1 Max)",
            "0x029": "Firestorm (M1 Max)", "0x030": "Blizzard (A15)", "0x031": "Avalanche (A15)",
            "0x032": "Blizzard (M2)", "0x033": "Avalanche (M2)", "0x034": "Blizzard (M2 Pro)",
            "0x035": "Avalanche (M2 Pro)", "0x036": "Sawtooth (A16)", "0x037": "Everest (A16)",
            "0x038": "Blizzard (M2 Max)", "0x039": "Avalanche (M2 Max)", "0x042": "Sawtooth (M3)",
            "0x043": "Everest (M3)", "0x044": "Sawtooth (M3 Pro)", "0x045": "Everest (M3 Pro)",
            "0x048": "Sawtooth (M3 Max)", "0x049": "Everest (M3 Max)", "0x052": "Sawtooth (M4)",
            "0x053": "Everest (M4)",
        },
    ),
    "0x6d": ("Microsoft", {"0xd49": "Azure Cobalt 100"}),
    "0x70": (
        "Phytium",
        {
            "0x303": "FTC310", "0x660": "FTC660", "0x661": "FTC661", "0x662": "FTC662", "0x663": "FTC663",
            "0x664": "FTC664", "0x862": "FTC862",
        },
    ),
    "0xc0": ("Ampere", {"0xac3": "Ampere-1", "0xac4": "Ampere-1a"}),
}  # fmt: skip
"""Implementer -> vendor, and part -> model."""

ARCHSPEC = {
    "Cortex-A53": "cortex_a53", "Cortex-A72": "cortex_a72", "Neoverse N1": "neoverse_n1",
    "Neoverse V1": "neoverse_v1", "Neoverse N2": "neoverse_n2", "Neoverse V2": "neoverse_v2",
    "ThunderX2": "thunderx2", "A64FX": "a64fx",
}  # fmt: skip
"""archspec's name of each model."""

IBM_Z = {
    "2817": "z196", "2818": "z114", "2827": "zEC12", "2828": "zBC12", "2964": "z13", "2965": "z13s", "3906": "z14",
    "3907": "z14 ZR1", "8561": "z15", "8562": "z15 T02", "3931": "z16", "3932": "z16 A02", "9175": "z17",
}  # fmt: skip
"""Names by machine type."""

RISC_V = {"0x31e": "Andes", "0x489": "SiFive", "0x5b7": "T-Head", "0x710": "SpacemiT", "0x61f": "Tenstorrent"}
"""Vendors by mvendorid, their JEDEC number."""
