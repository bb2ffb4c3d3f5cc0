"""Hwloc and our own reading of the kernel's files find the same machine.

The machines are those of hwloc's own tests (hwloc 2.9, tests/hwloc/linux, under their names there), some with fewer
nodes or without files that are not read here, and a few more. Each tree is built from the facts about it.
"""

import os
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import pytest

from banzuke.cpu_lists import parse_bitmap, parse_cpus
from banzuke.machine.conftest import Plant
from banzuke.machine.site import NumaNode
from banzuke.machine.topology import Topology, from_sysfs, parse_hwloc, topology
from banzuke.machine.tree import Tree

CPU, NODE = "sys/devices/system/cpu", "sys/devices/system/node"
KINDS = {"d": "Data", "i": "Instruction", "u": "Unified"}


def groups(text: str) -> Iterator[list[int]]:
    """Groups one after the other; `0-7/2`: each two numbers; `0-7%4`: those with the same remainder."""
    for part in text.split():
        cpus, *width = part.replace("%", "/").split("/")
        numbers = parse_cpus(cpus)
        if not width:
            yield numbers
        elif "%" in part:
            yield from (numbers[first :: int(width[0])] for first in range(int(width[0])))
        else:
            yield from (numbers[first : first + int(width[0])] for first in range(0, len(numbers), int(width[0])))


