"""Ceilings in each state of the machine.

Memory that two processors read at 80 GB/s when they are far apart and at 45 GB/s when they are near has two ceilings,
and a figure is judged by that of its own state.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from banzuke.limit.capacity import noted
from banzuke.limit.ceilings import ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.state import ONE_STATE, State, States
from banzuke.words import message


class CeilingsByState:
    """The result of `ceilings` for each state that the records were in; if they show only one state, the
    same for all.
    """

    def __init__(
        self,
        records: Sequence[Record],
        machine: Machine,
        benchmarks: Mapping[str, Benchmark],
        others: Sequence[Record] = (),
    ) -> None:
        self._records, self._others, self._machine, self._benchmarks = records, others, machine, benchmarks
        self._states = States([*records, *others])
        several = dict.fromkeys(state for record in (*records, *others) if (state := self.state(record)).levels)
        self._measured = {state: self._in_state(state) for state in several}
        self._every = [
            self._by_value(ceiling) if ceiling.varies else [ceiling]
            for ceiling in ceilings(records, machine, benchmarks, others, self._states)
        ]
        self._known: dict[State, tuple[Ceiling, ...]] = {ONE_STATE: tuple(best for best, *_ in self._every)}

    def state(self, record: Record) -> State:
        return self._states.of(record)

    def bounding(self, record: Record) -> tuple[Ceiling, ...]:
        """Return the ceilings of the record's state; if that was not measured, the best of the others, with a note."""
        state = self.state(record)
        if state not in self._known:
            self._known[state] = self._bounding(state)
        return self._known[state]

    @property
    def every(self) -> tuple[Ceiling, ...]:
        """Return the ceilings of all states in which a resource was measured, the best first."""
        return tuple(ceiling for ceilings in self._every for ceiling in ceilings)

    def _by_value(self, ceiling: Ceiling) -> list[Ceiling]:
        """Return the ceiling and those of all states for the same resource, each once, the best first."""
        alike = [ceiling]
        for measured in self._measured.values():
            here = measured.get(_whose(ceiling))
            if here and here not in alike:
                alike.append(here)
        return sorted(alike, key=lambda ceiling: -ceiling.value)

    def _bounding(self, state: State) -> tuple[Ceiling, ...]:
        here = self._measured.get(state, {})
        return tuple(
            _held(here.get(_whose(best)), best, state) if best.varies else best for best in self._known[ONE_STATE]
        )

    def _in_state(self, state: State) -> Mapping[Hashable, Ceiling]:
        """Return what was measured in this state without doubt."""

        def counts(record: Record) -> bool:
            return self._states.around(record).holds_for(state)

        measured = ceilings(self._records, self._machine, self._benchmarks, self._others, self._states, counts)
        return {_whose(ceiling): ceiling for ceiling in measured if ceiling.varies and not any(ceiling.doubt)}


def _whose(ceiling: Ceiling) -> Hashable:
    """Return what identifies the same ceiling in several states."""
    return ceiling.resource.name, ceiling.partition


def _held(here: Ceiling | None, best: Ceiling, state: State) -> Ceiling:
    """Return the ceiling that judges figures of a state, with a note where it is uncertain."""
    if state.distance == "moved":
        ceiling, note = best, message("limit-state-moved") if best.state.levels else None
    elif not state.levels:
        ceiling, note = best, message("limit-state-unknown") if best.state.levels else None
    elif here is None:
        ceiling, note = best, message("limit-other-state", state=state_title(state))
    elif len(here.state.levels) < len(state.levels):
        ceiling, note = here, message("limit-uncertain-state", state=state_title(state))
    else:
        return here
    return replace(ceiling, source=noted(ceiling.source, note)) if note else ceiling
