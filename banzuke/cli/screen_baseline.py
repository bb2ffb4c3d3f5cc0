"""What is normal for nodes: learnt from screens of healthy ones, and what one node alone is then judged by."""

import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from pydantic import ValidationError

from banzuke.cli.console import out, warn, write_json
from banzuke.cli.options import DEFAULT_RESULTS
from banzuke.errors import BanzukeError
from banzuke.files import read_ours, refusal, write_whole
from banzuke.fleet import baseline
from banzuke.fleet.baseline import Baseline
from banzuke.fleet.judge import judge
from banzuke.fleet.load import load
from banzuke.fleet.measure import LAUNCHES, Launch, Launches, Screen, planned
from banzuke.fleet.model import Fleet
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import find
from banzuke.plan.wording import metric_title
from banzuke.record.run import Run
from banzuke.record.store import BASELINES, Store
from banzuke.units import count
from banzuke.words import Share, message

QUICK = ("stream",)
"""What an epilog measures: faults of memory are the most frequent, and cost every program."""
THOROUGH = ("stream", "dgemm")
MEMORY, LEAST_SHARE = "memory.bytes", 0.5
"""STREAM on all cores reaches 70 to 90% of the theoretical peak of nodes whose memory channels are all in use."""
LONGEST = 30.0
"""Seconds for one node's check in all: a batch system waits for it."""


def learn_from(store: Store, names: Sequence[str]) -> None:
    """Keeps what is normal of each type of node in these runs. Raises BanzukeError."""
    runs = [store.locate(name) for name in names]
    fleets = [load([run]) for run in runs]
    learnt = baseline.learn(*fleets)
    if not learnt:
        raise BanzukeError(
            "nothing was learnt",
            why="a type of node needs three whose figures are verified",
            remedy="Screen more nodes together: banzuke screen",
        )
    launches = {kind: of for run in runs for kind, of in _launches(run.folder / LAUNCHES).items()}
    folder = store.folder / BASELINES
    for kind, found in learnt.items():
        baseline.write(folder, found)
        write_whole(_calls(folder, kind), Launches.dump_json({kind: launches.get(kind, [])}, indent=1))
        nodes = sum(node.kind == kind and bool(node.values) for fleet in fleets for node in fleet.nodes.values())
        out.say((kind, "bold"), f": {count(len(found.figures), 'figure')} of {count(nodes, 'node')}")


def baselines_of(store: Store, fleet: Fleet) -> Mapping[str, Baseline]:
    """By kind of the fleet's nodes; one that does not apply is told and left out."""
    found = {}
    for kind in sorted({node.kind for node in fleet.nodes.values() if node.kind}):
        try:
            known = baseline.read(store.folder / BASELINES, kind)
            if known:
                known.refuse_others(fleet.figures.values())
                found[kind] = known
        except BanzukeError as error:
            warn(f"{error} It is not used")
    return found


def check_here(store: Store, *, thorough: bool) -> int:
    """This node by what is normal of its type, or else by its memory's peak, as one line of JSON. Its exit status.

    Raises BanzukeError.
    """
    begun = time.monotonic()
    host = socket.gethostname()
    if store.folder != DEFAULT_RESULTS and not store.folder.is_dir():
        raise BanzukeError(f"there is no folder {store.folder}", remedy="Name the one of a screen with --results")
    with tempfile.TemporaryDirectory(prefix="banzuke-") as folder:
        run = Run(Path(folder))
        current = Screen(run, [host], "here")
        current.survey()
        kind = current.nodes[host].kind
        known = baseline.read(store.folder / BASELINES, kind) if kind else None
        wanted = THOROUGH if thorough and known else QUICK
        machine = None if known else discover(measure=False)
        if machine is None:
            calls = _launches(_calls(store.folder / BASELINES, kind)).get(kind, [])
        else:
            calls = planned(find(QUICK[0]), machine, run.folder)
        for one in calls:
            if one.case.benchmark in wanted and current.answering:
                left = begun + LONGEST - time.monotonic()
                if one.case.seconds > left / 2:
                    raise BanzukeError(
                        f"{host} cannot be judged in {LONGEST:g} s",
                        why=f"{one.program} takes about {one.case.seconds:.0f} s here",
                        remedy="Screen it with others: banzuke screen",
                    )
                current.launch(one, [host], 0, most=left)
        judgement = judge(load([run]), {kind: known} if known else {})
        if machine and not judgement.of("fail"):
            judgement = by_peak(run, host, machine)
    write_json(judgement.document(), indent=None)
    return judgement.exit_status


def by_peak(run: Run, host: str, machine: Machine) -> FleetJudgement:
    """By STREAM's headline, where the memory's theoretical peak is known. Raises BanzukeError."""
    peak, spec = machine.peaks.get(MEMORY), find(QUICK[0])
    (metric,) = (metric for metric in spec.metrics if metric.headline)
    samples = [median(record.metrics[metric.name].samples) for record in run.read().records if record.status == "ok"]
    if peak is None or not peak.value or not samples:
        raise BanzukeError(
            f"{host} cannot be judged",
            why="nothing was learnt of its type, and its memory's theoretical peak is not known",
            remedy="Screen nodes like it together, then: banzuke screen --learn",
        )
    share = max(samples) / peak.value
    if share > LEAST_SHARE:
        return FleetJudgement({host: NodeVerdict(host, "pass", message("judge-action-none"))})
    title = metric_title(spec.name, metric)
    cause = message("screen-below-peak", title=title, share=Share(share), least=Share(LEAST_SHARE))
    again = message("judge-action-again", host=host)
    return FleetJudgement({host: NodeVerdict(host, "fail", again, causes=(cause,))})


def _calls(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.{LAUNCHES}"


def _launches(file: Path) -> dict[str, list[Launch]]:
    """What is started: never words of somebody else's. Raises BanzukeError."""
    try:
        return Launches.validate_json(read_ours(file))
    except ValidationError as error:
        raise BanzukeError(
            f"{file} says not how its figures were measured", why=refusal(error), remedy="Screen the nodes again"
        ) from error
