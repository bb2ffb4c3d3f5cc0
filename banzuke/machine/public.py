"""Machines of public lists, one a line of `machines/public.csv`, as descriptions like those that people write.

`COLUMNS` explains the columns that describe a machine; a benchmark that a list ranks machines by declares those of its
figures, in the `public.toml` of its folder. An empty column is unknown. Corrections from public specifications, and
doubts, are noted with the machine.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field

from banzuke import paths
from banzuke.amounts import Frozen, amount
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Network
from banzuke.machine.published import (
    Parameter,
    PublishedFigure,
    PublishedMachine,
    PublishedReport,
    PublishedSite,
    load,
)
from banzuke.machine.site import Device, Memory, NodeType, Partition, Peak, Processor, Source
from banzuke.machine.tables import read_table

FILE, SMALL_FILE = "public.csv", "small.csv"
DECLARATION = "public.toml"
POSTED = "posted"
"""The report that figures of no list cite."""
COLUMNS: Mapping[str, str] = {
    "id": "to name it by",
    "name": "as people write it",
    "site": "where it stands or stood",
    "edition": "of the TOP500 list that its figure is of",
    "rank": "in that edition",
    "nodes": "that the figure was measured on",
    "processor": "as the list names it",
    "sockets": "of a node",
    "cores": "of a node's processors",
    "hz": "Hz, the nominal clock",
    "vector_hz": "Hz, the base clock of all cores under the widest vectors, by the processor's specification",
    "flops": "flop/s in FP64 of a node's processors, at the nominal clock",
    "memory": "B of a node's processors, fast memory included",
    "memory_bw": "B/s of it, without the fast memory",
    "fast_memory": "B of that which is HBM or MCDRAM",
    "fast_memory_bw": "B/s of the fast memory",
    "devices": "of a node",
    "device": "one device's name",
    "device_vendor": "whose it is",
    "device_flops": "flop/s in FP64 of one device's vector units",
    "device_matrix_flops": "flop/s in FP64 of one device's matrix units",
    "device_memory": "B of one device",
    "device_bw": "B/s of one device's memory",
    "host_link": "B/s one way between one device and the processors",
    "interconnect": "as the list names it",
    "link": "B/s one way of one link",
    "links": "of a node",
    "topology": "of the interconnect",
    "power": "W under HPL, of the whole machine; a node's share stands for what its supplies give",
    "corrected": "what is not as the lists print it, and why",
    "uncertain": "what may be wrong",
    "source": "where the figures and the description come from",
}


class ListFigures(Frozen):
    """A benchmark's figures in lists of machines; texts are names of columns, and an empty one means that none is."""

    report: str
    """The report that its figures cite."""
    list: PublishedReport
    columns: dict[str, str]
    """Explains its own columns."""
    value: str
    """flop/s."""
    edition: str
    """Edition of the list; a figure without one was posted by somebody."""
    rank: str = ""
    nodes: str = ""
    """Nodes that it was measured on, where these are not all."""
    power: str = ""
    parameters: dict[str, str] = Field(default_factory=dict)
    """Column by parameter."""


@cache
def list_figures() -> Mapping[str, ListFigures]:
    """Return what the benchmarks declare in their folders, by benchmark."""
    files = sorted(paths.BENCHMARKS.glob(f"*/{DECLARATION}"))
    return {file.parent.name: ListFigures(**tomllib.loads(file.read_text(encoding="utf-8"))) for file in files}


@cache
def _reports() -> Mapping[str, PublishedReport]:
    posted = PublishedReport(
        authors=["those who posted them"], title="Figures of small machines", published="see each machine's source"
    )
    return {**{declared.report: declared.list for declared in list_figures().values()}, POSTED: posted}


@cache
def public_machines(file: Path | None = None) -> tuple[PublishedMachine, ...]:
    """Return all machines of the file, in its order: by year. Raises BanzukeError."""
    path = file or paths.MACHINES / FILE
    rows = read_table(path)
    columns = {*COLUMNS, *(name for declared in list_figures().values() for name in declared.columns)}
    if unknown := set(rows.fieldnames or ()) ^ columns:
        raise BanzukeError(f"{path}: columns {', '.join(sorted(unknown))} are missing or unknown")
    return tuple(_machine(row, path, number) for number, row in enumerate(rows, 3))


def public_ids() -> list[str]:
    """Return the names of the machines of public lists, without reading what the table says of them."""
    return [row["id"] for row in read_table(paths.MACHINES / FILE)]


