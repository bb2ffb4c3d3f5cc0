"""Flux's queues: flux-queue(1), flux-resource(1)."""

import re

from banzuke.batch.commands import ask
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue, amount, rows

_QUEUES = "{queuem}|{enabled.ascii}|{limits.timelimit}"
_RESOURCES = "{queue}|{propertiesx}|{nnodes}|{ncores}|{ngpus}|{nodelist}"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "": 1}
"""Seconds per unit of RFC 23's durations."""


def queues() -> list[Queue]:
    """Return Flux's queues; without named ones, the default is one without a name. Raises BanzukeError."""
    nodes: dict[str, list[Nodes]] = {}
    command = ("flux", "resource", "list", "--no-header", "--states=all", f"--format={_RESOURCES}")
    for names, properties, number, cores, devices, hosts in rows("flux", ask(command), 6):
        if count := amount(number):
            kind = NodeKind(
                cores=_per_node(cores, count),
                devices=(("GPU", gpus),) if (gpus := _per_node(devices, count)) else (),
                features=tuple(filter(None, properties.split(","))),
            )
            for name in names.split(","):
                nodes.setdefault(name, []).append(Nodes(count, hosts, kind))
    named = []
    listed = ("flux", "queue", "list", "--no-header", f"--format={_QUEUES}")
    for queue, enabled, longest in rows("flux", ask(listed), 3):
        name = queue.removesuffix("*")
        default = not name or queue.endswith("*")
        members = tuple(nodes.get(name, ()))
        named.append(Queue(name, members, _seconds(longest), default=default, open=enabled == "y"))
    return named


def _per_node(total: str, nodes: int) -> int | None:
    """Return the number per node; None if nodes differ, because lines are joined whatever their numbers are."""
    number = amount(total)
    return None if number is None or number % nodes else number // nodes


def _seconds(text: str) -> float | None:
    """Return the seconds of `8h`, `1.5d`; None: no limit."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)([smhd]?)", text)
    return float(match[1]) * _UNITS[match[2]] if match else None
