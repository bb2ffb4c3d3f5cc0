"""Measures many nodes at once: what each reports of itself, and its figures while all others are at work, too."""

import json
import math
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from banzuke.amounts import Scalar
from banzuke.cpu_lists import format_cpus
from banzuke.errors import BanzukeError
from banzuke.files import write_whole
from banzuke.files.own import for_commands
from banzuke.fleet.beside import ProcessorTimes, counting
from banzuke.fleet.busy import LEAST_BUSY, busy_processors
from banzuke.fleet.causes import load_causes
from banzuke.fleet.launches import LEAST_LIMIT, SLOWNESS, Launch
from banzuke.fleet.model import Node, State, kind_of
from banzuke.launch import process
from banzuke.launch.check import check
from banzuke.launch.command import Command, render
from banzuke.launch.complete import CaseOrigin, complete, unmeasured
from banzuke.launch.fan_out import DESCRIBE, DESCRIPTION, HostOutcome, Way, carried, fan_out
from banzuke.launch.process import ProcessResult
from banzuke.machine.command import output
from banzuke.machine.hosts import expanded, short
from banzuke.machine.model import Machine
from banzuke.machine.probe import PROGRAM
from banzuke.paths import executables
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.cases import plan
from banzuke.plan.placement import group_placements
from banzuke.plan.request import Request
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.record.state import taken
from banzuke.results.lines import NODES
from banzuke.results.run import Run

SURVEY = 10.0
"""Seconds that a node may take to report by the probe what it is."""
STARTING_RANKS = 0.05
"""Additional seconds for each host on which ranks are started."""
Follow = Callable[[int], None]
"""Called with the number of nodes that have answered."""


_FACT: TypeAdapter[Scalar] = TypeAdapter(Scalar)


