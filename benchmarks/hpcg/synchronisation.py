"""HPCG's time between synchronisations, for `banzuke predict noise`."""

from banzuke.record.model import Record
from banzuke.slowdown.synchronisation import Synchronisation, Synchronises, positive_number
from banzuke.views.view import View

SMOOTHED = 3
"""Levels on which the V-cycle exchanges for a residual and a correction: all but the coarsest."""


class HpcgSynchronisation(View[None], Synchronises):
    """The synchronisations of the timed sets; README.md, "Noise", derives the counts."""

    name = "synchronisation"

    def synchronisation(self, record: Record) -> Synchronisation:
        sets = positive_number("number of sets", record.conditions.get("sets"))
        iterations = positive_number("number of iterations", record.conditions.get("optimized_iterations"))
        return Synchronisation(
            seconds=positive_number("time of the sets", record.conditions.get("timed_seconds")),
            collectives=sets * (3 * iterations + 1),
            exchanges=sets * ((2 * SMOOTHED + 1) * iterations + 1),
        )
