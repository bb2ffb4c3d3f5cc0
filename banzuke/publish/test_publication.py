"""Tests of a publication's file: whatever somebody changed or damaged is refused, by name."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.publish.publication import CEILINGS, MACHINE, MEMBERS, RECORDS, SUMMARY, is_publication, packed, read
from banzuke.publish.publication import read_summary as summary_of
from banzuke.publish.test_make import document, members, published


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    return members(published(document(), document("energy")))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = published(document())
    path = tmp_path / made.file
    path.write_bytes(made.content)
    return path


def test_a_whole_file_is_read(file: Path) -> None:
    got = read(file)
    assert (len(got.records), len(got.ceilings), got.machine.name) == (1, 0, got.summary.machine.name)
    assert file.name == f"banzuke-{got.machine.name}-{got.identity}.zip"
    assert summary_of(file) == (got.summary, got.identity)
    assert is_publication(file)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_changed_member_is_named(files: Mapping[str, bytes], tmp_path: Path, name: str) -> None:
    path = tmp_path / "renamed.zip"
    others = {key: content for key, content in files.items() if key != SUMMARY}
    path.write_bytes(packed(files[SUMMARY], others | {name: others[name] + b" "}))
    for reader in (read, summary_of):
        with pytest.raises(BanzukeError, match=f"{name} is not what the summary was made of"):
            reader(path)
    assert summary_of(path, whole=False)


def test_a_renamed_file_is_known_by_its_comment(files: Mapping[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "renamed.zip"
    path.write_bytes(packed(files[SUMMARY], files))
    (other := tmp_path / f"banzuke-kaede-{summary_of(path)[1]}.zip").write_bytes(packed(files[SUMMARY], files))
    for comment, changed, why in (
        (b"", files[SUMMARY], "neither its name nor its comment has the ID"),
        (summary_of(other)[1].encode(), files[SUMMARY] + b" ", "not what the file is named after"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            for name in files:
                archive.writestr(name, changed if name == SUMMARY else files[name])
            archive.comment = comment
        with pytest.raises(BanzukeError, match=why):
            summary_of(path)


def test_a_changed_summary_is_named(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    better = content.pop(SUMMARY).replace(b'"launches": 1', b'"launches": 9')
    file.write_bytes(packed(better, content))
    for reader in (read, summary_of):
        with pytest.raises(BanzukeError, match=r"summary\.json is not what the file is named after"):
            reader(file)


def test_a_summary_of_another_schema_says_so(files: Mapping[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "later.zip"
    later = files[SUMMARY].replace(b'"schema_version": 1', b'"schema_version": 2')
    path.write_bytes(packed(later, {name: files[name] for name in MEMBERS}))
    with pytest.raises(BanzukeError, match="its schema is 2, and this version of Banzuke reads 1"):
        read(path)


def test_damage_anywhere_is_refused_without_a_crash(file: Path) -> None:
    content = file.read_bytes()
    for at in range(0, len(content), max(1, len(content) // 60)):
        broken = bytearray(content)
        broken[at] ^= 0xFF
        file.write_bytes(broken)
        try:
            assert read(file).records
        except BanzukeError as error:
            assert "not a whole publication" in str(error) or "cannot read" in str(error)  # noqa: PT017
    for length in (0, 4, 40, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        with pytest.raises(BanzukeError):
            read(file)


def test_further_or_missing_members_are_refused(files: Mapping[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    for names in ((SUMMARY, MACHINE, RECORDS), (SUMMARY, MACHINE, RECORDS, CEILINGS, "more.txt"), (MACHINE,)):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as made:
            for name in names:
                made.writestr(name, files.get(name, b"x"))
        path.write_bytes(archive.getvalue())
        with pytest.raises(BanzukeError, match="not a whole publication"):
            read(path)


def test_an_archive_that_was_packed_again_is_read_in_any_order(files: Mapping[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "again.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name in sorted(files):
            made.writestr(name, files[name])
    assert is_publication(path)
    assert read(path).records


@pytest.mark.parametrize("name", [1000 * "x", "   ", "\u202ecba"])
def test_a_machines_name_can_be_read_and_is_that_of_a_file(
    files: Mapping[str, bytes], tmp_path: Path, name: str
) -> None:
    path = tmp_path / "long.zip"
    summary = json.loads(files[SUMMARY])
    summary["machine"]["name"] = name
    path.write_bytes(packed(json.dumps(summary).encode(), {name: files[name] for name in MEMBERS}))
    with pytest.raises(BanzukeError, match="at most 100 readable characters"):
        read(path)
