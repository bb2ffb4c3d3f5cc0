"""Finds causes in the devices of a case: throttling, clocks, power limits, links, memory errors, other processes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from banzuke.cpu_lists import parse_cpus
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.record.model import Record
from banzuke.words import Message, Quantity, Share, message

THROTTLED = 0.05
"""Share of the timed time from which throttling is reported; less is a single reading, as at the start of a kernel."""
SLOWED = 0.03
"""Share of its highest clock that a device must lack to be reported; clocks have steps of 15 MHz, below 1%."""
LOWERED = 0.99
"""Share of the default power limit below which the limit counts as lowered; drivers round to whole watts."""
GRAPHICS_MEMORY = 512
"""Bits of the widest bus of GDDR memory, which keeps ECC in the memory itself; stacked memory has 1024 or more."""
INLINE_ECC = 0.06
"""Share of the bandwidth that ECC in graphics memory takes; a sixteenth holds check bits."""
LONG_START = 2.0
"""Seconds to the first timed part from which a driver that is loaded anew for each program may matter."""
FEWEST_READINGS = 3
"""Fewest readings in the timed parts for which a clock or a share means something."""
SETTINGS = ("clock_setting", "sync_boost")
"""Intended reasons for a low clock, by the names of the driver's bits."""
REASONS: Mapping[str, tuple[str, ...]] = {
    "power": ("power_cap",),
    "heat": ("temperature", "hardware_temperature"),
    "hardware": ("power_brake", "hardware_slowdown"),
}
"""Reasons for throttling, by the names of the driver's bits; `hardware_slowdown` is also set by heat."""


@dataclass(frozen=True)
class _Device:
    """What a record says about one device."""

    identity: str
    label: str
    """Name for people: `0`, or `n2:0` if the case has several hosts."""
    conditions: Mapping[str, object]
    """What was observed of it during the launch."""

    def number(self, key: str) -> float | None:
        return _number(self.conditions.get(key))

    @property
    def lacking(self) -> float:
        """Share of its highest clock that it lacked in the median; 0: none, or unknown."""
        seen, highest = self.number("clock_median"), self.number("clock_highest")
        return max(0.0, 1 - seen / highest) if seen and highest else 0.0

    def held(self) -> str:
        """Return what holds its clock down, as far as the driver or its settings show."""
        shares = self.conditions.get("throttled")
        for name in SETTINGS:
            if isinstance(shares, dict) and (_number(shares.get(name)) or 0.0) >= THROTTLED:
                return name
        wanted, highest = self.number("clock_set"), self.number("clock_highest")
        return "clock_setting" if wanted and highest and wanted < highest * (1 - SLOWED) else "unknown"

    def throttled(self, reason: str) -> float:
        """Return the share of the timed time in which it was throttled.

        Bits of one reason are set together, so the largest share counts.
        """
        shares = self.conditions.get("throttled")
        if not isinstance(shares, dict) or (self.number("readings") or 0) < FEWEST_READINGS:
            return 0.0
        share_of = {name: _number(shares.get(name)) or 0.0 for names in REASONS.values() for name in names}
        if reason == "hardware" and share_of["hardware_temperature"] >= share_of["hardware_slowdown"]:
            return share_of["power_brake"]
        return max(share_of[name] for name in REASONS[reason])


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _devices(record: Record) -> list[_Device]:
    devices = record.conditions.get("devices")
    if not isinstance(devices, dict):
        return []
    several = len(record.hosts) > 1
    return [
        _Device(
            identity,
            f"{conditions.get('host')}:{conditions.get('number')}" if several else f"{conditions.get('number')}",
            conditions,
        )
        for identity, conditions in devices.items()
        if isinstance(conditions, dict)
    ]


def _label(record: Record, identity: str) -> str:
    return next((device.label for device in _devices(record) if device.identity == identity), identity)