@dataclass
class Screen:
    """The nodes of a run, updated by each step."""

    run: Run
    hosts: Sequence[str]
    way: Way
    follow: Follow = lambda _answered: None
    nodes: dict[str, Node] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    """The switch of each host; empty: those that Slurm knows."""

    @property
    def answering(self) -> list[str]:
        """Hosts that can be asked for more."""
        return [host for host, node in self.nodes.items() if node.state in {"measured", "failed"}]

    def kinds(self) -> dict[str, list[str]]:
        """Return the hosts that can be asked for more, by kind."""
        by_kind: dict[str, list[str]] = {}
        for host in self.answering:
            by_kind.setdefault(self.nodes[host].kind, []).append(host)
        return by_kind

    def survey(self) -> None:
        """Find which nodes there are and what they report of themselves."""
        places = self.places or racks()
        facts: dict[str, Mapping[str, Scalar]] = {}
        ended = self._started(
            [str(executables() / PROGRAM), "survey"],
            self.hosts,
            SURVEY,
            lambda host, line: facts.update({host: read_facts(line)}),
        )
        for host, how in ended.items():
            own = facts.get(host, {})
            self.nodes[host] = Node(host, kind_of(own), facts=own, place=places.get(host, ""))
            if how.state in {"hung", "dead"}:
                self._mark(host, how, f"{PROGRAM} survey", SURVEY)
            elif not own:
                why = f"{PROGRAM} survey printed nothing: {how.errors or f'exit status {how.status}'}"
                self.nodes[host] = replace(self.nodes[host], state="failed", why=why)
        self.calm()
        self.keep()

    def calm(self) -> None:
        """Correct the load of this node, if it is the only one, by what runs now.

        The load average is that of the last minutes; it includes, for example, the job after which a node is checked.
        """
        if self.way == "here":
            for host, node in self.nodes.items():
                if load_causes(node) and (busy := busy_processors()) is not None and busy < LEAST_BUSY:
                    self.nodes[host] = replace(node, facts={**node.facts, "state.load": round(busy, 2)})

    def describe(self, hosts: Sequence[str]) -> dict[str, Machine]:
        """Return the machine that each of these hosts describes; hosts without a valid answer are left out."""
        said: dict[str, list[str]] = {}
        self._started(DESCRIBE, hosts, DESCRIPTION, lambda host, line: said.setdefault(host, []).append(line))
        machines = {}
        for host, lines in said.items():
            try:
                machines[host] = Machine.model_validate_json("\n".join(lines))
            except ValidationError:
                continue
        return machines

    def launch(self, launch: Launch, hosts: Sequence[str], repetition: int, most: float = math.inf) -> int:
        """Launch a case on all of these hosts at once, store a record for each, and return how many were verified.

        `most`: seconds after which it is ended. If other processes used the processors of some hosts, the case is
        launched once more on these alone.
        """
        began = time.monotonic()
        records = self._launch(launch, hosts, repetition, most)
        disturbed = [host for host, record in records.items() if record.status == "ok" and taken(record).disturbed]
        left = most - (time.monotonic() - began)
        if disturbed and left > launch.case.seconds:
            self._launch(launch, disturbed, repetition, left)
        return sum(record.status == "ok" for record in records.values())

    def _launch(self, launch: Launch, hosts: Sequence[str], repetition: int, most: float) -> Mapping[str, Record]:
        lines: dict[str, str] = {}
        counted: dict[str, ProcessorTimes] = defaultdict(ProcessorTimes)
        seconds = max(0.1, min(launch.seconds, most))

        def hear(host: str, line: str) -> None:
            if not counted[host].take(line) and line.startswith("{"):
                lines[host] = line

        def record_of(host: str, how: HostOutcome) -> Record:
            return self._record(launch, origin, host, how, lines.get(host, ""), seconds, counted[host])

        origin = CaseOrigin(self.run.name, launch.machine, repetition, batch=self.run.name)
        try:
            ended = self._started(counting(launch.call), hosts, seconds, hear)
        except KeyboardInterrupt:  # what has arrived is kept
            self.run.append(*(record_of(host, HostOutcome("ok")) for host in lines))
            raise
        records = {host: record_of(host, how) for host, how in ended.items()}
        self.run.append(*records.values())
        for host, record in records.items():
            if ended[host].state in {"hung", "dead"}:
                self._mark(host, ended[host], launch.program, seconds)
            elif record.status == "failed":
                self.nodes[host] = replace(self.nodes[host], state="failed", why=f"{launch.program}: {record.reason}")
        self.keep()
        return records

    def exchange(self, benchmark: Benchmark, machine: Machine, timeout: float | None) -> Record:
        """Measure messages between all pairs of nodes that answer, in rounds in which each node has one partner.

        If that hangs, it is repeated once without the nodes that were silent. Raises BanzukeError.
        """
        record, silent = self._exchanged(benchmark, machine, timeout)
        if silent and len(self.answering) - len(silent) > 1:
            for host in silent:
                why = f"{record.benchmark}-{record.backend}: nothing was heard of its rank at the time limit"
                self.nodes[host] = replace(self.nodes[host], state="hung", why=why)
            record, _ = self._exchanged(benchmark, machine, timeout)
        self.run.append(record)
        self.keep()
        return record

    def _exchanged(self, benchmark: Benchmark, machine: Machine, timeout: float | None) -> tuple[Record, Sequence[str]]:
        """Return the record and, if ranks hung, the hosts that were silent."""
        hosts = self.answering
        among = machine.changed(allotment={"hosts": hosts})
        place = next(place for place in group_placements(among) if (place.per_node, place.nodes) == (1, len(hosts)))
        of_pairs = benchmark.messages.pairs(len(hosts)) if benchmark.messages and benchmark.messages.pairs else {}
        settings = {name: [str(value)] for name, value in of_pairs.items()}
        (case, *_) = plan(benchmark, among, Request(placements=(place.name,), overrides=settings))
        limit = timeout or max(LEAST_LIMIT, SLOWNESS * case.seconds) + STARTING_RANKS * len(hosts)
        command = render(case, among, benchmark, check(case, among), limit=limit, folder=for_commands(self.run.folder))
        origin = CaseOrigin(self.run.name, machine.fingerprint, batch=self.run.name)
        try:
            outcome = process.run(command, timeout=limit, progress=lambda _share: None)
        except OSError as error:
            return unmeasured(case, origin, f"cannot be started: {error}", command=command), ()
        return complete(case, command, outcome, origin, limit), silent_hosts(outcome, hosts)

    def keep(self) -> None:
        lines = "".join(json.dumps(node_line(node)) + "\n" for node in self.nodes.values())
        write_whole(self.run.folder / NODES, lines.encode())

    def _record(
        self,
        launch: Launch,
        origin: CaseOrigin,
        host: str,
        how: HostOutcome,
        line: str,
        seconds: float,
        counted: ProcessorTimes,
    ) -> Record:
        """Return the record of a host, under the name by which we call it, whatever it calls itself."""
        command = Command(list(launch.words), launch.variables, placements=[None] * len(launch.case.groups))
        outcome = ProcessResult(f"{line}\n", how.errors, how.status, how.state == "hung", dict(counted.conditions))
        if how.state == "dead":
            record = unmeasured(launch.case, origin, f"cannot be started: {how.errors}", command=command)
        else:
            record = complete(launch.case, command, outcome, origin, seconds)
        (group,) = record.groups
        named = group.having(hosts=[Hosts(names=host, ranks=format_cpus(list(range(group.ranks))))])
        return record.having(groups=[named])

    def _mark(self, host: str, how: HostOutcome, what: str, seconds: float) -> None:
        state: State = "dead" if how.state == "dead" else "hung"
        failure = "could not be started" if state == "dead" else f"did not end within {seconds:g} s"
        why = ": ".join(filter(None, (f"{what} {failure}", how.errors)))
        self.nodes[host] = replace(self.nodes[host], state=state, why=why)

    def _started(
        self, words: Sequence[str], hosts: Sequence[str], seconds: float, hear: Callable[[str, str], None]
    ) -> dict[str, HostOutcome]:
        answered: set[str] = set()

        def on_line(host: str, text: str) -> None:
            hear(host, text)
            if host not in answered:
                answered.add(host)
                self.follow(len(answered))

        return fan_out(carried(words, self.way), hosts, self.way, seconds=seconds, on_line=on_line)


