"""Drafts a site file from what a batch system and a login node report, with comments for what a person must add."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tomli_w

from banzuke.batch.inventory.model import NodeKind, Nodes, Queue
from banzuke.machine.cluster import BatchSystem
from banzuke.machine.site import StorageArea
from banzuke.text import printable, slug
from banzuke.units import duration

_PLAIN = re.compile(r"[A-Za-z0-9_.:=/+-]+")
"""Features that an option can name; `a&b` would ask for two."""
_HEADER = """\
# A site for `banzuke submit` and for --site of `banzuke run` and `evaluate`: what `banzuke site init` found on {here}.
# What a login node does not show is a comment: complete it, correct what is wrong, and leave out what is not wanted.
# The hardware of a node need not be here: each job finds it on its nodes, and says so where this file contradicts.
#
#   banzuke site check {file}
#   banzuke machine --file {file}
#
# Numbers are in SI units: s, bytes, Hz, B/s.

"""
_PARTITION = """\
# title = "..."
# interconnect = "InfiniBand HDR, 200 Gb/s"
# launcher = "srun"  # else the one of the MPI library with which the programs were built
# power_sensor = "..."
"""
_BATCH = """\
# account = "..."  # to which the time is charged
# setup = ["export NAME=value"]  # lines of shell that come first, after modules
# banzuke = "/path/to/bin/banzuke"  # on its nodes, if not this installation
"""
_AREAS = """\
# An area is measured in the mount or in the folder $USER there, where a user can write.
# bandwidth = 40e9  # B/s, theoretical, of the slowest part on the way: the limit of its figures
"""


@dataclass(frozen=True)
class Part:
    """Nodes of one kind, which become a partition, and the queue through which they are reached."""

    key: str
    nodes: Nodes
    queue: Queue | None = None
    options: tuple[str, ...] = ()
    """Options that restrict a job to these nodes of the queue."""
    others: tuple[Queue, ...] = ()
    """Other queues with the same nodes."""
    unlike: bool = False
    """Whether the queue has other nodes, too, which jobs may get."""


def parts(system: BatchSystem, queues: Iterable[Queue]) -> list[Part]:
    """Return each kind of node of each queue; nodes in several queues only once, with the most suitable queue.

    That is one whose nodes are all alike, then the default, then the one with the longest time limit.
    """
    chosen = sorted(
        queues, key=lambda queue: (len(queue.nodes) > 1, not queue.default, -(queue.longest or float("inf")))
    )
    described: dict[object, Part] = {}
    for queue in chosen:
        for nodes in queue.nodes or [Nodes(0, "")]:
            same = nodes.hosts or (queue.name, nodes.kind)
            if same in described:
                before = described[same]
                described[same] = replace(before, others=(*before.others, queue))
            else:
                described[same] = _part(system, queue, nodes)
    return _named(described.values())


def _named(parts: Iterable[Part]) -> list[Part]:
    """Return the parts with unique names, since a queue may have the name of a kind of nodes of another queue."""
    taken: dict[str, Part] = {}
    for part in parts:
        number = 1
        key = part.key
        while key in taken:
            number += 1
            key = f"{part.key}-{number}"
        taken[key] = replace(part, key=key)
    return list(taken.values())


def _part(system: BatchSystem, queue: Queue, nodes: Nodes) -> Part:
    rest = [other for other in queue.nodes if other != nodes]
    name = queue.name or system
    if not rest:
        return Part(name, nodes, queue)
    features = {feature for other in rest for feature in other.kind.features}
    own = next(
        (feature for feature in nodes.kind.features if feature not in features and _PLAIN.fullmatch(feature)), ""
    )
    key = f"{name}-{slug(own or _device(nodes.kind) or str(1 + queue.nodes.index(nodes)))}"
    if system == "slurm":
        others = ",".join(other.hosts for other in rest)
        return Part(key, nodes, queue, (f"--constraint={own}" if own else f"--exclude={others}",))
    return Part(key, nodes, queue, unlike=True)


def _device(kind: NodeKind) -> str:
    return kind.devices[0][0] if kind.devices else ""


def draft(
    *,
    name: str,
    file: str,
    here: str,
    parts: Sequence[Part],
    system: BatchSystem | None,
    areas: Mapping[str, StorageArea],
    modules: Sequence[str] | None,
) -> str:
    """Return the file. `modules`: suggestions, those loaded here; None: there is no module system."""
    text = [
        _HEADER.format(here=here, file=" ".join(printable(file).split())),
        _values({"name": name}),
        '# title = "..."\n# institution = "..."\n',
    ]
    for part in parts:
        text += _partition(part, system, [*areas], modules)
    for key, area in areas.items():
        text.append(f"\n{_table('areas', key)}")
        text.append(_values({"mount": area.mount, "kind": area.kind, "source": area.source}))
    text.append(f"\n{_AREAS}" if areas else f'\n# [areas.scratch]\n# mount = "/scratch"\n{_AREAS}')
    return "".join(text)


def _partition(part: Part, system: BatchSystem | None, areas: list[str], modules: Sequence[str] | None) -> list[str]:
    nodes, queue = part.nodes, part.queue
    counted: dict[str, Any] = {"nodes": nodes.number or None, "hosts": [nodes.hosts] if nodes.hosts else None}
    text = [f"\n{_table('partitions', part.key)}", _values(counted)]
    if not nodes.number:
        text.append("# nodes = 100\n")
    if part.unlike:
        text.append(
            "# Its queue has other nodes, too: add to options what limits a job to these, or use a queue of these.\n"
        )
    text += [_PARTITION, _values({"mounts": areas or None})]
    if system and queue:
        text.append(f"\n{_table('partitions', part.key, 'batch')}")
        text.append(_values({"system": system, "queue": queue.name or None, "longest": queue.longest}))
        for other in part.others:
            limit = f", at most {duration(other.longest)}" if other.longest else ""
            text.append(f"# queue {_quoted(other.name)} has the same nodes{limit}\n")
        if not queue.longest:
            text.append("# longest = 86400  # s, the longest time limit that is allowed\n")
        text.append(_values({"options": list(part.options) or None}))
        text += _environments(queue, system)
        if modules is not None:
            text.append(f"# {_values({'modules': list(modules) or ['...']}).strip()}  # loaded first, in this order\n")
        text.append(_BATCH)
    return text + _node(part.key, nodes.kind)


def _environments(queue: Queue, system: BatchSystem) -> list[str]:
    if system != "gridengine":
        return []
    first, *others = sorted(queue.environments, key=lambda name: "mpi" not in name.lower()) or [""]
    if not first:
        return ['# parallel_environment = "mpi"  # for jobs of several tasks\n']
    also = f"  # or {', '.join(others)}" if others else ""
    return [_values({"parallel_environment": first}).strip() + also + "\n"]


def _node(key: str, kind: NodeKind) -> list[str]:
    text = []
    if kind.memory:
        text.append(f"\n{_table('partitions', key, 'node', 'memory')}{_values({'usable': kind.memory})}")
    shape = {"sockets": kind.sockets, "cores": kind.cores, "logical": kind.logical}
    if any(shape.values()):
        text.append(f"\n[{_table('partitions', key, 'node', 'processors').strip()}]\n{_values(shape)}")
    for name, number in kind.devices:
        text.append(
            f"\n[{_table('partitions', key, 'node', 'devices').strip()}]\n{_values({'name': name, 'count': number})}"
        )
    return text


def _table(*keys: str) -> str:
    dotted = ".".join(_values({key: 0}).rpartition(" = ")[0] for key in keys)
    return f"[{dotted}]\n"


def _values(values: Mapping[str, Any]) -> str:
    """Return lines of TOML, without unknown values; a list of texts is on one line, so that it can be a comment."""
    lines = []
    for key, value in values.items():
        if isinstance(value, list):
            lines.append(f"{key} = [{', '.join(map(_quoted, value))}]\n")
        elif value is not None:
            lines.append(tomli_w.dumps({key: value}))
    return "".join(lines)


def _quoted(text: str) -> str:
    return tomli_w.dumps({"x": text}).removeprefix("x = ").strip()
