"""Plans additional cases where a machine's processors are unlike, which show whether they are faster if used otherwise
or together.
"""

from dataclasses import replace

from banzuke.cpu_lists import format_cpus
from banzuke.machine.core_speeds import core_speeds
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.groups import Groups, SharingGroup
from banzuke.plan.variant import Variants


def _held_by_quota(machine: Machine) -> bool:
    """Return whether a quota gives the time of fewer processors than may be used."""
    return machine.allotment.usable_cores < len(machine.allotment.one_per_core)


def kinds_here(machine: Machine) -> dict[str, list[int]]:
    """Return the processor that stands for each usable core, by kind; empty: all usable cores are alike, or a quota
    gives the time of fewer of them.
    """
    if _held_by_quota(machine):
        return {}
    kinds = {name: cpus for name, cpus in machine.kinds.items() if cpus}
    return kinds if len(kinds) > 1 else {}


def groups_here(machine: Machine, backend: str, reserved: int = 1) -> Groups:
    """Return groups that can share a problem: the cores of each kind, and each device with a core that drives it.

    `backend`: the one whose program drives the devices; empty: there is none. `reserved`: cores of each device that do
    not compute; with 0, the core that drives a device also computes. The result is empty if all cores are alike and
    there is no device, or not enough cores to spare for one.
    """
    if _held_by_quota(machine):
        return ()
    kinds = list(kinds_here(machine).values()) or [list(machine.allotment.one_per_core)]
    largest = max(kinds, key=len)
    devices = range(len(machine.allotment.devices)) if backend else range(0)
    cores = max(1, reserved)
    if len(devices) * cores + (reserved > 0) > len(largest):  # with reserved cores, one more computes
        devices = range(0)
    last = largest[::-1]
    drivers = [
        SharingGroup(tuple(sorted(last[place * cores : (place + 1) * cores])), str(device), backend)
        for place, device in enumerate(devices)
    ]
    if drivers and reserved:
        del largest[-reserved * len(drivers) :]
    groups = (*(SharingGroup(tuple(cpus)) for cpus in kinds), *drivers)
    return groups if len(groups) > 1 else ()


def beside_equal_shares(benchmark: Benchmark, machine: Machine, variants: Variants) -> list[tuple[Machine, Variants]]:
    """Return how the headline is launched additionally: with loops shared by rates, and on the fastest cores alone."""
    kinds = kinds_here(machine)
    if not kinds:
        return []
    launches: list[tuple[Machine, Variants]] = []
    if benchmark.tuning.loops_by_rates and variants.shares == Variants.shares:
        launches.append((machine, replace(variants, shares=("rates",))))
    speeds = core_speeds(machine, kinds)
    if benchmark.tuning.on_fast_cores and variants.cores == Variants.cores and speeds:
        fastest = format_cpus(kinds[max(kinds, key=lambda name: speeds.relative[name])])
        launches.append((machine.keeping_to(fastest), replace(variants, cores=(fastest,))))
    return launches
