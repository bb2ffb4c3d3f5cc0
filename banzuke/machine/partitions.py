"""Joins the parts that a job has of several partitions of a site into one machine."""

from collections.abc import Sequence
from functools import reduce

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded, folded, short
from banzuke.machine.model import Machine
from banzuke.machine.site import Site
from banzuke.units import whole

TOGETHER = "+"
"""Stands between the names of partitions that work on one problem together, and between their numbers of nodes."""

MOST_NODES = 1_000_000


class NodeCount(int):
    """A number of nodes, of all partitions together, which is printed as it was written."""

    parts: tuple[int, ...] = ()
    """Nodes of each of several partitions, `2+3`; empty: there is one number for all."""

    def __str__(self) -> str:
        return TOGETHER.join(map(str, self.parts)) or int.__repr__(self)

    @classmethod
    def of(cls, text: str) -> "NodeCount":
        """Parse `4`, or `2+3` for nodes of two partitions. Raises BanzukeError."""
        numbers = tuple(whole(part) for part in text.split(TOGETHER))
        if not all(1 <= number <= MOST_NODES for number in numbers):
            raise BanzukeError(
                f"--nodes '{text}' is not understood",
                why="a number is 0: leave that partition out" if numbers[1:] and 0 in numbers else "",
                remedy="Write a number of nodes, 4; or that of each of several partitions, 2+3",
            )
        count = cls(sum(numbers))
        count.parts = numbers if len(numbers) > 1 else ()
        return count


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of the partitions in `cpu+large`. Raises BanzukeError."""
    names = tuple(name.strip() for name in text.split(TOGETHER))
    if not all(names):
        raise BanzukeError(
            f"--partition '{text}' is not understood",
            why="a name is empty",
            remedy="Write the names of partitions that work together with + between: cpu+large",
        )
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise BanzukeError(f"--partition {text} names {twice} twice", remedy="Name each partition once")
    return names


def check_distinct(text: str, keys: Sequence[str]) -> None:
    """Raise BanzukeError if two names in `text` mean the same partition."""
    if twice := next((key for key in keys if keys.count(key) > 1), ""):
        raise BanzukeError(
            f"--partition {text} names {twice} twice",
            why="partitions can be named by their keys, names or queues",
            remedy="Name each partition once",
        )


def hosts_of_parts(
    site: Site, keys: Sequence[str], counts: Sequence[int], groups: Sequence[Sequence[str]]
) -> list[list[str]]:
    """Return the hosts of each of these partitions, as many as `counts` says, or all if it is empty.

    `groups`: hosts of each part of the job, or all hosts in one list. That is divided by the hosts that the site
    describes for each partition, else by `counts`, in order. Raises BanzukeError.
    """
    if len(groups) not in (1, len(keys)):
        raise BanzukeError(
            f"the job has {len(groups)} parts, and --partition names {len(keys)} partitions",
            remedy="Name a partition for each part of the job, in the same order",
        )
    described = [{short(host) for host in expanded(",".join(site.partitions[key].hosts))} for key in keys]
    if len(groups) == len(keys):
        parts = [list(hosts) for hosts in groups]
    elif all(described):
        parts = [[host for host in groups[0] if short(host) in own] for own in described]
        _check_all_placed(groups[0], parts, keys)
    elif counts:
        parts, left = [], list(groups[0])
        for number in counts:
            parts.append(left[:number])
            left = left[number:]
    else:
        raise BanzukeError(
            f"which hosts belong to {' and '.join(keys)} is not known",
            why="neither the job nor the site file says it",
            remedy=f"Write --nodes {TOGETHER.join('1' for _ in keys)} with the number of each, in the order of the "
            "hosts; or add `hosts = [...]` to the partitions in the site file",
        )
    for key, own, hosts in zip(keys, described, parts, strict=True):
        if own and (others := [host for host in hosts if short(host) not in own]):
            raise BanzukeError(
                f"{folded(others)} is not in the partition {key}",
                why=f"the site file says that it has {folded(own)}",
                remedy="Name the partitions in the order of the job's hosts, or mend the site file",
            )
    return [
        _first(key, hosts, number) for key, hosts, number in zip(keys, parts, counts or [0] * len(keys), strict=True)
    ]


def _check_all_placed(hosts: Sequence[str], parts: Sequence[Sequence[str]], keys: Sequence[str]) -> None:
    """Raise BanzukeError for a host that several of the partitions have, or none."""
    for host in hosts:
        own = [key for key, part in zip(keys, parts, strict=True) if host in part]
        if len(own) != 1:
            where = " and ".join(own) or f"neither of {', '.join(keys)}"
            raise BanzukeError(
                f"the site file has {host} in {where}",
                why="each host works in one of the partitions",
                remedy="Leave it out of --hosts, or mend `hosts` of the partitions in the site file",
            )


def _first(key: str, hosts: Sequence[str], number: int) -> list[str]:
    """Return the first `number` hosts of a partition; 0: all."""
    if not hosts or len(hosts) < number:
        raise BanzukeError(
            f"{number or 1} {'hosts are' if number > 1 else 'host is'} needed of the partition {key}",
            why=f"{len(hosts) or 'none'} may be used",
            remedy="Ask for fewer, or request more from the batch system",
        )
    return list(hosts[:number] if number else hosts)


def joined(machines: Sequence[Machine]) -> Machine:
    """Return one machine with the allotments of all, which are in different partitions of one site."""
    return reduce(_with, machines)


def _with(first: Machine, second: Machine) -> Machine:
    key = second.allotment.partition
    path = f"partitions.{key}"
    kept = {name: source for name, source in first.site.sources.items() if not _within(name, path)}
    added = {name: source for name, source in second.site.sources.items() if _within(name, path)}
    site = first.site.having(partitions=first.site.partitions | {key: second.partition}, sources=kept | added)
    return Machine(site=site, allotments=[*first.allotments, second.allotment])


def _within(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}.")
