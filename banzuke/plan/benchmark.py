"""What a benchmark's `spec.py` declares: policy only, as data and pure functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from banzuke.machine.model import Machine

Scalar = bool | int | float | str


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    better: Literal["higher", "lower"]
    title: str
    headline: bool = False
    """Shown in the summary; the others appear in the benchmark's own table."""


@dataclass(frozen=True)
class Plot:
    """How figures are drawn: `metrics` of each case over `x`, one line or group per `series`."""

    title: str
    metrics: tuple[str, ...]
    x: str
    """A parameter's name, or `threads` or `ranks`."""
    series: str | None = None
    """A parameter's name, or None for one series per metric."""
    log_x: bool = False


@dataclass(frozen=True)
class Case:
    """One process launch: a program, its parameters and its layout."""

    benchmark: str
    backend: str
    parameters: Mapping[str, Scalar]
    ranks: int = 1
    threads: int = 1
    environment: str = "native"
    seconds: float = field(default=1.0, compare=False)
    """Estimated duration, for progress and the time limit."""


@dataclass(frozen=True)
class Layout:
    """What a case may use: ranks and threads per rank."""

    ranks: int
    threads: int


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    metrics: tuple[Metric, ...]
    defaults: Callable[[Machine, Layout], dict[str, Scalar]]
    """Parameters of the headline case, sized for the machine; those left out keep the program's own defaults."""
    sweep: Callable[[Machine], list[tuple[Layout, dict[str, Scalar]]]]
    """Cases of the standard evaluation, headline first; each dict overrides `defaults`."""
    seconds: Callable[[Machine, Layout, Mapping[str, Scalar]], float]
    """Rough duration of a case."""
    default_backend: str
    bounded_by: tuple[str, ...]
    """Ceilings: `flop_rate` or `memory_bandwidth`; the work of each metric decides which one binds."""
    provides: Mapping[str, str] = field(default_factory=dict)
    """Ceiling -> metric of this benchmark that measures it."""
    tunable: tuple[str, ...] = ()
    """Parameters that say how and not what: a value of them that was better in the same run explains a lower figure."""
    needs_blas: bool = False
    plots: tuple[Plot, ...] = ()
