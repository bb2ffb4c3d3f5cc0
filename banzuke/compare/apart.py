"""Compares two sides that were not interleaved: chooses their launches, contrasts them block by block, and says how.

Disturbed launches do not count, and launches in one state of the machine are compared with launches in that state.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from banzuke.compare.blocks import (
    FEWEST_BLOCKS,
    ROUNDING,
    Block,
    Contrast,
    alone,
    blocks,
    contrast,
    further,
    missing,
    run,
    unlike,
)
from banzuke.compare.matching import CaseLaunches, problem, same_case
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.state import ONE_STATE, State, States, case_key, pair_key, read_signs, taken
from banzuke.words import Message, message

ValueOf = Callable[[Record], float | None]
"""Returns the median of a figure in a launch; None: it has none."""
StateOf = Callable[[Record], State]
A, B = (("a", "own"), ("b", "own"))
OTHER = "other"
OTHERS = (("a", OTHER), ("b", OTHER))
REPEAT = 5
"""Launches per run that the messages ask for."""


@dataclass(frozen=True)
class Apart:
    """What can be compared of two sides."""

    a: tuple[Record, ...]
    b: tuple[Record, ...]
    """Launches that count; empty on one side if nothing can be compared."""
    blocks: Sequence[Block] = ()
    contrast: Contrast | None = None
    """None: it is unknown how runs differ."""
    messages: tuple[Message, ...] = field(default=())
    """What the reader is told about the comparison."""

    @property
    def counts(self) -> tuple[int, int]:
        """Number of blocks of each side."""
        sides = Counter(block.side for block in self.blocks)
        return sides[A], sides[B]


def interleaved(a: CaseLaunches, b: CaseLaunches) -> bool:
    """Return whether launches of both sides experienced the same changes of the machine.

    That is, they are of one run or, if runs are unknown, overlap in time.
    """
    runs = [_runs(case) for case in (a, b)]
    if "" in runs[0] | runs[1]:
        spans = [
            (min(record.started for record in records), max(record.ended for record in records))
            for records in (a.records, b.records)
        ]
        return max(start for start, _ in spans) < min(end for _, end in spans)
    return runs[0] == runs[1] and len(runs[0]) == 1


def several_runs(case: CaseLaunches) -> bool:
    return len(_runs(case)) > 1


def _runs(case: CaseLaunches) -> set[str]:
    return {run(record) for record in case.records}


def apart(a: CaseLaunches, b: CaseLaunches, value: ValueOf, names: tuple[str, str] = ("A", "B")) -> Apart:
    """Choose the launches of both sides that can be compared, and contrast their blocks.

    Both sides have launches with the figure, all positive. `names`: what the messages call the sides.
    """
    sides = [[record for record in case.measured if value(record)] for case in (a, b)]
    quiet = [[record for record in side if not taken(record).disturbed] for side in sides]
    messages = [*_disturbed(names, sides, quiet)]
    if not all(quiet):
        return Apart((), (), messages=(*messages, *_again(a, b, FEWEST_BLOCKS, names)))
    state_of = _states(a, b)
    here = _in_one_state(a, b, quiet, state_of, value, names)
    if here.contrast is None and (moving := _moving(a, b)):
        anyhow = _in_one_state(*moving, quiet, lambda record: replace(state_of(record), distance=None), value, names)
        here = replace(anyhow, messages=(message("compare-moving"), *anyhow.messages)) if anyhow.contrast else here
    return replace(here, messages=(*messages, *here.messages))


def _in_one_state(
    a: CaseLaunches,
    b: CaseLaunches,
    quiet: Sequence[Sequence[Record]],
    state_of: StateOf,
    value: ValueOf,
    names: tuple[str, str],
) -> Apart:
    """Contrast the undisturbed launches of both sides in the state that both share."""
    shared, messages = _shared(names, quiet, state_of, value)
    if shared is None:
        return Apart((), (), messages=(*messages, *_again(a, b, FEWEST_BLOCKS, names)))
    first, second = ([record for record in side if state_of(record) == shared] for side in quiet)
    here = Apart((), ())
    for history in (_history(a, b), _others(a, b)):
        others = [
            [
                record
                for record in case.others
                if value(record) and not taken(record).disturbed and state_of(record) == shared
            ]
            for case in history
        ]
        here = _contrasted(a, b, (first, second), others, value)
        if here.contrast:
            break
    return replace(here, messages=(*messages, *_about_blocks(a, b, here, names)))


def _moving(a: CaseLaunches, b: CaseLaunches) -> tuple[CaseLaunches, CaseLaunches] | None:
    """Return the sides, with only such other runs in which processors moved during some launch.

    There the distance lasted no longer than a few launches, so that it is no state of a run, and launches of such runs
    can be compared whatever it was. None: one of the sides has a run in which no launch saw the processors move.
    """
    moved = {
        run(record)
        for case in (a, b)
        for record in (*case.measured, *case.others)
        if read_signs(record.conditions).moved
    }
    if not {run(record) for case in (a, b) for record in case.measured} <= moved - {""}:
        return None
    first, second = (tuple(record for record in case.others if run(record) in moved) for case in (a, b))
    return replace(a, others=first), replace(b, others=second)


def _contrasted(
    a: CaseLaunches,
    b: CaseLaunches,
    sides: tuple[Sequence[Record], Sequence[Record]],
    others: Sequence[Sequence[Record]],
    value: ValueOf,
) -> Apart:
    """Contrast these launches of the sides by the variation between their blocks and those of other runs."""
    first, second = sides
    all_blocks = blocks(
        {
            side: [(record, value(record) or 0.0) for record in launches]
            for side, launches in zip((A, B, *OTHERS), (first, second, *others), strict=True)
            if launches
        }
    )
    alike = same_case(a.record, b.record)
    difference = contrast(all_blocks, A, B, alike=alike) if _machine(a) == _machine(b) else unlike(all_blocks, A, B)
    return Apart(tuple(first), tuple(second), all_blocks, difference)


def by_runs(case: CaseLaunches, value: ValueOf) -> Contrast | None:
    """Estimate the figure of a case by how its runs and earlier ones differ, whatever state the machine was in.

    None: too few runs to know that (one with fewer than three earlier ones, or fewer than three).
    """
    earlier, _ = _history(case, case)
    quiet = [
        [(record, value(record) or 0.0) for record in records if value(record) and not taken(record).disturbed]
        for records in (case.measured, earlier.others)
    ]
    sides = zip((A, OTHERS[0]), quiet, strict=True)
    difference = alone(blocks({side: launches for side, launches in sides if launches}), A)
    return difference if difference and difference.error > ROUNDING else None


def undisturbed(case: CaseLaunches) -> CaseLaunches:
    """Return the case without the launches that other processes disturbed, if any remain."""
    quiet = tuple(record for record in case.records if not taken(record).disturbed)
    return replace(case, records=quiet) if any(record.status == "ok" for record in quiet) else case


def _states(a: CaseLaunches, b: CaseLaunches) -> StateOf:
    """Return a function for the state of a launch, by the signs of it that are comparable between the sides."""
    records = [record for case in (a, b) for record in (*case.records, *case.others)]
    states = States(records)
    near, same = (trait(a.record) == trait(b.record) for trait in (pair_key, case_key))
    recorded = {id(record): states.of(record) for record in records}
    seen = {
        key: replace(state if same else ONE_STATE, distance=state.distance if near else None)
        for key, state in recorded.items()
    }
    return lambda record: seen[id(record)]


def _machine(case: CaseLaunches) -> str:
    return case.record.provenance.machine if case.record.provenance else ""


def one_case(a: CaseLaunches, b: CaseLaunches) -> bool:
    """Return whether both sides are the same case on the same machine, so that other runs of it belong to both."""
    return _machine(a) == _machine(b) and same_case(a.record, b.record)


def without_each_other(a: CaseLaunches, b: CaseLaunches) -> tuple[CaseLaunches, CaseLaunches]:
    """Return the sides, with only launches of other runs than theirs as their others."""
    own = {run(record) for record in (*a.records, *b.records)}
    first, second = (tuple(record for record in case.others if run(record) not in own) for case in (a, b))
    return replace(a, others=first), replace(b, others=second)


def _history(a: CaseLaunches, b: CaseLaunches) -> tuple[CaseLaunches, CaseLaunches]:
    """Return the sides with earlier runs as their others, which stay the same whatever is measured later."""
    until = max(min(record.started for record in case.records) for case in (a, b))
    first, second = (
        replace(case, others=tuple(record for record in case.others if record.started < until))
        for case in _others(a, b)
    )
    return first, second


def _others(a: CaseLaunches, b: CaseLaunches) -> tuple[CaseLaunches, CaseLaunches]:
    """Return the sides with all other runs as their others; if both are one case, all of them go to the first."""
    first, second = without_each_other(a, b)
    if not one_case(a, b):
        return first, second
    both = {record.provenance.id if record.provenance else "": record for record in (*first.others, *second.others)}
    return replace(first, others=tuple(both.values())), replace(second, others=())


def _disturbed(
    names: tuple[str, str], sides: Sequence[Sequence[Record]], quiet: Sequence[Sequence[Record]]
) -> Iterable[Message]:
    for name, side, left in zip(names, sides, quiet, strict=True):
        if len(left) < len(side):
            yield message("compare-disturbed", run=name, disturbed=len(side) - len(left), launches=len(side))


def _shared(
    names: tuple[str, str], quiet: Sequence[Sequence[Record]], state_of: StateOf, value: ValueOf
) -> tuple[State | None, list[Message]]:
    """Return the state with most blocks on both sides, and messages about states; None: no state in common."""
    first, second = (Counter(map(state_of, side)) for side in quiet)
    messages = [
        message("compare-state-alone", state=state_title(state), run=name, launches=own[state])
        for name, own, other in ((names[0], first, second), (names[1], second, first))
        for state in own
        if state not in other
    ]
    common = [state for state in first if state in second and state.distance != "moved"]
    if not common:
        return None, messages

    if len(common) == 1 == len(first | second):
        return common[0], messages

    def least(state: State) -> tuple[int, int]:
        sides = [[(record, value(record) or 0.0) for record in side if state_of(record) == state] for side in quiet]
        counts = Counter(block.side for block in blocks(dict(zip((A, B), sides, strict=True))))
        return min(counts[A], counts[B]), min(first[state], second[state])

    best = max(common, key=least)
    launches, every = f"{first[best]} + {second[best]}", f"{first.total()} + {second.total()}"
    return best, [*messages, message("compare-state", state=state_title(best), launches=launches, of=every)]


def _about_blocks(a: CaseLaunches, b: CaseLaunches, here: Apart, names: tuple[str, str]) -> Iterable[Message]:
    other_runs = sum(block.side[1] == OTHER for block in here.blocks)
    if here.contrast is None:
        others = len({block.side for block in here.blocks} - {A, B})
        yield from _again(a, b, max(1, missing(here.counts, other_runs, others)), names, other_runs)
        return
    if min(here.counts) < FEWEST_BLOCKS and other_runs:
        yield message("compare-by-history", runs=other_runs)
    if 1 in here.contrast.interval and (more := further(here.counts, here.contrast)) != 0:
        yield message("compare-further", runs=more) if more else message("compare-too-varied")


def _again(
    a: CaseLaunches, b: CaseLaunches, more: int, names: tuple[str, str], other_runs: int = 0
) -> Iterable[Message]:
    """Report that there is no result yet, and how to get one: interleaved, if what differs can be restored.

    `other_runs`: blocks of other runs that can be used, which are too few.
    """
    again = " and ".join(dict.fromkeys(f"`banzuke run {case.record.benchmark} --repeat {REPEAT}`" for case in (a, b)))
    left, right = names
    yield message("compare-cannot-be-told", runs=more, others=other_runs, command=again, left=left, right=right)
    alike = _machine(a) == _machine(b) and problem(a.record) == problem(b.record)
    if alike and run(a.record) and not same_case(a.record, b.record):
        sooner = f"`banzuke run {b.record.benchmark} --repeat {REPEAT} --against {run(a.record)}`"
        yield message("compare-against", command=sooner, left=names[0], right=names[1])
