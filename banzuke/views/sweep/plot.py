"""A plot that a benchmark's policy asks for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plot:
    """A plot of figures: `metrics` of each case over `x`, with one line or group per `series`."""

    title: str
    metrics: tuple[str, ...]
    x: str
    """Name of a parameter, `threads`, `ranks` or `layout`, or name of a number among the conditions."""
    series: str | None = None
    """Name of a parameter; None: one series per metric."""
    log_x: bool = False
    alike: tuple[str, ...] = ()
    """Settings that must agree between the cases drawn; the group with the most positions is drawn. Empty: all
    cases."""
