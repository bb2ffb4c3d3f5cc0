"""Progress of a run on the error stream: the case, the share that is done, the time left."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Self

import rich.progress
from rich.console import RenderableType
from rich.progress import BarColumn, TextColumn
from rich.table import Column

from banzuke.cli.console import errors
from banzuke.launch.process import Progress
from banzuke.plan.axes import shown
from banzuke.plan.benchmark import Case
from banzuke.plan.cases import key
from banzuke.record.model import Record
from banzuke.units import count, duration, layout, quantity

ENOUGH = 3.0
"""Seconds after which a case's own pace predicts better than its estimate."""
UNTOLD = 0.95
"""Largest share of a case that counts as done by the clock alone."""


class Pace:
    """The pace of one case since its first progress report; what came before is set-up."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def left(self, share: float, now: float) -> float | None:
        """Return the seconds until the case is done if `share` of it is done at `now`; None: it is too early."""
        if self._first is None:
            self._first = now, share
        since, done = now - self._first[0], share - self._first[1]
        return since / done * (1 - share) if since >= ENOUGH and done > 0 else None


class Bars(rich.progress.Progress):
    """A progress bar that is updated before each refresh, so that it moves while a program reports nothing."""

    def __init__(self, moment: Callable[[], None]) -> None:
        self._moment = moment
        numbers = "{task.percentage:>3.0f}%  {task.fields[rate]}{task.fields[left]} left"
        super().__init__(
            TextColumn("{task.description}", markup=False, table_column=Column(ratio=3, no_wrap=True)),
            BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=10)),
            TextColumn(numbers, markup=False, table_column=Column(no_wrap=True)),
            console=errors,
            transient=True,
            expand=True,
            disable=not errors.is_terminal,
        )

    def get_renderable(self) -> RenderableType:
        self._moment()
        return super().get_renderable()


class RunDisplay:
    """An observer of `evaluation.execute` that shows progress; a context manager, so that the terminal is restored.

    A benchmark gets one line when all its cases are done; with `verbose`, each case gets one. A case that failed or was
    skipped always gets one, unless its environment is missing, which was printed before.

    The time left of the running case comes from its own pace as soon as that is known. For the other cases, and until
    then, it is their estimate, scaled by how the finished cases kept to theirs.
    """

    def __init__(self, cases: Sequence[Case], *, verbose: bool = False, within: float = math.inf) -> None:
        """Begin with no case; after `within` seconds the run is over, even if cases are left."""
        self._left = min(within, sum(case.seconds for case in cases))
        self._over = time.monotonic() + within
        self._telling = len({case.backend for case in cases}) > len({case.benchmark for case in cases})
        self._verbose = verbose
        self._planned = Counter(case.benchmark for case in cases)
        self._unit = "case" if len(set(map(key, cases))) == len(cases) else "launch"
        self._verified: dict[str, list[float]] = {benchmark: [] for benchmark in self._planned}
        self._ended: Counter[str] = Counter()
        self._estimated = self._spent = self._done = 0.0
        self._case: Case | None = None
        self._begun = 0.0
        self._pace = Pace()
        self._reported: Progress | None = None
        self._own: float | None = None
        self._bars = Bars(self._show)
        self._task = self._bars.add_task("starting", total=max(self._left, 1e-9), rate="", left="?")

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
        for name in self._ended if kind is None else ():
            self._summarize(name, over=True)

    def begin(self, case: Case, number: int, total: int) -> None:
        self._begun, self._pace, self._reported, self._own = time.monotonic(), Pace(), None, None
        self._case = case
        self._bars.update(self._task, description=f"[{number + 1}/{total}] {self._title(case)}")

    def progress(self, reported: Progress) -> None:
        self._reported, self._own = reported, self._pace.left(reported.share, time.monotonic())

    def again(self, case: Case) -> None:
        self._begun = time.monotonic()
        self._bars.update(self._task, description=f"measuring {case.benchmark} again: the machine has changed")

    def measured_again(self, case: Case, record: Record) -> None:
        self._left -= time.monotonic() - self._begun
        why = "the machine has changed" if record.status == "ok" else f"{record.status}: {record.reason}"
        errors.say(("measured again", "dim"), f" {case.benchmark}: {why}")

    def _show(self) -> None:
        """Bring the bar up to date."""
        if self._case is None:
            return
        progress = self._reported or Progress(
            min(UNTOLD, (time.monotonic() - self._begun) / max(self._case.seconds, 1e-9))
        )
        drift = (self._spent + 1.0) / (self._estimated + 1.0)
        done = progress.share * self._case.seconds
        own = (self._case.seconds - done) * drift if self._own is None else self._own
        left = min(self._over - time.monotonic(), (self._left - self._case.seconds) * drift + own)
        self._bars.update(
            self._task,
            completed=self._done + done,
            rate="" if progress.rate is None else f"{quantity(progress.rate, progress.unit)}, ",
            left=duration(round(max(0.0, left))),
        )

    def end(self, case: Case, record: Record) -> None:
        """Count the case as ended, and print its result if it gets a line of its own."""
        self._case = None
        took = time.monotonic() - self._begun
        self._spent += took
        self._estimated += case.seconds
        self._left -= case.seconds
        self._done += case.seconds
        name = case.benchmark
        self._ended[name] += 1
        if record.status == "ok":
            self._verified[name].append(took)
        if not record.lacks_environment and (record.status != "ok" or self._verbose or self._planned[name] == 1):
            mark = {"ok": ("verified", "green"), "failed": ("failed", "bold red"), "skipped": ("skipped", "yellow")}
            reason = f": {record.reason}" if record.reason else ""
            errors.say(mark[record.status], f" {self._title(case)}{reason}")
        self._summarize(name)

    def _summarize(self, benchmark: str, *, over: bool = False) -> None:
        """Print a line for a benchmark once all its cases are done, or if `over` for the cases that ended."""
        planned, verified = self._planned[benchmark], self._verified[benchmark]
        done = self._ended[benchmark] == planned
        if done != over and planned > 1 and verified and not self._verbose:
            share = f"{len(verified)} of " if len(verified) < planned else ""
            text = f" {benchmark}: {share}{count(planned, self._unit)} in {duration(sum(verified))}"
            errors.say(("verified", "green"), text)

    def _title(self, case: Case) -> str:
        return f"{case.backend} {title(case)}" if self._telling else title(case)


SECONDS_PER_PROBE = 0.6


@contextmanager
def looking() -> Iterator[Callable[[int, int], None]]:
    """Show that the machine is being examined; the yielded function shows how many libraries are left to probe."""
    with errors.busy("examining the machine ...") as say:

        def report(done: int, total: int) -> None:
            left = duration(round((total - done) * SECONDS_PER_PROBE))
            say(f"probing libraries: {done + 1} of {total}, about {left} left")

        yield report


class Silent(AbstractContextManager["Silent"]):
    """An observer that prints nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def begin(self, case: Case, number: int, total: int) -> None:
        pass

    def progress(self, reported: Progress) -> None:
        pass

    def again(self, case: Case) -> None:
        pass

    def measured_again(self, case: Case, record: Record) -> None:
        pass

    def end(self, case: Case, record: Record) -> None:
        pass


def title(case: Case) -> str:
    """Return a case's description in one line."""
    where = case.placement or " + ".join(layout(group.ranks, group.threads) for group in case.groups)
    unusual = shown(case.variant.values)
    settings = [f"{name}={value}" for name, value in case.parameters.items()]
    return " ".join([case.benchmark, where, *unusual, *settings])
