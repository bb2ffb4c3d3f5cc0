"""Judges the cables of a network that was given for a screen, and names those that are slow."""

from collections.abc import Iterator, Sequence

import numpy as np

from banzuke.errors import BanzukeError
from banzuke.fleet.cables import CableEffect, rounds_of, slow_cables
from banzuke.fleet.model import Fleet, NodeFigure
from banzuke.fleet.verdict import SlowCable, SlowFigure
from banzuke.placement.blocks import ROUTES
from banzuke.placement.readers.read import parse
from banzuke.placement.topology import NetworkTopology
from banzuke.results.network import KeptNetwork
from banzuke.words import Message, message

UPLINKS_ASSUMED = "place-note-slurm-uplinks"


def judged_cables(
    fleet: Fleet, kept: KeptNetwork, figures: Sequence[NodeFigure]
) -> tuple[tuple[SlowCable, ...], tuple[Message, ...]]:
    """Return the slow cables in any of these figures, and what was assumed, or why none was judged."""
    try:
        network = parse(kept.topology, kept.file)
        if why := _unknown(network):
            return (), (why,)
        return tuple(_slow(fleet, network, figures)), (message("fleet-routes", rule=ROUTES[network.routing]),)
    except BanzukeError as error:
        return (), (message("fleet-no-routes", why=str(error)),)


def _unknown(network: NetworkTopology) -> Message | None:
    """Return why the routes of pairs are not known; None: they follow from the network."""
    if network.routing == "adaptive":
        return message("fleet-routes-adaptive")
    if np.unique(network.port_host).size < network.port_host.size:
        return message("fleet-routes-adapters")
    if any(note.code == UPLINKS_ASSUMED for note in network.notes):
        return message("fleet-routes-uplinks")
    return None


def _slow(fleet: Fleet, network: NetworkTopology, figures: Sequence[NodeFigure]) -> Iterator[SlowCable]:
    for figure in figures:
        rounds = rounds_of(network, fleet.pairs, figure.name)
        for effect in slow_cables(rounds) if rounds else ():
            yield _named(network, effect, figure)


def _named(network: NetworkTopology, effect: CableEffect, figure: NodeFigure) -> SlowCable:
    source, target = network.source[effect.link], network.target[effect.link]
    cables = np.flatnonzero((network.source == source) & (network.target == target))
    share = float(np.exp(effect.usual - effect.here))
    return SlowCable(
        network.vertex(int(source)),
        network.vertex(int(target)),
        1 + int(np.flatnonzero(cables == effect.link)[0]),
        int(cables.size),
        effect.alone,
        effect.pairs,
        SlowFigure(figure, effect.rate, effect.rate / share, sigmas=(effect.here - effect.usual) / effect.error),
    )
