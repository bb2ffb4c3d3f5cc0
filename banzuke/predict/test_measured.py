from dataclasses import replace
from typing import Any

import pytest

from banzuke.judge.test_examples import BENCHMARKS, GIGA, MACHINE, dgemm, record, triad
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.cluster import Network
from banzuke.machine.site import Device
from banzuke.plan.resource import Resource
from banzuke.predict.constants import SHARED
from banzuke.predict.hardware import Hardware, NodeGroup, hardware
from banzuke.predict.measured import measured_machine
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.testing import FLOPS, plain, with_hosts

CONSTANTS = {name: constant.value for name, constant in SHARED.items()}
RATES = ceilings([triad(30 * GIGA, moved=24), dgemm(300 * GIGA)], MACHINE, BENCHMARKS)


def seen(machine: Any = MACHINE, rates: Any = RATES, case: Record | None = None) -> Hardware:
    return hardware(measured_machine(machine, rates, case), CONSTANTS)


def group(**arguments: Any) -> NodeGroup:
    (only,) = seen(**arguments).groups
    return only


def test_what_was_measured_goes_before_what_is_described() -> None:
    node = group()
    assert (node.host.dgemm, node.host.bandwidth) == (300 * GIGA, 30 * GIGA)
    assert (node.nodes, node.cores, node.host.peak) == (1, 4, 448 * GIGA)
    (processor,) = measured_machine(MACHINE, RATES).site.partitions["nodes"].node.processors
    assert processor.nominal_hz == MACHINE.allotment.vector_hz


def test_rates_that_only_some_models_use_go_along() -> None:
    further = [
        Ceiling(Resource(name, unit, name, "host"), value, "measured", plain("measured"))
        for name, unit, value in (("memory.loads", "B/s", 25 * GIGA), ("flops.fft", "flop/s", 40 * GIGA))
    ]
    unused = Ceiling(Resource("memory.l3.loads", "B/s", "x", "host"), GIGA, "measured", plain("measured"))
    rates = group(rates=(*RATES, *further, unused)).host.rates
    assert {"memory.loads": 25 * GIGA, "flops.fft": 40 * GIGA}.items() <= rates.items()
    assert "memory.l3.loads" not in rates


def test_memory_is_what_sizes_follow_from_whatever_is_free() -> None:
    busy = MACHINE.changed(allotment={"memory_available": 1 << 30})
    assert group(machine=busy).host.memory == group().host.memory == MACHINE.allotment.reference_memory


def test_what_nobody_measured_follows_from_the_description() -> None:
    assert group(rates=()).host.dgemm == pytest.approx(448 * GIGA * CONSTANTS["host.dgemm"])
    assert not group(rates=()).host.bandwidth > 0, "neither measured nor described"


def test_a_case_on_some_cores_has_these_and_all_of_the_memory() -> None:
    node = group(case=record("solver", triad(GIGA).metrics, threads=1))
    assert (node.cores, node.host.peak, node.host.dgemm) == (1, 112 * GIGA, 75 * GIGA)
    assert node.host.bandwidth == 30 * GIGA


def test_a_case_of_several_hosts_has_their_link() -> None:
    machine = with_hosts(MACHINE, 4)
    link = Ceiling(
        Resource("link.bytes", "B/s", "bandwidth of a host's link", "link"), 9 * GIGA, "measured", plain("measured")
    )
    hosts = [Hosts(names="n[1-2]", ranks="0-1")]
    case = seen(machine, (*RATES, link), record("solver", triad(GIGA).metrics, ranks=2, hosts=hosts))
    assert (case.nodes, case.groups[0].host.dgemm) == (2, 300 * GIGA)
    assert case.fabric.node_bandwidth == 9 * GIGA
    assert seen(machine, (*RATES, link)).nodes == 4
    two = machine.changed(partition={"network": Network(links=2, bandwidth=12.5e9)})
    assert seen(two, (*RATES, link)).fabric.node_bandwidth == pytest.approx(9 * GIGA)
    assert seen(two).fabric.node_bandwidth == pytest.approx(25e9 * CONSTANTS["link.share"])


def test_any_number_of_such_nodes_may_be_predicted() -> None:
    machine = replace(measured_machine(MACHINE, RATES), nodes={"nodes": 1000})
    on_paper = machine.site.partitions["nodes"].model_copy(update={"network": Network(bandwidth=12.5e9)})
    site = machine.site.model_copy(update={"partitions": {"nodes": on_paper}})
    assert hardware(replace(machine, site=site), CONSTANTS).peak == pytest.approx(448e12)


def test_devices_count_as_far_as_ranks_drive_them() -> None:
    machine = MACHINE.changed(node={"devices": [Device(name="GPU", count=4)]})
    rate = Ceiling(FLOPS, 5e12, "measured", plain("measured"), device="GPU")
    bound = [Binding(ranks="0-1", threads=["0"], devices=["a"]), Binding(ranks="2", threads=["1"], devices=["b"])]
    driving = record("solver", triad(GIGA).metrics, ranks=2, threads=1, binding=bound)
    (device,) = group(machine=machine, rates=(*RATES, rate), case=driving).devices
    assert (device.number, device.dgemm) == (2, 5e12)
    assert not group(machine=machine, case=record("solver", triad(GIGA).metrics)).devices
    (device,) = group(machine=machine, rates=(*RATES, rate)).devices
    assert (device.number, device.dgemm) == (4, 5e12)
