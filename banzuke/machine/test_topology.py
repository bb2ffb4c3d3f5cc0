import shutil

import pytest

from banzuke.machine.conftest import Plant
from banzuke.machine.topology import from_sysfs, parse_bitmap, parse_hwloc, topology
from banzuke.machine.tree import Tree

XML = """<topology version="2.0"><object type="Machine" cpuset="0x0000000f">
 <object type="Package" cpuset="0x00000003">
  <object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="1024"/>
  <object type="L2Cache" cpuset="0x00000003" cache_size="4096" depth="2" cache_type="0">
   <object type="Core" cpuset="0x00000003">
    <object type="PU" cpuset="0x00000001"/><object type="PU" cpuset="0x00000002"/>
 </object></object></object>
 <object type="Package" cpuset="0x0000000c">
  <object type="NUMANode" os_index="1" cpuset="0x0000000c" local_memory="2048"/>
  <object type="L2Cache" cpuset="0x0000000c" cache_size="4096" depth="2" cache_type="0">
   <object type="Core" cpuset="0x0000000c">
    <object type="PU" cpuset="0x00000004"/><object type="PU" cpuset="0x00000008"/>
 </object></object></object>
</object></topology>"""


def test_bitmaps() -> None:
    assert parse_bitmap("0x00000005") == [0, 2]
    assert parse_bitmap("0x1,,0x00000003") == [0, 1, 64]
    assert parse_bitmap("0xzz") == []
    assert parse_bitmap(None) == []


def test_hwloc() -> None:
    found = parse_hwloc(XML)
    assert found is not None
    assert (found.source, found.sockets, found.cores) == ("hwloc", 2, [[0, 1], [2, 3]])
    assert [(node.node, node.cpus, node.bytes) for node in found.numa] == [
        (0, [0, 1], 1024),
        (1, [2, 3], 2048),
    ]
    (cache,) = found.caches([1, 2, 3])
    assert (cache.level, cache.kind, cache.bytes, cache.instances, cache.shared_by) == (
        2,
        "unified",
        4096,
        2,
        2,
    )
    assert found.caches([0])[0].instances == 1
    assert found.packages == found.complexes == [[0, 1], [2, 3]]


def test_cores_of_another_kind_may_have_no_cache_of_the_last_level(plant: Plant) -> None:
    files = {"sys/devices/system/cpu/online": "0-4"}
    shared = {0: ("0", "0-1"), 1: ("1", "0-1"), 2: ("2", "2-3"), 3: ("3", "2-3"), 4: ("4", None)}
    for cpu, levels in shared.items():
        for level, cpus in zip((2, 3), levels, strict=True):
            folder = f"sys/devices/system/cpu/cpu{cpu}/cache/index{level}"
            if cpus:
                files |= {f"{folder}/level": str(level), f"{folder}/size": "1M", f"{folder}/type": "Unified"}
                files[f"{folder}/shared_cpu_list"] = cpus
    assert from_sysfs(plant(files)).complexes == [[0, 1], [2, 3], [4]]


def test_not_hwloc() -> None:
    assert parse_hwloc("") is None
    assert parse_hwloc("<topology/>") is None
    assert parse_hwloc("<topology><object type='Core' cpuset='?'/></topology>") is None


def test_one_per_core_goes_by_numa_node(plant: Plant) -> None:
    files = {"sys/devices/system/cpu/online": "0-7"}
    for cpu in range(8):
        files[f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"] = f"{cpu % 4},{cpu % 4 + 4}"
    files["sys/devices/system/node/node0/cpulist"] = "1,3,5,7"
    files["sys/devices/system/node/node1/cpulist"] = "0,2,4,6"
    found = from_sysfs(plant(files))
    assert len(found.cores) == 4
    assert found.one_per_core(range(8)) == [1, 3, 0, 2]
    assert found.one_per_core([4, 5, 7]) == [5, 7, 4]


def test_processors_that_tell_nothing_are_cores(plant: Plant) -> None:
    found = from_sysfs(plant({"sys/devices/system/cpu/online": "0-2"}))
    assert (len(found.cores), found.sockets, found.instances) == (3, None, [])


def test_an_offline_sibling_is_no_processor(plant: Plant) -> None:
    tree = plant(
        {
            "sys/devices/system/cpu/online": "0",
            "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1",
        }
    )
    assert from_sysfs(tree).logical == [0]


@pytest.mark.skipif(not shutil.which("lstopo-no-graphics"), reason="hwloc is not installed")
def test_a_users_settings_of_hwloc_make_no_other_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    here = topology(Tree())
    monkeypatch.setenv("HWLOC_SYNTHETIC", "pack:4 core:8 pu:2")
    assert topology(Tree()) == here
