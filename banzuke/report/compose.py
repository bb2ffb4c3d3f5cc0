"""Composes the document of a report from evaluations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from banzuke import __version__
from banzuke.document import Document, Paragraph, Section, Table
from banzuke.machine.model import Machine
from banzuke.plan.wording import benchmark_title
from banzuke.report.axis_sections import variant_sections
from banzuke.report.benchmark import benchmark_section, section_of, tables_of
from banzuke.report.ceiling_section import roofline_section
from banzuke.report.chapter import chapters
from banzuke.report.failures import failures_section
from banzuke.report.first.binding import binding_blocks
from banzuke.report.first.comparison import comparison_section
from banzuke.report.first.peers import compare
from banzuke.report.first.site import machine_drawing
from banzuke.report.method import method_section
from banzuke.report.model import Evaluation
from banzuke.report.orders import order_sections
from banzuke.report.reproduce import reproduction_section
from banzuke.report.residuals import at_scale_section
from banzuke.report.side_by_side import ComparedRun, run_names, side_by_side
from banzuke.report.specification import specification_section
from banzuke.report.summary import summary_section
from banzuke.scaling.charts import charts_of
from banzuke.scaling.find import scaling_studies
from banzuke.scaling.page import blocks
from banzuke.views import view
from banzuke.words import Quantity, message
from banzuke.words.language import Words


def runs_of(evaluations: Sequence[Evaluation], words: Words) -> list[ComparedRun]:
    """Return the runs with names; if there are several, anchors and file names have a prefix for each."""
    prefixes = [f"run{place}-" if len(evaluations) > 1 else "" for place in range(1, len(evaluations) + 1)]
    return [
        ComparedRun(name, prefix, evaluation, chapters(evaluation, words, prefix))
        for name, prefix, evaluation in zip(run_names(evaluations), prefixes, evaluations, strict=True)
    ]


def compose(runs: Sequence[ComparedRun], words: Words, further: Sequence[Section] = ()) -> Document:
    """Return the document: each run, and before several runs their comparison and `further` sections about them all."""
    several = len(runs) > 1
    sections: list[Section] = []
    first = 0
    if several:
        sections += [*side_by_side(runs, words), *_beside(runs, words), *further, *_scaling(runs, words)]
        first = len(sections)
    for run in runs:
        sections += [_head(run, words)] if several else []
        sections += _sections(run, words)
    first = first or [section.style for section in sections].index("specification")
    ended = sorted(run.evaluation.ended for run in runs)
    dates = dict.fromkeys(map(words.date, (ended[0], ended[-1])))
    last = (
        [words(message("report-several", number=len(runs)))] if several else _machine(runs[0].evaluation.machine, words)
    )
    return Document(
        language=words.language,
        title=", ".join(dict.fromkeys(run.evaluation.machine.name for run in runs)),
        subtitle=[" – ".join(dates), *last],
        sections=tuple(sections),
        generator=f"Banzuke {__version__}",
        notes={**page_notes(words), "rest": words(message("report-rest", number=len(sections) - first))},
        footer=tuple(_footer(run, words) for run in runs),
        first=first if first < len(sections) else 0,
    )


def tables(runs: Sequence[ComparedRun], words: Words) -> Mapping[str, Table]:
    """Return the tables that are written as CSV only, by file name."""
    return {
        name: table
        for run in runs
        for chapter in run.chapters
        for name, table in tables_of(chapter, run.evaluation.machine, words).items()
    }


def _sections(run: ComparedRun, words: Words) -> Iterator[Section]:
    evaluation, prefix = run.evaluation, run.prefix
    compared, references = compare(evaluation, words, prefix)
    yield summary_section(evaluation, run.chapters, compared, words, prefix)
    if failures := failures_section(evaluation, run.chapters, words, prefix):
        yield failures
    machine = specification_section(evaluation.machine, words, prefix)
    yield replace(machine, blocks=(machine_drawing(evaluation, words, prefix), *machine.blocks))
    for chapter in run.chapters:
        yield benchmark_section(chapter, evaluation.machine, words)
    yield from variant_sections(evaluation, run.chapters, words, prefix)
    yield from order_sections(evaluation, words, prefix)
    if roofline := roofline_section(run.chapters, evaluation.ceilings, evaluation.machine, words, prefix):
        yield roofline
    if comparison := comparison_section(compared, references, evaluation, words, prefix):
        yield comparison
    if at_scale := at_scale_section(evaluation.run, run.chapters, words, prefix):
        yield at_scale
    if reproduction := reproduction_section(run.chapters, words, prefix):
        bindings = binding_blocks(evaluation, words, prefix)
        yield replace(reproduction, blocks=(*reproduction.blocks, *bindings))
    yield method_section(evaluation, words, prefix)


def _beside(runs: Sequence[ComparedRun], words: Words) -> Iterator[Section]:
    """Return for each benchmark the comparison of the first run that has it with each other one, by common cases."""
    by_benchmark: dict[str, list[tuple[str, view.ViewSection]]] = {}
    for run in runs:
        for chapter in run.chapters:
            if section := section_of(chapter, run.evaluation.machine, words):
                by_benchmark.setdefault(chapter.name, []).append((run.name, section))
    pairs = [(mine, name, theirs, other) for (name, mine), *others in by_benchmark.values() for other, theirs in others]
    number = 0
    for mine, name, theirs, other in pairs:
        slug = f"side-by-side-{mine.slug}-{number + 1}"
        comparing = [own for own in view.views(mine.benchmark) if isinstance(own, view.ComparesRuns)]
        blocks = [block for own in comparing for block in own.beside(mine, theirs, (name, other), slug)]
        if blocks:
            number += 1
            yield Section(f"problems-{number}", words(benchmark_title(mine.benchmark)), tuple(blocks))


def _scaling(runs: Sequence[ComparedRun], words: Words) -> Iterator[Section]:
    """Return how figures change with the number of nodes, where runs have several."""
    records = [record for run in runs for case in run.evaluation.assessments for record in case.records]
    benchmarks = {name: spec for run in runs for name, spec in run.evaluation.benchmarks.items()}
    machines = [run.evaluation.machine for run in runs]
    nodes = {machine.fingerprint: number for machine in machines if (number := machine.partition.number)}
    scaling = scaling_studies(records, benchmarks, nodes=nodes)
    if scaling.studies:
        yield Section("scaling", words(message("scaling-section")), tuple(blocks(scaling, words, charts_of)))


def _head(run: ComparedRun, words: Words) -> Section:
    texts = [words.date(run.evaluation.ended), *_machine(run.evaluation.machine, words)]
    return Section(run.anchor, run.name, (Paragraph(" · ".join(texts), small=True),), "run")


def _machine(machine: Machine, words: Words) -> list[str]:
    cores, memory = machine.allotment.allowed_cores, machine.allotment.memory_allowed
    processor = machine.node.processor
    model = processor.model or processor.architecture or words(message("report-unknown"))
    hosts = len(machine.allotment.hosts)
    facts = [
        words(message("report-each-host", number=hosts, processor=model)) if hosts > 1 else model,
        words(message("report-usable-cores", number=cores or 0)),
        words(message("report-memory", size=Quantity(memory, "B"))) if memory else "",
        *(device.name for device in machine.node.devices),
    ]
    return list(filter(None, facts))


def _footer(run: ComparedRun, words: Words) -> str:
    evaluation = run.evaluation
    footer = message(
        "report-footer",
        run=evaluation.run,
        fingerprint=evaluation.machine.fingerprint,
        start=words.moment(evaluation.started),
        end=words.moment(evaluation.ended),
        version=__version__,
    )
    return words(footer)


def page_notes(words: Words) -> Mapping[str, str]:
    """Return the texts of the page itself, by the names of `Document.notes`."""
    return {
        "kind": words(message("report-kind-of-page")),
        "skip": words(message("report-skip")),
        "contents": words(message("report-contents")),
        "light": words(message("report-light")),
        "dark": words(message("report-dark")),
        "no-script": words(message("report-no-script")),
        "broken": words(message("report-broken-chart")),
        "data": words(message("report-data")),
        "more": words(message("report-more")),
        "whole": words(message("report-whole")),
        "undrawn": "",
    }
