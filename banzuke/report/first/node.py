"""Draws a node from its description: devices, sockets with their cores, memories and the network."""

import math
from collections.abc import Mapping, Sequence

from banzuke.document import Panel
from banzuke.document.drawing import LARGE, SMALL, Pen, length
from banzuke.machine.allotment import Allotment
from banzuke.machine.site import CoreKind, Device, NodeType, Partition, Peaks, Processor
from banzuke.units import quantity
from banzuke.words import Derived, Quantity, message
from banzuke.words.language import Words

_MOST_PARTS = 16
"""Most sockets, memories or devices that are drawn individually."""
_MOST_CORES = 256
"""Most cores of a socket that are drawn individually."""
_DOTS = " · "
_LARGEST, _SMALLEST = 13.0, 3.0
"""Largest and smallest side of a core's square."""


def node_panel(
    partition: Partition,
    name: str,
    words: Words,
    width: float,
    allotment: Allotment | None = None,
    measured: float | None = None,
) -> Panel | None:
    """Draw a node; None: nothing is known about it.

    `allotment`: the one whose cores are filled; None: all are. `measured`: memory bandwidth, B/s.
    """
    pen, node = Pen(width), partition.node
    if node == NodeType():
        return None
    y = pen.text(0, 0, words(message("site-node-of", name=name)), width=width, size=LARGE, bold=True)
    if partition.title:
        y = pen.text(0, y, partition.title, width=width, size=SMALL, fill="soft")
    y += 6
    for device in devices_of(node):
        y = _devices(pen, y, device, width)
    for processor in node.processors:
        y = _processor(pen, y, processor, node, allotment, words, width)
    bandwidths = _bandwidths(node, measured, words)
    if node.processors and (bandwidths or node.memory.total or node.memory.kind):
        y = _link(pen, y, bandwidths, width)
    y = _memories(pen, y, node, words, width)
    for topic, fact in node.facts.items():
        y = pen.text(0, y, f"{topic.replace('_', ' ')}: {fact}", width=width, size=SMALL, fill="soft", most=3)
    for interface in node.interfaces[:_MOST_PARTS]:
        rate = quantity(interface.bits_per_second, "bit/s") if interface.bits_per_second else ""
        y = _link(pen, y, _DOTS.join(filter(None, (interface.name, interface.kind, rate))), width)
    return pen.panel(y + 4)


def devices_of(node: NodeType) -> Sequence[Device]:
    """Return the devices with equal ones merged, because detection lists each one separately."""
    counts: dict[str, int] = {}
    alike: dict[str, Device] = {}
    for device in node.devices:
        key = device.having(count=1).model_dump_json()
        alike.setdefault(key, device)
        counts[key] = counts.get(key, 0) + device.count
    return [device.having(count=counts[key]) for key, device in alike.items()]


def _devices(pen: Pen, y: float, device: Device, width: float) -> float:
    """Draw devices in a row above the link to the processors, joined where they have links of their own."""
    shown = min(device.count, _MOST_PARTS)
    y = pen.text(0, y, f"{device.count} × {device.name}", width=width, bold=True)
    memory = quantity(device.memory, "B") if device.memory else ""
    places = _row(shown, width)
    fits = length(memory, SMALL) < places[0][1] - 4
    about = [*([] if fits else [memory]), *_rates(device.peaks)]
    y = pen.text(0, y, _DOTS.join(about), width=width, size=SMALL, fill="soft") + 4
    if device.peer_link and shown > 1:
        pen.line(places[0][0], y + 12, sum(places[-1]), y + 12, "c2", thick=3)
    for x, wide in places:
        pen.box(x, y, wide, 24, "wash", "c2")
        if fits:
            pen.text(x + wide / 2, y + 4, memory, width=wide, size=SMALL, anchor="middle", most=1)
    y += 24
    if device.peer_link:
        y = pen.text(0, y + 1, device.peer_link, width=width, size=SMALL, fill="c2")
    return _link(pen, y, device.host_link or "", width)


