"""A rate that caches or others changed is a ceiling only where nothing better was measured, and this is said."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, LLC, MACHINE, provenance, triad
from banzuke.limit.by_state import CeilingsByState
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling, Doubt
from banzuke.limit.remarks import remarks
from banzuke.plan.benchmark import Benchmark, Sizing
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.testing import MEMORY

SMALL, LARGE = 4_000_000, 67_000_000
"""Elements of an array: 96 MB and 1.6 GB in three, at a last-level cache of 32 MiB."""
SIZED: dict[str, Benchmark] = {
    **BENCHMARKS, "stream": replace(BENCHMARKS["stream"], sizing=Sizing(parameters=("n",), method=("rounds",)))
}  # fmt: skip


def run(rate: float, n: int = LARGE, *, busy: float = 0.0, **changes: Any) -> Record:
    """Return a STREAM launch with three arrays of n elements, beside others that took a share of the processors."""
    conditions = {"working_set": 24.0 * n, "other_busy_fraction": busy}
    return triad(rate * GIGA, n=n, conditions=conditions | changes.pop("conditions", {}), **changes)


def memory(*records: Record, others: tuple[Record, ...] = ()) -> Ceiling:
    (match,) = (c for c in ceilings(records, MACHINE, SIZED, others) if (c.resource, c.kind) == (MEMORY, "measured"))
    return match


def rate(*records: Record, others: tuple[Record, ...] = ()) -> float:
    return memory(*records, others=others).value / GIGA


def said(ceiling: Ceiling) -> list[str]:
    return list(map(ENGLISH, remarks([ceiling])))


def test_a_small_disturbed_run_is_no_ceiling_beside_a_large_one() -> None:
    ceiling = memory(run(52.1, SMALL, busy=0.6), run(27.8))
    assert ceiling.value == pytest.approx(27.8 * GIGA)
    assert not any(ceiling.doubt)
    assert "cache" not in ENGLISH(ceiling.source)
    (line,) = said(ceiling)
    assert line == (
        "Higher figures set no ceiling, because caches may have served a part of their data: "
        "memory bandwidth 27.8 GB/s (not 52.1 GB/s)."
    )


def test_the_order_of_the_launches_does_not_matter() -> None:
    launches = [run(52.1, SMALL), run(27.8), run(35.0, busy=0.5), run(60.0, SMALL, busy=0.5)]
    assert rate(*launches) == rate(*reversed(launches)) == pytest.approx(35.0)


def test_size_weighs_more_than_a_disturbance() -> None:
    """The rate of a cache is no rate of the memory at all."""
    ceiling = memory(run(52.1, SMALL), run(27.8, busy=0.6))
    assert ceiling.value == pytest.approx(27.8 * GIGA)
    assert ceiling.doubt == Doubt(disturbed=True)
    low, left_out = said(ceiling)
    assert low.startswith("These ceilings may be too low")
    assert "not 52.1 GB/s" in left_out
    assert "other processes or the hypervisor used the processors meanwhile" in ENGLISH(ceiling.source)


def test_only_doubtful_figures_are_ceilings_that_say_so() -> None:
    ceiling = memory(run(48.1, SMALL, busy=0.6), run(50.0, SMALL))
    assert ceiling.value == pytest.approx(50 * GIGA)
    assert ceiling.doubt == Doubt(cached=True)
    assert "its 91.6 MiB of data are less than 12 times the last-level cache of 32 MiB" in ENGLISH(ceiling.source)
    (line,) = said(ceiling)
    assert line == (
        "These ceilings may be too high, because caches may have served a part of the data, and no larger case "
        "measured them: memory bandwidth 50 GB/s."
    )


def test_a_disturbed_launch_that_was_faster_counts_because_the_machine_reached_its_rate() -> None:
    ceiling = memory(run(40.0, busy=0.2), run(30.0))
    assert ceiling.value == pytest.approx(40 * GIGA)
    assert not any(ceiling.doubt)
    assert said(ceiling) == []
    assert rate(run(30.0, busy=0.2), run(40.0)) == pytest.approx(40.0)


def test_an_undisturbed_launch_on_fewer_cores_does_not_show_what_all_can_do() -> None:
    one_core = run(12.0, threads=1)
    ceiling = memory(one_core, run(27.8, busy=0.5))
    assert ceiling.value == pytest.approx(27.8 * GIGA)
    assert (ceiling.threads, ceiling.doubt) == (4, Doubt(disturbed=True))
    assert not any(memory(one_core, run(27.8), run(30.0, busy=0.5)).doubt)


def test_other_sizes_of_the_same_case_that_disagree_are_named() -> None:
    ceiling = memory(run(35.0, LARGE), run(27.8, 2 * LARGE))
    assert ceiling.value == pytest.approx(35 * GIGA)
    (line,) = said(ceiling)
    assert line == (
        "Other sizes of the same case gave less; the highest figure is the ceiling: memory bandwidth 35 GB/s "
        "(not 27.8 GB/s)."
    )
    assert said(memory(run(35.0, LARGE), run(34.0, 2 * LARGE))) == []
    assert said(memory(run(35.0, LARGE), run(20.0, 2 * LARGE), run(34.0, 2 * LARGE))) == []
    assert said(memory(run(35.0, LARGE), run(20.0, 2 * LARGE, threads=1))) == []
    assert said(memory(run(35.0, LARGE), run(20.0, 2 * LARGE, parameters={"n": 2 * LARGE, "stores": "plain"}))) == []


@pytest.mark.parametrize("size", [12 * LLC, 12 * LLC - 1])
def test_the_smallest_data_of_a_ceiling(size: int) -> None:
    """STREAM's rule: each of three arrays has at least four times the size of the caches."""
    exact = run(40.0, conditions={"working_set": float(size)})
    assert memory(exact).doubt == Doubt(cached=size < 12 * LLC)


