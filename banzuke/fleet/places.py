"""Racks and switches whose nodes are slow together."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import special

from banzuke.fleet.slowness import Values

FEWEST = 3
"""Nodes of a place that may be slow together."""


def slow(slowness: Values, places: Sequence[str], probability: float) -> Iterator[tuple[str, float, float]]:
    """Place, its median, and that of all others, where as many nodes drawn at random would be this slow with less than
    this probability: by ranks (Mann and Whitney), whatever the distribution is.
    """
    from scipy.stats import rankdata  # noqa: PLC0415  (takes longer to import than one node's check to judge)

    of_nodes = np.array(places)
    known = np.isfinite(slowness) & (of_nodes != "")
    named = of_nodes[known]
    ranks = rankdata(slowness[known])
    for place in sorted(set(named.tolist())):
        inside = named == place
        here, others = int(inside.sum()), int((~inside).sum())
        if min(here, others) < FEWEST:
            continue
        above = ranks[inside].mean() - (here + others + 1) / 2
        score = above / np.sqrt(others * (here + others + 1) / (12 * here))
        if special.ndtr(-score) < probability:
            values = slowness[known]
            yield place, float(np.median(values[inside])), float(np.median(values[~inside]))
