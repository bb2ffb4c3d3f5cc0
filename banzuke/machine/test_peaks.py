import pytest

from banzuke.machine.model import Cpu, Memory
from banzuke.machine.peaks import fma_units, peak_flop_rate, peak_memory_bandwidth

CPU = Cpu(
    model=None, vendor=None, architecture="x86_64", microarchitecture=None, sockets=2, cores=40, logical=80,
    allowed=list(range(20)), allowed_cores=20, one_per_core=list(range(20)), quota=None, simd="AVX-512",
    vector_bits=512, fma_units=2, fma_per_cycle=1.98, nominal_hz=2.5e9, maximum_hz=None, scalar_hz=3.9e9,
    vector_hz=2.8e9, fma_rate=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("rate", "units"),
    [(1.98, 2), (2.02, 2), (1.0, 1), (0.86, 1), (0.8, None), (0.1, None), (1.5, None), (None, None)],
)
def test_units(rate: float | None, units: int | None) -> None:
    assert fma_units(rate) == units


def test_nominal_clock_goes_first() -> None:
    peak = peak_flop_rate(CPU)
    assert peak.value == 20 * 2.5e9 * 8 * 2 * 2
    for operand in ("20 cores (of the machine's 40)", "2.500 GHz (nominal)", "8 lanes", "2 FMA units"):
        assert operand in peak.derivation


def test_measured_clock_where_no_nominal_is_known() -> None:
    peak = peak_flop_rate(CPU.model_copy(update={"nominal_hz": None, "allowed_cores": 1, "quota": 0.5}))
    assert peak.value == 2.8e9 * 8 * 2 * 2
    assert "1 core " in peak.derivation
    assert "measured under vector load" in peak.derivation
    assert "0.5 processors" in peak.derivation


def test_unknown_operands_are_named() -> None:
    peak = peak_flop_rate(CPU.model_copy(update={"fma_units": None, "fma_per_cycle": 1.4}), "no probe")
    assert peak.value is None
    assert "FMA units (1.40 per cycle measured)" in peak.derivation
    assert "no probe" in peak.derivation
    assert "unknown: clock" not in peak.derivation


def test_memory_bandwidth() -> None:
    known = Memory(total=1, allowed=1, available=1, kind="4 x DDR5-4800", peak_bandwidth=3e11)
    assert peak_memory_bandwidth(known).value == 3e11
    unknown = peak_memory_bandwidth(known.model_copy(update={"peak_bandwidth": None}))
    assert unknown.value is None
    assert "DDR5-4800" in unknown.derivation