def test_caches_that_the_program_clears_serve_nothing() -> None:
    assert not any(memory(run(40.0, SMALL, parameters={"n": SMALL, "flush": 1})).doubt)


def test_ranks_on_several_hosts_have_the_caches_of_all() -> None:
    two = [Hosts(names="a", ranks="0"), Hosts(names="b", ranks="1")]
    enough = 12 * LLC
    for working_set, doubted in ((2 * enough, False), (2 * enough - 1, True)):
        launch = run(80.0, ranks=2, hosts=two, conditions={"working_set": float(working_set)})
        assert memory(launch).doubt.cached is doubted


def test_a_device_has_its_own_cache() -> None:
    l2 = 50 << 20
    for working_set, doubted in ((12 * l2, False), (12 * l2 - 1, True)):
        conditions = {"working_set": float(working_set), "l2_cache": l2}
        binding = [Binding(ranks="0", threads=["0"], devices=["GPU-1"])]
        launch = run(3000.0, conditions=conditions, threads=1, binding=binding)
        bound = next(c for c in ceilings([launch], MACHINE, SIZED) if c.resource == MEMORY and c.kind == "measured")
        assert (bound.devices, bound.doubt.cached) == (True, doubted)


def from_run(name: str, record: Record) -> Record:
    return record.having(provenance=provenance(run=name))


def test_a_sound_figure_of_another_run_counts_before_a_doubtful_own_one() -> None:
    own, short = from_run("mine", run(52.1, SMALL)), from_run("mine", run(27.8))
    ceiling = memory(own, others=(short,))
    assert ceiling.value == pytest.approx(27.8 * GIGA)
    assert "in a short case for this purpose" in ENGLISH(ceiling.source)
    assert ["not 52.1 GB/s" in line for line in said(ceiling)] == [True]
    theirs = memory(own, others=(from_run("theirs", run(27.8)),))
    assert theirs.value == pytest.approx(27.8 * GIGA)
    assert theirs.run == "theirs"
    assert memory(from_run("mine", run(25.0)), others=(short,)).value == pytest.approx(25 * GIGA)
    doubtful = from_run("theirs", run(60.0, SMALL))
    assert memory(own, others=(doubtful,)).value == pytest.approx(52.1 * GIGA)


def test_a_doubtful_figure_is_no_ceiling_of_its_state() -> None:
    near, far = ({"exchange_latency": time, "exchange_processors": "0,3"} for time in (38e-9, 150e-9))
    small = run(52.1, SMALL, conditions=near, provenance=provenance(id="1"))
    large = run(27.8, conditions=far, provenance=provenance(id="2"))
    by_state = CeilingsByState([small, large], MACHINE, SIZED)

    def bounding(record: Record) -> Iterator[Ceiling]:
        return (c for c in by_state.bounding(record) if (c.resource, c.kind) == (MEMORY, "measured"))

    (ceiling,) = bounding(small)
    assert ceiling.value == pytest.approx(27.8 * GIGA)
    assert "the best of other states, because it was not measured with near processors" in ENGLISH(ceiling.source)
    assert {c.value for c in by_state.every if (c.resource, c.kind) == (MEMORY, "measured")} == {large_value(large)}


def large_value(record: Record) -> float:
    return max(c.value for c in ceilings([record], MACHINE, SIZED) if c.resource == MEMORY)
