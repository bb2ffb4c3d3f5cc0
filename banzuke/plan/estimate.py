"""Estimates a machine's speed in order to choose sizes; figures are never judged by it.

It uses only the description of the machine. Measured rates and free memory change with the load, and the cases would
change with them.
"""

from banzuke.machine.model import Machine

CLOCK = 2.5e9
"""Hz, where the nominal clock is unknown."""
FLOP_PER_CYCLE = {512: 20, 256: 14, 128: 7}
"""Flop per cycle of DGEMM on a core, by the width of its vectors in bits: between cores with one and with two 512-bit
units.
"""


def flop_rate(machine: Machine, cores: int) -> float:
    """Return the flop/s of DGEMM on this many cores."""
    processor = machine.node.processor
    width = next((bits for bits in FLOP_PER_CYCLE if bits <= (processor.vector_bits or 128)), 0)
    of_core = (processor.nominal_hz or CLOCK) * FLOP_PER_CYCLE.get(width, 2)
    return of_core * min(cores, machine.allotment.usable_cores)


SLOW_DEVICE = 5e12
"""flop/s, where a device's peak is unknown."""


def device_flop_rate(machine: Machine) -> float:
    """Return the flop/s of the fastest device that may be used."""
    names, allotted = ("flops.fp64", "flops.fp64_matrix"), {device.name for device in machine.allotment.devices}
    kinds = [device for device in machine.node.devices if device.name in allotted]
    peaks = [device.peaks[name].value for device in kinds for name in names if name in device.peaks]
    return max((peak for peak in peaks if peak), default=SLOW_DEVICE)


def link_rate(machine: Machine) -> float:
    """Return the B/s that a host sends in an exchange of all ranks: half of its fastest link; 1 Gbit/s where that is
    unknown.
    """
    fastest = max((link.bits_per_second or 0.0 for link in machine.node.interfaces), default=0.0)
    return fastest / 2 / 8 or 1e9 / 8


def last_level(machine: Machine) -> int:
    """Return the bytes of all last-level caches together; 0: unknown."""
    caches = [cache for cache in machine.allotment.caches if cache.kind != "instruction"]
    last = max((cache.level for cache in caches), default=0)
    return sum(cache.bytes * cache.instances for cache in caches if cache.level == last)
