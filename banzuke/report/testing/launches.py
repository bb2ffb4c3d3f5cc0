"""An artificial evaluation whose cases have several launches: quiet, disturbed, failed."""

from collections.abc import Sequence
from datetime import timedelta

from banzuke.judge.assess import assess_case
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.by_state import CeilingsByState
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.report.testing import dgemm, hpl, only, stream
from banzuke.report.testing.parts import BENCHMARKS, machine


def launched(record: Record, *speeds: float, **disturbed: float) -> list[Record]:
    """Return a launch for each speed, relative to the record's, ten minutes apart; at speed 0 it failed.

    `disturbed`: conditions of the slowest launch, which are 0 for the others.
    """
    if record.provenance is None:
        raise ValueError("made-up records have one")
    launches = []
    for place, speed in enumerate(speeds):
        later = timedelta(minutes=10 * place)
        name = record.provenance.id + (f"-{place}" if place else "")
        metrics = {
            metric: samples.model_copy(update={"samples": [sample * speed for sample in samples.samples]})
            for metric, samples in record.metrics.items()
        }
        bad = disturbed if speed == min(speeds) else dict.fromkeys(disturbed, 0.0)
        update = {
            "started": record.started + later,
            "ended": record.ended + later,
            "provenance": record.provenance.model_copy(update={"id": name, "repetition": place}),
            "metrics": metrics,
            "conditions": record.conditions | bad,
        }
        if speed == 0:
            log = record.provenance.model_copy(update={"id": name, "repetition": place, "log": "out of memory"})
            update |= {"status": "failed", "reason": "killed by signal 9", "metrics": {}, "verification": []}
            update |= {"breakdown": None, "provenance": log}
        launches.append(record.model_copy(update=update))
    return launches


def together(*launches: Sequence[Record]) -> list[Assessment]:
    """Return the cases with these launches."""
    every = [record for case in launches for record in case]
    here, siblings = machine(), Siblings(every, machine())
    measured = CeilingsByState(every, here, BENCHMARKS)
    return [
        assess_case(case, siblings=siblings, machine=here, benchmarks=BENCHMARKS, ceilings=measured)
        for case in launches
    ]


def launches() -> Evaluation:
    """Return cases whose launches agree, or of which one was disturbed, one failed or all failed; and a single one."""
    cases = together(
        launched(stream(1, 2, 0.98).record, 1.0, 1.004, 0.998),
        launched(stream(2, 1, 0.6).record, 1.0, 0.55, 1.01, other_busy_fraction=0.41),
        [stream(3, 4, 0.97).record],
        launched(dgemm(10, 4096, 2, 0.95).record, 1.0, 0.0, 1.02),
        launched(dgemm(11, 2048, 2, 0.9).record, 0.0, 0.0),
        launched(hpl(80, 20_000).record, 0.99, 1.0, 1.01),
    )
    return only(*cases, missing_launches=1)
