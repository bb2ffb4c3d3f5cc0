"""The part of the machine that serves a demand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.judge.test_examples import (
    BANDWIDTH,
    BENCHMARKS,
    ENGLISH,
    FMA_RATE,
    GIGA,
    MACHINE,
    dgemm,
    judge,
    machine,
    triad,
)
from banzuke.limit.capacity import Roof, Usage, scaled
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.allotment import CoreRates
from banzuke.machine.model import Machine
from banzuke.machine.site import CoreKind
from banzuke.plan.resource import Resource
from banzuke.record.figures import Demand
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.testing import FLOPS, changed, plain


def stands(ceiling: Ceiling, share: Usage, on: Machine = MACHINE, demand: Demand | None = None) -> Roof:
    return scaled(ceiling, demand or Demand(resource=ceiling.resource.name, amount=1.0), share, on)


@given(cores=st.integers(1, 4))
def test_arithmetic_scales_with_cores_and_memory_does_not(cores: int) -> None:
    share = Usage(cores, 4)
    assert stands(FMA_RATE, share).rate == pytest.approx(cores / 4 * FMA_RATE.value)
    assert stands(BANDWIDTH, share).rate == BANDWIDTH.value
    assert (f"{cores} of 4 cores" in ENGLISH(stands(BANDWIDTH, share).source)) == (cores < 4)


def test_few_cores_may_clock_higher() -> None:
    boosting = machine(single_vector_hz=3.6e9, vector_hz=3.0e9)
    assert stands(FMA_RATE, Usage(1, 4), boosting).rate == pytest.approx(1.2 * FMA_RATE.value / 4)
    assert "3.6 GHz instead of 3 GHz" in ENGLISH(stands(FMA_RATE, Usage(1, 4), boosting).source)
    assert stands(FMA_RATE, Usage(4, 4), boosting).rate == FMA_RATE.value
    peak = Ceiling(FLOPS, 400 * GIGA, "theoretical", plain("here"))
    assert stands(peak, Usage(1, 4), boosting).rate == 100 * GIGA


def unlike(**rates: CoreRates) -> Machine:
    """Two cores of 150 Gflop/s and two of 50."""
    kinds = {"performance": CoreKind(cores=2, cpus=[0, 1]), "efficiency": CoreKind(cores=2, cpus=[2, 3])}
    measured = {"performance": CoreRates(fma_rate=150e9), "efficiency": CoreRates(fma_rate=50e9)} | rates
    return MACHINE.changed(processor={"kinds": kinds}, allotment={"kinds": measured})


def test_unlike_cores_count_by_their_speed() -> None:
    def used(*threads: str, hosts: int = 1, on: Machine | None = None) -> Usage:
        names = [Hosts(names=f"n{host}", ranks=str(host)) for host in range(hosts)]
        bound = [Binding(ranks=f"0-{hosts - 1}", threads=list(threads))]
        case = dgemm(1.0, ranks=hosts, threads=len(threads), hosts=names, binding=bound)
        return Usage.of(case.groups, on or unlike())

    assert stands(FMA_RATE, used("0", "1"), unlike()).rate == pytest.approx(3 / 4 * FMA_RATE.value)
    assert stands(FMA_RATE, used("2"), unlike()).rate == pytest.approx(1 / 8 * FMA_RATE.value)
    assert "12.5% of the speed of all" in ENGLISH(stands(FMA_RATE, used("2"), unlike()).source)
    assert stands(FMA_RATE, used("0", "1", hosts=2), unlike()).rate == pytest.approx(3 / 2 * FMA_RATE.value)
    assert used("0", "1", hosts=2).of_one_host.weight == 0.75
    whole = used("0", "1", "2", "3", hosts=2)
    assert stands(FMA_RATE, whole, unlike()).rate == 2 * FMA_RATE.value
    assert "speed of all" not in ENGLISH(stands(FMA_RATE, whole, unlike()).source)
    assert used("0", "0", "0", "1", "1", "1").weight == 1.0, "no more than there is"
    assert used("0-3", "1").weight is None, "which may be on any core"
    assert used("0", on=unlike(efficiency=CoreRates())).weight is None, "of which nothing is known"
    assert used("0", on=MACHINE).weight is None


def test_few_unlike_cores_clock_higher_as_their_kind_does() -> None:
    rates = {
        "performance": CoreRates(fma_rate=150e9, single_vector_hz=5e9, vector_hz=4e9),
        "efficiency": CoreRates(fma_rate=50e9, single_vector_hz=3.1e9, vector_hz=3e9),
    }
    hybrid = unlike(**rates).changed(allotment={"single_vector_hz": 5e9, "vector_hz": 3e9})
    assert stands(FMA_RATE, Usage(1, 4, weight=0.1), hybrid).rate == pytest.approx(0.1 * 5 / 4 * FMA_RATE.value)


def test_a_ceiling_of_one_core_scales_up() -> None:
    alone = Ceiling(FLOPS, 100 * GIGA, "measured", plain("here"), threads=1)
    assert stands(alone, Usage(4, 4)).rate == 400 * GIGA
    boosting = machine(single_vector_hz=3.6e9, vector_hz=3.0e9)
    assert stands(alone, Usage(4, 4), boosting).rate == pytest.approx(400 * GIGA / 1.2)
    assert "3 GHz instead of 3.6 GHz" in ENGLISH(stands(alone, Usage(4, 4), boosting).source)
    assert stands(alone, Usage(2, 4), boosting).rate == 200 * GIGA, "which may clock as high as one"


def test_hosts_add_up_but_for_what_the_busiest_has_to_do() -> None:
    hosts = [Hosts(names="a", ranks="0"), Hosts(names="b", ranks="1")]
    share = Usage.of(dgemm(1.0, ranks=2, hosts=hosts).groups, MACHINE)
    assert (share.cores, share.available) == (8, 8)
    assert stands(BANDWIDTH, share).rate == 2 * BANDWIDTH.value
    assert stands(FMA_RATE, share).rate == 2 * FMA_RATE.value
    assert stands(Ceiling(FLOPS, 1.0, "theoretical", plain("here")), share).rate == 2.0
    link = Ceiling(Resource("link.bytes", "B/s", "link bandwidth", "link"), 25 * GIGA, "measured", plain("here"))
    assert stands(link, share).rate == 50 * GIGA
    busiest = Demand(resource="any", amount=1.0, busiest="host")
    assert stands(link, share, demand=busiest).rate == 25 * GIGA
    assert stands(BANDWIDTH, share, demand=busiest).rate == BANDWIDTH.value
    assert stands(FMA_RATE, share, demand=busiest).rate == FMA_RATE.value
    of_devices = Ceiling(FLOPS, 100 * GIGA, "measured", plain("here"), device="")
    assert stands(of_devices, Usage(8, 8, hosts=4, devices=8), demand=busiest).rate == 200 * GIGA


def test_devices_add_up_and_the_busiest_has_one() -> None:
    driven = [Binding(ranks="0", threads=["0"], devices=["x"]), Binding(ranks="1", threads=["1"], devices=["y", "x"])]
    share = Usage.of(dgemm(1.0, ranks=2, threads=1, binding=driven).groups, MACHINE)
    assert share.devices == 2
    memory = Ceiling(Resource("hbm.bytes", "B/s", "device memory bandwidth", "device"), 3e12, "measured", plain("here"))
    assert stands(memory, share).rate == 6e12
    assert stands(memory, share, demand=Demand(resource="hbm.bytes", amount=1.0, busiest="device")).rate == 3e12


def test_a_group_has_its_own_part_of_the_machine() -> None:
    record = dgemm(1.0, ranks=2, threads=2)
    other = record.groups[0].model_copy(update={"ranks": 1, "threads": 1, "hosts": [Hosts(names="b", ranks="2")]})
    both = record.model_copy(update={"groups": [*record.groups, other]})
    assert Usage.of(both.groups, MACHINE) == Usage(5, 8, hosts=2)
    assert Usage.of(both.groups[1:], MACHINE) == Usage(1, 4, hosts=1)


def test_one_host_is_not_multiplied() -> None:
    assert "hosts" not in ENGLISH(stands(BANDWIDTH, Usage(4, 4)).source)
    assert "times 2 hosts" in ENGLISH(stands(BANDWIDTH, Usage(8, 8, hosts=2)).source)


def test_share_is_capped_at_the_machine() -> None:
    assert Usage.of(dgemm(1.0, threads=8).groups, MACHINE) == Usage(4, 4)
    assert Usage.of(changed(dgemm(1.0), threads=2).groups, MACHINE) == Usage(2, 4)


def two_partitions() -> Machine:
    """Thin nodes, and fat ones of twice as many cores."""
    partition = MACHINE.site.partitions[MACHINE.allotment.partition]
    site = MACHINE.site.model_copy(update={"partitions": {"thin": partition, "fat": partition}})
    thin = MACHINE.allotment.model_copy(update={"partition": "thin"})
    fat = thin.model_copy(update={"partition": "fat", "allowed_cores": 8, "fma_rate": 800 * GIGA})
    return Machine(site=site, allotments=[thin, fat])


def on(record: Record, partition: str) -> Record:
    (group,) = record.groups
    return record.model_copy(update={"groups": [group.model_copy(update={"partition": partition})]})


def test_each_partition_has_its_own_ceilings() -> None:
    there = two_partitions()
    thin, fat = on(triad(40 * GIGA), "thin"), on(triad(90 * GIGA), "fat")
    for subject, limit in ((thin, 40 * GIGA), (fat, 90 * GIGA)):
        (figure,) = (figure for figure in judge(subject, thin, fat, on=there, under=None).figures if figure.headline)
        assert figure.limit == pytest.approx(limit)
    above = [ceiling for ceiling in ceilings([], there, BENCHMARKS) if ceiling.above]
    assert {(ceiling.partition, ceiling.value) for ceiling in above} == {("thin", 400 * GIGA), ("fat", 800 * GIGA)}


def test_unlike_partitions_that_work_together_add_up() -> None:
    there = two_partitions()
    thin, fat = on(dgemm(300 * GIGA), "thin"), on(dgemm(700 * GIGA, threads=8), "fat")
    hosts = [Hosts(names="b", ranks="1")]
    second = fat.groups[0].model_copy(update={"hosts": hosts})
    both = dgemm(900 * GIGA).model_copy(update={"groups": [thin.groups[0], second], "benchmark": "solver"})
    (figure,) = judge(both, thin, fat, on=there, under=None).figures
    assert figure.limit == pytest.approx(1000 * GIGA)
    bounds = ceilings([both.model_copy(update={"benchmark": "dgemm"})], there, BENCHMARKS)
    assert all(ceiling.above or ceiling.kind == "theoretical" for ceiling in bounds), (
        "together they tell the rate of none"
    )


def test_what_one_partition_lacks_leaves_the_sum_unknown() -> None:
    there, thin = two_partitions(), on(triad(40 * GIGA), "thin")
    fat = on(triad(90 * GIGA), "fat").groups[0]
    both = triad(100 * GIGA).model_copy(update={"groups": [thin.groups[0], fat], "benchmark": "solver"})
    figures = judge(both, thin, on=there, under=None).figures
    assert [figure.limit for figure in figures] == [None, None]
    assert "`banzuke run stream`" in ENGLISH(figures[0].limit_source)


def test_a_device_is_not_bounded_by_what_its_host_can_do() -> None:
    driving = [Binding(ranks="0", threads=["0"], devices=["x", "y"])]
    cuda = changed(triad(6000 * GIGA), binding=driving).model_copy(update={"backend": "cuda"})
    host = triad(40 * GIGA)
    for subject, limit in ((cuda, 6000 * GIGA), (host, 40 * GIGA)):
        (figure,) = (figure for figure in judge(subject, cuda, host, under=None).figures if figure.headline)
        assert figure.limit == pytest.approx(limit)
    (of_device,) = (ceiling for ceiling in ceilings([cuda, host], MACHINE, BENCHMARKS) if ceiling.devices)
    assert of_device.value == pytest.approx(3000 * GIGA)
    assert ENGLISH(of_device.source).endswith("on 2 devices")
