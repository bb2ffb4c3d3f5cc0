"""Shares of links that messages under way at the same time get."""

import numpy as np

from banzuke.placement.topology import Indices, Values


def fair_rates(message: Indices, link: Indices, rates: Values, messages: int) -> Values:
    """Return the max-min fair rate of each message on links with these rates; infinite: it passes none.

    `message` and `link`: the numbers of both for each passage.
    """
    space, fair = rates.astype(np.float64), np.full(messages, np.inf)
    while message.size:
        count = np.bincount(link, minlength=space.size)
        level = np.where(count > 0, space / np.maximum(count, 1), np.inf)
        least = float(level.min())
        ended = np.zeros(messages, dtype=bool)
        ended[message[level[link] <= least * (1 + 1e-9)]] = True
        fair[ended] = least
        gone = ended[message]
        space = np.maximum(space - least * np.bincount(link[gone], minlength=space.size), 0.0)
        message, link = message[~gone], link[~gone]
    return fair
