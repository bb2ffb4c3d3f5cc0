"""`banzuke run --against RUN`: cases of an earlier run that are measured again, in turn with those of today.

What a case is can be restored: its build, its library, its settings. What the system was then cannot be.
"""

from collections.abc import Hashable
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.evaluation.prepared import Prepared
from banzuke.plan.benchmark import Case
from banzuke.plan.cases import key
from banzuke.results.store import Store


def against(prepared: Prepared, name: str, store: Store) -> Prepared:
    """With the cases of that run which differ from the prepared ones in how they are launched, and in nothing else.

    Raises BanzukeError where there are none, where it is of another machine, and where it is not ours: its plan says
    what is started.
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
    """What two cases have in common that are set beside each other."""
    layout = tuple((group.ranks, group.threads, group.partition, group.devices) for group in case.groups)
    return case.benchmark, tuple(sorted(case.parameters.items())), layout, case.placement
