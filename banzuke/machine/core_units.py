"""Vector FMA units of cores in processors with several kinds, for kinds on which nothing was measured.

Each number follows from the FP64 rate of one core and its clock, as pigirons/cpufp measured them on the machine named
beside it: flop per cycle / (2 x lanes).
"""

from collections.abc import Mapping

NEON = 128
AVX2 = 256
SOURCE = "github.com/pigirons/cpufp, benchmark_result"

_ARM: Mapping[str, int] = {
    "Cortex-A53": 1,  # RK3399: 5.63 Gflop/s at 1.4 GHz
    "Cortex-A55": 1,  # RK3588: 7.30 at 1.8
    "Cortex-A72": 1,  # RK3399: 7.17 at 1.8; BCM2711: 5.98 at 1.5
    "Cortex-A76": 2,  # BCM2712: 19.2 at 2.4
    "Cortex-A520": 1,  # CD8180: 7.18 at 1.8
    "Cortex-A720": 2,  # CD8180: 20.0 at 2.5
    "Kunpeng 920": 1,  # 7260: 10.4 at 2.6
    "FTC663": 1,  # D2000: 9.19 at 2.3
    "Oryon": 4,  # X1E80100: 65.2 at 4.0
    "Avalanche (M2 Max)": 4,  # M2 Max: 54.1 at 3.4
}
"""Units of 128 bits, by the core's name."""
_INTEL: Mapping[str, int] = {
    "performance": 2,  # i5-1340P, Raptor Cove: 73.4 at 4.6; Ultra 7 255H, Lion Cove: 81.0 at 5.1
    "efficiency": 1,  # i5-1340P, Gracemont: 27.1 at 3.4; Ultra 7 255H, cores of low power: 19.6 at 2.5
}
"""Units of 256 bits, by the kind of core."""
_SKYMONT: Mapping[str, int] = {**_INTEL, "efficiency": 2}  # Ultra 7 255H, Skymont: 70.2 at 4.4
_LAKES: Mapping[str, Mapping[str, int]] = {
    **dict.fromkeys(("151", "154", "183", "186", "191", "170", "172", "181"), _INTEL),
    "197": {"performance": 2},  # its efficient cores are Skymont, and those of low power have one unit
    **dict.fromkeys(("198", "189"), _SKYMONT),
}
"""Kinds by models of family 6: Alder, Raptor, Meteor and Arrow Lake-U; Arrow Lake-H; Arrow Lake-S and Lunar Lake."""


def units(kind: str, vector_bits: int | None, processor: tuple[str, str, str]) -> int | None:
    """Return the FMA units of a kind of core; `processor`: vendor, family and model numbers (x86). None: not known."""
    name = kind.partition(", ")[0]  # without its clock
    vendor, family, model = processor
    if vector_bits == NEON:
        return _ARM.get(name)
    if vector_bits == AVX2 and (vendor, family) == ("GenuineIntel", "6"):
        return _LAKES.get(model, {}).get(name)
    return None
