"""Theoretical peaks of accelerators and of their links, with the operands they follow from.

Multiply-adds of a multiprocessor in a clock: NVIDIA's CUDA C++ Programming Guide, "Throughput of Native Arithmetic
Instructions"; those of tensor cores: the white papers of V100, A100, H100 and B200, dense.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from banzuke.machine.site import Peak, Peaks
from banzuke.units import count


@dataclass(frozen=True)
class Multiprocessor:
    """Of one compute capability."""

    cores: int
    """As NVML counts them: lanes of FP32."""
    rates: Mapping[str, int] = field(default_factory=dict)
    """Multiply-adds in a clock by format; `_matrix`: of the tensor cores."""


MULTIPROCESSORS: Mapping[str, Multiprocessor] = {
    "6.0": Multiprocessor(64, {"fp64": 32, "fp32": 64}),
    "6.1": Multiprocessor(128, {"fp64": 4, "fp32": 128}),
    "7.0": Multiprocessor(64, {"fp64": 32, "fp32": 64, "fp16_matrix": 512}),
    "7.5": Multiprocessor(64, {"fp64": 2, "fp32": 64, "fp16_matrix": 512}),
    "8.0": Multiprocessor(
        64,
        {"fp64": 32, "fp64_matrix": 64, "fp32": 64, "tf32_matrix": 512, "fp16_matrix": 1024, "bf16_matrix": 1024},
    ),
    "8.6": Multiprocessor(128, {"fp64": 2, "fp32": 128}),
    "8.9": Multiprocessor(128, {"fp64": 2, "fp32": 128}),
    "9.0": Multiprocessor(
        128,
        {"fp64": 64, "fp64_matrix": 128, "fp32": 128, "tf32_matrix": 1024, "fp16_matrix": 2048, "bf16_matrix": 2048},
    ),
    "10.0": Multiprocessor(
        128,
        {"fp64": 64, "fp64_matrix": 64, "fp32": 128, "tf32_matrix": 2048, "fp16_matrix": 4096, "bf16_matrix": 4096},
    ),
    "12.0": Multiprocessor(128, {"fp64": 2, "fp32": 128}),
}
_ALWAYS = ("fp64", "fp32")
DOUBLE_RATE = 2
"""Transfers in a clock, as NVML tells the clocks of HBM and GDDR memory alike."""

_PCIE = {1: (2.5e9, 8 / 10), 2: (5e9, 8 / 10), 3: (8e9, 128 / 130), 4: (16e9, 128 / 130), 5: (32e9, 128 / 130)}
"""Transfers per second of a lane, and the share of the bits that are data, by generation."""
_PCIE_6 = (64e9, 242 / 256)
_NVLINK = {1: 20e9, 2: 25e9, 3: 25e9, 4: 25e9, 5: 25e9, 6: 25e9, 7: 50e9}
"""B/s each way of a link, by the number that NVML gives its version: 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0."""


def multiprocessors(capability: str | None, cores: int | None) -> int | None:
    known = MULTIPROCESSORS.get(capability or "")
    return cores // known.cores if known and cores else None


def device_peaks(
    *,
    capability: str | None = None,
    number: int | None = None,
    clock: float | None = None,
    memory_bits: int | None = None,
    memory_clock: float | None = None,
) -> Peaks:
    """Of a device with so many multiprocessors, at its highest clocks."""
    known = MULTIPROCESSORS.get(capability or "")
    found = {
        f"flops.{name}": _flops(name, known, capability, number, clock)
        for name in dict.fromkeys((*_ALWAYS, *(known.rates if known else ())))
    }
    found["memory.bytes"] = _memory(memory_bits, memory_clock)
    return found


def _flops(
    name: str, known: Multiprocessor | None, capability: str | None, number: int | None, clock: float | None
) -> Peak:
    where = " of the tensor cores" if name.endswith("_matrix") else ""
    missing = [
        what
        for what, there in (
            ("its multiply-adds per clock" if capability else "architecture", known),
            ("multiprocessors", number),
            ("highest clock", clock),
        )
        if not there
    ]
    if known is None or not number or not clock:
        text = f"multiprocessors x clock x 2 x multiply-adds per clock{where}; unknown: {', '.join(missing)}"
        return Peak(value=None, unit="flop/s", derivation=text)
    rate = known.rates[name]
    text = (
        f"{count(number, 'multiprocessor')} x {clock / 1e9:.3f} GHz (highest) x 2 flop x {rate} multiply-adds per "
        f"clock{where} (compute capability {capability})"
    )
    return Peak(value=number * clock * 2 * rate, unit="flop/s", derivation=text)


def _memory(bits: int | None, clock: float | None) -> Peak:
    if not bits or not clock:
        missing = ", ".join(what for what, there in (("width", bits), ("clock", clock)) if not there)
        return Peak(value=None, unit="B/s", derivation=f"width x clock x {DOUBLE_RATE}; unknown: {missing}")
    text = f"{bits} bit x {clock / 1e9:.3f} GHz (highest) x {DOUBLE_RATE}"
    return Peak(value=bits / 8 * clock * DOUBLE_RATE, unit="B/s", derivation=text)


def pcie_bandwidth(generation: int | None, width: int | None) -> float | None:
    """B/s each way, after line encoding; the overhead of packets is not deducted."""
    if not generation or not width:
        return None
    rate, share = _PCIE.get(generation, _PCIE_6)
    return rate * share / 8 * width


def nvlink_bandwidth(version: int | None) -> float | None:
    """B/s each way of one link."""
    return _NVLINK.get(version or 0)
