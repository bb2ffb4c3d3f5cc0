"""Computes theoretical peaks, with the operands that they follow from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.amounts import amount
from banzuke.machine.site import Memory, Peak, Peaks, Processor
from banzuke.units import count

_TOLERANCE = 0.15
SCALAR_BITS = 64
"""Width that the probe reports for a processor whose vectors it does not know; its peak may be far higher
than one lane's.
"""
_VECTOR_FORMATS = {"fp64": 64, "fp32": 32, "fp16": 16}
"""Bits of an element."""
_ALWAYS = ("fp64", "fp32")


def fma_units(fma_per_cycle: float | None) -> int | None:
    """Return the vector FMA units of a core; None unless the measured rate is within 15% of a whole number of them."""
    if fma_per_cycle is None:
        return None
    units = round(fma_per_cycle)
    return units if units >= 1 and abs(fma_per_cycle - units) <= _TOLERANCE * units else None


@dataclass(frozen=True)
class OfKind:
    """Cores of one kind."""

    cores: int | None
    vector_hz: float | None = None


def flop_peaks(
    processor: Processor,
    cores: int | None,
    *,
    vector_hz: float | None = None,
    quota: float | None = None,
    problem: str | None = None,
    of_kinds: Mapping[str, OfKind] | None = None,
) -> Peaks:
    """Return the peaks of this many of its cores, by format.

    `vector_hz` replaces an unknown nominal clock; `problem` says why nothing was measured. `of_kinds`: the number of
    cores of each kind, where cores are unlike; None: all of each. Kinds with no cores add nothing.
    """
    if not processor.kinds:
        return _alike(_Cores(processor, cores, vector_hz=vector_hz), quota, problem)
    if of_kinds is None:
        of_kinds = {name: OfKind(kind.cores) for name, kind in processor.kinds.items()}
    parts = [
        _alike(_Cores(processor.of_kind(name), some.cores, name, some.vector_hz), None, problem)
        for name, some in of_kinds.items()
        if some.cores != 0
    ]
    quota = quota if quota is not None and cores is not None and quota < cores else None
    return {name: _sum([part[name] for part in parts], quota) for name in (parts[0] if parts else {})}


@dataclass(frozen=True)
class _Cores:
    """Cores that are alike; `kind` where the processor has others."""

    processor: Processor
    number: int | None
    kind: str | None = None
    vector_hz: float | None = None

    def __str__(self) -> str:
        text = "cores" if self.number is None else count(self.number, "core")
        more = self.processor.cores
        fewer = self.number is not None and more is not None and more > self.number
        if self.kind is not None:
            return f"{text} ({self.kind}, of {more})" if fewer else f"{text} ({self.kind})"
        return f"{text} (of the machine's {more})" if fewer else text


def _alike(cores: _Cores, quota: float | None, problem: str | None) -> Peaks:
    peaks = {}
    for name in (*_ALWAYS, *cores.processor.formats):
        if name in _VECTOR_FORMATS:
            peaks[f"flops.{name}"] = _vector(cores, _VECTOR_FORMATS[name], quota, problem)
        else:
            text = f"{cores} x clock x flop per cycle; unknown: the rate of the matrix units"
            peaks[f"flops.{name}"] = Peak(value=None, unit="flop/s", derivation=text)
    return peaks


def _sum(parts: Sequence[Peak], quota: float | None) -> Peak:
    """Return the sum of peaks; unknown where one of them is."""
    values = [part.value for part in parts if part.value is not None]
    text = " + ".join(part.derivation for part in parts)
    if quota is not None and len(values) == len(parts):
        text += _quota(quota)
    return Peak(value=amount(sum(values)) if len(values) == len(parts) else None, unit="flop/s", derivation=text)


def _quota(quota: float) -> str:
    return f"; a quota leaves the time of {count(quota, 'processor')}"


def _vector(cores: _Cores, bits: int, quota: float | None, problem: str | None) -> Peak:
    processor, number = cores.processor, cores.number
    nominal = processor.nominal_hz
    hz, source = (nominal, "nominal") if nominal else (cores.vector_hz, "measured under vector load")
    unknown = []
    if hz is None:
        unknown.append("clock")
    if processor.vector_bits is None:
        unknown.append("vector width")
    elif processor.vector_bits <= SCALAR_BITS:
        unknown.append("vector width (no vector FMA that the probe knows)")
    if processor.fma_units is None:
        measured = f" ({processor.fma_per_cycle:.2f} per cycle measured)" if processor.fma_per_cycle else ""
        unknown.append(f"FMA units{measured}")
    if not number:
        unknown.append("cores")
    if unknown or not number or hz is None or processor.vector_bits is None or processor.fma_units is None:
        why = f"; {problem}" if problem else ""
        text = f"{cores} x clock x lanes x 2 x FMA units; unknown: {', '.join(unknown)}{why}"
        return Peak(value=None, unit="flop/s", derivation=text)
    lanes = processor.vector_bits // bits
    text = (
        f"{cores} x {hz / 1e9:.3f} GHz ({source}) x {count(lanes, 'lane')} ({processor.simd}) "
        f"x 2 flop x {count(processor.fma_units, 'FMA unit')}"
    )
    if quota is not None and quota < number:
        text += _quota(quota)
    return Peak(value=amount(number * hz * lanes * 2 * processor.fma_units), unit="flop/s", derivation=text)


def memory_peak(memory: Memory) -> Peak:
    """Return the peak of all memory channels of a node."""
    if memory.peak_bandwidth is None:
        text = "channels x width x rate; unknown: the firmware's tables of memory modules cannot be read"
        if memory.kind is not None:
            text = f"channels x width x rate of {memory.kind}; unknown: channels, width or rate"
        return Peak(value=None, unit="B/s", derivation=text)
    text = f"sum over channels of width x rate, {memory.kind or 'modules of unknown kind'}"
    return Peak(value=memory.peak_bandwidth, unit="B/s", derivation=text)
