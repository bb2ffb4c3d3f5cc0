"""Judges records against the ceilings that they measured."""

from collections.abc import Mapping, Sequence

from banzuke.compare.matching import gather
from banzuke.judge.assess import assess_case
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.limit.by_state import CeilingsByState
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record


def judge(
    records: Sequence[Record],
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    others: Sequence[Record] = (),
) -> tuple[tuple[Assessment, ...], tuple[Ceiling, ...]]:
    """Judge each case with its launches, and return all ceilings.

    Ceilings are those that these records measured or, if missing, `others`, in the state of the machine during each
    launch.
    """
    measured, siblings = CeilingsByState(records, machine, benchmarks, others), Siblings(records, machine)
    return tuple(
        assess_case(case.records, siblings=siblings, machine=machine, benchmarks=benchmarks, ceilings=measured)
        for case in gather(records)
    ), measured.every
