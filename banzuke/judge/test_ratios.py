"""Ratios compared with the lines of the machines' rates, and which of them stand out."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from banzuke.judge.collection import Ratio, members, over
from banzuke.judge.model import Assessment
from banzuke.judge.ratios import RatioLine, cached, counted, find_roof, ratio_lines, ratio_outliers
from banzuke.judge.records import judge
from banzuke.judge.test_collection import COLLECTION, collect, judged
from banzuke.judge.test_examples import BENCHMARKS, GIGA, LLC, MACHINE, triad
from banzuke.limit.capacity import Roof
from banzuke.limit.model import Ceiling, Place, Residence
from banzuke.limit.test_by_state import FAR, FAST, NEAR, SLOW, sweep, under
from banzuke.machine.site import Device, Peak
from banzuke.record.model import Binding
from banzuke.testing import FLOPS, MEMORY, plain

ON_DEVICE = {"backend": "cuda", "binding": [Binding(ranks="0", threads=["0"], devices=["GPU-1"])], "threads": 1}
PROCESSORS = Ceiling(MEMORY, 40 * GIGA, "measured", plain("processors"), 4)
DEVICE = Ceiling(MEMORY, 800 * GIGA, "measured", plain("device"), device="")
PEAK = Ceiling(FLOPS, 200 * GIGA, "theoretical", plain("processors"))
DEVICE_PEAK = Ceiling(FLOPS, 5000 * GIGA, "theoretical", plain("device"), device="")


def of_rates(*rates: float) -> list[Ratio]:
    """Return a ratio for each, of problems of increasing size."""
    sizes = [LLC + 1000 * place for place in range(len(rates))]
    mine = members(COLLECTION, [judged("band", size, rate) for size, rate in zip(sizes, rates, strict=True)])
    theirs = members(COLLECTION, [judged("band", size, 1.0, backend="mkl") for size in sizes])
    return over(mine, theirs, "omp", "mkl")


def standing_out(ratios: Sequence[Ratio]) -> list[float]:
    outliers = ratio_outliers([(float(ratio.problem.name.split()[1].replace(",", "")), ratio) for ratio in ratios])
    return [ratio.ratio for ratio in outliers.found]


def on_both(here: Sequence[Ceiling], there: Sequence[Ceiling] | None = None) -> list[Ratio]:
    """Return the ratio of a problem on a device to the same on processors, each judged by these ceilings."""
    on_device = judged("band", LLC, 90.0, under=here, **ON_DEVICE)
    solved = collect(on_device, judged("band", LLC, 3.0, under=here if there is None else there))
    return over(solved[:1], solved[1:], "cuda", "omp")


def test_lines_are_of_what_each_side_used() -> None:
    ceilings = PROCESSORS, DEVICE, PEAK, DEVICE_PEAK
    (ratio,) = on_both(ceilings)
    peak, memory = ratio_lines(ratio, MACHINE, MACHINE)
    assert [peak.of, memory.of] == ["peak", "memory"]
    assert [peak.value, memory.value] == pytest.approx([25.0, 20.0])
    (ratio,) = on_both(ceilings, (replace(PROCESSORS, value=80 * GIGA), PEAK))
    peak, memory = ratio_lines(ratio, MACHINE, MACHINE)
    assert [peak.value, memory.value] == pytest.approx([25.0, 10.0])


@pytest.mark.parametrize(("distance", "rate"), [(NEAR, SLOW), (FAR, FAST)])
def test_a_line_is_of_the_rate_in_the_state_that_a_case_ran_in(distance: float, rate: float) -> None:
    streams = under(triad(SLOW), NEAR, 0), under(triad(FAST), FAR, 1)
    assessments, _ = judge([*streams, sweep(1.0, distance)], MACHINE, BENCHMARKS)
    roof = find_roof(assessments[-1], MACHINE, "memory.bytes", "measured")
    assert roof
    assert roof.rate == rate


def test_matrix_units_count_for_nothing() -> None:
    peaks = {
        name: Peak(value=value, unit="flop/s") for name, value in (("flops.fp64", 4e12), ("flops.fp64_matrix", 8e12))
    }
    node = MACHINE.node.model_copy(update={"devices": [Device(name="A", count=1, peaks=peaks)]})
    nodes = {name: partition.model_copy(update={"node": node}) for name, partition in MACHINE.site.partitions.items()}
    machine = MACHINE.model_copy(update={"site": MACHINE.site.model_copy(update={"partitions": nodes})})
    (ratio,) = on_both((PEAK, replace(DEVICE_PEAK, value=8e12, device="A")))
    peak, _ = ratio_lines(ratio, machine, machine)
    assert peak.value == pytest.approx(20.0)


def test_an_unknown_rate_draws_no_line_and_leaves_nothing_counted() -> None:
    (ratio,) = on_both((PROCESSORS, PEAK, DEVICE_PEAK))
    peak, memory = ratio_lines(ratio, MACHINE, MACHINE)
    assert peak.value
    assert (memory.value, memory.mine) == (None, None)
    assert memory.theirs
    assert counted([(ratio, (peak, memory))]) is None


def test_ratios_are_counted_by_the_lines_whichever_is_higher() -> None:
    ratios = of_rates(1.0, 2.0, 2.5, 3.0, 4.0)
    low, high = (RatioLine("x", Roof(rate, plain("mine")), Roof(1.0, plain("theirs"))) for rate in (2.0, 3.0))
    for lines in ((low, high), (high, low)):
        where = counted([(ratio, lines) for ratio in ratios])
        assert where
        assert (where.below, where.between, where.above) == (1, 3, 1)


def test_ratios_are_counted_each_by_its_own_lines() -> None:
    at = {rate: RatioLine("x", Roof(rate, plain("mine")), Roof(1.0, plain("theirs"))) for rate in (1.0, 2.0, 4.0)}
    near, far = (at[1.0], at[2.0]), (at[2.0], at[4.0])
    where = counted([*zip(of_rates(3.0, 3.0), (near, far), strict=True)])
    assert where
    assert (where.below, where.between, where.above) == (0, 1, 1)


def test_what_is_far_from_its_neighbours_stands_out_the_farthest_first() -> None:
    source = random.Random(1)  # noqa: S311
    rates = [(1 + place / 30) * math.exp(source.gauss(0, 0.03)) for place in range(60)]
    assert standing_out(of_rates(*rates)) == []  # a trend is not an outlier, however far apart its ends are
    rates[20] *= 1.3
    rates[40] /= 1.5
    assert standing_out(of_rates(*rates)) == pytest.approx([rates[40], rates[20]])


def test_noise_and_few_problems_have_no_outliers() -> None:
    assert standing_out(of_rates(*[1.0] * 20, 1.09)) == []
    assert standing_out(of_rates(*[1.0] * 20, 1.11)) == [1.11]
    assert standing_out(of_rates(1.0, 1.0, 1.0, 1.0, 9.0)) == []


@pytest.mark.parametrize(
    ("here", "there", "held"),
    [
        ("in cache", "in memory", "mine"),
        ("partly in cache", "in cache", "theirs"),
        ("in cache", "in cache", "both"),
        ("partly in cache", "in memory", "neither"),
        (None, "in cache", ""),
    ],
)
def test_whose_caches_hold_a_problem(here: Place | None, there: Place | None, held: str) -> None:
    (ratio,) = on_both(())

    def placed(assessment: Assessment, place: Place | None) -> Assessment:
        return replace(assessment, residence=Residence(place, 1.0, 1) if place else None)

    mine = replace(ratio.member, assessment=placed(ratio.member.assessment, here))
    theirs = replace(ratio.against, assessment=placed(ratio.against.assessment, there))
    assert cached(replace(ratio, member=mine, against=theirs)) == held
