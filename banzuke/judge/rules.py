"""Checks whether a verified figure is an official result by its benchmark's own rules."""

from collections.abc import Sequence

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.official import Violation
from banzuke.plan.outcome import outcome
from banzuke.record.model import Record
from banzuke.words import Listed, Message, message


def violations(record: Record, benchmark: Benchmark | None, machine: Machine) -> tuple[Violation, ...] | None:
    """Return the rules that it did not follow; None: the benchmark has none."""
    if benchmark is None or benchmark.official.rules is None:
        return None
    return tuple(benchmark.official.rules(machine, outcome(record)))


def ruling(violations: Sequence[Violation] | None) -> tuple[Message, ...]:
    """Return `VALID, but not an official result: 20.3 s instead of at least 1,800 s`; empty: there are no rules."""
    if violations is None:
        return ()
    if not violations:
        return (message("limit-official"),)
    sentences = tuple(
        message("limit-violation", found=violation.found, rule=violation.rule) for violation in violations
    )
    return (message("limit-unofficial", violations=Listed(sentences)),)
