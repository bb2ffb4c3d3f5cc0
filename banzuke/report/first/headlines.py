"""The lines of the first screen: one for each headline figure, from the processors outwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.settings import figure_text
from banzuke.compare.sizes import headline_size
from banzuke.judge.collection import collections
from banzuke.judge.headline import headlines as of_collections
from banzuke.judge.model import Assessment, Figure
from banzuke.limit.best_time import NOISE
from banzuke.plan.aspect import Aspect
from banzuke.plan.wording import full_title
from banzuke.report.first.peers import PeerComparison, aspect_of, ordered, share_of_peak, stayed_in_cache, titles
from banzuke.report.model import Evaluation
from banzuke.words import Message, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class HeadlineLine:
    """A line of the first screen: a headline figure, or a case that gave none."""

    benchmark: str
    aspect: Aspect | None
    title: str
    """Title in the reader's language."""
    value: float | None
    """Figure; None: the headline case has no verified figure."""
    unit: str = ""
    better: str = "higher"
    of_limit: float | None = None
    of_peak: float | None = None
    limited: bool = True
    """Whether a limit is defined for such a figure; its value may still be unknown."""
    in_cache: bool = False
    """Whether it has no limit, or is not a headline, because its data stayed in the caches."""
    own_ceiling: bool = False
    """Whether its limit is only the best of its benchmark's own figures."""
    crowded: bool = False
    """Whether figures were measured, but with threads that shared a processor."""
    comparison: PeerComparison | None = None
    """Comparison in which this machine has a place."""
    interval: tuple[float, float] | None = None
    """95% interval of the figure, from the differences between launches."""

    @property
    def shown(self) -> str:
        return "–" if self.value is None else figure_text(self.value, self.unit)

    @property
    def without_share(self) -> Message:
        """Text in place of a missing share of the limit."""
        if self.value is None:
            kind = "crowded" if self.crowded else "served" if self.in_cache else "failed"
        elif self.lost is not None:
            kind = "lost"
        else:
            kind = "cached" if self.in_cache else "unknown" if self.limited else "undefined"
        return message("first-no-share", kind=kind)

    @property
    def lost(self) -> float | None:
        """The share of time that the figure says is lost; None: it is another kind of figure."""
        return self.value if self.unit == "1" and self.better == "lower" else None

    @property
    def above(self) -> bool:
        """Return whether it exceeds its limit by more than the noise of repeated measurements."""
        return self.of_limit is not None and self.of_limit > 1 + NOISE


def headline_lines(evaluation: Evaluation, comparisons: Sequence[PeerComparison], words: Words) -> list[HeadlineLine]:
    """Return the lines by aspect: one with the mean of a collection, else one for each headline figure."""
    ranked = {
        (comparison.benchmark, comparison.metric, comparison.devices): comparison
        for comparison in comparisons
        if comparison.place
    }
    first: dict[str, Assessment] = {}
    for assessment in evaluation.assessments:
        first.setdefault(assessment.record.benchmark, assessment)
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    means = of_collections(evaluation.assessments, evaluation.benchmarks) if collected else {}
    lines = []
    for name in ordered(evaluation):
        aspect, assessment = aspect_of(evaluation.benchmarks, name), first[name]
        if name in collected and name in means:
            mean = means[name]
            title = words(message("first-mean", title=words(evaluation.title_of(name))))
            lines.append(
                HeadlineLine(
                    name,
                    aspect,
                    title,
                    mean.value,
                    mean.unit,
                    of_limit=mean.fraction_of_limit,
                    in_cache=mean.in_cache,
                    own_ceiling=mean.own_ceiling,
                )
            )
        elif assessment.no_headline or not assessment.figures:
            title, crowded = words(evaluation.title_of(name)), assessment.crowded
            cached = bool(assessment.no_headline) and not crowded
            lines.append(HeadlineLine(name, aspect, title, None, in_cache=cached, crowded=crowded))
        else:
            lines += [_line(evaluation, assessment, figure, ranked, words) for figure in _chosen(assessment)]
    return lines


def _chosen(assessment: Assessment) -> Sequence[Figure]:
    """Return headline figures with a share of their limit; if none has one, a share of the time, or the first."""
    heads = [figure for figure in assessment.figures if figure.headline] or list(assessment.figures[:1])
    judged = [figure for figure in heads if figure.fraction_of_limit is not None]
    return judged or [next((figure for figure in heads if figure.unit == "1"), heads[0])]


def _line(
    evaluation: Evaluation,
    assessment: Assessment,
    figure: Figure,
    ranked: Mapping[tuple[str, str, bool], PeerComparison],
    words: Words,
) -> HeadlineLine:
    record = assessment.record
    title = full_title(*titles(evaluation, record.benchmark, figure, words), words)
    size, samples = headline_size(record), record.metrics.get(figure.metric)
    title = words(message("first-at-size", title=title, size=size)) if size else title
    return HeadlineLine(
        record.benchmark,
        aspect_of(evaluation.benchmarks, record.benchmark),
        words(message("first-on-hosts", title=title, hosts=record.nodes)) if record.nodes > 1 else title,
        figure.value,
        figure.unit,
        figure.better,
        figure.fraction_of_limit,
        share_of_peak(evaluation.machine, record, figure),
        limited=bool(samples and (samples.demand or samples.bounds)),
        in_cache=stayed_in_cache(assessment, figure),
        own_ceiling=figure.own_ceiling,
        comparison=ranked.get((record.benchmark, figure.metric, bool(record.devices))),
        interval=figure.interval,
    )
