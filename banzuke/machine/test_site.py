"""Totals, sources, and what a job was given."""

import pytest
from pydantic import ValidationError

from banzuke.machine.model import Machine
from banzuke.machine.site import Device, NodeType, Partition, Peak, Processor, Site, Source
from banzuke.testing import machine


def rate(value: float | None) -> dict[str, Peak]:
    return {"flops.fp64": Peak(value=value, unit="flop/s", derivation="printed")}


NODE = NodeType(processors=[Processor(peaks=rate(1e12))], devices=[Device(name="A", count=4, peaks=rate(5e12))])
SITE = Site(
    name="two",
    partitions={"gpu": Partition(node=NODE, nodes=10), "cpu": Partition(node=NodeType(peaks=rate(3e12)), nodes=2)},
    sources={
        "partitions.gpu": Source(how="printed", where="table 1"),
        "partitions.gpu.node.processors": Source(how="assumed", where="vendor's page"),
    },
)


def test_totals_add_up() -> None:
    assert NODE.total("flops.fp64") == 21e12
    assert SITE.partitions["gpu"].total("flops.fp64") == 210e12


def test_a_peak_of_the_node_goes_before_the_sum_of_its_parts() -> None:
    assert NODE.model_copy(update={"peaks": rate(20e12)}).total("flops.fp64") == 20e12


@pytest.mark.parametrize(
    "node",
    [
        NodeType(),
        NODE.model_copy(update={"peaks": rate(None)}),
        NODE.model_copy(update={"devices": [Device(name="B")]}),
        NODE.model_copy(update={"processors": [Processor(peaks=rate(None))]}),
    ],
)
def test_what_is_unknown_is_in_no_total(node: NodeType) -> None:
    assert node.total("flops.fp64") is None
    assert Partition(node=node, nodes=2).total("flops.fp64") is None


def test_a_partition_of_unknown_size_has_no_total() -> None:
    assert Partition(node=NODE).total("flops.fp64") is None


def test_the_longest_path_says_where_a_value_comes_from() -> None:
    assert SITE.source("partitions.gpu.node.processors.0.cores") == Source(how="assumed", where="vendor's page")
    assert SITE.source("partitions.gpu.node.memory") == Source(how="printed", where="table 1")
    assert SITE.source("partitions.gpus") is None


def test_one_partition_of_several() -> None:
    example = machine(cores=2)
    site = example.site.model_copy(update={"partitions": example.site.partitions | {"gpu": Partition(node=NODE)}})
    more = example.allotment.model_copy(update={"partition": "gpu", "allowed_cores": 7})
    both = Machine(site=site, allotments=[example.allotment, more])
    assert (both.node.processor.cores, both.allotment.allowed_cores) == (2, 2)
    there = both.of("gpu")
    assert (there.node, there.allotment, there.site) == (NODE, more, site)
    with pytest.raises(KeyError):
        both.of("cpu")


def test_an_allotment_is_of_a_partition_of_the_site() -> None:
    example = machine()
    elsewhere = example.allotment.model_copy(update={"partition": "gpu"})
    with pytest.raises(ValidationError, match="'gpu', which is none of the site's partitions"):
        Machine(site=example.site, allotments=[elsewhere])


def test_only_what_is_named_changes() -> None:
    example = machine(cores=2)
    other = example.changed(
        site={"name": "x"}, processor={"simd": "SVE"}, node={"fingerprint": "1"}, allotment={"quota": 1}
    )
    assert (other.name, other.node.processor.simd, other.node.fingerprint, other.allotment.quota) == (
        "x",
        "SVE",
        "1",
        1,
    )
    back = other.changed(
        site={"name": "example"},
        processor={"simd": "AVX-512"},
        node={"fingerprint": None},
        allotment={"quota": None},
    )
    assert back == example
    with pytest.raises(TypeError, match="Allotment has no nominal_hz"):
        example.changed(allotment={"nominal_hz": 1e9})


def test_the_peaks_are_those_of_the_allowed_cores() -> None:
    example = machine().changed(
        node={"peaks": rate(9e12) | {"memory.bytes": Peak(value=1e11, unit="B/s", derivation="")}},
        allotment={"peaks": rate(1e12)},
    )
    assert {name: peak.value for name, peak in example.peaks.items()} == {"flops.fp64": 1e12, "memory.bytes": 1e11}
