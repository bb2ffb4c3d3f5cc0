"""Divides the processors between the operating system and the job."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine.cgroup import limits
from banzuke.machine.topology import from_sysfs
from banzuke.machine.tree import Tree


@dataclass(frozen=True)
class Processors:
    logical: int
    allowed: list[int]
    siblings: list[list[int]]
    """Allowed and outside processors of each core."""
    ordinary: list[int] = field(default_factory=list)
    """If the boot isolated some (isolcpus), the other ones, which are the operating system's by default."""
    outside: list[int] = field(default_factory=list)
    """Processors that this process may not use but its control group may, so that the operating system may get them."""


def processors(tree: Tree) -> Processors:
    """Return the processors that this process may use; much faster than describing the machine.

    Processors that the boot isolated are in no affinity, but may be named if the control group permits it.
    """
    topology = from_sysfs(tree)
    lines = (tree.text("proc/self/status") or "").splitlines()
    own = next((line.partition(":")[2] for line in lines if line.startswith("Cpus_allowed_list:")), "")
    usable = set(parse_cpus(own) or topology.logical)
    isolated = set(tree.cpus("sys/devices/system/cpu/isolated"))
    within = limits(tree).cpus
    group = set(topology.logical if within is None else within)
    usable |= isolated & group
    usable = usable.intersection(topology.logical) or usable
    outside = group.intersection(topology.logical) - usable
    siblings = [kept for core in topology.cores if (kept := sorted((usable | outside).intersection(core)))]
    return Processors(
        logical=len(topology.logical) or len(usable),
        allowed=sorted(usable),
        siblings=siblings or [[cpu] for cpu in sorted(usable)],
        ordinary=sorted(usable - isolated) if usable & isolated else [],
        outside=sorted(outside),
    )


def split(cpu: Processors, os_cores: Sequence[int] = ()) -> tuple[list[int], list[int]]:
    """Return the operating system's and the job's processors; without `os_cores`, the first core is the system's.

    The affinity selects those of the job: `taskset -c 1-3 banzuke isolate --os-cores 0` gives it 1-3. Raises
    BanzukeError.
    """
    allowed = cpu.allowed
    if not allowed:
        raise BanzukeError("no processors to isolate were found", why="neither affinity nor /sys names any")
    first = next((core for core in cpu.siblings if allowed[0] in core), allowed[:1])
    system = sorted(set(os_cores or cpu.ordinary or first))
    if missing := sorted(set(system) - {*allowed, *cpu.outside}):
        absent = [number for number in missing if number >= cpu.logical and number > max(allowed)]
        raise BanzukeError(
            f"processor {format_cpus(absent or missing)} {'does not exist' if absent else 'may not be used'}",
            why=f"of {cpu.logical} logical processors {format_cpus(allowed + cpu.outside)} may be used here",
            remedy="Name others with --os-cores",
        )
    job = sorted(set(allowed) - set(system))
    if not job:
        raise BanzukeError(
            f"no processor is left for the job beside {format_cpus(system)}",
            why=f"only {format_cpus(allowed)} may be used here",
            remedy="Name fewer with --os-cores" if os_cores else "Isolation needs two cores",
        )
    return system, job


def cut(cpu: Processors, system: Sequence[int]) -> list[int]:
    """Return the job's processors that share a core with one of the operating system's, and so feel its noise."""
    mine = set(system)
    return sorted(number for core in cpu.siblings if mine & set(core) for number in set(core) & set(cpu.allowed) - mine)
