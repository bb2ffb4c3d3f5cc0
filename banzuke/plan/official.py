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
    """Ranks and parameters, in the order in which the official code runs them; None: the file sets no number of
    ranks.
    """
    notes: tuple[str, ...] = ()
    """Sentences about what is done differently from what the file says."""
    output: str | None = None
    """File that the official code writes its results to; None: a stream."""
    appends: bool = False
    """Whether new results are appended to the file."""
    backend: str | None = None
    """Backend that does as the official code would; None: the usual one."""
    folder: str | None = None
    """Folder of a storage area that it writes to; None: it does not say."""


@dataclass(frozen=True)
class InputFile:
    """The input file of the benchmark's official code, so that existing scripts keep working."""

    name: str
    read: Callable[[Lines], InputCases]
    """Raises BanzukeError naming the line."""


@dataclass(frozen=True)
class CommandLine:
    """The command line of the benchmark's official code, as people type it."""

    example: str
    """Options as an example: `-w -r -b 1g`."""
    read: Callable[[str], InputCases]
    """Raises BanzukeError naming the option."""


@dataclass(frozen=True)
class CurvePoint:
    """A point of a case's curve."""

    at: float
    samples: Mapping[str, Sequence[float]]
    """Samples by metric."""


@dataclass(frozen=True)
class Outcome:
    """The result of a case, as needed for printing it like the official code, and for the official rules."""

    parameters: Mapping[str, Scalar]
    status: Literal["ok", "failed", "skipped"]
    reason: str | None
    started: datetime
    values: Mapping[str, float] = field(default_factory=dict)
    """Figures by metric."""
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Samples of each figure, by metric."""
    points: Sequence[CurvePoint] = ()
    """The points of its curve."""
    checks: Mapping[str, float | None] = field(default_factory=dict)
    """Values by verified quantity; None: not finite."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    backend: str = ""
    hosts: int = 1
    ranks: int = 1
    threads: int = 1
    """Threads of a rank."""

    def number(self, condition: str) -> float | None:
        """Return the value of a condition; None: it was not seen, or is not a finite number."""
        value = self.conditions.get(condition)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Violation:
    """A rule for official results that a verified case did not follow."""

    rule: Fact
    """For the middle of a sentence, after `instead of`: `at least 1,800 s of timed sets`."""
    found: Fact
    """Such as `20.3 s`."""


@dataclass(frozen=True)
class Official:
    """The official code's input, output and rules, as far as they are supported; empty for a benchmark without one."""

    input_file: InputFile | None = None
    command_line: CommandLine | None = None
    output: Callable[[Sequence[Outcome]], str] | None = None
    """Returns what the official code prints for such cases, so that existing parsers keep working."""
    rules: Callable[[Machine, Outcome], Sequence[Violation]] | None = None
    """Returns what keeps a verified case from being an official result; empty: nothing; None: there are no such
    rules.
    """
