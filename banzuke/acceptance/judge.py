"""Judges the figures of a contract: pass, fail, or cannot be told, with what to do then."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from banzuke.acceptance.cases import MeasuredCase, MeasuredRun, command, select, with_records
from banzuke.acceptance.contract import Contract, Term
from banzuke.compare.apart import by_runs
from banzuke.compare.blocks import blocks
from banzuke.compare.matching import CaseLaunches
from banzuke.compare.statistics import Interval, median, student, times_better, times_better_interval
from banzuke.compare.verdict import Reached, Side, measured, median_of, overall, reached, side
from banzuke.judge.placement import crowded
from banzuke.judge.rules import violations
from banzuke.limit.residence import cached_rate
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.state import ONE_STATE, State, States, taken
from banzuke.words import Fact, Listed, Message, Quantity, message

MOST_LAUNCHES = 50
"""Most launches that a message asks for."""
MOST_REASONS = 3
MOST_HOSTS = 12
"""Most hosts that a message lists."""


@dataclass(frozen=True)
class NodeResult:
    """A figure on one node, or on one set of hosts."""

    hosts: tuple[str, ...]
    runs: tuple[str, ...]
    verdict: Reached
    launches: int = 0
    """Launches that count."""
    of: int = 0
    """All launches."""
    side: Side | None = None
    """None: no launch counts."""
    interval: Interval | None = None
    """95% interval of the figure."""
    between_runs: bool = False
    """Whether the interval is of how runs differ; else of how launches do."""
    requirement: float | None = None
    why: tuple[Message, ...] = ()
    """Why it fails or cannot be told, and what to do; and what was left out."""
    counted: CaseLaunches | None = None
    machine: str = ""


@dataclass(frozen=True)
class FigureResult:
    term: Term
    verdict: Reached
    nodes: tuple[NodeResult, ...] = ()
    reached: int = 0
    """Nodes that reach the requirement."""
    failed: int = 0
    of: int = 0
    """Nodes of which it is asked."""
    why: tuple[Message, ...] = ()
    states: tuple[Fact, ...] = ()

    @property
    def waived(self) -> bool:
        """Return whether it need not pass."""
        return self.verdict != "pass" and self.term.asked.waiver is not None

    @property
    def middle(self) -> NodeResult | None:
        """The node with the median value, the worse of two; None: no node has one."""
        valued = [node for node in self.nodes if node.side]
        valued.sort(key=_value, reverse=self.term.metric.better == "lower")
        return valued[(len(valued) - 1) // 2] if valued else None

    @property
    def worst(self) -> NodeResult | None:
        valued = [node for node in self.nodes if node.side]
        return (min if self.term.metric.better == "higher" else max)(valued, key=_value, default=None)


def _value(node: NodeResult) -> float:
    return node.side.value if node.side else math.nan


def judge_contract(
    contract: Contract, runs: Sequence[MeasuredRun], benchmarks: Mapping[str, Benchmark]
) -> tuple[FigureResult, ...]:
    """Judge every figure of the contract by the runs."""
    return tuple(judge_figure(term, runs, benchmarks[term.asked.benchmark]) for term in contract.terms)


def judge_figure(term: Term, runs: Sequence[MeasuredRun], benchmark: Benchmark) -> FigureResult:
    """Judge one figure: each node, then the share of them that reaches the requirement."""
    selection = select(term.asked, runs, benchmark)
    if selection.why:
        return FigureResult(term, "untold", of=term.rules.nodes or 1, why=(selection.why,))
    nodes = tuple(_node(term, case, benchmark) for case in selection.cases)
    verdicts = _by_host(nodes)
    number = Counter(verdicts)
    wanted = max(term.rules.nodes or 0, len(verdicts))
    needed = math.ceil(term.rules.share * wanted - 1e-9)
    passed, failed = number["pass"], number["fail"]
    verdict: Reached = "pass" if passed >= needed else "fail" if wanted - failed < needed else "untold"
    why = _missed(nodes)
    if verdict != "pass" and len(verdicts) < wanted:
        why += (message("accept-more-nodes", measured=len(verdicts), of=wanted, command=command(term.asked)),)
    counted = [record for node in nodes if node.counted for record in node.counted.records]
    states = States(counted)
    return FigureResult(
        term,
        verdict,
        nodes,
        passed,
        failed,
        wanted,
        why,
        tuple(dict.fromkeys(_state(states.of(record)) for record in counted)),
    )


def _missed(nodes: Sequence[NodeResult]) -> tuple[Message, ...]:
    """Return which of several nodes do not reach the requirement."""
    hosts = tuple(dict.fromkeys(host for node in nodes if node.verdict == "fail" for host in node.hosts))
    if len(nodes) < 2 or not hosts:
        return ()
    return (message("accept-missed", number=len(hosts), hosts=Listed(hosts, MOST_HOSTS)),)


def _state(state: State) -> Fact:
    return message("accept-one-state") if state == ONE_STATE else state_title(state)


def _by_host(nodes: Sequence[NodeResult]) -> list[Reached]:
    """Return the verdict of each host: that of a set of hosts is the verdict of each of them."""
    own: dict[str, list[Reached]] = {}
    for number, node in enumerate(nodes):
        for host in node.hosts or (f"/{number}",):
            own.setdefault(host, []).append(node.verdict)
    return [overall(verdicts) for verdicts in own.values()]


def _node(term: Term, measured_case: MeasuredCase, benchmark: Benchmark) -> NodeResult:
    records = [record for record in measured_case.case.records if record.status != "skipped"]
    runs = measured_case.runs
    systems = list(dict.fromkeys(chain.from_iterable(run.systems for run in runs)))
    result = NodeResult(
        measured_case.hosts,
        tuple(run.name for run in runs),
        "untold",
        of=len(records),
        requirement=term.requirement(systems),
        machine=next((run.machine.name for run in runs if run.machine), ""),
    )
    if not records:
        reasons = dict.fromkeys(record.reason or "" for record in measured_case.case.records)
        return replace(result, why=(message("accept-skipped", reasons=Listed(tuple(reasons), MOST_REASONS)),))
    failed = [record for record in records if record.status != "ok"]
    counted, left_out = _counted(term, records, runs, benchmark)
    if counted:
        result = _measured(term, replace(result, counted=with_records(measured_case, counted)))
    why = _undecided(term, result, measured_case, len(left_out))
    if term.rules.verified and failed:
        reasons = dict.fromkeys(record.reason or "" for record in failed)
        said = message(
            "accept-unverified",
            failed=len(failed),
            launches=len(records),
            reasons=Listed(tuple(reasons), MOST_REASONS),
        )
        return replace(result, verdict="fail", why=(said, *left_out))
    if why:
        return replace(result, why=(why, *left_out))
    return _compared(term, result, left_out)


def _measured(term: Term, result: NodeResult) -> NodeResult:
    """Return the result with the figure of the launches that count."""
    case, name = result.counted, term.metric.name
    if case is None:
        return result
    own = side(measured(case, name))
    runs = by_runs(case, lambda record: median_of(record, name)) if own.value > 0 and term.rules.undisturbed else None
    return replace(
        result,
        launches=own.launches,
        side=own,
        interval=runs.interval if runs else own.interval,
        between_runs=runs is not None,
    )


def _counted(
    term: Term, records: Sequence[Record], runs: Sequence[MeasuredRun], benchmark: Benchmark
) -> tuple[list[Record], list[Message]]:
    """Return the launches that count, and why others do not."""
    by_name = {run.name: run for run in runs}
    left: Counter[Message] = Counter()
    counted = []
    for record in records:
        if record.status != "ok":
            continue
        name = record.provenance.run if record.provenance else ""
        why = _uncounted(term, record, by_name.get(name, runs[0]), benchmark)
        if why:
            left[why] += 1
        else:
            counted.append(record)
    said = [message("accept-left-out", number=many, launches=len(records), why=why) for why, many in left.items()]
    return counted, said


def _uncounted(term: Term, record: Record, run: MeasuredRun, benchmark: Benchmark) -> Message | None:
    """Return why a verified launch does not count; None: it does."""
    metric, machine = term.metric.name, run.machine
    if metric not in record.metrics or record.metrics[metric].unit != term.metric.unit:
        return message("accept-no-metric", metric=metric)
    if term.rules.undisturbed and taken(record).disturbed:
        return message("accept-disturbed")
    if machine and (why := crowded(record, machine)):
        return why[0]
    if machine and (served := cached_rate(record, metric, machine, benchmark)):
        return served.message
    return _unofficial(record, benchmark, machine) if term.rules.official else None


def _unofficial(record: Record, benchmark: Benchmark, machine: Machine | None) -> Message | None:
    """Return the first rule for official results that it did not follow; None: it followed all."""
    broken = violations(record, benchmark, machine) if machine else None
    if broken is None:
        return message("accept-rules-unknown")
    return message("accept-unofficial", found=broken[0].found, rule=broken[0].rule) if broken else None


def _undecided(term: Term, result: NodeResult, case: MeasuredCase, left_out: int) -> Message | None:
    """Return why there is no verdict whatever the figure is, and what to do; None: there may be one."""
    rules = term.rules
    again = command(term.asked, max(rules.launches, 2))
    if case.unlike:
        return case.unlike
    if result.requirement is None:
        systems = list(dict.fromkeys(chain.from_iterable(run.systems for run in case.runs)))
        return message("accept-no-requirement", systems=Listed(tuple(name for name in systems if "*" not in name)))
    if result.counted is None:
        none_counts = message("accept-none-counts", command=again)
        return none_counts if left_out else message("accept-none-verified", command=again)
    if result.launches < rules.launches:
        return message("accept-few-launches", launches=result.launches, asked=rules.launches, command=again)
    apart = len(blocks({("a", "own"): [(record, 1.0) for record in result.counted.records]}))
    if apart < rules.runs:
        return message("accept-few-runs", runs=apart, asked=rules.runs, command=again)
    return None


def _compared(term: Term, result: NodeResult, left_out: Sequence[Message]) -> NodeResult:
    """Return the result with the verdict of the figure over its requirement."""
    own, requirement, better = result.side, result.requirement, term.metric.better
    if own is None or requirement is None:
        return result
    ratio = times_better(own.value, requirement, better)
    interval = times_better_interval(result.interval, requirement, better) if result.interval else None
    verdict = reached(ratio, interval, 1.0, term.rules.confidence)
    if verdict == "untold":
        return replace(result, why=(_why_untold(term, result, ratio, interval), *left_out))
    return replace(result, verdict=verdict, why=tuple(left_out))


def _why_untold(term: Term, result: NodeResult, ratio: float | None, interval: Interval | None) -> Message:
    if ratio is None:
        return message("accept-not-positive")
    if interval is None:
        return message("accept-no-interval", command=command(term.asked, max(6, term.rules.launches)))
    wanted = _launches_needed(ratio, result)
    if result.between_runs:
        return message("accept-holds-runs", command=command(term.asked, term.rules.launches))
    if wanted is None:
        return message("accept-too-near")
    return message("accept-holds", launches=wanted, command=command(term.asked, wanted))


def _launches_needed(ratio: float, result: NodeResult) -> int | None:
    """Return how many launches of this variation show whether it reaches the requirement; None: too many to ask for."""
    spread, distance = (result.side and result.side.spread) or 0.0, abs(math.log(ratio))
    more = range(max(3, result.launches + 1), MOST_LAUNCHES + 1)
    return next((number for number in more if student(number - 1) * spread < distance * math.sqrt(number)), None)


def shown_value(result: FigureResult) -> float | None:
    """Return the median of the nodes' figures; None: there is none."""
    values = [node.side.value for node in result.nodes if node.side]
    return median(values) if values else None


def requirements_of(result: FigureResult) -> list[float]:
    """Return the requirements that hold for the measured nodes, each once; without nodes, all of the contract."""
    requirements = {node.requirement for node in result.nodes if node.requirement is not None}
    return sorted(requirements) or result.term.requirements


def requirement_text(term: Term, requirements: Sequence[float]) -> Message:
    """Return `at least 95 GB/s`, with every requirement if nodes have unlike ones."""
    values = Listed(tuple(Quantity(requirement, term.metric.unit) for requirement in requirements))
    if term.metric.better == "higher":
        return message("accept-at-least", requirement=values)
    return message("accept-at-most", requirement=values)
