"""What ties a benchmark to its official code: the input file, the printed output, the rules for official results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from banzuke.amounts import Scalar
from banzuke.machine.model import Machine
from banzuke.plan.lines import Lines
from banzuke.words import Fact


@dataclass(frozen=True)
class InputCases:
    """The cases that an input file asks for."""

    cases: tuple[tuple[int | None, Mapping[str, Scalar]], ...]
    """Ranks and parameters, in the order in which the official code runs them; None: as many as there shall be."""
    notes: tuple[str, ...] = ()
    """What is done otherwise than the file says."""
    output: str | None = None
    """File that the official code writes its results to; None: a stream."""
    appends: bool = False
    """Whether the file keeps what was in it."""
    backend: str | None = None
    """The one that does as the official code would; None: the usual one."""
    folder: str | None = None
    """The one that it writes to, of a storage area; None: it does not say."""


@dataclass(frozen=True)
class InputFile:
    """The file that steers the benchmark's official code: existing scripts keep working."""

    name: str
    read: Callable[[Lines], InputCases]
    """Raises BanzukeError naming the line."""


@dataclass(frozen=True)
class CommandLine:
    """The line that steers the benchmark's official code, as people type it."""

    example: str
    """Its options: `-w -r -b 1g`."""
    read: Callable[[str], InputCases]
    """Raises BanzukeError naming the option."""


@dataclass(frozen=True)
class CurvePoint:
    """A place of a case's curve."""

    at: float
    samples: Mapping[str, Sequence[float]]
    """By metric."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case, for what the official code prints of it, and for the official rules."""

    parameters: Mapping[str, Scalar]
    status: Literal["ok", "failed", "skipped"]
    reason: str | None
    started: datetime
    values: Mapping[str, float] = field(default_factory=dict)
    """By metric."""
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """The samples of the values, by metric."""
    points: Sequence[CurvePoint] = ()
    """The points of its curve."""
    checks: Mapping[str, float | None] = field(default_factory=dict)
    """By verified quantity; None: not finite."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    backend: str = ""
    hosts: int = 1
    ranks: int = 1
    threads: int = 1
    """Threads of a rank."""

    def number(self, condition: str) -> float | None:
        """None: it was not seen, or is no finite number."""
        value = self.conditions.get(condition)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Violation:
    """A rule for official results that a verified case did not follow."""

    rule: Fact
    """In the middle of a sentence, after `instead of`: `at least 1,800 s of timed sets`."""
    found: Fact
    """`20.3 s`"""


@dataclass(frozen=True)
class Official:
    """What of the official code is kept; a benchmark without one has nothing here."""

    input_file: InputFile | None = None
    command_line: CommandLine | None = None
    output: Callable[[Sequence[Outcome]], str] | None = None
    """What the official code prints of such cases: existing parsers keep working."""
    rules: Callable[[Machine, Outcome], Sequence[Violation]] | None = None
    """What keeps a verified case from being an official result; empty: nothing does; None: there are no such rules."""
