"""Slurm's partitions: sinfo(1)."""

import re
from dataclasses import replace

from banzuke.batch.commands import ask, settings_of
from banzuke.batch.inventory.model import NodeKind, Nodes, Queue, amount, rows

_FORMAT = "%P|%a|%l|%h|%D|%X|%Y|%Z|%c|%m|%G|%f|%N"
"""Partition, availability, time limit, sharing; nodes, their sockets, cores per socket, threads per core; processors,
memory, generic resources, features, names.
"""
_TIME = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2})")
_GPU = re.compile(r"gpu(?::(?!no_consume\b)([^:,()]+))?(?::no_consume)?(?::(\d{1,4}))?(?:\(.*\))?")
"""A GPU in gres.conf(5): `gpu[:type][:no_consume][:number]`, with an optional number and `(S:0-1)`, its sockets."""


def queues() -> list[Queue]:
    """Return Slurm's partitions. Raises BanzukeError."""
    command = ("sinfo", "--noheader", "--exact", f"--format={_FORMAT}")
    by_name: dict[str, Queue] = {}
    for row in rows("sinfo", ask(command, without=settings_of("sinfo")), len(_FORMAT.split("|"))):
        name, available, time, sharing, number, *about, names = row
        nodes = Nodes(amount(number) or 0, names, _kind(about))
        queue = by_name.setdefault(
            name.removesuffix("*"),
            Queue(
                name.removesuffix("*"),
                longest=_seconds(time),
                default=name.endswith("*"),
                open=available == "up",
                exclusive=sharing == "EXCLUSIVE",
            ),
        )
        if nodes.number:
            by_name[queue.name] = replace(queue, nodes=(*queue.nodes, nodes))
    return list(by_name.values())


def _kind(about: list[str]) -> NodeKind:
    sockets, cores, threads, processors, memory, generic, features = about
    shape = [amount(part) for part in (sockets, cores, threads)]
    megabytes = amount(memory)
    kind = NodeKind(
        logical=amount(processors),
        memory=None if megabytes is None else megabytes << 20,
        devices=_devices(generic),
        features=tuple(_entries(features)),
    )
    if None in shape or shape[1:] == [1, 1]:
        return kind  # if only processors are configured, Slurm calls each of them a socket
    whole = [count or 1 for count in shape]
    return replace(kind, sockets=whole[0], cores=whole[0] * whole[1])


def _devices(generic: str) -> tuple[tuple[str, int], ...]:
    """Return number by type; devices of one type may be listed by socket."""
    numbers: dict[str, int] = {}
    for entry in filter(None, map(_GPU.fullmatch, _entries(generic))):
        kind, number = entry[1] or "GPU", entry[2]
        if entry[1] and entry[1].isdigit() and number is None:
            kind, number = "GPU", entry[1]
        numbers[kind] = numbers.get(kind, 0) + int(number or 1)
    return tuple((kind, number) for kind, number in numbers.items() if number)


def _entries(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    return [] if text == "(null)" else re.findall(r"(?:[^,(]|\([^)]*\))+", text.replace("(null):", ""))


def _seconds(text: str) -> float | None:
    """Return the seconds of `[days-][hours:]minutes:seconds`; None: no limit."""
    time = _TIME.fullmatch(text)
    if not time:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in time.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
