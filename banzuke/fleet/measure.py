"""Measures many nodes at once: what each says of itself, and its figures while all others are at work, too."""

import json
import math
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from pydantic import ConfigDict, TypeAdapter, ValidationError

from banzuke.amounts import Amount, Frozen, Scalar
from banzuke.cpu_lists import format_cpus
from banzuke.errors import BanzukeError
from banzuke.files import write_whole
from banzuke.files.own import for_commands
from banzuke.fleet.beside import ProcessorTimes, counting
from banzuke.fleet.busy import LEAST_BUSY, busy_processors
from banzuke.fleet.causes import load_causes
from banzuke.fleet.model import Node, State, kind_of
from banzuke.launch import process
from banzuke.launch.check import check
from banzuke.launch.command import Command, render
from banzuke.launch.complete import CaseOrigin, complete, unmeasured
from banzuke.launch.fan_out import HostOutcome, Way, fan_out
from banzuke.launch.process import ProcessResult
from banzuke.machine.accelerators import VISIBLE
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.command import output
from banzuke.machine.hosts import expanded, short
from banzuke.machine.model import Machine
from banzuke.machine.probe import PROGRAM
from banzuke.paths import PYTHON, executables
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.cases import plan
from banzuke.plan.needs import short_case
from banzuke.plan.on_devices import of_backend, on_devices, usual, with_devices
from banzuke.plan.placement import group_placements
from banzuke.plan.request import Request
from banzuke.plan.screening import Check
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.record.state import taken
from banzuke.results.lines import NODES
from banzuke.results.run import Run

