"""From an evaluation to the content of its report."""

from collections import defaultdict
from collections.abc import Iterable

from banzuke import __version__
from banzuke.limit.model import Assessment
from banzuke.plan.benchmark import Benchmark
from banzuke.report.cases import case, setting_text, settings, slug, varying
from banzuke.report.comparison import comparisons
from banzuke.report.content import Case, Content, Note, Problem, Roof, Section, Verdict
from banzuke.report.method import method
from banzuke.report.model import Evaluation
from banzuke.report.specification import specification
from banzuke.units import duration, quantity

_CEILING_UNITS = {"fma_rate": "flop/s", "flop_rate": "flop/s", "memory_bandwidth": "B/s"}


def build(evaluation: Evaluation) -> Content:
    """Tables and texts; the charts are added where they are drawn."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    sections = [
        _section(name, group, evaluation.benchmarks.get(name)) for name, group in by_benchmark.items()
    ]
    cases = [entry for section in sections for entry in section.cases]
    verdicts = [line for section in sections for line in _verdicts(section, by_benchmark[section.name][0])]
    compared, references = comparisons(evaluation.machine, sections, evaluation.published)
    return Content(
        run=evaluation.run,
        machine=evaluation.machine.name,
        fingerprint=evaluation.machine.fingerprint,
        banzuke=__version__,
        started=f"{evaluation.started:%Y-%m-%d %H:%M %Z}",
        ended=f"{evaluation.ended:%Y-%m-%d %H:%M %Z}",
        date=f"{evaluation.ended:%-d %B %Y}",
        duration=duration((evaluation.ended - evaluation.started).total_seconds()),
        planned=evaluation.planned,
        measured=len(cases),
        verified=sum(entry.state == "verified" for entry in cases),
        verdicts=verdicts,
        problems=[
            _problem(section, entry)
            for section in sections
            for entry in section.cases
            if entry.state != "verified"
        ],
        missing=max(0, evaluation.planned - len(cases)),
        unreadable=list(evaluation.unreadable),
        specification=specification(evaluation.machine),
        sections=sections,
        roofs=[_roof(c.name, c.kind, c.value, c.source, c.threads) for c in evaluation.ceilings],
        comparisons=compared,
        references=references,
        method=method(evaluation, cases),
    )


def _section(name: str, assessments: list[Assessment], benchmark: Benchmark | None) -> Section:
    rows = [settings(assessment.record) for assessment in assessments]
    columns = varying(rows)
    cases = [case(assessment, columns, index) for index, assessment in enumerate(assessments, 1)]
    common = {
        key: setting_text(value)
        for key, value in rows[0].items()
        if key not in columns and key != "repetition"
    }
    return Section(
        name=name,
        title=benchmark.title if benchmark else name,
        anchor=f"benchmark-{slug(name)}",
        common=common,
        columns=columns,
        cases=cases,
        causes=_notes(
            ((cause.what, cause.evidence, cause.confirm), entry)
            for assessment, entry in zip(assessments, cases, strict=True)
            for cause in assessment.causes
        ),
        warnings=_notes(
            ((text, "", ""), entry)
            for assessment, entry in zip(assessments, cases, strict=True)
            for text in assessment.warnings
        ),
    )


def _notes(entries: Iterable[tuple[tuple[str, str, str], Case]]) -> list[Note]:
    """One note for each distinct text, naming all the cases that share it."""
    grouped: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for key, entry in entries:
        grouped[key].append(entry.label)
    return [Note(what=w, evidence=e, confirm=c, cases=labels) for (w, e, c), labels in grouped.items()]


def _verdicts(section: Section, headline: Assessment) -> list[Verdict]:
    """The headline case speaks for its benchmark; where it failed, no other case takes its place."""
    first = section.cases[0]
    verified = sum(entry.state == "verified" for entry in section.cases)
    shown = [m for m in first.measurements if m.headline] or first.measurements[:1]
    shared = {
        "benchmark": section.name,
        "title": section.title,
        "anchor": section.anchor,
        "state": first.state,
        "verified": verified,
        "cases": len(section.cases),
    }
    if not shown:
        sentence = headline.verdict or first.reason
        empty = {"metric": "", "figure": None, "of_limit": None, "of_peak": None}
        return [Verdict.model_validate({**shared, **empty, "sentence": sentence})]
    return [
        Verdict.model_validate(
            {
                **shared,
                "metric": m.title,
                "figure": m.median,
                "of_limit": m.of_limit,
                "of_peak": m.of_peak,
                "sentence": headline.verdict if index == 0 else "",
            }
        )
        for index, m in enumerate(shown)
    ]


def _problem(section: Section, entry: Case) -> Problem:
    return Problem(
        benchmark=section.title,
        label=entry.label,
        anchor=entry.anchor,
        state=entry.state,
        reason=entry.reason,
        log=entry.log,
    )


def _roof(name: str, kind: str, value: float, source: str, threads: int | None) -> Roof:
    text = quantity(value, _CEILING_UNITS.get(name, ""))
    return Roof(name=name, kind=kind, value=value, text=text, source=source, threads=threads)
