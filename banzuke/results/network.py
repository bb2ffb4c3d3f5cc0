"""The network that was given for a screen: `network.json` in its run's folder."""

from banzuke.amounts import Frozen


class KeptNetwork(Frozen):
    file: str
    """Name of the topology's file."""
    topology: str
    """Content of that file."""
