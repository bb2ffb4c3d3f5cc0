"""HPL's time between synchronisations, for `banzuke predict noise`."""

import math
from statistics import median

from banzuke.record.model import Record
from banzuke.slowdown.synchronisation import Synchronisation, Synchronises, positive_number
from banzuke.views.view import View


class HplSynchronisation(View[None], Synchronises):
    """The synchronisations of the solver; README.md, "Noise", derives the count."""

    name = "synchronisation"

    def synchronisation(self, record: Record) -> Synchronisation:
        time = record.metrics.get("time")
        n = positive_number("order of the matrix", record.parameters.get("n"))
        nb = positive_number("width of a panel", record.parameters.get("nb"))
        seconds = positive_number("time", median(time.samples) if time else None)
        return Synchronisation(seconds, collectives=math.ceil(positive_number("number of panels", n / nb)))
