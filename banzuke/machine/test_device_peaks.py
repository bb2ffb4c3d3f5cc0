"""Peaks of devices, compared with those that their makers and the reports print."""

import pytest

from banzuke.machine.architectures import ARCHITECTURES
from banzuke.machine.device_peaks import device_peaks, multiprocessors


@pytest.mark.parametrize(
    ("capability", "number", "clock", "bits", "memory_clock", "printed"),
    [
        # Reedbush-H's P100, Flow's V100: their reports. A100, H100: NVIDIA's data sheets.
        ("6.0", 56, 1.48e9, 4096, 715e6, {"flops.fp64": 5.3e12, "flops.fp32": 10.6e12, "memory.bytes": 732e9}),
        ("7.0", 80, 1.53e9, 4096, 877e6, {"flops.fp64": 7.8e12, "flops.fp16_matrix": 125e12, "memory.bytes": 900e9}),
        (
            "8.0",
            108,
            1.41e9,
            5120,
            1215e6,
            {"flops.fp64": 9.7e12, "flops.fp64_matrix": 19.5e12, "memory.bytes": 1555e9},
        ),
        (
            "9.0",
            132,
            1.98e9,
            5120,
            2619e6,
            {"flops.fp64": 33.5e12, "flops.fp64_matrix": 67e12, "memory.bytes": 3.35e12},
        ),
    ],
)
def test_peaks_are_those_that_are_printed(
    capability: str, number: int, clock: float, bits: int, memory_clock: float, printed: dict[str, float]
) -> None:
    peaks = device_peaks(capability=capability, number=number, clock=clock, memory_bits=bits, memory_clock=memory_clock)
    for name, value in printed.items():
        assert peaks[name].value == pytest.approx(value, rel=0.01), name


def test_a_derivation_names_the_operands_and_the_tensor_cores() -> None:
    peaks = device_peaks(capability="9.0", number=132, clock=1.98e9)
    assert peaks["flops.fp64_matrix"].derivation == (
        "132 multiprocessors x 1.980 GHz (highest) x 2 flop x 128 multiply-adds per clock of the tensor cores "
        "(compute capability 9.0)"
    )
    assert peaks["memory.bytes"].value is None
    assert peaks["memory.bytes"].derivation == "width x clock x 2; unknown: width, clock"


def test_what_is_unknown_gives_no_peak_and_is_named() -> None:
    for facts, missing in (
        ({}, "architecture, multiprocessors, highest clock"),
        ({"capability": "99.9", "number": 10, "clock": 1e9}, "multiply-adds per clock of compute capability 99.9"),
        ({"vendor": "AMD", "capability": "gfx1"}, "multiply-adds per clock of gfx1, compute units, highest clock"),
        ({"vendor": "another"}, "architecture, multiprocessors, highest clock"),
        ({"capability": "9.0", "clock": 1e9}, "multiprocessors"),
    ):
        peak = device_peaks(**facts)["flops.fp64"]
        assert peak.value is None
        assert peak.derivation.endswith(f"unknown: {missing}")


def test_multiprocessors_follow_from_the_cores() -> None:
    assert multiprocessors("9.0", 16896) == 132
    assert multiprocessors("6.0", 3584) == 56
    assert multiprocessors("99.9", 3584) is multiprocessors("9.0", None) is None
    assert multiprocessors("gfx90a", 3584) is None
    assert all({"fp64", "fp32"} <= architecture.rates.keys() for architecture in ARCHITECTURES.values())
