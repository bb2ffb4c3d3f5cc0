"""An artificial memory-bound solver in several layouts, orderings and colours, with rules for official results."""

from collections.abc import Sequence
from dataclasses import replace

from banzuke.judge.model import Assessment
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Metric
from banzuke.plan.official import Official, Outcome, Violation
from banzuke.record.figures import Samples, Verification
from banzuke.report.testing.parts import BENCHMARKS, assess, benchmark, record
from banzuke.testing import Work
from banzuke.views.sweep.plot import Plot

NEEDED = {"mc": 8, "cm-rcm": 9}
"""Fewest colours that an ordering finds."""


def rules(_machine: Machine, outcome: Outcome) -> Sequence[Violation]:
    seconds = outcome.conditions["timed_seconds"]
    return [] if seconds >= 60 else [Violation("at least 60 s", f"{seconds:g} s")]


SOLVER = replace(
    benchmark(
        "geofem",
        "GeoFEM-Cube",
        (
            Metric("flop_rate", "flop/s", "higher", "GeoFEM-Cube", headline=True),
            Metric("time", "s", "lower", "GeoFEM-Cube time"),
            Metric("iterations", "count", "lower", "GeoFEM-Cube iterations"),
        ),
        (
            Plot("Time by layout", ("time",), x="layout", alike=("n", "ordering", "colours")),
            Plot(
                "Iterations over colours",
                ("iterations",),
                x="colours_used",
                series="ordering",
                log_x=True,
                alike=("n", "layout"),
            ),
        ),
    ),
    official=Official(rules=rules),
)
KNOWN = {**BENCHMARKS, "geofem": SOLVER}


def solved(
    index: int,
    ordering: str = "cm-rcm",
    colours: int = 32,
    *,
    ranks: int = 2,
    threads: int = 1,
    n: int = 40,
    seconds: float = 3.0,
    violations: tuple[Violation, ...] | None = None,
) -> Assessment:
    """Return a case of a solver that needs fewer iterations with more colours."""
    iterations = 300.0 - 10 * colours**0.5
    work = Work(flops=1020.0 * n**3 * iterations, bytes=4530.0 * n**3 * iterations, moved=4530.0 * n**3 * iterations)
    metrics = {
        "flop_rate": Samples(unit="flop/s", samples=[9e9 / threads], **work.of("flop/s")),
        "time": Samples(unit="s", samples=[0.1 * n**3 * iterations / 9e9 * threads], **work.of("s")),
        "iterations": Samples(unit="count", samples=[iterations]),
    }
    checks = [
        Verification(quantity=f"error {name}", value=1e-9, tolerance=1e-6, passed=True) for name in ("a", "b", "c", "d")
    ]
    case = record(
        "geofem",
        index,
        {"n": n, "ordering": ordering, "colours": colours},
        metrics,
        ranks=ranks,
        threads=threads,
        checks=checks,
    )
    conditions = {"colours_used": max(colours, NEEDED[ordering]), "timed_seconds": seconds}
    case = case.model_copy(update={"conditions": case.conditions | conditions})
    return assess(case, KNOWN, violations=violations)
