"""Derivations of peaks in the reader's language: all texts of a machine's description."""

import re
from itertools import product
from typing import Any

import pytest

from banzuke.machine.device_peaks import device_peaks, partitioned_peaks
from banzuke.machine.peaks import OfKind, flop_peaks, memory_peak
from banzuke.machine.site import CoreKind, Memory, Processor
from banzuke.words import Derived, data, message
from banzuke.words.language import words

PROCESSOR = Processor(
    architecture="x86_64", sockets=2, cores=40, simd="AVX-512", vector_bits=512, fma_units=2, nominal_hz=2.5e9,
    formats=["fp16", "bf16_matrix"],
)  # fmt: skip
UNLIKE = PROCESSOR.having(
    kinds={
        "performance": CoreKind(cores=4, fma_units=2, nominal_hz=3e9),
        "efficiency, 0.9 GHz": CoreKind(cores=8, fma_units=1),
        "efficiency, up to 2.5 GHz": CoreKind(cores=8, fma_units=1, nominal_hz=1e9),
        "low power": CoreKind(cores=2),
        "Cortex-A76": CoreKind(cores=2, fma_units=2, nominal_hz=2e9),
        "Firestorm (M1)": CoreKind(cores=1, fma_units=2, nominal_hz=2e9),
        "up to 5.1 GHz": CoreKind(cores=1),
        "capacity 512": CoreKind(cores=1),
        "Oryon, capacity 512": CoreKind(cores=1),
    }
)
FEWER = {"performance": OfKind(2), "efficiency, 0.9 GHz": OfKind(0), "Cortex-A76": OfKind(2)}
LESS: tuple[dict[str, Any], ...] = (
    {},
    {"nominal_hz": None},
    {"fma_units": None, "fma_per_cycle": 1.4},
    {"vector_bits": None},
    {"vector_bits": 64},
)
NAMES = "CPU|AVX|FMA|GHz|DDR5|bit|compute capability|gfx90a|Cortex|Firestorm|Oryon|PCIe"


DEVICES = (("NVIDIA", "9.0"), ("AMD", "gfx90a"), ("NVIDIA", "99.0"), ("", None))
ELSEWHERE = {
    "PCIe 4.0 x16, each way, packet overhead not deducted",
    "its links, each way",
    "66 of 132 multiprocessors: 132 multiprocessors x 1.980 GHz (highest) x 2 flop",
    "unknown: the slice's share of its device's",
}
"""Derivations in the modules of devices and in a benchmark."""


def derivations() -> set[str]:
    peaks = [
        flop_peaks(PROCESSOR.having(**less), cores, vector_hz=hz, quota=quota)
        for less, cores, hz, quota in product(LESS, (None, 1, 20), (None, 2.8e9), (None, 0.5))
    ]
    peaks += [flop_peaks(UNLIKE, 12), flop_peaks(UNLIKE, 12, of_kinds=FEWER, quota=0.5), flop_peaks(UNLIKE, 4)]
    peaks += [
        flop_peaks(PROCESSOR.having(kinds={"performance": CoreKind(logical=4), "efficiency": CoreKind(logical=8)}), 12)
    ]
    peaks += [
        device_peaks(
            vendor=vendor, capability=capability, number=number, clock=clock, memory_bits=bits, memory_clock=clock
        )
        for (vendor, capability), number, clock, bits in product(DEVICES, (None, 132), (None, 1.9e9), (None, 5120))
    ]
    peaks += [partitioned_peaks(peaks[-1], 4)]
    memories = product((None, "4 x DDR5"), (None, 1e11))
    peaks += [{"": memory_peak(Memory(total=1, kind=kind, peak_bandwidth=rate))} for kind, rate in memories]
    return ELSEWHERE | {peak.derivation for by_name in peaks for peak in by_name.values()}


@pytest.mark.parametrize("derived", sorted(derivations()))
def test_derivations_are_in_the_readers_words(derived: str) -> None:
    said = message("limit-derived", derivation=Derived(derived))
    assert words()(said) == derived
    japanese = words("ja")(said)
    assert not re.search("[A-Za-z]{2}", re.sub(NAMES, "", japanese)), japanese


def test_what_an_administrator_wrote_stays() -> None:
    own = "as printed; 16 x 4.8 + 80.64 + 2 x 86.4 GFLOPS, of both"
    assert words().fact(Derived(own)) == own
    assert data(Derived(own)) == own
