"""The roofline chart: what memory and arithmetic allow at each intensity, and where the verified figures lie.

Hosts and each kind of device have roofs of their own on one chart. A figure is drawn under the roofs of what it ran on,
as a rate per host or device.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from banzuke.charts.place import OFFSETS, Box, decades, label_sides
from banzuke.charts.style import Drawn, inline, series_scales
from banzuke.compare.settings import figure_text
from banzuke.judge.model import Figure
from banzuke.limit.capacity import kinds_driven
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.record.figures import FLOPS, MOVED
from banzuke.record.model import Record
from banzuke.report.chapter import Chapter, figure_title
from banzuke.report.charts.roofs import KINDS, Roofs, draw_roofs, label_box, lift_labels, name_roofs
from banzuke.units import quantity
from banzuke.views.view import ViewCase
from banzuke.words import Listed, Message, Quantity, message
from banzuke.words.language import Words

_HEIGHT = 360
_WIDTH = 440
"""Narrower than the page on a desktop, so that labels also keep apart on a telephone."""
_DASHES = {"cache": [2, 3], "theoretical": [5, 4], "measured": [1, 0]}
_WIDTHS = {False: 1.5, True: 3.0}
"""Widths of the lines of hosts, and of devices."""


_Owner = tuple[str, str | None]
"""Owner of roofs and figures: a partition (empty where the site has only one), and the name of its kind of device
(empty where unknown; None for hosts)."""


@dataclass(frozen=True)
class Spot:
    owner: _Owner
    intensity: float
    rate: float
    """flop/s of one host or device."""
    benchmark: str
    label: str
    case: str
    figure: Figure


def roofline_chart(
    chapters: Sequence[Chapter], ceilings: Sequence[Ceiling], machine: Machine, words: Words, prefix: str = ""
) -> Drawn | None:
    """Return the chart; None without both kinds of ceiling or without a figure whose work has flops and bytes."""
    drawn = [chapter for chapter in chapters if not chapter.collected]
    spots = [spot for chapter in drawn for spot in _spots(chapter, machine, words)]
    order = dict.fromkeys(sorted((spot.owner for spot in spots), key=lambda owner: owner[1] is not None))
    slopes = {owner: _highest(ceilings, MOVED, owner) for owner in order}
    flats = {owner: _highest(ceilings, FLOPS, owner) for owner in order}
    owners = [owner for owner in order if slopes[owner] and flats[owner]]
    if not owners:
        return None
    by_owner = {
        owner: Roofs(
            owner[1] is not None,
            _whose(owner, words) if len(order) > 1 else "",
            slopes[owner],
            flats[owner],
            _caches(ceilings, owner),
        )
        for owner in owners
    }
    caption = [message("report-roofline-caption")]
    caption += [message("report-roofline-caches")] if any(roofs.caches for roofs in by_owner.values()) else []
    caption += [message("report-roofline-devices")] if len({roofs.devices for roofs in by_owner.values()}) > 1 else []
    if without := [_whose(owner, words) for owner in order if owner not in by_owner]:
        caption.append(message("report-roofline-without", who=Listed(tuple(without))))
    records = [case.assessment.record for chapter in drawn for case in chapter.cases]
    if any(_together(record, machine) for record in records):
        caption.append(message("report-roofline-together"))
    under = [spot for spot in spots if spot.owner in by_owner]
    if len({device for _, device in by_owner if device}) > 1:
        under = [replace(spot, label=", ".join(filter(None, (spot.label, spot.owner[1])))) for spot in under]
    return _draw(under, by_owner, caption, words, prefix)


def _owner(record: Record, machine: Machine) -> _Owner:
    kinds = kinds_driven(record, machine)
    return record.partition, kinds[0] if kinds else None


def _together(record: Record, machine: Machine) -> bool:
    """Return whether different kinds of device worked on it, so that it has no single roof."""
    return len(kinds_driven(record, machine)) > 1


def _whose(owner: _Owner, words: Words) -> str:
    partition, device = owner
    kind = "host" if device is None else "device"
    return words(message("report-roofs-whose", kind=kind, device=device or "none", partition=partition or "none"))


def work(case: ViewCase, figure: Figure) -> tuple[float, float] | None:
    """Return flops and bytes of one sample; None where its work lacks either."""
    samples = case.assessment.record.metrics.get(figure.metric)
    flops, moved = (samples.demanded(FLOPS), samples.demanded(MOVED)) if samples else (None, None)
    return (flops, moved) if flops and moved else None


def rate(figure: Figure, flops: float, moved: float) -> float | None:
    """Return the flop/s of a figure in any unit; None: it cannot be drawn."""
    value = figure.value
    if not value or not all(map(math.isfinite, figure.samples)):
        return None
    return {"flop/s": value, "B/s": value * flops / moved, "s": flops / value}.get(figure.unit)


def _spots(chapter: Chapter, machine: Machine, words: Words) -> list[Spot]:
    spots: list[Spot] = []
    seen: set[tuple[_Owner, str, float, float]] = set()
    for case in chapter.cases:
        for figure in case.assessment.figures:
            amounts = work(case, figure)
            reached = rate(figure, *amounts) if amounts else None
            again = figure.unit == "s" and any(other.unit == "flop/s" for other in case.assessment.figures)
            record = case.assessment.record
            if amounts is None or reached is None or again or _together(record, machine):
                continue
            title = figure_title(record, figure, chapter.title, words)
            unit_rate = reached / (len(record.devices) or record.nodes)
            owner = _owner(record, machine)
            spot = Spot(owner, amounts[0] / amounts[1], unit_rate, chapter.title, title, case.label, figure)
            key = (owner, figure.metric, round(spot.intensity, 9), round(math.log(unit_rate), 3))
            if key not in seen:
                seen.add(key)
                spots.append(spot)
    return spots


def _highest(ceilings: Sequence[Ceiling], name: str, owner: _Owner) -> dict[str, Ceiling]:
    """Return the highest ceiling of each kind that exists."""
    partition, device = owner
    highest: dict[str, Ceiling] = {}
    for ceiling in ceilings:
        here = ceiling.device == device and ceiling.partition in (None, partition)
        if here and ceiling.resource.name == name and 0 < ceiling.value < math.inf:
            highest[ceiling.kind] = max(
                highest.get(ceiling.kind, ceiling), ceiling, key=lambda candidate: candidate.value
            )
    return {kind: highest[kind] for kind in KINDS if kind in highest}


def _caches(ceilings: Sequence[Ceiling], owner: _Owner) -> list[Ceiling]:
    """Return the highest measured ceiling of each level of caches, the nearest level first."""
    names = {
        ceiling.resource.cache: ceiling.resource.name for ceiling in ceilings if ceiling.resource.instead_of == MOVED
    }
    highest = (_highest(ceilings, names[level], owner).get("measured") for level in sorted(names))
    return [ceiling for ceiling in highest if ceiling]


def _draw(
    spots: list[Spot], by_owner: Mapping[_Owner, Roofs], caption: Sequence[Message], words: Words, prefix: str
) -> Drawn:
    every = [*by_owner.values()]
    ridges = [ridge for roofs in every for ridge in roofs.ridges]
    left = min([spot.intensity for spot in spots] + ridges) / 4
    right = max([spot.intensity for spot in spots] + ridges) * 4
    top = max(flat.value for roofs in every for flat in roofs.flats.values()) * 4
    lowest = [slope.value * left for roofs in every for slope in roofs.slopes.values()]
    bottom = min([spot.rate for spot in spots] + lowest) / 1.8

    def pixel(x: float, y: float) -> tuple[float, float]:
        return (
            _WIDTH * math.log(x / left) / math.log(right / left),
            _HEIGHT * (1 - math.log(y / bottom) / math.log(top / bottom)),
        )

    x_scale = alt.Scale(type="log", domain=[left, right], nice=False)
    x = alt.X(
        "x:Q", title=words(message("report-intensity")), scale=x_scale, axis=alt.Axis(values=decades(left, right))
    )
    y_scale = alt.Scale(type="log", domain=[bottom / 1e9, top / 1e9], nice=False)
    y = alt.Y("y:Q", title="Gflop/s", scale=y_scale, axis=alt.Axis(values=decades(bottom / 1e9, top / 1e9)))
    lines: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for index, roofs in enumerate(every):
        own = draw_roofs(index, roofs, left, right, words)
        lines += own[0]
        texts += name_roofs(roofs, every, right, pixel, words) if roofs.name else lift_labels(own[1], pixel)
    names = list(dict.fromkeys(spot.benchmark for spot in spots))
    scales = series_scales(names)
    spotted = [pixel(spot.intensity, spot.rate) for spot in spots]
    obstacles: list[Box] = [(px - 4, py - 4, px + 4, py + 4) for px, py in spotted]
    obstacles += [label_box(text, pixel) for text in texts]
    for name in dict.fromkeys(line["line"] for line in lines):
        first, last = (pixel(line["x"], line["y"] * 1e9) for line in lines if line["line"] == name)
        obstacles += _along(first, last)
    labelled = _best_of_each(spots)
    places = [pixel(spot.intensity, spot.rate) for spot in labelled]
    sides = label_sides(places, [_name(spot) for spot in labelled], _WIDTH, obstacles)
    layers: list[Any] = []
    for (kind, dash), devices in itertools.product(_DASHES.items(), (False, True)):
        chosen = [line for line in lines if line["kind"] == kind and line["devices"] == devices]
        if chosen:
            colour = "var(--ink)" if kind == "measured" else "var(--faint)"
            mark = alt.Chart(inline(chosen)).mark_line(color=colour, strokeDash=dash, strokeWidth=_WIDTHS[devices])
            layers.append(mark.encode(x=x, y=y, detail=alt.Detail("line:N")))
    for text in texts:
        mark = alt.Chart(inline([text])).mark_text(
            align=text["align"], dx=text["dx"], dy=text["dy"], color="var(--soft)"
        )
        layers.append(mark.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N")))
    layers += [_points(under, scales) for devices in (False, True) if (under := _of_devices(spots, devices=devices))]
    for side, (align, dx, dy) in OFFSETS.items():
        values = [
            {"x": s.intensity, "y": s.rate / 1e9, "text": _name(s)}
            for s, chosen_side in zip(labelled, sides, strict=True)
            if chosen_side == side
        ]
        if values:
            mark = alt.Chart(inline(values)).mark_text(align=align, dx=dx, dy=dy, baseline="middle")
            layers.append(mark.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N")))
    chart = alt.layer(*layers).properties(width="container", height=_HEIGHT)
    description = message(
        "report-roofline-description",
        number=len(spots),
        low=min(spot.intensity for spot in spots),
        high=max(spot.intensity for spot in spots),
        best=Quantity(max(spot.rate for spot in spots), "flop/s"),
    )
    title = words(message("report-roofline"))
    return Drawn(f"{prefix}roofline", title, words(description), words.sentences(caption), chart)


def _of_devices(spots: Sequence[Spot], *, devices: bool) -> list[Spot]:
    return [spot for spot in spots if (spot.owner[1] is not None) == devices]


def _along(first: tuple[float, float], last: tuple[float, float]) -> list[Box]:
    """Return small boxes along a line, which labels should avoid."""
    steps = 80
    places = [
        (first[0] + (last[0] - first[0]) * i / steps, first[1] + (last[1] - first[1]) * i / steps)
        for i in range(steps + 1)
    ]
    return [(x - 3, y - 3, x + 3, y + 3) for x, y in places]


def _points(spots: list[Spot], scales: dict[str, alt.Scale]) -> alt.Chart:
    values = [
        {
            "x": spot.intensity,
            "y": spot.rate / 1e9,
            "benchmark": spot.benchmark,
            "figure": f"{spot.label}, {spot.case}",
            "median": figure_text(spot.figure.value, spot.figure.unit),
            "rate": quantity(spot.rate, "flop/s"),
            "intensity": f"{spot.intensity:.3g} flop/B",
        }
        for spot in spots
    ]
    points: alt.Chart = (
        alt.Chart(inline(values))
        .mark_point(filled=spots[0].owner[1] is None, size=60, opacity=0.9, strokeWidth=1.8)
        .encode(
            x=alt.X("x:Q"),
            y=alt.Y("y:Q"),
            color=alt.Color("benchmark:N", scale=scales["color"], legend=None),
            shape=alt.Shape("benchmark:N", scale=scales["shape"], legend=None),
            tooltip=[alt.Tooltip(f"{field}:N") for field in ("benchmark", "figure", "median", "rate", "intensity")],
        )
    )
    return points


def _name(spot: Spot) -> str:
    return spot.label if spot.benchmark in spot.label else f"{spot.benchmark} {spot.label}"


def _best_of_each(spots: list[Spot]) -> list[Spot]:
    best: dict[tuple[_Owner, str, str], Spot] = {}
    for spot in spots:
        key = (spot.owner, spot.benchmark, spot.label)
        if key not in best or spot.rate > best[key].rate:
            best[key] = spot
    return sorted(best.values(), key=lambda spot: -spot.rate)
