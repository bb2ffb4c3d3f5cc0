import shutil

import pytest

from banzuke.cpu_lists import parse_bitmap
from banzuke.machine.conftest import Plant
from banzuke.machine.site import NumaNode
from banzuke.machine.topology import from_sysfs, parse_hwloc, topology
from banzuke.machine.tree import Tree

XML = """<topology version="2.0"><object type="Machine" cpuset="0x0000000f">
 <object type="Package" cpuset="0x00000003">
  <object type="L2Cache" cpuset="0x00000003" cache_size="4096" depth="2" cache_type="0">
   <object type="Core" cpuset="0x00000003">
    <object type="PU" cpuset="0x00000001"/><object type="PU" cpuset="0x00000002"/>
 </object></object></object>
 <object type="Package" cpuset="0x0000000c">
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
    parsed = parse_hwloc(XML)
    assert parsed is not None
    assert (parsed.source, parsed.sockets, parsed.cores) == ("hwloc", 2, [[0, 1], [2, 3]])
    (cache,) = parsed.caches([1, 2, 3])
    assert (cache.level, cache.kind, cache.bytes, cache.instances, cache.shared_by) == (
        2,
        "unified",
        4096,
        2,
        2,
    )
    assert parsed.caches([0])[0].instances == 1
    assert parsed.packages == parsed.complexes == [[0, 1], [2, 3]]


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


@pytest.mark.parametrize("said", ['type="MemCache"', 'type="L3Cache" subtype="MemorySideCache"'])
def test_a_memory_side_cache_is_no_cache_of_a_processor(said: str) -> None:
    parsed = parse_hwloc(XML.replace('type="L2Cache"', said))
    assert parsed
    assert parsed.instances == []


def test_kernels_that_tell_masks_alone(plant: Plant) -> None:
    """POWER9: cores of four threads, pairs of them with an L3 cache."""
    files = {"sys/devices/system/cpu/online": "0-63"}
    for cpu in range(64):
        folder = f"sys/devices/system/cpu/cpu{cpu}"
        core, pair = cpu // 4 * 4, cpu // 8 * 8
        files |= {
            f"{folder}/topology/thread_siblings": mask(0xF << core),
            f"{folder}/topology/physical_package_id": "0",
        }
        for index, (level, kind, shared) in enumerate((("1", "Data", 0xF << core), ("3", "Unified", 0xFF << pair))):
            cache = f"{folder}/cache/index{index}"
            files |= {f"{cache}/level": level, f"{cache}/type": kind, f"{cache}/size": "32K"}
            files[f"{cache}/shared_cpu_map"] = mask(shared)
    files["sys/devices/system/node/node0/cpumap"] = mask((1 << 32) - 1)
    files["sys/devices/system/node/node8/cpumap"] = mask((1 << 64) - (1 << 32))
    parsed = from_sysfs(plant(files))
    assert len(parsed.cores) == 16
    assert [(item.level, item.instances, item.shared_by) for item in parsed.caches(range(64))] == [
        (1, 16, 4),
        (3, 8, 8),
    ]
    assert [len(item.cpus) for item in parsed.numa] == [32, 32]


def mask(bits: int) -> str:
    return ",".join(f"{bits >> shift & 0xFFFFFFFF:08x}" for shift in (64, 32, 0))


@pytest.mark.parametrize(
    ("posted", "kept"),
    [
        (
            [("0-5,24-29", 0), ("6-11,30-35", 64307), ("12-17,36-41", 64472), ("18-23,42-47", 0)],
            [(12, 0), (12, 64307), (12, 64472), (12, 0)],
        ),
        ([("0-71", 490000), *[("", 0)] * 8], [(72, 490000)]),
        ([("0-31", 128000), ("32-63", 129000), ("", 131072)], [(32, 128000), (32, 129000), (0, 131072)]),
    ],
    ids=["Threadripper 3960X, NPS4, two of four channels", "GH200, nodes for the GPU's partitions", "CXL memory"],
)
def test_nodes_without_memory_or_without_processors(
    plant: Plant, posted: list[tuple[str, int]], kept: list[tuple[int, int]]
) -> None:
    """As others posted them (numactl/numactl#165, bytedance/xpu-perf#129); MiB."""
    files = {"sys/devices/system/cpu/online": "0-71"}
    for number, (cpus, size) in enumerate(posted):
        folder = f"sys/devices/system/node/node{number}"
        files |= {f"{folder}/cpulist": cpus, f"{folder}/meminfo": f"Node {number} MemTotal: {size << 10} kB"}
    nodes = from_sysfs(plant(files)).numa
    assert [(len(node.cpus), (node.bytes or 0) >> 20) for node in nodes] == kept


def test_a_kernel_without_numa_has_one_memory(plant: Plant) -> None:
    assert from_sysfs(plant({"sys/devices/system/cpu/online": "0-3"})).numa == [NumaNode(node=0, cpus=[0, 1, 2, 3])]


def test_processors_that_are_off_where_no_list_says_so(plant: Plant) -> None:
    files = {f"sys/devices/system/cpu/cpu{cpu}/online": str(cpu % 2) for cpu in (1, 2, 3)}
    files |= {f"sys/devices/system/cpu/cpu{cpu}/topology/core_id": "0" for cpu in range(4)}
    assert from_sysfs(plant(files)).logical == [0, 1, 3]


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
    parsed = from_sysfs(plant(files))
    assert len(parsed.cores) == 4
    assert parsed.one_per_core(range(8)) == [1, 3, 0, 2]
    assert parsed.one_per_core([4, 5, 7]) == [5, 7, 4]


def test_processors_that_tell_nothing_are_cores(plant: Plant) -> None:
    parsed = from_sysfs(plant({"sys/devices/system/cpu/online": "0-2"}))
    assert (len(parsed.cores), parsed.sockets, parsed.instances) == (3, None, [])


def test_an_offline_sibling_is_no_processor(plant: Plant) -> None:
    tree = plant(
        {
            "sys/devices/system/cpu/online": "0",
            "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1",
        }
    )
    assert from_sysfs(tree).logical == [0]


@pytest.mark.skipif(not shutil.which("lstopo-no-graphics"), reason="hwloc is not installed")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HWLOC_SYNTHETIC", "pack:4 core:8 pu:2"),
        ("HWLOC_FSROOT", "/nonexistent"),
        ("HWLOC_XMLFILE", "/nonexistent.xml"),
        ("HWLOC_THISSYSTEM", "0"),
        ("HWLOC_COMPONENTS", "synthetic,stop"),
    ],
)
def test_a_users_settings_of_hwloc_make_no_other_machine(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = topology(Tree())
    monkeypatch.setenv(name, value)
    assert topology(Tree()) == here