def mask(cpus: list[int]) -> str:
    bits = sum(1 << cpu for cpu in cpus)
    return ",".join(f"{bits >> shift & 0xFFFFFFFF:08x}" for shift in range(max(cpus, default=0) // 32 * 32, -32, -32))


@dataclass(frozen=True)
class Known:
    cores: str
    packages: str = ""
    caches: Mapping[str, str] = field(default_factory=dict)
    """Groups of processors by level, kind and KiB; no group: the files are there and empty."""
    nodes: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    """Processors and KiB."""
    distances: str = ""
    """Rows of the distance matrix."""
    online: str = ""
    model: str = ""
    """Vendor, family, model."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Files that differ from the generated ones."""
    links: Mapping[str, str] = field(default_factory=dict)
    lists: bool = False
    """Whether there are lists beside the masks, as in kernels since 2.6.26."""

    def files(self) -> dict[str, str]:
        files = {"proc/meminfo": "MemTotal: 33554432 kB", "proc/cpuinfo": self._cpuinfo()}
        files |= {"proc/hwloc-nofile-info": "Architecture: x86_64"} if self.model else {}
        files |= {f"{CPU}/online": self.online} if self.online else {}
        for cpus in groups(self.cores):
            for cpu in cpus:
                topology = f"{CPU}/cpu{cpu}/topology"
                files |= {f"{topology}/core_id": str(cpu)} | self._group(f"{topology}/thread_siblings", "", cpus)
                if self.online and cpu not in parse_cpus(self.online):
                    files[f"{CPU}/cpu{cpu}/online"] = "0"
        for number, cpus in enumerate(groups(self.packages)):
            for cpu in cpus:
                topology = f"{CPU}/cpu{cpu}/topology"
                files |= {f"{topology}/physical_package_id": str(number)}
                files |= self._group(f"{topology}/core_siblings", "", cpus)
        for index, (what, shared) in enumerate(self.caches.items()):
            level, kind, size = what.split()
            for cpus in groups(shared or self.cores):
                for cpu in cpus:
                    cache = f"{CPU}/cpu{cpu}/cache/index{index}"
                    files |= {f"{cache}/level": level, f"{cache}/type": KINDS[kind], f"{cache}/size": f"{size}K"}
                    files |= self._group(f"{cache}/shared_cpu", "_map", cpus if shared else [])
        for row, (number, (near, memory)) in enumerate(self.nodes.items()):
            node = f"{NODE}/node{number}"
            files |= {
                f"{node}/meminfo": f"Node {number} MemTotal: {memory} kB",
                f"{node}/cpumap": mask(parse_cpus(near)),
            }
            files |= {f"{node}/distance": self.distances.splitlines()[row]} if self.distances else {}
        return {**files, **self.more}

    def _cpuinfo(self) -> str:
        names = zip(("vendor_id", "cpu family", "model"), self.model.split(), strict=False)
        fields = "".join(f"{name}\t: {value}\n" for name, value in names)
        return "".join(f"processor\t: {cpu}\n{fields}\n" for cpus in groups(self.cores) for cpu in cpus)

    def _group(self, path: str, end: str, cpus: list[int]) -> dict[str, str]:
        listed = {f"{path}_list": ",".join(map(str, cpus))} if self.lists else {}
        return {f"{path}{end}": mask(cpus)} | listed


def rates(node: int, rate: int, *, access: int = 1) -> dict[str, str]:
    """Return ACPI's rates of a memory for the processors near it."""
    folder = f"{NODE}/node{node}/access{access}/initiators"
    return {f"{folder}/{way}_bandwidth": str(rate) for way in ("read", "write")}


def given(device: str, node: int, *, below: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return a device whose memory the kernel made a node."""
    where = f"../../../devices/{below}/{device}"
    files = {f"sys/devices/{below}/{device}/target_node": str(node)}
    links = {f"sys/bus/dax/devices/{device}": where, f"sys/bus/dax/drivers/kmem/{device}": f"../{where}"}
    return files, links


KNL = Known(
    "0-63%16",
    "0-63/64",
    {
        "1 d 32": "0-63%16",
        "2 u 4096": "0-1,16-17,32-33,48-49 2-3,18-19,34-35,50-51 4-5,20-21,36-37,52-53 6-7,22-23,38-39,54-55 "
        "8-9,24-25,40-41,56-57 10-11,26-27,42-43,58-59 12-13,28-29,44-45,60-61 14-15,30-31,46-47,62-63",
    },
    model="GenuineIntel 6 87",
)
NVM, SPM = given("dax0.0", 6, below="platform/ndbus0/region0"), given("dax1.0", 4, below="platform/hmem.1")
SPM_OF_2 = given("dax2.0", 2, below="platform/hmem.2")
MEMORIES = Known(
    "0-5/1",
    "0-5/6",
    nodes={0: ("0-1", 3005392), 1: ("2-3", 1002460), 2: ("4-5", 524288), 4: ("", 524288), 6: ("", 393216)},
    more={**NVM[0], **SPM[0], **SPM_OF_2[0]},
    links={**NVM[1], **SPM[1], **SPM_OF_2[1]},
)
FAST = {
    name: text for node, rate in ((0, 100), (1, 100), (2, 300), (4, 300)) for name, text in rates(node, rate).items()
}
NEAR = {f"{NODE}/node{node}/access1/initiators/node0/state": "online" for node in (4, 6)}
TWO = Known(
    "0-15/2",
    "0-15/8",
    {"2 u 2048": "0-15/4", "3 u 3072": "0-15/8"},
    {0: ("0-7", 1048576), 1: ("8-15", 1048576)},
    distances="10 20\n20 10",
)
MACHINES = {
    "16em64t-4s2c2t-offlines": Known(
        "0-15%8",
        "0-15%4",
        {"1 d 16": "0-15%8", "2 u 1024": "0-15%8", "3 u 4096": "0-15%4"},
        {0: ("0-15", 16772456)},
        online="0-1,3-4,6-12,15",
    ),
    "20s390-2g6s4c": Known(
        "0-19/1",
        "0-2 3-6 7-9 10-12 13-14 15 16 17-19",
        online="0-19",
        more={f"{CPU}/cpu{cpu}/topology/physical_package_id": "-1" for cpu in range(20)}
        | {
            f"{CPU}/cpu{cpu}/topology/book_siblings": mask(cpus)
            for cpus in groups("0-2,10-12 3-9 13-15 16-19")
            for cpu in cpus
        },
    ),
    "256ppc-8n8s4t": Known(
        "0-63/4",
        "0-63/4",
        {"1 d 32": "0-63/4", "3 u 4096": "0-63/4"},
        {0: ("0-31", 58458112), 4: ("32-63", 66322432)},
        distances="10 40\n40 10",
        more={f"{CPU}/cpu{cpu}/topology/physical_package_id": "-1" for cpu in range(64)},
    ),
    "power of eight threads": Known(
        "0-63/8",
        "0-31 32-63",
        {"2 u 512": "0-63/8", "3 u 8192": "0-63/8"},
        {0: ("0-31", 58458112), 8: ("32-63", 66322432)},
        online="0-5,8-13,16,32-63",
    ),
    "2arm-2c": Known("0-1/1", "0-1", online="0-1", more={f"{CPU}/cpu0/topology/physical_package_id": "3"}),
    "one processor": Known("0", "0"),
    "2ps3-2t": Known("0-1", online="0-1"),
    "16amd64-8n2c-cpusets": Known(
        "0-15/1",
        "0-15/2",
        {"1 d 64": "0-15/1"},
        {node: (f"{2 * node}-{2 * node + 1}", 8388608) for node in range(8)},
        online="0-3,5-15",
    ),
    "128ia64-17n4s2c": Known(
        "0-15/1",
        "0-15/2",
        nodes={0: ("0-7", 100057088), 1: ("8-15", 100073472), 16: ("", 1020176)},
        distances="10 17 14\n17 10 14\n14 14 10",
        more={f"{CPU}/cpu{cpu}/topology/physical_package_id": str(cpu // 2 * 65536) for cpu in range(16)},
    ),
    "48amd64-4d2n6c-sparse": Known(
        "0-47/1",
        "0-47/12",
        {"2 u 512": "0-47/1", "3 u 5118": "0-47/6"},
        {node: (f"{6 * at}-{6 * at + 5}", 8386460) for at, node in enumerate((0, 1, 2, 33, 34, 45, 72, 73))},
    ),
    "8ia64-2s2c2t": Known(
        "0-7/2",
        "0-7/4",
        {"1 d 16": "0-7/2", "2 d 256": "0-7/2", "2 i 1024": "", "3 u 9216": ""},
        {0: ("0-7", 16709376)},
    ),
    "64amd64-4s2n4ca2co": Known(
        "0-31/2",
        "0-31/16",
        {"1 d 16": "0-31/1", "1 i 64": "0-31/2", "2 u 2048": "0-31/2", "3 u 6144": "0-31/8"},
        {node: (f"{8 * node}-{8 * node + 7}", 16777216) for node in range(4)},
        model="AuthenticAMD 21 1",
    ),
    "compute units of one core": Known(
        "0-7/2",
        "0-7/8",
        model="AuthenticAMD 22 1",
        more={f"{CPU}/cpu{cpu}/topology/core_id": str(cpu // 2) for cpu in range(8)},
    ),
    "16ia64-8n2s": Known(
        "0-15/1",
        "0-15/1",
        {"3 u 9216": "0-15/1"},
        {node: (f"{2 * node}-{2 * node + 1}", 6045632) for node in range(8)},
        more={f"{CPU}/cpu{cpu}/topology/physical_package_id": str(cpu // 2 * 512) for cpu in range(16)},
    ),
    "8em64t-2s2ca2c-buggynuma": Known(
        "0-7/1", "0-7%2", {"2 u 6144": "0,2 1,3 4,6 5,7"}, {node: ("0-7", 2096684 + node) for node in range(8)}
    ),
    "fakeheterocpunuma": Known(
        "0-23/2",
        "0-23/12",
        nodes=dict(enumerate([("0-3", 1 << 20), ("8-11", 1 << 20), ("", 1 << 20), ("20-23", 1), ("16-23", 2)])),
    ),
    "nvidiagpunumanodes": Known(
        "0-15/4 88-103/4",
        "0-15 88-103",
        {"2 u 512": "0-15/8 88-103/8"},
        {0: ("0-15", 129839104), 8: ("88-103", 133952000), 250: ("", 15728640), 251: ("", 15728640)},
        more={
            f"proc/driver/nvidia/gpus/0035:0{number}:00.0/numa_status": f"Node:      {250 + number}\nStatus:    online"
            for number in range(2)
        },
    ),
    "64intel64-fakeKNL-A2A-cache": replace(KNL, nodes={0: ("0-63", 1048576)}),
    "64intel64-fakeKNL-SNC4-hybrid": replace(
        KNL,
        nodes={
            **{
                at: (",".join(f"{4 * at + 16 * turn}-{4 * at + 16 * turn + 3}" for turn in range(4)), 1048576)
                for at in range(4)
            },
            **dict.fromkeys(range(4, 8), ("", 2097152)),
        },
        distances="10 21 21 21 41 41 41 31\n21 10 21 21 31 41 41 41\n21 21 10 21 41 31 41 41\n21 21 21 10 41 41 31 41\n"
        "41 31 41 41 10 41 41 41\n41 41 31 41 41 10 41 41\n41 41 41 31 41 41 10 41\n31 41 41 41 41 41 41 10",
    ),
    "fakeheteromemtiers": replace(MEMORIES, more={**MEMORIES.more, **FAST, **NEAR}),
    "memory that is not faster": replace(MEMORIES, more={**MEMORIES.more, **FAST, **NEAR, **rates(1, 160)}),
    "memory of unknown rate": MEMORIES,
    "fakememinitiators-1np2c+1npp+gi": Known(
        "0-7/1",
        "0-1,4-5 2-3,6-7",
        nodes={0: ("0-1", 0), 1: ("2-3", 0), 2: ("4-5", 97447340), 3: ("6-7", 0), 4: ("", 0), 5: ("", 99090348)},
        more={f"{NODE}/node5/access1/initiators/node0/state": "online", **rates(5, 100)},
    ),
    "fakecpuid1f-64intel64-2p4d2n2c2t": Known(
        "0-31/2",
        "0-31/16",
        {"1 d 32": "0-31/1", "2 u 4096": "0-31/2", "3 u 16384": "0-31/8"},
        {node: (f"{4 * node}-{4 * node + 3}", 256828) for node in range(8)},
        more={f"{CPU}/cpu{cpu}/topology/die_cpus": mask(dies) for dies in groups("0-31/8") for cpu in dies},
    ),
    "40intel64-4n10c+pci-conflicts": Known(
        "0-15/1",
        "0-15%4",
        {"2 u 256": "0-15/1", "3 u 30720": "0-15%4"},
        {node: (",".join(map(str, range(node, 16, 4))), 134204252) for node in range(4)},
        more={f"{CPU}/cpu2/cache/index1/shared_cpu_map": "f", f"{CPU}/cpu3/topology/core_siblings": "f"},
    ),
    "a cache across sockets": Known("0-7/1", "0-3 4-7", {"2 u 256": "0-7/2", "3 u 4096": "0-1 2-5 6-7"}),
    "offline-cpu0-node0": Known(
        "0-11/1",
        "0-11%2",
        {"3 u 30720": "0-11%2"},
        {1: ("1,3,5,7,9,11", 67108864)},
        online="4-10",
    ),
    "8em64t-2s4c-heterogeneous": Known(
        "0-7/1", "0-7%2", {"1 d 32": "0 3-4/1 6-7/1", "2 u 4096": "1,5 2,6 3,7"}, {0: ("0-7", 16772032)}
    ),
    "20em64t-hybrid-1p6c2t+2ca4co1t": Known(
        "0-11/2 12-19/1",
        "0-19",
        {"1 d 48": "0-11/2", "1 d 32": "12-19/1", "2 u 1280": "0-11/2", "2 u 2048": "12-19/4", "3 u 24576": "0-19"},
        {0: ("0-19", 32489480)},
    ),
    "64fake-4n2s2ca2c2t": Known(
        "0-7%4 8-15%4",
        "0-15/8",
        {"2 u 256": "0,2,4,6 1,3,5,7 8,10,12,14 9,11,13,15"},
        more={f"{CPU}/cpu{cpu}/cache/index0/shared_cpu_list": "0,4" for cpu in range(16)},
    ),
    "caches that hwloc does not know": Known("0-3/1", "0-3", {"6 u 64": "0-3", "4 i 64": "0-3", "4 u 0": "0-3"}),
    "a processor that no core has": replace(
        Known("0-3/2", "0-3"), more={f"{CPU}/cpu0/topology/thread_siblings": mask([0])}
    ),
    "cores across sockets": Known("0-15%8", "0-15/8"),
    "two": TWO,
    "lists": replace(TWO, lists=True),
    "memory alone": replace(TWO, nodes={**TWO.nodes, 2: ("", 1048576)}, distances="10 20 20\n20 10 20\n20 20 10"),
    "side cache": replace(
        TWO,
        more={
            f"{NODE}/node{node}/memory_side_cache/index1/{name}": value
            for node in TWO.nodes
            for name, value in {"size": str(1 << 30), "line_size": "64", "indexing": "64"}.items()
        },
    ),
}


@pytest.mark.skipif(not shutil.which("lstopo-no-graphics"), reason="hwloc is not installed")
@pytest.mark.parametrize("name", MACHINES)
def test_hwloc_and_the_kernel_tell_the_same_machine(name: str, plant: Plant) -> None:
    made = MACHINES[name]
    tree = plant(made.files())
    for link, to in made.links.items():
        tree.path(link).parent.mkdir(parents=True, exist_ok=True)
        tree.path(link).symlink_to(to)
    said = subprocess.run(
        ["lstopo-no-graphics", "--of", "xml", "--disallowed", "--no-io"],
        env=os.environ | {"HWLOC_FSROOT": str(tree.root), "HWLOC_COMPONENTS": "linux,stop", "HWLOC_THISSYSTEM": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    parsed = parse_hwloc(said.stdout)
    assert parsed
    assert compared(replace(parsed, numa=memories_of(said.stdout))) == compared(from_sysfs(tree))


def memories_of(text: str) -> list[NumaNode]:
    """Return the memories in hwloc's XML."""
    objects = list(ET.fromstring(text).iter("object"))  # noqa: S314  # hwloc's own output
    before = {id(inner): item for item in objects for inner in item.iterfind("object")}
    return divided(
        NumaNode(
            node=int(item.get("os_index", "")),
            cpus=parse_bitmap(item.get("cpuset")),
            bytes=int(item.get("local_memory", "0")),
            kind=item.get("subtype"),
            cache=side_cache(item, before),
        )
        for item in objects
        if item.get("type") == "NUMANode"
    )


def side_cache(item: ET.Element, before: Mapping[int, ET.Element]) -> int | None:
    """Return the bytes of the memory-side caches in front of this memory."""
    sizes = []
    while (item := before.get(id(item), item)).get("type") == "MemCache":
        sizes.append(int(item.get("cache_size", "0")))
    return sum(sizes) or None


def divided(numa: Iterable[NumaNode]) -> list[NumaNode]:
    """Each processor in one node, as the kernel has it: hwloc gives each memory all that are near it.

    Of several near the same processors theirs is the memory of the usual kind, and the first: HBM and CXL come after.
    """
    taken: set[int] = set()
    nodes = []
    for node in sorted(numa, key=lambda node: (len(node.cpus), node.kind not in {None, "DRAM"}, node.node)):
        nodes.append(node if taken.isdisjoint(node.cpus) else node.having(cpus=[]))
        taken.update(node.cpus)
    return sorted((node for node in nodes if node.cpus or node.bytes), key=lambda node: node.node)


def compared(topology: Topology) -> Topology:
    """Replace a size of 0 by an unknown one, which are the same to hwloc."""
    return replace(topology, source="", numa=[node.having(bytes=node.bytes or None) for node in topology.numa])


@pytest.mark.skipif(not shutil.which("lstopo-no-graphics"), reason="hwloc is not installed")
def test_this_machine_is_the_same_with_and_without_hwloc() -> None:
    assert compared(topology(Tree())) == compared(from_sysfs(Tree()))
