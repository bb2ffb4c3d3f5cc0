"""The common parts of the charts of a group of cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from banzuke.charts.place import decades
from banzuke.charts.style import HEIGHT, Drawn, legend_of, series_scales
from banzuke.document import Chart
from banzuke.plan.wording import benchmark_title
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Message, Quantity, message

from .groups import EnvironmentGroup, NoiseCase
from .sources import NONE

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Canvas:
    section: ViewSection
    group: EnvironmentGroup

    def say(self, said: Message | str) -> str:
        return self.section.words(said)

    def chart(
        self, name: str, what: Message, shows: Message, caption: Message, drawn: Any, height: int | None = HEIGHT
    ) -> Chart:
        """Return the chart; `height` in pixels, or None if `drawn` has its own."""
        benchmark = benchmark_title(self.section.benchmark)
        title = message("noise-chart-title", benchmark=benchmark, group=self.group.title, what=what)
        described = message("noise-description", title=title, shows=shows)
        sized = drawn.properties(width="container", height=height) if height else drawn
        identity = f"{self.section.slug}-{self.group.slug}-{name}"
        return Drawn(identity, self.say(title), self.say(described), self.say(caption), sized).block

    def environment(self, run: NoiseCase) -> str:
        """Return the case's environment if there are several."""
        return run.label if len(self.group.runs) > 1 else NONE

    @property
    def longest(self) -> Message:
        """Return the longest noise of each environment."""
        lengths = [(Quantity(run.noise.all.maximum, "s"), run.label) for run in self.group.runs]
        messages = [message("noise-longest-in", length=length, environment=label) for length, label in lengths]
        return message("noise-longest-shows", longest=Listed(tuple(messages)))

    def log_axis(self, kind: Any, title: str, domain: Sequence[float], **axis: Any) -> Any:
        """Return a logarithmic axis; `kind` is `alt.X` or `alt.Y`."""
        scale = alt.Scale(type="log", domain=list(domain), nice=False)
        ticks = alt.Axis(values=decades(*domain), format=",~g", **axis)
        field = "x:Q" if kind is alt.X else "y:Q"
        return kind(field, title=self.say(message("noise-log-axis", quantity=title)), scale=scale, axis=ticks)

    def tips(self, fields: Mapping[str, Message]) -> list[alt.Tooltip]:
        return [alt.Tooltip(f"{field}:N", title=self.say(title)) for field, title in fields.items()]


def series(names: Sequence[str], *, lines: bool = False) -> dict[str, Any]:
    """Return encodings by series: colours with shapes or dashes, and the legend."""
    scales, legend = series_scales(list(names)), legend_of(list(names), "stroke" if lines else "point")
    colour = alt.Color("series:N", scale=scales["color"], legend=legend, sort=None)
    if lines:
        dash = alt.StrokeDash("series:N", scale=scales["dash"], legend=legend, sort=None)
        return {"color": colour, "strokeDash": dash}
    return {"color": colour, "shape": alt.Shape("series:N", scale=scales["shape"], legend=legend, sort=None)}
