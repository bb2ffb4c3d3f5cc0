"""Finds sockets, cores, caches and NUMA nodes: with hwloc's `lstopo` where it is installed, else from sysfs."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from banzuke.cpu_lists import parse_bitmap
from banzuke.machine.command import output
from banzuke.machine.cpuinfo import cpu_model
from banzuke.machine.memories import memories
from banzuke.machine.memory import meminfo
from banzuke.machine.site import Cache, NumaNode
from banzuke.machine.tree import Tree, whole

_KINDS = {"0": "unified", "1": "data", "2": "instruction"}
_CPU = "sys/devices/system/cpu"
_MEMORY_SIDE = {"MemCache", "MemorySideCache"}
"""hwloc's type of a cache between a memory and all that use it, or the subtype of one that it calls an L3 cache."""
_MOST_LEVELS = {"unified": 5, "data": 5, "instruction": 3}
"""Levels of caches that hwloc knows; there are machines with four."""
_UNITS = (("AuthenticAMD", "21"), ("AuthenticAMD", "22"))
"""Vendor and family of AMD processors with compute units."""
_HWLOC = "2."
"""Versions of hwloc whose XML is read here; others use different words."""


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
        """Return groups of logical processors that share a last-level cache, whose level may differ between
        kinds of cores.
        """
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
        """Return the first allowed logical processor of each core, by NUMA node, then by number."""
        usable = set(allowed)
        node_of = {cpu: node.node for node in self.numa for cpu in node.cpus}
        first = [min(usable & set(core)) for core in self.cores if usable & set(core)]
        return sorted(first, key=lambda cpu: (node_of.get(cpu, -1), cpu))

    def caches(self, allowed: Iterable[int]) -> list[Cache]:
        """Return the caches that the allowed processors reach, one entry per level, kind and size."""
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
    """Return the topology, which is the same from hwloc and from sysfs, by the rules of hwloc 2.9: see
    test_hwloc_machines.py.
    """
    if tree.is_this_machine and (text := _lstopo()) and (parsed := parse_hwloc(text)):
        # hwloc lists the processors near a memory, the kernel those to which it belongs.
        return replace(parsed, numa=_memories(tree, parsed.logical))
    return from_sysfs(tree)


def _lstopo() -> str | None:
    """Return lstopo's XML, without the user's settings of hwloc, which may describe another machine
    (`HWLOC_SYNTHETIC`).
    """
    commands = [[name, "--of", "xml", "--disallowed", "--no-io"] for name in ("lstopo-no-graphics", "lstopo")]
    return next((text for command in commands if (text := output(command, without="HWLOC_"))), None)


def parse_hwloc(text: str) -> Topology | None:
    """Return the topology in hwloc 2's XML, without memories; None when the text is not that."""
    try:
        machine = ET.fromstring(text)  # noqa: S314  # hwloc's own output
    except ET.ParseError:
        return None
    if not machine.get("version", "").startswith(_HWLOC):
        return None
    sets = [(item.get("type", ""), item, parse_bitmap(item.get("cpuset"))) for item in machine.iter("object")]
    cores = [cpus for kind, _, cpus in sets if kind == "Core" and cpus]
    cores = _completed(cores, (cpu for kind, _, cpus in sets if kind == "PU" for cpu in cpus))
    if not cores:
        return None
    instances = []
    for kind, item, cpus in sets:
        if kind.endswith("Cache") and cpus and (size := _number(item.get("cache_size"))):
            level, cache_kind = _number(item.get("depth")), _KINDS.get(item.get("cache_type", ""))
            processors = not {kind, item.get("subtype")} & _MEMORY_SIDE
            if level and cache_kind and level <= _MOST_LEVELS[cache_kind] and processors:
                instances.append(CacheInstance(level, cache_kind, size, frozenset(cpus)))
    packages = [cpus for kind, _, cpus in sets if kind == "Package" and cpus]
    return Topology("hwloc", sorted(cores), sorted(packages), instances=sorted(instances, key=_order))


def _completed(cores: Sequence[list[int]], cpus: Iterable[int]) -> list[list[int]]:
    """Return the cores, with a core of its own for each processor that is in none of them."""
    held = {cpu for core in cores for cpu in core}
    return [*cores, *([cpu] for cpu in cpus if cpu not in held)]


def _number(text: str | None) -> int | None:
    return whole(text) if text and text.isdecimal() else None


