"""What the figure of a link says about the hosts at its ends, and the name of a link."""

from dataclasses import replace

from banzuke.fleet.model import NodeFigure
from banzuke.words import message


def figures_of_ends(figure: NodeFigure) -> tuple[NodeFigure, NodeFigure]:
    """Return the figures that a link's figure contributes to its first host and to its second."""
    if not figure.directed:
        return figure, figure
    sent = message("fleet-figure-sent", title=figure.title)
    received = message("fleet-figure-received", title=figure.title)
    return (
        replace(figure, name=f"{figure.name}:sent", title=sent, directed=False),
        replace(figure, name=f"{figure.name}:received", title=received, directed=False),
    )


def link_name(hosts: tuple[str, str], figure: NodeFigure) -> str:
    return (" → " if figure.directed else " – ").join(hosts)
