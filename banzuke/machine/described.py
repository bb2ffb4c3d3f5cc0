"""Combines the machine that was found in a job with the partition of a described site that it belongs to.

Discovered values take precedence over described ones; the description supplies what cannot be found on a node (names,
launcher, areas, links, sensors, peaks of devices). Contradictions are reported, and a part with one is not completed
from the description.
"""

import os
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from banzuke.amounts import Frozen
from banzuke.errors import BanzukeError
from banzuke.files import check_ours
from banzuke.machine import published
from banzuke.machine.discover import PARTITION
from banzuke.machine.hosts import expanded, short
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, NodeType, Peaks, Site, Source, StorageArea
from banzuke.text import nearest

Part = TypeVar("Part", bound=Frozen)
_NEAR = 0.1
"""Relative difference up to which memory sizes agree: the kernel and the firmware reserve some memory."""
_ABOUT = re.compile(r"\(.*?\)|@.*|\b[0-9]+-core\b", re.IGNORECASE)
"""Parts of a model's name that are not always written: trademarks, the clock, the number of cores."""


@dataclass(frozen=True)
class Place:
    """A partition of a described site."""

    site: Site
    key: str
    file: Path

    @classmethod
    def find(cls, file: Path, partition: str | None) -> "Place":
        """Return the named partition; without a name, the only one, or the one that this host is in.

        Raises BanzukeError, also if root would start something that another user can write into the file.
        """
        if os.geteuid() == 0:
            check_ours(file, problem=f"root takes no launcher and no settings from {file}")
        site = published.read(file)
        if partition:
            named = [key for key, part in site.partitions.items() if partition in (key, part.name)]
            of_queue = [key for key, part in site.partitions.items() if part.batch and part.batch.queue == partition]
            if len(of_queue) > 1 and not named:
                raise BanzukeError(
                    f"{file} describes the queue '{partition}' as {' and '.join(of_queue)}",
                    why="their nodes differ",
                    remedy="Name one; for jobs on nodes of both, describe the whole queue as a partition of its own",
                )
            if not named:
                raise BanzukeError(
                    f"{file} describes no partition '{partition}'", remedy=nearest(partition, [*site.partitions])
                )
            return cls(site, named[0], file)
        if len(site.partitions) == 1:
            return cls(site, next(iter(site.partitions)), file)
        here = short(socket.gethostname())
        mine = [key for key, part in site.partitions.items() if here in map(short, expanded(",".join(part.hosts)))]
        if len(mine) != 1:
            why = f"{here} is in {' and '.join(mine)}" if mine else f"{here} is among the hosts of none"
            remedy = f"Add --partition with one of: {', '.join(site.partitions)}"
            raise BanzukeError(f"{file} describes several partitions", why=why, remedy=remedy)
        return cls(site, mine[0], file)


def placed(machine: Machine, place: Place) -> tuple[Machine, list[str]]:
    """Return `machine` as this partition, and contradictions between the two."""
    site, path = place.site, f"partitions.{place.key}"
    seen, said = machine.partition, site.partitions[place.key]
    node, doubts = _node(seen.node, said.node)
    areas, called = _areas(machine.site.areas, site.areas)
    partition = said.having(
        node=node,
        launcher=said.launcher or seen.launcher,
        hosts=said.hosts or seen.hosts,
        mounts=list(dict.fromkeys([*said.mounts, *(called.get(mount, mount) for mount in seen.mounts)])),
        kernel=seen.kernel,
        hypervisor=seen.hypervisor,
        software=seen.software,
        flags=[*said.flags, *doubts],
    )
    by_person = Source(how="assumed", where=str(place.file))
    added = {name: site.source(name) or by_person for name in _differences(node, seen.node, f"{path}.node")}
    sources = {path: site.source(path) or by_person, **site.sources, **_moved(machine.site.sources, path), **added}
    free = {called.get(mount, mount): amount for mount, amount in machine.allotment.storage_available.items()}
    parts = {
        **{name: getattr(site, name) for name in Site.model_fields},
        "partitions": site.partitions | {place.key: partition},
        "areas": areas,
        "sources": sources,
    }
    allotment = machine.allotment.having(partition=place.key, storage_available=free)
    return Machine(site=Site(**parts), allotments=[allotment]), doubts


