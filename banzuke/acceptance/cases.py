"""Finds the cases of runs that a figure of the contract is about: one for each node, or for each set of hosts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from banzuke.acceptance.contract import AgreedFigure
from banzuke.amounts import Scalar
from banzuke.compare.matching import CaseLaunches, gather, identity, variant
from banzuke.compare.settings import settings
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.words import Listed, Message, message

MOST_VALUES = 4
"""Most values of a setting that a message lists."""


@dataclass(frozen=True)
class MeasuredRun:
    name: str
    records: Sequence[Record]
    machine: Machine | None = None
    """None: nothing readable describes it."""

    @property
    def systems(self) -> list[str]:
        """Names under which a contract may give its requirements, the nearest first."""
        if self.machine is None:
            return ["*"]
        site, partition = self.machine.site.name, self.machine.allotment.partition
        return list(dict.fromkeys([f"{site}:{partition}", self.machine.name, site, f"*:{partition}", "*"]))


@dataclass(frozen=True)
class MeasuredCase:
    """All launches of the case on one node, or on one set of hosts, in all runs."""

    hosts: tuple[str, ...]
    """Empty: unknown."""
    case: CaseLaunches
    runs: tuple[MeasuredRun, ...]
    unlike: Message | None = None
    """How the case differs between runs, so that its launches are not of one figure; None: it does not."""


@dataclass(frozen=True)
class Selection:
    cases: tuple[MeasuredCase, ...] = ()
    why: Message | None = None
    """Why there are none."""


@dataclass
class _Gathered:
    records: list[Record] = field(default_factory=list)
    runs: dict[str, MeasuredRun] = field(default_factory=dict)


def distinct(runs: Iterable[MeasuredRun]) -> list[MeasuredRun]:
    """Return the runs without launches that a run before them has too, as a copy of it under another name would."""
    seen: set[str] = set()
    left = []
    for run in runs:
        own = [record for record in run.records if not record.provenance or record.provenance.id not in seen]
        seen.update(record.provenance.id for record in own if record.provenance)
        left.append(replace(run, records=own))
    return left


def select(asked: AgreedFigure, runs: Sequence[MeasuredRun], benchmark: Benchmark) -> Selection:
    """Return the cases that the figure is about: those with its settings, of which each node's first is the headline.

    Without `backend` it is the benchmark's own one, without `hosts` as many as in a run's first such case.
    """
    wanted = dict(asked.case)
    if benchmark.default_backend:
        wanted.setdefault("backend", benchmark.default_backend)
    nodes: dict[tuple[str, ...], _Gathered] = defaultdict(_Gathered)
    for run in runs:
        fitting = [case for case in gather(_of(asked, run.records)) if _fits(case, wanted)]
        for hosts, case in _by_hosts(fitting, asked.case.get("hosts")):
            here = nodes[hosts]
            here.records += case.records
            here.runs[run.name] = run
    cases = tuple(
        MeasuredCase(hosts, CaseLaunches(tuple(here.records)), tuple(here.runs.values()), _unlike(here.records))
        for hosts, here in nodes.items()
    )
    return Selection(cases) if cases else Selection(why=_missing(asked, runs, wanted))


def _of(asked: AgreedFigure, records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record.benchmark == asked.benchmark]


def _fits(case: CaseLaunches, wanted: Mapping[str, Scalar]) -> bool:
    """Return whether a case has these settings, and is otherwise launched as usual.

    A launch that failed may not tell its hosts.
    """
    have = settings(case.record)
    if not case.record.hosts:
        have.pop("hosts")
    if any(name in have and have[name] != value for name, value in wanted.items()):
        return False
    return wanted.keys() - have.keys() <= {"hosts"} and variant(case.record).keys() <= wanted.keys()


def _by_hosts(cases: Sequence[CaseLaunches], hosts: Scalar | None) -> list[tuple[tuple[str, ...], CaseLaunches]]:
    """Return the first case on each set of hosts, with the launches that failed before they told theirs."""
    own: dict[tuple[str, ...], CaseLaunches] = {}
    for case in cases:
        by_hosts: dict[tuple[str, ...], list[Record]] = defaultdict(list)
        for record in case.records:
            by_hosts[tuple(host.name for host in record.hosts)].append(record)
        untold = by_hosts.pop((), [])
        if untold and len(by_hosts) == 1:
            (records,) = by_hosts.values()
            records += untold
        elif untold:
            by_hosts[()] = untold
        for names, records in by_hosts.items():
            own.setdefault(names, CaseLaunches(tuple(records)))
    if hosts is None and own:
        hosts = max(1, len(next((names for names in own if names), ())))
    return [(names, case) for names, case in own.items() if not names or len(names) == hosts]


def _unlike(records: Sequence[Record]) -> Message | None:
    """Return which settings differ between the launches of a node, which were to be of one case."""
    records = [record for record in records if record.status == "ok"]
    if len({identity(record) for record in records}) < 2:
        return None
    every = [settings(record) for record in records]
    names = [name for name in every[0] if len({str(own.get(name)) for own in every}) > 1]
    differing = tuple(f"{name} {' / '.join(dict.fromkeys(str(own.get(name)) for own in every))}" for name in names)
    return message("accept-unlike", settings=Listed(differing, MOST_VALUES))


def _missing(asked: AgreedFigure, runs: Sequence[MeasuredRun], wanted: Mapping[str, Scalar]) -> Message:
    """Return why no case was found, with what was measured in place of what the contract chooses."""
    records = [record for run in runs for record in _of(asked, run.records)]
    names = Listed(tuple(run.name for run in runs), MOST_VALUES)
    if not records:
        return message("accept-unmeasured", runs=names, command=command(asked))
    differing = []
    for name, value in wanted.items():
        there = dict.fromkeys(str(settings(record).get(name, "–")) for record in records)
        if str(value) not in there:
            shown = " / ".join([*there][:MOST_VALUES])
            differing.append(message("accept-other-setting", setting=name, asked=str(value), there=shown))
    if not differing:
        return message("accept-unmatched-together", runs=names, command=command(asked))
    return message("accept-unmatched", settings=Listed(tuple(differing)), command=command(asked))


def command(asked: AgreedFigure, launches: int = 0) -> str:
    """Return the command that measures the figure's case, so many times if this is given."""
    layout = {"backend": "--backend", "hosts": "--nodes", "ranks": "--ranks", "threads": "--threads"}
    words = [f"banzuke run {asked.benchmark}"]
    for name, value in asked.case.items():
        if name in ("devices", "placement"):
            continue
        option = layout.get(name)
        words.append(f"{option} {value}" if option else f"--set {name}={value}")
    return " ".join([*words, *([f"--repeat {launches}"] if launches else [])])


def with_records(case: MeasuredCase, records: Sequence[Record]) -> CaseLaunches:
    """Return the case with these of its launches alone."""
    return replace(case.case, records=tuple(records))
