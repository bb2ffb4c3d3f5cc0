"""Whether a verified figure is an official result by its benchmark's own rules."""

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.official import Breach
from banzuke.record.model import Record
from banzuke.record.outcome import outcome


def breaches(record: Record, benchmark: Benchmark | None, machine: Machine) -> tuple[Breach, ...] | None:
    """The rules that it did not follow; None: the benchmark has none."""
    if benchmark is None or benchmark.official.rules is None:
        return None
    return tuple(benchmark.official.rules(machine, outcome(record)))


VALID = "VALID by all official rules"
UNOFFICIAL = "VALID but no official result"


def ruling(found: tuple[Breach, ...] | None) -> str:
    """`VALID but no official result: 20.3 s instead of at least 1,800 s of timed sets`; empty: there are no rules."""
    if found is None:
        return ""
    if not found:
        return VALID
    return f"{UNOFFICIAL}: " + "; ".join(f"{breach.found} instead of {breach.rule}" for breach in found)