def throttling(record: Record) -> tuple[Message, ...]:
    """Return, for the verdict, the device that was throttled for longest, and why."""
    shares = [(device.throttled(reason), device.label, reason) for device in _devices(record) for reason in REASONS]
    share, label, reason = max(shares, default=(0.0, "", ""), key=lambda entry: entry[0])
    if share < THROTTLED:
        return ()
    return (message("limit-device-throttled", device=label, share=Share(share), reason=reason),)


def capped_power(e: Evidence) -> Iterator[Finding]:
    """Find throttling by the power limit, and whether the limit was lowered."""
    if (worst := _most_throttled(e, "power")) is None:
        return
    device, share = worst
    limit, default = device.number("power_limit"), device.number("power_default")
    if limit and default and limit < LOWERED * default:
        said = message(
            "limit-device-power-lowered",
            device=device.label,
            share=Share(share),
            limit=Quantity(limit, "W"),
            default=Quantity(default, "W"),
            clock=_clock(device, "median"),
            highest=_clock(device, "highest"),
        )
    else:
        said = message(
            "limit-device-power",
            device=device.label,
            share=Share(share),
            clock=_clock(device, "median"),
            highest=_clock(device, "highest"),
        )
    yield Finding(_cost(e, device), said, against="clock")


def hot(e: Evidence) -> Iterator[Finding]:
    """Find throttling by temperature, which is not a property of the device's type."""
    if worst := _most_throttled(e, "heat"):
        device, share = worst
        degrees = device.number("temperature_maximum")
        said = message(
            "limit-device-hot",
            device=device.label,
            share=Share(share),
            degrees="?" if degrees is None else f"{degrees:g}",
            clock=_clock(device, "median"),
            highest=_clock(device, "highest"),
        )
        yield Finding(_cost(e, device), said, odd=True, against="clock")


def slowed_by_hardware(e: Evidence) -> Iterator[Finding]:
    if worst := _most_throttled(e, "hardware"):
        device, share = worst
        said = message(
            "limit-device-slowdown",
            device=device.label,
            share=Share(share),
            clock=_clock(device, "median"),
            highest=_clock(device, "highest"),
        )
        yield Finding(_cost(e, device), said, odd=True, against="clock")


def held_clock(e: Evidence) -> Iterator[Finding]:
    """Find devices below their highest clock without throttling, which means that somebody set a lower one."""
    free = [
        device
        for device in _devices(e.record)
        if device.lacking > SLOWED
        and (device.number("readings") or 0) >= FEWEST_READINGS
        and isinstance(device.conditions.get("throttled"), dict)
        and not any(device.throttled(reason) >= THROTTLED for reason in REASONS)
    ]
    if free:
        device = max(free, key=lambda device: device.lacking)
        yield Finding(
            _cost(e, device),
            message(
                "limit-device-held-clock",
                device=device.label,
                by=device.held(),
                clock=_clock(device, "median"),
                highest=_clock(device, "highest"),
            ),
            against="clock",
        )


def narrow_link(e: Evidence) -> Iterator[Finding]:
    """Find links that are narrow or slow under load; idle links are always slowed down, to save power."""
    for device in _devices(e.record):
        seen = [device.number(f"link_{name}") for name in ("generation", "width")]
        most = [device.number(f"link_{name}_highest") for name in ("generation", "width")]
        able = device.number("link_generation_device")
        generation, width = (negotiated or possible for negotiated, possible in zip(seen, most, strict=True))
        if not generation or not width or None in most:
            continue
        share = min(1.0, 2 ** (generation - max(most[0] or 0, able or 0)) * width / (most[1] or width))
        if share < 1:
            yield Finding(
                (1 - share) * (1.0 if e.link_bound else 0.1),
                message(
                    "limit-device-link",
                    device=device.label,
                    generation=int(generation),
                    width=int(width),
                    best=int(max(most[0] or 0, able or 0)),
                    widest=int(most[1] or width),
                    slot="slot" if able and able > (most[0] or 0) else "device",
                ),
            )
            return


