"""Describes links of accelerators, to the host and to each other, with their bandwidths."""

from collections import Counter

from banzuke.machine.architectures import ARCHITECTURES
from banzuke.machine.probe import FoundDevice, FoundDevices
from banzuke.units import count, quantity

_PCIE = {1: (2.5e9, 8 / 10), 2: (5e9, 8 / 10), 3: (8e9, 128 / 130), 4: (16e9, 128 / 130), 5: (32e9, 128 / 130)}
"""Transfers per second of a lane, and the share of the bits that are data, by generation."""
_PCIE_6 = (64e9, 242 / 256)
_NVLINK = {1: 20e9, 2: 25e9, 3: 25e9, 4: 25e9, 5: 25e9, 6: 25e9, 7: 50e9}
"""B/s each way of a link, by NVML's number for its version: 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0."""

Named = tuple[str | None, float | None]
"""A link as people read it, and its B/s each way; None: unknown, or there is none."""


def host_link(device: FoundDevice) -> Named:
    """Return the link in this slot; or XGMI to the processor, without a rate, because the kernel reports that of
    another link.
    """
    if device.vendor == "AMD" and any(link.kind == "processor" for link in device.links):
        return "XGMI", None
    generation, width = device.link_generation_max, device.link_width_max
    name = f"PCI Express gen{generation} x{width}" if generation and width else None
    return name, pcie_bandwidth(generation, width)


def peer_link(device: FoundDevice, answer: FoundDevices) -> Named:
    """Return the link to other devices. The bandwidth is that to one device; where numbers of links differ, to
    one with most.
    """
    others = {other.bus for other in answer.devices}
    direct = Counter(link.peer for link in device.links if link.peer in others)
    most = max(direct.values(), default=0)
    if device.vendor == "AMD":
        return _xgmi(most, xgmi_bandwidth(device.capability)) if most else (None, None)
    return _nvlink(device, most)


def _xgmi(links: int, rate: float | None) -> Named:
    """Return an XGMI link; dies of one package are joined by more links than packages."""
    per_link = f" of {quantity(rate, 'B/s')} each way" if rate else ""
    shown = "1 link" if links == 1 else f"up to {links} links"
    return f"XGMI, {shown}{per_link} to another", rate * links if rate else None


def _nvlink(device: FoundDevice, most: int) -> Named:
    """Return an NVLink; the bandwidth is that of all links where they end in a switch."""
    if not device.links:
        return None, None
    rates = [nvlink_bandwidth(link.version) for link in device.links]
    per_link = f" of {quantity(rates[0], 'B/s')} each way" if rates[0] else ""
    bandwidth = None if None in rates else (rates[0] or 0.0) * (most or len(rates))
    return f"NVLink, {count(len(device.links), 'link')}{per_link}", bandwidth


def pcie_bandwidth(generation: int | None, width: int | None) -> float | None:
    """Return the B/s each way, after line encoding; the overhead of packets is not deducted."""
    if not generation or not width:
        return None
    rate, share = _PCIE.get(generation, _PCIE_6)
    return rate * share / 8 * width


def nvlink_bandwidth(version: int | None) -> float | None:
    """Return the B/s each way of one link."""
    return _NVLINK.get(version or 0)


def xgmi_bandwidth(architecture: str | None) -> float | None:
    """Return the B/s each way of one link."""
    entry = ARCHITECTURES.get(architecture or "")
    return entry.link if entry else None
