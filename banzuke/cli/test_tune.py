"""Tests of searches from the command's side: real processes, whose rates come from a shell script."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke import paths
from banzuke.cli import measure_benchmarks, tune
from banzuke.cli.console import errors
from banzuke.cli.measure_benchmarks import check_options
from banzuke.cli.run import run
from banzuke.cli.run_options import RunOptions
from banzuke.cli.tune import check_tunable, tuned_now
from banzuke.errors import BanzukeError
from banzuke.evaluation import prepare
from banzuke.evaluation.prepare import with_stored
from banzuke.machine.model import Machine
from banzuke.machine.user_variables import PLACING
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar, Setting, Sizing, Tuning
from banzuke.plan.capabilities import Libraries
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.plan.variant import Variant, Variants
from banzuke.record.state import CROWDED, Taken
from banzuke.results.store import Store
from banzuke.testing import machine

HERE = machine(cores=4)
RECORD = json.loads((paths.SCHEMA / "golden" / "verified.json").read_text()) | {
    "benchmark": "dgemm",
    "backend": "blas",
    "groups": [{"program": "dgemm-blas", "ranks": 1, "threads": "THREADS"}],
    "parameters": {"n": "N", "nb": "NB"},
    "metrics": {"flop_rate": {"unit": "flop/s", "samples": ["RATE"]}},
}
PROGRAM = """#!/bin/sh
nb=64 n=0
while [ $# -gt 0 ]; do
  case "$1" in --nb) nb=$2;; --n) n=$2;; --describe) describe=1;; esac
  shift
done
if [ "$describe" ]; then
  echo '{"benchmark": "dgemm", "backend": "blas", "schema_version": 1, "compiler": "c", "flags": "f", "mpi": "none",
    "mpi_name": "none", "problem": {"footprint": 1, "facts": {}},
    "parameters": [{"name": "n", "type": "integer", "help": "", "value": '$n'},
                                  {"name": "nb", "type": "integer", "help": "", "value": '$nb'},
                                  {"name": "kind", "type": "string", "help": "", "value": "plain"}]}'
  exit
