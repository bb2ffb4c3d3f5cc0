"""Chooses the launches of a study that are compared: undisturbed ones, in one state of the machine."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.compare.matching import CaseLaunches
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.state import DISTANCES, State, States, host_key, taken
from banzuke.words import Listed, Message, message

ON_A_HOST = replace(DISTANCES, alike=host_key)
"""Distances on a host are compared whatever the number of hosts, because the host with the farthest processors
sets the pace.
"""


@dataclass(frozen=True)
class LikeLaunches:
    """Launches of a study that can be compared."""

    cases: tuple[CaseLaunches, ...]
    """Each case with only these launches; empty: fewer than two numbers of nodes have any."""
    remarks: tuple[Message, ...] = ()
    """Messages about launches that do not count."""
    apart: bool = False
    """Whether several numbers of nodes were measured, but no two of them undisturbed and in one state."""


def states_of(records: Iterable[Record]) -> States:
    return States(records, ON_A_HOST)


def _quiet(case: CaseLaunches) -> tuple[Record, ...]:
    return tuple(record for record in case.measured if not taken(record).disturbed)


def alike(cases: Sequence[CaseLaunches], states: States) -> LikeLaunches:
    """Leave out disturbed launches, and those in other states than that found on the most numbers of nodes; if several
    states are, the one with the most launches is kept.
    """
    several = len({case.nodes for case in cases}) > 1
    disturbed: Counter[int] = Counter()
    undisturbed = [(case, _quiet(case)) for case in cases]
    for case, records in undisturbed:
        disturbed[case.nodes] += len(case.measured) - len(records)
    state = _most_common([(case.nodes, states.of(record)) for case, records in undisturbed for record in records])
    kept = [
        replace(case, records=(*ours, *case.failed))
        for case, records in undisturbed
        if state and (ours := tuple(record for record in records if states.of(record).is_alike(state)))
    ]
    remarks = (*about_disturbed(disturbed), *(_about_state(undisturbed, kept, states, state) if state else ()))
    if len({case.nodes for case in kept}) < 2:
        return LikeLaunches((), remarks, apart=several)
    return LikeLaunches(tuple(kept), remarks)


def about_disturbed(disturbed: Mapping[int, int]) -> Iterator[Message]:
    """Yield a message with the number of launches that do not count; `disturbed`: by number of nodes."""
    if launches := sum(disturbed.values()):
        nodes = Listed(tuple(str(nodes) for nodes in sorted(disturbed) if disturbed[nodes]))
        yield message("scaling-disturbed", launches=launches, nodes=nodes)


def _most_common(met: Collection[tuple[int, State]]) -> State | None:
    """Return the most common state; None: processors moved in all launches, or there are none."""
    nodes: dict[State, set[int]] = defaultdict(set)
    launches: Counter[State] = Counter()
    for state in dict.fromkeys(state for _, state in met if state.distance != "moved"):
        for number, other in met:
            if other.is_alike(state):
                nodes[state].add(number)
                launches[state] += 1
    return max(nodes, key=lambda state: (len(nodes[state]), launches[state]), default=None)


def _about_state(
    undisturbed: Sequence[tuple[CaseLaunches, Sequence[Record]]],
    kept: Sequence[CaseLaunches],
    states: States,
    state: State,
) -> Iterator[Message]:
    every = [record for _, records in undisturbed for record in records]
    launches = sum(len(case.measured) for case in kept)
    if launches < len(every):
        yield message("scaling-state", state=state_title(state), launches=launches, of=len(every))
    here = {case.nodes for case in kept}
    elsewhere: dict[int, dict[State, None]] = defaultdict(dict)
    for case, records in undisturbed:
        if case.nodes not in here:
            elsewhere[case.nodes] |= dict.fromkeys(map(states.of, records))
    for nodes in sorted(elsewhere):
        met = Listed(tuple(map(state_title, elsewhere[nodes])))
        if elsewhere[nodes]:
            yield message("scaling-elsewhere", nodes=nodes, states=met)


def about_copies(nodes: int, launches: Iterable[Record], states: States) -> Iterator[Message]:
    """Yield a message if hosts that were measured at the same time were in different states, so that their sum
    belongs to none.
    """
    met = dict.fromkeys(map(states.of, launches))
    if len(met) > 1:
        yield message("scaling-copies-unlike", nodes=nodes, states=Listed(tuple(map(state_title, met))))
