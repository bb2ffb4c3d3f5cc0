"""Computes theoretical peaks of accelerators, with the operands that they follow from."""

from banzuke.machine.architectures import ARCHITECTURES, OTHERS, TERMS, Architecture, Terms
from banzuke.machine.site import Peak, Peaks
from banzuke.units import count

_ALWAYS = ("fp64", "fp32")


def multiprocessors(capability: str | None, cores: int | None) -> int | None:
    architecture = ARCHITECTURES.get(capability or "")
    return cores // architecture.cores if architecture and architecture.cores and cores else None


def device_peaks(
    *,
    vendor: str = "NVIDIA",
    capability: str | None = None,
    number: int | None = None,
    clock: float | None = None,
    memory_bits: int | None = None,
    memory_clock: float | None = None,
) -> Peaks:
    """Return the peaks of a device with this number of multiprocessors, at its highest clocks."""
    architecture = ARCHITECTURES.get(capability or "")
    terms = TERMS.get(vendor, OTHERS)
    peaks = {
        f"flops.{name}": _flops(name, architecture, capability, number, clock, terms)
        for name in dict.fromkeys((*_ALWAYS, *(architecture.rates if architecture else ())))
    }
    transfers = (architecture or terms).transfers
    peaks["memory.bytes"] = _memory(memory_bits, memory_clock, transfers)
    return peaks


def partitioned_peaks(peaks: Peaks, partitions: int) -> Peaks:
    """Return unknown peaks for a device that is partitioned, because the parts' shares of the whole are unknown."""
    text = f"unknown: the device is partitioned into {partitions}, each of which programs see as a device"
    return {name: Peak(value=None, unit=peak.unit, derivation=text) for name, peak in peaks.items()}


def _flops(
    name: str,
    architecture: Architecture | None,
    capability: str | None,
    number: int | None,
    clock: float | None,
    terms: Terms,
) -> Peak:
    where = f" of the {terms.matrix_units}" if name.endswith("_matrix") else ""
    units = f"{terms.multiprocessor}s"
    named = terms.architecture.format(capability)
    missing = [
        what
        for what, there in (
            (f"multiply-adds per clock of {named}" if capability else "architecture", architecture),
            (units, number),
            ("highest clock", clock),
        )
        if not there
    ]
    if architecture is None or not number or not clock:
        text = f"{units} x clock x 2 x multiply-adds per clock{where}; unknown: {', '.join(missing)}"
        return Peak(value=None, unit="flop/s", derivation=text)
    rate = architecture.rates[name]
    text = (
        f"{count(number, terms.multiprocessor)} x {clock / 1e9:.3f} GHz (highest) x 2 flop x {rate} multiply-adds per "
        f"clock{where} ({named})"
    )
    return Peak(value=number * clock * 2 * rate, unit="flop/s", derivation=text)


def _memory(bits: int | None, clock: float | None, transfers: int | None) -> Peak:
    operands = (("width", bits), ("clock", clock), ("transfers per clock", transfers))
    if not bits or not clock or not transfers:
        missing = ", ".join(what for what, there in operands if not there)
        text = f"width x clock x {transfers or 'transfers per clock'}; unknown: {missing}"
        return Peak(value=None, unit="B/s", derivation=text)
    text = f"{bits} bit x {clock / 1e9:.3f} GHz (highest) x {transfers}"
    return Peak(value=bits / 8 * clock * transfers, unit="B/s", derivation=text)
