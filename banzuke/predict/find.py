"""Finds the machine to predict: a published one, one in a file, or that of a run, with the changes asked for."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files.refusals import refusals
from banzuke.machine import published
from banzuke.machine.public import known_machines, public_machines
from banzuke.machine.published import PublishedMachine
from banzuke.machine.site import Partition, Site, StorageArea
from banzuke.predict.constants import SHARED
from banzuke.predict.contradictions import contradictions
from banzuke.predict.families import families_of
from banzuke.predict.from_run import machine_of_run, still_measured
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.results.store import Store
from banzuke.text import nearest

MOST_NODES = 10_000_000


def predicted_machine(
    name: str, store: Store, nodes: Sequence[str] = (), lines: Sequence[str] = (), *, together: bool = False
) -> PredictedMachine:
    """Return the machine called `name`: a published one, one in a file, or that of a run; `A+B` joins several.

    `nodes`: N, or PARTITION=N for each partition that takes part; empty: all nodes, or one where their number is
    unknown. `lines`: changes, as lines of a partition's table in SITE.toml; they apply to each partition that takes
    part. `together`: the name of a site with several partitions means all of its nodes. Raises BanzukeError.
    """
    if "+" in name and not Path(name).exists():
        return _changed(_joined(name, store, nodes), lines)
    if any("=" in text for text in nodes) and (site := _site(name)):
        return _changed(PredictedMachine(site.name, site, _numbers(nodes, site, "")), lines)
    if together and not nodes and (site := _whole_site(name)) and len(site.partitions) > 1:
        return _changed(_all_nodes(site), lines)
    described = _described(name)
    if described is not None:
        return _changed(_with_nodes(name, described, nodes), lines)
    machine = _of_run(name, store)
    if nodes:
        machine = replace(machine, nodes=_numbers(nodes, machine.site, next(iter(machine.nodes))))
    return _changed(machine, lines)


def _joined(name: str, store: Store, nodes: Sequence[str]) -> PredictedMachine:
    """Return the machines of `A+B` as one; each name is read as it is alone. Raises BanzukeError."""
    names = name.split("+")
    if "" in names or len(set(names)) < len(names):
        raise BanzukeError(
            f"'{name}' does not name machines with + between", remedy="Name each once: SITE.toml:PARTITION+last"
        )
    machines = {part: predicted_machine(part, store) for part in names}
    called = Counter(machine.name for machine in machines.values())
    partitions = {}
    for part, machine in machines.items():
        (own,) = (machine.site.partitions[key] for key in machine.nodes)
        distinct = machine.name if called[machine.name] == 1 else f"{machine.name} ({part})"
        partitions[part] = own.having(name=distinct)
    site = Site(name=" + ".join(machine.name for machine in machines.values()), partitions=partitions)
    numbers = {part: number for part, machine in machines.items() for number in machine.nodes.values()}
    if nodes:
        numbers = _numbers(nodes, site, "")
        if "" in numbers:
            raise BanzukeError(
                f"--nodes {nodes[0]} does not say of which machine", remedy=f"Write {_nodes_of_each(site)}"
            )
    measured = all(machine.measured for machine in machines.values())
    return PredictedMachine(site.name, site, numbers, measured=measured)


def _site(name: str) -> Site | None:
    """Return the site in a file or of a published machine; None: the name is neither. Raises BanzukeError."""
    if name.endswith(".toml"):
        return published.read(Path(name))
    machines = known_machines()
    if machine := published.find(name, machines):
        return machine.site
    return next((m.site for m in machines if m.site.name.casefold() == name.casefold()), None)


def _whole_site(name: str) -> Site | None:
    """Return the site if the name means a whole site, not a partition or area; else None. Raises BanzukeError."""
    if name.endswith(".toml"):
        return published.read(Path(name))
    machine = published.find(name, published.load())
    return machine.site if machine and machine.part is None else None


def _described(name: str) -> PublishedMachine | None:
    """Return the machine in a file or a published one; None: the name can only be a run. Raises BanzukeError."""
    if machine := published.in_file(name):
        return machine
    return None if Path(name).exists() else published.find(name, known_machines())


def listed_as(name: str) -> str | None:
    """Return the id of this machine in the public lists, if it is there."""
    return next((machine.id for machine in public_machines() if machine.name.startswith(f"{name} (TOP500)")), None)


def _of_run(name: str, store: Store) -> PredictedMachine:
    """Return the machine of a run. Raises BanzukeError, which suggests similar names of machines."""
    try:
        run = store.locate(name)
    except BanzukeError as error:
        near = [f"'{suggestion}'" for suggestion in published.suggestions(name, known_machines())]
        reported = ", ".join(machine.id for machine in published.load())
        meant = f"Did you mean {' or '.join(near)}?" if near else f"`banzuke list` names public ones beside {reported}."
        meant += " Any other machine is described in a file: `banzuke machine --toml > SITE.toml` there"
        raise BanzukeError(
            f"'{name}' is no published machine, site file or run", why=str(error).partition(". ")[0], remedy=meant
        ) from error
    return machine_of_run(run)


def _with_nodes(name: str, machine: PublishedMachine, nodes: Sequence[str]) -> PredictedMachine:
    """Return the machine's partition with the nodes asked for, else all, or one if unknown. Raises BanzukeError."""
    site, partition = machine.site, _partition(name, machine)
    numbers = _numbers(nodes, site, partition) or {partition: site.partitions[partition].number or 1}
    return PredictedMachine(site.called(partition), site, numbers)


