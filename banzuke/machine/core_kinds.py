"""Finds kinds of cores in one processor: P and E cores, big.LITTLE, one design with different clocks or caches."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from banzuke.machine.site import CoreKind
from banzuke.machine.tree import Tree

CPU = "sys/devices/system/cpu"
BASE = "cpufreq/base_frequency"
HIGHEST = "cpufreq/cpuinfo_max_freq"
_CAPACITY = "cpu_capacity"
"""On Arm, the kernel derives it from the highest clock."""
_INTEL = {"cpu_core": "performance", "cpu_atom": "efficiency", "cpu_lowpower": "low power"}
"""Kinds of cores, by the kernel's name for their performance counters."""
_NEAR = 1.1
"""Highest clocks, or capacities, belong to one kind where each is at most this many times the next lower one.

Favoured cores are slightly faster than others. The firmware of a Threadripper 7975WX reports 5.4 GHz for half of the
cores, and for the others more, in steps of 3%.
"""


def core_kinds(tree: Tree, parts: Mapping[str, Sequence[int]]) -> dict[str, CoreKind]:
    """Return what the kernel tells about each kind, that of the first processor first; empty: all cores are alike.

    Kinds differ in Arm's part (`parts`: processors by name) or in the counters of Intel's hybrids. Each of these is
    divided by the guaranteed clock; if that is unknown, by the highest clock; if that is the same, by the scheduler's
    capacity; and if that is the same, too, by the size of the last cache, of which a die may have more.
    """
    counters = {kind: tree.cpus(f"sys/devices/{name}/cpus") for name, kind in _INTEL.items()}
    unnamed: Mapping[str, Sequence[int]] = {"": [int(cpu[3:]) for cpu in tree.names(CPU, r"cpu\d{1,6}")]}
    by_part_or_counter = (parts, {kind: cpus for kind, cpus in counters.items() if cpus})
    named = next((groups for groups in by_part_or_counter if len(groups) > 1), unnamed)
    groups = {name: cpus for whole, among in named.items() for name, cpus in _divided(tree, whole, among).items()}
    if len(groups) == 1:
        return {}
    return {name: _kind(tree, cpus) for name, cpus in sorted(groups.items(), key=lambda group: min(group[1]))}


def clocks(tree: Tree, name: str, cpus: Iterable[int]) -> list[int]:
    """Return the values of the files of this name, for those processors that have one; clocks are in kHz."""
    return list(_values(tree, name, cpus).values())


def common(values: Iterable[int]) -> int | None:
    """Return the value that all have in common; None: they differ."""
    several = set(values)
    return several.pop() if len(several) == 1 else None


def _divided(tree: Tree, name: str, cpus: Sequence[int]) -> Mapping[str, Sequence[int]]:
    """Return the groups among cores of one name."""
    if guaranteed := _amounts(tree, BASE, cpus):
        groups = _grouped(cpus, _together(guaranteed), _ghz)
    else:
        highest = _together(_amounts(tree, HIGHEST, cpus))
        groups = _grouped(cpus, highest, lambda clock: f"up to {_ghz(clock)}")
        if len(groups) == 1:
            groups = _grouped(cpus, _together(_amounts(tree, _CAPACITY, cpus)), "capacity {}".format)
    if len(groups) == 1:
        groups = _grouped(cpus, _together(_last_caches(tree, cpus)), lambda size: f"cache of {size >> 20} MiB")
    if len(groups) == 1:
        return {name: cpus}
    return {f"{name}, {shown}" if name else shown: among for shown, among in groups.items()}


def _grouped(cpus: Sequence[int], values: Mapping[int, int], shown: Callable[[int], str]) -> dict[str, list[int]]:
    """Return processors by value; one without a value belongs to the group of the first value."""
    groups: dict[str, list[int]] = {}
    for cpu in cpus:
        value = values.get(cpu, next(iter(values.values()), 0))
        groups.setdefault(shown(value), []).append(cpu)
    return groups


def _ghz(clock: int) -> str:
    return f"{clock / 1e6:g} GHz"


def _together(values: Mapping[int, int]) -> dict[int, int]:
    """Return the highest value of each processor's kind."""
    tops: dict[int, int] = {}
    top = above = 0
    for value in sorted(set(values.values()), reverse=True):
        top = value if above > _NEAR * value or not above else top
        tops[value], above = top, value
    return {cpu: tops[value] for cpu, value in values.items()}


def _values(tree: Tree, name: str, cpus: Iterable[int]) -> dict[int, int]:
    values = ((cpu, tree.integer(f"{CPU}/cpu{cpu}/{name}")) for cpu in cpus)
    return {cpu: value for cpu, value in values if value is not None}


def _amounts(tree: Tree, name: str, cpus: Iterable[int]) -> dict[int, int]:
    """Return the values without those that cannot be a clock."""
    return {cpu: value for cpu, value in _values(tree, name, cpus).items() if value > 0}


def _last_caches(tree: Tree, cpus: Iterable[int]) -> dict[int, int]:
    """Return the bytes of each processor's cache of the highest level, for those that have that level."""
    sizes: dict[int, tuple[int, int]] = {}
    for cpu in cpus:
        folder = f"{CPU}/cpu{cpu}/cache"
        caches = [f"{folder}/{name}" for name in tree.names(folder, r"index\d")]
        levels = {tree.integer(f"{cache}/level") or 0: tree.size(f"{cache}/size") or 0 for cache in caches}
        if levels:
            sizes[cpu] = max(levels.items())
    highest = max((level for level, _ in sizes.values()), default=0)
    return {cpu: size for cpu, (level, size) in sizes.items() if level == highest and size > 0}


def _kind(tree: Tree, cpus: Sequence[int]) -> CoreKind:
    """Return the description of a kind; its highest clock is the one that all its cores reach."""
    base = common(clocks(tree, BASE, cpus)) or common(clocks(tree, "cpufreq/cpuinfo_nominal_freq", cpus))
    highest = min(clocks(tree, HIGHEST, cpus), default=None)
    return CoreKind.of_known(
        cpus=sorted(cpus),
        logical=len(cpus),
        nominal_hz=base * 1e3 if base else None,
        maximum_hz=highest * 1e3 if highest else None,
    )