def _processor(
    pen: Pen, y: float, processor: Processor, node: NodeType, allotment: Allotment | None, words: Words, width: float
) -> float:
    sockets = processor.sockets or 1
    model = processor.model or processor.architecture or words(message("site-processor-unknown"))
    numbered = processor.sockets and not (processor.kinds and sockets == 1)  # else the model may begin with a number
    y = pen.text(0, y, f"{sockets} × {model}" if numbered else model, width=width, bold=True)
    about = [
        words(message("site-cores", cores=processor.cores)) if processor.cores else "",
        quantity(processor.nominal_hz, "Hz") if processor.nominal_hz else "",
        *_rates(processor.peaks),
    ]
    y = pen.text(0, y, _DOTS.join(filter(None, about)), width=width, size=SMALL, fill="soft")
    caches = _caches(node) if processor is node.processor else ""
    y = pen.text(0, y, caches, width=width, size=SMALL, fill="soft") + 4
    per_socket = (processor.cores or 0) // sockets
    allotment = allotment if processor is node.processor else None
    if processor.kinds and all(kind.cores for kind in processor.kinds.values()):
        y = _kinds(pen, y, processor.kinds, allotment, words, width)
        return _notes(pen, y, processor, allotment, words, width)
    used = _used(per_socket, sockets, allotment)
    in_row = sockets if sockets <= 4 else math.ceil(sockets / math.ceil(sockets / 8))
    for start in range(0, len(used), in_row):
        places = _row(min(in_row, len(used) - start), width, in_row)
        heights = [_socket(pen, x, y, wide, per_socket, used[start + at]) for at, (x, wide) in enumerate(places)]
        y += max(heights) + 4
    return _notes(pen, y, processor, allotment, words, width)


def _notes(pen: Pen, y: float, processor: Processor, allotment: Allotment | None, words: Words, width: float) -> float:
    notes = []
    if processor.assistant_cores:
        notes.append(words(message("site-assistant-cores", cores=processor.assistant_cores)))
    cores = (processor.cores or 0) // (processor.sockets or 1) * (processor.sockets or 1)
    usable = min(allotment.allowed_cores, cores) if allotment else cores
    if processor.cores and usable < cores:
        notes.append(words(message("site-usable-cores", usable=usable, cores=processor.cores)))
    return pen.text(0, y - 2, _DOTS.join(notes), width=width, size=SMALL, fill="soft") + 2 if notes else y


def _kinds(
    pen: Pen,
    y: float,
    kinds: Mapping[str, CoreKind],
    allotment: Allotment | None,
    words: Words,
    width: float,
) -> float:
    """Draw a box for each kind of core, with its properties above."""
    for name, kind in kinds.items():
        cores = kind.cores or 0
        clocks = (kind.nominal_hz, kind.maximum_hz)
        nominal, maximum = (hz if hz and f"{hz / 1e9:g} GHz" not in name else None for hz in clocks)
        about = [
            words(message("site-cores-of-kind", cores=cores, kind=Derived(name))),
            quantity(nominal, "Hz") if nominal else "",
            words(message("report-machine-kind-maximum", clock=Quantity(maximum, "Hz"))) if maximum else "",
            *_rates(kind.peaks),
        ]
        y = pen.text(0, y, _DOTS.join(filter(None, about)), width=width, size=SMALL, fill="soft") + 2
        mine = len(set(allotment.one_per_core) & set(kind.cpus)) if allotment and kind.cpus else cores
        y += _socket(pen, 0.5, y, width - 1, cores, mine) + 4
    return y


def _used(per_socket: int, sockets: int, allotment: Allotment | None) -> Sequence[int]:
    """Return the cores of each drawn socket that the job had; the limit is for descriptions that claim billions."""
    shown = min(sockets, _MOST_PARTS)
    if allotment is None:
        return [per_socket] * shown
    first = set(allotment.one_per_core)
    packages = allotment.packages[:shown] if len(allotment.packages) == sockets else []
    counts = [len(first & set(package)) for package in packages]
    spread = [min(per_socket, max(0, allotment.allowed_cores - per_socket * at)) for at in range(shown)]
    return counts or spread


