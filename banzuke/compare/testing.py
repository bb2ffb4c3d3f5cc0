"""Simulates runs of one case on a machine that changes, as records for the command; sides are equal except for a
factor.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from banzuke.amounts import Scalar
from banzuke.compare.changes import LastingChange, changes
from banzuke.compare.matching import CaseLaunches
from banzuke.compare.verdict import Verdict, judge
from banzuke.plan.benchmark import Metric
from banzuke.record.figures import Samples, Verification
from banzuke.record.model import Group, Provenance, Record

RATE = Metric("rate", "B/s", "higher", "Rate", headline=True)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
NOISE = 0.01
"""Relative spread of a launch's median."""
RATIO = 1.6
"""Ratio of the rates in two states."""
BUSY = 0.4
"""Share that others take of a run that they disturb."""
Stream = np.random.Generator
Values = np.ndarray


@dataclass(frozen=True)
class Simulated:
    """Simulated launches in the order of their starts: logarithms, and the conditions recorded of each."""

    logs: Values
    far: Values | None = None
    disturbed: Values | None = None
    far_before: Values | None = None
    """Whether processors were far at the beginning of each launch; `far`: at its end."""


Machine = Callable[[Stream, int, int], Simulated]
"""Simulates so many runs of so many launches."""


def noise(stream: Stream, count: int) -> Values:
    return NOISE * stream.standard_normal(count)


def independent(stream: Stream, runs: int, launches: int) -> Simulated:
    return Simulated(noise(stream, runs * launches))


def by_run(stream: Stream, runs: int, launches: int) -> Simulated:
    """Simulate runs that differ by more than their launches do."""
    return Simulated(noise(stream, runs * launches) + np.repeat(2 * noise(stream, runs), launches))


def correlated(correlation: float) -> Machine:
    """Simulate launches that correlate with the one before, even if that is of another run."""

    def machine(stream: Stream, runs: int, launches: int) -> Simulated:
        logs = noise(stream, runs * launches)
        for at in range(1, logs.size):
            logs[at] = correlation * logs[at - 1] + math.sqrt(1 - correlation**2) * logs[at]
        return Simulated(logs)

    return machine


def drifting(share: float, *, on: bool) -> Machine:
    """Simulate a drift by this share over a run, which continues `on` into the next one or starts anew."""

    def machine(stream: Stream, runs: int, launches: int) -> Simulated:
        along = np.arange(runs * launches) if on else np.tile(np.arange(launches), runs)
        return Simulated(noise(stream, runs * launches) + share * along / launches)

    return machine


def states(*, seen: bool) -> Machine:
    """Simulate two states that last 3 to 10 launches each. `seen`: the distance was recorded."""

    def machine(stream: Stream, runs: int, launches: int) -> Simulated:
        lasting = np.repeat(np.arange(runs * launches) % 2, stream.integers(3, 11, runs * launches))
        far = lasting[stream.integers(0, 10) :][: runs * launches] ^ stream.integers(0, 2)
        return Simulated(noise(stream, runs * launches) + math.log(RATIO) * far, far if seen else None)

    return machine


def one_disturbed(stream: Stream, runs: int, launches: int) -> Simulated:
    logs = noise(stream, runs * launches)
    disturbed = np.repeat(np.arange(runs) == stream.integers(runs), launches)
    return Simulated(logs - 0.5 * disturbed, disturbed=disturbed)


STEPS = 10
"""Times in a launch at which processors may move."""
MOVES = 0.1
"""Probability that they do."""


def moving(stream: Stream, runs: int, launches: int) -> Simulated:
    """Simulate two states that change within launches; the share of each state varies from run to run."""
    steps = launches * STEPS
    far = np.empty((runs, steps), dtype=bool)
    shares = stream.uniform(0.3, 0.7, runs)
    far[:, 0] = stream.random(runs) < shares
    for step in range(1, steps):
        drawn = stream.random(runs) < shares
        far[:, step] = np.where(stream.random(runs) < 2 * MOVES, drawn, far[:, step - 1])
    by_launch = far.reshape(runs * launches, STEPS)
    logs = noise(stream, runs * launches) + math.log(RATIO) * by_launch.mean(axis=1)
    return Simulated(logs, far=by_launch[:, -1], far_before=by_launch[:, 0])


MACHINES: Mapping[str, Machine] = {
    "independent": independent,
    "runs differ": by_run,
    "correlation 0.6": correlated(0.6),
    "correlation 0.9": correlated(0.9),
    "drift of 2% in each run": drifting(0.02, on=False),
    "drift of 10% in each run": drifting(0.1, on=False),
    "drift of 2% that goes on": drifting(0.02, on=True),
    "drift of 10% that goes on": drifting(0.1, on=True),
    "two states": states(seen=True),
    "processors move in launches": moving,
    "one run disturbed": one_disturbed,
}


@dataclass(frozen=True)
class Design:
    """The design of a measurement of two sides."""

    launches: int
    runs: int
    """Runs of each side."""
    earlier: int = 0
    """Earlier runs."""
    later: int = 0
    """Later runs."""
    in_turn: bool = True
    """Whether runs alternate: A B A B; otherwise A A B B."""
    hours: float = 3.0
    """Hours between runs."""
    far_apart: bool = False
    """Whether the earlier runs are between the sides."""

    @property
    def sides(self) -> str:
        """The side of each run, in the order of their starts."""
        both = "AB" * self.runs if self.in_turn else "A" * self.runs + "B" * self.runs
        if self.far_apart:
            return "A" * self.runs + "-" * self.earlier + "B" * self.runs
        return "-" * self.earlier + both + "-" * self.later


