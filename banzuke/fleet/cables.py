"""Finds slow cables between switches: by the route of each pair, and the share of each cable that a pair gets.

All pairs of a round run at once, first from the lower rank to the higher, then back. A pair's rate is divided by its
fair share of the links that it passes with the others of its round. A cable is named if the pairs on it are slower than
those between the same switches on other cables; where there is one cable alone, than all pairs: then the switch may be
slow as well. What a slow cable explains is left out before the next one is looked for.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banzuke.fleet.model import Pair
from banzuke.fleet.slowness import Values
from banzuke.judge.outliers import SIGMA
from banzuke.placement.fairness import fair_rates
from banzuke.placement.pattern import MessagePhase
from banzuke.placement.score import Traffic
from banzuke.placement.topology import Indices, NetworkTopology

FEWEST = 3
"""Fewest slow pairs on a cable, and fewest on others with which they are compared."""
FLOOR = -float(np.log1p(-0.1))
"""Least slowness that is reported, 10%, as a logarithm."""
CERTAIN = 6.0
"""Standard errors beyond which a cable is named."""
LEAST_SCALE = 0.005
"""Least scatter of pairs that is assumed."""
LEAST_GROUP = 8
"""Fewest pairs with one share whose median is what is usual for that share."""
_OF_MEDIAN = float(np.sqrt(np.pi / 2))


class CableEffect(NamedTuple):
    link: int
    """Number of the directed link in the network."""
    alone: bool
    """Whether no other cable joins its switches, so that the switch may be slow as well."""
    here: float
    """Median slowness of its pairs, as a logarithm, beside their fair shares."""
    usual: float
    error: float
    pairs: int
    rate: float
    """Median of the rates of its pairs."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """Pairs on the routes of a network, with their rates and rounds; both directions of a round are two."""

    network: NetworkTopology
    source: Indices
    """Sending hosts in the network."""
    target: Indices
    rates: Values
    rounds: Indices

    @cached_property
    def passages(self) -> tuple[Indices, Indices]:
        """Return the pair and the link of each passage."""
        order = np.arange(len(self.network.hosts))
        phase = MessagePhase("pairs", self.source, self.target, np.ones(self.source.size))
        traffic = Traffic(self.network, (phase,), "first")
        flows, sending, receiving, _ = traffic.parts(order, np.arange(self.source.size))
        part, link = traffic.routes.paths(sending, receiving)
        return flows[part], link

    @cached_property
    def shares(self) -> Values:
        """Return the fair share of each pair in its round, in the unit of the network's rates."""
        pair, link = self.passages
        links = self.network.source.size
        names, place = np.unique(self.rounds[pair] * links + link, return_inverse=True)
        return fair_rates(pair, place, self.network.rate[names % links], self.source.size)

    @cached_property
    def slowness(self) -> Values:
        """Return the logarithm of share over rate, less what is usual for pairs with that share."""
        slow = np.log(self.shares / self.rates)
        usual = float(np.median(slow))
        relative = slow - usual
        levels = np.round(np.log(self.shares), 6)
        for level in np.unique(levels):
            alike = levels == level
            if alike.sum() >= LEAST_GROUP:
                relative[alike] = slow[alike] - float(np.median(slow[alike]))
        return np.asarray(relative, dtype=np.float64)


def rounds_of(network: NetworkTopology, pairs: Sequence[Pair], figure: str) -> Rounds | None:
    """Return the pairs whose rounds are known, from one host to another; None: there are too few."""
    chosen = [pair for pair in pairs if pair.round is not None and pair.values.get(figure, 0.0) > 0]
    if len(chosen) < 2 * FEWEST:
        return None
    source, target = (np.array(network.find([pair.hosts[side] for pair in chosen]), dtype=np.int64) for side in (0, 1))
    rates = np.array([pair.values[figure] for pair in chosen], dtype=np.float64)
    return Rounds(network, source, target, rates, np.array([pair.round for pair in chosen], dtype=np.int64))


def slow_cables(rounds: Rounds) -> Iterator[CableEffect]:
    """Yield slow links between switches, the most certain first."""
    pair, link = rounds.passages
    network, slowness = rounds.network, rounds.slowness
    switches = len(network.switches)
    between = (network.source[link] < switches) & (network.target[link] < switches)
    over: dict[int, list[int]] = defaultdict(list)
    for flow, taken in zip(pair[between].tolist(), link[between].tolist(), strict=True):
        over[taken].append(flow)
    ends = network.switch_of_host[rounds.source] * switches + network.switch_of_host[rounds.target]
    scale = max(SIGMA * float(np.median(np.abs(slowness - np.median(slowness)))), LEAST_SCALE)
    left = np.ones(slowness.size, dtype=bool)
    while True:
        effects = [
            effect
            for taken, flows in over.items()
            if (effect := _effect(rounds, taken, np.array(flows), ends, left, scale))
        ]
        if not effects:
            return
        worst = max(effects, key=lambda effect: ((effect.here - effect.usual) / effect.error, -effect.link))
        yield worst
        left[over[worst.link]] = False


def _effect(
    rounds: Rounds, link: int, flows: Indices, ends: Indices, left: NDArray[np.bool_], scale: float
) -> CableEffect | None:
    """Return the effect of a link if it is slow."""
    network, slowness = rounds.network, rounds.slowness
    flows = flows[left[flows]]
    alone = int(((network.source == network.source[link]) & (network.target == network.target[link])).sum()) == 1
    alone = alone and not _has_siblings(network, link)
    others = left.copy()
    others[flows] = False
    if not alone:
        others = others & np.isin(ends, ends[flows])
    if min(flows.size, int(others.sum())) < FEWEST:
        return None
    here, usual = float(np.median(slowness[flows])), float(np.median(slowness[others]))
    error = scale * _OF_MEDIAN * float(np.hypot(1 / np.sqrt(flows.size), 1 / np.sqrt(others.sum())))
    slow = int((slowness[flows] - usual > FLOOR).sum())
    if slow < FEWEST or here - usual <= max(FLOOR, CERTAIN * error):
        return None
    return CableEffect(link, alone, here, usual, error, int(flows.size), float(np.median(rounds.rates[flows])))


def _has_siblings(network: NetworkTopology, link: int) -> bool:
    """Return whether the lower of the link's switches, which has hosts or fewer cables, has other cables upwards."""
    switches = len(network.switches)
    hosts = np.bincount(network.port_switch, minlength=switches)
    low, high = sorted((int(network.source[link]), int(network.target[link])), key=lambda at: -hosts[at])
    up = network.target[(network.source == low) & (network.target < switches)]
    return bool(up.size > 1 and (hosts[high] == 0 or np.unique(up).size == 1))
