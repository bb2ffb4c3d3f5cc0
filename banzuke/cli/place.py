"""`banzuke place`: proposes an order of ranks on a network that spreads their messages over its links."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banzuke import __version__
from banzuke.cli.console import errors, out, write_json, write_text
from banzuke.cli.network import AdapterUse, RoutingRule, Topology, Uplinks, read_network
from banzuke.cli.options import DEFAULT_LANGUAGE, HOW, OUTPUT, WHAT, WHERE, HostList, Json, Language
from banzuke.cli.simulation import SimulationCall, check_network, rate_of_ranks, simulated, simulation_call
from banzuke.document import Document
from banzuke.document.terminal import terminal
from banzuke.errors import BanzukeError
from banzuke.files import check_file, check_folder, write_whole
from banzuke.plan.catalogue import declared_flows, patterns_of
from banzuke.text import nearest
from banzuke.units import prefixed
from banzuke.words.language import words

if TYPE_CHECKING:
    from banzuke.placement.compare import OrderComparison, Reached
    from banzuke.placement.pattern import Pattern
    from banzuke.placement.simulated import SimulatedOrder
    from banzuke.placement.topology import Indices, NetworkTopology

MOST_RANKS = 1 << 22
MOST_SECONDS = 3600.0


def place(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="Whose messages: a benchmark's, or halo, alltoall, allgather.")
    ],
    topology: Topology = None,
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="PxQ", help="Sides of the grid of ranks.", rich_help_panel=WHAT),
    ] = None,
    hosts: Annotated[
        HostList | None,
        typer.Option(
            "--hosts",
            parser=HostList.of,
            metavar="NAMES",
            help="The job's hosts, in the scheduler's order.",
            show_default="all of the topology, by number",
            rich_help_panel=WHERE,
        ),
    ] = None,
    ranks_per_node: Annotated[
        int | None,
        typer.Option(
            "--ranks-per-node",
            metavar="N",
            min=1,
            max=4096,
            help="Ranks of each host.",
            show_default="as the topology says, else 1",
            rich_help_panel=WHAT,
        ),
    ] = None,
    routing: RoutingRule = None,
    adapters: AdapterUse = "striped",
    uplinks: Uplinks = None,
    size: Annotated[
        float | None,
        typer.Option(
            "--size",
            metavar="N",
            help="Size of the problem, for seconds: n of HPL or a transform, a box's edge, bytes of a message.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    reached: Annotated[
        str | None,
        typer.Option(
            "--reached",
            metavar="NAME=RATE",
            help="A rate measured in one of the orders, such as scheduler=66Tflop/s; the others' rates follow.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    simulate: Annotated[
        str | None,
        typer.Option(
            "--simulate",
            metavar="NAMES",
            help="Simulate these orders of the table with SimGrid, such as scheduler,place; or all.",
            rich_help_panel=HOW,
        ),
    ] = None,
    rank_rate: Annotated[
        str | None,
        typer.Option(
            "--rank-rate",
            metavar="RATE",
            help="How fast a rank computes: its matrix products for HPL, such as 500Gflop/s. Needs --size.",
            show_default="in no time",
            rich_help_panel=HOW,
        ),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole-hosts",
            help="Only orders in which the ranks of each host follow each other, as with `banzuke run --hosts`.",
            rich_help_panel=HOW,
        ),
    ] = False,
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="N", help="How long to look for a better order.", rich_help_panel=HOW),
    ] = 20.0,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of random orders.", rich_help_panel=HOW)
    ] = 1,
    write: Annotated[
        list[str] | None,
        typer.Option(
            "--write",
            metavar="NAME:FILE",
            help="Write the proposed order for openmpi, mpich, slurm or flux, as Open MPI's rankfile, or as hosts; may "
            "be given several times.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    take: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="NAME",
            help="Write this order instead of the proposed one.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Write a page there with drawings of the grid by switch and the load of each link.",
            file_okay=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    language: Language = DEFAULT_LANGUAGE,
    json: Json = False,
) -> None:
    """Propose which rank goes to which host, so that neighbours share a switch and messages spread over its links."""
    from banzuke.placement.blocks import network, summary, to_json  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.compare import ORDERS  # noqa: PLC0415  (the same)
    from banzuke.placement.simulated import blocks, fastest_instead, simulated_to_json  # noqa: PLC0415  (the same)

    if take is not None and take not in ORDERS:
        raise BanzukeError(f"--order {take} is unknown", remedy=nearest(take, list(ORDERS)))
    targets = _targets(write or ())
    declared = _declared(pattern)
    rate = rate_of_ranks(rank_rate, declared, size, reached)
    call = simulation_call(simulate, rate, declared, size)
    comparison = _compared(
        declared,
        topology,
        call,
        grid=grid,
        hosts=hosts,
        per_node=ranks_per_node,
        routing=routing,
        adapters=adapters,
        uplinks=uplinks,
        size=size,
        reached=reached,
        rank_rate=rate,
        seconds=seconds,
        seed=seed,
        whole=whole or any(launcher == "hosts" for launcher, _ in targets),
    )
    timed = simulated(call, comparison)
    better = fastest_instead(timed)
    chosen = better.placed if better else comparison.proposed
    if json:
        write_json(
            {**to_json(comparison, chosen), **({"simulated": simulated_to_json(comparison, timed)} if call else {})}
        )
    else:
        write_text(f"{network(comparison, words())}\n")
        shown = [*summary(comparison, words()), *(blocks(comparison, timed, words()) if timed else [])]
        for block in terminal(shown):
            out.print(block, "")
    _write(comparison, targets, take or chosen.name)
    if output:
        _write_page(comparison, timed, output, language)


def _declared(pattern: str) -> "Pattern":
    """Return the pattern of this name. Raises BanzukeError."""
    from banzuke.placement.pattern import as_pattern  # noqa: PLC0415  (brings scipy)

    patterns = {declared.name: declared for declared in declared_flows()}
    if pattern not in patterns and (own := [declared.name for declared in patterns_of(pattern)]):
        raise BanzukeError(
            f"{pattern} has messages with another name", remedy=f"Write banzuke place {' or '.join(own)}"
        )
    if pattern not in patterns:
        raise BanzukeError(f"the messages of '{pattern}' are not known", remedy=nearest(pattern, list(patterns)))
    return as_pattern(patterns[pattern])


def _compared(
    declared: "Pattern",
    topology: str | None,
    call: SimulationCall | None,
    *,
    grid: str | None,
    hosts: HostList | None,
    per_node: int | None,
    routing: str | None,
    adapters: str,
    uplinks: int | None,
    size: float | None,
    reached: str | None,
    rank_rate: float,
    seconds: float,
    seed: int,
    whole: bool,
) -> "OrderComparison":
    """Compare orders of ranks on the network. Raises BanzukeError."""
    from banzuke.placement.compare import compare  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.pattern import parse_grid  # noqa: PLC0415  (the same)

    if not 0 <= seconds <= MOST_SECONDS:
        raise BanzukeError(f"--seconds {seconds:g} is no time to look", remedy="Give 0 to 3600")
    if size is not None and not 1 <= size <= 1e15:
        raise BanzukeError(f"--size {size:g} is no size of a problem", remedy="Give 1 to 1e15")
    read_topology, adapter = read_network(topology, routing, adapters, uplinks)
    order = _scheduled(read_topology, hosts, per_node)
    check_network(call, read_topology, adapter, order.size)
    sides = parse_grid(grid, order.size, declared) if grid else declared.grid(order.size)
    with errors.busy("looking for a better order ..."):
        return compare(
            read_topology,
            declared,
            sides,
            order,
            seconds=seconds,
            adapters=adapter,
            size=size,
            reached=_reached(reached, declared.counted) if reached else None,
            rank_rate=rank_rate,
            seed=seed,
            whole=whole,
        )


def _scheduled(topology: "NetworkTopology", hosts: HostList | None, per_node: int | None) -> "Indices":
    """Return the host of each rank in the scheduler's order. Raises BanzukeError."""
    from banzuke.placement.orders import by_number  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.score import slots  # noqa: PLC0415  (the same)

    every = slots(range(len(topology.hosts)), [1] * len(topology.hosts))
    chosen = topology.find(hosts.names) if hosts else by_number(every, topology).tolist()
    counts = [per_node or topology.ranks.get(topology.hosts[number], 1) for number in chosen]
    if sum(counts) > MOST_RANKS:
        raise BanzukeError(f"there are {sum(counts):,} ranks", why=f"at most {MOST_RANKS:,} are placed")
    return slots(chosen, counts)


