"""Two sides that were not interleaved: which of their launches are compared, block by block, and what is said of it.

Disturbed launches do not count, and launches of a state are compared with launches of that state.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from banzuke.compare.blocks import FEWEST, Block, Contrast, blocks, contrast, further, missing, run, unlike
from banzuke.compare.matching import CaseLaunches, problem, same_case
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.state import State, States, paired, programmed, taken
from banzuke.words import Message, message

ValueOf = Callable[[Record], float | None]
"""The median of a figure in a launch; None: it has none."""
StateOf = Callable[[Record], State]
A, B = (("a", "own"), ("b", "own"))
EARLIER = "earlier"
REPEAT = 5
"""Launches of the runs that are asked for."""


@dataclass(frozen=True)
class Apart:
    """What there is to compare."""

    a: tuple[Record, ...]
    b: tuple[Record, ...]
    """The launches that count: none on one side where nothing can be compared."""
    found: Sequence[Block] = ()
    known: Contrast | None = None
    """None: how runs differ is not known."""
    told: tuple[Message, ...] = field(default=())

    @property
    def counts(self) -> tuple[int, int]:
        """Blocks of each side."""
        return sum(one.of == A for one in self.found), sum(one.of == B for one in self.found)


def interleaved(a: CaseLaunches, b: CaseLaunches) -> bool:
    """Whether launches of both sides share what changed on the machine: those of one run, or, where the run is not
    known, of one time.
    """
    runs = [_runs(case) for case in (a, b)]
    if "" in runs[0] | runs[1]:
        spans = [(min(one.started for one in of), max(one.ended for one in of)) for of in (a.records, b.records)]
        return max(start for start, _ in spans) < min(end for _, end in spans)
    return runs[0] == runs[1] and len(runs[0]) == 1


def several_runs(case: CaseLaunches) -> bool:
    return len(_runs(case)) > 1


def _runs(case: CaseLaunches) -> set[str]:
    return {run(record) for record in case.records}


def apart(a: CaseLaunches, b: CaseLaunches, value: ValueOf, names: tuple[str, str] = ("A", "B")) -> Apart:
    """Both sides have launches with the figure, all positive. `names`: what is told calls them."""
    sides = [[one for one in case.measured if value(one)] for case in (a, b)]
    quiet = [[one for one in side if not taken(one).disturbed] for side in sides]
    told = [*_disturbed(names, sides, quiet)]
    if not all(quiet):
        return Apart((), (), told=(*told, *_again(a, b, FEWEST, names)))
    earlier = [[one for one in case.others if not taken(one).disturbed] for case in _history(a, b)]
    state_of = _states(a, b)
    shared, about = _shared(names, quiet, state_of, value)
    told += about
    if shared is None:
        return Apart((), (), told=(*told, *_again(a, b, FEWEST, names)))
    first, second, before, and_before = (
        [one for one in of if state_of(one) == shared and value(one)] for of in (*quiet, *earlier)
    )
    found = blocks(
        {
            side: [(one, value(one) or 0.0) for one in of]
            for side, of in ((A, first), (B, second), (("a", EARLIER), before), (("b", EARLIER), and_before))
            if of
        }
    )
    alike = same_case(a.record, b.record)
    known = contrast(found, A, B, alike=alike) if _machine(a) == _machine(b) else unlike(found, A, B)
    here = Apart(tuple(first), tuple(second), found, known)
    return replace(here, told=(*told, *_about_blocks(a, b, here, names)))


def _states(a: CaseLaunches, b: CaseLaunches) -> StateOf:
    """Of all their launches, by what both sides may have in common: another layout has other distances anyway."""
    records = [one for case in (a, b) for one in (*case.records, *case.others)]
    states = States(records)
    near, fast = (of(a.record) == of(b.record) for of in (paired, programmed))
    found = {id(one): states.of(one) for one in records}
    seen = {key: State(one.distance if near else None, one.clock if fast else None) for key, one in found.items()}
    return lambda record: seen[id(record)]


def _machine(case: CaseLaunches) -> str:
    return case.record.provenance.machine if case.record.provenance else ""


def _history(a: CaseLaunches, b: CaseLaunches) -> Iterable[CaseLaunches]:
    """The sides with those others alone that are of earlier runs; one case on both sides has one history."""
    own = {run(record) for record in (*a.records, *b.records)}
    until = max(min(one.started for one in case.records) for case in (a, b))
    kept = [[one for one in case.others if run(one) not in own and one.started < until] for case in (a, b)]
    shared = _machine(a) == _machine(b) and same_case(a.record, b.record)
    both = {one.provenance.id if one.provenance else "": one for of in kept for one in of}
    first, second = (list(both.values()), []) if shared else kept
    return replace(a, others=tuple(first)), replace(b, others=tuple(second))


def _disturbed(
    names: tuple[str, str], sides: Sequence[Sequence[Record]], quiet: Sequence[Sequence[Record]]
) -> Iterable[Message]:
    for name, side, left in zip(names, sides, quiet, strict=True):
        if len(left) < len(side):
            yield message("compare-disturbed", run=name, disturbed=len(side) - len(left), launches=len(side))


def _shared(
    names: tuple[str, str], quiet: Sequence[Sequence[Record]], state_of: StateOf, value: ValueOf
) -> tuple[State | None, list[Message]]:
    """The state of most blocks on both sides, and what is to be said of states; None: the sides share none."""
    first, second = (Counter(map(state_of, side)) for side in quiet)
    told = [
        message("compare-state-alone", state=state_title(state), run=name, launches=own[state])
        for name, own, other in ((names[0], first, second), (names[1], second, first))
        for state in own
        if state not in other
    ]
    common = [state for state in first if state in second]
    if not common:
        return None, told

    if len(common) == 1 == len(first | second):
        return common[0], told

    def least(state: State) -> tuple[int, int]:
        sides = [[(one, value(one) or 0.0) for one in side if state_of(one) == state] for side in quiet]
        of = Counter(block.of for block in blocks(dict(zip((A, B), sides, strict=True))))
        return min(of[A], of[B]), min(first[state], second[state])

    best = max(common, key=least)
    of, every = (f"{one} + {other}" for one, other in ((first[best], second[best]), (first.total(), second.total())))
    return best, [*told, message("compare-state", state=state_title(best), launches=of, of=every)]


def _about_blocks(a: CaseLaunches, b: CaseLaunches, here: Apart, names: tuple[str, str]) -> Iterable[Message]:
    earlier = sum(one.of[1] == EARLIER for one in here.found)
    if here.known is None:
        others = len({one.of for one in here.found} - {A, B})
        yield from _again(a, b, max(1, missing(here.counts, earlier, others)), names)
        return
    if min(here.counts) < FEWEST and earlier:
        yield message("compare-by-history", runs=earlier)
    if 1 in here.known.interval and (more := further(here.counts, here.known)) != 0:
        yield message("compare-further", runs=more) if more else message("compare-too-varied")


def _again(a: CaseLaunches, b: CaseLaunches, more: int, names: tuple[str, str]) -> Iterable[Message]:
    """That nothing can be told yet, and what is to be done: in turn, if what differs can be restored."""
    again = " and ".join(dict.fromkeys(f"`banzuke run {case.record.benchmark} --repeat {REPEAT}`" for case in (a, b)))
    yield message("compare-cannot-be-told", runs=more, command=again, left=names[0], right=names[1])
    alike = _machine(a) == _machine(b) and problem(a.record) == problem(b.record)
    if alike and run(a.record) and not same_case(a.record, b.record):
        sooner = f"`banzuke run {b.record.benchmark} --repeat {REPEAT} --against {run(a.record)}`"
        yield message("compare-against", command=sooner, left=names[0], right=names[1])
