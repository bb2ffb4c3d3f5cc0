"""Colours, shapes and fonts of every chart.

Charts name colours as CSS variables (`var(--c1)`), so that the page's theme, toggle and print style apply without
redrawing; `resolve` inserts the light theme's values for files. Colours follow Okabe and Ito; each series also has its
own shape and dash, so nothing depends on colour alone.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, Self

import altair as alt

from banzuke.document import Chart
from banzuke.text import printable

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1b1a",
    "soft": "#5c5b57",
    "faint": "#8d8b85",
    "rule": "#d9d6cf",
    "hair": "#ece9e3",
    "wash": "#f6f4ef",
    "band": "#cfdbe4",
    "accent": "#a3341f",
    "good": "#1d6b42",
    "bad": "#a3211f",
    "warn": "#8a5a00",
    "onbar": "#ffffff",
    "c1": "#0b5f96",
    "c2": "#c2500a",
    "c3": "#00805c",
    "c4": "#a8558a",
    "c5": "#a87400",
    "c6": "#3a8fc4",
    "c7": "#555555",
    "c8": "#6a4fb0",
    "h1": "#eef3f7",
    "h2": "#cddfec",
    "h3": "#9fc3dc",
    "h4": "#639cc4",
    "h5": "#2a719f",
    "h6": "#0b4368",
    "onheat": "#ffffff",
}
DARK = {
    "paper": "#161615",
    "ink": "#e9e6df",
    "soft": "#b0ada5",
    "faint": "#8a877f",
    "rule": "#3d3b37",
    "hair": "#2a2926",
    "wash": "#1e1d1b",
    "band": "#2c4152",
    "accent": "#ef8a6f",
    "good": "#6cc495",
    "bad": "#f08c85",
    "warn": "#e0b155",
    "onbar": "#10100f",
    "c1": "#62b2e6",
    "c2": "#f2904e",
    "c3": "#43c79d",
    "c4": "#dc94c2",
    "c5": "#e3b341",
    "c6": "#a5d3f0",
    "c7": "#bdbab2",
    "c8": "#b3a0ee",
    "h1": "#1d2830",
    "h2": "#24404f",
    "h3": "#2c5e78",
    "h4": "#3a83a8",
    "h5": "#6fb3d6",
    "h6": "#c3e4f5",
    "onheat": "#10100f",
}
COLOURS = [f"var(--c{index})" for index in range(1, 9)]
HEAT = [f"var(--h{index})" for index in range(1, 7)]
"""From the background outwards, so that slow values stand out in both the light and the dark theme."""
SHAPES = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 2], [1, 3], [6, 2, 1, 2, 1, 2]]
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
JAPANESE = "'Hiragino Sans', 'Noto Sans CJK JP', 'Noto Sans JP', 'Yu Gothic', Meiryo"
"""Fonts with Japanese characters in several weights: macOS, Linux, Windows."""
_LIGHT_JAPANESE = "IPAexGothic, IPAPGothic"
"""Japanese fonts with one weight. A browser finds them itself; the program that draws files needs the names."""
_WITH_JAPANESE = f"{JAPANESE}, {_LIGHT_JAPANESE}, {FONT}"
HEIGHT = 260
WIDTH = 640
"""Width assumed by label placement and used for files; in the page, a chart has the width of its container."""
_JAPANESE_TEXT = re.compile("[\N{IDEOGRAPHIC COMMA}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")


@dataclass(frozen=True)
class Drawn:
    """A chart with its texts; `id` names its files and is unique in the page."""

    id: str
    title: str
    description: str
    """For those who cannot see it: what is drawn, and what it shows."""
    caption: str
    chart: alt.LayerChart | alt.FacetChart

    def spec(self) -> dict[str, Any]:
        layered = self.chart.properties(description=self.description).configure(**_config())
        spec: dict[str, Any] = _readable(layered.to_dict(validate=False))  # validation is slow, and tests do it
        return spec

    @property
    def block(self) -> Chart:
        return Chart(self.id, self.title, self.description, self.caption, self.spec())


def font_of(text: str) -> str:
    """Return the fonts for a file with this text; programs that draw files use the first font that is there for all."""
    return _WITH_JAPANESE if _JAPANESE_TEXT.search(text) else FONT


def resolve(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the same chart for a file: light colours, a fixed width, its title inside."""
    text = json.dumps(spec, ensure_ascii=False)
    text = text.replace(FONT, font_of(text))
    for name, value in LIGHT.items():
        text = text.replace(f"var(--{name})", value)
    fixed: dict[str, Any] = json.loads(text)
    return fixed | {"width": WIDTH, "autosize": {"type": "pad"}, "background": LIGHT["paper"]}