def small_machines() -> tuple[PublishedMachine, ...]:
    """Return the boards, laptops, desktops and workstations whose figures people posted."""
    return public_machines(paths.MACHINES / SMALL_FILE)


def known_machines() -> list[PublishedMachine]:
    """Return the machines of reports and of public lists; one that is in both appears twice."""
    return [*load(), *public_machines()]


def _machine(row: Mapping[str, str], path: Path, line: int) -> PublishedMachine:
    try:
        site = _site(row)
    except (ValueError, KeyError) as error:
        raise BanzukeError(f"{path}, line {line}: {error}") from error
    return PublishedMachine(row["id"], site.name, site, next(iter(site.partitions.values())), tuple(site.figure))


def _site(row: Mapping[str, str]) -> PublishedSite:
    notes = [text for text in (row["corrected"], row["uncertain"]) if text]
    return PublishedSite(
        name=row["name"],
        institution=row["site"],
        note="; ".join(notes),
        sources={"partitions": Source(how="printed", where=row["source"])},
        partitions={"nodes": _partition(row)},
        reports=dict(_reports()),
        figure=_figures(row),
    )


def _partition(row: Mapping[str, str]) -> Partition:
    processor = Processor(
        model=row["processor"],
        sockets=_whole(row["sockets"]),
        cores=_whole(row["cores"]),
        nominal_hz=_number(row["hz"]),
        vector_hz=_number(row["vector_hz"]),
        peaks=_peaks(row, flops="flops"),
    )
    node = NodeType(
        processors=[processor],
        memory=Memory(
            total=_whole(row["memory"]),
            fast=_whole(row["fast_memory"]),
            fast_bandwidth=_number(row["fast_memory_bw"]),
        ),
        devices=_devices(row),
        peaks=_peaks(row, memory="memory_bw"),
        power=amount(float(row["power"]) / float(row["nodes"])) if row["power"] else None,
    )
    network = Network(
        links=_whole(row["links"]) or 1,
        bandwidth=_number(row["link"]),
        topology=row["topology"] or None,  # type: ignore[arg-type]
    )
    return Partition(node=node, nodes=_whole(row["nodes"]), interconnect=row["interconnect"], network=network)


def _devices(row: Mapping[str, str]) -> list[Device]:
    if not row["device"]:
        return []
    return [
        Device(
            name=row["device"],
            vendor=row["device_vendor"] or None,
            count=_whole(row["devices"]) or 1,
            memory=_whole(row["device_memory"]),
            host_bandwidth=_number(row["host_link"]),
            peaks=_peaks(row, flops="device_flops", matrix="device_matrix_flops", memory="device_bw"),
        )
    ]


def _peaks(row: Mapping[str, str], *, flops: str = "", matrix: str = "", memory: str = "") -> dict[str, Peak]:
    columns = {
        "flops.fp64": (flops, "flop/s"),
        "flops.fp64_matrix": (matrix, "flop/s"),
        "memory.bytes": (memory, "B/s"),
    }
    return {
        name: Peak(value=amount(float(row[column])), unit=unit)
        for name, (column, unit) in columns.items()
        if column and row[column]
    }


def _figures(row: Mapping[str, str]) -> list[PublishedFigure]:
    """Return the figures of a line in the order of their columns."""
    by_column = {own.value: (benchmark, own) for benchmark, own in list_figures().items()}
    return [_figure(*by_column[column], row) for column, text in row.items() if text and column in by_column]


def _figure(benchmark: str, own: ListFigures, row: Mapping[str, str]) -> PublishedFigure:
    edition = row[own.edition]
    where = edition or row["source"]
    if edition and own.rank:
        where = f"{edition}, rank {row[own.rank]}"
    parameters: dict[str, Parameter] = {"list": where}
    parameters |= {name: int(row[column]) for name, column in own.parameters.items() if row[column]}
    return PublishedFigure(
        benchmark=benchmark,
        metric="flop_rate",
        value=float(row[own.value]),
        unit="flop/s",
        as_printed=row[own.value],
        nodes=_whole((own.nodes and row[own.nodes]) or row["nodes"]),
        power=_number(row[own.power]) if own.power else None,
        kind="measured",
        report=own.report if edition else POSTED,
        where=where,
        parameters=parameters,
    )


def _number(text: str) -> float | None:
    return float(text) if text else None


def _whole(text: str) -> int | None:
    return int(float(text)) if text else None