def _all_nodes(site: Site) -> PredictedMachine:
    """Return a site with all its nodes. Raises BanzukeError, also if its partitions are not connected."""
    if unknown := [key for key, part in site.partitions.items() if part.number is None]:
        raise BanzukeError(
            f"the description of {site.name} says no number of nodes of {', '.join(unknown)}",
            remedy=f"Add nodes to it, or give those of each that takes part: {_nodes_of_each(site)}",
        )
    if apart := _apart(site):
        raise BanzukeError(
            f"{site.name} has several partitions",
            why=f"nothing says that messages pass between {' and '.join(apart)}",
            remedy=f"Name the nodes of one or of those that are connected: {_nodes_of_each(site)}; "
            "or describe [[links]] between them",
        )
    return PredictedMachine(site.name, site, {key: part.number or 1 for key, part in site.partitions.items()})


def _nodes_of_each(site: Site) -> str:
    return " ".join(f"--nodes {key}=N" for key in site.partitions)


def _apart(site: Site) -> tuple[str, str] | None:
    """Return two partitions with different interconnects and no link between them; None: all are connected."""
    first, *others = site.partitions
    connected = {first}
    while others:
        near = [key for key in others if any(_connected(site, key, other) for other in connected)]
        if not near:
            return first, others[0]
        connected.update(near)
        others = [key for key in others if key not in near]
    return None


def _connected(site: Site, first: str, other: str) -> bool:
    same = site.partitions[first].interconnect == site.partitions[other].interconnect
    return same or any({first, other} <= set(link.between) for link in site.links)


def _numbers(nodes: Sequence[str], site: Site, partition: str) -> dict[str, int]:
    """Return the nodes of each partition; a number without a name is that of `partition`. Raises BanzukeError."""
    numbers = {}
    for option in nodes:
        part, equals, text = option.rpartition("=")
        if equals and part not in site.partitions:
            raise BanzukeError(f"--nodes {option}: no partition '{part}'", remedy=nearest(part, list(site.partitions)))
        numbers[part or partition] = _number(text, option)
    if len({bool(name) for name in numbers}) > 1:
        raise BanzukeError("--nodes names no partition of one number", remedy="Write PARTITION=N for each")
    return numbers


def _partition(name: str, machine: PublishedMachine) -> str:
    """Return the key of the partition that is meant. Raises BanzukeError for storage and for several partitions."""
    parts = machine.site.partitions
    if isinstance(machine.part, StorageArea):
        users = [key for key, part in parts.items() if machine.id in part.mounts]
        raise BanzukeError(
            f"{machine.name} is storage",
            why="figures are predicted for nodes",
            remedy=f"Name those that use it: {' or '.join(_spelled(name, key, machine) for key in users or parts)}",
        )
    if machine.part is None:
        spelled = " or ".join(_spelled(name, key, machine) for key in parts)
        raise BanzukeError(
            f"{machine.name} has several partitions",
            remedy=f"Name one: {spelled}; or the nodes of each: {_nodes_of_each(machine.site)}",
        )
    return next(key for key, part in parts.items() if part is machine.part)


