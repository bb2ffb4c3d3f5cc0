"""The accelerators that a job may use, and the kinds of them in its node, as `banzuke-probe devices` found them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.device_peaks import (
    device_peaks,
    multiprocessors,
    nvlink_bandwidth,
    pcie_bandwidth,
)
from banzuke.machine.devices import gpus
from banzuke.machine.site import Device, Peak, Peaks
from banzuke.machine.tree import Tree

VISIBLE = {"NVIDIA": ("CUDA_VISIBLE_DEVICES",), "AMD": ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")}
"""Variables that leave a vendor's programs only some devices."""


@dataclass(frozen=True)
class Accelerators:
    kinds: list[Device] = field(default_factory=list)
    """Of the node, alike ones counted."""
    given: list[AllottedDevice] = field(default_factory=list)
    problem: str | None = None
    """Why some that are there cannot be used."""


@dataclass(frozen=True)
class _One:
    """A device or a slice: its kind, and itself."""

    kind: Device
    given: AllottedDevice | None


def accelerators(tree: Tree, environ: Mapping[str, str] = os.environ) -> Accelerators:
    """Never raises: where the probe tells nothing, the kinds are those that the kernel's files name."""
    try:
        told = probe.devices(str(tree.root))
    except BanzukeError as error:
        return Accelerators(gpus(tree), problem=str(error))
    if not tree.is_this_machine or not told.devices:
        kinds = gpus(tree)
        return Accelerators(kinds, problem=told.problem if kinds else None)
    return of(told, environ)


def of(told: probe.FoundDevices, environ: Mapping[str, str] = MappingProxyType({})) -> Accelerators:
    """What the probe told, here or elsewhere, as far as a vendor's variables leave it. Never raises."""
    each = [one for device in told.devices for one in _each(device, told)]
    problems = [f"device {device.number}: {device.problem}" for device in told.devices if device.problem]
    given: list[AllottedDevice] = []
    for vendor in dict.fromkeys(device.vendor for device in told.devices):
        own = [one.given for one in each if one.given and one.given.vendor == vendor]
        try:
            given += _visible(own, vendor, environ)
        except BanzukeError as error:
            problems.append(str(error))
    return Accelerators(_counted([one.kind for one in each]), given, "; ".join(problems) or None)


def _each(device: probe.FoundDevice, told: probe.FoundDevices) -> list[_One]:
    """The device, or its slices where it is cut into any."""
    number = multiprocessors(device.capability, device.cores)
    kind = Device(
        name=device.name or f"{device.vendor} device",
        memory=_whole(device.memory),
        driver=told.driver if device.vendor == "NVIDIA" else None,
        vendor=device.vendor,
        capability=device.capability,
        multiprocessors=number,
        maximum_hz=device.clock_max,
        ecc=device.ecc,
        power_default=device.power_default,
        host_link=_pcie(device.link_generation_max, device.link_width_max),
        host_bandwidth=pcie_bandwidth(device.link_generation_max, device.link_width_max),
        peer_link=_nvlink(device),
        peer_bandwidth=_peer_bandwidth(device, told),
        power=device.power_most,
        peaks=device_peaks(
            capability=device.capability,
            number=number,
            clock=device.clock_max,
            memory_bits=device.memory_bits,
            memory_clock=device.memory_clock_max,
        ),
    )
    if device.problem or not device.identity or kind.memory is None:
        return [_One(kind, None)]
    paths = {
        other.identity: path
        for other, path in zip((one for one in told.devices if one.vendor == device.vendor), device.paths, strict=False)
        if path and other.identity
    }
    given = AllottedDevice(
        identity=device.identity,
        name=kind.name,
        vendor=device.vendor,
        bus=device.bus,
        memory=kind.memory,
        memory_available=_whole(device.memory_free) or kind.memory,
        numa_node=device.numa_node,
        adapter=device.adapter,
        link_generation=device.link_generation_now,
        link_width=device.link_width_now,
        power_limit=device.power_limit,
        compute_mode=device.compute_mode,
        persistent=device.persistent,
        paths=paths,
    )
    if not device.sliced:
        return [_One(kind, given)]
    return [_slice(_One(kind, given), given, part) for part in device.slices]


def _slice(of: _One, given: AllottedDevice, part: probe.Slice) -> _One:
    """A slice has its own multiprocessors and memory. Its share of the memory's bandwidth is not told."""
    number = part.multiprocessors
    whole = of.kind.multiprocessors
    peaks: Peaks = {}
    for name, peak in of.kind.peaks.items():
        if name.startswith("flops.") and peak.value and number and whole:
            text = f"{number} of {whole} multiprocessors: {peak.derivation}"
            peaks[name] = Peak(value=peak.value * number / whole, unit=peak.unit, derivation=text)
        else:
            peaks[name] = Peak(unit=peak.unit, derivation="unknown: the slice's share of its device's")
    name = part.name or f"{of.kind.name} slice"
    memory = _whole(part.memory) or 0
    kind = of.kind.model_copy(
        update={"name": name, "memory": memory or None, "multiprocessors": number, "peaks": peaks, "peer_link": None}
        | {"peer_bandwidth": None}
    )
    own = given.model_copy(
        update={
            "identity": part.identity,
            "name": name,
            "memory": memory,
            "memory_available": _whole(part.memory_free) or memory,
            "paths": {},
        }
    )
    return _One(kind, own)


def _visible(found: Sequence[AllottedDevice], vendor: str, environ: Mapping[str, str]) -> list[AllottedDevice]:
    """Those that the vendor's variables leave, in their order. Raises BanzukeError for one that is named twice."""
    left = list(found)
    for variable in VISIBLE.get(vendor, ()):
        if variable not in environ:
            continue
        chosen: list[AllottedDevice] = []
        for name in environ[variable].split(","):
            one = named(name.strip(), left)
            if one is None:
                break  # as CUDA does: what follows an unknown name is not visible
            if one in chosen:
                raise BanzukeError(
                    f"{variable} names {one.identity} twice", why=f"it is {environ[variable]}", remedy="Name each once"
                )
            chosen.append(one)
        left = chosen
    return left


def named(name: str, among: Sequence[AllottedDevice]) -> AllottedDevice | None:
    """By its number, its identity or how that begins; None: there is none, or several begin so."""
    if name.isdecimal():
        return among[int(name)] if int(name) < len(among) else None
    begun = [device for device in among if name and device.identity.startswith(name)]
    return begun[0] if len(begun) == 1 else None


def _counted(kinds: Sequence[Device]) -> list[Device]:
    alike: dict[str, Device] = {}
    for kind in kinds:
        key = kind.model_dump_json(exclude={"count"})
        before = alike.get(key)
        alike[key] = before.model_copy(update={"count": before.count + 1}) if before else kind
    return list(alike.values())


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _pcie(generation: int | None, width: int | None) -> str | None:
    return f"PCI Express gen{generation} x{width}" if generation and width else None


def _nvlink(device: probe.FoundDevice) -> str | None:
    return f"NVLink, {len(device.nvlinks)} links" if device.nvlinks else None


def _peer_bandwidth(device: probe.FoundDevice, told: probe.FoundDevices) -> float | None:
    """Of all links where they end in a switch, else of those to one other device."""
    rates = [nvlink_bandwidth(link.version) for link in device.nvlinks]
    if not rates or any(rate is None for rate in rates):
        return None
    others = {other.bus for other in told.devices}
    direct = [link.peer for link in device.nvlinks if link.peer in others]
    links = direct.count(direct[0]) if direct else len(rates)
    return (rates[0] or 0.0) * links
