"""This machine beside published ones: same benchmark, same metric, figures as their reports print them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from banzuke.machine.model import Machine
from banzuke.machine.published import Figure, PublishedMachine
from banzuke.report.cases import slug
from banzuke.report.content import Case, Comparison, Measurement, Rival, Section
from banzuke.units import UNKNOWN, percent, quantity

_COMPARABLE = {"measured", "comparison", "rounded", "derived"}


def comparisons(
    machine: Machine, sections: Iterable[Section], published: Sequence[PublishedMachine]
) -> list[Comparison]:
    found = []
    for section in sections:
        for entry, figure in _first_of_each_metric(section):
            others = _rivals(section.name, figure, published)
            if not others:
                continue
            rivals = [_this(machine, entry, figure, first=entry is section.cases[0]), *others]
            sign = -1 if figure.better == "higher" else 1
            rivals.sort(key=lambda rival: sign * (rival.value if rival.per_node is None else rival.per_node))
            found.append(
                Comparison(
                    benchmark=section.name,
                    metric=figure.metric,
                    title=f"{section.title}: {figure.title}",
                    unit=figure.unit,
                    better=figure.better,
                    anchor=f"comparison-{slug(section.name)}-{slug(figure.metric)}",
                    rivals=rivals,
                )
            )
    return found


def _first_of_each_metric(section: Section) -> list[tuple[Case, Measurement]]:
    """The headline case's figures; a metric that it lacks is taken from the first case that has it."""
    chosen: dict[str, tuple[Case, Measurement]] = {}
    for entry in section.cases:
        for figure in entry.measurements:
            chosen.setdefault(figure.metric, (entry, figure))
    return list(chosen.values())


def _rivals(benchmark: str, mine: Measurement, published: Sequence[PublishedMachine]) -> list[Rival]:
    """Of each machine and number of nodes its best printed figure."""
    groups: dict[tuple[str, int | None, str | None], list[tuple[PublishedMachine, Figure, float]]] = (
        defaultdict(list)
    )
    for machine in published:
        for figure in machine.figure:
            same = figure.benchmark == benchmark and figure.metric == mine.metric and figure.unit == mine.unit
            if same and figure.value is not None and figure.kind in _COMPARABLE:
                groups[machine.id, figure.nodes, figure.part].append((machine, figure, figure.value))
    best = max if mine.better == "higher" else min
    return [_rival(*best(group, key=lambda item: item[2]), count=len(group)) for group in groups.values()]


def _rival(machine: PublishedMachine, figure: Figure, value: float, count: int) -> Rival:
    fraction, fraction_text = _fraction(machine, figure, value)
    notes: list[str] = [figure.kind] if figure.kind != "measured" else []
    notes += [f"best of {count} printed figures"] if count > 1 else []
    notes += [figure.note] if figure.note else []
    notes += [f"⚑ {flag}" for flag in figure.flags]
    each = value / figure.nodes if figure.nodes and not figure.part and figure.unit.endswith("/s") else None
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
        fraction_text=fraction_text,
        source=machine.source(figure),
        notes=notes,
    )


def _fraction(machine: PublishedMachine, figure: Figure, value: float) -> tuple[float | None, str]:
    """The fraction that holds, and its text, which tells a printed percentage from a computed one."""
    printed = figure.percent_of_peak
    if printed is not None and figure.recomputed_percent is not None:
        fraction = figure.recomputed_percent / 100
        return fraction, f"{percent(fraction)} recomputed, {printed:g}% printed"
    if printed is not None:
        return printed / 100, f"{printed:g}%"
    peak = machine.peak(figure)
    if not peak:
        return None, UNKNOWN
    return value / peak, f"{percent(value / peak)} computed here"


def _this(machine: Machine, entry: Case, figure: Measurement, *, first: bool) -> Rival:
    nodes = int(entry.settings["hosts"])
    each = figure.median.value / nodes if figure.unit.endswith("/s") else None
    return Rival(
        machine=machine.name,
        this=True,
        value=figure.median.value,
        text=figure.median.text,
        as_printed="",
        nodes=nodes,
        per_node=each,
        per_node_text=quantity(each, figure.unit) if each is not None else "–",
        fraction_of_peak=figure.of_peak.value if figure.of_peak else None,
        fraction_text=figure.of_peak.text if figure.of_peak else UNKNOWN,
        source="this report",
        notes=[] if first else [f"case {entry.label}"],
        figure=figure.median,
        peak_figure=figure.of_peak,
    )
