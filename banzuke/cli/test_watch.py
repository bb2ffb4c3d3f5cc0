"""`banzuke watch` with folders that are not as they should be, and its page."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.cli.options import OptionsCommand
from banzuke.cli.watch import watch_all
from banzuke.compare.test_runs import launches, provenance
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import changed, machine

app = typer.Typer()
app.command("watch", cls=OptionsCommand)(watch_all)
STEADY = (1.0, 1.003, 0.998, 1.001, 0.999, 1.002) * 3
LOWER = (*STEADY, 0.9, 0.903, 0.898, 0.901)
"""Figures of runs on consecutive days, in GB/s; the last one confirms that they are lower."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def keep(store: Store, day: float, rate: float, fingerprint: str = "f-koto", **changes: Any) -> Run:
    """Write a run on a machine called koto with one launch at a rate in GB/s; `kernel` is of the machine."""
    described = machine().changed(
        site={"name": "koto"},
        partition={"kernel": {"release": changes.pop("kernel", "6.1")}},
        allotment={"fingerprint": fingerprint},
    )
    run = store.create(described, None)
    origin = provenance(changes.pop("case", "h"), run=run.name, machine=fingerprint)
    (record,) = launches(rate * 1e7, count=1, first=86400 * day, origin=origin)
    run.append(changed(record, **changes))
    return run


def call(store: Store, *words: str) -> Result:
    return CliRunner().invoke(app, ["--results", str(store.folder), *words], env={"COLUMNS": "200"})


def series(store: Store, *words: str) -> list[dict[str, Any]]:
    outcome = call(store, "--json", *words)
    assert outcome.exit_code in (0, 1, 3), outcome.output
    return list(json.loads(outcome.stdout)["series"])


def in_unit(record: Record, unit: str) -> dict[str, Any]:
    return {"metrics": {name: values.having(unit=unit) for name, values in record.metrics.items()}}


def test_machines_of_one_name_are_told_apart(store: Store) -> None:
    for day, rate in enumerate(LOWER):
        keep(store, day, rate, "aaaa1111bbbb")
        keep(store, day, 1.0, "cccc2222dddd")
    done = call(store)
    assert done.exit_code == 1
    assert "koto (aaaa1111), stream, 4 threads: STREAM Triad ▼ 10% worse since run" in " ".join(done.stdout.split())
    assert "koto (cccc2222)" in done.stdout
    assert [line["machine"] for line in series(store)] == ["koto (aaaa1111)", "koto (cccc2222)"]


def test_cases_of_one_benchmark_are_told_apart(store: Store) -> None:
    for n in (1000, 2000):
        keep(store, n / 1000, 1.0, case=f"h{n}", parameters={"n": n})
    text = call(store).stdout
    assert "stream, 4 threads, n 1,000" in text
    assert "stream, 4 threads, n 2,000" in text


def test_a_run_whose_folder_was_renamed_is_named_as_its_folder(store: Store) -> None:
    for day, rate in enumerate(LOWER):
        run = keep(store, day, rate, kernel="6.1" if day < len(STEADY) else "6.8")
        run.folder.rename(store.folder / f"daily-{day:02}")
    done = call(store)
    assert done.exit_code == 1
    assert "kernel release 6.1 → 6.8" in done.stdout
    assert "daily-18" in done.stdout


def test_a_machine_that_nothing_describes_is_no_difference(store: Store) -> None:
    runs = [keep(store, day, rate) for day, rate in enumerate(LOWER)]
    (runs[len(STEADY)].folder / "machine.json").write_text("{")
    (line,) = series(store)
    assert line["changes"][0]["differences"] == []
    assert "nothing that is recorded" in " ".join(call(store).stdout.split())


def test_figures_of_0_are_not_put_down_to_others(store: Store) -> None:
    for day in range(3):
        keep(store, day, 0.0)
    done = call(store)
    assert done.exit_code == 3
    text = " ".join(done.output.split())
    assert "none of 3 runs can be watched (all figures are 0" in text
    assert "disturbed" not in text


def test_a_figure_that_vanishes_is_named_for_each_machine(store: Store) -> None:
    for day in range(3):
        keep(store, day, 1.0, "aaaa")
        keep(store, day, 1.0, "bbbb")
    reading = store.runs()[0].read()
    bad: dict[str, Any] = {"status": "failed", "reason": "wrong result", "metrics": {}, "verification": []}
    failed = keep(store, 4, 1.0, "aaaa", **bad)
    other = keep(store, 5, 1.0, "bbbb", **in_unit(reading.records[0], "flop/s"))
    keep(store, 6, 1.0, "cccc")
    text = " ".join(call(store).stdout.split())
    assert f"figure missing: {failed.name}: STREAM Triad, stream omp: failed: wrong result" in text
    assert f"{other.name}: STREAM Triad, stream omp: in flop/s, not B/s" in text
    keep(store, 7, 1.0, "aaaa")
    assert failed.name not in call(store).stdout


def test_a_clock_that_is_ahead_does_not_end_the_alarms(store: Store) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=1000) - datetime(2026, 1, 1, tzinfo=UTC)).days
    wrong = keep(store, ahead, 1.0)
    for day, rate in enumerate(LOWER):
        keep(store, day, rate)
    done = call(store)
    assert done.exit_code == 1, "the newest run that counts confirmed it"
    assert f"in the future by the clock of the machine: {wrong.name}" in " ".join(done.stderr.split())


def test_a_clock_that_is_set_forward_during_a_run_swallows_no_later_ones(store: Store) -> None:
    for day, rate in enumerate(LOWER):
        later: dict[str, Any] = {"ended": datetime(2099, 1, 1, tzinfo=UTC)} if day == 0 else {}
        keep(store, day, rate, **later)
    (line,) = series(store)
    assert len(line["runs"]) == len(LOWER) - 7


def test_a_clock_that_goes_backwards_is_no_crash(store: Store) -> None:
    for day, rate in enumerate(LOWER):
        keep(store, day if day % 5 else -20000 - day, rate)
    assert len(series(store)[0]["runs"]) == len(LOWER)


def test_records_that_cannot_be_read_are_left_out(store: Store) -> None:
    runs = [keep(store, day, rate) for day, rate in enumerate(LOWER)]
    for run in (runs[3], runs[4]):
        (file,) = run.files()
        file.write_bytes(b'{"a":\n\xff\xfe\n' + (file.read_bytes() if run is runs[4] else b""))
    done = call(store)
    assert done.exit_code == 1
    assert f"not read: {runs[3].name}: " in done.stderr
    assert "ignored: " in done.stderr
    assert len(series(store)[0]["runs"]) == len(LOWER) - 1
    for run in runs:
        for file in run.files():
            file.write_bytes(b"\n")
    assert call(store).exit_code != 0


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_is_written(store: Store, tmp_path: Path, language: str) -> None:
    for day, rate in enumerate(LOWER):
        keep(store, day, rate, kernel="6.1" if day < len(STEADY) else "6.8")
    done = call(store, "--output", str(tmp_path / "page"), "--language", language, "--json")
    assert done.exit_code == 1
    assert len(json.loads(done.stdout)["series"]) == 1
    assert str(tmp_path / "page" / "report.html") in done.stderr.replace("\n", "")
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert f'lang="{language}"' in page
    assert "▼ 10%" in page
    assert {"en": "kernel release", "ja": "カーネル release"}[language] in page
    (tmp_path / "file").write_text("mine")
    assert call(store, "--output", str(tmp_path / "file")).exit_code == 2
    assert (tmp_path / "file").read_text() == "mine"