class SharedRows(alt.Data):
    """Rows that the copies of a chart share: Altair copies a chart each time that it is layered or given a property,
    and copying all rows took a tenth of a report's time.
    """

    def __deepcopy__(self, _: object) -> Self:
        return self


def inline(rows: list[dict[str, Any]]) -> alt.Data:
    return SharedRows(values=rows)  # type: ignore[no-untyped-call]


_LEGEND_COLUMNS = {14: 3, 26: 2}
"""Columns of the legend, by the longest label in characters; a telephone can show them in full."""


def legend_of(names: list[str], symbol: str = "point") -> alt.Legend | None:
    """Return a legend; None: one series needs none. `symbol`: point, or stroke if dashes distinguish the series."""
    if len(names) == 1:
        return None
    longest = max(map(len, names))
    columns = next((count for most, count in _LEGEND_COLUMNS.items() if longest <= most), 1)
    look = {"symbolType": "stroke"} if symbol == "stroke" else {"symbolOpacity": 1}
    return alt.Legend(columns=columns, labelLimit=330, offset=26, **look)


def series_scales(names: list[str]) -> dict[str, alt.Scale]:
    """Return colour, shape and dash of each series, the same in every layer."""
    return {
        "color": alt.Scale(domain=names, range=_cycle(COLOURS, len(names))),
        "shape": alt.Scale(domain=names, range=_cycle(SHAPES, len(names))),
        "dash": alt.Scale(domain=names, range=_cycle(DASHES, len(names))),
    }


def limit_line(value: float, text: str, first: float, last: float, *, colour: str = "") -> list[alt.Chart]:
    """Draw a dashed line at `value`, with its text at the end where the figures are farther from it."""
    data = inline([{"limit": value, "text": text}])
    rule = alt.Chart(data).mark_rule(color=colour or "var(--faint)", strokeDash=[5, 4]).encode(y=alt.Y("limit:Q"))
    left = abs(first - value) >= abs(last - value)
    align: Literal["left", "right"] = "left" if left else "right"
    label = alt.Chart(data).mark_text(
        align=align, baseline="bottom", dx=4 if left else -4, dy=-4, color=colour or "var(--soft)"
    )
    return [rule, label.encode(y=alt.Y("limit:Q"), text=alt.Text("text:N"), x=alt.value(0 if left else "width"))]


def _readable(part: Any) -> Any:
    """Return the chart without unprintable characters in its texts, which would end the program that draws."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {_readable(name): _readable(value) for name, value in part.items()}
    return [_readable(value) for value in part] if isinstance(part, list) else part


def _cycle(values: list[Any], count: int) -> list[Any]:
    return [values[index % len(values)] for index in range(count)]


def _config() -> dict[str, Any]:
    return {
        "background": "transparent",
        "padding": {"left": 2, "right": 14, "top": 5, "bottom": 5},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": "var(--soft)",
            "titleColor": "var(--soft)",
            "gridColor": "var(--hair)",
            "domainColor": "var(--rule)",
            "tickColor": "var(--rule)",
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelLimit": 190,
        },
        "axisY": {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleX": 0, "titleY": -10},
        "legend": {
            "labelColor": "var(--ink)",
            "titleColor": "var(--soft)",
            "labelFontSize": 11,
            "symbolType": "circle",
            "orient": "top",
            "title": None,
            "columns": 3,
        },
        "text": {"fontSize": 11, "fill": "var(--ink)"},
    }
