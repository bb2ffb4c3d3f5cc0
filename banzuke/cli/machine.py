"""`banzuke machine`: what this machine is and what it could do at best."""

from typing import Annotated, Any

import tomli_w
import typer
from rich.table import Table
from rich.text import Text

from banzuke.cli.console import out, write_json, write_text
from banzuke.cli.options import HOW, OUTPUT, Hosts, Json
from banzuke.cli.progress import looking
from banzuke.errors import BanzukeError
from banzuke.machine import blas
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.machine.tree import format_cpus
from banzuke.plan.placement import group_placements, pair_placements
from banzuke.report.content import SpecificationTable
from banzuke.report.specification import row, specification

Toml = Annotated[bool, typer.Option("--toml", help="Print TOML, without unknown values.", rich_help_panel=OUTPUT)]
Measure = Annotated[
    bool,
    typer.Option(
        "--measure/--no-measure",
        help="Measure clocks, FMA units and BLAS libraries, which takes some seconds.",
        rich_help_panel=HOW,
    ),
]

MOST_HOSTS = 8
"""Named; of all, the number is printed."""


def machine(json: Json = False, toml: Toml = False, measure: Measure = True, hosts: Hosts = None) -> None:
    """Find out what this machine is, what it could do at best, and which BLAS library serves it."""
    if json and toml:
        raise BanzukeError("--json and --toml exclude each other", remedy="Give one of them")
    with looking() as report:
        found = discover(measure=measure, hosts=hosts.names if hosts else ())
        if measure:
            probed = blas.probe(found.software.blas, found.allotment.one_per_core, report=report)
            found = found.changed(partition={"software": found.software.model_copy(update={"blas": probed})})
    if json:
        write_json(found.model_dump(mode="json"))
    elif toml:
        write_text(tomli_w.dumps(without_none(found.model_dump(mode="json"))))
    else:
        out.print(table(found))
        if measure:
            out.print(blas.explain(found.software.blas))
            out.print(blas.explain_update(found.software.blas))


def without_none(value: Any) -> Any:
    """The same value for TOML, which has no null: keys and items that are None left out."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value if item is not None]
    return value


def table(found: Machine) -> Table:
    """The specification as evaluation reports print it, with what each value means or follows from."""
    shown = Table(title=found.name, title_justify="left")
    for name in ("", "Value", "Note"):
        shown.add_column(name, overflow="fold")
    for group in (*specification(found), placements(found)):
        shown.add_section()
        shown.add_row(Text(group.title, style="bold"))
        for each in group.rows:
            shown.add_row(each.name, Text(each.value, style="" if each.known else "dim"), each.note)
    return shown


def placements(found: Machine) -> SpecificationTable:
    """Names for --placement, with the processors that ranks get on a host."""
    rows = [row("Hosts", len(found.allotment.hosts) or 1, ", ".join(found.allotment.hosts[:MOST_HOSTS]))]
    for place in (*pair_placements(found), *group_placements(found)):
        cpus = [cpu for cpus in place.cpus[: place.per_node] for cpu in cpus]
        rows.append(
            row(place.name, f"{'processors' if len(cpus) > 1 else 'processor'} {format_cpus(cpus)}", place.title)
        )
    return SpecificationTable(title="Placements of ranks", rows=rows)
