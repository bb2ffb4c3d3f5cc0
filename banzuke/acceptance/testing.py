"""Contracts and runs for tests."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from banzuke.acceptance.cases import MeasuredRun
from banzuke.acceptance.contract import AgreedFigure, Rules, Term
from banzuke.acceptance.judge import FigureResult, judge_figure
from banzuke.amounts import Scalar
from banzuke.compare.test_runs import NOW, provenance, record
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Metric
from banzuke.plan.catalogue import benchmarks
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.testing import changed

STREAM = benchmarks()["stream"]
TRIAD = STREAM.metric_of("triad_bandwidth")
DRIFT = (1.0, 1.004, 0.996, 1.002, 0.998)


def term(
    *, minimum: float = 1.0, case: Mapping[str, Scalar] | None = None, metric: Metric = TRIAD, **rules: object
) -> Term:
    """Return a figure of Triad of at least so many GB/s."""
    asked = AgreedFigure(benchmark="stream", unit="GB/s", minimum=minimum, case=dict(case or {}))
    return Term(asked, metric, Rules.model_validate(rules), 1e9)


def measured_run(
    values: Sequence[float],
    *,
    host: str = "n1",
    name: str = "r",
    after: float = 0.0,
    machine: Machine | None = None,
    parameters: Mapping[str, Scalar] | None = None,
    changes: Mapping[int, Mapping[str, object]] | None = None,
) -> MeasuredRun:
    """Return a run of one case on one host, a launch for each value in GB/s; `changes`: of launches by number."""
    records: list[Record] = []
    for number, value in enumerate(values):
        launch = record(
            [value * 1e9] * 3,
            metric=TRIAD,
            parameters=parameters,
            started=NOW + timedelta(seconds=after + 10 * number),
            origin=provenance("h", run=name, id=f"{name}{host}{number}"),
        )
        launch = changed(launch, hosts=[Hosts(names=host, ranks="0")])
        records.append(changed(launch, **(changes or {}).get(number, {})))
    return MeasuredRun(name, records, machine)


def judged(asked: Term, *runs: MeasuredRun) -> FigureResult:
    return judge_figure(asked, runs, STREAM)


def codes(result: FigureResult) -> list[str]:
    """Return what is said of it."""
    return [why.code for why in (*result.why, *(why for node in result.nodes for why in node.why))]
