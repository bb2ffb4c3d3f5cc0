"""Cases of two runs side by side, for each message size."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from banzuke.compare.matching import CaseLaunches
from banzuke.compare.runs import Comparison
from banzuke.compare.sizes import TABLE_SIZES, by_size, headline_size, sizes
from banzuke.compare.verdict import Judgement
from banzuke.document import Cell, Column, Row, Table, Tone
from banzuke.units import quantity, times
from banzuke.words import data as fact_data

NOTHING = "–"


def figure(line: Comparison) -> str:
    """Return the figure's title with the message size of the headline, for both sides if A and B differ in it."""
    if line.metric is None:
        return NOTHING
    at = [headline_size(case.record) for case in (line.case, line.other) if case]
    if not any(at):
        return line.metric.title
    text = at[0] if len(set(at)) == 1 else " in A, ".join(size or "one size" for size in at) + " in B"
    return f"{line.metric.title} at {text}"


def few(lines: Sequence[Comparison]) -> list[tuple[Comparison, dict[float, Judgement]]]:
    """Return the lines that have sizes, each with its judgements at the sizes that tables show."""
    return [(line, by_size(line, TABLE_SIZES)) for line in lines if sizes(line)]


def tables(
    lines: Sequence[tuple[Comparison, Mapping[float, Judgement]]],
    label: Callable[[CaseLaunches], str],
    tones: Mapping[str, Tone],
) -> list[Table]:
    """Return a table for each benchmark, with a row for each case and a few sizes; `--json` has all sizes."""
    cases: dict[str, list[tuple[CaseLaunches, str, Mapping[float, Judgement]]]] = defaultdict(list)
    for line, along in lines:
        if line.metric:
            cases[line.benchmark].append((line.case, line.metric.unit, along))
    printed = []
    for benchmark, own in cases.items():
        shown = [size for size in TABLE_SIZES if any(size in along for *_, along in own)]
        columns = Column("case"), *(Column(quantity(size, "B"), numeric=True) for size in shown)
        rows = (
            Row((Cell(label(case)), *(_cell(along.get(size), unit, tones) for size in shown)))
            for case, unit, along in own
        )
        printed.append(Table(columns, tuple(rows), f"\n{benchmark} by size: B over A, then A and B"))
    return printed


def _cell(at: Judgement | None, unit: str, tones: Mapping[str, Tone]) -> Cell:
    """Return the ratio and both figures, coloured only if they differ."""
    if at is None:
        return Cell(NOTHING)
    ratio = NOTHING if at.ratio is None else times(at.ratio, at.interval)
    sides = f"{quantity(at.a.value, unit)}\n{quantity(at.b.value, unit)}"
    return Cell(ratio, note=sides, tone=tones.get(at.verdict, "faint"))


def data(line: Comparison) -> list[dict[str, Any]]:
    """Return the judgements at all sizes, for `--json`."""
    return [
        {"at": size, **asdict(replace(at, told=())), "told": list(map(fact_data, at.told))}
        for size, at in by_size(line).items()
    ]
