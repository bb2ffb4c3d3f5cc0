"""Noise and what environments cost, as Markdown and as CSV; and words about a case's noise."""

from collections.abc import Iterable, Sequence

from banzuke.document.csv import csv_text
from banzuke.document.markdown import EMPTY, HEADING, ITEM, Markdown, md, table_markdown
from banzuke.limit.model import Assessment
from banzuke.record.matching import environment
from banzuke.report.content import Content, Section
from banzuke.report.noise_content import Noise, NoiseGroup, Quanta, Run, Varied
from banzuke.report.text import figures

_TAILS = {"median": "p50", "99%": "p99", "99.9%": "p99.9", "99.99%": "p99.99"}


def tails(group: NoiseGroup) -> dict[str, str]:
    """Titles and names of the percentiles that any case of it has."""
    known = {name for run in group.runs for row in run.statistics for name in row.values}
    return {title: name for title, name in _TAILS.items() if name in known}


def facts(group: NoiseGroup) -> list[str]:
    """`60,000 quanta of 6.13 ms on each of 48 processors. ...`: once where all environments share it."""
    told: dict[str, list[str]] = {}
    for run in group.runs:
        told.setdefault(_fact(run), []).append(run.label)
    facts = [f"{'; '.join(names)}: {text}" if len(told) > 1 else text for text, names in told.items()]
    return [*facts, *dict.fromkeys(run.clock for run in group.runs if run.clock)]


def _fact(run: Run) -> str:
    on = "1 processor" if run.processors == 1 else f"each of {run.processors:,} processors"
    told = f"{run.quanta:,} quanta of {run.quantum.text} on {on}"
    told += f", the median of {run.launches} launches" if run.launches > 1 else ""
    told += f"; the clock's part to within {run.resolution.text}." if run.resolution else "."
    if run.left_out:
        kept = run.processors - run.left_out
        told += f" Quantum by quantum the record has the {kept:,} with the longest noise; the counts are of all."
    return told


def noise_markdown(content: Content, section: Section, noise: Noise) -> list[Markdown]:
    lines: list[Markdown] = []
    for group in noise.groups:
        names = tails(group)
        lengths = [f"> {length}" for length in group.runs[0].statistics[0].above]
        header = ["Environment", "Noise", "Longest", "Mean", "of the time", *names, *lengths, "Quanta"]
        rows = [_row(run, row, names.values()) for run in group.runs for row in run.statistics]
        title = HEADING.format(f"{section.title}: {group.title}")
        lines += [title, EMPTY, *table_markdown(header, rows, range(2, len(header)))]
        lines += [ITEM.format(fact) for fact in facts(group)]
        lines += [EMPTY, *figures(content.charts, group.charts)]
        for run in group.runs:
            peaks = run.spectrum.peaks if run.spectrum else []
            told = [
                [p.frequency.text, p.amplitude.text, p.lost.text if p.lost else "–", p.multiples, p.name] for p in peaks
            ]
            header = ["Frequency", "Amplitude", "takes", "Multiples", "What it is"]
            lines += table_markdown(header, told, range(4)) if told else []
    return [*lines, *([md(noise.left_out), EMPTY] if noise.left_out else [])]


def _row(run: Run, row: Quanta, percentiles: Iterable[str]) -> list[str]:
    names = ("maximum", "mean", "share", *percentiles)
    values = [row.values[name].text if name in row.values else "–" for name in names]
    return [run.label, row.name, *values, *(f"{count:,}" for count in row.above.values()), f"{row.count:,}"]


def processors_csv(assessments: Sequence[Assessment], benchmark: str) -> str:
    """One line for each processor of each case, in SI units in full; empty: there is none."""
    rows: list[tuple[object, ...]] = []
    for found in assessments:
        provenance = found.record.provenance
        if found.noise is None or found.record.benchmark != benchmark:
            continue
        case = (provenance.id if provenance else "", environment(found.record))
        rows += [(*case, core.host, core.cpu, core.maximum, core.share) for core in found.noise.cores]
    header = ["case", "environment", "host", "processor", "maximum_noise", "noise_share"]
    return csv_text(header, rows) if rows else ""


def varied_markdown(content: Content, found: Varied) -> list[Markdown]:
    header = ["Figure", "Against", "Its figure", found.title, "There", "Ratio", "Interval", "All cases", "So"]
    rows = [
        [
            *(row.title, row.against, row.reference.text, mark.value, mark.figure.text),
            mark.ratio.text if mark.ratio and mark.drawn else "–",
            f"{mark.low:.3g} to {mark.high:.3g}" if mark.low and mark.high and mark.drawn else "–",
            f"{mark.least.text} to {mark.most.text}" if mark.least and mark.most and mark.drawn else "–",
            mark.said,
        ]
        for row in found.headlines
        for mark in row.marks
    ]
    lines = [Markdown("## {}").format(found.title), EMPTY]
    lines += [md(f"The same cases in turn; above 1: better than with {found.against}."), EMPTY]
    lines += [*figures(content.charts, found.charts), *table_markdown(header, rows, (2, 4, 5, 6, 7))]
    lines += [ITEM.format(caution) for caution in found.cautions]
    lines += [ITEM.format(f"{name}: {about}") for name, about in found.about.items()]
    return [*lines, EMPTY]