def _node(seen: NodeType, said: NodeType) -> tuple[NodeType, list[str]]:
    processor, memory = seen.processor, seen.memory
    doubts = [
        _doubt("the processors", processor.model, said.processor.model, like=_alike),
        _doubt("the architecture", processor.architecture, said.processor.architecture),
        _doubt("the cores of a node", processor.cores, said.processor.cores),
    ]
    if not any(doubts) and said.processors:
        processor = _completed(processor, said.processor)
    of_memory = _doubt("the memory of a node", memory.total, said.memory.total, like=_near, shown=_gib)
    if not of_memory:
        memory = _completed(memory, said.memory)
    numbers = [sum(device.count for device in node.devices) for node in (seen, said)]
    of_devices = _doubt("the accelerators of a node", *numbers) if said.devices else ""
    devices = [_device(device, said.devices) for device in seen.devices]
    node = _completed(seen, said.having(devices=[]))  # devices that were not found are not added
    node = node.having(processors=[processor, *seen.processors[1:]], memory=memory)
    node = node.having(devices=devices, peaks=_peaks(seen.peaks, said.peaks))
    return node, [doubt for doubt in (*doubts, of_memory, of_devices) if doubt]


def _doubt(what: str, seen: Any, said: Any, *, like: Any = lambda a, b: a == b, shown: Any = str) -> str:
    if seen is None or said is None or like(seen, said):
        return ""
    return f"{what}: {shown(said)} as described, {shown(seen)} found"


def _gib(amount: int) -> str:
    return f"{amount / (1 << 30):.4g} GiB"


def _near(seen: int, said: int) -> bool:
    return abs(seen - said) <= _NEAR * max(seen, said)


def _alike(seen: str, said: str) -> bool:
    """Return whether the words with digits in two models' names agree, as far as both names have them."""
    first, second = (
        {word for word in re.split(r"[\s-]+", _ABOUT.sub(" ", name).casefold()) if re.search(r"\d", word)}
        for name in (seen, said)
    )
    return first <= second or second <= first


def _device(seen: Device, said: Iterable[Device]) -> Device:
    same = next((device for device in said if _alike(device.name, seen.name)), None)
    if same is None:
        return seen
    return _completed(seen, same).having(peaks=_peaks(seen.peaks, same.peaks))


def _peaks(seen: Peaks, said: Peaks) -> Peaks:
    return said | {name: peak for name, peak in seen.items() if peak.value is not None or name not in said}


def _completed(seen: Part, said: Part) -> Part:
    """Return `seen`, with values from `said` where it has none."""
    update = {}
    for name in type(seen).model_fields:
        here, there = getattr(seen, name), getattr(said, name)
        if here in (None, "", [], {}) and there not in (None, "", [], {}):
            update[name] = there
    return seen.having(**update)


def _differences(after: NodeType, before: NodeType, path: str) -> list[str]:
    """Return the paths of values that the description added."""
    paths = [f"{path}.{name}" for name in _changed(after, before) if name not in {"processors", "memory"}]
    paths += [f"{path}.processors.0.{name}" for name in _changed(after.processor, before.processor)]
    return paths + [f"{path}.memory.{name}" for name in _changed(after.memory, before.memory)]


def _changed(after: Frozen, before: Frozen) -> list[str]:
    return [name for name in type(after).model_fields if getattr(after, name) != getattr(before, name)]


def _areas(seen: Mapping[str, StorageArea], said: Mapping[str, StorageArea]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the described areas with what was seen of them, the other areas, and the names of described ones
    by mount point.
    """
    called = {area.mount: name for name, area in said.items() if area.mount in seen}
    areas = dict(said)
    for mount, area in seen.items():
        name = called.get(mount, mount)
        kept = {"kind": area.kind, "source": area.source, "capacity": area.capacity}
        areas[name] = said[name].having(**kept) if name in said else area
    return areas, {mount: name for mount, name in called.items() if mount}


def _moved(sources: Mapping[str, Source], path: str) -> dict[str, Source]:
    """Return the sources of discovered values under their new paths; those of the whole partition only for parts that
    were discovered.
    """
    whole = f"partitions.{PARTITION}"
    moved = {
        f"{path}{name.removeprefix(whole)}": source for name, source in sources.items() if name.startswith(f"{whole}.")
    }
    running = sources.get(whole)
    return moved | ({f"{path}.{name}": running for name in ("kernel", "hypervisor")} if running else {})
