"""How the records of Point to point are judged and shown, beside their figures."""

from banzuke.views.curve import Curves
from banzuke.views.pairs import RankPairs

VIEWS = (Curves(hidden=("min_size", "max_size")), RankPairs())
