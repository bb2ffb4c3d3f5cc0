"""Groups jobs under a power cap into waves: jobs that run at the same time, after those of the wave before."""

from collections.abc import Sequence
from dataclasses import replace

from banzuke.batch.submission import PlannedJob
from banzuke.batch.systems import system
from banzuke.errors import BanzukeError
from banzuke.units import count, quantity


def limited(planned: PlannedJob, node_watt: float, cap: float) -> PlannedJob:
    """Return the job with its expected power, running at most as many elements at once as the cap allows.

    Raises BanzukeError.
    """
    job, batch_system = planned.job, system(planned.job)
    able = int(cap // (planned.nodes * node_watt))
    if able < 1 or (able < job.elements and not batch_system.limits_arrays):
        nodes = planned.nodes if able < 1 else planned.nodes * job.elements
        why = f"{count(nodes, 'node')} of {quantity(node_watt, 'W')}, and --power-cap is {quantity(cap, 'W')}"
        remedy = "Ask for fewer nodes, or a higher cap"
        if able >= 1:
            why += f"; {batch_system.title} cannot limit how many elements of an array run at once"
            remedy += ", or name --hosts: each has a job of its own"
        raise BanzukeError(f"job {planned.name} takes {quantity(nodes * node_watt, 'W')}", why=why, remedy=remedy)
    if able < job.elements:
        job = replace(job, at_once=able)
    return planned.having(job=job, node_watt=node_watt)


def waves(jobs: Sequence[PlannedJob], cap: float | None) -> list[list[PlannedJob]]:
    """Group jobs in their order, as many in each wave as stay within the cap; without a cap, all together."""
    grouped: list[list[PlannedJob]] = []
    total = 0.0
    for planned in jobs:
        if not grouped or (cap is not None and total + planned.watt > cap):
            grouped.append([])
            total = 0.0
        grouped[-1].append(planned)
        total += planned.watt
    return grouped
