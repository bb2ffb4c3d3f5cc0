"""The processor's name and abilities from /proc/cpuinfo, cpufreq and archspec."""

import re
import warnings
from dataclasses import dataclass

import archspec.cpu  # type: ignore[import-untyped]

from banzuke.machine.tree import Tree

_ARM = {
    ("0x41", "0xd03"): ("ARM", "Cortex-A53", "cortex_a53"),
    ("0x41", "0xd08"): ("ARM", "Cortex-A72", "cortex_a72"),
    ("0x41", "0xd0c"): ("ARM", "Neoverse N1", "neoverse_n1"),
    ("0x41", "0xd40"): ("ARM", "Neoverse V1", "neoverse_v1"),
    ("0x41", "0xd49"): ("ARM", "Neoverse N2", "neoverse_n2"),
    ("0x41", "0xd4f"): ("ARM", "Neoverse V2", "neoverse_v2"),
    ("0x43", "0x0af"): ("Cavium", "ThunderX2", "thunderx2"),
    ("0x46", "0x001"): ("Fujitsu", "A64FX", "a64fx"),
    ("0x46", "0x003"): ("Fujitsu", "MONAKA", None),
    ("0x48", "0xd01"): ("HiSilicon", "Kunpeng 920", None),
    ("0xc0", "0xac3"): ("Ampere", "Ampere-1", None),
}
"""(implementer, part) -> vendor, model, archspec's name. Source: util-linux, sys-utils/lscpu-arm.c."""

_MATRIX = {"amx_fp16": "fp16_matrix", "amx_bf16": "bf16_matrix"}


@dataclass(frozen=True)
class CpuInfo:
    architecture: str
    model: str | None
    vendor: str | None
    microarchitecture: str | None
    stepping: str
    """Family, model and stepping (x86) or implementer, part and revision (Arm): for the fingerprint."""
    flags: frozenset[str]
    simd: str | None
    vector_bits: int | None
    formats: list[str]
    nominal_hz: float | None
    maximum_hz: float | None
    logical: int


def fields(text: str) -> dict[str, str]:
    """Fields of the first processor; text that belongs to all of them (Arm's older layout) included."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, separator, value = line.partition(":")
        if separator:
            found.setdefault(name.strip(), value.strip())
    return found


def cpuinfo(tree: Tree, architecture: str) -> CpuInfo:
    text = tree.text("proc/cpuinfo") or ""
    found = fields(text)
    flags = frozenset((found.get("flags") or found.get("Features") or "").split())
    vendor, model, microarchitecture = _names(found)
    if tree.is_this_machine:
        microarchitecture = _archspec() or microarchitecture
    simd, bits = _simd(tree, flags)
    nominal = tree.integer("sys/devices/system/cpu/cpu0/cpufreq/base_frequency")
    maximum = tree.integer("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    keys = ("cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant", "CPU revision")
    return CpuInfo(
        architecture=architecture,
        model=model,
        vendor=vendor,
        microarchitecture=microarchitecture,
        stepping=" ".join(found[key] for key in keys if key in found),
        flags=flags,
        simd=simd,
        vector_bits=bits,
        formats=_formats(flags, simd),
        nominal_hz=nominal * 1e3 if nominal else _hz_in(model),
        maximum_hz=maximum * 1e3 if maximum else None,
        logical=len(re.findall(r"^processor\s*:", text, re.MULTILINE)),
    )


def _names(found: dict[str, str]) -> tuple[str | None, str | None, str | None]:
    key = (found.get("CPU implementer", ""), found.get("CPU part", ""))
    if key in _ARM:
        return _ARM[key]
    model = found.get("model name") or found.get("cpu") or found.get("Model") or found.get("Processor")
    return found.get("vendor_id"), model, None


def _hz_in(model: str | None) -> float | None:
    """Nominal clock that Intel writes into the name: "... @ 2.10GHz"."""
    match = re.search(r"@\s*(\d+(?:\.\d+)?)\s*([GM])Hz", model or "")
    return float(match[1]) * (1e9 if match[2] == "G" else 1e6) if match else None


def _archspec() -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it cannot read what we read ourselves
            name = str(archspec.cpu.host().name)
    except Exception:  # noqa: BLE001
        return None  # whatever an unknown processor does to the data base, the rest of the description stands
    return name if name != "unknown" else None


def _simd(tree: Tree, flags: frozenset[str]) -> tuple[str | None, int | None]:
    """Widest extension that the kernels of this package can use, and its width in bits."""
    if {"avx512f", "avx512dq", "avx512vl"} <= flags:
        return "AVX-512", 512
    if {"avx2", "fma"} <= flags:
        return "AVX2", 256
    if "sve" in flags:
        length = tree.integer("proc/sys/abi/sve_default_vector_length")
        return "SVE", length * 8 if length else None
    if "asimd" in flags:
        return "NEON", 128
    return ("scalar", 64) if flags else (None, None)


def _formats(flags: frozenset[str], simd: str | None) -> list[str]:
    """What it computes with beside FP64 and FP32; every SVE has half precision, NEON as an option."""
    half = {"AVX-512": "avx512_fp16", "SVE": "sve", "NEON": "asimdhp"}.get(simd or "")
    found = ["fp16"] if half in flags else []
    return found + [name for flag, name in _MATRIX.items() if flag in flags]
