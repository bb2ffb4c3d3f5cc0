"""What a machine can be expected to do, for choosing sizes: figures are never judged by it."""

from banzuke.machine.model import Machine


def flop_rate(machine: Machine, cores: int) -> float:
    """flop/s of DGEMM on so many cores: the probed library's, else the cores' own, else a guess."""
    usable = machine.allotment.usable_cores
    probed = machine.software.blas[0].flop_rate if machine.software.blas else None
    whole = probed or machine.allotment.fma_rate or 10e9 * usable
    return whole * min(1.0, cores / usable)


def link_rate(machine: Machine) -> float:
    """B/s that a host sends in an exchange of all ranks: half of its fastest link; 1 Gbit/s where that is unknown."""
    fastest = max((link.bits_per_second or 0.0 for link in machine.node.interfaces), default=0.0)
    return fastest / 2 / 8 or 1e9 / 8


def last_level(machine: Machine) -> int:
    """Bytes of all last-level caches together; 0: unknown."""
    caches = [cache for cache in machine.allotment.caches if cache.kind != "instruction"]
    last = max((cache.level for cache in caches), default=0)
    return sum(cache.bytes * cache.instances for cache in caches if cache.level == last)
