"""Sockets, cores, caches and NUMA nodes: from hwloc's `lstopo` where it is installed, else from sysfs."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from banzuke.machine.command import output
from banzuke.machine.site import Cache, NumaNode
from banzuke.machine.tree import MOST, Tree, parse_size, whole

_KINDS = {"0": "unified", "1": "data", "2": "instruction"}
_CPU = "sys/devices/system/cpu"
_MEMORY_SIDE = "MemCache"
_MOST_LEVELS = 9
"""Of caches; there are machines of four."""


@dataclass(frozen=True)
class CacheInstance:
    level: int
    kind: str
    bytes: int
    cpus: frozenset[int]


@dataclass(frozen=True)
class Topology:
    """The whole machine, whatever this process may use of it."""

    source: str
    cores: list[list[int]]
    """Logical processors of each physical core."""
    packages: list[list[int]] = field(default_factory=list)
    """Logical processors of each socket."""
    numa: list[NumaNode] = field(default_factory=list)
    instances: list[CacheInstance] = field(default_factory=list)

    @property
    def sockets(self) -> int | None:
        return len(self.packages) or None

    @property
    def complexes(self) -> list[list[int]]:
        """Logical processors that share a last-level cache, whose level may differ between kinds of cores."""
        last: dict[int, CacheInstance] = {}
        for cache in self.instances:
            for cpu in cache.cpus:
                if cache.kind != "instruction" and (cpu not in last or last[cpu].level < cache.level):
                    last[cpu] = cache
        sharing: dict[CacheInstance, list[int]] = {}
        for cpu, cache in sorted(last.items(), key=lambda item: item[0]):
            sharing.setdefault(cache, []).append(cpu)
        return list(sharing.values())

    @property
    def logical(self) -> list[int]:
        return sorted(cpu for core in self.cores for cpu in core)

    def one_per_core(self, allowed: Iterable[int]) -> list[int]:
        """The first allowed logical processor of each core, by NUMA node, then by number."""
        usable = set(allowed)
        node_of = {cpu: node.node for node in self.numa for cpu in node.cpus}
        first = [min(usable & set(core)) for core in self.cores if usable & set(core)]
        return sorted(first, key=lambda cpu: (node_of.get(cpu, -1), cpu))

    def caches(self, allowed: Iterable[int]) -> list[Cache]:
        """Caches that the allowed processors reach, one entry per level, kind and size."""
        usable = set(allowed)
        groups: dict[tuple[int, str, int, int], int] = {}
        for cache in self.instances:
            if cache.cpus & usable:
                key = (cache.level, cache.kind, cache.bytes, len(cache.cpus))
                groups[key] = groups.get(key, 0) + 1
        return [
            Cache(level=level, kind=kind, bytes=size, instances=count, shared_by=shared)
            for (level, kind, size, shared), count in sorted(groups.items())
        ]


def topology(tree: Tree) -> Topology:
    if tree.is_this_machine and (text := _lstopo()) and (found := parse_hwloc(text)):
        # hwloc names the processors near a memory, the kernel those whose memory it is.
        kinds = {node.node: node.kind for node in found.numa}
        kernel = [node.having(kind=kinds.get(node.node)) for node in _numa(tree, found.logical)]
        return replace(found, numa=kernel or found.numa)
    return from_sysfs(tree)


def _lstopo() -> str | None:
    """Without the user's settings of hwloc, by which it may describe another machine (`HWLOC_SYNTHETIC`)."""
    commands = [[name, "--of", "xml", "--disallowed", "--no-io"] for name in ("lstopo-no-graphics", "lstopo")]
    return next((text for command in commands if (text := output(command, without="HWLOC_"))), None)


def parse_bitmap(text: str | None) -> list[int]:
    """Members of hwloc's "0x000000ff,,0x1": 32-bit words, highest first, an empty word is zero."""
    bits = 0
    try:
        for word in (text or "").split(","):
            bits = bits << 32 | int(word or "0", 16)
    except ValueError:
        return []
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def parse_hwloc(text: str) -> Topology | None:
    """Topology of hwloc 2's XML; None when the text is not that."""
    try:
        machine = ET.fromstring(text)  # noqa: S314  # hwloc's own output
    except ET.ParseError:
        return None
    objects = [(item.get("type", ""), item) for item in machine.iter("object")]
    before = {id(inner): item for _, item in objects for inner in item.iterfind("object")}
    sets = [(kind, item, parse_bitmap(item.get("cpuset"))) for kind, item in objects]
    cores = [cpus for kind, _, cpus in sets if kind == "Core" and cpus]
    if not cores:
        cores = [cpus for kind, _, cpus in sets if kind == "PU" and cpus]
    if not cores:
        return None
    instances, numa = [], []
    for kind, item, cpus in sets:
        if kind.endswith("Cache") and kind != _MEMORY_SIDE and cpus and (size := _number(item.get("cache_size"))):
            level, cache_kind = _number(item.get("depth")), _KINDS.get(item.get("cache_type", ""))
            if level and level <= _MOST_LEVELS and cache_kind:
                instances.append(CacheInstance(level, cache_kind, size, frozenset(cpus)))
        if kind == "NUMANode":
            memory = _number(item.get("local_memory"))
            if (number := _number(item.get("os_index")) or 0) < MOST:
                side = _side_cache(item, before)
                numa.append(
                    NumaNode(node=number, cpus=cpus, bytes=memory, kind=item.get("subtype") or None, cache=side)
                )
    packages = [cpus for kind, _, cpus in sets if kind == "Package" and cpus]
    return Topology("hwloc", cores, packages, _divided(numa), instances)


