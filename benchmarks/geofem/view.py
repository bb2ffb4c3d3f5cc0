"""How the records of GeoFEM-Cube are judged and shown, beside their figures."""

from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.dealt import Dealt
from banzuke.views.dealt.parts import PartTerms
from banzuke.views.subsets import Subsets
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.words import message

from .synchronisation import GeofemSynchronisation

ALIKE = ("nx", "ny", "nz", "format", "sweeps")


def over_colours(title: str, metric: str) -> Plot:
    """Plot a metric over the colours that were used: more than asked for if needed, or RCM's levels."""
    alike = (*ALIKE, "layout")
    return Plot(f"{title} over colours", (metric,), x="colours_used", series="ordering", log_x=True, alike=alike)


PHASES = {
    "precondition": Phase(
        "preconditioner",
        useful=True,
        advice="Bound by memory, and each colour ends with a wait for the slowest thread: try fewer colours, or "
        "fewer threads per rank",
    ),
    "spmv": Phase(
        "sparse matrix-vector product",
        useful=True,
        advice="Bound by memory: compare with banzuke run stream. Check that each rank's memory is near and on huge "
        "pages",
    ),
    "vectors": Phase("vector updates and dot products", useful=True),
    "halo_wait": Phase(
        "halo exchange",
        advice="Try fewer ranks with more threads, so that less of the cube lies on the surfaces of its parts",
    ),
    "allreduce": Phase(
        "global reductions",
        advice="Ranks that arrive early wait for the others. Look for slower cores or other processes, and try fewer "
        "ranks with more threads",
    ),
}
LAYERS = PartTerms(
    prefix="layer",
    parts=message("geofem-ranks-layers"),
    part=message("geofem-ranks-layer"),
    numbered=lambda number: message("geofem-layer", number=number),
    problem=message("geofem-nodes"),
    rates=message("geofem-iteration-rates"),
    moves=frozenset(),
    waits=frozenset(("halo_wait", "allreduce")),
)
VIEWS = (
    TimeBreakdown(PHASES),
    Dealt(LAYERS),
    Subsets(),
    GeofemSynchronisation(),
    Sweep(
        Plot("Time by layout", ("time",), x="layout", alike=(*ALIKE, "ordering", "colours")),
        over_colours("Iterations", "iterations"),
        over_colours("Time", "time"),
        over_colours("Rate", "flop_rate"),
    ),
)