def _socket(pen: Pen, x: float, y: float, width: float, cores: int, used: int) -> float:
    """Draw a socket as a box of squares; return its height."""
    if not 0 < cores <= _MOST_CORES:
        pen.box(x, y, width, 22, "wash", "c1")
        return 22.0
    room = width - 10
    side = next(
        (side for side in _sides() if cores <= (room // (side + 2)) * max(2.0, (room / 3) // (side + 2))), _SMALLEST
    )
    rows = math.ceil(cores / max(1, room // (side + 2)))
    in_row = math.ceil(cores / rows)
    height, left = rows * (side + 2) + 8, x + (width - in_row * (side + 2) + 2) / 2
    pen.box(x, y, width, height, "wash", "c1")
    for core in range(cores):
        row, column = divmod(core, in_row)
        place = left + column * (side + 2), y + 5 + row * (side + 2)
        pen.box(*place, side, side, "c1" if core < used else "", "c1", radius=1)
    return height


def _sides() -> Sequence[float]:
    return [_LARGEST - step for step in range(int(_LARGEST - _SMALLEST) + 1)]


def _memories(pen: Pen, y: float, node: NodeType, words: Words, width: float) -> float:
    """Draw the memories, one for each NUMA node where these are known."""
    memory = node.memory
    several = [domain for domain in node.numa if domain.bytes is not None]
    total = quantity(memory.total, "B") if memory.total else ""
    if not (several or total or memory.kind):
        return y
    if len(several) > 1:
        y = pen.text(0, y, words(message("site-numa", nodes=len(several))), width=width, size=SMALL, fill="soft") + 2
        shown = several[:_MOST_PARTS]
        in_row = min(len(shown), 4)
        for start in range(0, len(shown), in_row):
            for (x, wide), domain in zip(_row(in_row, width), shown[start : start + in_row], strict=False):
                pen.box(x, y, wide, 22, "band", "rule")
                pen.text(
                    x + wide / 2, y + 3, quantity(domain.bytes, "B"), width=wide, size=SMALL, anchor="middle", most=1
                )
            y += 26
    else:
        pen.box(0.5, y, width - 1, 22, "band", "rule")
        pen.text(width / 2, y + 3, total, width=width, anchor="middle", most=1)
        y += 26
    about = _DOTS.join(filter(None, (total if len(several) > 1 else "", memory.kind)))
    return pen.text(0, y - 2, about, width=width, size=SMALL, fill="soft") + 2 if about else y


def _link(pen: Pen, y: float, label: str, width: float) -> float:
    """Draw a line downwards with a label beside it."""
    end = max(y + 16, pen.text(22, y + 1, label, width=width - 22, size=SMALL, fill="soft") + 2)
    pen.line(10, y + 1, 10, end, thick=2)
    return end + 2


def _bandwidths(node: NodeType, measured: float | None, words: Words) -> str:
    peaks = (node.peaks, node.processor.peaks)
    peak = (
        next((resources["memory.bytes"].value for resources in peaks if "memory.bytes" in resources), None)
        or node.memory.peak_bandwidth
    )
    said = [words(message("site-peak", rate=quantity(peak, "B/s", 4)))] if peak else []
    said += [words(message("site-measured", rate=quantity(measured, "B/s")))] if measured else []
    return _DOTS.join(said)


def _rates(peaks: Peaks) -> Sequence[str]:
    """Return the two peaks that every machine has as texts: flop rate and memory bandwidth."""
    shown = [peaks[name] for name in ("flops.fp64", "memory.bytes") if name in peaks]
    return [quantity(peak.value, peak.unit) for peak in shown if peak.value is not None]


def _caches(node: NodeType) -> str:
    kinds = [cache for cache in node.caches if cache.kind != "instruction"]
    return _DOTS.join(
        f"L{cache.level} {cache.instances} × {quantity(cache.bytes, 'B')}"
        if cache.instances > 1
        else f"L{cache.level} {quantity(cache.bytes, 'B')}"
        for cache in sorted(kinds, key=lambda cache: cache.level)
    )


def _row(count: int, width: float, room: int | None = None) -> Sequence[tuple[float, float]]:
    """Return left edges and widths of boxes in a row, which may have `room` for more."""
    gap = 6.0
    wide = (width - 1 - gap * ((room or count) - 1)) / (room or count)
    return [(0.5 + at * (wide + gap), wide) for at in range(count)]
