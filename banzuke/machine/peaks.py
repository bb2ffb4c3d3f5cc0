"""Theoretical peaks, with the operands they follow from."""

from banzuke.amounts import amount
from banzuke.machine.site import Memory, Peak, Peaks, Processor
from banzuke.units import count

_TOLERANCE = 0.15
SCALAR_BITS = 64
"""The probe's word for a processor whose vectors it does not know; its peak may be far higher than one lane's."""
_VECTOR_FORMATS = {"fp64": 64, "fp32": 32, "fp16": 16}
"""Bits of an element."""
_ALWAYS = ("fp64", "fp32")


def fma_units(fma_per_cycle: float | None) -> int | None:
    """Vector FMA units of a core; None unless the measured rate is within 15% of a whole number of them."""
    if fma_per_cycle is None:
        return None
    units = round(fma_per_cycle)
    return units if units >= 1 and abs(fma_per_cycle - units) <= _TOLERANCE * units else None


def flop_peaks(
    processor: Processor,
    cores: int | None,
    *,
    vector_hz: float | None = None,
    quota: float | None = None,
    problem: str | None = None,
) -> Peaks:
    """Peaks of so many of its cores, by format.

    `vector_hz` stands in for an unknown nominal clock; `problem` says why nothing was measured.
    """
    peaks = {}
    for name in (*_ALWAYS, *processor.formats):
        if name in _VECTOR_FORMATS:
            peaks[f"flops.{name}"] = _vector(processor, cores, _VECTOR_FORMATS[name], vector_hz, quota, problem)
        else:
            text = f"{_cores(processor, cores)} x clock x flop per cycle; unknown: the rate of the matrix units"
            peaks[f"flops.{name}"] = Peak(value=None, unit="flop/s", derivation=text)
    return peaks


def _cores(processor: Processor, cores: int | None) -> str:
    text = "cores" if cores is None else count(cores, "core")
    if cores is not None and processor.cores is not None and processor.cores > cores:
        text += f" (of the machine's {processor.cores})"
    return text


def _vector(
    processor: Processor,
    cores: int | None,
    bits: int,
    vector_hz: float | None,
    quota: float | None,
    problem: str | None,
) -> Peak:
    nominal = processor.nominal_hz
    hz, source = (nominal, "nominal") if nominal else (vector_hz, "measured under vector load")
    unknown = []
    if processor.kinds:
        hz = None
        kinds = ", ".join(f"{number} x {name}" for name, number in processor.kinds.items())
        unknown.append(f"one clock and width of unlike cores ({kinds})")
    elif hz is None:
        unknown.append("clock")
    if processor.vector_bits is None:
        unknown.append("vector width")
    elif processor.vector_bits <= SCALAR_BITS:
        unknown.append("vector width (no vector FMA that the probe knows)")
    if processor.fma_units is None:
        measured = f" ({processor.fma_per_cycle:.2f} per cycle measured)" if processor.fma_per_cycle else ""
        unknown.append(f"FMA units{measured}")
    if not cores:
        unknown.append("cores")
    if unknown or not cores or hz is None or processor.vector_bits is None or processor.fma_units is None:
        why = f"; {problem}" if problem else ""
        text = f"{_cores(processor, cores)} x clock x lanes x 2 x FMA units; unknown: {', '.join(unknown)}{why}"
        return Peak(value=None, unit="flop/s", derivation=text)
    lanes = processor.vector_bits // bits
    text = (
        f"{_cores(processor, cores)} x {hz / 1e9:.3f} GHz ({source}) x {count(lanes, 'lane')} ({processor.simd}) "
        f"x 2 flop x {count(processor.fma_units, 'FMA unit')}"
    )
    if quota is not None and quota < cores:
        text += f"; a quota leaves the time of {count(quota, 'processor')}"
    return Peak(value=amount(cores * hz * lanes * 2 * processor.fma_units), unit="flop/s", derivation=text)


def memory_peak(memory: Memory) -> Peak:
    """All channels of a node."""
    if memory.peak_bandwidth is None:
        text = "channels x width x rate; unknown: the firmware's tables of memory modules cannot be read"
        if memory.kind is not None:
            text = f"channels x width x rate of {memory.kind}; unknown: channels, width or rate"
        return Peak(value=None, unit="B/s", derivation=text)
    text = f"sum over channels of width x rate, {memory.kind or 'modules of unknown kind'}"
    return Peak(value=memory.peak_bandwidth, unit="B/s", derivation=text)
