"""`banzuke screen`: finds slow nodes among many, all measured at once in one job."""

import os
import shlex
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from banzuke.batch import systems
from banzuke.cli.asked import where_of
from banzuke.cli.budget import DEFAULT_MINUTES, read_minutes
from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.declared import with_options
from banzuke.cli.options import HOW, WHAT, HostList, hosts_option
from banzuke.cli.report import warn_of_charts, write_fleet_report
from banzuke.cli.run_options import RunOptions
from banzuke.cli.screen_json import JsonCommand, write_refusal
from banzuke.document.terminal import terminal
from banzuke.errors import BanzukeError
from banzuke.evaluation.look import look
from banzuke.evaluation.prepare import check_hosts
from banzuke.evaluation.reserve import reserve
from banzuke.evaluation.screen import measure_nodes
from banzuke.fleet.launches import screened
from banzuke.fleet.load import load
from banzuke.fleet.measure import Screen
from banzuke.launch.fan_out import way_to
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import benchmarks
from banzuke.program.installed import backends
from banzuke.results.network import KeptNetwork
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.words.language import words

COMMAND = JsonCommand


@with_options(
    RunOptions,
    "screen",
    hosts=(
        Annotated[HostList | None, hosts_option("Nodes to screen: n1,n2 or n[01-16].", default="the job's")],
        None,
    ),
    minutes=(
        Annotated[
            float,
            typer.Option(
                "--minutes",
                parser=read_minutes,
                metavar="N",
                help="Time for all measurements. Everything is measured at least once, then again until it is over.",
                rich_help_panel=HOW,
            ),
        ],
        DEFAULT_MINUTES,
    ),
)
def screen(
    options: RunOptions,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="With --learn: runs of healthy nodes.", show_default="last"),
    ] = None,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn", help="Learn from these runs what is normal for nodes of each type.", rich_help_panel=WHAT
        ),
    ] = False,
    boot: Annotated[
        bool,
        typer.Option(
            "--boot", help="Check this node alone, in some seconds, before it gets its first job.", rich_help_panel=WHAT
        ),
    ] = False,
    epilog: Annotated[
        bool,
        typer.Option(
            "--epilog", help="The same between two jobs, with the memory bandwidth alone.", rich_help_panel=WHAT
        ),
    ] = False,
    topology: Annotated[
        str | None,
        typer.Option(
            "--topology",
            metavar="FILE",
            help="The network, which gives each node's switch: as for `banzuke place`.",
            show_default="as Slurm knows it",
            rich_help_panel=WHAT,
        ),
    ] = None,
) -> None:
    """Measure all nodes at once, and name those that are slow. Exit status: 0 none, 1 some, 2 nothing was judged."""
    chosen = [name for name, wanted in (("--learn", learn), ("--boot", boot), ("--epilog", epilog)) if wanted]
    if len(chosen) > 1:
        raise BanzukeError(f"{' and '.join(chosen)} exclude each other", remedy="Give one of them")
    if runs and not learn:
        raise BanzukeError(f"'{runs[0]}' has no effect", why="runs are for --learn", remedy="Leave it out")
    store = Store(options.results)
    if chosen:
        from banzuke.cli.screen_baseline import check_here, learn_from  # noqa: PLC0415  (brings numpy and scipy)

        if learn:
            learn_from(store, runs or ["last"], json=options.json)
            return
        try:
            raise typer.Exit(check_here(store, "boot" if boot else "epilog"))
        except KeyboardInterrupt:
            write_refusal("interrupted", in_a_line=True, exit_status=130)
            raise typer.Exit(130) from None
    raise typer.Exit(_screen_nodes(store, options, topology))


def _screen_nodes(store: Store, options: RunOptions, topology: str | None) -> int:
    """Measure and judge all nodes, and return the exit status."""
    begun = time.monotonic()
    hosts = options.hosts.names if options.hosts else ()
    specs = {spec.name: spec for spec in screened(benchmarks()) if backends(spec.name)}
    check_hosts(hosts)
    machine = look(specs, where_of(specs, options), errors)
    hosts = hosts or tuple(machine.allotment.hosts) or (socket.gethostname(),)
    network = network_of(topology) if topology else None
    places = switches_of(network, hosts) if network else {}
    begun += reserve(store, [store.folder], errors)
    current = store.create(machine, None, name=options.run_name)
    try:
        with current.owned():
            if network:
                current.keep_network(network)
            measure_nodes(
                Screen(current, hosts, way_to(hosts, os.environ), places=places),
                machine,
                specs,
                until=begun + options.minutes * 60,
                timeout=options.timeout,
                listener=errors,
            )
    except KeyboardInterrupt:
        why = f"Interrupted. What was measured is in {current.folder}: banzuke report {shlex.quote(current.name)}"
        errors.say(why)
        if options.json:
            write_refusal(why, exit_status=130, run=current.name)
        raise typer.Exit(130) from None
    return tell(store, current, options.language, json=options.json)


def network_of(topology: str) -> KeptNetwork:
    """Return the file of a topology as a run keeps it. Raises BanzukeError."""
    from banzuke.placement.readers.read import text_of  # noqa: PLC0415  (brings scipy)

    return KeptNetwork(**dict(zip(("file", "topology"), text_of(topology), strict=True)))


def switches_of(kept: KeptNetwork, hosts: Sequence[str]) -> Mapping[str, str]:
    """Return the switch of each host. Raises BanzukeError if the topology lacks a host."""
    from banzuke.placement.readers.read import parse  # noqa: PLC0415  (brings scipy)

    network = parse(kept.topology, kept.file)
    switch = network.switch_of_host
    return {
        host: network.switches[int(switch[number])] for host, number in zip(hosts, network.find(hosts), strict=True)
    }


def tell(store: Store, current: Run, language: str, *, json: bool) -> int:
    """Print and report the judgement of the nodes, and return its exit status."""
    from banzuke.cli.screen_baseline import judged  # noqa: PLC0415  (brings numpy and scipy)
    from banzuke.fleet.summary import blocks  # noqa: PLC0415  (the same)

    fleet = load([current])
    judgement = judged(store, [current], fleet)
    machine = current.machine()
    drained = [node.host for node in judgement.of("fail") if not node.by_load_alone]
    command = draining(drained, current.name, machine)
    if json:
        write_json({**judgement.document(), "run": current.name, "drain": command})
    else:
        for printed in terminal(blocks(fleet, judgement, words())):
            out.print(printed)
        if command:
            errors.say(f"To keep further jobs from nodes that failed: {command}")
        errors.say((f"records in {current.folder}", "dim"))
    try:
        with errors.busy("writing the report ..."):
            written = write_fleet_report([current], fleet, judgement, current.folder, language)
        errors.say((f"report {written.files[-1]}", "dim"))
        warn_of_charts(written, language)
    except BanzukeError as error:  # the judgement stands without the report
        warn(str(error))
    return judgement.exit_status


def draining(hosts: Sequence[str], run: str, machine: Machine) -> str:
    """Return the command with which an administrator drains these nodes.

    It is empty if there are none, or if no batch system is known: neither named in the machine's description nor
    answering here.
    """
    if not hosts:
        return ""
    candidates = [machine.partition.batch.system] if machine.partition.batch else systems.answering()
    commands = [systems.SYSTEMS[name].draining(hosts, f"banzuke screen {run}") for name in candidates]
    return shlex.join(next(filter(None, commands), ()))
