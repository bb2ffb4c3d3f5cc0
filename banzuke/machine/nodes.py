"""Reads figures that others measured on small machines, nodes and devices: one per line of `machines/nodes.csv`.

They serve only to rank a figure among: nothing is predicted from them, and they are on no public list. `COLUMNS`
describes the columns. A value is unknown where its cell is empty.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine.public import known_machines
from banzuke.machine.published import PublishedFigure, PublishedMachine, PublishedReport, PublishedSite
from banzuke.machine.site import NodeType, Partition, Processor
from banzuke.machine.tables import read_table
from banzuke.text import slug

FILE = "nodes.csv"
COLUMNS: Mapping[str, str] = {
    "name": "name of the machine in its source, or of its processors",
    "nodes": "number of nodes that were measured; empty: the figure is of devices alone",
    "processor": "processors of a node, or the device",
    "cores": "number of cores of a node",
    "devices": "number of devices that the figure is of; empty: it is of processors",
    "benchmark": "benchmark that gave the figure",
    "metric": "name of the benchmark's metric",
    "value": "the figure in its unit",
    "unit": "unit of the value",
    "power": "power of all nodes during the measurement, in W",
    "note": "what else the reader must know",
    "source": "repository and file that the figure is from",
}


def ranked_machines() -> list[PublishedMachine]:
    """Return all machines that a figure is ranked among: those of reports, of public lists and of `nodes.csv`."""
    return [*known_machines(), *measured_nodes()]


@cache
def measured_nodes(file: Path | None = None) -> tuple[PublishedMachine, ...]:
    """Return a machine for each line, in the file's order. Raises BanzukeError."""
    path = file or paths.MACHINES / FILE
    rows = read_table(path)
    if unknown := set(rows.fieldnames or ()) ^ set(COLUMNS):
        raise BanzukeError(f"{path}: columns {', '.join(sorted(unknown))} are missing or unknown")
    machines = []
    for line, row in enumerate(rows, 3):
        try:
            machines.append(_machine(row, line))
        except (ValidationError, ValueError) as error:
            raise BanzukeError(f"{path}, line {line}", why=str(error)) from error
    return tuple(machines)


def _machine(row: Mapping[str, str], line: int) -> PublishedMachine:
    origin, _, where = row["source"].partition(":")
    devices = _whole(row["devices"])
    figure = PublishedFigure(
        benchmark=row["benchmark"],
        metric=row["metric"],
        value=float(row["value"]),
        unit=row["unit"],
        as_printed=row["value"],
        nodes=_whole(row["nodes"]),
        devices=devices,
        part=row["processor"] or row["name"] if devices else None,
        power=float(row["power"]) if row["power"] else None,
        kind="measured",
        report="source",
        where=where or origin,
        note=row["note"],
    )
    node = NodeType(processors=[] if devices else [Processor(model=row["processor"], cores=_whole(row["cores"]))])
    site = PublishedSite(
        name=row["name"],
        partitions={"nodes": Partition(node=node, nodes=figure.nodes)},
        reports={"source": PublishedReport(authors=[origin], title=row["name"], published=row["source"])},
        figure=[figure],
    )
    return PublishedMachine(f"{slug(row['name'])}-{line}", row["name"], site, site.partitions["nodes"], (figure,))


def _whole(text: str) -> int | None:
    return int(text) if text else None
