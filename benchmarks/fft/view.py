"""How the records of FFT are judged and shown, beside their figures."""

from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot

MEMORY = (
    "Bound by memory if the rate is well below that of the transforms in the caches (cached_rate): banzuke run stream "
    "shows what memory gives. Check that each rank's memory is near (one rank per NUMA node) and on huge pages"
)
PHASES = {
    "first": Phase("transforms over columns", useful=True, advice=MEMORY),
    "second": Phase("transforms over rows", useful=True, advice=MEMORY),
    "reorder": Phase(
        "packing and unpacking for exchanges",
        advice="Bound by memory, and only natural order needs it: order=cyclic does without, if what follows can take "
        "its output that way",
    ),
    "exchange": Phase(
        "waiting for exchanges between ranks",
        advice="banzuke run collectives shows what an all-to-all gives here. order=cyclic has one exchange instead of "
        "three; try fewer ranks with more threads",
    ),
}
VIEWS = (
    TimeBreakdown(PHASES),
    Sweep(
        Plot(title="Rate over n", metrics=("flop_rate",), x="n", log_x=True, alike=("layout", "order", "stores")),
        Plot(title="Rate by layout", metrics=("flop_rate",), x="layout", series="order", alike=("n", "stores")),
    ),
)
