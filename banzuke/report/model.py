"""The input of a report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from banzuke.judge.model import Assessment
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedMachine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title
from banzuke.record.model import Record
from banzuke.results.orders import KeptOrders
from banzuke.words import Message


@dataclass(frozen=True)
class Evaluation:
    """A run to be reported: its judged cases, and what they are compared with."""

    run: str
    machine: Machine
    assessments: tuple[Assessment, ...]
    """Assessments, each benchmark's headline case first."""
    ceilings: tuple[Ceiling, ...]
    benchmarks: Mapping[str, Benchmark]
    started: datetime
    ended: datetime
    planned: int
    """Number of cases that the evaluation planned to measure."""
    missing_launches: int = 0
    """Planned launches without a record, in cases that have another."""
    standard: int | None = None
    """Number of cases of an evaluation with time for all of them; None: not an evaluation, or it had the time."""
    incomplete: Message | None = None
    """Says that benchmarks have no figure because time ran out."""
    cut_short: tuple[Message, ...] = ()
    """What the time limit left out or shortened."""
    published: tuple[PublishedMachine, ...] = ()
    launched: tuple[Record, ...] = ()
    """Launches of its cases in all runs, which show how runs vary where it is compared with others."""
    unreadable: tuple[str, ...] = field(default=())
    """Record files or lines that were skipped, each with its reason."""
    without_views: str = ""
    """Why tables and charts of views are left out; empty: they are not."""
    orders: KeptOrders | None = None
    """Places of ranks in orders other than the scheduler's; None: there were none."""
    overhead_seconds: float | None = None
    """Seconds that Banzuke itself took outside the benchmark programs, from the call to the writing of the report."""

    def title_of(self, benchmark: str) -> Message | str:
        """Return the title of a benchmark; its name where it is unknown here."""
        return benchmark_title(self.benchmarks[benchmark]) if benchmark in self.benchmarks else benchmark
