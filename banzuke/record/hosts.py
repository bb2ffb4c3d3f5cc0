"""The hosts of a group of ranks, as a record lists them: few words for 10,000 of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field, model_validator

from banzuke.amounts import Frozen
from banzuke.cpu_lists import parse_cpus

_RANGE = re.compile(r"([^\[\],]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\],]*)", re.ASCII)
_MOST_HOSTS = 1 << 20
"""More are a damaged range."""


@dataclass(frozen=True)
class Host:
    name: str
    ranks: Sequence[int]


class Hosts(Frozen):
    """One host with its ranks; or consecutively numbered hosts, each with an equal block of consecutive ranks."""

    names: str = Field(description="n1; for several with consecutive numbers: n[001-512]")
    ranks: str = Field(description="kernel list format: 0-4095; 0-8:1/4 is 0,4,8")

    @cached_property
    def each(self) -> tuple[Host, ...]:
        names, ranks = self._names(), parse_cpus(self.ranks)
        block = len(ranks) // len(names)
        return tuple(Host(name, ranks[at * block : (at + 1) * block]) for at, name in enumerate(names))

    @model_validator(mode="after")
    def dealt_out_evenly(self) -> "Hosts":
        names = self._names()
        if len(names) > 1 and len(parse_cpus(self.ranks)) % len(names):
            raise ValueError(f"{self.names} have ranks {self.ranks}, which are not equally many each")
        return self

    def _names(self) -> Sequence[str]:
        match = _RANGE.fullmatch(self.names)
        if not match:
            return [self.names]
        before, first, last, after = match.groups()
        if not 0 <= int(last) - int(first) < _MOST_HOSTS:
            raise ValueError(f"{self.names} is not a range of hosts")
        return [f"{before}{str(at).zfill(len(first))}{after}" for at in range(int(first), int(last) + 1)]