def inline_ecc(e: Evidence) -> Iterator[Finding]:
    for device in _devices(e.record):
        bits = device.number("memory_bits")
        if device.conditions.get("ecc") is True and bits and bits <= GRAPHICS_MEMORY and not e.compute_bound:
            yield Finding(INLINE_ECC, message("limit-device-ecc", device=device.label, bits=int(bits)))
            return


def memory_errors(e: Evidence) -> Iterator[Finding]:
    for device in _devices(e.record):
        corrected, lasting = (device.number(f"ecc_{kind}_more") or 0 for kind in ("corrected", "uncorrected"))
        if corrected or lasting:
            said = message(
                "limit-device-errors", device=device.label, corrected=int(corrected), uncorrected=int(lasting)
            )
            yield Finding(0.02, said, odd=True)
            return


def unrepaired_memory(e: Evidence) -> Iterator[Finding]:
    for device in _devices(e.record):
        if (state := device.conditions.get("repair")) in ("pending", "failed"):
            yield Finding(0.02, message("limit-device-repair", device=device.label, state=str(state)), odd=True)
            return


def far_processors(e: Evidence) -> Iterator[Finding]:
    """Find ranks none of whose threads may run on the NUMA node of their device."""
    nodes = {domain.node: set(domain.cpus) for domain in e.machine.node.domains}
    node_of = {device.identity: device.numa_node for device in e.machine.allotment.devices}
    for binding in e.record.binding:
        cpus = {cpu for thread in binding.threads for cpu in parse_cpus(thread)}
        for identity in binding.devices:
            node = node_of.get(identity)
            if len(nodes) > 1 and node is not None and cpus and cpus.isdisjoint(nodes.get(node, cpus)):
                label = _label(e.record, identity)
                weight = 0.3 if e.link_bound else 0.05
                yield Finding(weight, message("limit-device-far", ranks=binding.ranks, device=label, node=node))
                return


def far_memory(e: Evidence) -> Iterator[Finding]:
    """Find memory that was bound to other NUMA nodes than the device's."""
    node_of = {device.identity: device.numa_node for device in e.machine.allotment.devices}
    for binding in e.record.binding:
        policy, _, nodes = (binding.memory or "").partition(":")
        for identity in binding.devices:
            node = node_of.get(identity)
            if policy == "bind" and nodes and node is not None and node not in parse_cpus(nodes):
                label = _label(e.record, identity)
                weight = 0.3 if e.link_bound else 0.05
                yield Finding(weight, message("limit-device-far-memory", nodes=nodes, device=label, node=node))
                return


def shared_device(e: Evidence) -> Iterator[Finding]:
    for device in _devices(e.record):
        if others := device.number("other_processes"):
            said = message("limit-device-shared", device=device.label, processes=int(others))
            yield Finding(0.3, said, odd=True, taker="others")
            return


def loaded_anew(e: Evidence) -> Iterator[Finding]:
    """Find drivers without persistence, which set a device up for each program: low clocks first, slow starts."""
    parts = e.record.conditions.get("timed_parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    begin = _number(first[0]) if isinstance(first, list) and first else None
    if begin is None:
        return
    start = begin - e.record.started.timestamp()
    for device in _devices(e.record):
        if device.conditions.get("persistent") is False and start > LONG_START:
            yield Finding(0.01, message("limit-device-start", device=device.label, seconds=Quantity(start, "s")))
            return


def _most_throttled(e: Evidence, reason: str) -> tuple[_Device, float] | None:
    """Return the device that was throttled for longest, with the share of the timed time; None: none for long."""
    shares = [(device, device.throttled(reason)) for device in _devices(e.record)]
    device, share = max(shares, default=(None, 0.0), key=lambda pair: pair[1])
    return (device, share) if device and share >= THROTTLED else None


def _cost(e: Evidence, device: _Device) -> float:
    """Return the share of the figure that it costs; memory bandwidth depends less on the clock than arithmetic does."""
    return max(0.02, device.lacking * (1.0 if e.compute_bound else 0.3))


def _clock(device: _Device, kind: str) -> Quantity | str:
    hz = device.number(f"clock_{kind}")
    return "?" if hz is None else Quantity(hz, "Hz")
