"""Tests of records in a file per process, read together while they are written."""

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.case import key
from banzuke.record.model import Provenance, Record
from banzuke.results import lines
from banzuke.results.lines import OwnFile
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import case, machine

CASES = [case(), case(threads=1)]


def verified(number: int = 0, repetition: int = 0) -> Record:
    golden = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())
    provenance = Provenance(
        id=f"{number}-{repetition}", run="r", case=key(CASES[number]), repetition=repetition, machine="m", command=[],
        banzuke="0",
    )  # fmt: skip
    return golden.model_copy(update={"provenance": provenance})


def test_each_process_has_a_file_of_its_own(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), CASES, 2)
    run.append(verified(0, 0))
    run.append(verified(1, 0))
    script = (
        "import sys; from pathlib import Path; from banzuke.results.run import Run; "
        "from banzuke.record.model import Record; "
        "Run(Path(sys.argv[1])).append(Record.model_validate_json(sys.stdin.read()))"
    )
    line = verified(0, 1).model_dump_json()
    subprocess.run([sys.executable, "-c", script, run.folder], input=line, text=True, check=True)
    assert len(run.files()) == 2
    assert f"-{os.getpid()}.jsonl" in " ".join(file.name for file in run.files())
    assert run.missing() == [(CASES[1], 1)]


def test_a_file_that_is_there_is_no_other_processs(tmp_path: Path) -> None:
    """The file may be from an earlier process with this number, or from one in a container with this host's name."""
    first, second = OwnFile(tmp_path), OwnFile(tmp_path)
    assert first != second
    first.append(verified())
    assert lines.read(second.path).records == []
    assert lines.files(tmp_path) == sorted([first.path, second.path])


def test_what_took_the_place_of_the_file_is_not_written(tmp_path: Path) -> None:
    """The path leads to a link, another file of this name, or nothing, as after its file system was unmounted."""
    own, elsewhere = OwnFile(tmp_path), tmp_path / "elsewhere"
    elsewhere.write_bytes(b"theirs")
    own.append(verified())
    own.path.unlink()
    replacing: list[Callable[[], None]] = [
        own.path.touch,
        lambda: own.path.symlink_to(elsewhere),
        lambda: own.path.hardlink_to(elsewhere),
    ]
    for replace in replacing:
        replace()
        with pytest.raises(BanzukeError, match=r"is no longer there|cannot write"):
            own.append(verified())
        own.path.unlink()
    with pytest.raises(BanzukeError, match="is no longer there"):
        own.check_there()
    assert elsewhere.read_bytes() == b"theirs"


def test_the_file_that_was_begun_first_is_read_first(tmp_path: Path) -> None:
    later = verified(1)
    later = later.model_copy(
        update={"started": later.started.replace(year=2099), "ended": later.ended.replace(year=2099)}
    )
    (tmp_path / "records-a-1.jsonl").write_text(later.model_dump_json() + "\n")
    (tmp_path / "records-b-2.jsonl").write_text(verified(0).model_dump_json() + "\n")
    (tmp_path / "records.jsonl").write_text(verified(0, 1).model_dump_json() + "\n" + "damaged\n")
    reading = Run(tmp_path).read()
    assert [record.provenance.id for record in reading.records if record.provenance] == ["0-0", "0-1", "1-0"]
    assert [problem.partition(": ")[0] for problem in reading.unreadable] == [f"{tmp_path}/records.jsonl, line 2"]


def test_what_is_being_written_is_passed_over_until_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "records-a-1.jsonl"
    whole = verified().model_dump_json().encode()
    file.write_bytes(whole + b"\n" + whole[:200])
    assert (len(lines.read(file).records), lines.read(file).unreadable) == (1, [])
    file.write_bytes(whole + b"\n" + whole)
    assert len(lines.read(file).records) == 2
    file.write_bytes(whole[:200] + b"\n")
    assert lines.read(file).unreadable


@pytest.mark.slow
def test_records_of_ten_thousand_processes_are_read(tmp_path: Path) -> None:
    line = verified().model_dump_json() + "\n"
    for number in range(10_000):
        (tmp_path / f"records-host{number}-1.jsonl").write_text(line)
    reading = Run(tmp_path).read()
    assert (len(reading.records), reading.unreadable) == (10_000, [])


def _write(file: Path, line: bytes, done: Event) -> None:
    """Write a line in pieces, as a network file system may show one that another host appends."""
    with file.open("ab", buffering=0) as stream:
        while not done.is_set():
            for start in range(0, len(line), 97):
                stream.write(line[start : start + 97])
                time.sleep(1e-4)


def test_a_run_is_read_while_another_process_writes_it(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), CASES)
    context = multiprocessing.get_context("spawn")
    done = context.Event()
    line = verified().model_dump_json().encode() + b"\n"
    writer = context.Process(target=_write, args=(run.folder / "records-other-1.jsonl", line, done))
    writer.start()
    try:
        seen: set[int] = set()
        end = time.monotonic() + 600
        while len(seen) < 8 and time.monotonic() < end:
            reading = run.read()
            assert reading.unreadable == []
            counted = Store(tmp_path).query("SELECT count(*) AS n FROM records")
            assert counted[0]["n"] >= len(reading.records)
            seen.add(len(reading.records))
        assert len(seen) == 8
    finally:
        done.set()
        writer.join()
    assert run.missing() == [(CASES[1], 0)]
