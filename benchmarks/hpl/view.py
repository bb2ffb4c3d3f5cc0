"""How the records of HPL are judged and shown, beside their figures."""

from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.dealt import Dealt
from banzuke.views.dealt.parts import PartTerms
from banzuke.views.subsets import Subsets
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.words import message

from .synchronisation import HplSynchronisation

PHASES = {
    "update": Phase(
        "update of the trailing matrix",
        useful=True,
        advice="Find the inner extent at which the library is fastest (banzuke run dgemm) and set nb to it, or try "
        "another library with --blas",
    ),
    "panel": Phase(
        "panel factorisation",
        advice="The share falls as n grows, and a smaller nb makes panels cheaper. Only one column of the grid works "
        "on a panel at a time: with several columns, lookahead=1 lets the others continue",
    ),
    "pivot_exchange": Phase(
        "agreement on pivots",
        advice="Every column of the matrix costs a round of messages down the grid: try a smaller p and a larger q, "
        "or fewer ranks with more threads",
    ),
    "transfer": Phase(
        "waiting for panels from the device",
        advice="Panels come to the processors to be factorised. Check the device's link (banzuke run transfer), and "
        "that the processors are near the device: a larger n hides more of it behind the update",
    ),
    "broadcast_wait": Phase(
        "waiting for panels",
        advice="With lookahead=1 panels travel during the update. Try broadcast=long where panels are large for the "
        "network, two-ring-modified where the grid has many columns, or a grid that is closer to square",
    ),
    "swap": Phase(
        "moving of rows in memory",
        advice="Bound by memory, so the share falls as n grows. Check that memory is near its rank (one rank per "
        "NUMA node) and on huge pages",
    ),
    "swap_wait": Phase(
        "waiting for exchanged rows",
        advice="With split between 0.3 and 0.7 the rows of one part travel while the other is updated. Try "
        "swap=spread-roll, and a smaller p with a larger q",
    ),
    "thread_wait": Phase(
        "threads waiting for one another",
        advice="Other processes, a processor quota or unequal clocks hold single cores back, or each thread has too "
        "little work: try a larger n, or more ranks with fewer threads",
    ),
    "solve": Phase(
        "back substitution",
        advice="Bound by memory and messages, but its work grows only with n^2: the share falls as n grows",
    ),
}
COLUMNS = PartTerms(
    prefix="column",
    parts=message("hpl-grid-columns"),
    part=message("hpl-grid-column"),
    numbered=lambda number: message("hpl-column", number=number),
    problem=message("hpl-matrix"),
    rates=message("hpl-dgemm-rates"),
    moves=frozenset(("swap", "transfer")),
    waits=frozenset(("pivot_exchange", "broadcast_wait", "swap_wait", "thread_wait")),
    in_blocks=lambda record: record.parameters.get("p") == 1 or record.parameters.get("order") == "column",
    corrected=message("hpl-columns-corrected"),
)
VIEWS = (
    TimeBreakdown(PHASES),
    Subsets(),
    Dealt(COLUMNS),
    HplSynchronisation(),
    Sweep(Plot(title="Rate over the order", metrics=("flop_rate",), x="n", series="ranks")),
)
