"""Sockets, cores, caches and NUMA nodes: from hwloc's `lstopo` where it is installed, else from sysfs."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field

from banzuke.machine.command import output
from banzuke.machine.site import Cache, NumaNode
from banzuke.machine.tree import MOST, Tree, parse_size, whole

_KINDS = {"0": "unified", "1": "data", "2": "instruction"}
_CPU = "sys/devices/system/cpu"
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
        return found
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
    sets = [(kind, item, parse_bitmap(item.get("cpuset"))) for kind, item in objects]
    cores = [cpus for kind, _, cpus in sets if kind == "Core" and cpus]
    if not cores:
        cores = [cpus for kind, _, cpus in sets if kind == "PU" and cpus]
    if not cores:
        return None
    instances, numa = [], []
    for kind, item, cpus in sets:
        if kind.endswith("Cache") and cpus and (size := _number(item.get("cache_size"))):
            level, cache_kind = _number(item.get("depth")), _KINDS.get(item.get("cache_type", ""))
            if level and level <= _MOST_LEVELS and cache_kind:
                instances.append(CacheInstance(level, cache_kind, size, frozenset(cpus)))
        if kind == "NUMANode":
            memory = _number(item.get("local_memory"))
            if (number := _number(item.get("os_index")) or 0) < MOST:
                numa.append(NumaNode(node=number, cpus=cpus, bytes=memory))
    packages = [cpus for kind, _, cpus in sets if kind == "Package" and cpus]
    return Topology("hwloc", cores, packages, sorted(numa, key=lambda node: node.node), instances)


def _number(text: str | None) -> int | None:
    return whole(text) if text and text.isdecimal() else None


def from_sysfs(tree: Tree) -> Topology:
    """Topology of /sys/devices/system; processors without information count as one core each."""
    online = tree.cpus(f"{_CPU}/online")
    if not online:
        online = [int(name[3:]) for name in tree.names(_CPU, r"cpu\d{1,6}")]
    packages: dict[int, list[int]] = {}
    cores: dict[tuple[int, ...], list[int]] = {}
    instances: set[CacheInstance] = set()
    for cpu in online:
        folder = f"{_CPU}/cpu{cpu}/topology"
        siblings = tree.cpus(f"{folder}/core_cpus_list") or tree.cpus(f"{folder}/thread_siblings_list") or [cpu]
        cores.setdefault(tuple(siblings), sorted(set(siblings) & set(online)) or [cpu])
        package = tree.integer(f"{folder}/physical_package_id")
        if package is not None and package >= 0:
            packages.setdefault(package, []).append(cpu)
        instances |= set(_caches(tree, cpu))
    return Topology("sysfs", list(cores.values()), list(packages.values()), _numa(tree), sorted(instances, key=_order))


def _order(cache: CacheInstance) -> tuple[int, str, int]:
    return cache.level, cache.kind, min(cache.cpus)


def _caches(tree: Tree, cpu: int) -> Iterable[CacheInstance]:
    folder = f"{_CPU}/cpu{cpu}/cache"
    for name in tree.names(folder, r"index\d+"):
        level, size = tree.integer(f"{folder}/{name}/level"), tree.size(f"{folder}/{name}/size")
        kind = (tree.text(f"{folder}/{name}/type") or "").lower()
        shared = tree.cpus(f"{folder}/{name}/shared_cpu_list") or [cpu]
        if level and 0 < level <= _MOST_LEVELS and size and kind in _KINDS.values():
            yield CacheInstance(level, kind, size, frozenset(shared))


def _numa(tree: Tree) -> list[NumaNode]:
    nodes = []
    for name in tree.names("sys/devices/system/node", r"node\d{1,6}"):
        folder = f"sys/devices/system/node/{name}"
        memory = None
        for line in (tree.text(f"{folder}/meminfo") or "").splitlines():
            words = line.split()
            if len(words) >= 4 and words[2] == "MemTotal:" and words[3].isdecimal():
                memory = parse_size(f"{words[3]}K")
        nodes.append(NumaNode(node=int(name[4:]), cpus=tree.cpus(f"{folder}/cpulist"), bytes=memory))
    return nodes
