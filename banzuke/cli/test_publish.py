"""Tests of `banzuke publish` and of importing what it wrote: the same figures and verdicts as the run's own."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.report import evaluated
from banzuke.publish.summary import figures_of
from banzuke.publish.test_make import document, on
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import machine


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a results folder with a run of three launches on kaede7, and two other runs."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(socket, "gethostname", lambda: "kaede7")
    store = Store(tmp_path / "results")
    for number in range(3):
        run = store.create(machine().changed(site={"name": "kaede"}), None)
        for launch in range(3):
            record = on(
                "kaede7", document(provenance={"id": f"{number}{launch}", "repetition": launch, "run": run.name})
            )
            for samples in record["metrics"].values():
                samples["samples"] = [value * (1 + 0.01 * launch + 0.02 * number) for value in samples["samples"]]
            run.append(Record.model_validate(record))
    return store.folder


def call(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def written(results: Path, tmp_path: Path, *more: str) -> Path:
    done = call("publish", "--results", results, "--output", tmp_path / "out", *more)
    assert done.exit_code == 0, done.output
    (file,) = (tmp_path / "out").iterdir()
    return file


def test_what_was_published_is_imported_with_the_same_figures(results: Path, tmp_path: Path) -> None:
    file = written(results, tmp_path, "--name", "Kaede A")
    other = tmp_path / "other"
    done = call("import", file, "--results", other)
    assert done.exit_code == 0, done.output
    (run,) = Store(other).runs()
    assert run.name == file.name.removesuffix(".zip")
    assert figures_of(evaluated(run)) == figures_of(evaluated(Store(results).find("last")))
    assert evaluated(run).machine.name == "Kaede A"
    again = call("import", file, "--results", other)
    assert again.exception.why == f"it is run {run.name}"
    assert "Kaede A" in call("list", "--results", other).output


def test_an_import_that_was_killed_leaves_nothing_in_the_next(results: Path, tmp_path: Path) -> None:
    file = written(results, tmp_path)
    other = tmp_path / "other"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("banzuke.results.imports.rename", lambda *_: os._exit(9))
        if (child := os.fork()) == 0:
            call("import", file, "--results", other)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert list(other.iterdir()), "the killed one left its folder"
    assert call("import", file, "--results", other).exit_code == 0
    (run,) = Store(other).runs()
    assert len(run.read().records) == 3


def test_no_publication_is_kept_beside_one_that_was_imported_before(results: Path, tmp_path: Path) -> None:
    for run in ("last", "previous"):
        assert call("publish", run, "--results", results, "--output", tmp_path / "out").exit_code == 0
    files = sorted((tmp_path / "out").iterdir())
    other = tmp_path / "other"
    assert call("import", files[1], files[1], "--results", other).exit_code == 0, "named twice is once"
    assert "was imported before" in str(call("import", *files, "--results", other).exception)
    assert len(list(other.iterdir())) == 1


def test_comparing_published_runs_gives_the_verdicts_of_the_runs(results: Path, tmp_path: Path) -> None:
    names = [run.name for run in Store(results).runs()]
    for name in names:
        call("publish", name, "--results", results, "--output", tmp_path / "out")
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == len(names)
    assert call("import", *files, "--results", tmp_path / "other").exit_code == 0
    imported = {_first_figure(run): run.name for run in Store(tmp_path / "other").runs()}
    wanted = list(map(_first_figure, Store(results).runs()))
    said = []
    for store, first, last in (
        (results, names[0], names[2]),
        (tmp_path / "other", imported[wanted[0]], imported[wanted[2]]),
    ):
        done = call("compare", first, last, "--json", "--results", store)
        compared = json.loads(done.output)["comparisons"]
        said.append(json.dumps(compared).replace(first, "A").replace(last, "B"))
    assert said[0] != "[]", "nothing was compared"
    assert said[0] == said[1]


def _first_figure(run: Run) -> float:
    return run.read().records[0].metrics["triad_bandwidth"].samples[0]


def test_a_dry_run_writes_nothing(results: Path, tmp_path: Path) -> None:
    done = call("publish", "--results", results, "--output", tmp_path / "out", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "kaede7" in done.output
    assert "Nothing was written" in done.output
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "data").exists()


def test_two_runs_of_one_publisher_have_the_same_pseudonyms(results: Path, tmp_path: Path) -> None:
    names = []
    for run in ("last", "previous"):
        done = call("publish", run, "--results", results, "--output", tmp_path, "--json")
        names.append(json.loads(done.output)["pseudonyms"]["host"]["kaede7"])
    assert names[0] == names[1]
    (tmp_path / "data" / "banzuke" / "publisher.key").unlink()
    done = call("publish", "--results", results, "--output", tmp_path, "--json")
    assert json.loads(done.output)["pseudonyms"]["host"]["kaede7"] != names[0], "without the key nobody finds it"


def test_several_kinds_of_files_are_not_imported_together(results: Path, tmp_path: Path) -> None:
    file, lines = written(results, tmp_path), tmp_path / "lines.jsonl"
    lines.write_text("{}\n")
    assert "is a publication" in str(call("import", file, lines, "--results", tmp_path / "other").exception)
    changed = file.with_name("changed.zip")
    changed.write_bytes(file.read_bytes()[:-30])
    assert "not a whole publication" in str(call("import", changed, "--results", tmp_path / "other").exception)
    assert not (tmp_path / "other").exists()


def test_a_screen_and_an_empty_run_are_refused(results: Path) -> None:
    run = Run(results / "screened")
    run.folder.mkdir()
    (run.folder / "nodes.jsonl").write_text("")
    (run.folder / "records-1.jsonl").write_text("")
    assert "screen of nodes" in str(call("publish", run.folder, "--results", results).exception)
    os.remove(run.folder / "nodes.jsonl")  # noqa: PTH107
    assert "has no records" in str(call("publish", run.folder, "--results", results).exception)
    assert "cannot be called" in str(call("publish", "--results", results, "--name", "a\x1b[31m").exception)