def _reached(text: str, unit: str) -> "Reached":
    """Parse an order and its measured rate, such as `scheduler=66Tflop/s`. Raises BanzukeError."""
    from banzuke.placement.compare import ORDERS, Reached  # noqa: PLC0415  (brings scipy)

    order, equals, rate = text.partition("=")
    if not equals or order not in ORDERS:
        raise BanzukeError(
            f"--reached {text}: no order is named", remedy=f"Write one of {', '.join(ORDERS)}, = and a rate"
        )
    amount = prefixed(rate)
    if amount is None or math.isnan(amount[0]) or amount[1] not in ("", unit):
        raise BanzukeError(f"--reached {text}: '{rate}' is no rate", remedy=f"Write 66T{unit}, or 66e12")
    return Reached(order, amount[0])


def _targets(texts: Sequence[str]) -> list[tuple[str, Path]]:
    """Parse all of --write. Raises BanzukeError, also where one file would replace another."""
    targets = [_target(text) for text in texts]
    files = [os.path.realpath(path) for _, path in targets]
    if twice := next((path for (_, path), file in zip(targets, files, strict=True) if files.count(file) > 1), None):
        raise BanzukeError(f"--write names {twice} more than once", remedy="Name a file for each launcher")
    return targets


def _target(text: str) -> tuple[str, Path]:
    """Parse LAUNCHER:FILE. Raises BanzukeError."""
    from banzuke.placement.write import LAUNCHERS  # noqa: PLC0415  (brings numpy)

    launcher, colon, name = text.partition(":")
    if not colon or launcher not in LAUNCHERS or not name:
        raise BanzukeError(f"--write {text} names no launcher and file", remedy=f"Write {LAUNCHERS[0]}:order.txt")
    folder = Path(name).parent
    if not folder.is_dir():
        raise BanzukeError(f"--write {text}: there is no folder {folder}", remedy="Make it, or name another")
    check_folder(folder, "--write")
    check_file(Path(name))
    return launcher, Path(name)