fi
sleep 0.01
rate=$((nb * OMP_NUM_THREADS * ${FAST:-1}))
[ $nb = 256 ] && { echo "rank 0: too large" >&2; exit 1; }
echo 'RECORD' | sed "s/.THREADS./$OMP_NUM_THREADS/; s/.RATE./$rate/; s/.NB./$nb/; s/.N./$n/"
""".replace("RECORD", json.dumps(RECORD))


def defaults(_machine: Machine, layout: Layout) -> dict[str, Scalar]:
    return {"n": int(1000 * (layout.seconds or 20)), "nb": 64}


def sweep(_machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    return [(Layout(1, 2), {})]


def seconds(_machine: Machine, _layout: Layout, _parameters: Mapping[str, Scalar]) -> float:
    return 0.1


def blocks(_machine: Machine, setting: Setting) -> Sequence[Setting]:
    return [setting.changed(nb=2 * int(setting.parameters["nb"]))]


def layouts(here: Machine, setting: Setting) -> Sequence[Setting]:
    return [setting.changed(Layout(1, here.allotment.usable_cores))]


BENCHMARK = Benchmark(
    name="dgemm",
    title="LU",
    metrics=(Metric("flop_rate", "flop/s", "higher", "LU", headline=True),),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="blas",
    sizing=Sizing(parameters=("n",), lengths=(1.0, 60.0)),
    tuning=Tuning({"layout": layouts, "nb": blocks}),
    libraries=Libraries(blas=True),
)
SPECS = {"dgemm": BENCHMARK}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in PLACING:
        monkeypatch.delenv(name, raising=False)
    program = tmp_path / "banzuke-dgemm-blas"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setenv("BANZUKE_TUNED", str(tmp_path / "tuned"))
    monkeypatch.setattr("banzuke.tuning.tune.taken", lambda _record: Taken(None, None))  # whatever else runs here
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Store:
    return Store(folder / "results")


def first(specs: Mapping[str, Benchmark]) -> tuple[int, dict[str, Scalar]]:
    case = plan(specs["dgemm"], HERE, Request())[0]
    return case.threads, dict(case.parameters)


def test_what_is_found_is_used_now_and_later(store: Store, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tuned = first(tuned_now(SPECS, HERE, store))
    assert tuned == (4, {"n": 20000, "nb": 128})
    said = capsys.readouterr().err
    assert re.search(r"layout: 1 x 4, 2\.000x", said)
    assert re.search(r"nb: nb=128, 2\.000x", said)
    assert re.search(r"left out: .*nb=256.*too large", said)
    assert "dgemm tuned: 1 x 4, nb=128, 4.00x the default" in said
    assert "compared at n=3600" in said, "a 50th of the three minutes"
    assert first(with_stored(SPECS, HERE, errors)) == tuned
    (file,) = (folder / "tuned").iterdir()
    assert re.search(
        rf"dgemm: tuned on {json.loads(file.read_text())['date'][:10]}: 1 x 4, nb=128", capsys.readouterr().err
    )


def test_every_measurement_has_its_record(store: Store) -> None:
    tuned_now(SPECS, HERE, store)
    (run,) = store.runs()
    reading = run.read()
    assert not reading.unreadable
    origins = [(r.provenance.case, r.provenance.repetition) for r in reading.records if r.provenance]
    assert len(set(origins)) == len(origins) > 10
    assert {record.status for record in reading.records} == {"ok", "failed"}
    assert run.plan() is None
    assert run.missing() == []
    assert not run.busy()


def test_what_others_disturbed_is_measured_once_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.tuning.tune.taken", lambda _record: Taken(others=CROWDED, hypervisor=None))
    clock = SimpleNamespace(monotonic=lambda: 0.0)  # what takes long is not repeated
    monkeypatch.setattr("banzuke.tuning.tune.time", clock)
    tuned_now(SPECS, HERE, store)
    (run,) = store.runs()
    verified = [record.provenance.case for record in run.read().records if record.status == "ok" and record.provenance]
    assert verified[::2] == verified[1::2]


def test_an_interrupt_keeps_what_was_found(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_self: tune.SearchDisplay, axis: str, *_: object) -> None:
        if axis == "nb":
            raise KeyboardInterrupt

    monkeypatch.setattr(tune.SearchDisplay, "trying", interrupt)
    with pytest.raises(typer.Exit) as ended:
        tuned_now(SPECS, HERE, store)
    assert ended.value.exit_code == 130
    assert "gain not confirmed" in capsys.readouterr().err
    assert first(with_stored(SPECS, HERE, errors)) == (4, {"n": 20000, "nb": 64})


def test_what_cannot_be_kept_is_said_and_used(store: Store, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tuned").write_text("no folder")
    assert first(tuned_now(SPECS, HERE, store)) == (4, {"n": 20000, "nb": 128})
    said = capsys.readouterr().err
    assert "not saved: cannot write" in said
    assert "BANZUKE_TUNED" in said
    assert first(with_stored(SPECS, HERE, errors)) == (2, {"n": 20000, "nb": 64})
    assert "ignored: cannot read" in capsys.readouterr().err


def test_too_little_time_keeps_nothing(store: Store, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = folder / "banzuke-dgemm-blas"
    program.write_text(program.read_text().replace("sleep 0.01", "sleep 1"))
    assert first(tuned_now(SPECS, HERE, store, seconds=5))[0] == 2
    said = capsys.readouterr().err
    assert re.search(r"too little time to compare settings, at [1-9]\d*(\.\d+)? s per measurement", said)
    assert not (folder / "tuned").exists()


def test_a_default_that_does_not_run_is_an_error(store: Store, folder: Path) -> None:
    program = folder / "banzuke-dgemm-blas"
    program.write_text(program.read_text().replace("= 256", "= 64"))
    with pytest.raises(BanzukeError, match="no verified figure"):
        tuned_now(SPECS, HERE, store)


def test_a_benchmark_without_axes_is_refused_and_left_alone(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    plain = {"stream": Benchmark(**{**vars(BENCHMARK), "name": "stream", "tuning": Tuning()})}
    with pytest.raises(BanzukeError, match="stream cannot be tuned"):
        check_tunable(plain, None, Variants())
    assert tuned_now(plain, HERE, store) == plain
    assert with_stored(plain, HERE, errors) == plain
    assert not capsys.readouterr().err


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs `banzuke run` with the benchmark above on the example machine."""
    monkeypatch.setattr(measure_benchmarks, "chosen", lambda _names: ({"dgemm": BENCHMARK}, None))
    monkeypatch.setattr(prepare, "look", lambda *_: HERE)
    monkeypatch.setattr(prepare, "measure_here", lambda *_, **__: HERE)
    app = typer.Typer()
    app.command()(run)
    usual = ["dgemm", "--results", str(folder / "results"), "--wait", "0"]
    return lambda *words: CliRunner().invoke(app, [*usual, *words])


