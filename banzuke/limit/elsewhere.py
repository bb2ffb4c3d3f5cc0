"""Ceilings that a run does not measure itself: those of the newest run of the same machine that has them."""

from collections.abc import Collection, Mapping, Sequence

from banzuke.errors import BanzukeError
from banzuke.limit.ceilings import best, measured_here
from banzuke.machine.model import Machine
from banzuke.plan.cases import key
from banzuke.plan.needs import Measured
from banzuke.record.model import Record
from banzuke.record.store import Run


def newest(resources: Measured, runs: Sequence[Run], machine: Machine) -> Mapping[str, Sequence[Record]]:
    """Of each resource the records that set its ceilings in the newest run, the last of `runs`, that has such.

    A resource that no run knows is left out.
    """
    found: dict[str, Sequence[Record]] = {}
    for run in reversed(runs):
        unknown = {name: by for name, by in resources.items() if name not in found}
        if not unknown:
            break
        records = _usable(run, machine, {benchmark for _, benchmark in unknown.values()})
        for name, (resource, benchmark) in unknown.items():
            rates = best(resource, [record for record in records if record.benchmark == benchmark], machine)
            if rates:
                found[name] = [rate.record for rate in rates]
    return found


def _usable(run: Run, machine: Machine, benchmarks: Collection[str]) -> list[Record]:
    """Verified records of these benchmarks on all cores of this machine, and of what the run measured beforehand."""
    try:
        if run.machine().fingerprint != machine.fingerprint:
            return []
    except BanzukeError:
        return []
    plan = run.plan()
    cases = {key(case) for case in plan.cases if case.benchmark in benchmarks} if plan else None
    records = run.read(cases).records if cases or cases is None else []
    return [record for record in (*records, *run.ceilings()) if _tells(record, run, machine)]


def _tells(record: Record, run: Run, machine: Machine) -> bool:
    """A rate of few cores, or beside busy processes, is the best one here only for a run of the same kind."""
    origin = record.provenance
    if origin is None or origin.run != run.name or origin.neighbours:
        return False
    return measured_here(record, machine) and record.cores >= machine.allotment.usable_cores * record.nodes
