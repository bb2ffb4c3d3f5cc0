"""From an evaluation to the content of its report."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from banzuke import __version__
from banzuke.limit import view
from banzuke.limit.collection import Member, collections, sentence, summaries
from banzuke.limit.model import Assessment, Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.benchmark import Collection as Declared
from banzuke.record.settings import setting_text, settings, telling
from banzuke.report.cases import case
from banzuke.report.collection import collection, mean
from banzuke.report.content import Case, Content, Launch, Note, Occurrence, Problem, Roof, Section, State, Verdict
from banzuke.report.first.comparison import comparison_section
from banzuke.report.first.peers import compare
from banzuke.report.first.screen import first_screen
from banzuke.report.first.site import machine_drawing
from banzuke.report.method import method
from banzuke.report.model import Evaluation
from banzuke.report.specification import specification
from banzuke.report.variants import varied_of
from banzuke.text import slug
from banzuke.units import duration, quantity
from banzuke.words import message
from banzuke.words.language import Words

SHOWN = "Of several launches of a case, what is no figure is shown of the median one by the headline figure."


def build(evaluation: Evaluation, prefix: str, wording: Words) -> Content:
    """Tables and texts; the charts are added where they are drawn. `prefix`: of all anchors and names of files."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    sections = [
        _section(
            name,
            short,
            by_benchmark[name],
            evaluation.benchmarks.get(name),
            evaluation.machine,
            collected.get(name),
            wording,
        )
        for name, short in zip(by_benchmark, _distinct([f"{prefix}{slug(name)}" for name in by_benchmark]), strict=True)
    ]
    cases = [entry for section in sections for entry in section.cases]
    verdicts = [
        line
        for section, name in zip(sections, by_benchmark, strict=True)
        for line in (
            [_of_collection(section, *collected[name])]
            if name in collected
            else _verdicts(section, by_benchmark[name], view.views(evaluation.benchmarks.get(name)), wording)
        )
    ]
    compared, references = compare(evaluation, wording, prefix)
    return Content(
        prefix=prefix,
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
        left_out=max(0, evaluation.standard - len(cases)) if evaluation.standard else 0,
        verified=sum(entry.state == "verified" for entry in cases),
        launches=sum(len(assessment.records) for assessment in evaluation.assessments),
        verdicts=verdicts,
        problems=[problem for section in sections for entry in section.cases for problem in _problems(section, entry)],
        missing_launches=evaluation.missing_launches,
        missing=max(0, evaluation.planned - len(cases)),
        cut_short=[wording(said) for said in evaluation.cut_short],
        unreadable=list(evaluation.unreadable),
        first=list(first_screen(evaluation, compared, wording, prefix)),
        drawing=[machine_drawing(evaluation, wording, prefix)],
        specification=specification(evaluation.machine),
        sections=sections,
        roofs=[_roof(ceiling, wording) for ceiling in evaluation.ceilings],
        varied=varied_of(
            [record for assessment in evaluation.assessments for record in assessment.records],
            sections,
            evaluation.benchmarks,
        ),
        comparisons=compared,
        references=references,
        compared=comparison_section(compared, references, evaluation, wording, prefix),
        method=method(evaluation, cases, wording),
    )


def _distinct(slugs: list[str]) -> list[str]:
    return [text if slugs.count(text) == 1 else f"{text}-{index}" for index, text in enumerate(slugs, 1)]


def _section(
    name: str,
    short: str,
    assessments: list[Assessment],
    benchmark: Benchmark | None,
    machine: Machine,
    collected: tuple[Declared, list[Member]] | None,
    wording: Words,
) -> Section:
    title = benchmark.title if benchmark else name
    rows = [settings(assessment.record) for assessment in assessments]
    columns = telling(rows)
    told = {name for names in columns for name in names}
    cases = [
        case(assessment, columns, f"{short}-{index}", title, wording, benchmark)
        for index, assessment in enumerate(assessments, 1)
    ]
    if collected:
        names = [" with ".join(filter(None, (member.problem.name, member.way))) for member in collected[1]]
        cases = [entry.model_copy(update={"label": name}) for entry, name in zip(cases, names, strict=True)]
    shared = {key: value for key, value in rows[0].items() if key not in told and value != ""}
    common = {key: setting_text(value) for key, value in shared.items()}
    return Section(
        name=name,
        title=title,
        slug=short,
        anchor=f"benchmark-{short}",
        common=common,
        columns=[" = ".join(names) for names in columns],
        cases=cases,
        causes=_notes(
            (
                (wording(finding.message), wording.attribute(finding.message, "confirm")),
                wording.attribute(finding.message, "evidence"),
                entry,
            )
            for assessment, entry in zip(assessments, cases, strict=True)
            for finding in assessment.causes
        ),
        warnings=_notes(
            ((wording(said), ""), "", entry)
            for assessment, entry in zip(assessments, cases, strict=True)
            for said in assessment.warnings
        ),
        rulings=_notes(
            ((said, ""), evidence, entry)
            for assessment, entry in zip(assessments, cases, strict=True)
            for said, evidence in _rulings(assessment, wording)
        ),
        collection=collection(*collected, cases) if collected else None,
        shown=SHOWN if any(entry.launches for entry in cases) else "",
        **_shown(benchmark, machine, short, assessments, cases, wording),
    )


