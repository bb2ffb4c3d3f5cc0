"""What a cause reports: something that may hold a figure back, and how much of the figure it may cost."""

from dataclasses import dataclass

from banzuke.units import number

SHOWN = 8


@dataclass(frozen=True)
class Finding:
    weight: float
    """Share of the figure that it may cost: measured where the evidence measures it, else a modest prior."""
    what: str
    evidence: str
    confirm: str
    odd: bool = False
    """Worth telling even where the figure is near its limit."""


def times(ratio: float) -> str:
    return f"{number(ratio)}x"


def on(host: str) -> str:
    return f" on {host}" if host else ""


def processor_names(cpus: list[int]) -> str:
    shown = ", ".join(map(str, cpus[:SHOWN])) + (", ..." if len(cpus) > SHOWN else "")
    return f"processor {shown}" if len(cpus) == 1 else f"processors {shown}"
