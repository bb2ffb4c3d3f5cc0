"""HPL's call on a described machine: ranks of each node, grid, order of the matrix, and refusal of wrong requests."""

import math
from collections.abc import Sequence
from dataclasses import replace

from banzuke.predict.hardware import Engine, Hardware, NodeGroup
from banzuke.predict.model import Call
from banzuke.predict.undescribed import UndescribedError, peak_remedy
from banzuke.words import Quantity, message
from banzuke.words.errors import MessageError

from .model_steps import PANELS, ROWS, Factorisation, Rank, RankMessages, known
from .sizes import OVERHEAD, SHARE, is_long, near_squares, usual_grid, whole_blocks

DEVICE_SHARE = 0.95
"""Share of the devices' memory for the matrix; panels and buffers take the rest."""
MOST_RANKS = 1 << 30
"""Most ranks in one direction of the grid."""
PLACEMENTS = ("by-number", "random")


def number(call: Call, name: str, default: int, least: int, most: int) -> int:
    value = call.get(name, default)
    if isinstance(value, (bool, str)) or not least <= value <= most or value != int(value):
        raise MessageError(message("hpl-no-whole", setting=f"{name} = {value}", least=str(least), most=str(most)))
    return int(value)


def fraction(call: Call, name: str, default: float, most: float) -> float:
    value = call.get(name, default)
    if isinstance(value, (bool, str)) or not 0 <= value <= most:
        raise MessageError(message("hpl-no-share", setting=f"{name} = {value}", most=f"{most:g}"))
    return float(value)


def choice(call: Call, name: str, among: Sequence[str], default: str) -> str:
    value = str(call.get(name, default))
    if value not in among:
        problem = message("hpl-unknown", setting=f"{name} = {value}")
        raise MessageError(problem, remedy=f"Choose of {', '.join(among)}")
    return value


def processes(machine: Hardware, call: Call) -> tuple[int, ...]:
    """Return the ranks per node of each group. Raises BanzukeError."""
    counts = _rank_counts(machine, call)
    for group, count in zip(machine.groups, counts, strict=True):
        most = max(group.cores, sum(device.number for device in group.devices))
        if most and count > most:
            raise MessageError(
                message("hpl-node-holds", name=group.name, ranks=count),
                why=message("hpl-node-cores", cores=group.cores),
                remedy="Give fewer with mpi_per_node, or more nodes",
            )
    return counts


