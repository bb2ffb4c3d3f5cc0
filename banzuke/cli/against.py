"""`banzuke run --against RUN`: measures the cases of an earlier run again, interleaved with those of today.

A case can be restored: its build, its library, its settings. The state of the system at that time cannot.
"""

from collections.abc import Hashable
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.evaluation.prepared import Prepared
from banzuke.plan.case import Case, key
from banzuke.results.store import Store


def against(prepared: Prepared, name: str, store: Store) -> Prepared:
    """Return the prepared run with those cases of run `name` added that differ only in how they are launched.

    Raises BanzukeError if there are none, if the run is of another machine, or if it is not ours, because its plan says
    which programs are started.
    """
    run = store.locate(name)
    if run.machine().fingerprint != prepared.machine.fingerprint:
        raise BanzukeError(
            f"run {run.name} cannot be measured again here",
            why="it has other hardware, or another number of processors",
            remedy="Compare it as it is: banzuke compare",
        )
    here, problems = set(map(key, prepared.cases)), set(map(_problem, prepared.cases))
    same = [case for case in run.own_plan().cases if _problem(case) in problems]
    again = [case for case in same if key(case) not in here]
    if not again:
        benchmarks = " and ".join(prepared.specs)
        raise BanzukeError(
            f"nothing of run {run.name} differs from what {benchmarks} would measure now",
            why="builds, libraries and settings are the same, and other changes cannot be restored"
            if same
            else f"it has no case of {benchmarks} with these parameters and this layout",
            remedy=f"Run `banzuke run {' '.join(prepared.specs)} --repeat 5` three times on each side, in turn and "
            "hours apart, then `banzuke compare A1,A2,A3 B1,B2,B3`",
        )
    return replace(prepared, cases=[*again, *prepared.cases])


def _problem(case: Case) -> Hashable:
    """Return what two cases must have in common to be compared."""
    layout = tuple((group.ranks, group.threads, group.partition, group.devices) for group in case.groups)
    return case.benchmark, tuple(sorted(case.parameters.items())), layout, case.placement
