from collections.abc import Sequence
from dataclasses import replace

import pytest

from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import BENCHMARKS, CEILINGS, ENGLISH, GIGA, MACHINE, STREAM, triad
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.official import Official, Outcome, Violation


def rules(machine: Machine, outcome: Outcome) -> Sequence[Violation]:
    """Require as many seconds as there are cores, and all of them."""
    cores, used = machine.allotment.usable_cores, outcome.ranks * outcome.threads
    duration = outcome.conditions["timed_seconds"]
    missed = [Violation("at least 4 s", f"{duration:g} s")] if duration < cores else []
    return missed + ([Violation("all cores", f"{used} cores")] if used < cores else [])


RULED = replace(STREAM, official=Official(rules=rules))


def judged(benchmark: Benchmark, seconds: float, threads: int) -> Assessment:
    subject = triad(30 * GIGA, threads=threads, conditions={"timed_seconds": seconds})
    benchmarks = BENCHMARKS | {"stream": benchmark}
    return assess(
        subject, siblings=Siblings([subject], MACHINE), machine=MACHINE, benchmarks=benchmarks, ceilings=CEILINGS
    )


@pytest.mark.parametrize(
    ("seconds", "threads", "end"),
    [
        (5.0, 4, "; VALID by all official rules"),
        (1.5, 4, "; VALID, but not an official result: 1.5 s instead of at least 4 s"),
        (1.5, 2, "; VALID, but not an official result: 1.5 s instead of at least 4 s and 2 cores instead of all cores"),
    ],
)
def test_the_verdict_names_every_rule_that_was_not_followed(seconds: float, threads: int, end: str) -> None:
    assessment = judged(RULED, seconds, threads)
    assert ENGLISH.joined(assessment.verdict).endswith(end)
    assert len(assessment.violations or ()) == end.count("instead of")


def test_without_rules_nothing_is_said() -> None:
    assessment = judged(STREAM, 1.5, 2)
    assert assessment.violations is None
    assert "official" not in ENGLISH.joined(assessment.verdict)


def test_a_case_that_did_not_verify_has_no_ruling() -> None:
    failed = triad(30 * GIGA).model_copy(update={"status": "failed", "reason": "killed", "metrics": {}})
    benchmarks = BENCHMARKS | {"stream": RULED}
    assessment = assess(failed, siblings=Siblings(), machine=MACHINE, benchmarks=benchmarks, ceilings=CEILINGS)
    assert assessment.violations is None
