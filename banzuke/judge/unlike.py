"""Finds a cause in cores that are not alike: with equal shares of the work, all wait for the slow cores."""

from collections import Counter
from collections.abc import Iterator, Mapping

from banzuke.cpu_lists import format_cpus
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.placement import named_hosts
from banzuke.machine.core_speeds import CoreSpeeds, core_speeds
from banzuke.machine.model import Machine
from banzuke.words import Derived, Listed, Quantity, Share, message

UNLIKE = 0.9
"""Largest ratio of the slowest core's speed to the fastest's at which cores count as unlike."""
BEYOND = 1.1
"""Factor above the speed of equal shares from which the work is not divided into equal shares."""


def unlike_cores(e: Evidence) -> Iterator[Finding]:
    """Find threads, one per core, on core kinds of different speed: all wait for the slowest.

    Only figures that arithmetic bounds are judged: for those bound by memory or a link, the speed of each kind is
    unknown. A program that computes faster than equal shares allow divides its work differently.
    """
    if not e.compute_bound or e.link_bound:
        return
    cores, kind_of = _cores(e.machine)
    for threads, hosts in e.placement.items():
        used = [thread[0] for thread in threads if len(thread) == 1]
        one_a_core = len({cores.get(cpu, cpu) for cpu in used}) == len(used)
        counts = Counter(kind_of.get(cpu, "") for cpu in used)
        if len(counts) < 2 or "" in counts or not one_a_core or len(used) < len(threads):
            continue
        speeds = core_speeds(e.machine, counts)
        if speeds is None:
            continue
        slowest = min(counts, key=lambda name: speeds.relative[name])
        least, most = speeds.relative[slowest], max(speeds.relative[name] for name in counts)
        equal, whole = least * len(used), sum(speeds.relative[name] * number for name, number in counts.items())
        if least > UNLIKE * most or _beyond(e, equal * len(hosts), speeds):
            continue
        others = [cpu for cpu in used if kind_of[cpu] != slowest]
        alone = len(others) * min(speeds.relative[name] for name in counts if name != slowest)
        unit = "flop/s" if speeds.how == "measured" else "Hz"
        kinds = (
            message("limit-of-kind", number=number, kind=Derived(name), speed=Quantity(speeds.told[name], unit))
            for name, number in counts.items()
        )
        yield Finding(
            1 - equal / whole,
            message(
                "limit-unlike-cores",
                slow=counts[slowest],
                cores=len(used),
                ratio=_about(least / most),
                kinds=Listed(tuple(kinds)),
                how=speeds.how,
                used=Share(equal / whole),
                host=named_hosts(hosts),
                left=len(others),
                others=format_cpus(others),
                gain=_about(alone / equal),
            ),
            cause="unlike cores",
        )


def _about(ratio: float) -> float:
    """Round to the digits that are certain in clocks measured once."""
    return float(f"{ratio:.2g}")


def _cores(machine: Machine) -> tuple[Mapping[int, int], Mapping[int, str]]:
    """Return the first processor of each processor's core, and each processor's kind."""
    cores = {cpu: core[0] for core in machine.allotment.siblings for cpu in core}
    kinds = machine.node.processor.kinds.items()
    return cores, {cpu: name for name, kind in kinds for cpu in kind.cpus}


def _beyond(e: Evidence, equal: float, speeds: CoreSpeeds) -> bool:
    """Return whether the figure is higher than equal shares can reach."""
    limit, fraction = e.flop_limit, e.figure.fraction_of_limit
    return bool(speeds.how == "measured" and limit and fraction and limit * fraction > BEYOND * equal)
