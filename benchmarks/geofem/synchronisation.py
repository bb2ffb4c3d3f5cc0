"""GeoFEM-Cube's time between synchronisations, for `banzuke predict noise`."""

from statistics import median

from banzuke.record.model import Record
from banzuke.slowdown.synchronisation import Synchronisation, Synchronises, positive_number
from banzuke.views.view import View


class GeofemSynchronisation(View[None], Synchronises):
    """The synchronisations of the solver; README.md, "Noise", derives the counts."""

    name = "synchronisation"

    def synchronisation(self, record: Record) -> Synchronisation:
        medians = {name: median(metric.samples) for name, metric in record.metrics.items()}
        iterations = positive_number("number of iterations", medians.get("iterations"))
        return Synchronisation(
            seconds=positive_number("time of the solver", medians.get("time")),
            collectives=3 * iterations,
            exchanges=positive_number("number of sweeps", record.parameters.get("sweeps")) * iterations,
        )
