"""`banzuke machine`: shows this machine and its theoretical peaks, or the site that a file describes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import errors, out, warn, write_json, write_text
from banzuke.cli.options import HOW, OUTPUT, WHAT, Hosts, Json, PartitionName, SiteFile
from banzuke.cpu_lists import format_cpus
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.evaluation import examined, messages
from banzuke.evaluation.look import as_described, looking, place_of, tell_doubts
from banzuke.machine import blas, mpi, published
from banzuke.machine.discover import discover, measured, with_blas
from banzuke.machine.model import Machine
from banzuke.machine.toml import toml as toml_of
from banzuke.plan.placement import group_placements, pair_placements
from banzuke.report.fact_table import SpecificationGroup, note_text, row
from banzuke.report.hardware import site_groups
from banzuke.report.specification import specification
from banzuke.words import message
from banzuke.words.language import words

Toml = Annotated[
    bool,
    typer.Option(
        "--toml",
        help="Print the site, without the job's allocation, as a file to edit for --file and `banzuke compare`.",
        rich_help_panel=OUTPUT,
    ),
]
File = Annotated[
    Path | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="Show the site described in this file instead of this machine.",
        rich_help_panel=WHAT,
    ),
]
Measure = Annotated[
    bool,
    typer.Option(
        "--measure/--no-measure",
        help="Measure clocks, FMA units, BLAS and MPI libraries, which takes a few seconds.",
        rich_help_panel=HOW,
    ),
]

MOST_HOSTS = 8
"""Hosts that are named; the number printed is that of all."""


def machine(
    json: Json = False,
    toml: Toml = False,
    measure: Measure = True,
    hosts: Hosts = None,
    file: File = None,
    site: SiteFile = None,
    partition: PartitionName = None,
) -> None:
    """Show this machine, its theoretical peaks, and its BLAS and MPI libraries with their speeds."""
    if json and toml:
        raise BanzukeError("--json and --toml exclude each other", remedy="Give one of them")
    if file:
        if hosts:
            raise BanzukeError("--file and --hosts exclude each other", remedy="Name the hosts in the file")
        _described(published.read(file), json=json, toml=toml)
        return
    place = place_of(site, partition)
    busy = 0.0
    with looking(errors) as report:
        here = as_described(discover(measure=False, hosts=hosts.names if hosts else ()), place, errors)
        if measure:
            here = measured(here)
            probed, busy = examined.probe_libraries(here, here.software.blas, report)
            here = with_blas(here, probed)
            senders, also = examined.probe_mpi(here, messages.libraries(), report)
            here, busy = examined.with_mpi(here, senders), max(busy, also)
    tell_doubts(here, errors)
    if here.software.blas or here.software.mpi_libraries:
        for doubt in examined.doubts_of_order(busy):
            warn(doubt)
    if json:
        write_json(here.model_dump(mode="json"))
    elif toml:
        write_text(toml_of(here.site))
    else:
        out.print(terminal_table(table(here)))
        for explained in _choices(here) if measure else []:
            out.print(explained)


def _choices(machine: Machine) -> list[str]:
    """Return what the probes say about the machine's libraries."""
    software = machine.software
    return [
        blas.explain(software.blas),
        blas.explain_update(software.blas),
        *filter(None, [mpi.explain(software.mpi_libraries)]),
    ]


def _described(site: published.PublishedSite, *, json: bool, toml: bool) -> None:
    if json:
        write_json(site.model_dump(mode="json"))
    elif toml:
        write_text(toml_of(site))
    else:
        out.print(terminal_table(_table(site.name, site_groups(site))))
        for citation in (report.citation for report in site.reports.values()):
            out.say(f"Published in {citation}")


def table(machine: Machine) -> Table:
    """Return the specification as evaluation reports print it, with notes on what values mean or follow from."""
    return _table(machine.name, (*specification(machine), placements(machine)))


def _table(name: str, groups: Iterable[SpecificationGroup]) -> Table:
    say = words()
    rows: list[Row] = []
    for group in groups:
        rows.append(Row((Cell(say(group.title), wide=True), Cell(), Cell())))
        for line in group.rows:
            unknown = Cell(say(message("report-unknown")), tone="faint")
            value = unknown if line.value is None else Cell(say.fact(line.value))
            rows.append(Row((Cell(say.fact(line.name)), value, Cell(note_text(say, line)))))
    titles = ("", say(message("report-value")), say(message("report-note")))
    return Table(tuple(map(Column, titles)), tuple(rows), name)


def placements(machine: Machine) -> SpecificationGroup:
    """Return the names for --placement, with the processors that ranks get on a host."""
    hosts = machine.allotment.hosts
    rows = [row(message("report-hosts"), len(hosts) or 1, ", ".join(hosts[:MOST_HOSTS]))]
    for place in (*pair_placements(machine), *group_placements(machine)):
        cpus = [cpu for cpus in place.cpus[: place.per_node] for cpu in cpus]
        rows.append(row(place.name, message("report-machine-processors", names=format_cpus(cpus)), place.title))
    return SpecificationGroup(message("report-machine-placements"), tuple(rows))
