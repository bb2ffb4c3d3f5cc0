"""How the records of PTRANS are judged and shown, beside their figures."""

from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot

MEMORY = (
    "Bound by memory: banzuke run stream shows what it gives. Check that each rank's memory is near and on huge pages; "
    "another nb may use lines and pages better"
)
PHASES = {
    "own": Phase("transposing own blocks", useful=True, advice=MEMORY),
    "pack": Phase("transposing blocks into messages", useful=True, advice=MEMORY),
    "add": Phase("adding blocks that arrived", useful=True, advice=MEMORY),
    "exchange": Phase(
        "waiting for messages",
        advice="banzuke run pt2pt shows what a message between two ranks gives. Fewer ranks with more threads keep "
        "more blocks on a rank",
    ),
}
VIEWS = (
    TimeBreakdown(PHASES),
    Sweep(Plot(title="Rate by layout", metrics=("transpose_rate",), x="layout", alike=("n", "nb"))),
)
