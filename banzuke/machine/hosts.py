"""Lists of hosts as people and batch systems write them, `node[01-03,7],login`, by ClusterShell's NodeSet."""

import math
import re
from collections.abc import Iterable

from banzuke.errors import BanzukeError

_ENTRY = re.compile(r"(?:[A-Za-z0-9._-]|\[[0-9][0-9,/-]*\])+")
"""Without NodeSet's groups and operators (`@all`, `a!b`), and without what a shell takes for more than a name."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MOST = 1 << 18
"""Hosts; more are a mistyped range. The largest machine has 158,976."""


def expanded(text: str) -> list[str]:
    """Each host once, in the order of the entries. Raises BanzukeError."""
    found: dict[str, None] = {}
    entries = _split(text)
    left = _MOST
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
        found.update(dict.fromkeys(names))
    return list(found)


def folded(names: Iterable[str]) -> str:
    """These hosts in as few words as possible: `login,node[01-03]`. Not in their order.

    What no host can be called stays as it is, at the end: records and batch systems may say anything.
    """
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet  # noqa: PLC0415

    distinct = dict.fromkeys(names)
    hosts = [name for name in distinct if _NAME.fullmatch(name)]
    others = [name for name in distinct if not _NAME.fullmatch(name)]
    return ",".join([str(NodeSet.fromlist(hosts, resolver=RESOLVER_NOGROUP))] * bool(hosts) + others)


def short(host: str) -> str:
    """Without its domain, which only some commands name; host names have no case."""
    return host.partition(".")[0].lower()


def _split(text: str) -> list[str]:
    """At the commas outside brackets."""
    return [entry.strip() for entry in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", text) if entry.strip()]


def _number(entry: str) -> int:
    """About how many hosts it names: NodeSet would make them all, however many."""
    brackets = re.findall(r"\[(.*?)\]", entry)
    return math.prod(sum(map(_length, bracket.split(","))) for bracket in brackets)


def _length(part: str) -> int:
    """Of a number or a range."""
    ends = re.match(r"([0-9]+)-([0-9]+)", part)
    return 1 + max(0, int(ends[2][:18]) - int(ends[1][:18])) if ends else 1


def _members(entry: str) -> list[str]:
    # Only where it is needed: most calls name no host.
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException  # noqa: PLC0415

    try:
        return list(NodeSet(entry, resolver=RESOLVER_NOGROUP))
    except NodeSetException as error:
        raise _wrong(entry) from error


def _wrong(entry: str) -> BanzukeError:
    return BanzukeError(
        f"'{entry[:80]}' is not a list of hosts", remedy="Write names with commas between, or node[01-12]"
    )
