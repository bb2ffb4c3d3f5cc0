"""The improvement over a predecessor: how many times better each figure is, and the geometric mean of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.acceptance.cases import MeasuredRun
from banzuke.acceptance.contract import Improvement, Term
from banzuke.acceptance.judge import FigureResult, judge_figure
from banzuke.compare.runs import Launched, Metrics, compare, compare_published
from banzuke.compare.statistics import Interval, geometric_mean
from banzuke.compare.verdict import Reached, reached
from banzuke.machine.published import PublishedMachine
from banzuke.plan.benchmark import Benchmark
from banzuke.words import Listed, Message, message


@dataclass(frozen=True)
class FigureImprovement:
    term: Term
    ratio: float | None = None
    """How many times better the figure is; None: it cannot be compared."""
    interval: Interval | None = None
    why: Message | None = None
    """Why there is no ratio."""


@dataclass(frozen=True)
class ImprovementResult:
    asked: Improvement
    name: str
    """Name of the predecessor."""
    figures: tuple[FigureImprovement, ...]
    verdict: Reached | None
    """None: no improvement was agreed on."""
    ratio: float | None = None
    """Geometric mean of the figures that can be compared."""
    interval: Interval | None = None
    """Geometric means of the intervals' ends: right even if all figures err alike."""
    why: tuple[Message, ...] = ()


Predecessor = PublishedMachine | MeasuredRun


def improvement(
    asked: Improvement,
    predecessor: Predecessor,
    results: Sequence[FigureResult],
    benchmarks: Mapping[str, Benchmark],
    launched: Launched | None = None,
) -> ImprovementResult:
    """Compare each figure on the median node with the predecessor's."""
    figures = tuple(
        _figure(result, predecessor, benchmarks, launched) for result in results if result.term.asked.improvement
    )
    ratios = [figure.ratio for figure in figures if figure.ratio]
    intervals = [figure.interval for figure in figures if figure.interval]
    mean = geometric_mean(ratios)
    ends = None
    if (
        mean
        and len(intervals) == len(ratios)
        and all(0 < end < float("inf") for interval in intervals for end in interval)
    ):
        low, high = (geometric_mean(side) or mean for side in zip(*intervals, strict=True))
        ends = Interval(low, high)
    done = ImprovementResult(asked, predecessor.name, figures, None, mean, ends)
    if asked.minimum is None:
        return done
    lacking = [figure for figure in figures if not (figure.ratio or figure.term.asked.waiver)]
    if lacking or mean is None:
        return replace(done, verdict="untold", why=(message("accept-not-all-compared", number=len(lacking)),))
    verdict = reached(mean, ends, asked.minimum, asked.confidence)
    return replace(done, verdict=verdict, why=(_why(ends),) if verdict == "untold" else ())


def _why(interval: Interval | None) -> Message:
    return message("accept-improvement-holds") if interval else message("accept-improvement-runs")


def _figure(
    result: FigureResult,
    predecessor: Predecessor,
    benchmarks: Mapping[str, Benchmark],
    launched: Launched | None,
) -> FigureImprovement:
    term, node = result.term, result.middle
    bare = FigureImprovement(term)
    if node is None or node.counted is None:
        return replace(bare, why=message("accept-no-figure-here"))
    metrics: Metrics = {(term.asked.benchmark, term.metric.name): term.metric}
    if isinstance(predecessor, PublishedMachine):
        lines = compare_published(node.counted.records, predecessor, metrics, launched=launched)
        lines = [line for line in lines if line.metric == term.metric.name]
        best = next((line for line in lines if line.ratio), lines[0] if lines else None)
        if best is None or not best.ratio:
            why = (best and best.reason) or "none"
            return replace(bare, why=message("accept-not-published", machine=predecessor.name, why=why))
        return replace(bare, ratio=best.ratio, interval=best.interval)
    before = judge_figure(term, [predecessor], benchmarks[term.asked.benchmark])
    if before.middle is None or before.middle.counted is None:
        reasons = Listed(before.why or tuple(why for node in before.nodes[:1] for why in node.why))
        return replace(bare, why=message("accept-not-in-predecessor", run=predecessor.name, why=reasons))
    pair = before.middle.counted.records, node.counted.records
    (line, *_) = compare(*pair, metrics, launched=launched, names=(predecessor.name, ", ".join(node.runs)))
    if not line.ratio:
        return replace(bare, why=message("accept-not-comparable", why=line.reason))
    return replace(bare, ratio=line.ratio, interval=line.interval)
