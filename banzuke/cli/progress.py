"""Progress of a run on the error stream: which case, what share is done, how long is left."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from banzuke.cli.console import errors
from banzuke.launch.process import Progress
from banzuke.plan.benchmark import Case
from banzuke.record.model import Record
from banzuke.units import duration, quantity

MANY = 60
"""Cases from which on only the failed ones have a line on a terminal; the bar tells of the others."""
ENOUGH = 3.0
"""Seconds after which a case's own pace says more than its estimate."""


class Pace:
    """How fast one case goes, from its first word of progress on: what came before it was set-up."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def left(self, share: float, now: float) -> float | None:
        """Seconds until the case is done, where `share` of it is at the time `now`; None: too early to say."""
        if self._first is None:
            self._first = now, share
        since, done = now - self._first[0], share - self._first[1]
        return since / done * (1 - share) if since >= ENOUGH and done > 0 else None


class Display:
    """An observer of `evaluation.execute`; a context manager, so that the terminal is left as it was.

    Time left: of the running case, what its own pace says as soon as it has one; of the others, and until then, what
    they were estimated at, scaled by how the finished ones kept to their estimate.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        self._left = sum(case.seconds for case in cases)
        self._telling = len({case.backend for case in cases}) > len({case.benchmark for case in cases})
        self._brief = len(cases) >= MANY and errors.is_terminal
        self._estimated = self._spent = 0.0
        self._case: Case | None = None
        self._begun = 0.0
        self._pace = Pace()
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}{task.fields[left]} left"),
            console=errors,
            transient=True,
            disable=not errors.is_terminal,
        )
        self._task = self._bars.add_task("starting", total=max(self._left, 1e-9), rate="", left="?")
        self._done = 0.0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, case: Case, number: int, total: int) -> None:
        self._case, self._begun, self._pace = case, time.monotonic(), Pace()
        self._bars.update(self._task, description=f"[{number + 1}/{total}] {self._title(case)}")
        self._show(Progress(0.0), None)

    def progress(self, told: Progress) -> None:
        self._show(told, self._pace.left(told.share, time.monotonic()))

    def _show(self, told: Progress, own: float | None) -> None:
        if self._case is None:
            return
        drift = (self._spent + 1.0) / (self._estimated + 1.0)
        done = told.share * self._case.seconds
        left = (self._left - done) * drift if own is None else (self._left - self._case.seconds) * drift + own
        self._bars.update(
            self._task,
            completed=self._done + done,
            rate="" if told.rate is None else f"{quantity(told.rate, told.unit)}, ",
            left=duration(round(max(0.0, left))),
        )

    def end(self, case: Case, record: Record) -> None:
        self._spent += time.monotonic() - self._begun
        self._estimated += case.seconds
        self._left -= case.seconds
        self._done += case.seconds
        if self._brief and record.status == "ok":
            return
        mark = {"ok": ("verified", "green"), "failed": ("failed", "bold red"), "skipped": ("skipped", "yellow")}
        reason = f": {record.reason}" if record.reason else ""
        errors.say(mark[record.status], f" {self._title(case)}{reason}")

    def _title(self, case: Case) -> str:
        return f"{case.backend} {title(case)}" if self._telling else title(case)


SECONDS_PER_PROBE = 0.6


@contextmanager
def looking() -> Iterator[Callable[[int, int], None]]:
    """Says that the machine is looked at, and, once told, how many BLAS libraries are still to be probed."""
    with errors.busy("looking at the machine ...") as say:

        def report(done: int, total: int) -> None:
            left = duration(round((total - done) * SECONDS_PER_PROBE))
            say(f"probing BLAS libraries: {done + 1} of {total}, about {left} left")

        yield report


class Silent:
    """An observer that says nothing."""

    def begin(self, case: Case, number: int, total: int) -> None:
        pass

    def progress(self, told: Progress) -> None:
        pass

    def end(self, case: Case, record: Record) -> None:
        pass


def title(case: Case) -> str:
    """A case in one line."""
    layout = f"{case.ranks} x {case.threads} threads" if case.ranks > 1 else f"{case.threads} threads"
    where = case.placement.name if case.placement else layout
    unusual = [case.environment] if case.environment != "native" else []
    unusual += [f"beside {case.neighbours}"] if case.neighbours else []
    settings = [f"{name}={value}" for name, value in case.parameters.items()]
    return " ".join([case.benchmark, where, *unusual, *settings])
