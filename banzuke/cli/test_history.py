"""Tests of `banzuke list` with filters, `banzuke history` and `banzuke watch`."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.cli.history import history
from banzuke.cli.listing import list_all
from banzuke.cli.options import OptionsCommand
from banzuke.cli.watch import watch_all
from banzuke.compare.test_runs import launches, provenance
from banzuke.errors import BanzukeError
from banzuke.launch.complete import CaseOrigin, unmeasured
from banzuke.record.figures import Demand
from banzuke.record.model import Binding
from banzuke.results.store import Store
from banzuke.testing import case, changed, machine

app = typer.Typer()
app.command("history", cls=OptionsCommand)(history)
app.command("list", cls=OptionsCommand)(list_all)
app.command("watch", cls=OptionsCommand)(watch_all)
Kept = Callable[..., None]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def kept(store: Store) -> Kept:
    """Return a function that writes runs, one a day, of launches around a rate (B/s), with these parameters."""
    days = iter(range(30))

    def keep(
        rate: float,
        name: str = "koto",
        count: int = 5,
        case: str = "h",
        busy: float = 0.0,
        working_set: float = 1e12,
        binding: Sequence[Binding] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
        **parameters: int,
    ) -> None:
        day = next(days)
        described = machine().changed(site={"name": name}, allotment={"fingerprint": f"f-{name}"})
        run = store.create(described, None)
        origin = provenance(case, run=run.name, machine=f"f-{name}").having(variables=dict(variables))
        for record in launches(rate, count=count, first=86400 * day, origin=origin):
            of_memory = Demand(resource="memory.bytes", amount=1.0)
            more = {
                "parameters": {**record.parameters, **parameters},
                "conditions": {"other_busy_fraction": busy, "working_set": working_set},
                "metrics": {name: values.having(demand=[of_memory]) for name, values in record.metrics.items()},
            }
            run.append(changed(record, **more, binding=list(binding)))

    return keep


def call(store: Store, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--results", str(store.folder)], env={"COLUMNS": "200"})


def lines(store: Store, *words: str) -> list[list[dict[str, object]]]:
    outcome = call(store, "history", "stream", "--json", *words)
    assert outcome.exit_code == 0, outcome.output
    return [line["steps"] for line in json.loads(outcome.stdout)["lines"]]


def test_changes_that_are_shown_are_marked(store: Store, kept: Kept) -> None:
    for rate in (1e9, 1.01e9, 0.99e9, 1.005e9, 1e9, 0.995e9, 1.5e9, 1.49e9):
        kept(rate)
    (steps,) = lines(store)
    assert [step["verdict"] for step in steps] == [None, *["no difference shown"] * 5, "faster", "no difference shown"]
    assert [step["launches"] for step in steps] == [5] * 8
    assert all(step["interval"] for step in steps)
    text = call(store, "history", "stream").stdout
    assert text.index("no difference shown") < text.index("▲ better") < text.rindex("no difference shown")
    assert "The variation between runs is taken from 6 other runs" in text


def test_what_there_are_too_few_runs_to_tell_has_a_remedy(store: Store, kept: Kept) -> None:
    for rate in (1e9, 1.5e9):
        kept(rate)
    text = " ".join(call(store, "history", "stream").stdout.split())
    assert "cannot be told" in text
    assert "Measure 2 times more on each side, in turn and hours apart, with `banzuke run stream --repeat 5`" in text


def test_load_that_a_run_warned_of_is_a_caution(store: Store, kept: Kept) -> None:
    kept(1e9, busy=0.4)
    kept(1e9)
    (caution,) = json.loads(call(store, "history", "stream", "--json").stdout)["cautions"]
    assert ": during 5 of 5 launches other processes used 40% of the processors (median)" in caution
    assert " ".join(call(store, "history", "stream").stdout.split()).count("Caution: ") == 1


def test_a_figure_is_that_of_the_undisturbed_launches_as_in_verdicts(store: Store, kept: Kept) -> None:
    kept(1e9, count=3)
    ((alone,),) = lines(store)
    run = store.runs()[0]
    slow = run.read().records[0]
    for number in range(3, 7):
        busy = {**slow.conditions, "other_busy_fraction": 0.5}
        metrics = {name: values.having(samples=[1e8]) for name, values in slow.metrics.items()}
        own = slow.provenance
        assert own
        run.append(
            slow.having(metrics=metrics, conditions=busy, provenance=own.having(repetition=number, id=f"b{number}"))
        )
    ((step,),) = lines(store)
    assert step["launches"] == 3
    assert step["value"] == alone["value"]
    assert json.loads(call(store, "history", "stream", "--json").stdout)["cautions"] == [], "they are not in the figure"
    kept(1e9, busy=0.5, count=2)
    assert lines(store)[0][1]["launches"] == 2, "there are no others"


def test_each_machine_has_a_line(store: Store, kept: Kept) -> None:
    for name in ("koto", "nada", "koto"):
        kept(1e9, name)
    assert [len(steps) for steps in lines(store)] == [2, 1]
    assert [len(steps) for steps in lines(store, "--machine", "NADA")] == [1]
    assert [len(steps) for steps in lines(store, "--machine", "f-ko")] == [2]
    assert "2 separate series: unlike cases" in call(store, "history", "stream").stdout
    with pytest.raises(BanzukeError, match=r"has no run on a machine 'kot'. Did you mean 'koto'"):
        history("stream", machine="kot", results=store.folder)


def test_how_often_was_measured_makes_no_other_line(store: Store, kept: Kept) -> None:
    """`evaluate` chooses its own number of rounds, `run` another one."""
    for number, rounds in enumerate((9, 20, 9)):
        kept(1e9, case=f"h{number}", rounds=rounds)
    (line,) = lines(store)
    assert [step["verdict"] for step in line] == [None, "cannot be told", "cannot be told"]
    assert line[1]["differences"] == ["rounds 9 → 20"]
    assert "rounds 9 → 20" in call(store, "history", "stream").stdout


def test_each_problem_has_a_line(store: Store, kept: Kept) -> None:
    """A ratio of two problems is no change of the machine, however near their sizes are."""
    for n in (1000, 1200, 1000):
        kept(1e9, case=f"h{n}", n=n)
    same, other = lines(store)
    assert [step["parameters"] for step in same] == [{"n": 1000}, {"n": 1000}]
    assert [step["ratio"] for step in other] == [None]


def test_variables_and_threads_that_share_a_processor_are_cautions(store: Store, kept: Kept) -> None:
    kept(1e9)
    kept(1e9, binding=[Binding(ranks="0", threads=["0", "0"])], variables={"OMP_PROC_BIND": "close"})
    warnings = json.loads(call(store, "history", "stream", "--json").stdout)["cautions"]
    shared = "2 threads of stream omp shared processor 0, so it is no headline (OMP_PROC_BIND=close was set)"
    run = warnings[0].split()[-1]
    assert warnings == [f"OMP_PROC_BIND=close was set only in {run}", f"In {run} {shared}"]
    text = call(store, "history", "stream").stdout
    assert f"Caution: In {run} 2 threads" in " ".join(text.split())
    assert "no headline" in next(line for line in text.splitlines() if line.startswith(run))


def test_a_rate_that_a_cache_served_is_no_headline(store: Store, kept: Kept) -> None:
    kept(1e9, working_set=1e12)
    kept(1e9, working_set=1e3)
    outcome = json.loads(call(store, "history", "stream", "--json").stdout)
    (steps,) = (line["steps"] for line in outcome["lines"])
    assert [step["headline"] for step in steps] == [True, False]
    (caution,) = outcome["cautions"]
    assert caution.startswith(
        f"In {steps[1]['run']} the working set of stream omp, 1,000 B, stays in the last-level cache"
    )
    rows = [line for line in call(store, "history", "stream").stdout.splitlines() if line.startswith("2")]
    assert ["no headline" in row for row in rows] == [False, True]


def test_a_history_names_runs_and_no_sides(store: Store, kept: Kept) -> None:
    kept(1e9, count=1)
    kept(1e9, count=1, case="g", rounds=5)
    (steps,) = lines(store)
    assert str(steps[1]["reason"]).startswith(f"one launch in {steps[0]['run']} and {steps[1]['run']} does not show")


def test_a_single_launch_has_no_interval_and_no_verdict(store: Store, kept: Kept) -> None:
    for rate in (1e9, 2e9):
        kept(rate, count=1)
    (steps,) = lines(store)
    assert [step["interval"] for step in steps] == [None, None]
    assert steps[1]["verdict"] == "no verdict from one launch"


def test_what_has_no_figure_is_said(store: Store, kept: Kept) -> None:
    kept(1e9)
    run = store.create(machine(), None)
    run.append(unmeasured(case(), CaseOrigin(run=run.name, machine="f-koto"), "no memory"))
    assert f"{run.name}: failed: no memory" in " ".join(call(store, "history", "stream").stdout.split())
    with pytest.raises(BanzukeError, match=r"no run has copy_bandwidth of stream"):
        history("stream", metric="copy_bandwidth", results=store.folder)
    with pytest.raises(BanzukeError, match=r"no metric 'triad'. There are: triad_bandwidth"):
        history("stream", metric="triad", results=store.folder)
    with pytest.raises(BanzukeError, match=r"unknown benchmark 'strem'. Did you mean 'stream'"):
        history("strem", results=store.folder)
    with pytest.raises(BanzukeError, match=r"spmv has no figure that stands for a run.*banzuke report RUN RUN"):
        history("spmv", results=store.folder)
    with pytest.raises(BanzukeError, match=r"no run has .* of dgemm \(.* holds no such run\). `banzuke run dgemm`"):
        history("dgemm", results=store.folder)


def test_runs_outside_of_what_was_asked_for_are_not_denied(store: Store, kept: Kept) -> None:
    for name in ("koto", "nada", "koto"):
        kept(1e9, name)
    later = max(run.read().records[0].started for run in store.runs()) + timedelta(days=1)
    said = rf"no run since {later:%Y-%m-%d %H:%M} has triad_bandwidth of stream \(3 other runs in .* with it\)"
    with pytest.raises(BanzukeError, match=rf"{said}. Leave out or change --since$"):
        history("stream", since=later, results=store.folder)
    with pytest.raises(BanzukeError, match=r"no run on nada until 20.*Leave out or change --machine and --until$"):
        history("stream", machine="nada", until=later - timedelta(days=100), results=store.folder)
    with pytest.raises(BanzukeError, match=r"no run has copy_bandwidth .*`banzuke run stream` measures it"):
        history("stream", metric="copy_bandwidth", since=later, results=store.folder)


def test_runs_are_chosen_by_what_was_run_where_and_when(store: Store, kept: Kept) -> None:
    for name in ("koto", "nada", "koto"):
        kept(1e9, name)

    def listed(*words: str) -> list[str]:
        outcome = call(store, "list", "--json", *words)
        assert outcome.exit_code == 0, outcome.output
        return [run["machine"] for run in json.loads(outcome.stdout)["runs"]]

    first = min(run.read().records[0].started for run in store.runs())
    days = [f"{first:%Y-%m}-{first.day + number:02}" for number in range(3)]
    assert listed() == ["koto", "nada", "koto"]
    assert listed("--machine", "koto") == ["koto", "koto"]
    assert listed("--benchmark", "stream", "--since", days[1]) == ["nada", "koto"]
    assert listed("--until", days[1]) == ["koto", "nada"]
    assert listed("--until", f"{days[0]}T23:59") == ["koto"]
    assert listed("--benchmark", "dgemm") == []
    with pytest.raises(BanzukeError, match=r"no run has a benchmark 'dgem'. Did you mean 'dgemm'"):
        list_all(benchmark="dgem", results=store.folder)
    with pytest.raises(BanzukeError, match=r"--since .* is after --until .*UTC"):
        list_all(since=first, until=first.replace(year=2000), results=store.folder)


def test_runs_that_cannot_be_read_are_named(store: Store, kept: Kept) -> None:
    kept(1e9)
    (run,) = store.runs()
    for file in run.files():
        file.write_text(file.read_text().replace('"status":"ok"', '"status":"okay"'))
    for words in ((), ("--json",), ("--benchmark", "dgemm")):
        outcome = call(store, "list", *words)
        assert outcome.exit_code == 0, outcome.output
        assert f"not read: {run.name}: " in " ".join(outcome.stderr.split())
    kept(1e9)
    assert "not read" not in call(store, "list", "--benchmark", "stream").stderr, "others are listed"


def test_a_run_is_listed_with_its_headline_figure(store: Store, kept: Kept) -> None:
    kept(1e9)
    (run,) = json.loads(call(store, "list", "--json").stdout)["runs"]
    assert run["headlines"]["stream"]["unit"] == "B/s"
    assert datetime.fromisoformat(run["started"]) == store.runs()[0].read().records[0].started
    assert "T" in run["started"]
    assert run["headlines"]["stream"]["value"] > 0
    text = call(store, "list", "--machine", "koto").stdout
    assert "koto" in text
    assert "Published machines" not in text
    assert "STREAM Triad 1" in text
    (store.runs()[0].folder / "machine.json").write_text("{")
    (run,) = json.loads(call(store, "list", "--json").stdout)["runs"]
    assert (run["machine"], run["headlines"]) == (None, {})


STEADY = (1.0, 1.003, 0.998, 1.001, 0.999, 1.002)
"""Figures of runs on six days, in GB/s."""


def test_a_lasting_change_is_an_alarm_once_a_further_run_confirms_it(store: Store, kept: Kept) -> None:
    for rate in STEADY * 3:
        kept(rate * 1e9)
    assert call(store, "watch").exit_code == 0
    for rate in STEADY[:3]:
        kept(0.9e9 * rate, rounds=7)
    suspected = call(store, "watch")
    assert suspected.exit_code == 0
    assert "suspected: run again" in suspected.stdout
    kept(0.9e9, rounds=7)
    alarm = call(store, "watch", "stream")
    assert alarm.exit_code == 1
    text = " ".join(alarm.stdout.split())
    assert "new: ▼ 10% worse since 2026-01-19" in text
    assert "rounds none → 7" in text
    (line,) = json.loads(call(store, "watch", "--json").stdout)["series"]
    (change,) = line["changes"]
    assert change["times_better"] == pytest.approx(0.9, rel=0.005)
    assert [run["run"] for run in line["runs"]].index(change["since"]) == 18
    kept(0.9e9, rounds=7)
    assert call(store, "watch").exit_code == 0
    assert "▼ 10% worse since 2026-01-19" in call(store, "watch").stdout
    assert call(store, "watch", "--new-since", "2026-01-22").exit_code == 1


def test_a_figure_that_has_become_better_is_no_failure(store: Store, kept: Kept) -> None:
    for rate in (*STEADY * 3, 1.2, 1.2, 1.2, 1.2):
        kept(rate * 1e9)
    done = call(store, "watch")
    assert done.exit_code == 0
    assert "new: ▲ 20% better since 2026-01-19" in done.stdout


def test_disturbed_launches_raise_no_alarm(store: Store, kept: Kept) -> None:
    for rate in STEADY * 3:
        kept(rate * 1e9)
    for _ in range(5):
        kept(0.5e9, busy=0.9)
    done = json.loads(call(store, "watch", "--json").stdout)
    (line,) = done["series"]
    assert len(line["runs"]) == 18
    assert not line["changes"]


def test_what_cannot_be_watched_is_told(store: Store, kept: Kept) -> None:
    with pytest.raises(BanzukeError, match="no run has a headline figure"):
        watch_all(results=store.folder)
    kept(1e9, busy=0.9)
    untold = call(store, "watch")
    assert untold.exit_code == 3
    assert re.search(r"none of 1 run can be watched .*disturbed all launches.*idle machine", untold.stderr)
    assert not untold.stdout
    assert json.loads(call(store, "watch", "--json").stdout) == {"series": [], "missing": []}
    assert call(store, "watch", "--output", str(store.folder / "page")).exit_code == 3
    kept(1e9)
    done = call(store, "watch")
    assert done.exit_code == 3
    assert "1 figure cannot be watched yet: it takes 16 runs" in done.stdout
    run = store.create(machine(), None)
    run.append(unmeasured(case(), CaseOrigin(run=run.name, machine="f-koto"), "no memory"))
    assert f"figure missing: {run.name}: STREAM Triad, stream omp: failed: no memory" in " ".join(
        call(store, "watch").stdout.split()
    )
    with pytest.raises(BanzukeError, match="unknown benchmark 'strem'"):
        watch_all(["strem"], results=store.folder)
    with pytest.raises(BanzukeError, match="spmv has no figure that stands for a run"):
        watch_all(["spmv"], results=store.folder)
