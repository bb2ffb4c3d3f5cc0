"""How the figures were made, in words: stated once, at the end of the report."""

from collections.abc import Sequence

from banzuke.record.statistics import CONFIDENCE, RESAMPLES
from banzuke.report.content import Case
from banzuke.report.model import Evaluation
from banzuke.units import duration

_ALWAYS = f"""
Every figure is the median of the raw samples of one case. “Best” is the best single sample: the highest rate
or the shortest time. Raw samples are kept in the records; statistics are computed when the report is written.

“Spread” is the interquartile range of the samples divided by their median. The intervals in the charts are
{CONFIDENCE:.0%} bootstrap confidence intervals of the median (percentile method, {RESAMPLES:,} resamples,
fixed seed); a single sample has none.

No figure appears without a passed check. A case whose result did not verify, crashed, ran out of time or was
skipped is listed with its reason and contributes no figure.

“Of limit” compares the median with the best possible value by the ceilings measured on this machine in this
evaluation, for the work of that case; “of peak” compares it with the theoretical peaks of the specification
table. For a time, it is the shortest possible time over the measured one. More than 100% is an error to
explain, not a success.

Rates in B/s use decimal prefixes (1 GB/s = 10⁹ B/s) and count bytes as the benchmark's definition does;
capacities use binary prefixes (1 GiB = 2³⁰ B). Numbers are rounded to three significant digits; the data
files beside this report hold them in full.

Figures of published machines are quoted from the reports that are cited, not measured again. “Per node” is
the printed total divided by the printed number of nodes.
"""


_CACHED = """
Where a program goes over the same data again and again and the last-level cache holds them, memory does not bound
the figure, and it has no limit here. Where the data are up to four times as large as that cache, part of them may
stay in it, and the figure may lie above the limit.
"""


def method(evaluation: Evaluation, cases: Sequence[Case]) -> list[str]:
    notes = [" ".join(paragraph.split()) for paragraph in _ALWAYS.strip().split("\n\n")]
    if any(a.residence and a.residence.place != "in memory" for a in evaluation.assessments):
        notes.append(" ".join(_CACHED.split()))
    single = sum(m.count.value == 1 for entry in cases for m in entry.measurements)
    if single:
        notes.append(f"Figures that rest on a single sample: {single}. No spread can be stated for them.")
    total = (evaluation.ended - evaluation.started).total_seconds()
    if evaluation.overhead_seconds is not None and total > 0:
        overhead = duration(evaluation.overhead_seconds)
        notes.append(
            f"The cases took {duration(total)}, and Banzuke itself {overhead} more until this page was written."
        )
    return notes
