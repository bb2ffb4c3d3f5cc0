"""Baselines of nodes: learnt from screens of healthy ones, and used to judge a node alone."""

import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from pydantic import ValidationError

from banzuke.cli.console import out, warn, write_json
from banzuke.cli.options import DEFAULT_RESULTS
from banzuke.errors import BanzukeError
from banzuke.files import read_ours, read_whole, refusal, write_whole
from banzuke.fleet import baseline
from banzuke.fleet.baseline import Baseline
from banzuke.fleet.causes import load_causes
from banzuke.fleet.judge import judge
from banzuke.fleet.launches import LAUNCHES, Launch, Launches, checked, planned
from banzuke.fleet.limits import by_limits, peak_of
from banzuke.fleet.load import load
from banzuke.fleet.measure import Screen
from banzuke.fleet.model import Fleet
from banzuke.fleet.outliers import FEWEST
from banzuke.fleet.verdict import SCHEMA_VERSION, FleetJudgement
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.screening import Check
from banzuke.record.figures import FLOPS
from banzuke.results.lines import NODES
from banzuke.results.run import Run
from banzuke.results.store import BASELINES, Store
from banzuke.units import count
from banzuke.words import Listed, Message, message
from banzuke.words.language import words

MOST_SCREENS = 20
"""Most earlier screens of the same node with which it is compared."""
LONGEST = 30.0
"""Seconds for the whole check of one node, because a batch system waits for it."""


def learn_from(store: Store, names: Sequence[str], *, json: bool = False) -> None:
    """Store the baseline of each type of node in these runs, and print what it is based on. Raises BanzukeError."""
    runs = [store.locate(name) for name in names]
    fleets = [load([run]) for run in runs]
    learnt = baseline.learn(*fleets)
    if not learnt:
        raise BanzukeError(
            "nothing was learnt",
            why="a type of node needs three whose figures are verified",
            remedy="Screen more nodes together: banzuke screen",
        )
    launches = {kind: calls for run in runs for kind, calls in _launches(run.folder / LAUNCHES).items()}
    folder = store.folder / BASELINES
    summaries = []
    for kind, normal in learnt.items():
        baseline.write(folder, normal)
        write_whole(_calls(folder, kind), Launches.dump_json({kind: launches.get(kind, [])}, indent=1))
        nodes = sum(node.kind == kind and bool(node.values) for fleet in fleets for node in fleet.nodes.values())
        summaries.append({"kind": kind, "figures": len(normal.figures), "nodes": nodes})
        if not json:
            out.say((kind, "bold"), f": {count(len(normal.figures), 'figure')} of {count(nodes, 'node')}")
    if json:
        write_json({"schema_version": SCHEMA_VERSION, "learnt": summaries, "exit_status": 0})


def baselines_of(store: Store, fleet: Fleet) -> Mapping[str, Baseline]:
    """Return the baselines of the fleet's kinds of nodes; warn of one that does not apply, and leave it out."""
    baselines = {}
    for kind in sorted({node.kind for node in fleet.nodes.values() if node.kind}):
        try:
            normal = baseline.read(store.folder / BASELINES, kind)
            if normal:
                normal.refuse_others(fleet.figures.values())
                baselines[kind] = normal
        except BanzukeError as error:
            warn(f"{error} It is not used")
    return baselines


def judged(store: Store, runs: Sequence[Run], fleet: Fleet) -> FleetJudgement:
    """Judge nodes by comparison with each other and by baselines, else by their own earlier screens and limits."""
    baselines = dict(baselines_of(store, fleet))
    alone = {kind: hosts for kind, hosts in _alone(fleet).items() if kind not in baselines}
    own = _earlier(store, runs, fleet, alone)
    judgement = judge(fleet, {**baselines, **own}, own)
    remarks = [message("judge-own", hosts=Listed(tuple(alone[kind]), 3)) for kind in own]
    judgement = replace(judgement, remarks=(*judgement.remarks, *remarks))
    try:
        machine = runs[0].machine()
    except BanzukeError:  # the machine's description is lost
        return judgement
    if len({node.kind for node in fleet.nodes.values() if node.kind}) > 1:
        return judgement  # it is not known which of them the machine is
    return by_limits(judgement, fleet, machine, [host for hosts in alone.values() for host in hosts])


def _alone(fleet: Fleet) -> Mapping[str, list[str]]:
    """Return the measured nodes, by kind, of kinds with too few nodes to compare."""
    by_kind: dict[str, list[str]] = {}
    for node in fleet.nodes.values():
        if node.state == "measured" and node.kind:
            by_kind.setdefault(node.kind, []).append(node.host)
    return {kind: hosts for kind, hosts in by_kind.items() if len(hosts) < FEWEST}


def _earlier(
    store: Store, runs: Sequence[Run], fleet: Fleet, alone: Mapping[str, Sequence[str]]
) -> dict[str, Baseline]:
    """Return a baseline by kind from these nodes' latest earlier screens, which measured the same and had no other
    load.
    """
    ours = {run.folder.resolve() for run in runs}
    before = takewhile(lambda run: run.folder.resolve() not in ours, store.runs())
    seen: dict[str, list[Fleet]] = {kind: [] for kind in alone}
    for run in reversed(list(before)):
        wanted = {kind: alone[kind] for kind, screens in seen.items() if len(screens) < MOST_SCREENS}
        if not wanted:
            break
        if not (run.of_fleet and _mentions(run, wanted)):
            continue
        earlier = load([run])
        figures = {name: figure for name, figure in earlier.figures.items() if fleet.figures.get(name) == figure}
        for kind, hosts in wanted.items():
            nodes = {host: node for host in hosts if (node := earlier.nodes.get(host)) and node.kind == kind}
            if nodes := {host: node for host, node in nodes.items() if not load_causes(node)}:
                seen[kind].append(Fleet(figures, nodes))
    learnt = {kind: baseline.learn(*screens, few=True).get(kind) for kind, screens in seen.items()}
    return {kind: normal for kind, normal in learnt.items() if normal}


