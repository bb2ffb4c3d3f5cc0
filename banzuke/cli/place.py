"""`banzuke place`: proposes an order of ranks on a network that spreads their messages over its links."""

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from banzuke import __version__
from banzuke.cli.console import errors, out, write_json, write_text
from banzuke.cli.declared import with_options
from banzuke.cli.options import HostList
from banzuke.cli.place_options import PlaceOptions
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
    from banzuke.placement.compare import OrderComparison, Placed, Reached
    from banzuke.placement.pattern import Pattern
    from banzuke.placement.simulated import SimulatedOrder
    from banzuke.placement.topology import Indices, NetworkTopology

MOST_RANKS = 1 << 22
MOST_SECONDS = 3600.0


@with_options(PlaceOptions)
def place(options: PlaceOptions) -> None:
    """Propose which rank goes to which host, so that neighbours share a switch and messages spread over its links."""
    from banzuke.placement.compare import ORDERS  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.simulated import fastest_instead  # noqa: PLC0415  (the same)

    if options.take is not None and options.take not in ORDERS:
        raise BanzukeError(f"--order {options.take} is unknown", remedy=nearest(options.take, list(ORDERS)))
    targets = _targets(options.write or ())
    pattern = _declared(options.pattern, eager=options.eager)
    rate = rate_of_ranks(options.rank_rate, pattern, options.size, options.reached)
    call = simulation_call(options.simulate, rate, pattern, options.size)
    whole = options.whole or any(launcher == "hosts" for launcher, _ in targets)
    comparison = _compared(options, pattern, call, rate, whole=whole)
    timed = simulated(call, comparison)
    better = fastest_instead(timed)
    chosen = better.placed if better else comparison.proposed
    commands: list[str] = []
    page: Path | None = None
    try:  # first the files: a reader such as `head` ends us while we print, and the answer needs none of them
        commands = _write(comparison, targets, options.take or chosen.name)
        if options.output:
            page = _write_page(comparison, timed, options.output, options.language)
    finally:
        _print(comparison, timed, chosen, json=options.json)
        for line in commands:
            errors.say(line)
        if page and not options.json:
            write_text(f"{page}\n")


def _print(comparison: "OrderComparison", timed: "list[SimulatedOrder]", chosen: "Placed", *, json: bool) -> None:
    """Print the orders. `timed`: the simulated ones; `chosen`: the one that is proposed."""
    from banzuke.placement.blocks import network, summary, to_json  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.simulated import blocks, simulated_to_json  # noqa: PLC0415  (the same)

    if json:
        more = {"simulated": simulated_to_json(comparison, timed)} if timed else {}
        write_json({**to_json(comparison, chosen), **more})
        return
    write_text(f"{network(comparison, words())}\n")
    for block in terminal([*summary(comparison, words()), *(blocks(comparison, timed, words()) if timed else [])]):
        out.print(block, "")


def _declared(pattern: str, *, eager: bool) -> "Pattern":
    """Return the pattern of this name, with messages that are `eager`. Raises BanzukeError."""
    from banzuke.placement.pattern import as_pattern  # noqa: PLC0415  (brings scipy)

    patterns = {declared.name: declared for declared in declared_flows()}
    if pattern not in patterns and (own := [declared.name for declared in patterns_of(pattern)]):
        raise BanzukeError(
            f"{pattern} has messages with another name", remedy=f"Write banzuke place {' or '.join(own)}"
        )
    if pattern not in patterns:
        raise BanzukeError(f"the messages of '{pattern}' are not known", remedy=nearest(pattern, list(patterns)))
    declared = as_pattern(patterns[pattern])
    if eager and not declared.in_turn:
        raise BanzukeError(f"--eager: no step of {pattern} waits for receivers in the model", remedy="Leave it out")
    return replace(declared, eager=eager)


def _compared(
    options: PlaceOptions, pattern: "Pattern", call: SimulationCall | None, rank_rate: float, *, whole: bool
) -> "OrderComparison":
    """Compare orders of ranks on the network. Raises BanzukeError."""
    from banzuke.placement.compare import compare  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.pattern import parse_grid  # noqa: PLC0415  (the same)

    if not 0 <= options.seconds <= MOST_SECONDS:
        raise BanzukeError(f"--seconds {options.seconds:g} is no time to look", remedy="Give 0 to 3600")
    if options.size is not None and not 1 <= options.size <= 1e15:
        raise BanzukeError(f"--size {options.size:g} is no size of a problem", remedy="Give 1 to 1e15")
    topology, adapters = options.network.read()
    order = _scheduled(topology, options.hosts, options.ranks_per_node)
    check_network(call, topology, adapters, order.size)
    with errors.busy("looking for a better order ..."):
        comparison = compare(
            topology,
            pattern,
            parse_grid(options.grid, order.size, pattern) if options.grid else pattern.grid(order.size),
            order,
            seconds=options.seconds,
            adapters=adapters,
            size=options.size,
            reached=_reached(options.reached, pattern.counted) if options.reached else None,
            rank_rate=rank_rate,
            seed=options.seed,
            whole=whole,
        )
    if options.eager and comparison.timing is None and call is None:
        raise BanzukeError(
            "--eager changes nothing here",
            why="orders are compared by the sum of steps, in which all wait for the busiest link, as there are many "
            "ranks, several adapters, or adaptive routing (docs/placement.md)",
            remedy="Leave it out, or give fewer --hosts",
        )
    return comparison


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


def _write(comparison: "OrderComparison", targets: list[tuple[str, Path]], name: str) -> list[str]:
    """Write the files of launchers; return a line for each, which says how to start. Raises BanzukeError."""
    from banzuke.placement.write import LAUNCHERS, command, order_file  # noqa: PLC0415  (brings numpy)

    named = {placed.name: placed for placed in comparison.placed}
    if name not in named:
        raise BanzukeError(f"--order {name} is unknown", remedy=nearest(name, list(named)))
    commands = []
    for launcher in LAUNCHERS:
        for path in (path for wanted, path in targets if wanted == launcher):
            text = order_file(comparison.topology.hosts, named[name].order, launcher)
            write_whole(path, text.encode(), option="--write")
            commands.append(f"{launcher}: {command(launcher, str(path), named[name].order)}")
    return commands


def _write_page(comparison: "OrderComparison", timed: "list[SimulatedOrder]", folder: Path, language: str) -> Path:
    """Write the page, and return its file. Raises BanzukeError."""
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
    return publish(Rendered(document, files_of(document, say)), folder, say).files[-1]
