"""What is planned beside the standard cases where a machine's cores are unlike: is it faster to use them otherwise?"""

from dataclasses import replace

from banzuke.cpu_lists import format_cpus
from banzuke.machine.core_speeds import core_speeds
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.groups import Group, Groups
from banzuke.plan.variant import Variants


def kinds_here(machine: Machine) -> dict[str, list[int]]:
    """The processor that stands for each usable core, by kind; empty: all that may be used are alike."""
    kinds = {name: cpus for name, cpus in machine.kinds.items() if cpus}
    return kinds if len(kinds) > 1 else {}


def groups_of_kinds(machine: Machine) -> Groups:
    """The cores of each kind as a group that shares a problem with the others; empty: all are alike."""
    return tuple(Group(tuple(cpus)) for cpus in kinds_here(machine).values())


def beside_equal_shares(benchmark: Benchmark, machine: Machine, variants: Variants) -> list[tuple[Machine, Variants]]:
    """How the headline is launched once more: loops shared by rates, and the fastest cores alone."""
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
