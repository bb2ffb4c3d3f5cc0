"""Time limits of cases, and the judgement of many records."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.evaluation import examined, execute
from banzuke.evaluation.execute import execute_within, leaving_nothing
from banzuke.evaluation.options import SHORTEST_LIMIT, SLOWNESS, Options, time_limit
from banzuke.evaluation.prepared import Prepared
from banzuke.judge.records import judge
from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, GIGA, MACHINE, provenance, solver, triad
from banzuke.launch.complete import CaseOrigin, unmeasured
from banzuke.launch.process import Progress
from banzuke.machine import probe
from banzuke.machine.site import Blas
from banzuke.plan.budget import Budget
from banzuke.plan.case import Case, key
from banzuke.plan.placement import Placement
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.results.store import Store
from banzuke.testing import case, machine


def test_the_time_limit_leaves_time_to_start_on_many_hosts() -> None:
    everywhere = Placement("10000-nodes-1", "", ((0,),), per_node=1, nodes=10_000)
    assert time_limit(case(seconds=1.0), Options()) == SHORTEST_LIMIT
    assert time_limit(case(seconds=100.0), Options()) == 100 * SLOWNESS
    assert time_limit(case(seconds=1.0, placement=everywhere), Options()) > 5 * SHORTEST_LIMIT
    assert time_limit(case(placement=everywhere), Options(timeout=2.0)) == 2.0


def test_the_time_limit_is_that_of_a_slow_environment() -> None:
    assert time_limit(case(seconds=1.0), Options(), slowness=50.0) == 50 * SHORTEST_LIMIT
    assert time_limit(case(), Options(timeout=2.0), slowness=50.0) == 2.0


@pytest.mark.slow
def test_two_thousand_hosts_are_judged_each_by_the_best() -> None:
    """In seconds; comparing each with all others would take minutes."""
    records = [
        triad(
            (20 + host % 17) * GIGA,
            hosts=[Hosts(names=f"n{host}", ranks="0")],
            provenance=provenance(id=str(host), batch="screen"),
        )
        for host in range(2_000)
    ]
    judged, _ = judge(records, MACHINE, BENCHMARKS)
    assert len(judged) == len(records)
    for host in (0, 16, 1_999):
        (figure,) = (figure for figure in judged[host].figures if figure.headline)
        assert figure.limit == pytest.approx(36 * GIGA)
        assert figure.fraction_of_limit == pytest.approx((20 + host % 17) / 36)
    assert any(cause.message.code == "limit-repetition" for cause in judged[0].causes)
    assert not any(cause.message.code == "limit-repetition" for cause in judged[16].causes)


@pytest.mark.slow
def test_two_thousand_launches_are_judged_as_their_cases() -> None:
    """Also in seconds."""
    rates = (20, 30, 21)
    records = [
        triad(
            rate * GIGA,
            parameters={"problem": number},
            provenance=provenance(id=f"{number}-{place}", case=str(number), repetition=place),
        )
        for place, rate in enumerate(rates)
        for number in range(667)
    ]
    judged, _ = judge(records, MACHINE, BENCHMARKS)
    assert [len(assessment.launches) for assessment in judged] == [3] * 667
    assert all("launch 2 of 3 was 1.46 times better" in ENGLISH.joined(assessment.remark) for assessment in judged)
    assert {figure.value for assessment in judged for figure in assessment.figures if figure.headline} == {21 * GIGA}


@pytest.mark.parametrize("why", ["", "the file system does not answer"])
def test_what_a_killed_program_left_is_cleared_however_it_ended(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cleared: list[str] = []

    def clear(folder: str) -> None:
        cleared.append(folder)
        if why:
            raise BanzukeError(why)

    monkeypatch.setattr(probe, "clear", clear)
    with pytest.raises(KeyboardInterrupt), leaving_nothing(replace(case(), places={"folder": "/scratch"})):
        raise KeyboardInterrupt
    with leaving_nothing(case()):
        pass
    assert cleared == ["/scratch"]


class Deaf:
    """An observer that does nothing."""

    def begin(self, case: Case, number: int, total: int) -> None: ...
    def progress(self, reported: Progress) -> None: ...
    def again(self, case: Case) -> None: ...
    def measured_again(self, case: Case, record: Record) -> None: ...
    def end(self, case: Case, record: Record) -> None: ...


@pytest.mark.parametrize("ahead", [timedelta(), timedelta(days=1)])
def test_what_another_host_measured_counts_whatever_its_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: timedelta
) -> None:
    """If an evaluation is continued on another host, the time that it has used counts."""
    planned, seconds = case(seconds=10.0), {"stream": 10.0}
    budget = Budget(25.0, (3,), (3,), {"stream": 1.0}, seconds, seconds, {"stream": 1})
    run = Store(tmp_path).create(machine(), [planned], 3, "evaluate", budget)
    before = datetime.now(UTC) - timedelta(minutes=5) + ahead
    measured = unmeasured(planned, CaseOrigin(run.name, "m"), "other", skipped=True)
    run.append(measured.model_copy(update={"started": before, "ended": before + timedelta(seconds=24)}))
    launched: list[Case] = []

    def measure(launch: Case, *_: object, **__: object) -> Record:
        launched.append(launch)
        return measured

    monkeypatch.setattr(execute, "measure", measure)
    execute_within(run, Prepared(machine(), BENCHMARKS), Deaf(), Options(), time.monotonic())
    assert not launched


def test_a_limit_is_measured_again_where_a_launch_shows_that_the_processors_have_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HPCG is launched twice with near processors and once with far ones, for which STREAM was not measured."""
    asked = case(benchmark="hpcg")
    run = Store(tmp_path).create(machine(), [asked], 3)
    distances = iter([38e-9, 38e-9, 150e-9, 151e-9])
    launched: list[str] = []

    def measure(launch: Case, _prepared: object, _observer: object, _options: object, origin: CaseOrigin) -> Record:
        launched.append(launch.benchmark)
        seen = {"exchange_latency": next(distances), "exchange_processors": "0,3"}
        subject = solver(1.0, flops=1.0, moved=1.0) if launch.benchmark == "hpcg" else triad(40 * GIGA)
        own = provenance(id=str(len(launched)), run=origin.run, case=key(launch), repetition=origin.repetition)
        return subject.having(benchmark=launch.benchmark, conditions=seen, provenance=own)

    monkeypatch.setattr(execute, "measure", measure)
    monkeypatch.setattr(execute, "backends", lambda _: ["omp"])
    execute.execute(run, Prepared(machine(), BENCHMARKS), Deaf(), Options())
    assert launched == ["hpcg", "hpcg", "hpcg", "stream"]
    assert [record.benchmark for record in run.ceilings()] == ["stream"]
    assert len(run.read().records) == 3


