"""Tests of `banzuke remove`: a whole run or nothing, and never anything elsewhere."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli.options import OptionsCommand
from banzuke.cli.remove import remove
from banzuke.errors import BanzukeError
from banzuke.results.run import OWNER, REMOVED, Owner, Run
from banzuke.results.store import Store
from banzuke.results.test_lines import CASES, verified
from banzuke.testing import machine

app = typer.Typer()
app.command(cls=OptionsCommand)(remove)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a folder with the results of three runs."""
    store = Store(tmp_path / "results")
    for number in range(3):
        run = store.create(machine(), CASES)
        run.append(verified())
        (run.folder / "figures").mkdir()
        run.folder.rename(store.folder / f"2026010{number}T000000-aaaa")
    return store


def names(store: Store) -> list[str]:
    return [run.name[:8] for run in store.runs()]


def test_runs_are_removed_by_name(store: Store) -> None:
    remove(["last", "20260100", "20260102T"], yes=True, results=store.folder)
    assert names(store) == ["20260101"]
    assert len(list(store.folder.iterdir())) == 1


def test_nothing_is_removed_without_an_answer(store: Store) -> None:
    done = CliRunner().invoke(app, ["last", "--results", str(store.folder)])
    assert isinstance(done.exception, BanzukeError)
    assert "not a terminal" in str(done.exception)
    assert "--yes" in str(done.exception)
    with pytest.raises(BanzukeError, match=r"no run .* begins with 'none'"):
        remove(["last", "none"], yes=True, results=store.folder)
    for run in store.runs()[1:]:
        run.folder.rename(run.folder.with_name(f".{run.name}"))
    with pytest.raises(BanzukeError, match="begins with ''"):
        remove([""], yes=True, results=store.folder)  # a variable of a shell that is not set, and the only run there is
    for hidden in store.folder.glob(".2026*"):
        hidden.rename(hidden.with_name(hidden.name[1:]))
    with pytest.raises(BanzukeError, match=r"3 runs .* begin with '2026'"):
        remove(["2026"], yes=True, results=store.folder)
    assert len(names(store)) == 3


@pytest.mark.parametrize(("answer", "left"), [("y\n", 2), ("n\n", 3), ("\n", 3), ("", 3)])
def test_a_person_is_asked(store: Store, answer: str, left: int) -> None:
    script = "import sys, pathlib; from banzuke.cli.remove import remove; "
    script += "remove(['last'], results=pathlib.Path(sys.argv[1]))"
    main, terminal = os.openpty()
    os.write(main, answer.encode() or b"\x04")
    done = subprocess.run(
        [sys.executable, "-c", script, store.folder], stdin=terminal, capture_output=True, text=True, check=False
    )
    os.close(main)
    os.close(terminal)
    assert "1 record, 3 files" in done.stderr
    assert "Remove 1 run? [y/N]" in done.stderr
    assert (done.returncode == 0) == (left == 2)
    assert len(names(store)) == left


def test_a_run_that_is_being_written_is_kept(store: Store) -> None:
    last, host = store.runs()[-1], socket.gethostname()
    with last.owned(), pytest.raises(BanzukeError, match=f"is being written .by process {os.getpid()} of {host}"):
        remove(["previous", "last"], yes=True, results=store.folder)
    assert len(names(store)) == 3, "none is removed where one cannot be"
    (last.folder / OWNER).write_text(Owner(host="elsewhere", pid=1, started=1).model_dump_json())
    with pytest.raises(BanzukeError, match="being written"):
        remove(["last"], yes=True, results=store.folder)


def test_a_process_that_goes_on_with_it_in_the_same_moment_wins(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    last = store.runs()[-1]
    answers = iter([False, True, True])
    monkeypatch.setattr(Run, "busy", lambda _: next(answers))
    with pytest.raises(BanzukeError, match="being written"):
        last.remove()
    assert len(names(store)) == 3
    assert last.read().records


def test_links_are_not_followed(store: Store, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    store.runs()[0].folder.rename(elsewhere)
    (store.folder / "20260100T000000-link").symlink_to(elsewhere)
    with pytest.raises(BanzukeError, match=r"is a link .the run itself lies elsewhere"):
        remove(["20260100T000000-link"], yes=True, results=store.folder)
    (store.folder / "20260109T000000-link").symlink_to(elsewhere)
    with pytest.raises(BanzukeError, match="is a link"):
        remove(["last"], yes=True, results=store.folder)
    (store.folder / "20260109T000000-link").unlink()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("mine")
    last = store.runs()[-1]
    (last.folder / "linked").symlink_to(kept)
    last.remove()
    assert (kept / "file").read_text() == "mine"
    assert (elsewhere / "plan.json").exists()


def test_what_cannot_be_removed_whole_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    last = store.runs()[-1]
    denied = last.folder / "figures"
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != denied)
    with pytest.raises(BanzukeError, match=r"no permission to change .*figures"):
        last.remove()
    assert len(names(store)) == 3


def test_what_is_left_of_a_run_is_no_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_words: object, **_options: object) -> None:
        raise PermissionError(13, "denied")

    monkeypatch.setattr("shutil.rmtree", fails)
    with pytest.raises(BanzukeError, match=rf"cannot remove all of run .* .denied.. Remove .*{REMOVED}"):
        store.runs()[-1].remove()
    assert names(store) == ["20260100", "20260101"]


def test_the_rest_of_a_removal_that_was_cut_off_goes_with_the_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_words: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr("shutil.rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            remove(["last"], yes=True, results=store.folder)
    (rest,) = store.folder.glob(f"{REMOVED}*")
    theirs = store.folder / f"{REMOVED}theirs"
    theirs.mkdir()
    theirs.chmod(0o777)
    remove(["last"], yes=True, results=store.folder)
    assert theirs.exists()
    assert not rest.exists()
    assert names(store) == ["20260100"]
