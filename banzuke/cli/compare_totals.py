"""`banzuke compare --fail-below`: how many figures reach a ratio, in one line and as the exit status, for scripts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from banzuke.cli.console import out
from banzuke.cli.options import HOW
from banzuke.compare.runs import Comparison, PublishedComparison
from banzuke.compare.verdict import Reached, overall, reached
from banzuke.errors import BanzukeError
from banzuke.units import count, number

STATUS: dict[Reached, int] = {"pass": 0, "fail": 1, "untold": 3}
"""Exit status by verdict; 2 is a usage error."""


def _ratio(value: float | None) -> float | None:
    """Raises BanzukeError."""
    if value is not None and not 0 < value < float("inf"):
        raise BanzukeError(f"--fail-below {value:g} is no ratio", remedy="Write one above 0, such as 0.95")
    return value


FailBelow = Annotated[
    float | None,
    typer.Option(
        "--fail-below",
        callback=_ratio,
        metavar="RATIO",
        help="Exit with 1 if the whole interval of a ratio is below this (0.95), with 3 if a ratio cannot be told; "
        "prints totals.",
        rich_help_panel=HOW,
    ),
]


@dataclass(frozen=True)
class Totals:
    """How many figures reach a ratio."""

    least: float
    number_of: Counter[Reached]

    @classmethod
    def of(cls, lines: Iterable[Comparison | PublishedComparison], least: float) -> "Totals":
        """Count figures; one that only A has, or that failed in B, cannot be told."""
        return cls(least, Counter(reached(line.ratio, line.interval, least) for line in lines if _counts(line)))

    @property
    def data(self) -> dict[str, float | int]:
        return {"least": self.least, **{name: self.number_of[name] for name in STATUS}}

    @property
    def status(self) -> int:
        return STATUS[overall(self.number_of.elements())]

    def say(self) -> None:
        """Print the line of totals."""
        figures, least = count(self.number_of.total(), "figure"), number(self.least)
        passed, failed, untold = (self.number_of[name] for name in STATUS)
        out.say(f"{figures}: {passed} at least {least} times, {failed} below, {untold} cannot be told")


def _counts(line: Comparison | PublishedComparison) -> bool:
    """Return whether a line is of a figure that B should have; what nothing declares is none."""
    if isinstance(line, PublishedComparison):
        return line.declared is not None
    return line.verdict != "only in B" and (line.metric is not None or not (line.other and line.other.measured))


def totals_data(lines: Iterable[Comparison | PublishedComparison], least: float | None) -> dict[str, object]:
    """Return the totals for `--json`, if they are asked for."""
    return {} if least is None else {"totals": Totals.of(lines, least).data}


def finish(lines: Sequence[Comparison | PublishedComparison], least: float | None, *, as_json: bool) -> None:
    """Print the totals, if they are asked for, and exit with their status; `as_json`: only exit."""
    if least is None:
        return
    totals = Totals.of(lines, least)
    if not as_json:
        totals.say()
    raise typer.Exit(totals.status)
