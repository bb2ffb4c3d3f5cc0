"""How the records of GUPS are judged and shown, beside their figures."""

from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot

VIEWS = (Sweep(Plot(title="Rate over table size", metrics=("update_rate",), x="n", log_x=True, alike=("layout",))),)
