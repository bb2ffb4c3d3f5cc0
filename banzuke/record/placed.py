"""Whether the ranks of a group stood where their placement put them, from what was read back of each."""

from banzuke.machine.tree import format_cpus, parse_cpus
from banzuke.plan.placement import Placement
from banzuke.record.model import Group
from banzuke.units import count

MOST_HOSTS = 4
"""Told one by one."""
Places = tuple[tuple[int, ...], ...]
"""Processors of each thread of a rank."""


def misplaced(group: Group, placement: Placement) -> str:
    """What was asked for and what was read back instead; empty: the placement took effect."""
    hosts = {host.name: host.ranks for of in group.hosts for host in of.each}
    if len(hosts) != placement.nodes or any(len(ranks) != placement.per_node for ranks in hosts.values()):
        found = [f"{count(len(ranks), 'rank')} on {name}" for name, ranks in hosts.items()]
        rest = [f"{len(found) - MOST_HOSTS} more"] if len(found) > MOST_HOSTS else []
        return (
            f"{count(placement.nodes, 'host')} with {count(placement.per_node, 'rank')} each asked for, "
            f"{', '.join(found[:MOST_HOSTS] + rest) or 'no host'} read back"
        )
    places: dict[int, Places] = {
        rank: tuple(tuple(parse_cpus(thread)) for thread in binding.threads)
        for binding in group.binding
        for rank in parse_cpus(binding.ranks)
    }
    wanted: dict[Places, None] = {tuple((cpu,) for cpu in cpus): None for cpus in placement.cpus}
    for name, ranks in hosts.items():
        taken: dict[Places, int] = {}
        for rank in ranks:
            place = places.get(rank, ())
            if place not in wanted:
                return f"{_text(list(wanted))} asked for rank {rank}, {_text([place])} read back"
            if place in taken:
                return f"ranks {taken[place]} and {rank} both on {_text([place])} of {name}"
            taken[place] = rank
    return ""


def _text(places: list[Places]) -> str:
    """`processor 0`, `one of processors 0-3`, or by thread: `processors 0-1|0-1`."""
    if len(places) > 1:
        return f"one of processors {format_cpus([cpu for place in places for thread in place for cpu in thread])}"
    threads = [format_cpus(list(thread)) for thread in places[0]]
    return f"processor{'' if ''.join(threads).isdecimal() else 's'} {'|'.join(threads) or 'unknown'}"