SURVEY, DESCRIPTION = 10.0, 180.0
"""Seconds in which a node says what it is: by the probe, and with its clocks and BLAS libraries measured."""
LEAST_LIMIT, SLOWNESS = 20.0, 20.0
"""A program hangs after so many times its estimate, and at least so many seconds."""
CARRIED = ("BANZUKE_LIBEXEC", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Variables without which what we start may not be found where ssh brings none along."""
DEVICES = "--devices"
"""The option by which a program is given devices by their identities."""
STARTING_RANKS = 0.05
"""Seconds more for each host that ranks are started on."""
Follow = Callable[[int], None]
"""Told how many nodes have answered."""


def screened(catalogue: Mapping[str, Benchmark]) -> list[Benchmark]:
    """What every node has a figure of its own of: no files, no messages, no problems by the hundred."""
    return [
        benchmark
        for benchmark in catalogue.values()
        if not (benchmark.spans_hosts or benchmark.storage or benchmark.collection)
    ]


def exchanging(catalogue: Mapping[str, Benchmark]) -> list[Benchmark]:
    """What measures messages between all pairs of nodes."""
    return [benchmark for benchmark in catalogue.values() if benchmark.messages and benchmark.messages.pairs]


def checked(catalogue: Mapping[str, Benchmark], check: Check) -> list[Benchmark]:
    """What a check of one node measures: first what even the one with less time measures."""
    of_check = [(benchmark, benchmark.screening.checks) for benchmark in screened(catalogue) if benchmark.screening]
    return [
        benchmark
        for benchmark, checks in sorted(of_check, key=lambda entry: "epilog" not in entry[1])
        if check in checks
    ]


class Launch(Frozen):
    """A case as all nodes of a kind launch it, which is kept: a baseline holds for this call alone."""

    model_config = ConfigDict(revalidate_instances="always")  # the case was made without being validated

    case: Case
    words: tuple[str, ...]
    variables: Mapping[str, str]
    machine: str
    """Fingerprint."""

    seconds: Amount
    """Its time limit."""

    device: str = ""
    """By what its vendor's variable selects it where the nodes have any, as a rule a number; empty: it is for none."""

    @property
    def program(self) -> str:
        return f"{self.case.benchmark}-{self.case.backend}"

    @property
    def call(self) -> list[str]:
        """The words of a shell that has other variables."""
        set_ = [f"{name}={value}" for name, value in self.variables.items() if value != ""]
        unset = [word for name, value in self.variables.items() if value == "" for word in ("-u", name)]
        return ["env", *unset, *set_, *self.words]


_FACT: TypeAdapter[Scalar] = TypeAdapter(Scalar)
Launches = TypeAdapter(dict[str, list[Launch]])
"""By kind of node: `launches.json` of a run."""
LAUNCHES = "launches.json"


def planned(benchmark: Benchmark, machine: Machine, folder: Path, timeout: float | None = None) -> list[Launch]:
    """The benchmark's headline, as short as it makes sense, on processors and then on each device by itself; empty: it
    has none here. Raises BanzukeError.
    """
    launches = [_launch(benchmark, case, machine, folder, timeout)] if (case := short_case(benchmark, machine)) else []
    for backend in usual(benchmark, machine) if benchmark.of_processors else ():
        of_devices, driven = on_devices(benchmark, backend), of_backend(benchmark.name, backend, machine)
        for device, name in selectable(driven):
            alone = with_devices(machine, [device.identity])
            if case := short_case(of_devices, alone):
                selected = selecting(name, device.vendor)
                launches.append(_launch(of_devices, case, alone, folder, timeout, name, selected))
    return launches


def selectable(
    driven: Sequence[AllottedDevice], environ: Mapping[str, str] = os.environ
) -> Iterator[tuple[AllottedDevice, str]]:
    """Devices of one vendor, and by what its variables select each on all nodes alike: by numbers, or by what those
    variables have here in their places. Slices have no number that is theirs alone.
    """
    whole = list(dict.fromkeys(device.slice_of or device.identity for device in driven))
    for at, device in enumerate(driven):
        if device.slice_of:
            continue
        visible = [environ[name].split(",") for name in VISIBLE.get(device.vendor, ()) if name in environ]
        if visible and len(visible[-1]) < len(driven):  # these nodes have more than this one was given
            visible = []
        name = str(at if visible else whole.index(device.identity))
        for names in reversed(visible):  # each variable numbers those that the one before it leaves
            name = names[int(name)].strip() if name.isdecimal() and int(name) < len(names) else name
        yield device, name


def selecting(name: str, vendor: str) -> Mapping[str, str]:
    """The variables by which the vendor's programs see this device alone."""
    first, *others = VISIBLE[vendor]
    order = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if vendor == "NVIDIA" else {}
    return {**order, first: name, **dict.fromkeys(others, "")}


def _launch(
    benchmark: Benchmark,
    case: Case,
    machine: Machine,
    folder: Path,
    timeout: float | None,
    device: str = "",
    selected: Mapping[str, str] = MappingProxyType({}),
) -> Launch:
    """With devices by their numbers: all nodes of a kind start it alike, and identities are those of one node."""
    limit = timeout or max(LEAST_LIMIT, SLOWNESS * case.seconds)
    command = render(case, machine, benchmark, check(case, machine), limit=limit, folder=folder, followed=False)
    words, variables = list(command.words), {**command.variables, **selected}
    if DEVICES in words:
        at = words.index(DEVICES)
        del words[at : at + 2]
    return Launch(
        case=case, words=tuple(words), variables=variables, machine=machine.fingerprint, seconds=limit, device=device
    )


@dataclass
class Screen:
    """The nodes of a run, which is brought up to date with each step."""

    run: Run
    hosts: Sequence[str]
    way: Way
    follow: Follow = lambda _answered: None
    nodes: dict[str, Node] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    """By host the switch that it is at; empty: as Slurm was told."""

    @property
    def answering(self) -> list[str]:
        """Hosts that can be asked for more."""
        return [host for host, node in self.nodes.items() if node.state in {"measured", "failed"}]

    def kinds(self) -> dict[str, list[str]]:
        """Hosts that can be asked for more, by kind."""
        by_kind: dict[str, list[str]] = {}
        for host in self.answering:
            by_kind.setdefault(self.nodes[host].kind, []).append(host)
        return by_kind

    def survey(self) -> None:
        """Which nodes there are, and what they say of themselves."""
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
        """The load average is that of the last minutes, such as of the job after which a node is checked: of this node
        alone it is what runs now where that is next to nothing.
        """
        if self.way == "here":
            for host, node in self.nodes.items():
                if load_causes(node) and (busy := busy_processors()) is not None and busy < LEAST_BUSY:
                    self.nodes[host] = replace(node, facts={**node.facts, "state.load": round(busy, 2)})

    def describe(self, hosts: Sequence[str]) -> dict[str, Machine]:
        """The machine that each of these hosts finds itself to be; those that find none are not there."""
        said: dict[str, list[str]] = {}
        words = [*PYTHON, "-m", "banzuke", "machine", "--json"]
        self._started(words, hosts, DESCRIPTION, lambda host, line: said.setdefault(host, []).append(line))
        machines = {}
        for host, lines in said.items():
            try:
                machines[host] = Machine.model_validate_json("\n".join(lines))
            except ValidationError:
                continue
        return machines

    def launch(self, launch: Launch, hosts: Sequence[str], repetition: int, most: float = math.inf) -> int:
        """On all of these hosts at once: a record for each. How many verified; `most`: seconds at which it is ended.

        Where others had the processors it is launched once more, on those hosts alone.
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
        except KeyboardInterrupt:  # what has come is kept
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
        """Messages between pairs of all that answer, in rounds in which each node has one partner.

        Where that hangs, it is done once more without the nodes of which nothing was heard. Raises BanzukeError.
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
        """The record, and of ranks that hung the hosts that said nothing."""
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
        """With the host as we call it, whatever it calls itself."""
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

        carried = [f"{name}={os.environ[name]}" for name in CARRIED if self.way == "ssh" and name in os.environ]
        return fan_out(
            [*(["env", *carried] if carried else []), *words], hosts, self.way, seconds=seconds, on_line=on_line
        )


def silent_hosts(outcome: ProcessResult, hosts: Sequence[str]) -> list[str]:
    """Those of which no rank said at the time limit what it did, where others did say so."""
    said = {rank for ranks in outcome.ranks.steps.values() for rank in ranks}
    if not (outcome.timed_out and said):
        return []
    quiet = {short(process.host) for process in outcome.ranks.processes if process.rank not in said}
    return [host for host in hosts if short(host) in quiet]


def node_line(node: Node) -> Mapping[str, object]:
    """The node's line of nodes.jsonl."""
    return {"host": node.host, "state": node.state, "why": node.why, "place": node.place, "facts": dict(node.facts)}


def read_facts(text: str) -> Mapping[str, Scalar]:
    """Facts, as `banzuke-probe survey` prints them; none where it printed something else."""
    try:
        facts = json.loads(text)["facts"]
        return {str(name): fact for name, fact in facts.items() if _is_fact(fact)}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _is_fact(fact: object) -> bool:
    """Whether it is one that a file may hold."""
    try:
        _FACT.validate_python(fact, strict=True)
    except ValidationError:
        return False
    return True


def racks() -> dict[str, str]:
    """The switch to which each host is attached, as Slurm was told; empty: nobody knows."""
    if "SLURM_JOB_ID" not in os.environ:
        return {}
    return switches(output(["scontrol", "show", "topology"], timeout=30) or "")


def switches(text: str) -> dict[str, str]:
    """By host; `text` has a line for each switch, of which those of level 0 have the nodes themselves."""
    switch_of = {}
    for switch, nodes in re.findall(r"^SwitchName=(\S+) Level=0 .*?\bNodes=(\S+)", text, re.MULTILINE):
        try:
            switch_of.update(dict.fromkeys(expanded(nodes), switch))
        except BanzukeError:
            continue
    return switch_of
