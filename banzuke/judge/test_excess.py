from typing import Any

from banzuke.judge.test_examples import ENGLISH, GIGA, LLC, N, dgemm, judge, machine, record, triad
from banzuke.limit.best_time import NOISE
from banzuke.limit.model import Ceiling
from banzuke.machine.allotment import CoreRates
from banzuke.machine.site import CoreKind
from banzuke.record.figures import Samples
from banzuke.testing import MEMORY, Work, plain
from banzuke.words import Share


def test_above_the_limit_is_an_error_to_explain() -> None:
    above = judge(dgemm(420 * GIGA))
    assert [warning.code for warning in above.warnings] == ["limit-above"]
    assert above.warnings[0].facts["share"] == Share(1.05)
    assert "see the warning" in ENGLISH.joined(above.verdict)
    noise = judge(dgemm(400 * GIGA * (1 + NOISE / 2)))
    assert noise.warnings == ()
    assert "see the warning" not in ENGLISH.joined(noise.verdict)


def test_a_clock_above_the_ceilings_explains_an_excess() -> None:
    fast = judge(dgemm(420 * GIGA, conditions={"clock_hz": 3.3e9})).warnings
    assert any("3.3 GHz in this run and 3 GHz" in warning for warning in map(ENGLISH, fast))
    same = judge(dgemm(420 * GIGA, conditions={"clock_hz": 3.0e9})).warnings
    assert not any("GHz in this run" in warning for warning in map(ENGLISH, same))


def test_above_the_theoretical_peak_is_an_error_too() -> None:
    faster = machine(fma_rate=600 * GIGA)
    above = judge(dgemm(500 * GIGA), on=faster, under=None)
    assert any("theoretical peak" in warning and "112%" in warning for warning in map(ENGLISH, above.warnings))
    assert any(
        "assumes 2.5 GHz, but a clock of 3 GHz was measured" in warning for warning in map(ENGLISH, above.warnings)
    )
    assert judge(dgemm(440 * GIGA), on=faster, under=None).warnings == ()
    steady = judge(
        dgemm(500 * GIGA), on=machine(fma_rate=600 * GIGA).changed(processor={"nominal_hz": 3.0e9}), under=None
    )
    assert any("too few units" in warning for warning in map(ENGLISH, steady.warnings))


def test_unlike_cores_exceed_by_the_clock_of_their_kind() -> None:
    kinds = {"performance": CoreKind(nominal_hz=3.2e9), "efficiency": CoreKind(nominal_hz=2.4e9)}
    rates = {"performance": CoreRates(vector_hz=4.8e9), "efficiency": CoreRates(vector_hz=2.4e9)}
    hybrid = machine(fma_rate=600 * GIGA, kinds=rates, vector_hz=2.4e9)
    hybrid = hybrid.changed(processor={"kinds": kinds, "nominal_hz": None})
    above = judge(dgemm(500 * GIGA), on=hybrid, under=None)
    (warning,) = map(ENGLISH, above.warnings)
    assert "assumes 3.2 GHz, but a clock of 4.8 GHz was measured" in warning
    usual = judge(dgemm(420 * GIGA, conditions={"clock_hz": 4.8e9}), on=hybrid)
    assert not any("GHz in this run" in warning for warning in map(ENGLISH, usual.warnings)), "that of its kind"


def test_traffic_that_fits_in_cache_is_warned_of() -> None:
    (warning,) = map(ENGLISH, judge(triad(30 * GIGA, n=1e6)).warnings)
    assert warning.startswith("Part of the traffic may have come from cache")
    assert "at most 22.9 MiB move in a sample, less than 4 times the last-level cache of 32 MiB" in warning
    assert judge(triad(30 * GIGA)).warnings == ()
    copy_alone_would_fit = 7_000_000
    assert 16 * copy_alone_would_fit < 4 * LLC < 24 * copy_alone_would_fit
    assert judge(triad(30 * GIGA, n=copy_alone_would_fit)).warnings == ()
    assert judge(dgemm(300 * GIGA, n=500)).warnings == ()


def test_figures_above_the_memory_are_told_once_and_explained_by_the_cache() -> None:
    small = judge(triad(200 * GIGA, n=1e6))
    assert len(small.warnings) == 1
    assert "Triad: 200 GB/s is 500% of its limit" in ENGLISH(small.warnings[0])
    assert "and 1 more figure of the case is above its own. It measures the caches" in ENGLISH(small.warnings[0])
    large = judge(triad(50 * GIGA))
    assert "measures the caches" not in ENGLISH(large.warnings[0])
    assert "more figure" not in ENGLISH(large.warnings[0])


def test_what_exceeds_its_limit_is_not_held_back() -> None:
    disturbed: dict[str, Any] = {"conditions": {"steal_fraction": 0.3}}
    assert judge(triad(50 * GIGA, **disturbed)).causes == ()
    assert judge(triad(30 * GIGA, **disturbed)).causes != ()


def test_bandwidth_above_its_peak_questions_the_channels() -> None:
    subject = record(
        "solver", {"time": Samples(unit="s", samples=[1.0], **Work(flops=0, bytes=1, moved=24.0 * N).of("s"))}
    )
    slow_memory = Ceiling(MEMORY, 2 * GIGA, "theoretical", plain("2 channels"))
    above = judge(subject, under=(slow_memory,)).warnings
    assert any(
        "120% of the theoretical peak (memory bandwidth 2 GB/s, 2 channels)" in text for text in map(ENGLISH, above)
    )
    assert any("too few memory channels" in text for text in map(ENGLISH, above))
