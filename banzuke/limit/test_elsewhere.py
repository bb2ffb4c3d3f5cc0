"""Ceilings of other runs: the newest near the best of the same machine is used, and figures name its run."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, MACHINE, START, judge, provenance, solver, triad
from banzuke.limit.ceilings import ceilings
from banzuke.limit.elsewhere import known_ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.plan.needs import needed
from banzuke.plan.resource import Resources
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import MEMORY

DAY = timedelta(days=1)
NEEDED = {MEMORY.name: (MEMORY, "stream")}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def run_of(store: Store, *records: Record, on: Machine = MACHINE) -> Run:
    run = store.create(on, None)
    for record in records:
        run.append(from_run(run.name, record))
    return run


def from_run(run: str, record: Record) -> Record:
    kept = record.provenance or provenance()
    return record.model_copy(update={"provenance": kept.model_copy(update={"run": run})})


def fast(rate: float, id_: str = "1") -> Record:
    return triad(rate * GIGA, provenance=provenance(id=id_), threads=4)


def work(seconds: float) -> Record:
    return solver(seconds, flops=GIGA, moved=10 * GIGA)


def ceiling_rates(runs: list[Run]) -> list[float]:
    records = known_ceilings(NEEDED, runs, MACHINE).get(MEMORY.name, ())
    return [max(record.metrics["triad_bandwidth"].samples) / GIGA for record in records]


def test_the_newest_run_wins_over_one_that_is_hardly_faster(store: Store) -> None:
    runs = [run_of(store, fast(50)), run_of(store, fast(48), fast(30)), run_of(store, work(1.0))]
    assert ceiling_rates(runs) == [48]
    assert ceiling_rates(runs[:1]) == [50]
    assert ceiling_rates(runs[2:]) == ceiling_rates([]) == []


def test_a_run_that_was_held_back_sets_no_ceiling_beside_a_faster_one(store: Store) -> None:
    runs = [run_of(store, fast(50)), run_of(store, fast(20)), run_of(store, fast(40))]
    assert ceiling_rates(runs) == [50]
    assert ceiling_rates(runs[1:]) == [40]
    assert ceiling_rates(runs[1:2]) == [20]


def test_only_the_newest_runs_are_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.limit.elsewhere.RUNS", 2)
    assert ceiling_rates([run_of(store, fast(rate)) for rate in (50, 20, 15)]) == [20]


def test_what_sets_no_ceiling_is_passed_over(store: Store) -> None:
    foreign = MACHINE.changed(allotment={"fingerprint": "other"})
    good = fast(50)
    busy = triad(45 * GIGA, provenance=provenance(neighbours=2), threads=4)
    failed = good.model_copy(update={"status": "failed", "reason": "crashed", "metrics": {}})
    copied = triad(45 * GIGA, threads=4, provenance=provenance(run="other"))
    runs = [
        run_of(store, good),
        run_of(store, fast(60), on=foreign),
        run_of(store, busy, failed),
        run_of(store, triad(20 * GIGA, threads=1)),
        run_of(store, triad(500 * GIGA, threads=4, n=1000)),
        run_of(store),
    ]
    runs[-1].append(copied)
    assert ceiling_rates(runs) == [50]
    assert ceiling_rates(runs[1:]) == []


def test_what_a_run_measured_beforehand_serves_the_next_one(store: Store) -> None:
    run, later = run_of(store, work(1.0)), run_of(store, work(1.0))
    run.keep_ceilings([from_run(run.name, fast(50))])
    later.keep_ceilings(run.ceilings())
    assert ceiling_rates([run, later]) == [50]
    assert ceiling_rates([later]) == []


def ceiling(*records: Record, others: list[Record]) -> Ceiling:
    bounds = ceilings(records, MACHINE, BENCHMARKS, others)
    (match,) = (bound for bound in bounds if bound.resource == MEMORY and bound.kind == "measured")
    return match


def test_a_ceiling_tells_its_run_and_its_age() -> None:
    own = from_run("mine", work(1.0))
    old = from_run("theirs", fast(50)).model_copy(update={"started": START - 3 * DAY})
    from_old = ceiling(own, others=[old])
    assert from_old.run == "theirs"
    assert ENGLISH(from_old.source).endswith("on 4 cores, 3 days earlier, in run theirs")
    short = ceiling(own, others=[from_run("mine", fast(50))])
    assert (short.run, ENGLISH(short.source).endswith("in a short case for this purpose")) == ("", True)
    assert ceiling(own, from_run("mine", fast(40)), others=[old]).value == pytest.approx(40 * GIGA)
    assert not [bound for bound in ceilings([own], MACHINE, BENCHMARKS, []) if bound.resource == MEMORY]


def test_a_figure_above_the_ceiling_of_another_run_says_so() -> None:
    own = from_run("mine", work(0.1))
    (warning,) = map(ENGLISH, judge(own, under=(ceiling(own, others=[from_run("theirs", fast(50))]),)).warnings)
    assert "in run theirs)" in warning
    assert "That limit comes from run theirs" in warning
    (own_fault,) = judge(own, under=(ceiling(own, fast(50), others=[]),)).warnings
    assert own_fault.code == "limit-above"
    assert "That limit comes from run" not in ENGLISH(own_fault)


def test_a_run_needs_what_none_of_its_benchmarks_measures() -> None:
    stream = BENCHMARKS["stream"]
    asking = replace(BENCHMARKS["solver"], resources=Resources(needs=(MEMORY.name, "nobody.measures")))
    installed = {"stream": stream, "solver": asking}
    assert needed([asking], installed) == NEEDED
    assert needed([asking, stream], installed) == {}
    assert needed([stream], installed) == {}
