"""Descriptions of schema 1 are read as what they said."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from banzuke.machine.model import Machine
from banzuke.machine.site import Cache, Device, StorageArea
from banzuke.testing import damaged

CPU: dict[str, Any] = {
    "model": "Example", "vendor": None, "architecture": "x86_64", "microarchitecture": None, "sockets": 1, "cores": 4,
    "logical": 8, "allowed": [0, 1, 4, 5], "allowed_cores": 2, "one_per_core": [0, 1], "siblings": [[0, 4], [1, 5]],
    "complexes": [[0, 1, 4, 5]], "packages": [[0, 1, 4, 5]], "quota": 1.5, "simd": "AVX-512", "vector_bits": 512,
    "fma_units": 2, "fma_per_cycle": 1.98, "nominal_hz": 2e9, "maximum_hz": None, "scalar_hz": 3e9,
    "single_vector_hz": 2.9e9, "vector_hz": 2.8e9, "fma_rate": 9e10,
}  # fmt: skip
CACHE = {"level": 3, "kind": "unified", "bytes": 1 << 25, "instances": 1, "shared_by": 8}
OLD: dict[str, Any] = {
    "name": "old", "fingerprint": "0123456789ab", "cpu": CPU, "caches": [CACHE],
    "numa": [{"node": 0, "cpus": [0, 1, 2, 3, 4, 5, 6, 7], "bytes": 1 << 34}],
    "memory": {"total": 1 << 34, "allowed": 1 << 33, "available": 1 << 32, "kind": "2 x DDR4", "peak_bandwidth": 4e10},
    "gpus": [{"name": "A", "memory": 1 << 36, "driver": "570"}],
    "network": [{"name": "eth0", "kind": "ethernet", "bits_per_second": 1e10, "numa_node": None}], "hosts": ["a", "b"],
    "filesystems": [{"mount": "/", "kind": "ext4", "source": "/dev/vda", "total": 1 << 40, "free": 1 << 39}],
    "kernel": {"release": "6.1", "governor": None}, "hypervisor": "KVM", "topology_source": "hwloc",
    "software": {"compilers": {"g++": "12"}, "mpi": {"mpiexec": "MPICH"}, "blas": [], "blas_choice": None},
    "peaks": {
        "peak_flop_rate": {"value": 1.28e11, "unit": "flop/s", "derivation": "2 cores"},
        "peak_memory_bandwidth": {"value": 4e10, "unit": "B/s", "derivation": "channels"},
    },
}  # fmt: skip


def test_every_value_is_found_again() -> None:
    found = Machine.model_validate_json(json.dumps(OLD))
    cpu, mine = found.node.processor.model_dump(), found.allotment.model_dump()
    assert {name: cpu.get(name, mine.get(name)) for name in CPU} == CPU
    assert (found.name, found.fingerprint, mine["hosts"]) == ("old", "0123456789ab", ["a", "b"])
    assert found.allotment.caches == [Cache.model_validate(CACHE)]
    assert found.node.caches == [], "of the other half of the cores nothing was told"
    assert [node.model_dump(exclude_none=True) for node in found.node.numa] == OLD["numa"]
    assert (found.node.memory.total, found.node.memory.kind, found.node.memory.peak_bandwidth) == (
        1 << 34,
        "2 x DDR4",
        4e10,
    )
    assert (mine["memory_allowed"], mine["memory_available"], found.allotment.usable_memory) == (
        1 << 33,
        1 << 32,
        1 << 32,
    )
    assert found.node.devices == [Device(name="A", memory=1 << 36, driver="570")]
    assert [link.model_dump() for link in found.node.interfaces] == OLD["network"]
    assert found.site.areas == {"/": StorageArea(kind="ext4", source="/dev/vda", mount="/", capacity=1 << 40)}
    assert (found.partition.mounts, mine["storage_available"]) == (["/"], {"/": 1 << 39})
    assert (found.partition.kernel, found.partition.hypervisor) == ({"release": "6.1"}, "KVM")
    assert found.software.model_dump(exclude={"libraries"}) == OLD["software"]
    assert {name: peak.value for name, peak in found.peaks.items()} == {"flops.fp64": 1.28e11, "memory.bytes": 4e10}
    source = found.site.source("partitions.nodes.node.caches")
    assert source is not None
    assert source.where == "hwloc"


def test_the_caches_are_the_nodes_where_all_cores_were_allowed() -> None:
    found = Machine.model_validate(OLD | {"cpu": CPU | {"allowed_cores": 4}})
    assert found.node.caches == found.allotment.caches != []


@pytest.mark.parametrize("name", ["fingerprint", "memory", "topology_source"])
def test_what_lacks_is_not_made_up(name: str) -> None:
    with pytest.raises(ValidationError):
        Machine.model_validate({key: value for key, value in OLD.items() if key != name})


@given(st.data())
def test_damaged_ones_are_refused_or_read(data: st.DataObject) -> None:
    content = data.draw(damaged(json.dumps(OLD).encode()))
    try:
        found = Machine.model_validate_json(content)
    except ValidationError:
        return
    assert Machine.model_validate_json(found.model_dump_json()) == found
