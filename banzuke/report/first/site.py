"""Draws a site from its description: its partitions, the storage that they reach, and a node of each."""

from collections.abc import Mapping, Sequence
from itertools import islice

from banzuke.document import Drawing, Panel
from banzuke.document.drawing import LARGE, SMALL, Pen
from banzuke.machine.allotment import Allotment
from banzuke.machine.site import Partition, Site
from banzuke.report.first.node import devices_of, node_panel
from banzuke.report.model import Evaluation
from banzuke.units import quantity
from banzuke.words import Listed, Message, Quantity, message
from banzuke.words.language import Words

WIDTH = 330.0
"""Width of a panel, which fits a telephone unscaled."""
_MOST_LANES = 4
_STEP = 9.0
_MOST_PARTS = 24
"""Most partitions, areas or links that are drawn."""


def machine_drawing(evaluation: Evaluation, words: Words, prefix: str = "") -> Drawing:
    """Draw the site of an evaluation, with the job's part and the measured memory bandwidth."""
    machine = evaluation.machine
    measured: dict[str, float] = {}
    for ceiling in evaluation.ceilings:
        if ceiling.resource.name == "memory.bytes" and ceiling.kind == "measured" and not ceiling.devices:
            key = ceiling.partition or machine.allotment.partition
            measured[key] = max(ceiling.value, measured.get(key, 0.0))
    return site_drawing(machine.site, words, allotments=machine.allotments, measured=measured, prefix=prefix)


def site_drawing(
    site: Site,
    words: Words,
    *,
    allotments: Sequence[Allotment] = (),
    measured: Mapping[str, float] | None = None,
    prefix: str = "",
) -> Drawing:
    """Draw the whole site, then a node of each partition.

    `allotments`: the job's part of partitions, whose cores are filled. `measured`: memory bandwidth of a node in B/s,
    by partition.
    """
    allotted = {allotment.partition: allotment for allotment in allotments}
    shown = list(islice(site.partitions.items(), _MOST_PARTS))
    nodes = [
        node_panel(partition, _name(site, key), words, WIDTH, allotted.get(key), (measured or {}).get(key))
        for key, partition in shown
    ]
    return Drawing(
        f"{prefix}site",
        words(message("site-title", name=site.name)),
        words.sentences(_said(site, key, partition) for key, partition in shown),
        (_whole(site, words), *filter(None, nodes)),
    )


def _name(site: Site, key: str) -> str:
    return site.partitions[key].name or (site.name if len(site.partitions) == 1 else key)


def _said(site: Site, key: str, partition: Partition) -> Message:
    node = partition.node
    return message(
        "site-partition-said",
        name=_name(site, key),
        nodes=partition.number or message("site-number-unknown"),
        processors=Listed(tuple(processor.model or processor.architecture or "–" for processor in node.processors))
        if node.processors
        else message("site-number-unknown"),
        cores=sum(processor.cores or 0 for processor in node.processors) or message("site-number-unknown"),
        memory=message("site-number-unknown") if node.memory.total is None else Quantity(node.memory.total, "B"),
        devices=Listed(tuple(f"{device.count} × {device.name}" for device in devices_of(node))),
        accelerated="yes" if node.devices else "no",
        areas=Listed(tuple(_area_name(site, name) for name in partition.mounts)),
        mounts="yes" if partition.mounts else "no",
    )


def _whole(site: Site, words: Words) -> Panel:
    """Draw partitions above and storage below; lanes on the left lead from partitions to their storage."""
    pen = Pen(WIDTH)
    y = pen.text(0, 0, site.name, width=WIDTH, size=LARGE, bold=True)
    for line in filter(None, (site.title, site.institution)):
        y = pen.text(0, y, line, width=WIDTH, size=SMALL, fill="soft")
    reached = {name for partition in site.partitions.values() for name in partition.mounts}
    areas = dict(islice(sorted(site.areas.items(), key=lambda item: item[0] not in reached), _MOST_PARTS))
    lanes = {name: place for place, name in enumerate(name for name in list(areas)[:_MOST_LANES] if name in reached)}
    left = _STEP * (len(lanes) + 1) if lanes else 0.0
    y += 6
    middles: dict[str, float] = {}
    for key, partition in islice(site.partitions.items(), _MOST_PARTS):
        top, y = y, _partition(pen, left, y, partition, _name(site, key), words)
        middles[key] = (top + y) / 2
        y += 8
    y += 6
    for key, area in areas.items():
        amounts = [
            quantity(area.capacity, "B") if area.capacity else "",
            quantity(area.bandwidth, "B/s") if area.bandwidth else "",
        ]
        about = " · ".join(filter(None, [area.title or area.kind, *amounts]))
        top, y = y, _box(pen, left, y, area.name or key, [about], "c3")
        middles[key] = (top + y) / 2
        y += 6
    for name, place in lanes.items():
        _lane(pen, left, middles, name, [key for key, p in site.partitions.items() if name in p.mounts], place)
    return pen.panel(_links(pen, site, y, words) + 4)


def _partition(pen: Pen, left: float, y: float, partition: Partition, name: str, words: Words) -> float:
    nodes, flops = partition.number, partition.total("flops.fp64")
    size = [words(message("site-nodes", nodes=nodes)) if nodes else "", quantity(flops, "flop/s") if flops else ""]
    lines = [" · ".join(filter(None, size)), partition.interconnect or "", partition.topology or ""]
    return _box(pen, left, y, name, lines, "c1")


def _box(pen: Pen, left: float, y: float, name: str, lines: Sequence[str], colour: str) -> float:
    """Draw a name and lines about it in a box; return the end of the box."""
    inner, at = WIDTH - left - 16, len(pen.marks)
    end = pen.text(left + 8, y + 3, name, width=inner, bold=True)
    for line in filter(None, lines):
        end = pen.text(left + 8, end, line, width=inner, size=SMALL, fill="soft", most=3)
    end += 5
    text, pen.marks[at:] = pen.marks[at:], []
    pen.box(left, y, WIDTH - left - 1, end - y, "wash", colour)
    pen.marks += text
    return end


def _lane(pen: Pen, left: float, middles: Mapping[str, float], area: str, from_: Sequence[str], place: int) -> None:
    x, colour = _STEP * (place + 0.5), ("c3", "c4", "c5", "c8")[place]
    ends = [middles[key] + 3.0 * place for key in (*from_, area) if key in middles]
    pen.line(x, min(ends), x, max(ends), colour)
    for end in ends:
        pen.line(x, end, left, end, colour)
        pen.dot(x, end, colour)


def _links(pen: Pen, site: Site, y: float, words: Words) -> float:
    for link in islice(site.links, _MOST_PARTS):
        rate = quantity(link.bits_per_second, "bit/s") if link.bits_per_second else ""
        names = [
            site.partitions[name].name or name if name in site.partitions else _area_name(site, name)
            for name in link.between
        ]
        y = pen.text(0, y + 4, " – ".join(names), width=WIDTH, size=SMALL, bold=True, most=3)
        y = pen.text(0, y, " · ".join(filter(None, (rate, link.kind))), width=WIDTH, size=SMALL, fill="soft")
    more = sum(max(0, len(parts) - _MOST_PARTS) for parts in (site.partitions, site.areas, site.links))
    return pen.text(0, y + 4, words(message("site-more", more=more)), width=WIDTH, fill="soft") if more else y


def _area_name(site: Site, name: str) -> str:
    return (site.areas[name].name if name in site.areas else None) or name