def _spelled(name: str, partition: str, machine: PublishedMachine) -> str:
    file, toml, _ = name.partition(".toml")
    return f"{file}.toml:{partition}" if toml else partition if len(machine.site.partitions) > 1 else name


def _number(text: str, option: str) -> int:
    """Return the number of nodes in the text. Raises BanzukeError."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:12]) <= MOST_NODES):
        raise BanzukeError(
            f"--nodes {option}: '{text}' is not a number of nodes",
            remedy=f"Write 1000, or PARTITION=1000; at most {MOST_NODES}",
        )
    return int(text)


def _changed(machine: PredictedMachine, lines: Sequence[str], *, check: bool = True) -> PredictedMachine:
    """Return the machine changed by these lines; `check`: refuse lines without effect. Raises BanzukeError."""
    if not lines:
        return machine
    changes: dict[str, Any] = {}
    for line in lines:
        changes = _merged(changes, _read(line), line)
    parts: Mapping[str, Partition] = {
        key: _validated(_merged(part.model_dump(exclude_unset=True), changes, "--with"), lines)
        if key in machine.nodes
        else part
        for key, part in machine.site.partitions.items()
    }
    site = machine.site.having(partitions=parts)
    origin = machine.origin and still_measured(machine.origin, machine.site, site)
    changed = replace(machine, site=site, origin=origin, mixed=None)
    if check:
        _refuse_idle(machine, changed, lines)
    return changed


def _refuse_idle(machine: PredictedMachine, changed: PredictedMachine, lines: Sequence[str]) -> None:
    """Raise BanzukeError for a line that changes no prediction."""
    computed = _computed(changed)
    for line in lines:
        others = _changed(machine, [other for other in lines if other is not line], check=False)
        assumed = line.strip().startswith("network.")  # network lines always count, and may repeat the usual value
        if not assumed and others.site != changed.site and _computed(others) == computed:
            raise BanzukeError(
                f"--with '{line}' changes nothing",
                why="no prediction reads it, or what it reads instead is described too",
                remedy="Give what is read: node.peaks, node.memory, node.processors.0.peaks, node.devices.0.memory, "
                "network.bandwidth ...; the number of nodes by --nodes",
            )


def _computed(machine: PredictedMachine) -> tuple[str, ...]:
    """Return as text all that models read of the machine, with its contradictions, or why nothing can be computed."""
    cautions = [line for name in machine.nodes for line in contradictions(machine.site.partitions[name], name)]
    try:
        # As text, because unknown values are NaN, which is not equal to itself.
        seen = hardware(machine, {name: constant.value for name, constant in SHARED.items()})
        families = [] if machine.measured else [families_of(machine.site.partitions[name]) for name in machine.nodes]
        return (repr(seen), repr(families), *cautions)
    except BanzukeError as error:
        return (str(error), *cautions)


def _read(line: str) -> dict[str, Any]:
    """Return a line as a table; a value that is not TOML is taken as text. Raises BanzukeError."""
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


def _merged(into: Any, update: Any, line: str) -> Any:
    """Merge tables; in lists, merge the numbered elements: `node.devices.0.host_bandwidth`."""
    if isinstance(into, list) and isinstance(update, dict):
        elements = {int(key) if key.isdecimal() else -1: value for key, value in update.items()}
        if not all(0 <= index < len(into) for index in elements):
            raise BanzukeError(f"{line}: the list has {len(into)} elements, numbered from 0")
        return [_merged(old, elements[index], line) if index in elements else old for index, old in enumerate(into)]
    if isinstance(into, dict) and isinstance(update, dict):
        return into | {key: _merged(into.get(key), value, line) for key, value in update.items()}
    return update


def _validated(content: Any, lines: Sequence[str]) -> Partition:
    try:
        return Partition.model_validate(content, strict=True)
    except ValidationError as error:
        raise BanzukeError(
            f"--with {' '.join(lines)}",
            details=refusals(error, Partition, lambda _: None),
            remedy="Keys are those of a partition in SITE.toml, as `banzuke machine --toml` writes it",
        ) from error