def test_what_an_input_file_says_is_not_searched() -> None:
    problem = replace(Request(), listed=((1, {"n": 5}),))
    with pytest.raises(BanzukeError, match="--tune has nothing to search here"):
        check_options({"dgemm": BENCHMARK}, problem, RunOptions(tune=True))
    check_options({"dgemm": BENCHMARK}, replace(problem, variants=LISTS), RunOptions(tune=True))


def test_a_run_searches_first_and_starts_from_the_result(command: Callable[..., Result]) -> None:
    done = command("--tune", "--tune-seconds", "2m", "--set", "n=5")
    assert done.exit_code == 0, done.output
    assert re.search(r"verified dgemm 4 threads n=5 nb=128", done.stderr)
    assert "--nb 128" in command("--dry-run").stdout
    assert "--nb 64" in command("--dry-run", "--untuned").stdout


def test_a_list_is_searched_too_and_later_runs_apply_what_won(command: Callable[..., Result]) -> None:
    done = command("--tune", "--tune-seconds", "2m", "--set", "n=5", "--env", "FAST=1,3", "--env", "OTHER=x")
    assert done.exit_code == 0, done.output
    assert re.search(r"variable FAST: FAST=3, 3\.000x", done.stderr)
    assert "dgemm tuned: 1 x 4, nb=128, OTHER=x, FAST=3, 12.00x the default" in done.stderr
    assert re.search(r"verified dgemm 4 threads OTHER=x FAST=3 n=5 nb=128", done.stderr)
    later = command("--dry-run")
    assert "FAST=3" in later.stdout
    assert "OTHER=x, FAST=3" in later.stderr
    assert "FAST" not in command("--dry-run", "--untuned").stdout
    asked = command("--dry-run", "--env", "FAST=2", "--threads", "4").stdout
    assert "FAST=2" in asked
    assert "OTHER=x" in asked
    assert "FAST" not in command("--dry-run", "--threads", "1").stdout, "another layout than the tuned one"


LISTS = Variants(variables=(("FAST", ("1", "2")),))


def test_a_benchmark_without_axes_is_tuned_along_lists_alone(store: Store) -> None:
    plain = {"dgemm": replace(BENCHMARK, tuning=Tuning())}
    check_tunable(plain, None, LISTS)
    tuned = tuned_now(plain, HERE.changed(allotment={"allowed_cores": 2}), store, variants=LISTS)
    (case,) = plan(tuned["dgemm"], HERE, Request())
    assert case.variant == Variant(variables=(("FAST", "2"),))


@pytest.mark.parametrize("name", ["fft", "gkv", "hpcg", "geofem", "hpl"])
def test_lists_are_searched_where_placements_are_offered_too(name: str) -> None:
    check_tunable({name: find(name)}, None, LISTS)


@pytest.mark.parametrize("name", ["pt2pt", "collectives", "ior", "spmv"])
def test_without_a_case_on_all_cores_that_stands_for_the_others_nothing_is_searched(name: str) -> None:
    with pytest.raises(BanzukeError, match=rf"{name} cannot be tuned \(no single case .* Use --tune with hpl$"):
        check_tunable({name: find(name)}, None, LISTS)


def test_the_search_is_on_all_cores() -> None:
    with pytest.raises(BanzukeError, match="--tune searches on all cores"):
        check_tunable(SPECS, None, Variants(cores=("0-1",)))


def test_a_wrong_request_is_refused_before_the_search(command: Callable[..., Result], store: Store) -> None:
    assert isinstance(command("--tune", "--set", "block=1").exception, BanzukeError)
    assert not store.runs()
