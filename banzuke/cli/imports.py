"""`banzuke import`: makes a run of records that programs printed on a machine without this front end."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from banzuke.cli.console import out, warn, write_text
from banzuke.cli.options import DEFAULT_RESULTS, WHERE, PartitionName, Results, SiteFile
from banzuke.errors import BanzukeError
from banzuke.evaluation.look import place_of
from banzuke.files import read_whole
from banzuke.files.refusals import json_refusals
from banzuke.machine import accelerators
from banzuke.machine.allotment import Allotment
from banzuke.machine.described import Place
from banzuke.machine.discover import PARTITION
from banzuke.machine.model import Machine
from banzuke.machine.probe import FoundDevices
from banzuke.machine.site import NodeType, Partition, Site
from banzuke.plan.catalogue import benchmarks
from banzuke.publish import publication
from banzuke.publish.publication import Published, file_name, is_publication
from banzuke.results import imports
from banzuke.results.imports import MOST_NAMED, Printed
from banzuke.results.store import Store
from banzuke.units import count

MachineFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--machine",
        metavar="FILE",
        help="Description of the machine that was measured, as `banzuke machine --json` or `banzuke-probe devices` "
        "prints it.",
        rich_help_panel=WHERE,
    ),
]
UNNAMED = "imported"
"""Name of the machine if the records have no hosts."""


def import_records(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Files with records that programs printed, one JSON object per line; or files of `banzuke publish`.",
        ),
    ],
    machine: MachineFile = None,
    site: SiteFile = None,
    partition: PartitionName = None,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Import, as a run, records that benchmark programs printed on a machine without banzuke, or published runs."""
    publications = [file for file in files if is_publication(file)]
    if publications:
        if len(publications) < len(files) or machine or site or partition:
            raise BanzukeError(
                f"{publications[0]} is a publication",
                why="it has its own machine, and becomes a run of its own",
                remedy="Import other files by themselves, and publications without --machine, --site and --partition",
            )
        _import_publications(publications, Store(results))
        return
    printed = [imports.read(file) for file in files]
    of_these = describe(printed, machine or [], place_of(site, partition))
    imports.check_devices(printed, of_these)
    run = imports.keep(Store(results), printed, of_these, benchmarks())
    for file in printed:
        if file.other:
            warn(f"{file.file}: {count(file.other, 'line')} without a record ignored")
    if not machine and not site:
        warn(
            "nothing is known about the machine, so figures have only measured limits. To add a description, remove "
            "the run and import its files again with --machine FILE (`banzuke machine --json` there) or --site FILE"
        )
    if machine and not of_these.allotment.devices and (used := sorted(imports.devices(printed))):
        named = ", ".join(used[: imports.MOST_NAMED])
        warn(f"the records name devices ({named}), but the description has none: there are no theoretical peaks")
    out.say(f"{count(sum(len(file.records) for file in printed), 'record')} of {of_these.name}")
    write_text(f"{run.folder}\n")


def _import_publications(files: Sequence[Path], store: Store) -> None:
    """Make a run of each publication; nothing is kept unless all of them are whole and new. Raises BanzukeError."""
    by_name: dict[str, tuple[Path, Published]] = {}
    for file in files:
        published = publication.read(file)
        name = file_name(published.summary.machine.name, published.identity).removesuffix(".zip")
        imports.check_new(store, name, file)
        by_name.setdefault(name, (file, published))
    for name, (file, published) in by_name.items():
        run = imports.keep_published(store, name, file, published.machine, published.records, published.ceilings)
        out.say(f"{count(len(published.records), 'record')} of {published.machine.name}")
        write_text(f"{run.folder}\n")


def describe(printed: Sequence[Printed], files: Sequence[Path], place: Place | None) -> Machine:
    """Return the machine that the files describe, else one of which only the hosts are known. Raises BanzukeError."""
    machine: Machine | None = None
    devices: FoundDevices | None = None
    for file in files:
        description = _read(file)
        if isinstance(description, Machine) and machine is None:
            machine = description
        elif isinstance(description, FoundDevices) and devices is None:
            devices = description
        else:
            raise BanzukeError(f"{file} is a second description of its kind", remedy="Give one")
    if machine and place:
        raise BanzukeError("--machine and --site both describe the machine", remedy="Give one of them")
    if machine is None:
        apart = imports.machines(printed)
        if len(apart) > 1 and place is None:
            names = ", ".join(group[0] for group in apart[:MOST_NAMED])
            raise BanzukeError(
                f"the records are of {count(len(apart), 'host')} that no record has in common: {names}",
                why="they may be several machines",
                remedy="Import the files of each machine by themselves, or say with --machine or --site that it is one",
            )
        machine = _unknown(imports.hosts(printed), place)
    if devices:
        inventory = accelerators.from_probe(devices)
        machine = machine.changed(
            node={"devices": inventory.kinds},
            allotment={"devices": inventory.allotted, "devices_problem": inventory.problem},
        )
    return machine


def _read(file: Path) -> Machine | FoundDevices:
    remedy = "`banzuke machine --json` and `banzuke-probe devices` write what is taken"
    try:
        text = read_whole(file).decode()
        data: Any = json.loads(text)
    except ValueError as error:
        raise BanzukeError(f"{file} is not JSON", why=str(error), remedy=remedy) from error
    if not isinstance(data, dict) or not {"allotments", "devices"} & set(data):
        raise BanzukeError(f"{file} describes no machine", remedy=remedy)
    kind: type[Machine | FoundDevices] = Machine if "allotments" in data else FoundDevices
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise BanzukeError(
            f"{file} describes no machine", why=json_refusals(error, kind, text), remedy=remedy
        ) from error


def _unknown(hosts: Sequence[str], place: Place | None) -> Machine:
    """Return a machine of which only these hosts, and what a site file says, are known."""
    key = place.key if place else PARTITION
    site = (
        place.site if place else Site(name=hosts[0] if hosts else UNNAMED, partitions={key: Partition(node=NodeType())})
    )
    identity = "\n".join([site.name, key, *([] if place else hosts)])
    allotment = Allotment(
        partition=key,
        fingerprint=hashlib.sha256(identity.encode()).hexdigest()[:12],
        hosts=list(hosts) if len(hosts) > 1 else [],
        allowed=[],
        allowed_cores=0,
        one_per_core=[],
        memory_allowed=0,
        memory_available=0,
    )
    return Machine(site=site, allotments=[allotment])
