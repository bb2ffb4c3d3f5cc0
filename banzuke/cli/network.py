"""Options that describe the network between hosts, as `banzuke place` takes them."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from banzuke.cli.declared import OptionsModel
from banzuke.cli.options import HOW, WHERE
from banzuke.errors import BanzukeError
from banzuke.text import nearest

if TYPE_CHECKING:
    from banzuke.placement.score import Adapters
    from banzuke.placement.topology import NetworkTopology


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(OptionsModel):
    """The network's description, and how it is used."""

    topology: Annotated[
        str | None,
        typer.Option(
            "--topology",
            metavar="FILE",
            help="The network: what ibnetdiscover, `opareport -o links` or `scontrol show topology` print, Slurm's "
            "topology.conf or topology.yaml, netloc's nodes.txt, records of measured pairs, a TOML description, or "
            "tsubame.",
            rich_help_panel=WHERE,
        ),
    ] = None
    routing: Annotated[
        str | None,
        typer.Option(
            "--routing",
            metavar="NAME",
            help="How switches choose among cables: destination, blocks, first or adaptive.",
            show_default="as the topology says",
            rich_help_panel=HOW,
        ),
    ] = None
    adapters: Annotated[
        str,
        typer.Option(
            "--adapters",
            metavar="NAME",
            help="How ranks use several adapters of a host: striped, by-rank or first.",
            rich_help_panel=HOW,
        ),
    ] = "striped"
    uplinks: Annotated[
        int | None,
        typer.Option(
            "--uplinks",
            metavar="N",
            min=1,
            max=4096,
            help="Uplinks of each switch, which Slurm's files do not give.",
            rich_help_panel=WHERE,
        ),
    ] = None

    def read(self) -> "tuple[NetworkTopology, Adapters]":
        """Read the network, and how hosts use their adapters. Raises BanzukeError."""
        from banzuke.placement.readers.read import FORMATS, read, shipped  # noqa: PLC0415  (brings scipy)
        from banzuke.placement.score import ADAPTERS  # noqa: PLC0415  (the same)
        from banzuke.placement.topology import ROUTINGS  # noqa: PLC0415  (the same)

        if self.topology is None:
            raise BanzukeError(
                "no network was given", remedy=f"Give --topology FILE: {FORMATS}; or {', '.join(shipped())}"
            )
        rule = next((name for name in ROUTINGS if name == self.routing), None)
        if self.routing is not None and rule is None:
            raise BanzukeError(f"--routing {self.routing} is unknown", remedy=nearest(self.routing, list(ROUTINGS)))
        adapter = next((name for name in ADAPTERS if name == self.adapters), None)
        if adapter is None:
            raise BanzukeError(f"--adapters {self.adapters} is unknown", remedy=nearest(self.adapters, list(ADAPTERS)))
        network = read(self.topology, self.uplinks)
        return replace(network, routing=rule) if rule else network, adapter


def is_shipped(name: str) -> bool:
    """Return whether a topology of the installation has this name."""
    from banzuke.placement.readers.read import shipped  # noqa: PLC0415  (brings scipy)

    return name in shipped()
