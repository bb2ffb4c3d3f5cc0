"""The machine that is meant: a published one, a file's, that of a run, or any of these with something changed."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import refusal
from banzuke.machine import published
from banzuke.machine.published import PublishedMachine
from banzuke.machine.site import Partition, Site, StorageArea
from banzuke.predict.hardware import PredictedMachine
from banzuke.record.store import Store
from banzuke.text import nearest

MOST_NODES = 10_000_000


def predicted_machine(
    name: str, store: Store, nodes: Sequence[str] = (), lines: Sequence[str] = ()
) -> PredictedMachine:
    """`nodes`: N, or PARTITION=N of each that takes part; none: all that there are, or one where that is unknown.

    `lines`: of a partition's table, as SITE.toml would have them, for each partition that takes part. Raises
    BanzukeError.
    """
    found = _described(name)
    if found is not None:
        return _changed(_with_nodes(name, found, nodes), lines)
    site, partition = _of_run(name, store)
    only = _number(nodes[-1], name) if nodes else 1
    return _changed(PredictedMachine(site.called(partition), site, {partition: only}), lines)


def _described(name: str) -> PublishedMachine | None:
    """None: it is to be a run. Raises BanzukeError."""
    if found := published.in_file(name):
        return found
    return None if Path(name).exists() else published.find(name, published.load())


def _of_run(name: str, store: Store) -> tuple[Site, str]:
    """The site of a run, which may have any number of such nodes, and its partition. Raises BanzukeError."""
    try:
        machine = store.locate(name).machine()
    except BanzukeError as error:
        machines = published.load()
        near = [f"'{each}'" for each in published.suggestions(name, machines)]
        meant = f"Did you mean {' or '.join(near)}?" if near else f"Published are: {', '.join(m.id for m in machines)}"
        raise BanzukeError(
            f"'{name}' is no published machine, site file or run", why=str(error).partition(". ")[0], remedy=meant
        ) from error
    chosen = machine.allotment.partition
    node = machine.node.model_copy(update={"peaks": machine.peaks})
    partition = machine.partition.model_copy(update={"nodes": None, "hosts": [], "node": node})
    return machine.site.model_copy(update={"partitions": {chosen: partition}, "name": machine.name}), chosen


def _with_nodes(name: str, found: PublishedMachine, nodes: Sequence[str]) -> PredictedMachine:
    """Raises BanzukeError."""
    parts = found.site.partitions
    if nodes and any("=" in each for each in nodes):
        each_part: dict[str, int] = {}
        for given in nodes:
            part, _, text = given.partition("=")
            if part not in parts:
                raise BanzukeError(f"--nodes {given}: no partition '{part}'", remedy=nearest(part, list(parts)))
            each_part[part] = _number(text, f"--nodes {given}")
        return PredictedMachine(found.site.name, found.site, each_part)
    partition = _partition(name, found)
    number = _number(nodes[-1], "--nodes") if nodes else parts[partition].number or 1
    return PredictedMachine(found.site.called(partition), found.site, {partition: number})


def _partition(name: str, found: PublishedMachine) -> str:
    """Raises BanzukeError."""
    parts = found.site.partitions
    if isinstance(found.part, StorageArea):
        users = [key for key, part in parts.items() if found.id in part.mounts]
        raise BanzukeError(
            f"{found.name} is storage",
            why="figures are predicted of nodes",
            remedy=f"Name those that use it: {' or '.join(_spelled(name, key, found) for key in users or parts)}",
        )
    if found.part is None:
        spelled = " or ".join(_spelled(name, key, found) for key in parts)
        raise BanzukeError(
            f"{found.name} has several partitions",
            remedy=f"Name one: {spelled}; or the nodes of each: {' '.join(f'--nodes {key}=N' for key in parts)}",
        )
    return next(key for key, part in parts.items() if part is found.part)


def _spelled(name: str, partition: str, found: PublishedMachine) -> str:
    file, toml, _ = name.partition(".toml")
    return f"{file}.toml:{partition}" if toml else partition if len(found.site.partitions) > 1 else name


def _number(text: str, where: str) -> int:
    """Raises BanzukeError."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:12]) <= MOST_NODES):
        raise BanzukeError(
            f"{where}: '{text}' is not a number of nodes",
            remedy="Write 1,000 nodes as 1000, those of a partition as NAME=1000",
        )
    return int(text)


def _changed(of: PredictedMachine, lines: Sequence[str]) -> PredictedMachine:
    """Raises BanzukeError."""
    if not lines:
        return of
    told: dict[str, Any] = {}
    for line in lines:
        told = _merged(told, _read(line), line)
    parts: Mapping[str, Partition] = {
        key: _validated(_merged(part.model_dump(exclude_unset=True), told, "--with"), lines)
        if key in of.nodes
        else part
        for key, part in of.site.partitions.items()
    }
    return PredictedMachine(of.name, of.site.model_copy(update={"partitions": parts}), of.nodes)


def _read(line: str) -> dict[str, Any]:
    """A value that is no TOML is text. Raises BanzukeError."""
    key, _, value = line.partition("=")
    quoted = '"' + value.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'
    for text in (line, f"{key}={quoted}"):
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            continue
    raise BanzukeError(
        f"--with '{line}' is no line of a description",
        remedy="Write KEY=VALUE as in SITE.toml: network.bandwidth=12.5e9",
    )


def _merged(into: Any, told: Any, line: str) -> Any:
    """Tables are merged, of a list the elements that are numbered: `node.devices.0.host_bandwidth`."""
    if isinstance(into, list) and isinstance(told, dict):
        places = {int(key) if key.isdecimal() else -1: value for key, value in told.items()}
        if not all(0 <= place < len(into) for place in places):
            raise BanzukeError(f"{line}: the list has {len(into)} elements, numbered from 0")
        return [_merged(old, places[index], line) if index in places else old for index, old in enumerate(into)]
    if isinstance(into, dict) and isinstance(told, dict):
        return into | {key: _merged(into.get(key), value, line) for key, value in told.items()}
    return told


def _validated(content: Any, lines: Sequence[str]) -> Partition:
    try:
        return Partition.model_validate(content)
    except ValidationError as error:
        raise BanzukeError(
            f"--with {' '.join(lines)}: {refusal(error)}",
            remedy="Keys are those of a partition in SITE.toml, as `banzuke machine --toml` writes it",
        ) from error
