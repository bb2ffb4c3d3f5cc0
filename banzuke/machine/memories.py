"""Finds memories by NUMA node, with their kinds, in the kernel's files; faulty entries are left out.

The rules are those of hwloc 2.9 (topology-linux.c, memattrs.c), so that both name the same memories.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from banzuke.cpu_lists import parse_bitmap
from banzuke.machine.cpuinfo import cpu_model
from banzuke.machine.site import NumaNode
from banzuke.machine.tree import Tree, parse_size

_NODES = "sys/devices/system/node"
_DAX = "sys/bus/dax"
_KNIGHTS = (("GenuineIntel", "6", "87"), ("GenuineIntel", "6", "133"))
"""Xeon Phi with memory in the package: vendor, family and model."""
_FASTER = 2
"""Ratio to the rate of all other memory above which specific-purpose memory is high-bandwidth memory."""


def memories(tree: Tree, online: Iterable[int]) -> list[NumaNode]:
    """Return the memories of the host, without those of devices, on whose processors no jobs run; empty: the
    kernel lists none.
    """
    nodes, seen = [], set[int]()
    usable, of_devices = set(online), set(_of_devices(tree))
    for name in tree.names(_NODES, r"node\d{1,6}"):
        folder, number = f"{_NODES}/{name}", int(name[4:])
        cpus = set(parse_bitmap(tree.text(f"{folder}/cpumap")) or tree.cpus(f"{folder}/cpulist"))
        memory = _total(tree, f"{folder}/meminfo")
        if number in of_devices or seen & cpus:  # firmware that gives a processor to two nodes has a fault
            continue
        seen |= cpus
        if cpus or memory != 0:  # a device's driver may reserve numbers for memory that it could have
            side = f"{folder}/memory_side_cache"
            caches = [tree.size(f"{side}/{index}/size") or 0 for index in tree.names(side, r"index\d+")]
            mine = sorted(usable & cpus)
            nodes.append(NumaNode(node=number, cpus=mine, bytes=memory, cache=sum(caches) or None))
    kinds = _kinds(tree, nodes)
    return [node.having(kind=kinds.get(node.node)) for node in nodes]


def _total(tree: Tree, name: str) -> int | None:
    match = re.search(r"^Node \d+ MemTotal:\s*(\d+)", tree.text(name) or "", re.MULTILINE | re.ASCII)
    return parse_size(f"{match[1]}K") if match else None


def _of_devices(tree: Tree) -> Iterator[int]:
    """Yield nodes that are the memory of NVIDIA's devices."""
    folder = "proc/driver/nvidia/gpus"
    for name in tree.names(folder):
        if match := re.search(r"Node:\s*(\d{1,6})", tree.text(f"{folder}/{name}/numa_status") or "", re.ASCII):
            yield int(match[1])


def _kinds(tree: Tree, nodes: Iterable[NumaNode]) -> Mapping[int, str]:
    """Return hwloc's names for the kinds of memory, where they differ."""
    if cpu_model(tree) in _KNIGHTS:
        return {node.node: "MCDRAM" for node in nodes if not node.cpus}
    kinds = dict(_given_to_the_kernel(tree))
    apart = [_rate(tree, node.node) for node in nodes if kinds.get(node.node) == "SPM"]
    usual = [_rate(tree, node.node) for node in nodes if node.node not in kinds]
    if 0 < _FASTER * max(usual, default=0) < min(apart, default=0):
        kinds = {number: "HBM" if kind == "SPM" else kind for number, kind in kinds.items()}
        kinds |= {node.node: "DRAM" for node in nodes if node.node not in kinds}
    return kinds


def _given_to_the_kernel(tree: Tree) -> Iterator[tuple[int, str]]:
    """Yield nodes of memory that came as devices: non-volatile, or reserved by the firmware for a specific
    purpose (SPM).
    """
    for name in tree.names(f"{_DAX}/drivers/kmem", r"dax.*"):
        number = tree.integer(f"{_DAX}/devices/{name}/target_node")
        where = tree.link(f"{_DAX}/devices/{name}")
        if number is not None and number >= 0 and where:
            yield number, "NVM" if "ndbus" in where else "SPM"


def _rate(tree: Tree, node: int) -> int:
    """Return the mean of read and write MiB/s for the processors near the memory; 0: not reported."""
    near = [f"{_NODES}/node{node}/{access}/initiators" for access in ("access1", "access0")]
    folder = next((name for name in near if tree.exists(name)), near[-1])
    read, write = (tree.integer(f"{folder}/{way}_bandwidth") or 0 for way in ("read", "write"))
    return (read + write) // 2 if read and write else 0
