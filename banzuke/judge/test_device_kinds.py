"""A node with two kinds of devices: cases are judged by the rates of the kind that they ran on."""

from pathlib import Path
from typing import Any

import pytest

from banzuke.judge.model import Assessment
from banzuke.judge.ratios import find_roof
from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, MACHINE, dgemm, judge, provenance, record, triad
from banzuke.limit.ceilings import ceilings
from banzuke.limit.elsewhere import known_ceilings
from banzuke.limit.model import Ceiling
from banzuke.limit.test_elsewhere import NEEDED, run_of
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Peak
from banzuke.plan.resource import Resource
from banzuke.record.figures import Demand, Samples
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.results.store import Store
from banzuke.testing import FLOPS, MEMORY, plain

PEAKS = {"Large": 9000 * GIGA, "Small": 1000 * GIGA}
KINDS = {"L0": "Large", "L1": "Large", "S": "Small"}


def unlike() -> Machine:
    """Return a machine with two large devices and a small one."""
    kinds = [
        Device(
            name=name,
            count=list(KINDS.values()).count(name),
            peaks={
                "flops.fp64": Peak(value=peak, unit="flop/s", derivation="its units"),
                "flops.fp64_matrix": Peak(value=2 * peak, unit="flop/s", derivation="its matrix units"),
            },
        )
        for name, peak in PEAKS.items()
    ]
    allotted = [
        AllottedDevice(identity=identity, name=name, vendor="NVIDIA", memory=1 << 30, memory_available=1 << 30)
        for identity, name in KINDS.items()
    ]
    return MACHINE.changed(node={"devices": kinds}, allotment={"devices": allotted})


ON = unlike()


def driving(subject: Record, *devices: str, **changes: Any) -> Record:
    binding = [Binding(ranks=str(rank), threads=["0"], devices=[device]) for rank, device in enumerate(devices)]
    (group,) = subject.groups
    group = group.model_copy(update={"ranks": len(devices), "threads": 1, "binding": binding})
    return subject.model_copy(update={"groups": [group], "backend": "cuda", **changes})


LARGE, SMALL = driving(triad(3000 * GIGA), "L0"), driving(triad(800 * GIGA), "S")


def headline(subject: Record, *others: Record, on: Machine = ON) -> tuple[float | None, float | None, str, str]:
    """Return limit and peak, and their sources."""
    figure = judge(subject, *others, on=on, under=None).figures[-1]
    return figure.limit, figure.peak, ENGLISH(figure.limit_source), ENGLISH(figure.peak_source)


def test_each_kind_has_a_measured_rate_and_a_peak() -> None:
    of_devices = [ceiling for ceiling in ceilings([LARGE, SMALL], ON, BENCHMARKS) if ceiling.devices]
    rates = {ceiling.device: ceiling.value / GIGA for ceiling in of_devices if ceiling.resource == MEMORY}
    assert rates == {"Large": pytest.approx(3000), "Small": pytest.approx(800)}
    assert {(ceiling.device, ceiling.value) for ceiling in of_devices if ceiling.resource == FLOPS} == {
        ("Large", 2 * PEAKS["Large"]),
        ("Small", 2 * PEAKS["Small"]),
    }


@pytest.mark.parametrize(("device", "limit", "kind"), [("L1", 3000, "Large"), ("S", 800, "Small")])
def test_a_figure_is_set_beside_the_rates_of_its_own_device(device: str, limit: float, kind: str) -> None:
    here = driving(triad(100 * GIGA), device)
    bandwidth, _, source, _ = headline(here, LARGE, SMALL)
    assert bandwidth == pytest.approx(limit * GIGA)
    assert f"on 1 device ({kind})" in source
    _, peak, _, source = headline(driving(dgemm(100 * GIGA, n=10_000), device))
    assert peak == pytest.approx(2 * PEAKS[kind])
    assert source.endswith(f"its matrix units ({kind})")


def test_what_its_own_benchmark_reached_is_no_independent_limit_of_a_device_either() -> None:
    """On a host, registers bound DGEMM; on a device, only DGEMM itself does."""
    subject = driving(dgemm(100 * GIGA, n=10_000), "L1")
    figure = judge(subject, on=ON, under=None).figures[0]
    assert figure.fraction_of_limit == pytest.approx(1.0)
    assert figure.own_ceiling
    work = driving(dgemm(50 * GIGA, n=10_000), "L1", benchmark="solver")
    assert not judge(work, subject, on=ON, under=None).figures[0].own_ceiling


def test_what_one_kind_reached_is_no_limit_of_the_other() -> None:
    here = driving(triad(100 * GIGA), "S", benchmark="solver")
    limit, _, source, _ = headline(here, LARGE)
    assert limit is None
    assert "memory bandwidth of Small is not measured yet (run `banzuke run stream --devices 2`)" in source


