"""How the records of HPCG are judged and shown, beside their figures."""

from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.dealt import Dealt
from banzuke.views.dealt.parts import PartTerms
from banzuke.views.subsets import Subsets
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.words import message

from .synchronisation import HpcgSynchronisation

PHASES = {
    "mg": Phase(
        "multigrid",
        useful=True,
        advice="Bound by memory: compare with banzuke run stream. Check that each rank's memory is near and on huge "
        "pages, and try the other ordering",
    ),
    "spmv": Phase(
        "sparse matrix-vector product",
        useful=True,
        advice="Bound by memory: compare with banzuke run stream",
    ),
    "dot": Phase("dot products", useful=True),
    "waxpby": Phase("vector updates", useful=True),
    "halo_wait": Phase(
        "halo exchange",
        advice="The exchanges of the product and the residual are hidden behind the inner points, those of the "
        "smoother are not: try a larger local grid, or fewer ranks with more threads",
    ),
    "allreduce": Phase(
        "global reductions",
        advice="Three per CG iteration; ranks that arrive early wait for the others. Look for slower cores or other "
        "processes, and try fewer ranks with more threads",
    ),
}
LAYERS = PartTerms(
    prefix="layer",
    parts=message("hpcg-ranks-layers"),
    part=message("hpcg-ranks-layer"),
    numbered=lambda number: message("hpcg-layer", number=number),
    problem=message("hpcg-points"),
    rates=message("hpcg-iteration-rates"),
    moves=frozenset(),
    waits=frozenset(("halo_wait", "allreduce")),
    limit=message("hpcg-layer-limit"),
)
VIEWS = (
    TimeBreakdown(PHASES),
    Dealt(LAYERS),
    Subsets(),
    HpcgSynchronisation(),
    Sweep(
        Plot("Rating by layout", ("flop_rate",), x="layout", alike=("nx", "ny", "nz", "ordering")),
        Plot("Rating over the local grid", ("flop_rate",), x="nx", alike=("layout", "ordering")),
        Plot("Rating by ordering", ("flop_rate",), x="ordering", alike=("layout", "nx", "ny", "nz")),
    ),
)
