"""Builds whole networks of a given shape: fat trees, dragonflies, tori."""

import math
from collections.abc import Sequence
from itertools import combinations, product

from banzuke.errors import BanzukeError
from banzuke.placement.topology import Cable

MOST_CABLES = 4_000_000


def fat_tree(
    hosts: Sequence[str], down: Sequence[int], up: Sequence[int], parallel: Sequence[int], rate: float
) -> list[Cable]:
    """Return the cables of a fat tree; by level: children of each switch, parents of each host or switch,
    cables between two.

    These are SimGrid's parameters of a fat tree. Raises BanzukeError.
    """
    if not len(down) == len(up) == len(parallel):
        raise BanzukeError("a fat tree has down, up and parallel of each level", why=f"{down}, {up} and {parallel}")
    if math.prod(down) != len(hosts):
        raise BanzukeError(f"the fat tree has {math.prod(down)} hosts, but {len(hosts)} are named")
    cables: list[Cable] = []
    names = [[host] for host in hosts]  # by the part of the tree below, and then by copy of it
    for level, (children, parents, cable) in enumerate(zip(down, up, parallel, strict=True), start=1):
        copies = len(names[0])
        above = [
            [f"level{level}-{part}" + (f".{copy}" if copies * parents > 1 else "") for copy in range(copies * parents)]
            for part in range(len(names) // children)
        ]
        _limit(len(cables) + len(names) * copies * parents * cable)
        cables += [
            Cable(name, above[part // children][copy + copies * parent], rate, cable)
            for part, below in enumerate(names)
            for copy, name in enumerate(below)
            for parent in range(parents)
        ]
        names = above
    return cables


def dragonfly(hosts: Sequence[str], groups: int, switches: int, between: int, rate: float, far: float) -> list[Cable]:
    """Return the cables of groups of fully connected switches, with `between` cables from each switch to other groups.
    Raises BanzukeError.

    `far`: rate of the cables between groups, which are assigned to pairs of groups in turn.
    """
    if len(hosts) % (groups * switches):
        raise BanzukeError(f"{len(hosts)} hosts do not divide among {groups} groups of {switches} switches")
    if groups > 1 and switches * between < groups - 1:
        raise BanzukeError(
            f"{switches} switches with {between} cables each do not reach {groups - 1} other groups",
            remedy="Give more cables between groups, or fewer groups",
        )
    _limit(groups * switches * (switches + between))
    per_switch = len(hosts) // (groups * switches)

    def name(group: int, switch: int) -> str:
        return f"group{group}-{switch}"

    cables = [
        Cable(host, name(number // (per_switch * switches), number // per_switch % switches), rate)
        for number, host in enumerate(hosts)
    ]
    for group in range(groups):
        cables += [
            Cable(name(group, switch), name(group, lower), rate)
            for switch in range(switches)
            for lower in range(switch)
        ]
    used = [0] * groups
    pairs = list(combinations(range(groups), 2))
    for group, partner in pairs * (switches * between // max(groups - 1, 1)):
        ends = (name(group, used[group] // between), name(partner, used[partner] // between))
        cables.append(Cable(*ends, far))
        used[group] += 1
        used[partner] += 1
    return cables


def torus(hosts: Sequence[str], sides: Sequence[int], rate: float) -> list[Cable]:
    """Return the cables of a torus with a switch at each place. Raises BanzukeError."""
    places = math.prod(sides)
    if len(hosts) % places:
        raise BanzukeError(f"{len(hosts)} hosts do not divide among {'x'.join(map(str, sides))} places")
    _limit(places * len(sides))
    per_switch = len(hosts) // places

    def name(place: Sequence[int]) -> str:
        return f"at{','.join(map(str, place))}"

    everywhere = list(product(*map(range, sides)))
    cables = [Cable(host, name(everywhere[number // per_switch]), rate) for number, host in enumerate(hosts)]
    for axis, side in enumerate(sides):
        for place in everywhere:
            beyond = tuple((at + 1) % side if number == axis else at for number, at in enumerate(place))
            if side > 2 or (side == 2 and place[axis] == 0):
                cables.append(Cable(name(place), name(beyond), rate))
    return cables


def _limit(cables: int) -> None:
    if cables > MOST_CABLES:
        raise BanzukeError(f"the network has more than {MOST_CABLES:,} cables", remedy="Describe a smaller one")
