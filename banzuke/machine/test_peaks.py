from typing import Any

import pytest

from banzuke.machine.peaks import flop_peaks, fma_units, memory_peak
from banzuke.machine.site import Memory, Peak, Processor

PROCESSOR = Processor(
    architecture="x86_64", sockets=2, cores=40, logical=80, simd="AVX-512", vector_bits=512, fma_units=2,
    fma_per_cycle=1.98, nominal_hz=2.5e9,
)  # fmt: skip


def double(processor: Processor, cores: int | None = 20, **more: Any) -> Peak:
    return flop_peaks(processor, cores, **more)["flops.fp64"]


@pytest.mark.parametrize(
    ("rate", "units"),
    [(1.98, 2), (2.02, 2), (1.0, 1), (0.86, 1), (0.8, None), (0.1, None), (1.5, None), (None, None)],
)
def test_units(rate: float | None, units: int | None) -> None:
    assert fma_units(rate) == units


def test_nominal_clock_goes_first() -> None:
    peak = double(PROCESSOR)
    assert peak.value == 20 * 2.5e9 * 8 * 2 * 2
    for operand in ("20 cores (of the machine's 40)", "2.500 GHz (nominal)", "8 lanes", "2 FMA units"):
        assert operand in peak.derivation


def test_measured_clock_where_no_nominal_is_known() -> None:
    peak = double(PROCESSOR.model_copy(update={"nominal_hz": None}), 1, vector_hz=2.8e9, quota=0.5)
    assert peak.value == 2.8e9 * 8 * 2 * 2
    assert "1 core " in peak.derivation
    assert "measured under vector load" in peak.derivation
    assert "0.5 processors" in peak.derivation


def test_unknown_operands_are_named() -> None:
    peak = double(PROCESSOR.model_copy(update={"fma_units": None, "fma_per_cycle": 1.4}), problem="no probe")
    assert peak.value is None
    assert "FMA units (1.40 per cycle measured)" in peak.derivation
    assert "no probe" in peak.derivation
    assert "unknown: clock" not in peak.derivation


def test_memory_bandwidth() -> None:
    memory = Memory(total=1, kind="4 x DDR5-4800", peak_bandwidth=3e11)
    assert memory_peak(memory).value == 3e11
    unknown = memory_peak(memory.model_copy(update={"peak_bandwidth": None}))
    assert unknown.value is None
    assert "DDR5-4800" in unknown.derivation


def test_narrower_formats_have_more_lanes() -> None:
    peaks = flop_peaks(PROCESSOR.model_copy(update={"formats": ["fp16", "bf16_matrix"]}), 40)
    values = {name: peak.value for name, peak in peaks.items()}
    whole = 40 * 2.5e9 * 8 * 2 * 2
    assert values == {
        "flops.fp64": whole, "flops.fp32": 2 * whole, "flops.fp16": 4 * whole, "flops.bf16_matrix": None,
    }  # fmt: skip
    assert "32 lanes" in peaks["flops.fp16"].derivation
    assert "unknown: the rate of the matrix units" in peaks["flops.bf16_matrix"].derivation


def test_without_the_number_of_cores_there_is_no_peak() -> None:
    assert double(PROCESSOR, None).value is None
    assert "unknown: cores" in double(PROCESSOR, None).derivation
