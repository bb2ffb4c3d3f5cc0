"""Carries a prepared run out: begins or continues it, and launches what it lacks while its energy is recorded."""

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.evaluation.execute import Observer, execute_all, run_of
from banzuke.evaluation.listener import RunListener
from banzuke.evaluation.needed import Needed
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.judge.model import Assessment
from banzuke.judge.records import judge
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.variant import NODE_ORDER
from banzuke.power.accounting import Accounting
from banzuke.power.find import sources
from banzuke.power.recorder import recording
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import duration

Display = Callable[[Sequence[Case], float], AbstractContextManager[Observer]]
"""Makes the observer of these cases, which are over after so many seconds."""


def begin(
    store: Store,
    prepared: Prepared,
    identity: str,
    listener: RunListener,
    *,
    name: str | None = None,
    fresh: bool = False,
    repeat: int = 1,
) -> tuple[Run, Prepared]:
    """Begin the run, or continue the one of the same call (interrupted, or of this name) as it was planned then; see
    `run_of`.
    """
    run, left = run_of(store, prepared, identity, name, fresh=fresh, repeat=repeat, report=listener.warn)
    if left is not prepared:
        why = "" if name else ", which was interrupted (--fresh starts a new run)"
        listener.say(f"continuing {run.name}{why}")
    return run, left


def carry_out(
    run: Run, left: Prepared, needed: Needed, launching: Options, display: Display, listener: RunListener, begun: float
) -> None:
    """Launch what is left of the run. With a budget, launch what fits, from the time `begun` of `time.monotonic` on."""

    def tell_idle(seconds: float) -> None:
        listener.say((f"measuring the idle power for {duration(seconds)}", "dim"))

    sensors = sources(left.machine, os.environ)
    recorded = recording(sensors, left.machine.node.power, tell_idle, Accounting.of_job(os.environ))
    with run.owned(), recorded as recorder:
        launching = replace(launching, recorder=recorder)
        for why in recorder.refused:
            listener.warn(f"a sensor of power is left out: {why}")
        run.keep_ceilings(needed.known)
        if orders := launching.orders.kept():
            run.keep_orders(orders)
        planned = run.plan()
        budget = planned.budget if planned else None
        within = budget.seconds - (time.monotonic() - begun) if budget else math.inf
        cases = [*needed.cases(), *(case for case, _ in run.missing())]
        with display(cases, within) as observer:
            execute_all(run, left, needed, observer, launching, begun)
        run.check_there()


def without_repeated(prepared: Prepared, launching: Options, listener: RunListener) -> Prepared:
    """Compute all orders, leave out cases whose ranks are placed as in another order, and tell which.

    Cases within a budget stay, because the budget depends on their number.
    """
    for case in prepared.cases:
        if case.variant.rank_order != NODE_ORDER:
            with suppress(BanzukeError):  # its launch reports the error
                prepared.command(case, launching)
    same = [] if prepared.budget else list(launching.orders.repeated(prepared.cases))
    for text in dict.fromkeys(f"--order {case.variant.rank_order} does nothing for {case.benchmark}" for case in same):
        listener.say(f"{text}: its ranks are where another order has them")
    return replace(prepared, cases=[case for case in prepared.cases if case not in same]) if same else prepared


def judged(
    run: Run, specs: Mapping[str, Benchmark], listener: RunListener
) -> tuple[tuple[Assessment, ...], tuple[Ceiling, ...]]:
    """Judge the records of a run by its own machine, return the ceilings, too, and tell which lines are no records."""
    reading = run.read()
    for problem in reading.unreadable:
        listener.say(("ignored:", "yellow"), f" {problem}")
    # Benchmarks that did not run also declare resources, and name what would measure unknown ones.
    return judge(reading.records, run.machine(), {**benchmarks(), **specs}, run.ceilings())
