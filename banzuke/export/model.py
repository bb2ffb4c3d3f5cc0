"""What is exported of a run: each case with its state, the reason of a failure, and the figures of passed checks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from banzuke.compare.settings import case_labels
from banzuke.errors import BanzukeError
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.records import judge
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case, key
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.units import layout

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class ExportedCase:
    """A case of a run."""

    benchmark: str
    label: str
    """What tells it from the run's other cases of the benchmark, each once."""
    outcome: Outcome
    reason: str
    """Why it failed or was skipped, of the first launch that did; empty: it passed."""
    log: str
    """End of the error stream of that launch."""
    figures: tuple[Figure, ...]
    """Empty unless every check of a launch passed."""
    record: Record | None
    """A launch that stands for it; None: it was planned, and not launched."""
    seconds: float
    """Duration of all its launches."""


@dataclass(frozen=True)
class ExportedRun:
    name: str
    machine: Machine
    cases: tuple[ExportedCase, ...]
    began: datetime
    ended: datetime


def exported_run(run: Run, benchmarks: Mapping[str, Benchmark]) -> tuple[ExportedRun, Sequence[str]]:
    """Return the run, and what could not be read of it. Raises BanzukeError."""
    if run.of_fleet:
        raise BanzukeError(
            f"run {run.name} cannot be exported",
            why="it measured many nodes alike, which are judged together",
            remedy="`banzuke screen --json` has the verdict, `banzuke report` all figures",
        )
    reading = run.read()
    if not reading.records:
        raise BanzukeError(
            f"run {run.name} has no records",
            why="; ".join(reading.unreadable[:3]) or "nothing was measured",
            remedy="Name another run (`banzuke list`), or measure again",
        )
    machine = run.machine()
    assessments, _ = judge(reading.records, machine, benchmarks, run.ceilings())
    labels = case_labels([assessment.record for assessment in assessments])
    cases = [_case(assessment, label) for assessment, label in zip(assessments, labels, strict=True)]
    plan = run.plan()
    launched = {record.provenance.case for record in reading.records if record.provenance}
    cases += [_planned(case) for case in (plan.cases if plan else ()) if key(case) not in launched]
    exported = ExportedRun(
        run.name,
        machine,
        tuple(_told_apart(cases)),
        min(record.started for record in reading.records),
        max(record.ended for record in reading.records),
    )
    return exported, reading.unreadable


def _case(assessment: Assessment, label: str) -> ExportedCase:
    records = assessment.records
    failed = [record for record in records if record.status == "failed"]
    skipped = [record for record in records if record.status == "skipped"]
    outcome: Outcome = "failed" if failed else "skipped" if len(skipped) == len(records) else "passed"
    bad = {"failed": failed, "skipped": skipped, "passed": []}[outcome]
    reason = bad[0].reason or outcome if bad else ""
    if failed and len(records) > 1:
        reason = f"{len(failed)} of {len(records)} launches: {reason}"
    origin = bad[0].provenance if bad else None
    return ExportedCase(
        assessment.record.benchmark,
        label,
        outcome,
        reason,
        (origin.log if origin else None) or "",
        assessment.figures,
        assessment.record,
        sum((record.ended - record.started).total_seconds() for record in records),
    )


def _planned(case: Case) -> ExportedCase:
    parts = (
        layout(case.ranks, case.threads),
        case.backend,
        *(f"{name} {value}" for name, value in case.parameters.items()),
    )
    reason = "planned, and not launched: the run was interrupted, or its time ran out"
    return ExportedCase(case.benchmark, ", ".join(parts), "skipped", reason, "", (), None, 0.0)


def _told_apart(cases: Sequence[ExportedCase]) -> Sequence[ExportedCase]:
    """Return the cases with a number after each label that another case had before."""
    seen: Counter[tuple[str, str]] = Counter()
    apart = []
    for case in cases:
        seen[case.benchmark, case.label] += 1
        number = seen[case.benchmark, case.label]
        apart.append(replace(case, label=f"{case.label} ({number})") if number > 1 else case)
    return apart
