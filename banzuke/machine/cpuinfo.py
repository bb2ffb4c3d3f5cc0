"""Reads the processor's name and capabilities from /proc/cpuinfo, cpufreq and archspec."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import archspec.cpu  # type: ignore[import-untyped]

from banzuke.machine.core_kinds import BASE, CPU, HIGHEST, clocks, common, core_kinds
from banzuke.machine.processor_names import ARCHSPEC, ARM, IBM_Z, RISC_V
from banzuke.machine.site import CoreKind
from banzuke.machine.tree import Tree, whole

_MATRIX = {"amx_fp16": "fp16_matrix", "amx_bf16": "bf16_matrix"}
_SIMD = (
    ({"avx512f", "avx512dq", "avx512vl"}, "AVX-512", 512),
    ({"avx512f"}, "AVX-512", 512),  # Xeon Phi, which has other extensions
    ({"avx2", "fma"}, "AVX2", 256),
    ({"asimd"}, "NEON", 128),
    ({"lasx"}, "LASX", 256),
    ({"lsx"}, "LSX", 128),
    ({"vx"}, "VX", 128),
    ({"mips msa"}, "MSA", 128),
    ({"v"}, "RVV", None),  # its length depends on the processor, and no file has it
)
"""Flags, and the extension that they mean with its width in bits."""
_FIRST_VSX = 7
"""First POWER version whose vectors have double precision."""
Names = tuple[str | None, str | None, str | None]
"""Vendor, model, and archspec's name."""


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
    kinds: dict[str, CoreKind] = field(default_factory=dict)
    """Each kind of core, where there are several."""


def fields(text: str) -> dict[str, str]:
    """Return the fields of the first processor, and those that apply to all (in Arm's older layout)."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, separator, value = line.partition(":")
        if separator:
            values.setdefault(name.strip(), value.strip())
    return values


def cpu_model(tree: Tree) -> tuple[str, str, str]:
    """Return vendor, family and model number of an x86 processor; empty for other processors."""
    entry = fields(tree.text("proc/cpuinfo") or "")
    return entry.get("vendor_id", ""), entry.get("cpu family", ""), entry.get("model", "")


def cpuinfo(tree: Tree, architecture: str) -> CpuInfo:
    """Return the processor. With several kinds of cores: what all have in common, joined names, and no clock."""
    text = tree.text("proc/cpuinfo") or ""
    entry = fields(text)
    flags = _common_flags(text)
    vendor, model, microarchitecture = _names(entry)
    parts = _parts(text)
    kinds = core_kinds(tree, parts)
    if kinds:
        model = _together(parts) if len(parts) > 1 else model
        microarchitecture = None
    elif tree.is_this_machine:
        microarchitecture = _archspec() or microarchitecture
    simd, bits = _simd(tree, entry, flags)
    # Even among cores of one kind, some may have slightly higher clocks than the others.
    highest = _values(tree, HIGHEST)
    maximum = common(highest) if kinds else min(highest, default=None)
    keys = ("cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant", "CPU revision")
    return CpuInfo(
        architecture=architecture,
        model=model,
        vendor=vendor,
        microarchitecture=microarchitecture,
        stepping=" ".join(entry[key] for key in keys if key in entry),
        flags=flags,
        simd=simd,
        vector_bits=bits,
        formats=_formats(flags, simd),
        nominal_hz=None if kinds else _nominal(tree, text, entry, model),
        maximum_hz=maximum * 1e3 if maximum else None,
        logical=len(re.findall(r"^processor\s*(?:\d+)?\s*:", text, re.MULTILINE)),
        kinds=kinds,
    )


def _common_flags(text: str) -> frozenset[str]:
    """Return the flags that all processors have; some kernels list them once for all."""
    flag_sets = {_flags(fields(block)) for block in re.split(r"\n\s*\n", text)} - {frozenset()}
    return frozenset.intersection(*flag_sets) if flag_sets else frozenset()


def _flags(entry: Mapping[str, str]) -> frozenset[str]:
    """Return the flags of a processor: x86's and Arm's, the letters of RISC-V's extensions, and MIPS's with a prefix,
    because `msa` means something else on IBM Z.
    """
    words = " ".join(entry.get(name, "") for name in ("flags", "Features", "features")).split()
    words += [f"mips {word}" for word in entry.get("ASEs implemented", "").split()]
    isa = re.fullmatch(r"rv(?:32|64)([a-z]+?)((?:_[a-z0-9]+)*)", entry.get("isa", ""))
    return frozenset(words + ([*isa[1], *isa[2].split("_")[1:]] if isa else []))


def _parts(text: str) -> dict[str, list[int]]:
    """Return the processors of each of Arm's parts, which are listed for each processor."""
    parts: dict[str, list[int]] = {}
    implementer, cpu = "", 0
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "processor":
            cpu = whole(value) or 0
        elif name == "CPU implementer":
            implementer = value
        elif name == "CPU part":
            parts.setdefault(_arm(implementer, value), []).append(cpu)
    return parts