def test_unlike_devices_that_work_together_add_up_and_set_no_ceiling() -> None:
    both = driving(triad(100 * GIGA), "L0", "L1", "S", benchmark="solver")
    limit, _, source, _ = headline(both, LARGE, SMALL)
    assert limit == pytest.approx((2 * 3000 + 800) * GIGA)
    assert "Large" in source
    assert "Small" in source
    assert headline(both, LARGE)[0] is None
    stream = both.model_copy(update={"benchmark": "stream"})
    assert not [
        ceiling for ceiling in ceilings([stream], ON, BENCHMARKS) if ceiling.devices and ceiling.resource == MEMORY
    ]


def test_the_busiest_of_unlike_devices_may_be_the_slowest() -> None:
    link = Resource("link.host", "B/s", "link", "device")
    under = tuple(
        Ceiling(link, rate, "measured", plain("x"), device=kind) for kind, rate in (("Large", 50.0), ("Small", 12.0))
    )
    demand = [Demand(resource="link.host", amount=100.0, busiest="device")]
    both = driving(record("solver", {"time": Samples(unit="s", samples=[20.0], demand=demand)}), "L0", "S")
    (figure,) = judge(both, on=ON, under=under).figures
    assert figure.limit == pytest.approx(100 / 12)
    alone = driving(record("solver", {"time": Samples(unit="s", samples=[20.0], demand=demand)}), "L0")
    (figure,) = judge(alone, on=ON, under=under).figures
    assert figure.limit == pytest.approx(100 / 50)


def test_a_link_of_the_host_counts_once_however_many_kinds_use_it() -> None:
    link = Resource("link.bytes", "B/s", "link bandwidth", "link")
    demand = [Demand(resource="link.bytes", amount=100.0)]
    both = driving(record("solver", {"time": Samples(unit="s", samples=[20.0], demand=demand)}), "L0", "S")
    (figure,) = judge(both, on=ON, under=(Ceiling(link, 10.0, "measured", plain("x")),)).figures
    assert figure.limit == pytest.approx(10)


def test_of_another_hosts_devices_the_launch_tells_the_kind() -> None:
    hosts = [Hosts(names="other", ranks="0")]
    there = driving(triad(100 * GIGA, hosts=hosts), "ELSEWHERE")
    limit, _, source, _ = headline(there.model_copy(update={"benchmark": "solver"}), LARGE, SMALL)
    assert limit is None
    assert "nothing shows on which kind of the node’s devices it ran" in source
    named = there.model_copy(update={"benchmark": "solver", "provenance": provenance(variant={"device": "Small"})})
    assert headline(named, LARGE, SMALL)[0] == pytest.approx(800 * GIGA)


def test_of_one_kind_every_device_is_and_no_name_is_said() -> None:
    single = ON.changed(node={"devices": ON.node.devices[:1]}, allotment={"devices": ON.allotment.devices[:2]})
    limit, _, source, _ = headline(driving(triad(100 * GIGA), "ELSEWHERE"), LARGE, on=single)
    assert limit == pytest.approx(3000 * GIGA)
    assert "on 1 device" in source
    assert "Large" not in source


def test_kinds_of_one_name_have_the_higher_peak() -> None:
    (first, second) = ON.node.devices
    alike = ON.changed(node={"devices": [second.model_copy(update={"name": "Large"}), first]})
    (peak,) = (ceiling for ceiling in ceilings([], alike, BENCHMARKS) if ceiling.devices)
    assert peak.value == 2 * PEAKS["Large"]


def test_a_ceiling_of_another_run_is_taken_for_its_own_kind_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    records = [
        subject.model_copy(update={"provenance": provenance(id=str(n))}) for n, subject in enumerate((LARGE, SMALL))
    ]
    run = run_of(store, records[0], on=ON)
    assert known_ceilings(NEEDED, [run], ON, device="Small") == {}
    run.append(records[1].model_copy(update={"provenance": provenance(id="1", run=run.name)}))
    for kind, measured in zip(PEAKS, records, strict=True):
        (chosen,) = known_ceilings(NEEDED, [run], ON, device=kind)["memory.bytes"]
        assert chosen.metrics == measured.metrics


def test_sparse_work_on_either_kind_is_set_beside_its_own_arithmetic() -> None:
    of_both = ceilings([LARGE, SMALL], ON, BENCHMARKS)
    for subject, kind in ((LARGE, "Large"), (SMALL, "Small")):
        roof = find_roof(Assessment(subject, (), ceilings=of_both), ON, "flops.fp64", "theoretical")
        assert roof
        assert roof.rate == PEAKS[kind]
    without = tuple(ceiling for ceiling in of_both if ceiling.device != "Small")
    assert find_roof(Assessment(SMALL, (), ceilings=without), ON, "flops.fp64", "theoretical") is None
