"""The accelerators that a job may use, and their kinds in a node, as `banzuke-probe devices` finds them."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.device_links import host_link, peer_link
from banzuke.machine.device_peaks import device_peaks, multiprocessors, partitioned_peaks
from banzuke.machine.devices import gpus
from banzuke.machine.site import Device, Peak, Peaks
from banzuke.machine.tree import Tree
from banzuke.units import count

VISIBLE = {"NVIDIA": ("CUDA_VISIBLE_DEVICES",), "AMD": ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")}
"""Variables that restrict a vendor's programs to some devices."""
ELSEWHERE = {"switch": "switch", "processor": "processor"}
"""Ends of links that are not devices of this host."""


@dataclass(frozen=True)
class Accelerators:
    kinds: list[Device] = field(default_factory=list)
    """Kinds of devices in the node, with their numbers."""
    allotted: list[AllottedDevice] = field(default_factory=list)
    problem: str | None = None
    """Why some devices that are present cannot be used."""


@dataclass(frozen=True)
class _Unit:
    """A device or a slice: its kind, and its identity."""

    kind: Device
    allotted: AllottedDevice | None


def accelerators(tree: Tree, environ: Mapping[str, str] = os.environ) -> Accelerators:
    """Return the accelerators. Never raises: if the probe has no answer, the kinds come from the kernel's files."""
    try:
        answer = probe.devices(str(tree.root))
    except BanzukeError as error:
        return Accelerators(gpus(tree), problem=str(error))
    if not tree.is_this_machine or not answer.devices:
        kinds = gpus(tree)
        return Accelerators(kinds, problem=answer.problem or (answer.absent if kinds else None))
    return from_probe(answer, environ)


def from_probe(answer: probe.FoundDevices, environ: Mapping[str, str] = MappingProxyType({})) -> Accelerators:
    """Return the accelerators in a probe's answer, of this or another machine, as far as the variables allow.
    Never raises.
    """
    by_device = [_units(device, answer) for device in answer.devices]
    problems = [said for device in answer.devices if (said := _problem(device))]
    allotted: list[AllottedDevice] = []
    for vendor in dict.fromkeys(device.vendor for device in answer.devices):
        own = [
            [device for unit in units if (device := unit.allotted) and device.vendor == vendor] for units in by_device
        ]
        try:
            allotted += _visible(own, vendor, environ)
        except BanzukeError as error:
            problems.append(str(error))
    kinds = [unit.kind for units in by_device for unit in units]
    return Accelerators(_counted(kinds), allotted, "; ".join(problems) or None)


def _problem(device: probe.FoundDevice) -> str | None:
    why = device.problem
    if not why and device.compute_mode == "prohibited":
        why = "its compute mode is prohibited, so no program may use it (nvidia-smi -c 0 as root allows it)"
    if not why and device.sliced and not device.slices:
        why = "MIG is on, but it has no slices that a program could use (nvidia-smi mig -cgi makes some as root)"
    return f"device {device.number}: {why}" if why else None


def _units(device: probe.FoundDevice, answer: probe.FoundDevices) -> list[_Unit]:
    """Return the device, or its slices where it is divided into any."""
    kind = _kind(device, answer)
    if _problem(device) or not device.identity or kind.memory is None:
        return [_Unit(kind, None)]
    allotted = AllottedDevice.of_known(
        identity=device.identity,
        name=kind.name,
        vendor=device.vendor,
        bus=device.bus,
        memory=kind.memory,
        memory_available=kind.memory if device.memory_free is None else int(device.memory_free),
        numa_node=device.numa_node,
        adapter=device.adapter,
        link_generation=device.link_generation_now,
        link_width=device.link_width_now,
        link_generation_most=device.link_generation_max,
        link_generation_device=device.link_generation_device,
        link_width_most=device.link_width_max,
        power_limit=device.power_limit,
        compute_mode=device.compute_mode,
        clock_set=device.clock_set,
        ecc_corrected=_whole(device.ecc_corrected),
        ecc_uncorrected=_whole(device.ecc_uncorrected),
        repair=device.repair,
        persistent=device.persistent,
        paths=_to_others(device, answer, device.paths),
        access={other: said == "yes" for other, said in _to_others(device, answer, device.access).items()},
        links=_ends(device, answer),
    )
    if not device.sliced:
        return [_Unit(kind, allotted)]
    return [_slice(kind, allotted, part) for part in device.slices]