def measure(machine: Machine, design: Design, stream: Stream, factor: float = 1.0) -> tuple[CaseLaunches, CaseLaunches]:
    """Measure both sides, the second better by the factor; each knows the other runs."""
    sides = design.sides
    simulated = machine(stream, len(sides), design.launches)
    records: dict[str, list[Record]] = {"A": [], "B": [], "-": []}
    for at, log in enumerate(simulated.logs):
        run = at // design.launches
        value = math.exp(log) * (factor if sides[run] == "B" else 1.0)
        began = BEGAN + timedelta(hours=design.hours * run, seconds=30 * (at % design.launches) + 400 * run)
        records[sides[run]].append(launch(value, run, at, began, dict(_seen(simulated, at, stream))))
    a, b, earlier = (tuple(records[side]) for side in "AB-")
    return CaseLaunches(a, earlier), CaseLaunches(b, earlier)


def _seen(simulated: Simulated, at: int, stream: Stream) -> Iterator[tuple[str, float]]:
    yield "clock_hz", 3e9 * (1 + 0.002 * stream.standard_normal())
    yield "other_busy_fraction", BUSY if simulated.disturbed is not None and simulated.disturbed[at] else 0.003
    if simulated.far is not None:
        yield "exchange_latency", _distance(stream, far=simulated.far[at])
    if simulated.far_before is not None:
        yield "exchange_latency_before", _distance(stream, far=simulated.far_before[at])


def _distance(stream: Stream, *, far: bool) -> float:
    return float((150e-9 if far else 38e-9) * (1 + 0.05 * stream.standard_normal()))


ONE = Record(
    benchmark="sum",
    backend="omp",
    parameters={"n": 1000},
    groups=[Group(program="sum-omp", ranks=1, threads=2)],
    status="ok",
    started=BEGAN,
    ended=BEGAN,
    metrics={RATE.name: Samples(unit=RATE.unit, samples=[1.0])},
    verification=[Verification(quantity="error", value=0.0, tolerance=1.0, passed=True)],
    provenance=Provenance(id="0", run="r", case="h", machine="m", command=["x"], banzuke="1"),
)


def launch(value: float, run: int, number: int, began: datetime, conditions: Mapping[str, Scalar | None]) -> Record:
    """Return a launch, unvalidated, because validation would take most of a simulation's time."""
    own = ONE.provenance.model_copy(update={"id": str(number), "run": f"r{run}"}) if ONE.provenance else None
    rate = ONE.metrics[RATE.name].model_copy(update={"samples": [value]})
    times = {"started": began, "ended": began + timedelta(seconds=20)}
    return ONE.model_copy(update={**times, "metrics": {RATE.name: rate}, "conditions": conditions, "provenance": own})


def verdicts(machine: Machine, design: Design, trials: int, factor: float = 1.0, seed: int = 1) -> Sequence[Verdict]:
    stream = np.random.default_rng(seed)
    return [judge(*measure(machine, design, stream, factor), RATE).verdict for _ in range(trials)]


Daily = Callable[[Stream, int], Values]
"""Simulates so many runs, one a day, in units of their standard deviation."""
DAILY_NOISE = 0.015
"""Standard deviation of the logarithms of daily runs."""


def _correlated_days(stream: Stream, runs: int) -> Values:
    values = stream.standard_normal(runs)
    for at in range(1, runs):
        values[at] = 0.6 * values[at - 1] + 0.8 * values[at]
    return values


def _with_bad_runs(stream: Stream, runs: int) -> Values:
    bad = stream.random(runs) < 1 / 20
    return np.where(bad, -10.0, stream.standard_normal(runs))


DAILY: Mapping[str, Daily] = {
    "independent": lambda stream, runs: stream.standard_normal(runs),
    "correlation 0.6": _correlated_days,
    "heavy tails (t, 3)": lambda stream, runs: stream.standard_t(3, runs),
    "one run in 20 is 15% low": _with_bad_runs,
}


def false_alarms(daily: Daily, years: int, figures: int = 1) -> int:
    """Return how many changes are found in so many years of one figure, of so many, without any."""
    stream = np.random.default_rng(1)
    return sum(len(_found(DAILY_NOISE * daily(stream, 365), figures)) for _ in range(years))


def found_in_a_week(
    daily: Daily, ratio: float, trials: int, figures: int = 1, noise_of_days: float = DAILY_NOISE
) -> float:
    """Return the share of lasting changes by `ratio` after 40 runs that seven more confirm."""
    stream, before, hits = np.random.default_rng(2), 40, 0
    for _ in range(trials):
        logs = noise_of_days * daily(stream, before + 7)
        logs[before:] += math.log(ratio)
        hits += any(before < change.confirmed and (change.ratio > 1) == (ratio > 1) for change in _found(logs, figures))
    return hits / trials


def _found(logs: Values, figures: int) -> list[LastingChange]:
    return list(changes([math.exp(value) for value in logs], figures))
