"""Counts how many of a machine's own cases lie within their predictions' intervals.

    python -m scripts.count_predicted RESULTS...     # results folders, or folders of single runs

Each case is predicted by what other benchmarks of its run measured in the same state of the machine. Prints a table by
benchmark, and why cases are not predicted. Fails if fewer than 85% of all predicted cases lie within their intervals.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from banzuke.cli.report import evaluated
from banzuke.document import Block, Cell, Column, Row, Table
from banzuke.document.markdown import blocks_markdown
from banzuke.errors import BanzukeError
from banzuke.predict.residual import Residual, Unpredicted, residuals
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import number, percent
from banzuke.words.language import words

WANTED = 0.85
"""Least share of cases within their intervals."""


@dataclass
class Count:
    """The cases of one benchmark."""

    ratios: list[float] = field(default_factory=list)
    """Measured over predicted."""
    within: int = 0
    disturbed: int = 0
    """Cases outside whose own records show what disturbed them."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Numbers of cases that are not predicted, by reason."""


def count(cases: Iterable[tuple[str, Residual | Unpredicted | None]]) -> dict[str, Count]:
    """Count cases, each given as its benchmark and its comparison."""
    counts: dict[str, Count] = defaultdict(Count)
    for benchmark, compared in cases:
        if isinstance(compared, Unpredicted):
            counts[benchmark].reasons[words()(compared.why)] += 1
        elif compared is not None:
            counts[benchmark].ratios.append(compared.ratio)
            counts[benchmark].within += not compared.large
            counts[benchmark].disturbed += compared.disturbance is not None
    return dict(counts)


def share_within(counts: Iterable[Count]) -> float | None:
    """Return the share of predicted cases within their intervals; None: nothing is predicted."""
    every = list(counts)
    predicted = sum(len(own.ratios) for own in every)
    return sum(own.within for own in every) / predicted if predicted else None


def read_cases(folders: Sequence[Path]) -> Iterable[tuple[str, Residual | Unpredicted | None]]:
    """Yield the cases of all runs in these folders. Raises BanzukeError."""
    for folder in folders:
        for run in Store(folder).runs() or [Run(folder)]:
            if not run.read().records:  # it was stopped before its first launch
                continue
            judged = evaluated(run)
            compared = residuals(judged.assessments, judged.machine, judged.ceilings, judged.benchmarks)
            for assessment, outcome in zip(judged.assessments, compared, strict=True):
                yield assessment.record.benchmark, outcome


def count_blocks(counts: Mapping[str, Count]) -> list[Block]:
    """Return the table of counts, and that of the reasons."""
    columns = ("cases", "within", "share", "disturbed outside", "least / predicted", "median / predicted", "most")
    rows = []
    for name, own in sorted(counts.items()):
        if own.ratios:
            cells = (len(own.ratios), own.within, percent(own.within / len(own.ratios)), own.disturbed)
            ratios = map(number, (min(own.ratios), median(own.ratios), max(own.ratios)))
            rows.append(Row((Cell(name), *(Cell(str(cell)) for cell in (*cells, *ratios)))))
    reasons = [
        Row((Cell(name), Cell(str(cases)), Cell(why)))
        for name, own in sorted(counts.items())
        for why, cases in own.reasons.items()
    ]
    return [
        Table((Column("benchmark"), *(Column(title, numeric=True) for title in columns)), tuple(rows), "Predicted"),
        Table((Column("benchmark"), Column("cases", numeric=True), Column("why")), tuple(reasons), "Not predicted"),
    ]


def main() -> None:
    try:
        counts = count(read_cases([Path(name) for name in sys.argv[1:]]))
    except BanzukeError as error:
        sys.exit(f"error: {error}")
    print("\n".join(blocks_markdown(count_blocks(counts))))
    share = share_within(counts.values())
    if share is None:
        sys.exit("no case is predicted; give results folders")
    print(f"{percent(share)} of all predicted cases lie within their intervals.")
    if share < WANTED:
        sys.exit(f"fewer than {percent(WANTED)}")


if __name__ == "__main__":
    main()