def _side_cache(item: ET.Element, before: Mapping[int, ET.Element]) -> int | None:
    """Bytes of the memory-side caches that this memory is behind."""
    sizes = []
    while (item := before.get(id(item), item)).get("type") == _MEMORY_SIDE:
        sizes.append(_number(item.get("cache_size")) or 0)
    return sum(sizes) or None


def _divided(numa: Iterable[NumaNode]) -> list[NumaNode]:
    """Each processor in one node, as the kernel has it: hwloc gives each memory all that are near it.

    Of several near the same processors theirs is the memory of the usual kind, and the first: HBM and CXL come after.
    """
    taken: set[int] = set()
    found = []
    for node in sorted(numa, key=lambda node: (len(node.cpus), node.kind not in {None, "DRAM"}, node.node)):
        found.append(node if taken.isdisjoint(node.cpus) else node.having(cpus=[]))
        taken.update(node.cpus)
    return sorted(found, key=lambda node: node.node)


def _number(text: str | None) -> int | None:
    return whole(text) if text and text.isdecimal() else None


def from_sysfs(tree: Tree) -> Topology:
    """Topology of /sys/devices/system; processors without information count as one core each."""
    online = tree.cpus(f"{_CPU}/online")
    if not online:
        names = tree.names(_CPU, r"cpu\d{1,6}")
        online = [int(name[3:]) for name in names if tree.integer(f"{_CPU}/{name}/online") != 0]
    packages: dict[int | tuple[int, ...], list[int]] = {}
    cores: dict[tuple[int, ...], list[int]] = {}
    instances: set[CacheInstance] = set()
    for cpu in online:
        folder = f"{_CPU}/cpu{cpu}/topology"
        siblings = _group(tree, folder, "core_cpus", "thread_siblings") or [cpu]
        cores.setdefault(tuple(siblings), sorted(set(siblings) & set(online)) or [cpu])
        number = tree.integer(f"{folder}/physical_package_id")
        package = number if number is not None and number >= 0 else tuple(_group(tree, folder, "core_siblings"))
        if package != ():
            packages.setdefault(package, []).append(cpu)
        instances |= set(_caches(tree, cpu, online))
    # A kernel without NUMA has one memory.
    numa = _numa(tree, online) or ([NumaNode(node=0, cpus=online)] if online else [])
    return Topology("sysfs", list(cores.values()), list(packages.values()), numa, sorted(instances, key=_order))


def _group(tree: Tree, folder: str, *names: str) -> list[int]:
    """Processors of the first of these that there is: as a list, which kernels have later than the mask."""
    found = (
        tree.cpus(f"{folder}/{name}_list") or parse_bitmap(tree.text(f"{folder}/{mask}"))
        for name in names
        for mask in (name, f"{name}_map")
    )
    return next((cpus for cpus in found if cpus), [])


def _order(cache: CacheInstance) -> tuple[int, str, int]:
    return cache.level, cache.kind, min(cache.cpus)


def _caches(tree: Tree, cpu: int, online: Iterable[int]) -> Iterable[CacheInstance]:
    folder = f"{_CPU}/cpu{cpu}/cache"
    for name in tree.names(folder, r"index\d+"):
        level, size = tree.integer(f"{folder}/{name}/level"), tree.size(f"{folder}/{name}/size")
        kind = (tree.text(f"{folder}/{name}/type") or "").lower()
        shared = set(_group(tree, f"{folder}/{name}", "shared_cpu")) & set(online) or {cpu}
        if level and 0 < level <= _MOST_LEVELS and size and kind in _KINDS.values():
            yield CacheInstance(level, kind, size, frozenset(shared))


def _numa(tree: Tree, online: Iterable[int]) -> list[NumaNode]:
    nodes = []
    usable = set(online)
    for name in tree.names("sys/devices/system/node", r"node\d{1,6}"):
        folder = f"sys/devices/system/node/{name}"
        memory = None
        for line in (tree.text(f"{folder}/meminfo") or "").splitlines():
            words = line.split()
            if len(words) >= 4 and words[2] == "MemTotal:" and words[3].isdecimal():
                memory = parse_size(f"{words[3]}K")
        cpus = tree.cpus(f"{folder}/cpulist") or parse_bitmap(tree.text(f"{folder}/cpumap"))
        side = f"{folder}/memory_side_cache"
        caches = [tree.size(f"{side}/{index}/size") or 0 for index in tree.names(side, r"index\d+")]
        if cpus or memory != 0:  # the driver of a device may keep numbers for memory that it could have
            mine = sorted(usable & set(cpus))
            nodes.append(NumaNode(node=int(name[4:]), cpus=mine, bytes=memory, cache=sum(caches) or None))
    return nodes
