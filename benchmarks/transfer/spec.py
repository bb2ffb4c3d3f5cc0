"""Transfers' policy: the paths between memories, and the largest size."""

from collections.abc import Mapping

from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Peak
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric, Scalar, Sizing
from banzuke.plan.capabilities import Library, Messages
from banzuke.plan.resource import Resource, Resources

LARGEST = 1 << 30
"""Most bytes of a transfer."""
SHARE_OF_DEVICE, SHARE_OF_HOST = 0.4, 0.2
"""Shares of the memory for the data of one direction; there are two, and the host also buffers data between devices."""
MEMORIES = "pinned"
OF_HOST = ("pageable", "kernel")
OF_DEVICES = ("staged", "pipelined", "peer-write", "peer-read", "nccl")
DIRECT = ("peer", "peer-write", "peer-read")
"""Paths over the link alone, which show its rate; others go through the host's memory."""
DISTANCES = ("nvlink", "xgmi", "switch", "bridge", "node", "system")
"""Distances between devices, from near to far, as the machine's description names what connects them."""
ALL, ROUNDS = 64, 16
"""Most devices for which each meets every other, and the partners of each if there are more: the program's own rule."""
START, SLOW, CHECKED = 3.0, 5e9, 1e9
"""Seconds until a device is ready, and B/s that nearly every path and the check exceed."""
SAMPLES, MOVED = 8, 256 << 20
"""Samples of each size with the warm-up, and bytes of a sample; two copies if the size is large."""
CHUNKS, CHUNK_SAMPLES = 4, 4
"""Chunks of a pipeline that the program tries with the largest transfer, and samples of each with the warm-up."""


def largest(machine: Machine) -> int:
    """Return the bytes of the largest transfer: a power of two that fits the memories."""
    smallest = min((device.reference_memory for device in machine.allotment.devices), default=2 * LARGEST)
    room = min(LARGEST, int(SHARE_OF_DEVICE * smallest), int(SHARE_OF_HOST * machine.allotment.reference_memory))
    return 1 << max(0, room.bit_length() - 1)


def defaults(machine: Machine, _layout: Layout) -> dict[str, Scalar]:
    return {"max_size": largest(machine)}


def on_devices(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of the first device with the host, then with one other at each distance: each path alone and both
    ways.

    Each case gets all devices, but uses one or two of them; only the matrix of pairs uses all.
    """
    devices = machine.allotment.devices
    if not devices:
        return []
    others = [devices.index(other) for other in representatives(devices)]
    cases: list[dict[str, Scalar]] = [_case(MEMORIES, direction) for direction in ("to-device", "to-host")]
    cases += [_case("peer", "to-device", other) for other in others]
    cases += [_case(MEMORIES, "both"), *(_case("peer", "both", other) for other in others)]
    cases += [_case(path, direction) for path in OF_HOST for direction in ("to-device", "to-host")]
    cases += [_case(path, "to-device", other) for path in OF_DEVICES for other in others]
    cases += [_case("local", "to-device")]
    cases += [_case(MEMORIES, "to-device", test="latency"), _case("kernel", "to-device", test="latency")]
    cases += [_case("peer", "to-device", other, test="latency") for other in others]
    if len(devices) > 1:
        cases.append({"test": "pairs"})
    return [(Layout(1, 1, devices=len(devices)), case) for case in cases]


def _case(path: str, direction: str, other: int = 0, test: str = "bandwidth") -> dict[str, Scalar]:
    return {"test": test, "path": path, "direction": direction, **({"other": other} if other else {})}


def representatives(devices: list[AllottedDevice]) -> list[AllottedDevice]:
    """Return the nearest device at each distance from the first; if distances are unknown, the next one."""
    first, rest = devices[0], devices[1:]
    at: dict[str, AllottedDevice] = {}
    for other in rest:
        at.setdefault(first.paths.get(other.identity, ""), other)
    nearest = [at[distance] for distance in DISTANCES if distance in at]
    return nearest or rest[:1]


def seconds(machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate the case with links slower than on most machines."""
    if parameters.get("test") == "latency":
        return START
    if parameters.get("test") == "pairs":
        devices = layout.devices
        met = min(devices - 1, int(parameters.get("rounds", 0)) or (devices - 1 if devices <= ALL else ROUNDS))
        return START + devices * (2 + met) * 0.25
    most = float(parameters.get("max_size", largest(machine)))
    samples = float(parameters.get("samples", SAMPLES - 1)) + 1
    moved = samples * (5 * min(MOVED, 64 * most) + 4 * most)  # sizes double, so that the largest take most of the time
    checked = 8 * most
    if parameters.get("path") == "pipelined" and not int(parameters.get("chunk", 0)):
        moved += CHUNKS * CHUNK_SAMPLES * max(MOVED, 2 * most)
        checked += CHUNKS * 4 * most
    return START + moved / SLOW + checked / CHECKED


def of_host_link(device: Device) -> Peak | None:
    text = f"{device.host_link or 'its link'}, each way, packet overhead not deducted"
    return Peak(value=device.host_bandwidth, unit="B/s", derivation=text) if device.host_bandwidth else None


def of_peer_link(device: Device) -> Peak | None:
    text = f"{device.peer_link or 'its links'}, each way"
    return Peak(value=device.peer_bandwidth, unit="B/s", derivation=text) if device.peer_bandwidth else None


HOST_LINK = Resource(
    "link.host",
    unit="B/s",
    title="bandwidth of a device's link to the host",
    scope="device",
    of_device=of_host_link,
    measured_by={"path": ("pinned", "kernel", *DIRECT)},
)
"""Bytes that go through the link in one direction; it carries as many in the other at the same time."""
PEER_LINK = Resource(
    "link.peer",
    unit="B/s",
    title="bandwidth of a device's links to another device",
    scope="device",
    of_device=of_peer_link,
    measured_by={"path": (*DIRECT, "nccl")},
)
NCCL = Library(
    "NCCL", "BANZUKE_NCCL", "`pip install nvidia-nccl-cu13` into the environment", ("libnccl.so.2", "libnccl.so")
)
RCCL = Library("RCCL", "BANZUKE_RCCL", "Install rccl", ("librccl.so.1", "librccl.so"))

BENCHMARK = Benchmark(
    name="transfer",
    title="Transfers",
    aspect="messages",
    unpredicted="its figures are what predictions of other benchmarks start from",
    metrics=(
        Metric("bandwidth", "B/s", "higher", "Bandwidth", headline=True),
        Metric("latency", "s", "lower", "Latency", headline=True),
        Metric("host_bandwidth", "B/s", "higher", "Bandwidth between host and device", headline=True),
        Metric("device_bandwidth", "B/s", "higher", "Bandwidth between devices", headline=True),
        Metric("linked_bandwidth", "B/s", "higher", "Bandwidth between linked devices", headline=True),
    ),
    defaults=defaults,
    sweep=lambda _machine: [],
    seconds=seconds,
    default_backend="",
    resources=Resources(measures=(HOST_LINK, PEER_LINK)),
    sizing=Sizing(parameters=("max_size",), method=("samples",), kept=False),
    devices=Devices(on_devices, libraries={"cuda": NCCL, "hip": RCCL}),
    messages=Messages(),
)
