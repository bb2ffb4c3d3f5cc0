"""Tests that benchmarks declare the resources that their records ask for or could be bound by, and how these are
measured.
"""

import json
from pathlib import Path

import pytest

from banzuke.limit.best_time import Asked
from banzuke.limit.residence import WORKING_SET
from banzuke.paths import BENCHMARKS
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.needs import needed
from banzuke.record.figures import Demand
from banzuke.report.settings import conditions
from banzuke.results.run import CEILINGS, Run
from banzuke.results.store import Store
from banzuke.testing import in_tests
from banzuke.words import Message
from banzuke.words.language import words
from tests.conftest import SMALL, Banzuke, Wrapped

RESOURCES = {resource.name: resource for spec in benchmarks().values() for resource in spec.resources.measures}


def could_bind(asked: list[Demand]) -> set[str]:
    all_asked = [
        Asked(
            demand.amount,
            demand.resource,
            Message("unknown"),
            RESOURCES[demand.resource].within,
            RESOURCES[demand.resource].at_least,
        )
        for demand in asked
    ]
    return {
        candidate.resource
        for candidate in all_asked
        if not any(candidate.takes_less_than(other) for other in all_asked)
    }


@pytest.mark.catalogue
@pytest.mark.parametrize("name", [name for name, benchmark in benchmarks().items() if benchmark.of_processors])
def test_benchmarks_need_what_could_bind_their_figures(banzuke: Banzuke, results: Path, name: str) -> None:
    done = banzuke("run", name, *str(in_tests(name, "BRIEF", "")).split())
    assert done.returncode == 0, done.stderr[-500:]
    records = [record for run in Store(results).runs() for record in run.read().records]
    english, japanese = (
        {title for record in records for title, _ in conditions(record, words(language))} for language in ("en", "ja")
    )
    assert english
    assert not english & japanese or not (BENCHMARKS / name / "ja.ftl").exists(), "conditions without Japanese words"
    measured = {resource.name for resource in benchmarks()[name].resources.measures}
    could = {
        resource for record in records for samples in record.metrics.values() for resource in could_bind(samples.demand)
    }
    demanded = {
        demand.resource for record in records for samples in record.metrics.values() for demand in samples.demand
    }
    closer = {
        resource for resource in demanded if could.intersection(RESOURCES[resource].within)
    }  # the same, told closer
    needs = {need for need in benchmarks()[name].resources.needs if RESOURCES[need].scope != "link"}  # on one host
    assert needs <= (could | closer) - measured
    assert all(RESOURCES[other].above for other in could - measured - needs), "what is known without being measured"
    if "memory.bytes" in needs and not in_tests(name, "COMPUTES", default=False):
        assert all(WORKING_SET in record.conditions for record in records), "memory would bound what a cache holds"
    beforehand = {record.benchmark for run in Store(results).runs() for record in run.ceilings()}
    assert beforehand == {by for _, by in needed([benchmarks()[name]], benchmarks()).values()}


def settle(run: Run) -> None:
    """Make the run's ceilings undisturbed, because tests may run beside others."""
    file = run.folder / CEILINGS
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        record["conditions"] |= {"other_busy_fraction": 0.0, "steal_fraction": 0.0}
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


SOLVED = ["run", "hpcg", "--set", "nx=16", "--set", "ny=16", "--set", "nz=16", "--set", "seconds=0.1"]


def test_limits_come_from_another_run_that_is_named_everywhere(banzuke: Banzuke, results: Path) -> None:
    dry = banzuke(*SOLVED, "--dry-run")
    assert "banzuke-stream-omp" in dry.stdout.splitlines()[0]
    assert "memory bandwidth: no good measurement on this machine yet" in " ".join(dry.stderr.split())
    assert not results.exists()
    assert banzuke(*SOLVED).returncode == 0
    (first,) = Store(results).runs()
    settle(first)
    done = banzuke(*SOLVED, "--json")
    (entry,) = json.loads(done.stdout)["records"]
    assert f"memory bandwidth: from run {first.name}" in " ".join(done.stderr.split())
    assert "stream" not in banzuke(*SOLVED, "--dry-run").stdout
    _, second = Store(results).runs()
    assert [record.provenance.run for record in second.ceilings() if record.provenance] == [first.name]
    source = entry["metrics"]["raw_flop_rate"]["limit_source"]
    assert source == "" or first.name in source or "in cache" in entry["data"]
    for file in first.folder.iterdir():
        if file.is_file():
            file.unlink()
    assert banzuke("report", second.name).returncode == 0
    assert f"in run {first.name}" in (second.folder / "report.md").read_text()


def test_what_was_only_measured_beside_others_is_measured_again(banzuke: Banzuke, results: Path) -> None:
    assert banzuke(*SOLVED).returncode == 0
    (run,) = Store(results).runs()
    settle(run)
    assert "stream" not in banzuke(*SOLVED, "--dry-run").stdout
    file = run.folder / CEILINGS
    file.write_text(file.read_text().replace('"other_busy_fraction": 0.0', '"other_busy_fraction": 0.5'))
    assert "no good measurement on this machine yet" in banzuke(*SOLVED, "--dry-run").stderr


def test_a_newer_run_that_stayed_in_the_caches_sets_no_limits(banzuke: Banzuke) -> None:
    assert banzuke("run", "stream", *SMALL).returncode == 0
    assert "no good measurement on this machine yet" in banzuke(*SOLVED, "--dry-run").stderr


def test_an_interrupted_run_keeps_its_ceilings(banzuke: Banzuke, results: Path) -> None:
    assert banzuke(*SOLVED).returncode == 0
    (run,) = Store(results).runs()
    settle(run)
    (before,) = run.ceilings()
    for file in run.files():
        file.unlink()
    done = banzuke(*SOLVED)
    assert "continuing" in done.stderr
    assert "no good measurement on this machine yet" not in done.stderr
    (continued,) = Store(results).runs()
    assert continued.ceilings() == [before]


def test_what_cannot_be_measured_first_costs_no_figure(banzuke: Banzuke, results: Path, wrapped: Wrapped) -> None:
    """The run goes on, and the limit is unknown."""
    done = banzuke(*SOLVED, "--json", **wrapped("exit 3"))
    assert done.returncode == 0
    figure = json.loads(done.stdout)["records"][0]["metrics"]["flop_rate"]
    assert figure["limit"] is None
    assert "is not measured yet" in figure["limit_source"], "the memory, or the caches in which so little data lie"
    (run,) = Store(results).runs()
    assert [record.status for record in run.ceilings()] == ["failed"]
