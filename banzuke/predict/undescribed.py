"""Refuses descriptions without what every prediction needs, and says what to add."""

from banzuke.machine.cluster import Network
from banzuke.machine.site import Partition
from banzuke.words import Message, message
from banzuke.words.errors import MessageError


class UndescribedError(MessageError):
    """A description lacks a number without which nothing can be computed."""

    def __init__(self, name: str, what: str, *, why: Message | None = None, remedy: str = "") -> None:
        super().__init__(message("predict-undescribed", of=name, what=what.replace(" ", "-")), why=why, remedy=remedy)


def refuse_zeros(partition: Partition, name: str) -> None:
    """Raise BanzukeError for a described 0, which would be taken as unknown."""
    node, network = partition.node, partition.network or Network()
    described = {
        "node.memory.total": node.memory.total,
        "node.memory.usable": node.memory.usable,
        "node.memory.fast": node.memory.fast,
        "node.memory.fast_bandwidth": node.memory.fast_bandwidth,
        "network.bandwidth": network.bandwidth,
        "network.latency": network.latency,
        "network.bisection": network.bisection,
    }
    described |= {f'node.peaks."{key}"': peak.value for key, peak in node.peaks.items()}
    for i, processor in enumerate(node.processors):
        described |= {f'node.processors.{i}.peaks."{key}"': peak.value for key, peak in processor.peaks.items()}
        described[f"node.processors.{i}.sockets"] = processor.sockets
        described[f"node.processors.{i}.cores"] = processor.cores
        described[f"node.processors.{i}.nominal_hz"] = processor.nominal_hz
        described[f"node.processors.{i}.vector_hz"] = processor.vector_hz
    for i, device in enumerate(node.devices):
        described |= {f'node.devices.{i}.peaks."{key}"': peak.value for key, peak in device.peaks.items()}
        described[f"node.devices.{i}.memory"] = device.memory
        described[f"node.devices.{i}.host_bandwidth"] = device.host_bandwidth
        described[f"node.devices.{i}.peer_bandwidth"] = device.peer_bandwidth
    for key, value in described.items():
        if value == 0:
            raise MessageError(
                message("unpredicted-zero", name=name, key=key),
                remedy="Leave it out if it is unknown; else give a number above 0, there or by --with",
            )


EXAMPLES_OF_PEAKS = {
    "flops.fp64": '{ value = 1e12, unit = "flop/s" }',
    "memory.bytes": '{ value = 100e9, unit = "B/s" }',
}
"""Examples of peaks for remedies."""


def peak_remedy(resource: str, key: str = "node") -> str:
    """Return the remedy for a missing peak; `key`: the node or device in its partition."""
    return f"Add it, or give it by --with '{key}.peaks.\"{resource}\" = {EXAMPLES_OF_PEAKS[resource]}'"
