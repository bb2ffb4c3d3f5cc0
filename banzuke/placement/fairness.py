"""Shares of links that messages under way at the same time get."""

import numpy as np

from banzuke.placement.topology import Indices, Values


def fair_rates(message: Indices, link: Indices, rates: Values, messages: int) -> Values:
    """Return the max-min fair rate of each message on links with these rates; infinite: it passes none.

    `message` and `link`: the numbers of both for each passage. A link whose messages get less on none of their other
    links divides among them what it has left; all such links do so at once.
    """
    space, fair = rates.astype(np.float64), np.full(messages, np.inf)
    while message.size:
        count = np.bincount(link, minlength=space.size)
        level = (space / np.maximum(count, 1))[link]
        least = np.full(messages, np.inf)
        np.minimum.at(least, message, level)
        limited = np.bincount(link[level <= least[message] * (1 + 1e-9)], minlength=space.size) == count
        ended = np.zeros(messages, dtype=bool)
        ended[message[limited[link]]] = True
        fair[ended] = least[ended]
        gone = ended[message]
        taken = np.bincount(link[gone], weights=fair[message[gone]], minlength=space.size)
        space = np.maximum(space - taken, 0.0)
        message, link = message[~gone], link[~gone]
    return fair
