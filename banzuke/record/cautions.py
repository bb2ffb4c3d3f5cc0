"""What makes the comparison of two runs as a whole dubious, or of the values of an axis."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from banzuke.plan.axes import axis_of
from banzuke.plan.wording import axis_heading, axis_value
from banzuke.record.matching import gather, value, variant
from banzuke.record.model import MIGRATED, Record
from banzuke.record.statistics import median
from banzuke.words import Duration, Fact, Listed, Message, Quantity, message

CHOICE = "blas_choice"
"""How the library was chosen, with rates that differ from probe to probe: no difference of software."""


def cautions(
    a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact] = ("A", "B"), but: str = ""
) -> list[Message]:
    """`names`: what the sides are called. `but`: an axis on which they are meant to differ."""
    return [*_traits(a, b, names), *_axes(a, b, names, but), *_programs(a, b, names), *_circumstances(a, b, names)]


def _traits(a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact]) -> Iterator[Message]:
    for title, of in _TRAITS.items():
        mine, theirs = ({found for record in records if (found := of(record)) is not None} for records in (a, b))
        if mine != theirs:
            yield _differs(message("compare-trait", trait=title), mine, theirs, names)


def _axes(a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact], but: str) -> Iterator[Message]:
    for axis in map(axis_of, dict.fromkeys(name for record in (*a, *b) for name in variant(record) if name != but)):
        mine, theirs = ({value(record, axis.name) for record in records} for records in (a, b))
        if mine != theirs:
            yield _differs(axis_heading(axis), map(axis_value, mine), map(axis_value, theirs), names)


def _programs(a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact]) -> Iterator[Message]:
    shared = {_program(record) for record in a} & {_program(record) for record in b}
    for program in sorted(shared):
        mine_of, theirs_of = ([record for record in records if _program(record) == program] for records in (a, b))
        for key in sorted({key for record in (*mine_of, *theirs_of) for key in record.software} - {CHOICE}):
            mine, theirs = (_software(records, key) for records in (mine_of, theirs_of))
            if mine and theirs and mine != theirs:
                what = message("compare-software", key=key, program=" ".join(program))
                yield _differs(what, mine, theirs, names)


def _circumstances(a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact]) -> Iterator[Message]:
    near, far = sorted((_distance(a), _distance(b)))
    if near and far > MIGRATED * near:
        nearer = names[0] if _distance(a) == near else names[1]
        yield message("compare-moved", nearer=nearer, near=Quantity(near, "s"), far=Quantity(far, "s"))
    gap = _gap(a, b)
    if gap > 0 and not (_one_launch(a) and _one_launch(b)):
        yield message("compare-not-in-turn", gap=Duration(gap), left=names[0], right=names[1])


def _differs(what: Message, mine: Iterable[Fact], theirs: Iterable[Fact], names: tuple[Fact, Fact]) -> Message:
    return message(
        "compare-differs", what=what, mine=_listed(mine), theirs=_listed(theirs), left=names[0], right=names[1]
    )


def _listed(values: Iterable[Fact]) -> Fact:
    found = tuple(sorted(values, key=str))
    return Listed(found) if found else message("compare-not-recorded")


def _gap(a: Sequence[Record], b: Sequence[Record]) -> float:
    """Seconds from the end of the one's last launch to the start of the other's first; not positive: there are none."""
    times = [(min(one.started for one in of), max(one.ended for one in of)) for of in (a, b) if of]
    return (max(start for start, _ in times) - min(end for _, end in times)).total_seconds() if times else 0.0


def _distance(records: Sequence[Record]) -> float:
    """Median seconds in which a cache line passes between the threads' processors; 0: unknown."""
    known = [record.distance for record in records if record.distance is not None]
    return median(known) if known else 0.0


_TRAITS: dict[str, Callable[[Record], str | None]] = {
    "machine": lambda record: record.provenance.machine if record.provenance else None,
    "nodes": lambda record: str(record.nodes) if record.hosts else None,
    "banzuke": lambda record: record.provenance.banzuke if record.provenance else None,
    "commit": lambda record: record.provenance.commit if record.provenance else None,
}


def _software(records: Sequence[Record], key: str) -> set[str]:
    return {record.software[key] for record in records if key in record.software}


def _program(record: Record) -> tuple[str, str]:
    return record.benchmark, record.backend


def _one_launch(records: Sequence[Record]) -> bool:
    measured = [len(case.measured) for case in gather(records)]
    return max(measured, default=0) == 1