def test_a_limit_that_was_measured_again_is_no_launch_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the short case is also planned: a continued evaluation launches it as often as requested."""
    planned = case(seconds=10.0)
    seconds = {"stream": 10.0}
    budget = Budget(100.0, (1,), (1,), {"stream": 1.0}, seconds, seconds, {"stream": 1})
    run = Store(tmp_path).create(machine(), [planned], 1, "evaluate", budget)
    again = provenance(id="again", run=run.name, case=key(planned))
    run.keep_ceilings([triad(40 * GIGA).having(provenance=again)])
    launched: list[Case] = []

    def measure(launch: Case, *_: object, **__: object) -> Record:
        launched.append(launch)
        return unmeasured(launch, CaseOrigin(run.name, "m"), "no program here", skipped=True)

    monkeypatch.setattr(execute, "measure", measure)
    execute_within(run, Prepared(machine(), BENCHMARKS), Deaf(), Options(), time.monotonic())
    assert launched == [planned]


def test_a_ranking_of_libraries_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first library is loaded, so no ranking in a results folder, or that others could have written, is read."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(examined, "between", lambda *_: {})
    probed: list[str] = []

    def probe(libraries: list[Blas], _cpus: object, report: object) -> list[Blas]:
        probed.append(libraries[0].path)
        return [libraries[0].model_copy(update={"flop_rate": 1e9})] if report is ignored else []

    def ignored(_done: int, _total: int) -> None: ...

    monkeypatch.setattr("banzuke.machine.blas.probe", probe)
    libraries = [Blas(name="OpenBLAS", path="/l/own.so")]

    def measured() -> list[Blas]:
        return examined._probed(machine(), libraries, ignored, keep=True)[0]

    assert measured() == measured()
    assert probed == ["/l/own.so"]
    (kept,) = (tmp_path / "cache" / "banzuke").iterdir()
    kept.write_text(kept.read_text().replace("own.so", "planted.so"))
    assert measured()[0].path == "/l/planted.so"  # as long as it is ours
    kept.chmod(0o666)
    assert measured()[0].path == "/l/own.so"
    assert len(probed) == 2
    kept.chmod(0o644)
    kept.write_text(kept.read_text().replace("own.so", "planted.so"))
    (tmp_path / "cache" / "banzuke").chmod(0o777)
    assert measured()[0].path == "/l/own.so"
