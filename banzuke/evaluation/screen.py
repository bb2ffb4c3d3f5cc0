"""Measures the nodes of a fleet: what each is, then each benchmark on all at once, in turn, until the time is over."""

import socket
import time
from collections.abc import Callable, Mapping, Sequence

from banzuke.errors import BanzukeError
from banzuke.evaluation.listener import RunListener
from banzuke.evaluation.prepare import measure_here
from banzuke.evaluation.tell import tell_variables
from banzuke.files import write_whole
from banzuke.files.own import for_commands
from banzuke.fleet.launches import LAUNCHES, Launch, Launches, exchanging, planned
from banzuke.fleet.measure import Follow, Screen
from banzuke.machine.hosts import folded, short
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.program.installed import backends
from banzuke.units import count, duration

MOST_NAMED = 20
"""Most nodes whose reasons are shown; the document has all."""


def measure_nodes(
    current: Screen,
    machine: Machine,
    specs: Mapping[str, Benchmark],
    *,
    until: float,
    timeout: float | None,
    listener: RunListener,
) -> None:
    """Measure everything once, then the nodes' own figures repeatedly `until` that time of `time.monotonic`."""
    with listener.busy("asking the nodes what they are ...") as say:
        current.follow = answering(say, "survey", len(current.hosts))
        current.survey()
    reported: set[str] = set()
    tell_silent(current, reported, listener)
    if not current.answering:
        return
    machines = examine_kinds(current, machine, specs, listener)
    launches = plan_kinds(current, machines, specs, timeout, listener)
    tell_variables([launch.case for group in launches.values() for launch in group], listener)
    machine = next(iter(machines.values()), machine)
    current.run.update_machine(machine)
    in_turn = [
        (kind, call) for name in specs for kind in launches for call in launches[kind] if call.case.benchmark == name
    ]
    took: dict[int, float] = {}
    for repetition in range(1000):
        launched = False
        for at, (kind, call) in enumerate(in_turn):
            nodes = current.kinds().get(kind, [])
            began = time.monotonic()
            if not nodes or (repetition and began + took.get(at, 0.0) > until):
                continue
            title = f"{specs[call.case.benchmark].title}{f', device {call.device}' if call.device else ''}"
            left = f"{duration(round(max(0.0, until - began)))} left"
            with listener.busy(f"{title} ...") as say:
                current.follow = answering(say, f"{title}, {left}", len(nodes))
                verified = current.launch(call, nodes, repetition)
            took[at] = time.monotonic() - began
            launched = True
            if not repetition:
                listener.say(f"{title}: {verified} of {count(len(nodes), 'node')} verified")
        if not repetition:
            exchange(current, machine, timeout, listener)
        tell_silent(current, reported, listener)
        if not launched:
            return


def answering(say: Callable[[str], None], what: str, nodes: int) -> Follow:
    return lambda answered: say(f"{what}: {answered} of {count(nodes, 'node')} answered")


def tell_silent(current: Screen, reported: set[str], listener: RunListener) -> None:
    """Print the nodes that were left out since the last call."""
    silent = [node for node in current.nodes.values() if node.state in {"hung", "dead"} and node.host not in reported]
    reported.update(node.host for node in silent)
    for node in silent[:MOST_NAMED]:
        listener.say((f"{node.state}:", "bold red"), f" {node.host}: {node.why}")
    if len(silent) > MOST_NAMED:
        listener.say(f"and {len(silent) - MOST_NAMED} more: {folded(node.host for node in silent[MOST_NAMED:])}")


def examine_kinds(
    current: Screen, machine: Machine, specs: Mapping[str, Benchmark], listener: RunListener
) -> Mapping[str, Machine]:
    """Return the machine of each kind of node: `machine` for this host's kind, else what one such node reports."""
    kinds, here = current.kinds(), short(socket.gethostname())
    mine = next((kind for kind, hosts in kinds.items() if here in map(short, hosts)), None)
    machines = {} if mine is None else {mine: measure_here(machine, specs, listener, keep=True)}
    others = {kind: hosts[0] for kind, hosts in kinds.items() if kind != mine}
    if others:
        with listener.busy(f"examining {count(len(others), 'node')} of other types ..."):
            answers = current.describe(list(others.values()))
        machines |= {kind: answers[host] for kind, host in others.items() if host in answers}
        for host in (host for host in others.values() if host not in answers):
            listener.say(("left out:", "yellow"), f" nodes like {host}, which could not report its hardware")
    return machines


def plan_kinds(
    current: Screen,
    machines: Mapping[str, Machine],
    specs: Mapping[str, Benchmark],
    timeout: float | None,
    listener: RunListener,
) -> Mapping[str, Sequence[Launch]]:
    """Return the launches for each kind of node, keep them in the run's folder, and print what cannot be launched."""
    launches: dict[str, list[Launch]] = {}
    for kind, machine in machines.items():
        for spec in specs.values():
            try:
                calls = planned(spec, machine, for_commands(current.run.folder), timeout)
            except BanzukeError as error:
                listener.say(("left out:", "yellow"), f" {spec.title}: {error}")
                continue
            launches.setdefault(kind, []).extend(calls)
    write_whole(current.run.folder / LAUNCHES, Launches.dump_json(launches, indent=1))
    return launches


def exchange(current: Screen, machine: Machine, timeout: float | None, listener: RunListener) -> None:
    """Measure messages between pairs of nodes, if there are several and an MPI library."""
    for spec in exchanging(benchmarks()):
        nodes = len(current.answering)
        if nodes < 2 or not machine.software.mpi or not backends(spec.name):
            continue
        try:
            with listener.busy(f"{spec.title} between {nodes} nodes ..."):
                record = current.exchange(spec, machine, timeout)
        except BanzukeError as error:
            listener.say(("left out:", "yellow"), f" {spec.title}: {error}")
            continue
        said = "verified" if record.status == "ok" else f"{record.status}: {record.reason}"
        listener.say(f"{spec.title} between {nodes} nodes: {said}")
