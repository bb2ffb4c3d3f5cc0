"""Queues of PBS Professional and OpenPBS: pbsnodes(8B), qstat(1B), with the JSON that both print."""

import json
import re
from collections.abc import Mapping
from typing import Any

from banzuke.batch.commands import ask
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue, amount, unreadable
from banzuke.machine.hosts import folded

_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "": 1}
_EVERYWHERE = {"ncpus", "mem", "vmem", "mpiprocs", "ompthreads"}
Resources = Mapping[str, Any]


def queues() -> list[Queue]:
    """Return PBS's queues. Raises BanzukeError."""
    said = _part(("qstat", "-Q", "-f", "-F", "json"), "Queue")
    nodes = _part(("pbsnodes", "-a", "-F", "json"), "nodes")
    servers = _part(("qstat", "-B", "-f", "-F", "json"), "Server")
    default = {table(server).get("default_queue") for server in table(servers).values()}
    hosts = _hosts([table(node) for node in nodes.values()])
    return [
        _queue(name, table(about), hosts, default=name in default)
        for name, about in said.items()
        if table(about).get("queue_type") == "Execution"
    ]


def _queue(
    name: str, about: Resources, hosts: Mapping[str, tuple[NodeKind, Resources, str]], *, default: bool
) -> Queue:
    """Return a queue with its nodes.

    These are the nodes tied to it or, if there are none, those that are not tied and have what its jobs ask for by
    default (`default_chunk`).
    """
    asked = table(about.get("default_chunk"))
    tied = any(queue == name for _, _, queue in hosts.values())
    kinds: dict[NodeKind, list[str]] = {}
    for host, (kind, resources, queue) in hosts.items():
        if queue == name or (not tied and not queue and _has(resources, asked)):
            kinds.setdefault(kind, []).append(host)
    return Queue(
        name,
        nodes=tuple(Nodes(len(members), folded(members), kind) for kind, members in kinds.items()),
        longest=_seconds(str(table(about.get("resources_max")).get("walltime", ""))),
        default=default,
        open=about.get("enabled") == about.get("started") == "True",
    )


def _hosts(nodes: list[Resources]) -> dict[str, tuple[NodeKind, Resources, str]]:
    """Return by host its kind, its resources, and the queue that it is tied to; its virtual nodes add up."""
    hosts: dict[str, tuple[NodeKind, Resources, str]] = {}
    for node in nodes:
        has = table(node.get("resources_available"))
        host = str(has.get("host") or has.get("vnode") or "")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", host):
            continue
        before, had, tied = hosts.get(host, (NodeKind(), {}, ""))
        gpus = sum(number for _, number in before.devices) + (amount(str(has.get("ngpus", ""))) or 0)
        kind = NodeKind(
            logical=_sum(before.logical, amount(str(has.get("ncpus", "")))),
            memory=_sum(before.memory, _bytes(str(has.get("mem", "")))),
            devices=(("GPU", gpus),) if gpus else (),
        )
        hosts[host] = kind, _together(had, has), str(node.get("queue", "")) or tied
    return hosts


def _together(first: Resources, second: Resources) -> Resources:
    """Combine resources of two virtual nodes: numbers add up, properties are joined; sizes are not compared."""
    merged = {**first, **second}
    for name in first.keys() & second.keys():
        numbers = [amount(str(resources[name])) for resources in (first, second)]
        if None not in numbers:
            merged[name] = sum(filter(None, numbers))
        elif isinstance(first[name], str) and _bytes(first[name]) is None:
            merged[name] = ",".join(dict.fromkeys(f"{first[name]},{second[name]}".split(",")))
    return merged


def _has(resources: Resources, asked: Resources) -> bool:
    """Return whether a node has these resources: each property among its list, and enough of what is counted.

    The numbers of processors and the memory of a node may be unreported.
    """
    return all(_offers(resources.get(name), value, needed=name not in _EVERYWHERE) for name, value in asked.items())


def _offers(has: object, asked: object, *, needed: bool) -> bool:
    if (number := amount(str(asked))) is not None:
        there = amount(str(has))
        return not number or (there >= number if there is not None else has is not None or not needed)
    if _bytes(str(asked)) is not None or str(asked) == "False":
        return True
    return has is not None and set(str(asked).split(",")) <= set(str(has).split(","))


def _part(command: tuple[str, ...], key: str) -> Resources:
    """Return the value of this key in the JSON that a command prints. Raises CommandError."""
    said = ask(command)
    try:
        content = json.loads(said, strict=False)  # PBS writes tabs and newlines into strings unescaped
    except (ValueError, RecursionError) as error:
        raise unreadable(" ".join(command), said, f"it is no JSON: {error}") from error
    if not isinstance(table(content).get(key), dict):
        raise unreadable(" ".join(command), said, f"it has no '{key}'")
    return table(content[key])


def table(value: object) -> Resources:
    return value if isinstance(value, dict) else {}


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)


def _bytes(text: str) -> int | None:
    match = re.fullmatch(r"(\d{1,15})([kmgt]?b|)", text)
    return int(match[1]) * _UNITS[match[2]] if match else None


def _seconds(text: str) -> float | None:
    if (seconds := amount(text)) is not None:
        return float(seconds)
    time = re.fullmatch(r"(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2})", text)
    return float((int(time[1] or 0) * 60 + int(time[2])) * 60 + int(time[3])) if time else None
