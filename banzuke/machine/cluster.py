"""How the nodes of a partition are reached and connected: the batch system, and the network in numbers."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from banzuke.amounts import Amount, Frozen, Several
from banzuke.errors import BanzukeError
from banzuke.units import seconds

BatchSystem = Literal["slurm", "gridengine", "pbs", "pjm", "flux"]

Rates = dict[str, Amount]
"""Sustained rates by resource: flops.fp64 by DGEMM, memory.bytes by Triad. They serve predictions from descriptions;
the ceilings of runs are in their records.
"""


def number_of_key(key: Any) -> Any:
    """Return a number for a key, because keys of TOML are texts."""
    return int(key) if isinstance(key, str) and re.fullmatch("[0-9]{1,9}", key) else key


def _seconds(value: Any) -> Any:
    """Return seconds. A text is a length of time, as on the command line; a number in quotes is
    refused, as everywhere.
    """
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[0-9. ]*", value):
        raise ValueError(f"a number of seconds, without quotes: {value.strip() or 86400}")
    try:
        return seconds(value)
    except BanzukeError as error:
        raise ValueError('a number of seconds, such as 86400, or a text with its unit: "24h"') from error


class Batch(Frozen):
    """The batch system through which jobs get onto a partition's nodes."""

    system: BatchSystem
    queue: str | None = Field(
        default=None,
        description="Slurm's partition, the queue of Grid Engine, PBS or Flux, PJM's resource group; None: default",
    )
    account: str | None = Field(default=None, description="to which the time is charged")
    parallel_environment: str | None = Field(default=None, description="Grid Engine's, for jobs of several tasks")
    modules: list[str] = Field(default_factory=list, description="loaded first, in this order")
    setup: list[str] = Field(default_factory=list, description="lines of shell that follow them")
    banzuke: str | None = Field(
        default=None, description="path of the command on the nodes; None: that of this installation"
    )
    longest: Annotated[Amount | None, BeforeValidator(_seconds)] = Field(
        default=None, description="s, the longest time limit that is allowed"
    )
    exclusive: bool = Field(default=True, description="whether a job has its nodes for itself")
    options: list[str] = Field(
        default_factory=list, description="further options of the batch system, one each, as its script has them"
    )
    environments: dict[str, str] = Field(
        default_factory=dict,
        description="PJM's job environment (jobenv) for one of --environment, where it is not that of Fugaku; empty: "
        "none, the job sets it up itself",
    )


class Network(Frozen):
    """The interconnect of a partition's nodes in numbers."""

    links: Several = Field(default=1, description="of a node, that carry messages at the same time")
    bandwidth: Amount | None = Field(default=None, description="B/s of one link each way, theoretical")
    latency: Amount | None = Field(default=None, description="s, of the smallest message between two nodes")
    topology: Literal["fat-tree", "torus", "full", "dragonfly", "hypercube"] | None = None
    file: str | None = Field(
        default=None,
        description="topology of its nodes with every cable, as `banzuke place --topology` reads it: a path from the "
        "folder of this description, or tsubame",
    )
    group: Several = Field(
        default=1, description="nodes of a place in the torus, all near each other: 12 of the Tofu interconnect"
    )
    bisection: Amount | None = Field(
        default=None,
        description="share of what half of the nodes send at once that reaches the other half: 1 where nothing is in "
        "the way, 0.5 where switches have half as many links up as down",
    )
    devices_direct: bool | None = Field(
        default=None, description="whether messages leave a device's memory without passing the host's"
    )
    rates: Rates = Field(default_factory=dict, description="link.bytes: each way, of all links of a node together")
