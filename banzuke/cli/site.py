"""`banzuke site`: describes the site that a login node belongs to in a file, and checks such a file."""

import os
import platform
import shlex
import shutil
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from banzuke.batch.inventory import systems
from banzuke.batch.inventory.comparison import differences
from banzuke.batch.inventory.draft import Part, draft, parts
from banzuke.batch.inventory.model import Nodes, Queue
from banzuke.batch.plan import cores_of
from banzuke.cli.console import errors, out, warn
from banzuke.cli.group import OptionsGroup
from banzuke.cli.options import HOW, WHAT, HostList, OptionsCommand, hosts_option
from banzuke.errors import BanzukeError
from banzuke.files import read_named, write_whole
from banzuke.files.refusals import refusals
from banzuke.machine import published
from banzuke.machine.cluster import BatchSystem
from banzuke.machine.hosts import expanded, folded
from banzuke.machine.lines import line_of
from banzuke.machine.mounts import filesystems, is_remote
from banzuke.machine.site import Partition, StorageArea
from banzuke.machine.tree import Tree
from banzuke.text import slug
from banzuke.units import count

site = typer.Typer(
    name="site",
    cls=OptionsGroup,
    help="Describe a site, its partitions and their batch system, for `banzuke submit` and --site.",
    no_args_is_help=True,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The site file.", show_default="site.toml")]
DEFAULT = Path("site.toml")
_WITHOUT = "Try again, or describe hosts without it: --hosts n[01-16]. --batch-system none describes this host alone"


@site.command(cls=OptionsCommand)
def init(
    file: File = DEFAULT,
    system: Annotated[
        str | None,
        typer.Option(
            "--batch-system",
            metavar="NAME",
            help="slurm, gridengine, pbs, pjm, flux, or none.",
            show_default="the one that answers here",
            rich_help_panel=HOW,
        ),
    ] = None,
    hosts: Annotated[
        HostList | None,
        hosts_option("Without a batch system: hosts that are reached by ssh, all alike: n[01-16].", panel=WHAT),
    ] = None,
    host_file: Annotated[
        Path | None,
        typer.Option("--host-file", metavar="FILE", help="The same, one a line, as for mpiexec.", rich_help_panel=WHAT),
    ] = None,
) -> None:
    """Write a site file from what this login node and its batch system report, to be completed by hand."""
    if file.exists() or file.is_symlink():
        raise BanzukeError(f"{file} exists", remedy="Name another file, or remove it")
    names = _hosts(hosts, host_file)
    answer = None if names else answering(system, _WITHOUT)
    here = platform.node()
    batch_system = answer[0] if answer else None
    described = parts(*answer) if answer else [Part("nodes", Nodes(len(names) or 1, folded(names or [here])))]
    if not described:
        raise BanzukeError(f"{batch_system} has no queue for you", remedy="Ask for access, or write the file by hand")
    areas = _areas()
    text = draft(
        name=here.partition(".")[0],
        file=str(file),
        here=here,
        parts=described,
        system=batch_system,
        areas=areas,
        modules=_modules(),
    )
    _check(text, batch_system)
    write_whole(file, text.encode())
    for part in described:
        reached = f"queue {part.queue.name or 'without a name'}" if part.queue else "without a batch system"
        number = count(part.nodes.number, "node") if part.nodes.number else "nodes unknown"
        out.say(f"{part.key}: {number} {part.nodes.hosts}, {reached}")
        if part.unlike:
            warn(f"the nodes of queue {part.queue.name if part.queue else ''} differ; see the comments at {part.key}")
    errors.say(f"Complete {file} (account, modules, areas), then run: banzuke site check {file}")


@site.command(cls=OptionsCommand)
def check(file: File = DEFAULT) -> None:
    """Check a site file, and compare it with what its batch system says now.

    Exit status 1: it differs; 2: there are mistakes in it, or the batch system does not answer.
    """
    described = published.checked(file)
    _say_what_is_alone(described)
    differing, silent = _compared(described)
    for key, area in described.areas.items():
        if area.mount and not Path(area.mount).is_dir():
            errors.say(f"areas.{key}: {area.mount} is not on this host, perhaps on the nodes")
    if silent:
        asked = " and ".join(map(systems.command_of, silent))
        raise BanzukeError(
            f"{file} {'differs' if differing else 'is in order'}; {asked} did not answer, so it could not be compared "
            "with the batch system",
            details=[line for failure in silent.values() for line in _lines(failure)],
            remedy="Try again where and when it answers",
        )
    if differing:
        raise typer.Exit(1)
    named = ", ".join(
        f"{key} ({count(partition.number, 'node') if partition.number else 'nodes unknown'})"
        for key, partition in described.partitions.items()
    )
    out.say(f"{file} describes {described.name}: {named}")


def _compared(described: published.PublishedSite) -> tuple[int, dict[BatchSystem, BanzukeError]]:
    """Print differences from the description; return their number, and the batch systems here that do not answer."""
    differing, silent = 0, dict[BatchSystem, BanzukeError]()
    members_of: dict[BatchSystem, dict[str, Partition]] = defaultdict(dict)
    for key, partition in described.partitions.items():
        if partition.batch:
            members_of[partition.batch.system][key] = partition
    for system, members in members_of.items():
        if system not in systems.here():
            warn(f"{', '.join(members)} not compared: {systems.command_of(system)} is not on PATH here")
            continue
        try:
            with errors.busy(f"asking {system} ..."):
                queues = systems.queues(system)
        except BanzukeError as error:
            silent[system] = error
            continue
        for key, partition in members.items():
            if not cores_of(partition):
                warn(f"{key}: it is not said how many cores a node has, so jobs ask for what {system} knows of them")
            for difference in differences(partition, queues):
                differing += 1
                out.say((key, "bold"), f": {difference}")
    return differing, silent


def _say_what_is_alone(described: published.PublishedSite) -> None:
    """Warn of launchers that are not on this host, and of partitions that are not compared with a batch system."""
    for key, partition in described.partitions.items():
        if partition.launcher is not None and not _is_here(partition.launcher):
            warn(f"{key}: launcher '{partition.launcher}' was not found here")
    alone = [key for key, partition in described.partitions.items() if not partition.batch]
    if len(alone) < len(described.partitions):
        if alone:
            warn(f"{', '.join(alone)} not compared: the file names no batch system for it")
        return
    there = ", ".join(systems.here())
    why = f"the file names none (commands are here of: {there})" if there else "none is here"
    errors.say(f"nothing was compared with a batch system: {why}")


def _is_here(launcher: str) -> bool:
    """Return whether it is a command of this host; a login node may have other launchers than its nodes."""
    try:
        words = shlex.split(launcher)
    except ValueError:  # a quote is not closed
        return False
    return bool(words) and shutil.which(words[0]) is not None


def _hosts(hosts: HostList | None, file: Path | None) -> list[str]:
    if hosts and file:
        raise BanzukeError("--hosts and --host-file exclude each other", remedy="Give one of them")
    if file is None:
        return [*hosts.names] if hosts else []
    lines = read_named(file).decode("utf-8", "replace").splitlines()
    words = [line.partition("#")[0].split() for line in lines]
    names = expanded(",".join(line[0].partition(":")[0] for line in words if line))
    if not names:
        raise BanzukeError(f"{file} names no host", remedy="Write one a line")
    return names


def answering(name: str | None, remedy: str) -> tuple[BatchSystem, list[Queue]] | None:
    """Return the batch system that answers, with its queues; None if there is none here, or none is wanted.

    Commands of one batch system may be installed where another one is used. Raises BanzukeError.
    """
    if name not in (None, "none", *systems.SYSTEMS):
        raise BanzukeError(
            f"--batch-system '{name}' is unknown", remedy=f"Name one of: {', '.join(systems.SYSTEMS)}, none"
        )
    wanted = [system for system in systems.SYSTEMS if system == name] if name else systems.here()
    answers: list[tuple[BatchSystem, list[Queue]]] = []
    failures: list[BanzukeError] = []
    for system in wanted:
        try:
            with errors.busy(f"asking {system} ..."):
                answers.append((system, systems.queues(system)))
        except BanzukeError as error:
            failures.append(error)
    if len(answers) > 1:
        both = " and ".join(system for system, _ in answers)
        raise BanzukeError(f"there are several batch systems here: {both}", remedy="Name one with --batch-system")
    if failures and not answers:
        raise BanzukeError(
            "no batch system answers",
            details=[line for failure in failures for line in _lines(failure)],
            remedy=remedy,
        )
    return answers[0] if answers else None


def _lines(failure: BanzukeError) -> list[str]:
    """Return the failure with the command's own message, line by line."""
    said = [line.strip() for line in failure.why.splitlines() if line.strip()]
    return [f"{failure.problem}: {said[0]}", *said[1:]] if said else [str(failure)]


def _modules() -> list[str] | None:
    """Return the loaded modules of Environment Modules or Lmod; None if neither is here."""
    if not any(os.environ.get(name) for name in ("MODULESHOME", "MODULEPATH", "LMOD_CMD")):
        return None
    return [name for name in os.environ.get("LOADEDMODULES", "").split(":") if name]


def _areas() -> dict[str, StorageArea]:
    """Return file systems that are reached over a network, which the nodes are likely to have, too."""
    areas: dict[str, StorageArea] = {}
    for filesystem in filesystems(Tree()):
        if is_remote(filesystem.kind):
            name = slug(filesystem.mount)
            key = name if name not in areas else f"{name}-{len(areas)}"
            areas[key] = StorageArea(mount=filesystem.mount, kind=filesystem.kind, source=filesystem.source)
    return areas


def _check(text: str, system: BatchSystem | None) -> None:
    """Raise BanzukeError if what the batch system reported makes no valid site."""
    try:
        published.PublishedSite.model_validate(tomllib.loads(text))
    except (ValidationError, ValueError) as error:
        problems = [str(error)]
        if isinstance(error, ValidationError):
            problems = refusals(error, published.PublishedSite, lambda key: line_of(text, key))
        raise BanzukeError(f"{system or 'this host'} reports what no site file can hold", details=problems) from error
