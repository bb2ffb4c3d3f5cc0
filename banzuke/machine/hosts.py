"""Reads and writes lists of hosts as people and batch systems do: `node[01-03,7],login`."""

import math
import re
from collections.abc import Iterable
from itertools import product

from banzuke.errors import BanzukeError

_ENTRY = re.compile(r"(?:[A-Za-z0-9._-]|\[[0-9][0-9,/-]*\])+")
"""Excludes ClusterShell's groups and operators (`@all`, `a!b`), and characters that are special in a shell."""
_PART = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})(?:/([0-9]{1,18}))?)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MOST_HOSTS = 1 << 18
"""Largest number of hosts; more are a mistyped range. The largest machine has 158,976."""


def expanded(text: str) -> list[str]:
    """Return each host once, in Slurm's order: that of the entries, and of the parts within brackets.
    Raises BanzukeError.

    The order matters, because a job begins on the first host, and ranks follow the hosts: `n[3,1]` is n3 and n1.
    """
    hosts: dict[str, None] = {}
    entries = _split(text)
    left = _MOST_HOSTS
    for entry in dict.fromkeys(entry for entry in entries if "[" in entry):
        left -= _number(entry)
        if left < 0:
            raise _wrong(entry)
    for entry in entries:
        if not _ENTRY.fullmatch(entry):
            raise _wrong(entry)
        names = _members(entry) if "[" in entry else [entry]
        if not all(map(_NAME.fullmatch, names)):
            raise _wrong(entry)
        hosts.update(dict.fromkeys(names))
    return list(hosts)


def folded(names: Iterable[str]) -> str:
    """Return the hosts as a short list, `login,node[01-03]`, which does not keep their order.

    Texts that cannot be names of hosts stay as they are, at the end: records and batch systems may say anything.
    """
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet  # noqa: PLC0415

    distinct = dict.fromkeys(names)
    hosts = [name for name in distinct if _NAME.fullmatch(name)]
    others = [name for name in distinct if not _NAME.fullmatch(name)]
    return ",".join([str(NodeSet.fromlist(hosts, resolver=RESOLVER_NOGROUP))] * bool(hosts) + others)


def short(host: str) -> str:
    """Return a host's name in lower case without its domain, which only some commands print; an address
    has no domain.
    """
    return host if re.fullmatch(r"[0-9.]+|.*:.*", host) else host.partition(".")[0].lower()


def _split(text: str) -> list[str]:
    """Split at the commas outside brackets."""
    return [entry.strip() for entry in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", text) if entry.strip()]


def _number(entry: str) -> int:
    """Return an upper estimate of the number of hosts in an entry."""
    brackets = re.findall(r"\[(.*?)\]", entry)
    return math.prod(sum(map(_length, bracket.split(","))) for bracket in brackets)


def _length(part: str) -> int:
    """Return how many numbers a number or a range stands for."""
    ends = re.match(r"([0-9]+)-([0-9]+)", part)
    return 1 + max(0, int(ends[2][:18]) - int(ends[1][:18])) if ends else 1


def _members(entry: str) -> list[str]:
    """Return the hosts of an entry; the last bracket changes fastest."""
    pieces = re.split(r"\[(.*?)\]", entry)
    numbers = (_numbers(piece, entry) if place % 2 else [piece] for place, piece in enumerate(pieces))
    return ["".join(name) for name in product(*numbers)]


def _numbers(bracket: str, entry: str) -> list[str]:
    """Return the numbers of a bracket, as wide as the first of their range. `0-8/2` is every second number; only
    ClusterShell writes it.
    """
    numbers: list[str] = []
    for part in bracket.split(","):
        ends = _PART.fullmatch(part)
        step = int(ends[3] or 1) if ends else 0
        if not ends or not step or (ends[2] and int(ends[2]) < int(ends[1])):
            raise _wrong(entry)
        numbers += (f"{number:0{len(ends[1])}}" for number in range(int(ends[1]), int(ends[2] or ends[1]) + 1, step))
    return numbers


def _wrong(entry: str) -> BanzukeError:
    return BanzukeError(
        f"'{entry[:80]}' is not a list of hosts", remedy="Write names with commas between, or node[01-12]"
    )