def _together(parts: Mapping[str, Sequence[int]]) -> str:
    return " + ".join(f"{len(cpus)} x {name}" for name, cpus in parts.items())


def _arm(implementer: str, part: str) -> str:
    vendor, models = ARM.get(implementer, (f"implementer {implementer}", {}))
    return models.get(part) or f"{vendor} part {part}"


def _names(entry: Mapping[str, str]) -> Names:
    name = entry.get("model name") or entry.get("Model Name")
    if implementer := entry.get("CPU implementer"):
        vendor = ARM[implementer][0] if implementer in ARM else None
        # Phytium's kernels give the name; elsewhere this is the architecture's name for 32-bit programs.
        named = name if vendor == "Phytium" else None
        core = named or _arm(implementer, entry.get("CPU part", ""))
        return vendor, core, ARCHSPEC.get(core)
    if power := re.match(r"POWER\d+\w*\+?", entry.get("cpu", ""), re.IGNORECASE):  # `Power11` by newer kernels
        return "IBM", power[0].upper(), None
    if entry.get("vendor_id") == "IBM/S390":
        return "IBM", _ibm_z(entry), None
    if "Loongson" in f"{name} {entry.get('system type', '').title()}":
        return "Loongson", name, None
    if "mvendorid" in entry or "uarch" in entry:
        return RISC_V.get(entry.get("mvendorid", "")), name or entry.get("uarch"), None
    model = name or entry.get("cpu model") or entry.get("cpu") or entry.get("Model") or entry.get("Processor")
    return entry.get("vendor_id"), model, None


def _ibm_z(entry: Mapping[str, str]) -> str | None:
    """Return the model from `processor 0: version = FF,  identification = 0618E8,  machine = 8561`."""
    first = next((value for name, value in entry.items() if re.fullmatch(r"processor \d+", name)), "")
    machine = re.search(r"machine = (\w+)", first)
    return f"{IBM_Z.get(machine[1], 'machine')} ({machine[1]})" if machine else None


def _nominal(tree: Tree, text: str, entry: Mapping[str, str], model: str | None) -> float | None:
    """Return the nominal clock in Hz, not the present clock, which most machines have in /proc/cpuinfo."""
    if base := common(_values(tree, BASE)) or common(_values(tree, "cpufreq/cpuinfo_nominal_freq")):
        return base * 1e3
    if hertz := _hz_in(model):
        return hertz
    name = "cpu MHz static"
    if "Loongson" in (model or ""):
        name = "CPU MHz"
    elif "cpu" in entry and not tree.exists(f"{CPU}/cpu0/cpufreq"):
        name = "clock"  # on POWER, where the clock is fixed
    clocks = set(re.findall(rf"^{name}\s*:\s*(\d{{1,6}}(?:\.\d+)?)", text, re.MULTILINE | re.ASCII))
    return float(clocks.pop()) * 1e6 or None if len(clocks) == 1 else None


def _values(tree: Tree, name: str) -> list[int]:
    return clocks(tree, name, (int(cpu[3:]) for cpu in tree.names(CPU, r"cpu\d{1,6}")))


def _hz_in(model: str | None) -> float | None:
    """Return the nominal clock that Intel writes into the name: "... @ 2.10GHz"."""
    match = re.search(r"@\s*(\d+(?:\.\d+)?)\s*([GM])Hz", model or "")
    return float(match[1]) * (1e9 if match[2] == "G" else 1e6) if match else None


def _archspec() -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about files that it cannot read
            name = str(archspec.cpu.host().name)
    except Exception:  # noqa: BLE001
        return None  # an unknown processor may break the data base, but the rest of the description is still valid
    return name if name != "unknown" else None


def _simd(tree: Tree, entry: Mapping[str, str], flags: frozenset[str]) -> tuple[str | None, int | None]:
    """Return the widest extension, and its width in bits where it is known."""
    if "sve" in flags:
        length = tree.integer("proc/sys/abi/sve_default_vector_length")
        return "SVE", length * 8 if length else None
    power = re.match(r"POWER(\d{1,3})", entry.get("cpu", ""), re.IGNORECASE)
    if power and int(power[1]) >= _FIRST_VSX:
        return "VSX", 128
    extension = next(((name, bits) for needed, name, bits in _SIMD if needed <= flags), None)
    return extension or (("scalar", 64) if flags or power else (None, None))


def _formats(flags: frozenset[str], simd: str | None) -> list[str]:
    """Return the formats beside FP64 and FP32; SVE always has half precision, NEON optionally."""
    half = {"AVX-512": "avx512_fp16", "SVE": "sve", "NEON": "asimdhp"}.get(simd or "")
    formats = ["fp16"] if half in flags else []
    return formats + [name for flag, name in _MATRIX.items() if flag in flags]