def _kind(device: probe.FoundDevice, answer: probe.FoundDevices) -> Device:
    name = device.name or f"{device.vendor} device"
    driver, toolkit = (answer.driver, answer.cuda) if device.vendor == "NVIDIA" else (None, None)
    if device.problem:
        return Device(name=name, vendor=device.vendor, driver=driver, toolkit=toolkit)
    number = device.multiprocessors or multiprocessors(device.capability, device.cores)
    peaks = device_peaks(
        vendor=device.vendor,
        capability=device.capability,
        number=number,
        clock=device.clock_max,
        memory_bits=device.memory_bits,
        memory_clock=device.memory_clock_max,
    )
    host, host_bandwidth = host_link(device)
    peer, peer_bandwidth = peer_link(device, answer)
    return Device.of_known(
        name=name,
        memory=_whole(device.memory),
        driver=driver,
        toolkit=toolkit,
        vendor=device.vendor,
        capability=device.capability,
        multiprocessors=number,
        maximum_hz=device.clock_max,
        memory_hz=device.memory_clock_max,
        ecc=device.ecc,
        power_default=device.power_default,
        host_link=host,
        host_bandwidth=host_bandwidth,
        peer_link=peer,
        peer_bandwidth=peer_bandwidth,
        power=device.power_most,
        peaks=partitioned_peaks(peaks, device.partitions) if device.partitions else peaks,
    )


def _to_others(device: probe.FoundDevice, answer: probe.FoundDevices, said: Sequence[str]) -> dict[str, str]:
    """Return a text about each other device of this vendor, by its identity; `said` has these in the order
    of the devices.
    """
    others = (other for other in answer.devices if other.vendor == device.vendor)
    return {other.identity: text for other, text in zip(others, said, strict=False) if text and other.identity}


def _ends(device: probe.FoundDevice, answer: probe.FoundDevices) -> dict[str, int]:
    """Return the number of its links by where they end."""
    there = {other.bus: other.identity for other in answer.devices if other.bus and other.identity}
    ends = [there.get(link.peer or "") or ELSEWHERE.get(link.kind or "", "unknown") for link in device.links]
    return dict(Counter(ends))


def _slice(whole: Device, device: AllottedDevice, part: probe.Slice) -> _Unit:
    """Return the unit of a slice, with its own multiprocessors and memory. The slice's memory bandwidth is unknown."""
    number = part.multiprocessors
    peaks: Peaks = {}
    for name, peak in whole.peaks.items():
        if name.startswith("flops.") and peak.value and number and whole.multiprocessors:
            text = f"{number} of {whole.multiprocessors} multiprocessors: {peak.derivation}"
            peaks[name] = Peak(value=peak.value * number / whole.multiprocessors, unit=peak.unit, derivation=text)
        else:
            peaks[name] = Peak(unit=peak.unit, derivation="unknown: the slice's share of its device's")
    name = part.name or f"{whole.name} slice"
    memory = _whole(part.memory) or 0
    kind = whole.having(
        name=name,
        memory=memory or None,
        multiprocessors=number,
        peaks=peaks,
        **dict.fromkeys(("peer_link", "peer_bandwidth", "power", "power_default")),
    )
    own = device.having(
        identity=part.identity,
        name=name,
        memory=memory,
        memory_available=memory if part.memory_free is None else int(part.memory_free),
        slice_of=device.identity,
        paths={},
        access={},
        links={},
    )
    return _Unit(kind, own)


def _visible(
    by_device: Sequence[Sequence[AllottedDevice]], vendor: str, environ: Mapping[str, str]
) -> list[AllottedDevice]:
    """Return the devices that the vendor's variables allow, in their order. Raises BanzukeError where none is left, or
    one is named twice.

    `by_device`: the slices of each device, or the device itself. A number in a variable means a device, and then
    its first slice.
    """
    left = [part for slices in by_device for part in slices]
    numbered = [slices[0] for slices in by_device if slices]
    for variable in VISIBLE.get(vendor, ()):
        if variable not in environ:
            continue
        chosen: list[AllottedDevice] = []
        for name in environ[variable].split(","):
            device = named(name.strip(), numbered if name.strip().isdecimal() else left)
            if device is None:
                break  # like CUDA, which does not show what follows an unknown name
            if device in chosen:
                raise BanzukeError(
                    f"{variable} names {device.identity} twice",
                    why=f"it is {environ[variable]}",
                    remedy="Name each once",
                )
            chosen.append(device)
        if left and not chosen:
            raise BanzukeError(
                f"{variable} is '{environ[variable]}', which leaves none of {count(len(left), 'device')}"
            )
        left = numbered = chosen
    return left


def named(name: str, among: Sequence[AllottedDevice]) -> AllottedDevice | None:
    """Return the device with this number, identity or beginning of its identity; None: there is none, or
    more than one.
    """
    if name.isdecimal():
        return among[int(name)] if int(name) < len(among) else None
    begun = beginning(name, among)
    return begun[0] if len(begun) == 1 else None


def beginning(name: str, among: Sequence[AllottedDevice]) -> list[AllottedDevice]:
    """Return the devices whose identities begin with this name; only the one with exactly this identity if
    there is one.
    """
    whole = [device for device in among if device.identity == name]
    return whole or [device for device in among if name and device.identity.startswith(name)]


def _counted(kinds: Sequence[Device]) -> list[Device]:
    alike: dict[str, Device] = {}
    for kind in kinds:
        key = kind.model_dump_json(exclude={"count"})
        before = alike.get(key)
        alike[key] = before.having(count=before.count + 1) if before else kind
    return list(alike.values())


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
