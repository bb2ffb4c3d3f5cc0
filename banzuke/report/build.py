"""From an evaluation to the content of what is not made of blocks yet."""

from collections import defaultdict

from banzuke.limit.model import Assessment
from banzuke.plan.benchmark import Benchmark
from banzuke.record.settings import setting_text, settings, telling
from banzuke.report.cases import case
from banzuke.report.content import BenchmarkData, Content
from banzuke.report.model import Evaluation
from banzuke.text import slug
from banzuke.words.language import Words


def build(evaluation: Evaluation, prefix: str, wording: Words) -> Content:
    """Of what is not made of blocks yet. `prefix`: of all anchors and names of files."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    sections = [
        _section(
            name,
            short,
            by_benchmark[name],
            evaluation.benchmarks.get(name),
            wording,
        )
        for name, short in zip(by_benchmark, _distinct([f"{prefix}{slug(name)}" for name in by_benchmark]), strict=True)
    ]
    return Content(prefix=prefix, sections=sections)


def _distinct(slugs: list[str]) -> list[str]:
    return [text if slugs.count(text) == 1 else f"{text}-{index}" for index, text in enumerate(slugs, 1)]


def _section(
    name: str,
    short: str,
    assessments: list[Assessment],
    benchmark: Benchmark | None,
    wording: Words,
) -> BenchmarkData:
    title = benchmark.title if benchmark else name
    rows = [settings(assessment.record) for assessment in assessments]
    columns = telling(rows)
    told = {name for names in columns for name in names}
    cases = [
        case(assessment, columns, f"{short}-{index}", title, wording) for index, assessment in enumerate(assessments, 1)
    ]
    shared = {key: value for key, value in rows[0].items() if key not in told and value != ""}
    common = {key: setting_text(value) for key, value in shared.items()}
    return BenchmarkData(
        name=name,
        title=title,
        slug=short,
        anchor=f"benchmark-{short}",
        common=common,
        columns=[" = ".join(names) for names in columns],
        cases=cases,
    )
