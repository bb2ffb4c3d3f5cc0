"""Lists what makes the comparison of two whole runs, or of the values of an axis, dubious."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from banzuke.compare.matching import gather, value, variant
from banzuke.compare.statistics import median
from banzuke.plan.axes import axis_of
from banzuke.plan.wording import axis_heading, axis_value
from banzuke.record.model import MIGRATED, Record
from banzuke.words import Duration, Fact, Listed, Message, Quantity, message

SHOWN_SIDES = 4
"""Most sides that are named."""
CHOICE = "blas_choice"
"""How the library was chosen, which includes rates that differ from probe to probe: not a difference of software."""
_OF_THE_LAUNCH = ("OMP_NUM_THREADS", "BANZUKE_")
"""Prefixes of variables that a launch sets itself; its layout and software say the same."""


def cautions(
    a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact] = ("A", "B"), but: str = ""
) -> list[Message]:
    """Return what makes it dubious; `names`: of the sides, `but`: an axis on which they are meant to differ."""
    return [
        *_traits(a, b, names),
        *_axes(a, b, names, but),
        *variables_apart([(names[0], a), (names[1], b)]),
        *_programs(a, b, names),
        *_circumstances(a, b, names),
    ]


def variables_apart(sides: Sequence[tuple[Fact, Sequence[Record]]]) -> list[Message]:
    """Return which variables were set for some of these sides, each given with its name, and not for others.

    Variables that a case was asked to have are its variant. A removed variable counts as not set.
    """
    measured = [(name, [record for record in records if _launched(record)]) for name, records in sides]
    measured = [(name, records) for name, records in measured if records]
    kinds = [{_kind(record) for record in records} for _, records in measured]
    if shared := set.intersection(*kinds) if kinds else set():  # launchers set variables of their own
        measured = [(name, [record for record in records if _kind(record) in shared]) for name, records in measured]
    variables = [(name, [own_variables(record) for record in records]) for name, records in measured]
    pairs = {pair: None for _, launches in variables for own in launches for pair in sorted(own.items())}
    shares = {
        pair: [sum(pair in own.items() for own in launches) / len(launches) for _, launches in variables]
        for pair in pairs
    }
    return [
        message("compare-variable", variable=f"{pair[0]}={pair[1]}", where=_having(variables, share))
        for pair, share in shares.items()
        if min(share) == 0 or (min(share) < 1 and max(share) == 1)
    ]


def _having(sides: Sequence[tuple[Fact, object]], shares: Sequence[float]) -> Listed:
    """Return the sides that have a variable, noting those where only some launches have it."""
    return Listed(
        tuple(
            name if share == 1 else message("compare-in-part", run=name)
            for (name, _), share in zip(sides, shares, strict=True)
            if share
        ),
        SHOWN_SIDES,
    )


def _launched(record: Record) -> bool:
    """Return whether it was measured by Banzuke; the variables of other records are unknown."""
    return record.status == "ok" and record.provenance is not None and record.provenance.imported is None


def _kind(record: Record) -> tuple[str, str, bool]:
    return *_program(record), record.ranks > 1


def own_variables(record: Record) -> dict[str, str]:
    """Return the variables that were set, except those of the launch itself and those that were asked for."""
    variables = record.provenance.variables if record.provenance else {}
    own = {name: value for name, value in variables.items() if value and not name.startswith(_OF_THE_LAUNCH)}
    return {name: value for name, value in own.items() if name not in variant(record)}


def _traits(a: Sequence[Record], b: Sequence[Record], names: tuple[Fact, Fact]) -> Iterator[Message]:
    for title, trait in _TRAITS.items():
        mine, theirs = ({text for record in records if (text := trait(record)) is not None} for records in (a, b))
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
    facts = tuple(sorted(values, key=str))
    return Listed(facts) if facts else message("compare-not-recorded")


def _gap(a: Sequence[Record], b: Sequence[Record]) -> float:
    """Return the seconds from the end of one side's last launch to the start of the other's; not positive: none."""
    times = [
        (min(record.started for record in records), max(record.ended for record in records))
        for records in (a, b)
        if records
    ]
    return (max(start for start, _ in times) - min(end for _, end in times)).total_seconds() if times else 0.0


def _distance(records: Sequence[Record]) -> float:
    """Return the median seconds in which a cache line passes between the threads' processors; 0: unknown."""
    distances = [record.distance for record in records if record.distance is not None]
    return median(distances) if distances else 0.0


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