def _rank_counts(machine: Hardware, call: Call) -> tuple[int, ...]:
    """Return the ranks per node of each group: as given; of a single group by the grid, else the usual ones.
    Raises BanzukeError.
    """
    if "mpi_per_node" in call:
        texts = str(call["mpi_per_node"]).split(",")
        texts = texts * len(machine.groups) if len(texts) == 1 else texts
        if len(texts) != len(machine.groups) or not all(text.strip().isdecimal() and int(text) > 0 for text in texts):
            raise MessageError(
                message("hpl-ranks-of-node", setting=f"mpi_per_node = {call['mpi_per_node']}"),
                remedy=f"Give a number above 0, or {len(machine.groups)} with commas, one for each kind of node",
            )
        return tuple(int(text) for text in texts)
    (group,) = machine.groups
    if "p" in call and "q" in call:
        ranks = number(call, "p", 1, 1, MOST_RANKS) * number(call, "q", 1, 1, MOST_RANKS)
        if ranks % group.nodes == 0:
            return (ranks // group.nodes,)
    return (sum(device.number for device in group.devices) or group.domains,)


def ranks_by_group(machine: Hardware, counts: Sequence[int]) -> list[Rank]:
    """Return a rank of each group at the pace of the group's slowest node, with no more host memory than any rank has.
    Raises BanzukeError.
    """
    for group in machine.groups:
        group.check_flops()
    ranks = [_rank(group, count) for group, count in zip(machine.groups, counts, strict=True)]
    if not all(rank.device + rank.host > 0 for rank in ranks):
        raise UndescribedError(machine.name, "flop rate", remedy=peak_remedy("flops.fp64", "node.processors.0"))
    return [
        replace(
            rank,
            device=rank.device * machine.slowest,
            host=rank.host * machine.slowest,
            panel_host=min(rank.host for rank in ranks) * machine.slowest,
            host_bytes=min((rank.host_bytes for rank in ranks if rank.host_bytes > 0), default=math.nan),
        )
        for rank in ranks
    ]


def smallest_rank(ranks: Sequence[Rank]) -> Rank:
    """Return a rank with devices if any has, and with no more of their memory than any rank has to hold its part."""
    with_devices = max(ranks, key=lambda rank: rank.device)
    held = [rank.device_bytes if rank.device else rank.host_bytes for rank in ranks]
    return replace(with_devices, device_bytes=min(held))


def _rank(group: NodeGroup, count: int) -> Rank:
    """Return a rank of this group; unknown values are NaN, but unknown DGEMM rates are 0."""
    devices = group.devices
    host = group.host.dgemm / count if group.host.dgemm > 0 else 0.0
    return Rank(
        device=sum(device.number * device.dgemm for device in devices) / count,
        device_bytes=sum(device.number * device.memory for device in devices) / count,
        device_bandwidth=sum(device.number * device.bandwidth for device in devices) / count,
        host_link=sum(device.number for device in devices) / count * _least([device.host_link for device in devices]),
        peer_link=_least([device.peer_link for device in devices]),
        host=host,
        panel_host=host,
        host_bandwidth=group.host.bandwidth / count,
        host_bytes=group.host.memory / count,
    )


def _least(rates: Sequence[float]) -> float:
    """Return the lowest rate; NaN if there is none or one is unknown."""
    return min(rates) if rates and all(rate > 0 for rate in rates) else math.nan


def only_processors(groups: Sequence[NodeGroup]) -> bool:
    return not any(_can_update(device) for group in groups for device in group.devices)


def _can_update(device: Engine) -> bool:
    return device.dgemm > 0


def computing(group: NodeGroup) -> tuple[Engine, ...]:
    return tuple(device for device in group.devices if _can_update(device))


def grid(call: Call, ranks: int, per_node: int, nodes: int) -> tuple[int, int]:
    """Return the grid as given, or as nearly square as the benchmark's own policy makes it. Raises BanzukeError.

    If that is far from a square, a few ranks are left out for a better grid.
    """
    if "p" in call or "q" in call:
        p = number(call, "p", max(1, ranks // number(call, "q", ranks, 1, MOST_RANKS)), 1, MOST_RANKS)
        q = number(call, "q", max(1, ranks // p), 1, MOST_RANKS)
        if p * q != ranks:
            raise MessageError(
                message("hpl-grid-ranks", grid=f"{p} x {q}", has=p * q, ranks=ranks),
                remedy="Give p and q whose product is the number of ranks, or other nodes or mpi_per_node",
            )
        return p, q
    usual = usual_grid(ranks, per_node, nodes)
    return next(near_squares(ranks), usual) if is_long(*usual) else usual


def order(machine: Hardware, call: Call, rank: Rank, ranks: int, nb: int) -> int:
    """Return the order that was asked for, if it fits; else one that fills the memory. Raises BanzukeError."""
    of_devices = rank.device_bytes if rank.device and rank.device_bytes > 0 else 0.0
    of_host = rank.host_bytes if rank.host_bytes > 0 else 0.0
    if "n" not in call:
        on_devices = choice(call, "memory", ("devices", "host"), "devices") == "devices" and rank.device > 0
        share = fraction(call, "fill", DEVICE_SHARE if on_devices else SHARE / OVERHEAD, 1.0)
        memory = of_devices if on_devices else of_host
        if not memory > 0:
            owner, key = ("devices", "memory to each") if on_devices else ("nodes", "memory.total")
            problem = message("hpl-no-memory", name=machine.name, owner=owner)
            raise MessageError(problem, remedy=f"Add {key}, in bytes, or give n")
        n = whole_blocks(math.isqrt(int(share * memory * ranks / 8)), nb)
        if n < 1:
            raise MessageError(
                message("hpl-no-matrix", name=machine.name),
                why=message("hpl-to-be-filled", size=Quantity(share * memory * ranks, "B")),
                remedy="Give n, or a larger fill",
            )
        return n
    n = number(call, "n", 0, 1, 1 << 32)
    most = (of_host / machine.constants["memory.usable"] + of_devices) * ranks if of_host else 0.0  # all of the memory
    if most and 8.0 * n * n > most:
        raise MessageError(
            message("hpl-large-matrix", n=f"n = {n}", name=machine.name),
            why=message("hpl-memory", matrix=Quantity(8.0 * n * n, "B"), memory=Quantity(most, "B")),
            remedy=f"Give at most n = {math.isqrt(int(most / 8))}",
        )
    return n


def messages(machine: Hardware, call: Call, run: Factorisation, rank: Rank, per_node: int) -> RankMessages:
    """Return a rank's share of its node's links while all send: for panels from the host, for rows from the matrix."""
    fabric = machine.fabric
    by_row = choice(call, "order", ("row", "column"), "column") == "row"
    in_row = min(per_node, run.q) if by_row else max(1, per_node // run.p)
    in_column = max(1, per_node // run.q) if by_row else min(per_node, run.p)
    inside = known(rank.host_bandwidth) / 3  # read, and written with a read before it
    link = known(rank.host_link)
    within = machine.constants["hpl.inside_latency"]
    row, row_latency = inside, within
    if machine.nodes > 1 and in_row < run.q:
        row, row_latency = min(fabric.bandwidth, fabric.node_bandwidth / max(1, per_node // in_row)), fabric.latency
    if machine.nodes > 1 and in_column < run.p:
        column = min(fabric.bandwidth, fabric.node_bandwidth / max(1, per_node // in_column))
        if rank.device:
            column = min(column, link) if fabric.direct else 1 / (1 / column + 2 / link)
        latency = fabric.latency
    else:
        column, latency = min(inside, link), within
        if rank.device and rank.peer_link > 0:
            column = rank.peer_link
    if "placement" in call and fabric.congestion:
        raise MessageError(message("hpl-placement"), remedy="Leave out --set placement")
    if "placement" in call:
        uplinks = number(call, "uplinks", run.p, 1, 1 << 20)
        row = min(row, fabric.bandwidth / flows(choice(call, "placement", PLACEMENTS, "random"), run.p, uplinks))
    row, column = row / fabric.congested(PANELS), column / fabric.congested(ROWS)
    return RankMessages(row, column, row_latency, latency)


def flows(placement: str, number_of_flows: int, uplinks: int) -> float:
    """Return the number of flows on the busiest link between two switches, with static routing by the receiver's
    number.

    By number: the receivers' numbers are multiples of the greatest common divisor of flows and links, so that only some
    links are used. Random: the expected maximum of `uplinks` Poisson variates.
    """
    if placement == "by-number":
        return math.ceil(number_of_flows * math.gcd(number_of_flows, uplinks) / uplinks)
    mean = number_of_flows / uplinks
    term, below, expected = math.exp(-mean), 0.0, 0.0
    for count in range(number_of_flows + 1):
        below += term
        term *= mean / (count + 1)
        expected += 1 - min(1.0, below) ** uplinks
    return max(1.0, expected)