def _mentions(run: Run, alone: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the run screened any of these nodes; to load all of a large fleet would take seconds."""
    try:
        said = read_whole(run.folder / NODES)
    except BanzukeError:
        return False
    return any(f'"{host}"'.encode() in said for hosts in alone.values() for host in hosts)


def check_here(store: Store, check: Check) -> int:
    """Judge this node by its type's baseline, else by its theoretical peaks, and print one line of JSON.

    Returns the exit status. Raises BanzukeError.
    """
    begun = time.monotonic()
    host = socket.gethostname()
    if store.folder != DEFAULT_RESULTS and not store.folder.is_dir():
        raise BanzukeError(f"there is no folder {store.folder}", remedy="Name the one of a screen with --results")
    with _temporary() as folder:
        run = Run(Path(folder))
        current = Screen(run, [host], "here")
        current.survey()
        kind = current.nodes[host].kind
        normal = baseline.read(store.folder / BASELINES, kind) if kind else None
        wanted: Sequence[Benchmark] = checked(benchmarks(), check)
        machine, left_out = None, list[Message]()
        if normal:
            calls = _launches(_calls(store.folder / BASELINES, kind)).get(kind, [])
        else:
            machine, wanted, left_out = limited(host, wanted)
            calls = [call for spec in wanted for call in planned(spec, machine, run.folder) if not call.device]
        names = {spec.name for spec in wanted}
        left_out += launch_in_time(current, [call for call in calls if call.case.benchmark in names], begun + LONGEST)
        fleet = load([run])
        judgement = judge(fleet, {kind: normal} if normal else {})
        if machine:
            judgement = by_limits(judgement, fleet, machine, [host])
        judgement = replace(judgement, remarks=(*judgement.remarks, *left_out))
    write_json(judgement.document(), indent=None)
    return judgement.exit_status


def _temporary() -> tempfile.TemporaryDirectory[str]:
    """Create a temporary folder. Raises BanzukeError: the job before may have filled the disk."""
    try:
        return tempfile.TemporaryDirectory(prefix="banzuke-")
    except OSError as error:
        raise BanzukeError(
            "no folder can be made for what is measured", why=str(error), remedy="Free some space, or set TMPDIR"
        ) from error


def launch_in_time(current: Screen, calls: Sequence[Launch], until: float) -> list[Message]:
    """Launch on processors first, then on each device, until that time of `time.monotonic`.

    Returns remarks on what there was no time for. Raises BanzukeError if that includes the first launch.
    """
    (host,) = current.hosts
    in_turn = sorted(calls, key=lambda launch: bool(launch.device))
    for at, call in enumerate(in_turn):
        if not current.answering:
            break
        left = until - time.monotonic()
        if call.case.seconds > left / 2:
            if not at:
                raise BanzukeError(
                    f"{host} cannot be judged in {LONGEST:g} s",
                    why=f"{call.program} takes about {call.case.seconds:.0f} s here",
                    remedy="Screen it with others: banzuke screen",
                )
            return [message("judge-left-out", host=host, why="time", figures=Listed(tuple(map(_title, in_turn[at:]))))]
        current.launch(call, [host], 0, most=left)
    return []


def _title(call: Launch) -> str:
    title = find(call.case.benchmark).title
    return f"{title}, device {call.device}" if call.device else title


def limited(host: str, wanted: Sequence[Benchmark]) -> tuple[Machine, Sequence[Benchmark], list[Message]]:
    """Return this machine, the benchmarks for which it has a known peak, and remarks on those left out.

    It is called for a type without a baseline, of which it warns. Raises BanzukeError if no benchmark is left, before
    anything is measured.
    """
    learn = "Screen nodes like it together, then: banzuke screen --learn"
    resources = {resource.name for spec in wanted for resource in spec.resources.measures}
    machine = discover(measure=FLOPS in resources)  # the peak of processors needs a measured clock
    bounded = [spec for spec in wanted if any(peak_of(spec.name, metric.unit, machine) for metric in spec.metrics)]
    if not bounded:
        measured = " and ".join(spec.title for spec in wanted) or "what is measured"
        why = f"there is no baseline for its type, and no theoretical peak is known that bounds {measured}"
        raise BanzukeError(f"{host} cannot be judged", why=why, remedy=learn)
    titles = tuple(spec.title for spec in wanted if spec not in bounded)
    left_out = [message("judge-left-out", host=host, why="unknown", figures=Listed(titles))] if titles else []
    warn(f"there is no baseline for {host}'s type, so only its theoretical peaks can judge it. {learn}")
    for remark in left_out:
        warn(words()(remark))
    return machine, bounded, left_out


def _calls(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.{LAUNCHES}"


def _launches(file: Path) -> dict[str, list[Launch]]:
    """Return the launches stored in a file; it must be ours, because they start programs. Raises BanzukeError."""
    try:
        return Launches.validate_json(read_ours(file))
    except ValidationError as error:
        raise BanzukeError(
            f"{file} does not say how its figures were measured", why=refusal(error), remedy="Screen the nodes again"
        ) from error
