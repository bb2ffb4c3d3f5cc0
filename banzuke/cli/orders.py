"""`--order` and `--topology`: the orders in which ranks are started on their hosts, and the network."""

import re

from banzuke.cli.axis_options import Axes
from banzuke.errors import BanzukeError
from banzuke.evaluation.orders import Orders
from banzuke.plan.variant import NODE_ORDER, PLACE_ORDER
from banzuke.text import nearest

_SEEDED = re.compile(r"random:(0|[1-9][0-9]{0,8})", re.ASCII)


def chosen_orders(options: Axes) -> tuple[str, ...]:
    """Return the names of orders. Raises BanzukeError for an unknown one, and for a missing or unused network."""
    if options.order is None:
        if options.network is not None:
            raise BanzukeError("--topology has no effect", remedy="Add --order node,place")
        return (NODE_ORDER,)
    names = tuple(dict.fromkeys(name.strip() for name in options.order.split(",")))
    for name in names:
        if name == "random":
            raise BanzukeError("--order random has no seed", remedy="Write random:1")
        if name not in (NODE_ORDER, PLACE_ORDER) and not _SEEDED.fullmatch(name):
            raise BanzukeError(
                f"there is no order '{name[:40]}'", remedy=nearest(name, [NODE_ORDER, PLACE_ORDER, "random:1"])
            )
    if PLACE_ORDER in names and options.network is None:
        raise BanzukeError(
            "--order place needs a network", remedy="Give --topology FILE, in a format that `banzuke place` reads"
        )
    return names


def orders_of(options: Axes) -> Orders:
    """Return the orders, with the network if one is named. Raises BanzukeError."""
    if options.network is None:
        return Orders()
    from banzuke.placement.readers.read import parse, text_of  # noqa: PLC0415  (imports SciPy)

    name, text = text_of(options.network)
    return Orders(parse(text, name), name, text)
