"""How the figures were made, in words: stated once, at the end of the report."""

from collections.abc import Sequence

from banzuke.report.content import Case
from banzuke.report.model import Evaluation
from banzuke.units import duration


def method(evaluation: Evaluation, cases: Sequence[Case]) -> list[str]:
    counts = [int(m.count.value) for entry in cases for m in entry.measurements]
    notes = [
        "Every figure is the median of the raw samples of one case. “Best” is the best single sample: the highest rate or "
        "the shortest time. Raw samples are kept in the records; statistics are computed when the report is written.",
        "“Spread” is the interquartile range of the samples divided by their median. The interval in the figures is the "
        "95% bootstrap confidence interval of the median (percentile method, fixed seed); with a single sample "
        "none is given.",
        "No figure appears without a passed check. A case whose result did not verify, crashed, ran out of time or was "
        "skipped is listed with its reason and contributes no figure.",
        "“Of limit” compares the median with the best possible value by the ceilings measured on this machine in this "
        "evaluation, for the work of that case; “of peak” compares it with the theoretical peaks of the "
        "specification table. More than 100% is an error to explain, not a success.",
        "Rates in B/s use decimal prefixes (1 GB/s = 10⁹ B/s) and count bytes as the benchmark's definition does; "
        "capacities use binary prefixes (1 GiB = 2³⁰ B). Figures are rounded to three significant digits; the data files "
        "beside this report hold them in full.",
        "Figures of published machines are quoted as printed in their sources and were not measured again; figures “per node” "
        "are the printed totals divided by the printed number of nodes.",
    ]
    if counts and min(counts) == 1:
        notes.append(
            f"{sum(c == 1 for c in counts)} figures rest on a single sample: no spread can be stated for them."
        )
    total = (evaluation.ended - evaluation.started).total_seconds()
    if evaluation.overhead_seconds is not None and total > 0:
        share = evaluation.overhead_seconds / total
        notes.append(
            f"The evaluation took {duration(total)}, of which Banzuke itself took {duration(evaluation.overhead_seconds)} "
            f"({share:.1%}) outside the benchmark programs."
        )
    return notes