def _write(comparison: "OrderComparison", targets: list[tuple[str, Path]], name: str) -> None:
    from banzuke.placement.write import LAUNCHERS, command, order_file  # noqa: PLC0415  (brings numpy)

    named = {placed.name: placed for placed in comparison.placed}
    if name not in named:
        raise BanzukeError(f"--order {name} is unknown", remedy=nearest(name, list(named)))
    for launcher in LAUNCHERS:
        for path in (path for wanted, path in targets if wanted == launcher):
            text = order_file(comparison.topology.hosts, named[name].order, launcher)
            write_whole(path, text.encode(), option="--write")
            errors.say(f"{launcher}: {command(launcher, str(path), named[name].order)}")


def _write_page(comparison: "OrderComparison", timed: "list[SimulatedOrder]", folder: Path, language: str) -> None:
    """Write the page. Raises BanzukeError."""
    from banzuke.placement.blocks import network, sections  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.simulated import section  # noqa: PLC0415  (the same)
    from banzuke.report.compose import page_notes  # noqa: PLC0415  (brings Altair)
    from banzuke.report.write import Rendered, files_of, publish  # noqa: PLC0415  (the same)

    say = words(language)
    summarised, *others = sections(comparison, say)
    middle = [section(comparison, timed, say)] if timed else []
    document = Document(
        language=say.language,
        title=f"{comparison.topology.name}: {say(comparison.pattern.title)}",
        subtitle=[network(comparison, say)],
        sections=(summarised, *middle, *others),
        generator=f"Banzuke {__version__}",
        notes=page_notes(say),
    )
    written = publish(Rendered(document, files_of(document, say)), folder, say)
    write_text(f"{written.files[-1]}\n")
