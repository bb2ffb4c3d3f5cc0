"""Tests of an evaluation's minutes: cases that fit are measured, headlines three times, and cuts are reported."""

import json
from collections import Counter
from pathlib import Path

from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import patiently
from tests.conftest import Banzuke, Wrapped

TINY = 'exec "$real" "$@" --n 100000 --rounds 3'
"""A STREAM case of milliseconds, whatever its estimate."""


def launches(run: Run) -> Counter[tuple[int, str]]:
    """Return the number of launches by threads and stores."""
    return Counter((record.threads, str(record.parameters["stores"])) for record in run.read().records)


def test_headlines_are_launched_three_times_and_the_others_once(
    banzuke: Banzuke, wrapped: Wrapped, results: Path
) -> None:
    done = banzuke("evaluate", "--only", "stream", "--minutes", "60", "--json", **wrapped(TINY))
    assert done.returncode == 0, done.stderr[-500:]
    (run,) = Store(results).runs()
    first, *others = launches(run).values()
    assert (first, set(others)) == (3, {1})
    assert not run.missing()
    budget = json.loads(done.stdout)["budget"]
    assert (budget["seconds"], budget["cut_short"]) == (3600, [])


def test_repeat_launches_every_case_so_often(banzuke: Banzuke, wrapped: Wrapped, results: Path) -> None:
    words = ("--only", "stream", "--minutes", "60", "--repeat", "2")
    assert banzuke("evaluate", *words, **wrapped(TINY)).returncode == 0
    (run,) = Store(results).runs()
    assert set(launches(run).values()) == {2}


def test_what_was_cut_short_is_told_everywhere(banzuke: Banzuke, wrapped: Wrapped, results: Path) -> None:
    def cut(factor: float) -> None:
        """On a busy machine, what comes first takes as long as one launch."""
        folder = results / f"{factor:g}"
        slow = wrapped(f"sleep {5 * factor:g}\n{TINY}") | {"BANZUKE_RESULTS": str(folder)}
        done = banzuke("evaluate", "--only", "stream", "--minutes", f"{0.2 * factor:g}", **slow)
        assert done.returncode == 0, done.stderr[-500:]
        short = "Cut short to fit " + {1.0: "12 s", 5.0: "1 min", 25.0: "5 min"}[factor]
        assert f"{short}. All of it would take about" in " ".join(done.stderr.split())
        (run,) = Store(folder).runs()
        assert not run.missing(), "it is over, and not interrupted"
        plan = run.plan()
        assert plan
        assert plan.budget
        assert sum(plan.budget.launches) == len(run.read().records) < sum(plan.budget.wanted)
        assert short in (run.folder / "report.md").read_text()
        html = (run.folder / "report.html").read_text()
        assert short in html
        assert "headline launched" in html
        assert "no record: the evaluation was interrupted" not in html
        assert Store(folder).unfinished(run.machine(), plan.request) is None

    patiently(cut)


def test_an_interrupted_evaluation_goes_on_with_the_time_that_was_left(
    banzuke: Banzuke, wrapped: Wrapped, results: Path
) -> None:
    words, tiny = ("evaluate", "--only", "stream", "--minutes", "60"), wrapped(TINY)
    assert banzuke(*words, **tiny).returncode == 0
    (run,) = Store(results).runs()
    whole = launches(run)
    (file,) = run.files()
    first, second, *_ = file.read_text().splitlines(keepends=True)
    file.write_text(first + second)
    assert "continuing" in banzuke(*words, **tiny).stderr
    (run,) = Store(results).runs()
    assert launches(run) == whole
    file.write_text(first + second.replace('"started":"20', '"started":"19'))  # a hundred years of work
    for other in run.files():
        if other != file:
            other.unlink()
    assert "continuing" in banzuke(*words, **tiny).stderr
    assert sum(launches(run).values()) == 2, "no time was left"


def test_a_case_that_takes_all_the_time_is_ended(banzuke: Banzuke, wrapped: Wrapped, results: Path) -> None:
    def ended(factor: float) -> None:
        folder = results / f"{factor:g}"
        slow = wrapped("sleep 10000", "banzuke-noise-omp") | {"BANZUKE_RESULTS": str(folder)}
        done = banzuke("evaluate", "--only", "noise", "--minutes", f"{0.15 * factor:g}", **slow)
        assert done.returncode == 3
        assert "This evaluation is incomplete: noise has no figure" in " ".join(done.stderr.split())
        (run,) = Store(folder).runs()
        (record,) = run.read().records
        assert (record.status, record.reason) == ("skipped", "it did not end within the time that was left for it")
        assert "This evaluation is incomplete: noise" in (run.folder / "report.md").read_text()

    patiently(ended)


def test_without_leaves_benchmarks_out(banzuke: Banzuke) -> None:
    done = banzuke("evaluate", "--without", "hpl,hpcg", "--without", "geofem,spmv", "--minutes", "10", "--dry-run")
    assert done.returncode == 0
    for name in ("hpl", "hpcg", "geofem", "spmv"):
        assert f"banzuke-{name}-" not in done.stdout
    assert "banzuke-stream-" in done.stdout


def test_one_benchmark_is_judged_by_what_was_measured_first(banzuke: Banzuke, wrapped: Wrapped, results: Path) -> None:
    """The ceiling is measured as `run` does it, and within the minutes."""
    small = wrapped('exec "$real" "$@" --n 512', "banzuke-hpl-blas")
    done = banzuke("evaluate", "--only", "hpl", "--minutes", "2", **small)
    assert done.returncode == 0, done.stderr[-500:]
    assert "flop rate: no good measurement on this machine yet" in " ".join(done.stderr.split())
    (run,) = Store(results).runs()
    assert {record.benchmark for record in run.ceilings()} == {"dgemm"}
    assert {record.benchmark for record in run.read().records} == {"hpl"}
