"""What a benchmark's policy asks to be drawn."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plot:
    """How figures are drawn: `metrics` of each case over `x`, one line or group per `series`."""

    title: str
    metrics: tuple[str, ...]
    x: str
    """A parameter's name, `threads`, `ranks` or `layout`, or that of a number among the conditions."""
    series: str | None = None
    """A parameter's name, or None for one series per metric."""
    log_x: bool = False
    alike: tuple[str, ...] = ()
    """Settings that are the same in all cases drawn: those with the most places win; empty: all cases are drawn."""
