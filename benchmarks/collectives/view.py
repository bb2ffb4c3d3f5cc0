"""How the records of Collectives are judged and shown, beside their figures."""

from banzuke.views.curve import Curves
from banzuke.views.curve.overlap import OverlapMetrics

VIEWS = (
    Curves(
        hidden=("min_size", "max_size"),
        overlap=OverlapMetrics("pure_latency", "compute_time", both="latency", hidden="overlap"),
    ),
)
