"""`banzuke export`: where it writes, and what it refuses."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.cli.export import export
from banzuke.cli.options import OptionsCommand
from banzuke.compare.test_runs import launches, provenance
from banzuke.errors import BanzukeError
from banzuke.results.store import Store
from banzuke.testing import machine

app = typer.Typer()
app.command("export", cls=OptionsCommand)(export)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "results")
    for name in ("a", "b"):
        run = store.create(machine(), None, name=name)
        run.append(*launches(1e9, count=2, origin=provenance("h", run=name)))
    return store


def call(store: Store, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--results", str(store.folder)])


def test_a_run_is_printed_or_written_whole(store: Store, tmp_path: Path) -> None:
    for form, name in (("junit", "junit.xml"), ("openmetrics", "banzuke.prom")):
        printed = call(store, form, "a")
        assert printed.exit_code == 0, printed.output
        done = call(store, form, "a", "--output", str(tmp_path / "out"))
        assert done.exit_code == 0, done.output
        assert done.stdout == ""
        assert (tmp_path / "out" / name).read_text(encoding="utf-8") == printed.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"junit.xml", "banzuke.prom"}


def test_runs_are_lines_of_reframes_log(store: Store, tmp_path: Path) -> None:
    assert call(store, "reframe", "a", "b", "--output", str(tmp_path)).exit_code == 0
    (log,) = tmp_path.glob("perflogs/*/*/stream.log")
    assert len(log.read_text(encoding="utf-8").splitlines()) == 3


def test_what_cannot_be_written_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"several files. Name a directory for them with --output"):
        export("reframe", ["a"], results=store.folder)
    (tmp_path / "file").write_text("mine")
    assert call(store, "junit", "a", "--output", str(tmp_path / "file")).exit_code == 2
    assert isinstance(call(store, "openmetrics", "a", "b").exception, BanzukeError)
    assert isinstance(call(store, "junit", "c").exception, BanzukeError)
    with pytest.raises(BanzukeError, match=r"there is no format 'juni'. Did you mean 'junit'"):
        export("juni", results=store.folder)


def test_lines_that_cannot_be_read_are_said(store: Store) -> None:
    (file,) = store.find("a").files()
    file.write_bytes(b"{}\n" + file.read_bytes())
    done = call(store, "junit", "a")
    assert done.exit_code == 0
    assert "warning: not exported: " in done.stderr
