"""Charts of the processors' noise: a point for each, or a map if there are many."""

import math
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import altair as alt

from banzuke.charts.heat import HeatAxis, heat_map, steps_of, thresholds_of
from banzuke.charts.style import HEIGHT, inline
from banzuke.document import Chart
from banzuke.text import slug
from banzuke.units import percent, quantity, scale
from banzuke.words import Message, Quantity, Share, message

from .canvas import Canvas, Rows, series
from .groups import NoiseCase
from .quanta import Core
from .sources import processor

SINGLE = 128
"""Most processors that are drawn one by one."""
SIDE = 64
"""Squares along each side of a map if there are more."""
MAPS = 4
"""Most environments that each get a map of their processors."""
FEW = 3
"""Processors below which the table suffices."""
_SPAN = 4.0
"""Least ratio of the ends of a logarithmic axis."""


@dataclass(frozen=True)
class Square:
    """A processor, or a block of them with the worst of their figures."""

    x: int
    """Its place within the host, or its number if there is one host."""
    y: int
    """The place of its host."""
    cores: Sequence[Core]

    @property
    def longest(self) -> Core:
        return max(self.cores, key=lambda core: core.maximum)

    @property
    def maximum(self) -> float:
        return self.longest.maximum

    @property
    def share(self) -> float:
        return max(core.share for core in self.cores)

    @property
    def who(self) -> Message:
        return message("noise-block", processor=processor(self.longest), processors=len(self.cores))


def squares(cores: Sequence[Core]) -> list[Square]:
    """Return each processor, or blocks with the worst of each if there are many, by host and place."""
    hosts = [list(group) for _, group in groupby(cores, key=lambda core: core.host)]
    if len(cores) <= SINGLE and len(hosts) == 1:
        return [Square(core.cpu, 0, [core]) for core in cores]
    wide, high = math.ceil(max(map(len, hosts)) / SIDE), math.ceil(len(hosts) / SIDE)
    blocks: dict[tuple[int, int], list[Core]] = {}
    for y, on_host in enumerate(hosts):
        for x, core in enumerate(on_host):
            blocks.setdefault((x // wide * wide, y // high * high), []).append(core)
    return [Square(x, y, block) for (x, y), block in blocks.items()]


def by_processor(canvas: Canvas) -> Iterator[Chart | None]:
    """Yield charts of the longest noise and of the share lost by each processor; maps if there are many."""
    runs = canvas.group.runs
    if all(len(run.noise.cores) < FEW for run in runs):
        return
    by_run = [(run, squares(run.noise.cores)) for run in runs]
    if any(square.y or len(square.cores) > 1 for _, blocks in by_run for square in blocks):
        for run, blocks in by_run[:MAPS]:
            yield _map(canvas, run, blocks)
        return
    every = [(run, square) for run, blocks in by_run for square in blocks]
    lengths = [(run, square, Quantity(square.maximum, "s")) for run, square in every]
    shares = [(run, square, Share(square.share)) for run, square in every]
    yield _points(canvas, "maximum", message("noise-longest-title"), lengths)
    yield _points(canvas, "share", message("noise-share-title"), shares)


def _points(
    canvas: Canvas, name: str, what: Message, figures: Sequence[tuple[NoiseCase, Square, Quantity | Share]]
) -> Chart | None:
    say, fact = canvas.say, canvas.section.words.fact
    noisy = sorted([point for point in figures if point[2].value > 0], key=lambda point: point[2].value)
    if not noisy:
        return None
    (_, _, least), (worst_run, worst, most) = noisy[0], noisy[-1]
    middle = math.sqrt(least.value * most.value)
    time = isinstance(most, Quantity)
    factor, unit = scale(middle, "s") if time else (0.01, say(message("noise-share-axis")))
    rows: Rows = [
        {
            "x": square.x,
            "y": figure.value / factor,
            "series": run.label,
            "where": say(square.who),
            "figure": fact(figure),
        }
        for run, square, figure in noisy
    ]
    half = max(1.5 * most.value / middle, math.sqrt(_SPAN))
    places = sorted({square.x for _, square, _ in figures})
    ends = alt.Scale(domain=[places[0] - 0.5, places[-1] + 0.5], nice=False)
    ticks = alt.Axis(values=places[:: -(-len(places) // 12)], grid=False, format="d")
    where = message("noise-processor-column")
    marks = alt.Chart(inline(rows)).mark_point(filled=True, size=42, opacity=1)
    drawn = marks.encode(
        x=alt.X("x:Q", title=say(where), scale=ends, axis=ticks),
        y=canvas.log_axis(alt.Y, unit, (middle / factor / half, middle / factor * half)),
        tooltip=canvas.tips({"series": message("noise-environment"), "where": where, "figure": what}),
        **series([run.label for run in canvas.group.runs]),
    )
    shows = message(
        "noise-processors-shows", least=least, most=most, where=worst.who, environment=canvas.environment(worst_run)
    )
    caption = message("noise-processors-caption", missing=len(figures) - len(noisy))
    return canvas.chart(f"processors-{name}", what, shows, caption, alt.layer(drawn), HEIGHT - 60)


def _map(canvas: Canvas, run: NoiseCase, blocks: Sequence[Square]) -> Chart | None:
    """Draw a map with hosts below each other and their processors side by side."""
    say = canvas.say
    longest = [square.maximum for square in blocks if square.maximum > 0]
    if not longest:
        return None
    thresholds = thresholds_of(longest)
    factor, unit = scale(math.sqrt(min(longest) * max(longest)), "s")
    steps = steps_of([value / factor for value in thresholds], unit)
    rows: Rows = [
        {
            "x": square.x,
            "y": square.y,
            "step": steps[bisect(thresholds, square.maximum)],
            "where": say(square.who),
            "longest": quantity(square.maximum, "s"),
            "lost": percent(square.share),
        }
        for square in blocks
    ]
    titles = (message("noise-processor-column"), message("noise-longest"), message("noise-share"))
    tips = dict(zip(("where", "longest", "lost"), map(say, titles), strict=True))
    across, down = (sorted({row[axis] for row in rows}) for axis in ("x", "y"))
    side = max(40, min(420, 14 * len(down)))
    axes = HeatAxis(say(message("noise-processor-of-host")), across), HeatAxis(say(message("noise-host")), down)
    drawn = heat_map(rows, *axes, steps, tips=tips, side=side)
    worst, environment = max(blocks, key=lambda square: square.maximum), canvas.environment(run)
    shows = message(
        "noise-processors-shows",
        least=Quantity(min(longest), "s"),
        most=Quantity(worst.maximum, "s"),
        where=worst.who,
        environment=environment,
    )
    caption = message("noise-map-caption", block=max(len(square.cores) for square in blocks))
    title = message("noise-map-title", environment=environment)
    return canvas.chart(f"processors-{slug(run.label)}", title, shows, caption, drawn, None)
