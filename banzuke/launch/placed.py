"""Checks whether what was asked of a launch took effect, by what was read back from each rank."""

import os
from collections.abc import Sequence

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.launch.command import Command
from banzuke.machine.hosts import short
from banzuke.plan.placement import Placement
from banzuke.plan.variant import Variant
from banzuke.record.model import Group, Record
from banzuke.units import count

MOST_HOSTS = 4
"""Number of hosts that are listed one by one."""
Places = tuple[tuple[int, ...], ...]
"""Processors of each thread of a rank."""


def misplaced(group: Group, placement: Placement) -> str:
    """Return what was asked for and what was read back instead; empty: the placement took effect."""
    hosts = {host.name: host.ranks for entry in group.hosts for host in entry.each}
    if len(hosts) != placement.nodes or any(len(ranks) != placement.per_node for ranks in hosts.values()):
        placed = [f"{count(len(ranks), 'rank')} on {name}" for name, ranks in hosts.items()]
        more = [f"{len(placed) - MOST_HOSTS} more"] if len(placed) > MOST_HOSTS else []
        return (
            f"{count(placement.nodes, 'host')} with {count(placement.per_node, 'rank')} each asked for, "
            f"{', '.join(placed[:MOST_HOSTS] + more) or 'no host'} read back"
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


def other_devices(group: Group, asked: Sequence[Sequence[str]]) -> str:
    """Return the devices that were read back instead of those asked for, by rank on its host; empty: there are no
    others.

    A program that chooses among several devices may use only some.
    """
    used = {rank: list(binding.devices) for binding in group.binding for rank in parse_cpus(binding.ranks)}
    for (rank, actual), wanted in zip(sorted(used.items()), asked, strict=False):
        if not actual or not set(actual) <= set(wanted):
            return f"devices {', '.join(wanted)} asked for rank {rank}, {', '.join(actual) or 'none'} read back"
    return ""


def _text(places: list[Places]) -> str:
    """Return `processor 0`, `one of processors 0-3`, or by thread: `processors 0-1|0-1`."""
    if len(places) > 1:
        return f"one of processors {format_cpus([cpu for place in places for thread in place for cpu in thread])}"
    threads = [format_cpus(list(thread)) for thread in places[0]]
    return f"processor{'' if ''.join(threads).isdecimal() else 's'} {'|'.join(threads) or 'unknown'}"


def without_effect(record: Record, variant: Variant, command: Command) -> str:
    """Return what of a variant was asked for and what was read back instead; empty: all of it took effect."""
    return next(
        filter(
            None,
            (
                _library(record, variant, command),
                _cores(record, command),
                _memory(record, variant),
                _order(record, command),
            ),
        ),
        "",
    )


def _library(record: Record, variant: Variant, command: Command) -> str:
    if not variant.library:
        return ""
    named = (path for name, path in command.variables.items() if name.startswith("BANZUKE_") and ".so" in path)
    asked = next(named, "")
    loaded = record.software.get("library_path") or record.software.get("blas_path", "")
    parts = os.path.realpath if "/" in asked else os.path.basename  # the loader searches for a name without a folder
    if loaded and parts(loaded) == parts(asked):
        return ""
    return f"library {variant.library} did not take effect: {asked} asked for, {loaded or 'none'} read back"


def _cores(record: Record, command: Command) -> str:
    if not command.cores:
        return ""
    processors = {cpu for binding in record.binding for thread in binding.threads for cpu in parse_cpus(thread)}
    if processors and processors.issubset(command.cores):
        return ""
    asked, read = format_cpus(list(command.cores)), format_cpus(list(processors))
    return f"cores did not take effect: {asked} asked for, {read or 'unknown ones'} read back"


def _order(record: Record, command: Command) -> str:
    """Return the first rank that is on another host. Hosts may call themselves by other names than the user did."""
    read = {rank: short(host.name) for host in record.hosts for rank in host.ranks}
    asked = list(map(short, command.order))
    itself: dict[str, str] = {name: name for name in asked} if set(asked) == set(read.values()) else {}
    for rank, name in enumerate(asked):
        if read.get(rank) != itself.setdefault(name, read.get(rank, "")):
            there = read.get(rank, "no host")
            return f"the order did not take effect: rank {rank} on {itself[name]} asked for, {there} read back"
    return ""


def _memory(record: Record, variant: Variant) -> str:
    """Return why the memory policy or the pages did not take effect; empty: they did."""
    policy, _, nodes = variant.memory.partition(":")
    if (variant.memory or variant.pages) and not record.binding:
        return "whether the memory policy and the pages took effect is unknown: nothing was read back"
    for binding in record.binding:
        kind, _, there = (binding.memory or "").partition(":")
        if variant.memory and (kind != policy or (nodes and parse_cpus(there) != parse_cpus(nodes))):
            read = binding.memory or "unknown"
            return f"memory policy {variant.memory} did not take effect: {read} read back from ranks {binding.ranks}"
        if variant.pages and binding.pages not in (variant.pages, None):  # a program without large arrays reports none
            return f"{variant.pages} pages did not take effect: {binding.pages} read back from ranks {binding.ranks}"
    return ""
