"""Shows figures over a setting that cases vary, or over a number among their conditions."""

from collections.abc import Sequence

from banzuke.document import Block, Charts
from banzuke.plan.wording import code
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewSection
from banzuke.words import Message, declared


class Sweep(View[None]):
    name = "sweep"

    def __init__(self, *plots: Plot) -> None:
        self.plots = plots

    def declared(self, benchmark: str) -> Sequence[Message]:
        return [plot_title(benchmark, plot) for plot in self.plots]

    def show(self, section: ViewSection) -> Sequence[Block]:
        from banzuke.views.sweep.charts import charts  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        titled = [(plot, plot_title(section.benchmark.name, plot)) for plot in self.plots]
        drawn = tuple(chart.block for chart in charts(section, titled))
        return [Charts(drawn)] if drawn else []


def plot_title(benchmark: str, plot: Plot) -> Message:
    """Return the title, whose code has the first metric and the axis: `geofem-plot-time-layout`."""
    return declared(code(benchmark, "plot", plot.metrics[0], plot.x), plot.title)
