"""The table of accelerators that a job may use: attachment, links, and changed settings."""

from collections.abc import Iterator, Mapping, Sequence

from banzuke.cpu_lists import format_cpus
from banzuke.machine.allotment import Allotment, AllottedDevice
from banzuke.machine.site import NodeType
from banzuke.report.fact_table import SpecificationGroup, SpecificationRow, row
from banzuke.words import Fact, Listed, Message, Quantity, message

NEAREST_FIRST = ("nvlink", "xgmi", "switch", "bridge", "node", "system")


def accelerators(allotment: Allotment, node: NodeType) -> SpecificationGroup:
    """Return the table. Facts that all devices share have a row of their own; there are no rows without devices."""
    devices = allotment.devices
    facts = [tuple(_facts(device, devices, node)) for device in devices]
    shared = [fact for fact in facts[0] if all(fact in others for others in facts)] if len(facts) > 1 else []
    rows: list[SpecificationRow] = []
    if shared:
        rows.append(row(message("report-machine-every-device"), str(len(devices)), *shared))
    for number, (device, own) in enumerate(zip(devices, facts, strict=True)):
        apart = [fact for fact in own if fact not in shared]
        rows.append(row(message("report-machine-device", number=str(number)), device.identity, *apart))
    if allotment.devices_problem:
        rows.append(row(message("report-machine-unusable-devices"), allotment.devices_problem))
    return SpecificationGroup(message("report-machine-devices"), tuple(rows))


def _facts(device: AllottedDevice, among: Sequence[AllottedDevice], node: NodeType) -> Iterator[Fact]:
    kind = next((kind for kind in node.devices if kind.name == device.name), None)
    yield device.name
    if device.slice_of:
        yield message("report-machine-device-slice", device=device.slice_of)
    if device.bus:
        yield device.bus
    if device.numa_node is not None:
        yield message("report-machine-at-numa", number=str(device.numa_node))
    if device.adapter:
        yield message("report-machine-device-adapter", name=device.adapter)
    yield message("report-machine-area-free", size=Quantity(device.memory_available, "B"))
    yield from _link(device)
    if device.power_limit is not None:
        default = kind.power_default if kind else None
        lowered = default is not None and round(default) != round(device.power_limit)
        yield message(
            "report-machine-device-limit",
            limit=Quantity(device.power_limit, "W"),
            default=Quantity(default, "W") if default and lowered else "same",
        )
    if device.clock_set and kind and kind.maximum_hz and device.clock_set < kind.maximum_hz:
        yield message("report-machine-device-clock-set", clock=Quantity(device.clock_set, "Hz"))
    yield from _memory(device)
    if device.compute_mode == "exclusive":
        yield message("report-machine-device-exclusive")
    if device.persistent is False:
        yield message("report-machine-device-passing")
    yield from _ways(device, among)


def _link(device: AllottedDevice) -> Iterator[Message]:
    """Return the negotiated link, and the possible one where it is better."""
    generation, width = device.link_generation, device.link_width
    if generation and width:
        most = (device.link_generation_most or generation, device.link_width_most or width)
        yield message(
            "report-machine-device-link",
            generation=str(generation),
            width=str(width),
            best=str(most[0]),
            widest=str(most[1]),
            at="best" if (generation, width) == most else "narrower" if width < most[1] else "slower",
        )
    if device.link_generation_device and device.link_generation_device > (device.link_generation_most or 99):
        yield message("report-machine-device-newer-slot", generation=str(device.link_generation_device))


def _memory(device: AllottedDevice) -> Iterator[Message]:
    if device.ecc_corrected is not None or device.ecc_uncorrected is not None:
        yield message(
            "report-machine-device-errors",
            corrected=str(device.ecc_corrected or 0),
            uncorrected=str(device.ecc_uncorrected or 0),
        )
    if device.repair in ("pending", "failed"):
        yield message("report-machine-device-repair", state=device.repair)


def _ways(device: AllottedDevice, among: Sequence[AllottedDevice]) -> Iterator[Message]:
    """Return how the device reaches the job's other devices; its links are listed wherever they lead."""
    number = {other.identity: place for place, other in enumerate(among)}
    ends: dict[int, list[Fact]] = {}
    for end, links in device.links.items():
        name = str(number[end]) if end in number else end
        kind = "device" if end in number else end if end in ("switch", "processor", "unknown") else "other"
        ends.setdefault(links, []).append(message("report-machine-device-end", kind=kind, name=name))
    for links, names in ends.items():
        yield message(
            "report-machine-device-links",
            links=links,
            vendor=device.vendor,
            ends=Listed(tuple(names)),
            several=len(names),
        )
    others = [other.identity for other in among if other is not device]
    for way in NEAREST_FIRST:
        if reached := [other for other in others if device.paths.get(other) == way]:
            yield message("report-machine-device-way", way=way, others=_named(reached, others, number))
    for can in (True, False):
        if reached := [other for other in others if device.access.get(other) is can]:
            named = _named(reached, others, number)
            yield message("report-machine-device-access", can="yes" if can else "no", others=named)


def _named(some: Sequence[str], others: Sequence[str], number: Mapping[str, int]) -> str | Message:
    if len(some) == len(others) > 1:
        return message("report-machine-device-others")
    return format_cpus(sorted(number[identity] for identity in some))
