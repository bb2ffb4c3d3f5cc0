"""What a machine can be expected to do, for choosing sizes: figures are never judged by it."""

from banzuke.machine.model import Machine


def flop_rate(machine: Machine, cores: int) -> float:
    """flop/s of DGEMM on so many cores: the probed library's, else the cores' own, else a guess."""
    usable = machine.allotment.usable_cores
    probed = machine.software.blas[0].flop_rate if machine.software.blas else None
    whole = probed or machine.allotment.fma_rate or 10e9 * usable
    return whole * min(1.0, cores / usable)