def _shown(
    benchmark: Benchmark | None,
    machine: Machine,
    short: str,
    assessments: list[Assessment],
    cases: list[Case],
    wording: Words,
) -> dict[str, Any]:
    if benchmark is None:
        return {}
    of = [view.Case(a, entry.id, entry.label) for a, entry in zip(assessments, cases, strict=True)]
    section = view.Section(benchmark, machine, short, of, wording)
    every = view.views(benchmark)
    return {
        "tabulated": any(view.tabulated(assessment, benchmark) for assessment in assessments),
        "kinds": {case: kind for each in every for case, kind in each.kinds(section).items()},
        "blocks": [block for each in every for block in each.show(section)],
        "tables": {name: table for each in every for name, table in each.tables(section).items()},
    }


def _rulings(assessment: Assessment, wording: Words) -> list[tuple[str, str]]:
    """What is said, and what was found: one of each rule that was not followed."""
    if assessment.violations == ():
        return [(wording(message("limit-official")), "")]
    return [
        (wording(message("report-unofficial", rule=violation.rule)), wording.fact(violation.found))
        for violation in assessment.violations or ()
    ]


def _notes(entries: Iterable[tuple[tuple[str, str], str, Case]]) -> list[Note]:
    """One note for each distinct cause and remedy, with the evidence of every case that shares it."""
    grouped: dict[tuple[str, str], list[Occurrence]] = defaultdict(list)
    for key, evidence, entry in entries:
        grouped[key].append(Occurrence(case=entry.label, evidence=evidence))
    return [Note(what=what, confirm=confirm, occurrences=seen) for (what, confirm), seen in grouped.items()]


def _verdicts(
    section: Section, assessments: list[Assessment], every: Sequence[view.View[Any]], wording: Words
) -> list[Verdict]:
    """The headline case speaks for its benchmark, and for headline metrics that it lacks the first that has them.

    Where it failed, no other case takes its place. What matters of any case is said whichever it was seen in.
    """
    first = section.cases[0]
    verified = sum(entry.state == "verified" for entry in section.cases)
    shared = {
        "benchmark": section.name,
        "title": section.title,
        "anchor": section.anchor,
        "state": first.state,
        "verified": verified,
        "cases": len(section.cases),
    }
    if not first.measurements:
        sentence = wording.joined(assessments[0].verdict) or first.reason
        empty = {"metric": "", "figure": None, "of_limit": None, "of_peak": None}
        return [Verdict.model_validate({**shared, **empty, "sentence": sentence})]
    shown = [(m, first, assessments[0]) for m in first.measurements if m.headline]
    shown = shown or [(first.measurements[0], first, assessments[0])]
    known = {m.metric for m, _, _ in shown}
    for entry, assessment in zip(section.cases, assessments, strict=True):
        for m in entry.measurements:
            if m.headline and m.metric not in known:
                known.add(m.metric)
                shown.append((m, entry, assessment))
    of_others = dict.fromkeys(remark for other in assessments[1:] for remark in view.remarks(other, every))
    said: set[str] = set()
    verdicts = []
    for m, entry, assessment in shown:
        sentence = "" if entry.id in said else wording.joined(assessment.verdict)
        if not said and of_others:
            sentence = wording.joined([sentence, *of_others])
        said.add(entry.id)
        kind = section.kinds.get(entry.id, "")
        title = f"{kind.capitalize()} {m.title[0].lower()}{m.title[1:]}" if kind not in ("", m.metric) else m.title
        verdicts.append(
            Verdict.model_validate(
                {
                    **shared,
                    "metric": "" if title == section.title else title,
                    "figure": m.median,
                    "of_limit": m.of_limit,
                    "of_peak": m.of_peak,
                    "sentence": sentence,
                }
            )
        )
    return verdicts


def _of_collection(section: Section, declared: Declared, members: list[Member]) -> Verdict:
    """All problems together, in the way that the first one was solved in."""
    way = members[0].way
    whole = next(group for group in summaries(members)[::-1] if group.way == way)
    verified = sum(entry.state == "verified" for entry in section.cases)
    return Verdict(
        benchmark=section.name,
        title=section.title,
        anchor=section.anchor,
        metric=f"geometric mean of {whole.verified} {declared.noun}",
        sentence=sentence(declared, members),
        figure=None,
        of_limit=None,
        of_peak=None,
        mean=mean(whole.mean, whole.unit),
        mean_of_limit=mean(whole.of_limit, ""),
        state="verified" if verified else section.cases[0].state,
        verified=verified,
        cases=len(section.cases),
    )


def _problems(section: Section, entry: Case) -> list[Problem]:
    """Of each launch that did not verify; those that failed for the same reason are told together."""
    of: list[Case | Launch] = list(entry.launches) or [entry]
    alike: dict[tuple[State, str], list[Case | Launch]] = {}
    for one in of:
        if one.state != "verified":
            alike.setdefault((one.state, one.reason), []).append(one)
    return [
        Problem(
            benchmark=section.title,
            label=", ".join([entry.label, *(one.name for one in ones if isinstance(one, Launch))]),
            anchor=entry.anchor,
            state=state,
            reason=reason,
            log=ones[0].log,
        )
        for (state, reason), ones in alike.items()
    ]


def _roof(ceiling: Ceiling, wording: Words) -> Roof:
    return Roof(
        name=ceiling.resource.name,
        title=wording(ceiling.name),
        kind=ceiling.kind,
        value=ceiling.value,
        text=quantity(ceiling.value, ceiling.resource.unit),
        source=wording(ceiling.source),
        threads=ceiling.threads,
    )