def silent_hosts(outcome: ProcessResult, hosts: Sequence[str]) -> list[str]:
    """Return the hosts none of whose ranks reported at the time limit what it was doing, if others did report."""
    said = {rank for ranks in outcome.ranks.steps.values() for rank in ranks}
    if not (outcome.timed_out and said):
        return []
    quiet = {short(process.host) for process in outcome.ranks.processes if process.rank not in said}
    return [host for host in hosts if short(host) in quiet]


def node_line(node: Node) -> Mapping[str, object]:
    """Return the node's line of nodes.jsonl."""
    return {"host": node.host, "state": node.state, "why": node.why, "place": node.place, "facts": dict(node.facts)}


def read_facts(text: str) -> Mapping[str, Scalar]:
    """Return the facts that `banzuke-probe survey` printed; none if it printed something else."""
    try:
        facts = json.loads(text)["facts"]
        return {str(name): fact for name, fact in facts.items() if _is_fact(fact)}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _is_fact(fact: object) -> bool:
    """Return whether a file may hold it as a fact."""
    try:
        _FACT.validate_python(fact, strict=True)
    except ValidationError:
        return False
    return True


def racks() -> dict[str, str]:
    """Return the switch of each host, as Slurm reports it; empty: unknown."""
    if "SLURM_JOB_ID" not in os.environ:
        return {}
    return switches(output(["scontrol", "show", "topology"], timeout=30) or "")


def switches(text: str) -> dict[str, str]:
    """Return the switch of each host; `text` has a line for each switch, and those of level 0 name the nodes."""
    switch_of = {}
    for switch, nodes in re.findall(r"^SwitchName=(\S+) Level=0 .*?\bNodes=(\S+)", text, re.MULTILINE):
        try:
            switch_of.update(dict.fromkeys(expanded(nodes), switch))
        except BanzukeError:
            continue
    return switch_of
