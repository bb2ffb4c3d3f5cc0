"""What a report is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from banzuke.judge.model import Assessment
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedMachine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title
from banzuke.results.orders import KeptOrders
from banzuke.words import Message


@dataclass(frozen=True)
class Evaluation:
    """A run as it is reported: its judged cases, and what they are shown beside."""

    run: str
    machine: Machine
    assessments: tuple[Assessment, ...]
    """Of each benchmark, its headline case first."""
    ceilings: tuple[Ceiling, ...]
    benchmarks: Mapping[str, Benchmark]
    started: datetime
    ended: datetime
    planned: int
    """Cases that the evaluation set out to measure."""
    missing_launches: int = 0
    """Planned launches without a record, of cases that have one."""
    standard: int | None = None
    """Cases of an evaluation that has time for all; None: it was none, or had."""
    incomplete: Message | None = None
    """That benchmarks have no figure because time ran out."""
    cut_short: tuple[Message, ...] = ()
    """What its time left out or shortened."""
    published: tuple[PublishedMachine, ...] = ()
    unreadable: tuple[str, ...] = field(default=())
    """Record files or lines that were skipped, each with its reason."""
    without_views: str = ""
    """Why the tables and charts of views are left out; empty: they are not."""
    orders: KeptOrders | None = None
    """Where ranks were that were in other orders than the scheduler's; None: none were."""
    overhead_seconds: float | None = None
    """Time that Banzuke itself took, from the call to the writing of the report, outside the benchmark programs."""

    def title_of(self, benchmark: str) -> Message | str:
        """The title of a benchmark; its name where it is not known here."""
        return benchmark_title(self.benchmarks[benchmark]) if benchmark in self.benchmarks else benchmark
