"""This machine beside published ones: same benchmark, same metric, figures as their reports print them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.report.base import Number
from banzuke.report.cases import full_title
from banzuke.report.content import Case, Comparison, Measurement, Rival, Section
from banzuke.text import slug
from banzuke.units import percent, quantity

COMPARABLE = {"measured", "comparison", "rounded", "derived"}


def comparisons(
    machine: Machine, sections: Iterable[Section], published: Sequence[PublishedMachine]
) -> tuple[list[Comparison], list[str]]:
    """The comparisons, and the reports that they cite, numbered from 1."""
    found = []
    citations: dict[str, int] = {}
    for section in sections:
        if section.collection:
            continue  # no problem of it stands for the machine
        for entry, figure in _first_of_each_metric(section):
            others = _rivals(section.name, figure, published, citations)
            if not others:
                continue
            rivals = [_this(machine, entry, figure, first=entry is section.cases[0]), *others]
            sign = -1 if figure.better == "higher" else 1
            rivals.sort(key=lambda rival: sign * (rival.value if rival.per_node is None else rival.per_node))
            found.append(
                Comparison(
                    benchmark=section.name,
                    metric=figure.metric,
                    title=full_title(section.title, figure.title, ": "),
                    unit=figure.unit,
                    better=figure.better,
                    headline=figure.headline,
                    anchor=f"comparison-{section.slug}-{slug(figure.metric)}",
                    rivals=rivals,
                )
            )
    return found, list(citations)


def _first_of_each_metric(section: Section) -> list[tuple[Case, Measurement]]:
    """The headline case's figures; a metric that it lacks is taken from the first case that has it."""
    chosen: dict[str, tuple[Case, Measurement]] = {}
    for entry in section.cases:
        for figure in entry.measurements:
            chosen.setdefault(figure.metric, (entry, figure))
    return sorted(chosen.values(), key=lambda pair: not pair[1].headline)


def _rivals(
    benchmark: str, mine: Measurement, published: Sequence[PublishedMachine], citations: dict[str, int]
) -> list[Rival]:
    """Of each machine and number of nodes its best printed figure."""
    groups: dict[tuple[str, int | None, str | None], list[tuple[PublishedMachine, PublishedFigure, float]]] = (
        defaultdict(list)
    )
    for machine in published:
        for figure in machine.figure:
            same = figure.benchmark == benchmark and figure.metric == mine.metric and figure.unit == mine.unit
            if same and figure.value is not None and figure.kind in COMPARABLE:
                groups[machine.id, figure.nodes, figure.part].append((machine, figure, figure.value))
    best = max if mine.better == "higher" else min
    return [_rival(*best(group, key=lambda item: item[2]), len(group), citations) for group in groups.values()]


def _rival(
    machine: PublishedMachine, figure: PublishedFigure, value: float, count: int, citations: dict[str, int]
) -> Rival:
    fraction, fraction_note = _fraction(machine, figure, value)
    notes = [f"best of {count} printed figures"] if count > 1 else []
    notes += ["quoted there from another source"] if figure.kind == "comparison" else []
    notes += [f"{figure.kind} there"] if figure.kind in {"rounded", "derived"} else []
    notes += [figure.note] if figure.note else []
    notes += [f"⚑ {flag}" for flag in figure.flags]
    each = value / figure.nodes if figure.nodes and not figure.part and figure.unit.endswith("/s") else None
    citation = machine.site.reports[figure.report].citation
    return Rival(
        machine=f"{machine.name}, {figure.part}" if figure.part else machine.name,
        this=False,
        value=value,
        text=quantity(value, figure.unit, 4),
        as_printed=figure.as_printed or "",
        nodes=figure.nodes,
        per_node=each,
        per_node_text=quantity(each, figure.unit) if each is not None else "–",
        fraction_of_peak=fraction,
        fraction_text=percent(fraction),
        fraction_note=fraction_note,
        source=figure.where,
        reference=citations.setdefault(citation, len(citations) + 1),
        notes=notes,
    )


def _fraction(machine: PublishedMachine, figure: PublishedFigure, value: float) -> tuple[float | None, str]:
    """The fraction that holds, and how it differs from what is printed."""
    printed = figure.percent_of_peak
    if printed is not None and figure.recomputed_percent is not None:
        return figure.recomputed_percent / 100, f"printed {printed:g}%"
    if printed is not None:
        return printed / 100, ""
    peak = machine.peak(figure)
    return (value / peak, "computed here") if peak else (None, "")


def _this(machine: Machine, entry: Case, figure: Measurement, *, first: bool) -> Rival:
    nodes = int(entry.settings["hosts"])
    each = figure.median.value / nodes if figure.unit.endswith("/s") else None
    fraction, peak_figure = _own_fraction(machine, figure, each)
    of = f" of {len(figure.medians)} launches" if figure.medians else ""
    return Rival(
        machine=machine.name,
        this=True,
        value=figure.median.value,
        text=figure.median.text,
        as_printed="",
        nodes=nodes,
        per_node=each,
        per_node_text=quantity(each, figure.unit) if each is not None else "–",
        fraction_of_peak=fraction,
        fraction_text=percent(fraction),
        fraction_note="",
        source="this report",
        notes=[*([] if first else [f"case {entry.label}"]), f"median{of}; best {figure.best.text}"],
        figure=figure.median,
        peak_figure=peak_figure,
    )


def _own_fraction(machine: Machine, figure: Measurement, each: float | None) -> tuple[float | None, Number | None]:
    """As the reports count, of a node's flop rate also where memory bounds it; and the assessment's, if equal."""
    assessed = figure.of_peak
    peak = machine.peaks["flops.fp64"].value if "flops.fp64" in machine.peaks else None
    if figure.unit != "flop/s" or each is None or peak is None:
        return (assessed.value, assessed) if assessed else (None, None)
    fraction = each / peak
    same = assessed is not None and math.isclose(assessed.value, fraction, rel_tol=1e-6)
    return fraction, assessed if same else None
