"""Theoretical peaks, with the operands they follow from."""

from banzuke.machine.model import Cpu, Memory, Peak
from banzuke.units import count

_TOLERANCE = 0.15
SCALAR_BITS = 64
"""The probe's word for a processor whose vectors it does not know; its peak may be far higher than one lane's."""


def fma_units(fma_per_cycle: float | None) -> int | None:
    """Vector FMA units of a core; None unless the measured rate is within 15% of a whole number of them."""
    if fma_per_cycle is None:
        return None
    units = round(fma_per_cycle)
    return units if units >= 1 and abs(fma_per_cycle - units) <= _TOLERANCE * units else None


def peak_flop_rate(cpu: Cpu, problem: str | None = None) -> Peak:
    """Double precision, all allowed cores; `problem` says why nothing was measured."""
    unknown = []
    hz, source = (cpu.nominal_hz, "nominal") if cpu.nominal_hz else (cpu.vector_hz, "measured under vector load")
    if hz is None:
        unknown.append("clock")
    if cpu.vector_bits is None:
        unknown.append("vector width")
    elif cpu.vector_bits <= SCALAR_BITS:
        unknown.append("vector width (no vector FMA that the probe knows)")
    if cpu.fma_units is None:
        measured = f" ({cpu.fma_per_cycle:.2f} per cycle measured)" if cpu.fma_per_cycle else ""
        unknown.append(f"FMA units{measured}")
    if cpu.allowed_cores < 1:
        unknown.append("cores")
    cores = count(cpu.allowed_cores, "core")
    if cpu.cores is not None and cpu.cores > cpu.allowed_cores:
        cores += f" (of the machine's {cpu.cores})"
    if unknown or hz is None or cpu.vector_bits is None or cpu.fma_units is None:
        why = f"; {problem}" if problem else ""
        text = f"{cores} x clock x lanes x 2 x FMA units; unknown: {', '.join(unknown)}{why}"
        return Peak(value=None, unit="flop/s", derivation=text)
    lanes = cpu.vector_bits // 64
    text = (
        f"{cores} x {hz / 1e9:.3f} GHz ({source}) x {count(lanes, 'lane')} ({cpu.simd}) "
        f"x 2 flop x {count(cpu.fma_units, 'FMA unit')}"
    )
    if cpu.quota is not None and cpu.quota < cpu.allowed_cores:
        text += f"; a quota leaves the time of {count(cpu.quota, 'processor')}"
    return Peak(value=cpu.allowed_cores * hz * lanes * 2 * cpu.fma_units, unit="flop/s", derivation=text)


def peak_memory_bandwidth(memory: Memory) -> Peak:
    """All channels of the machine."""
    if memory.peak_bandwidth is None:
        text = "channels x width x rate; unknown: the firmware's tables of memory modules cannot be read"
        if memory.kind is not None:
            text = f"channels x width x rate of {memory.kind}; unknown: channels, width or rate"
        return Peak(value=None, unit="B/s", derivation=text)
    text = f"sum over channels of width x rate, {memory.kind or 'modules of unknown kind'}"
    return Peak(value=memory.peak_bandwidth, unit="B/s", derivation=text)
