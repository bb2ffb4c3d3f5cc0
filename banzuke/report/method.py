"""How the figures were made, in words: stated once, at the end of the report."""

from collections.abc import Iterator, Sequence

from banzuke.limit.launches import APART
from banzuke.limit.model import Assessment
from banzuke.limit.settings import BETTER
from banzuke.limit.variants import varied
from banzuke.limit.view import views
from banzuke.record.statistics import CONFIDENCE, RESAMPLES
from banzuke.report.content import Case
from banzuke.report.model import Evaluation
from banzuke.units import duration
from banzuke.words import Message
from banzuke.words.language import Words

_ALWAYS = f"""
Every figure is the median of the raw samples of a launch, and of several launches the median of their medians. “Best”
is the best single sample of all: the highest rate or the shortest time. Raw samples are kept in the records;
statistics are computed when the report is written.

Of a case with one launch, “spread” is the interquartile range of the samples divided by their median, and the interval
is the {CONFIDENCE:.0%} bootstrap interval of the median within that launch (percentile method, {RESAMPLES:,} resamples,
fixed seed); a single sample has none. Launches differ by more than their samples, so it does not tell whether two
figures differ.

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


_LAUNCHES = f"""
Of a case with several launches, the interval holds with {CONFIDENCE:.0%} the mean of all launches that there could be
(Student's t on the logarithms of the launches' medians, about their geometric mean), and “spread” is the standard
deviation of these logarithms. Launches that failed have no part in it and are listed. A launch is said to stand out
where it lies more than {BETTER - 1:.0%} from all others, and {APART:g} times as far as these from each other; that
describes it, for with three launches no test could prove it. The limit is that of the median launch's work.
"""

_CACHED = """
Where a program goes over the same data again and again and the last-level cache holds them, memory does not bound
the figure, and it has no limit here. Where the data are up to four times as large as that cache, part of them may
stay in it, and the figure may lie above the limit.
"""


_VARIED = f"""
Environments and other values of an axis are compared case by case, where nothing else differs, with the usual value or
the first one. The ratio is that of the geometric means of the launches' medians, by the figure's own direction, above 1
better. Its interval of
{CONFIDENCE:.0%} holds the variation between launches (Student's t on logarithms, in pairs where launches were taken in
turn, else Welch's). One launch has no interval and no verdict: `--repeat 5` measures more.
"""


def method(evaluation: Evaluation, cases: Sequence[Case], wording: Words) -> list[str]:
    notes = [" ".join(paragraph.split()) for paragraph in _ALWAYS.strip().split("\n\n")]
    notes += [" ".join(_LAUNCHES.split())] if any(a.launches for a in evaluation.assessments) else []
    if any(a.residence and a.residence.place != "in memory" for a in evaluation.assessments):
        notes.append(" ".join(_CACHED.split()))
    records = [assessment.record for assessment in evaluation.assessments]
    notes += dict.fromkeys(wording(note) for a in evaluation.assessments for note in _of_views(a, evaluation))
    notes += [" ".join(_VARIED.split())] if varied(records) else []
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


def _of_views(assessment: Assessment, evaluation: Evaluation) -> Iterator[Message]:
    for view in views(evaluation.benchmarks.get(assessment.record.benchmark)):
        if view.of(assessment) is not None and (note := view.method()):
            yield note
