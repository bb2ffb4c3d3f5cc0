"""Reads our own TOML description of a topology: switches with their hosts and cables, or the shape of a
whole network.
"""

import math
import tomllib
from collections import Counter
from typing import Annotated

from pydantic import Field, ValidationError

from banzuke.amounts import Frozen, Positive, Several
from banzuke.errors import BanzukeError
from banzuke.files.refusals import refusals
from banzuke.machine.hosts import expanded
from banzuke.machine.lines import line_of
from banzuke.machine.mistakes import no_toml
from banzuke.placement.shapes import dragonfly, fat_tree, torus
from banzuke.placement.topology import Cable, NetworkTopology, Routing, topology_of

Levels = Annotated[list[Several], Field(min_length=1, max_length=8)]


class Up(Frozen):
    """Cables from one switch to another."""

    to: str
    cables: Several = 1
    rate: Positive | None = Field(default=None, description="B/s of one, each way; None: the file's")


class Switch(Frozen):
    hosts: str = Field(default="", description="names of its hosts: node[01-24]")
    cables: Several = Field(default=1, description="of each host to this switch")
    up: list[Up] = Field(default_factory=list)
    ports: Several | None = Field(default=None, description="for all cables, to hosts and switches; None: enough")


class FatTree(Frozen):
    down: Levels
    up: Levels
    parallel: Levels | None = None


class Dragonfly(Frozen):
    groups: Several
    switches: Several = Field(description="of a group, all joined with each other")
    between: Several = Field(description="cables of each switch to other groups")
    between_rate: Positive | None = None


class Torus(Frozen):
    sides: Levels


class DescribedNetwork(Frozen):
    name: str
    rate: Positive | None = Field(default=None, description="B/s of a cable, each way; None: unknown, all alike")
    latency: Positive | None = Field(default=None, description="s of a message besides its bytes, for simulations")
    routing: Routing | None = None
    hosts: str = Field(default="", description="of a shape, in the order of their places")
    ranks: dict[str, Several] = Field(default_factory=dict, description="by hosts, how many ranks they have")
    switches: dict[str, Switch] = Field(default_factory=dict)
    fat_tree: FatTree | None = None
    dragonfly: Dragonfly | None = None
    torus: Torus | None = None


def is_described(file: str) -> bool:
    return file.endswith(".toml")


def read_described(text: str, file: str) -> NetworkTopology:
    """Read a description. Raises BanzukeError."""
    try:
        description = DescribedNetwork.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BanzukeError(f"{file} is no TOML", why=no_toml(text, error)) from error
    except ValidationError as error:
        raise BanzukeError(
            file,
            details=refusals(error, DescribedNetwork, lambda key: line_of(text, key)),
            remedy="docs/placement.md lists what a network may have",
        ) from error
    shapes = [description.fat_tree, description.dragonfly, description.torus]
    shape = next((shape for shape in shapes if shape), None)
    if sum(shape is not None for shape in shapes) + bool(description.switches) != 1:
        raise BanzukeError(f"{file} describes no network, or several", remedy="Give switches, or one shape")
    if shape and not description.hosts:
        raise BanzukeError(f"{file} names no hosts", remedy='Add hosts = "node[001-512]"')
    rate = description.rate or math.nan
    hosts = expanded(description.hosts)
    default: Routing = "destination"
    match shape:
        case FatTree(down=down, up=up, parallel=parallel):
            cables = fat_tree(hosts, down, up, parallel or [1] * len(down), rate)
        case Dragonfly(groups=groups, switches=switches, between=between, between_rate=far):
            cables = dragonfly(hosts, groups, switches, between, rate, far or rate)
            default = "adaptive"
        case Torus(sides=sides):
            cables = torus(hosts, sides, rate)
            default = "first"
        case _:
            cables, hosts = _cables(description, file)
    ranks = {name: number for part, number in description.ranks.items() for name in expanded(part)}
    if strangers := sorted(ranks.keys() - set(hosts)):
        raise BanzukeError(
            f"{file}: ranks: {strangers[0]} is no host of it", remedy="Name hosts of its switches or shape"
        )
    return topology_of(
        description.name,
        cables,
        hosts,
        routing=description.routing or default,
        ranks=ranks,
        latency=description.latency,
    )


def _cables(description: DescribedNetwork, file: str) -> tuple[list[Cable], list[str]]:
    cables: list[Cable] = []
    hosts: list[str] = []
    rate = description.rate or math.nan
    for name, switch in description.switches.items():
        own = expanded(switch.hosts)
        hosts += own
        cables += [Cable(host, name, rate, switch.cables) for host in own]
        for up in switch.up:
            if up.to not in description.switches:
                raise BanzukeError(f"{file}: switches.{name}.up: '{up.to}' is no switch of it")
            cables.append(Cable(name, up.to, up.rate or rate, up.cables))
    used: Counter[str] = Counter()
    for cable in cables:
        used.update({cable.left: cable.number, cable.right: cable.number})
    for name, switch in description.switches.items():
        if switch.ports is not None and used[name] > switch.ports:
            raise BanzukeError(
                f"{file}: switches.{name} has {used[name]} cables, but {switch.ports} ports",
                remedy="Leave hosts or cables out, or correct the ports",
            )
    return cables, list(dict.fromkeys(hosts))