def from_sysfs(tree: Tree) -> Topology:
    """Return the topology in /sys/devices/system; a processor without information counts as a core."""
    cpus = _online(tree)
    online, nested = frozenset(cpus), _Nested()
    cores, packages, has_packages = [], [], False
    instances: dict[tuple[int, str, frozenset[int]], CacheInstance] = {}
    units = _ComputeUnits(tree)
    for cpu in cpus:
        folder = f"{_CPU}/cpu{cpu}/topology"
        siblings = frozenset(_group(tree, folder, "core_cpus", "thread_siblings"))
        core = units.core(cpu, siblings & online)
        if nested.first(cpu, core):
            cores.append(sorted(core))
        package = online.intersection(_group(tree, folder, "package_cpus", "core_siblings"))
        has_packages = has_packages or bool(package)
        if nested.first(cpu, package):
            packages.append(sorted(package))
        for cache in _caches(tree, cpu, online, siblings):
            key = cache.level, cache.kind, cache.cpus
            if key in instances or nested.first(cpu, cache.cpus):
                instances.setdefault(key, cache)
    sized = [cache for cache in instances.values() if cache.bytes]
    sockets = packages if has_packages else _numbered(tree, cpus)
    held = sorted(_completed(cores, cpus))
    return Topology("sysfs", held, sorted(sockets), _memories(tree, cpus), sorted(sized, key=_order))


def _memories(tree: Tree, cpus: list[int]) -> list[NumaNode]:
    """Return the memories; a kernel without NUMA has one."""
    return memories(tree, cpus) or ([NumaNode(node=0, cpus=cpus, bytes=meminfo(tree).get("MemTotal"))] if cpus else [])


def _online(tree: Tree) -> list[int]:
    """Return the online processors, only those with a topology if any has one."""
    online = tree.cpus(f"{_CPU}/online")
    if not online:
        names = tree.names(_CPU, r"cpu\d{1,6}")
        online = [int(name[3:]) for name in names if tree.integer(f"{_CPU}/{name}/online") != 0]
    return [cpu for cpu in online if tree.exists(f"{_CPU}/cpu{cpu}/topology")] or online


def _numbered(tree: Tree, cpus: Iterable[int]) -> list[list[int]]:
    """Return sockets by number, which may not be unique: for kernels that do not list their processors."""
    sockets: dict[int, list[int]] = {}
    for cpu in cpus:
        number = tree.integer(f"{_CPU}/cpu{cpu}/topology/physical_package_id")
        if number is not None and number >= 0:
            sockets.setdefault(number, []).append(cpu)
    return list(sockets.values())


class _Nested:
    """Groups that are disjoint or nested; one that overlaps another is a fault of the firmware and is refused.

    As in hwloc, a group counts as its first processor lists it, and earlier groups take precedence.
    """

    def __init__(self) -> None:
        self._around: dict[int, set[frozenset[int]]] = {}

    def first(self, cpu: int, group: frozenset[int]) -> bool:
        """Return whether this is the group's first processor, and the group fits in; add the group if so."""
        if not group or min(group) != cpu:
            return False
        near = {other for member in group for other in self._around.get(member, ())}
        if not all(group <= other or other <= group for other in near):
            return False
        for member in group:
            self._around.setdefault(member, set()).add(group)
        return True


class _ComputeUnits:
    """The compute units of AMD's families 15h and 16h: the kernel lists two cores that share parts as siblings,
    although their core numbers differ.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._apart: bool | None = None if cpu_model(tree)[:2] in _UNITS else False

    def core(self, cpu: int, siblings: frozenset[int]) -> frozenset[int]:
        if self._apart is None and len(siblings) > 1:
            other = min(siblings - {cpu})
            self._apart = self._number(cpu) != self._number(other)
        return frozenset([cpu]) if self._apart and siblings else siblings

    def _number(self, cpu: int) -> int | None:
        return self._tree.integer(f"{_CPU}/cpu{cpu}/topology/core_id")


def _group(tree: Tree, folder: str, *names: str) -> list[int]:
    """Return the processors in the first of these files that exists: the mask before the list, which only newer
    kernels have.
    """
    for name in names:
        masks = (parse_bitmap(tree.text(f"{folder}/{mask}")) for mask in (name, f"{name}_map"))
        if cpus := next(filter(None, masks), None) or tree.cpus(f"{folder}/{name}_list"):
            return cpus
    return []


def _order(cache: CacheInstance) -> tuple[int, str, int]:
    return cache.level, cache.kind, min(cache.cpus)


def _caches(tree: Tree, cpu: int, online: frozenset[int], siblings: frozenset[int]) -> Iterable[CacheInstance]:
    """Yield caches, including those of unknown size."""
    folder = f"{_CPU}/cpu{cpu}/cache"
    for name in tree.names(folder, r"index\d"):
        level, size = tree.integer(f"{folder}/{name}/level"), tree.size(f"{folder}/{name}/size")
        text = (tree.text(f"{folder}/{name}/type") or "").lower()
        kind = text if text in _MOST_LEVELS else "unified"
        # On IA-64, kernels leave the group of some caches empty; these belong to the core.
        shared = frozenset(_group(tree, f"{folder}/{name}", "shared_cpu")) or siblings or frozenset([cpu])
        if level and 0 < level <= _MOST_LEVELS[kind]:
            yield CacheInstance(level, kind, size or 0, shared & online)
