"""The hosts of a group of ranks in a compact form, so that 10,000 of them take few words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from pydantic import Field, model_validator

from banzuke.amounts import Frozen, Index
from banzuke.cpu_lists import format_cpus, parse_cpus

_RANGE = re.compile(r"([^\[\],]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\],]*)", re.ASCII)
_NUMBERED = re.compile(r"([^\[\],]*?)([0-9]{1,9})([^0-9\[\],]*)", re.ASCII)
_MOST_HOSTS = 1 << 20
"""Most hosts of a range; a longer one is damaged."""


@dataclass(frozen=True)
class Host:
    name: str
    ranks: Sequence[int]


class Hosts(Frozen):
    """One host with its ranks, or consecutively numbered hosts, each with an equal block of the ranks."""

    names: str = Field(description="n1; for several with consecutive numbers: n[001-512]")
    ranks: str = Field(description="kernel list format: 0-4095; 0-8:1/4 is 0,4,8")
    dealt: list[Index] | None = Field(
        default=None,
        exclude_if=lambda dealt: dealt is None,
        description="the same ranks in the order in which the hosts have them; None: ascending",
    )

    @cached_property
    def each(self) -> tuple[Host, ...]:
        names, ranks = self._names(), self.dealt or parse_cpus(self.ranks)
        block = len(ranks) // len(names)
        return tuple(Host(name, ranks[at * block : (at + 1) * block]) for at, name in enumerate(names))

    @model_validator(mode="after")
    def dealt_out_evenly(self) -> "Hosts":
        names = self._names()
        if len(names) > 1 and len(parse_cpus(self.ranks)) % len(names):
            raise ValueError(f"{self.names} have ranks {self.ranks}, which are not equally many each")
        if self.dealt is not None and sorted(self.dealt) != parse_cpus(self.ranks):
            raise ValueError(f"{self.names} have ranks {self.ranks}, but others are dealt out")
        return self

    def _names(self) -> Sequence[str]:
        match = _RANGE.fullmatch(self.names)
        if not match:
            return [self.names]
        before, first, last, after = match.groups()
        if not 0 <= int(last) - int(first) < _MOST_HOSTS:
            raise ValueError(f"{self.names} is not a range of hosts")
        return [f"{before}{str(at).zfill(len(first))}{after}" for at in range(int(first), int(last) + 1)]


def folded_hosts(listed: Sequence[Hosts]) -> list[Hosts]:
    """Return the same hosts sorted by number, each name once, for ranks that are not in the order of the hosts."""
    by_kind: dict[tuple[str, str, int, int], dict[int, Host]] = {}
    others: list[Hosts] = []
    for host in (host for hosts in listed for host in hosts.each):
        if match := _NUMBERED.fullmatch(host.name):
            before, number, after = match.groups()
            kind = (before, after, len(number) if number.startswith("0") else 0, len(host.ranks))
            by_kind.setdefault(kind, {})[int(number)] = host
        else:
            others.append(Hosts(names=host.name, ranks=format_cpus(list(host.ranks))))
    return [range_ for kind, hosts in by_kind.items() for range_ in _ranges(kind, hosts)] + others


def _ranges(kind: tuple[str, str, int, int], hosts: dict[int, Host]) -> Iterator[Hosts]:
    """Return hosts that differ only in their numbers as ranges such as `n[1-9]`, for numbers of one length."""
    before, after, _, _ = kind
    numbers = sorted(hosts)
    for _, group in groupby(enumerate(numbers), lambda pair: (pair[1] - pair[0], len(hosts[pair[1]].name))):
        members = [hosts[number] for _, number in group]
        ranks = [rank for host in members for rank in host.ranks]
        digits = [host.name[len(before) : len(host.name) - len(after)] for host in (members[0], members[-1])]
        names = f"{before}[{'-'.join(digits)}]{after}" if len(members) > 1 else members[0].name
        dealt = ranks if ranks != sorted(ranks) else None
        yield Hosts(names=names, ranks=format_cpus(ranks), dealt=dealt)
