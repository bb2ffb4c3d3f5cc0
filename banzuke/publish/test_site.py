"""Tests of the ranking sheets: what is read, what is left out, and what a browser shows."""

import base64
import csv
import gzip
import io
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.files import opened
from banzuke.plan.catalogue import benchmarks
from banzuke.publish.publication import MEMBERS, SUMMARY, packed
from banzuke.publish.site import PAGE, SUMMARIES, TABLE, gather, site
from banzuke.publish.test_make import document, members, published

HOSTILE = "</script><script>window.hacked = 1</script>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two publications, one of them twice, and two damaged ones."""
    for number, name in enumerate(("Kaede", HOSTILE, "Kaede")):
        record = document()
        for samples in record["metrics"].values():
            samples["samples"] = [value * (1 + number % 2) for value in samples["samples"]]
        made = published(record, name=name)
        path = tmp_path / "in" / str(number) / made.file
        path.parent.mkdir(parents=True)
        path.write_bytes(made.content)
    (tmp_path / "in" / "bad.zip").write_bytes(b"PK\x03\x04 nothing")
    changed = next((tmp_path / "in").glob("0/*.zip"))
    (tmp_path / "in" / "banzuke-x-000000000000.zip").write_bytes(changed.read_bytes())
    return tmp_path / "in"


def content(page: bytes) -> Any:
    data = re.search(rb'<script id="data" type="text/plain">([^<]*)</script>', page)
    assert data
    return json.loads(gzip.decompress(base64.b64decode(data[1])))


def test_summaries_are_read_once_and_damaged_ones_are_named(folder: Path) -> None:
    gathered = gather(folder)
    assert len(gathered.summaries) == 2
    assert set(gathered.refused) == {"bad.zip", "banzuke-x-000000000000.zip"}
    assert "not what the file is named after" in gathered.refused["banzuke-x-000000000000.zip"]
    files = site(gathered, benchmarks(), "ja")
    assert set(files) == {PAGE, TABLE, SUMMARIES}
    assert len(files[SUMMARIES].splitlines()) == 2
    data = content(files[PAGE])
    assert {machine["name"] for machine in data["machines"]} == {"Kaede", HOSTILE}
    assert HOSTILE.encode() not in files[PAGE]
    assert "番付" in files[PAGE].decode()
    missing = [text for machine in data["machines"] for text in machine["missing"]]
    assert any(text.startswith("各代表ケースの試行が5回以上ある") for text in missing)
    assert not any("launches" in text for text in missing)


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="has no publication"):
        gather(tmp_path)


def test_the_command_writes_the_page(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["site-page", str(folder), "--output", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "2 publications" in done.output
    assert "bad.zip is left out" in done.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {PAGE, TABLE, SUMMARIES}


def test_no_text_of_the_table_is_a_formula(tmp_path: Path) -> None:
    made = published(document(), name="=cmd()|x")
    (tmp_path / made.file).write_bytes(made.content)
    (row,) = csv.DictReader(io.StringIO(site(gather(tmp_path), benchmarks(), "en")[TABLE].decode()))
    assert row["machine"] == "'=cmd()|x"


def test_ten_thousand_publications_are_compared_with_their_records_in_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are opened once, members unpacked once, and a further file costs few calls, however many there are."""
    openings, unpacked = Counter[Path](), Counter[str]()
    open_file, open_member = opened, zipfile.ZipFile.open

    def count_file(path: Path) -> Any:
        openings[path] += 1
        return open_file(path)

    def count_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
        unpacked[member.filename] += 1
        return open_member(archive, member)

    folders = {number: folder_of(number, tmp_path) for number in (10, 100)}
    monkeypatch.setattr("banzuke.publish.publication.opened", count_file)
    monkeypatch.setattr(zipfile.ZipFile, "open", count_member)
    calls = {number: calls_of(written, folder) for number, folder in folders.items()}
    assert set(openings.values()) == {1}
    assert unpacked == dict.fromkeys((SUMMARY, *MEMBERS), 110)
    assert (calls[100] - calls[10]) / 90 < MOST_CALLS, calls


MOST_CALLS = 1_500
"""Most calls for a file: 10,000 files make ten million, at some million in a second."""


def folder_of(number: int, parent: Path) -> Path:
    """Return a new folder with publications that differ in the machine's name."""
    made = members(published(document()))
    summary = json.loads(made[SUMMARY])
    (folder := parent / str(number)).mkdir()
    for index in range(number):
        summary["machine"]["name"] = f"M{index}"
        (folder / f"{index}.zip").write_bytes(packed(json.dumps(summary).encode(), made))
    return folder


def written(folder: Path) -> object:
    return site(gather(folder), benchmarks(), "en")


def calls_of(function: Callable[[Path], object], folder: Path) -> int:
    """Return how many functions, of Python and built in, a call of the function calls."""
    events: Counter[str] = Counter()
    sys.setprofile(lambda _frame, event, _argument: events.update([event]))
    try:
        function(folder)
    finally:
        sys.setprofile(None)
    return events["call"] + events["c_call"]
