"""Finds ceilings that a run does not measure itself, in earlier runs of the same machine."""

from collections.abc import Collection, Mapping, Sequence

from banzuke.errors import BanzukeError
from banzuke.limit.capacity import serving
from banzuke.limit.rates import Rate, choose, measured_here
from banzuke.machine.model import Machine
from banzuke.plan.case import key
from banzuke.plan.needs import Measured
from banzuke.record.model import Record
from banzuke.results.run import Run

RUNS = 20
"""Number of the newest runs with a ceiling that are read."""
NEAR = 0.95
"""Least share of the best known rate: a run that was slowed, or had a slow case, sets no ceiling."""


def known_ceilings(
    resources: Measured, runs: Sequence[Run], machine: Machine, *, device: str | None = None
) -> Mapping[str, Sequence[Record]]:
    """Return the records that set each resource's ceilings in the newest of `runs` that is near the best known rate.

    `runs`: oldest first; `device`: find ceilings of devices of this kind instead of processors. A resource is left out
    if no run measured it, or only with doubt.
    """
    rates_by_run: dict[str, list[list[Rate]]] = {name: [] for name in resources}
    for run in reversed(runs):
        wanted = {name: by for name, by in resources.items() if len(rates_by_run[name]) < RUNS}
        if not wanted:
            break
        records = _usable(run, machine, {benchmark for _, benchmark in wanted.values()})
        for name, (resource, benchmark) in wanted.items():
            # A link or an area serves any rank alike; elsewhere, few cores only show the best rate of few cores.
            any_core = device is not None or resource.scope in ("link", "area")
            counting = [
                record
                for record in records
                if {share.device for share in serving(record, machine)} == {device}
                and (any_core or _on_all_cores(record, machine))
            ]
            measuring = [record for record in counting if record.benchmark == benchmark]
            if rates := [choice.best for choice in choose(resource, measuring, machine) if not any(choice.doubt)]:
                rates_by_run[name].append(rates)
    return {name: [rate.record for rate in _near_the_best(rates)] for name, rates in rates_by_run.items() if rates}


def _near_the_best(rates_by_run: Sequence[Sequence[Rate]]) -> Sequence[Rate]:
    """Return the rates of the newest run near the best of all; `rates_by_run`: newest first."""
    fastest = [max(rate.value for rate in rates) for rates in rates_by_run]
    return next(rates for rates, value in zip(rates_by_run, fastest, strict=True) if value >= NEAR * max(fastest))


def _usable(run: Run, machine: Machine, benchmarks: Collection[str]) -> list[Record]:
    """Return verified records of these benchmarks on this machine, including short cases that the run
    measured beforehand.
    """
    try:
        if run.of_fleet or run.machine().fingerprint != machine.fingerprint:
            return []
    except BanzukeError:
        return []
    plan = run.plan()
    cases = {key(case) for case in plan.cases if case.benchmark in benchmarks} if plan else None
    records = run.read(cases).records if cases or cases is None else []
    return [record for record in (*records, *run.ceilings()) if _counts(record, run, machine)]


def _counts(record: Record, run: Run, machine: Machine) -> bool:
    """Return whether a record counts: not if it ran beside busy processes on purpose, or belongs to another run."""
    origin = record.provenance
    if origin is None or origin.run != run.name or origin.neighbours:
        return False
    if any(group.partition not in (None, machine.allotment.partition) for group in record.groups):
        return False  # on another of several partitions
    return measured_here(record, machine)


def _on_all_cores(record: Record, machine: Machine) -> bool:
    return record.cores >= machine.allotment.usable_cores * record.nodes
