"""The chapters of a report: the benchmarks of a run, each with its cases."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from banzuke.amounts import Scalar
from banzuke.compare.settings import settings, telling
from banzuke.compare.sizes import headline_size
from banzuke.judge.model import Assessment, Figure
from banzuke.plan.aspect import rank
from banzuke.plan.axes import AXES
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title, code
from banzuke.predict.residual import Residual, Unpredicted, residuals
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.report.settings import label_of
from banzuke.slowdown.applications import applications
from banzuke.slowdown.prediction import NoisePrediction
from banzuke.slowdown.recorded import noise_costs
from banzuke.slowdown.synchronisation import SynchronisationPeriod
from banzuke.text import slug
from banzuke.views.view import ViewCase
from banzuke.words import declared, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class Chapter:
    """One benchmark of a run."""

    name: str
    title: str
    slug: str
    """Short name, unique in the report, which is part of anchors and file names."""
    benchmark: Benchmark | None
    """Its specification; None: the benchmark is unknown here."""
    columns: tuple[tuple[str, ...], ...]
    """The settings that distinguish its cases; settings that always vary together share a column."""
    common: Mapping[str, Scalar]
    """Settings that all cases share."""
    cases: tuple[ViewCase, ...]
    """Cases, the headline's first."""
    residuals: Mapping[str, Residual | Unpredicted] = field(default_factory=dict)
    """Comparisons with predictions by case id, for benchmarks with a model."""
    noise_costs: tuple[NoisePrediction, ...] = ()
    """Costs of the noise that this benchmark measured for the run's applications at scale."""

    @property
    def anchor(self) -> str:
        return f"benchmark-{self.slug}"

    @property
    def collected(self) -> bool:
        """Return whether its cases are problems of a collection, none of which represents the machine by itself."""
        return self.benchmark is not None and self.benchmark.collection is not None


def chapters(evaluation: Evaluation, words: Words, prefix: str = "") -> list[Chapter]:
    """Return the chapters sorted by the benchmarks' aspects; `prefix`: beginning of all anchors and file names."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    slugs = dict(zip(by_benchmark, _distinct([f"{prefix}{slug(name)}" for name in by_benchmark]), strict=True))
    benchmarks = evaluation.benchmarks

    def place(name: str) -> int:
        return rank(benchmarks[name].aspect if name in benchmarks else None)

    compared = residuals(evaluation.assessments, evaluation.machine, evaluation.ceilings, benchmarks)
    by_assessment = {
        id(assessment): residual
        for assessment, residual in zip(evaluation.assessments, compared, strict=True)
        if residual
    }
    order = sorted(by_benchmark, key=place)
    made = [
        _chapter(name, slugs[name], by_benchmark[name], benchmarks.get(name), by_assessment, words) for name in order
    ]
    periods = applications([assessment.record for assessment in evaluation.assessments], benchmarks).periods
    return [replace(chapter, noise_costs=_noise_costs(chapter, periods)) for chapter in made] if periods else made


def _noise_costs(chapter: Chapter, periods: Sequence[SynchronisationPeriod]) -> tuple[NoisePrediction, ...]:
    records = [case.assessment.record for case in chapter.cases]
    return tuple(noise_costs(records, {chapter.name: chapter.benchmark}, periods)) if chapter.benchmark else ()


def _chapter(
    name: str,
    short: str,
    assessments: Sequence[Assessment],
    benchmark: Benchmark | None,
    compared: Mapping[int, Residual | Unpredicted],
    words: Words,
) -> Chapter:
    rows = [settings(assessment.record) for assessment in assessments]
    columns = tuple(map(tuple, telling(rows)))
    apart = {setting for names in columns for setting in names}
    cases = tuple(
        ViewCase(assessment, identity(assessment.record, f"{short}-{index}"), label, f"case-{short}-{index}")
        for index, (assessment, label) in enumerate(
            zip(assessments, (label_of(row, columns, words) for row in rows), strict=True), 1
        )
    )
    return Chapter(
        name=name,
        title=words(benchmark_title(benchmark)) if benchmark else name,
        slug=short,
        benchmark=benchmark,
        columns=columns,
        common={key: value for key, value in rows[0].items() if key not in apart and str(value) != _usual(key)},
        cases=cases,
        residuals={case.id: compared[id(case.assessment)] for case in cases if id(case.assessment) in compared},
    )


def _usual(name: str) -> str:
    """Return the usual value of a setting, which is not shown."""
    if name == "devices":
        return "0"
    return AXES[name].usual if name in AXES else ""


def identity(record: Record, otherwise: str) -> str:
    return record.provenance.id if record.provenance else otherwise


def figure_title(record: Record, figure: Figure, benchmark: str, words: Words) -> str:
    """Return `Rate` or `Latency at 8 B`, without the title of the `benchmark` at its beginning."""
    title = words(declared(code(record.benchmark, "metric", figure.metric), figure.title))
    title = title.removeprefix(benchmark).strip() or title
    size = headline_size(record)
    return words(message("report-figure-at", title=title, size=size)) if size else title


def _distinct(slugs: list[str]) -> list[str]:
    return [text if slugs.count(text) == 1 else f"{text}-{index}" for index, text in enumerate(slugs, 1)]
