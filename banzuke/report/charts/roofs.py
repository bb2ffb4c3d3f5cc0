"""The lines of the roofline chart and their labels: what memory, caches and arithmetic allow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from banzuke.charts.place import CHARACTER, Box
from banzuke.limit.model import Ceiling
from banzuke.units import quantity
from banzuke.words import Message, message
from banzuke.words.language import Words

KINDS = ("measured", "theoretical")
FEW = 2
"""Most owners of roofs for which there is room to write all rates."""
ROW = 14
"""Height of a row of text in pixels."""
Pixel = Callable[[float, float], tuple[float, float]]
"""Returns the position in the chart of an intensity and a rate."""


@dataclass(frozen=True)
class Roofs:
    """The roofs of a host or of a device."""

    devices: bool
    name: str
    """Name of the owner; empty: there are no other roofs."""
    slopes: Mapping[str, Ceiling]
    """Ceilings of memory by kind."""
    flats: Mapping[str, Ceiling]
    """Ceilings of arithmetic by kind."""
    caches: Sequence[Ceiling] = ()
    """Measured ceilings of caches, the nearest first."""

    @property
    def ridges(self) -> list[float]:
        return [flat.value / slope.value for flat in self.flats.values() for slope in self.slopes.values()]


def _kind(kind: str, rate: str) -> Message:
    return message("report-roof-of", kind=kind, rate=rate)


def draw_roofs(
    index: int, roofs: Roofs, left: float, right: float, words: Words
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the lines of an owner's roofs from `left` to `right`, and their labels; `index`: the owner's number."""
    slopes, flats = roofs.slopes, roofs.flats
    lines: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    highest = {kind: (flats.get(kind) or next(iter(flats.values()))).value for kind in slopes}
    for kind, slope in slopes.items():
        ridge = highest[kind] / slope.value
        lines += [
            {"x": left, "y": slope.value * left / 1e9, "kind": kind, "line": f"slope {kind}"},
            {"x": ridge, "y": highest[kind] / 1e9, "kind": kind, "line": f"slope {kind}"},
        ]
        below = kind == "measured" or len(slopes) == 1
        at = left * (ridge / left) ** (0.12 if below else 0.62)
        texts.append(
            {
                "x": at,
                "y": slope.value * at / 1e9,
                "align": "left" if below else "right",
                "dx": 10 if below else -8,
                "dy": 10 if below else -6,
                "text": words(_kind(kind, quantity(slope.value, "B/s"))),
            }
        )
    lowest = min(flats.values(), key=lambda flat: flat.value)
    steepest = next(iter(slopes.values())).value
    for kind in flats.keys() - slopes.keys():
        ends = sorted((lowest.value, flats[kind].value))
        lines += [{"x": y / steepest, "y": y / 1e9, "kind": kind, "line": f"link {kind}"} for y in ends]
    for kind, flat in flats.items():
        start = flat.value / (slopes.get(kind) or next(iter(slopes.values()))).value
        lines += [
            {"x": start, "y": flat.value / 1e9, "kind": kind, "line": f"flat {kind}"},
            {"x": right, "y": flat.value / 1e9, "kind": kind, "line": f"flat {kind}"},
        ]
        texts.append(
            {
                "x": start,
                "y": flat.value / 1e9,
                "align": "right",
                "dx": -4,
                "dy": -9 if flat is lowest else -23,
                "text": words(_kind(kind, quantity(flat.value, "flop/s"))),
            }
        )
    for ceiling in reversed(roofs.caches):  # the lowest first: the label of a higher one has more room above
        lines += _cache_line(ceiling, highest.get("measured", lowest.value), left)
        texts += _cache_name(ceiling, highest.get("measured", lowest.value), left, words)
    lines = [line | {"line": f"{index} {line['line']}", "devices": roofs.devices} for line in lines]
    return lines, texts


