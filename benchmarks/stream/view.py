"""How the records of STREAM are judged and shown, beside their figures."""

from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot

VIEWS = (
    Sweep(
        Plot(
            title="Bandwidth over threads",
            metrics=("triad_bandwidth", "copy_bandwidth", "scale_bandwidth", "add_bandwidth", "dot_bandwidth"),
            x="threads",
            series="stores",
        )
    ),
)