def _cache_line(ceiling: Ceiling, flat: float, left: float) -> list[dict[str, Any]]:
    """Return the line of a cache up to the arithmetic's; none where that binds everywhere in the chart."""
    ridge = flat / ceiling.value
    line = {"kind": "cache", "line": f"cache {ceiling.resource.cache}"}
    ends = [line | {"x": x, "y": ceiling.value * x / 1e9} for x in (left, ridge)]
    return ends if ridge > left else []


def _cache_name(ceiling: Ceiling, flat: float, left: float, words: Words) -> list[dict[str, Any]]:
    """Return the label of a cache's line, below its beginning; none where there is no line."""
    rate = quantity(ceiling.value, "B/s")
    text = words(message("report-roof-of-cache", level=ceiling.resource.cache, rate=rate))
    label = {"x": left, "y": ceiling.value * left / 1e9, "align": "left", "dx": 10, "dy": 3, "text": text}
    return [label] if flat > ceiling.value * left else []


def label_box(text: Mapping[str, Any], pixel: Pixel) -> Box:
    """Return where a label of `draw_roofs` or `name_roofs` lies."""
    x, y = pixel(text["x"], text["y"] * 1e9)
    length = len(text["text"]) * CHARACTER
    start = (x - length if text["align"] == "right" else x) + text["dx"]
    return start, y + text["dy"] - 8, start + length, y + text["dy"] + 8


def lift_labels(texts: Sequence[Mapping[str, Any]], pixel: Pixel) -> list[dict[str, Any]]:
    """Return the labels; one that would lie on an earlier one is moved up, for the lines of caches may be near."""
    lifted: list[dict[str, Any]] = []
    for text in texts:
        taken = [label_box(other, pixel) for other in lifted]
        steps = range(len(texts) * 2 * ROW)
        lifted.append(next(up for step in steps if not _covers(label_box(up := _up(text, step), pixel), taken)))
    return lifted


def _up(text: Mapping[str, Any], pixels: int) -> dict[str, Any]:
    return {**text, "dy": text["dy"] - pixels}


def _covers(box: Box, others: Sequence[Box]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] - 2 and other[1] < box[3] - 2 for other in others
    )


def name_roofs(roofs: Roofs, every: Sequence[Roofs], right: float, pixel: Pixel, words: Words) -> list[dict[str, Any]]:
    """Return the labels of roofs: above the highest roof, or below the lowest if other roofs are near.

    With at most `FEW` owners, labels have the name and all rates; with more, the name alone, as the rates are in the
    table.
    """
    texts = _rates(roofs, words) if len(every) <= FEW else [roofs.name]
    near = _crowd(roofs, every, len(texts), right, pixel)
    pick, first, step = (min, 10 + ROW * len(texts) * (near - 1), ROW) if near else (max, -9, -ROW)
    place = {"x": right, "y": pick(flat.value for flat in roofs.flats.values()) / 1e9, "align": "right", "dx": -2}
    return [place | {"dy": first + step * row, "text": text} for row, text in enumerate(texts)]


def _crowd(roofs: Roofs, every: Sequence[Roofs], rows: int, right: float, pixel: Pixel) -> int:
    """Return how many other roofs lie where the label would be; of equal roofs, the first has no conflict."""
    tops = [max(flat.value for flat in other.flats.values()) for other in every]
    own = next(place for place, other in enumerate(every) if other is roofs)
    height = pixel(right, tops[own])[1]

    def is_near(other: Roofs) -> bool:
        return any(0 <= height - pixel(right, flat.value)[1] <= ROW * rows + 4 for flat in other.flats.values())

    return sum(
        is_near(other)
        for place, other in enumerate(every)
        if tops[place] > tops[own] or (tops[place] == tops[own] and place < own)
    )


def _rates(roofs: Roofs, words: Words) -> list[str]:
    rows = {
        kind: [
            quantity(roof[kind].value, unit)
            for roof, unit in ((roofs.slopes, "B/s"), (roofs.flats, "flop/s"))
            if kind in roof
        ]
        for kind in KINDS
    }
    return [
        words(message("report-roof-whose", name=roofs.name, roof=_kind(kind, ", ".join(rates))))
        for kind, rates in rows.items()
        if rates
    ]
