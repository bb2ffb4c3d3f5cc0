"""The file of a publication: a ZIP archive of the same bytes for the same run, whose first member is the summary.

The summary has the SHA-256 of every other member, and the file's name a digest of the summary.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.files import opened, read_named, refusal
from banzuke.machine.model import Machine
from banzuke.publish.summary import RunSummary
from banzuke.record.model import Record
from banzuke.text import slug

SUMMARY, MACHINE, RECORDS, CEILINGS = "summary.json", "machine.json", "records.jsonl", "ceilings.jsonl"
MEMBERS = (MACHINE, RECORDS, CEILINGS)
"""Members after the summary, in this order."""
ID_DIGITS = 12
MOST = {SUMMARY: 16 << 20, MACHINE: 64 << 20, RECORDS: 1 << 30, CEILINGS: 1 << 30}
"""Most bytes of a member, unpacked: more is damage."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
_NAMED = re.compile(rf"banzuke-.*-([0-9a-f]{{{ID_DIGITS}}})\.zip")


@dataclass(frozen=True)
class Published:
    """A publication as it was read."""

    identity: str
    """Digest of its summary."""
    summary: RunSummary
    machine: Machine
    records: Sequence[Record]
    ceilings: Sequence[Record]


def identity_of(summary: bytes) -> str:
    return hashlib.sha256(summary).hexdigest()[:ID_DIGITS]


def file_name(machine: str, identity: str) -> str:
    """Return `banzuke-NAME-ID.zip`."""
    return f"banzuke-{slug(machine)}-{identity}.zip"


def lines(documents: Sequence[Mapping[str, object]]) -> bytes:
    """Return documents as lines of JSON, in which every letter stands for itself, so that names can be searched for."""
    return b"".join(json.dumps(document, ensure_ascii=False).encode() + b"\n" for document in documents)


def packed(summary: bytes, members: Mapping[str, bytes]) -> bytes:
    """Return the archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name in (SUMMARY, *MEMBERS):
            about = zipfile.ZipInfo(name, _MOMENT)
            about.compress_type, about.external_attr, about.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            file.writestr(about, summary if name == SUMMARY else members[name])
    return archive.getvalue()


def is_publication(path: Path) -> bool:
    """Return whether a file is an archive of this kind, perhaps damaged or packed again; False if unreadable."""
    with suppress(BanzukeError, OSError), opened(path) as file:
        begin = file.read(30 + len(SUMMARY))
        if not begin.startswith(b"PK\x03\x04") or begin[30:] == SUMMARY.encode():
            return begin.startswith(b"PK\x03\x04")
        with _archive(path, file) as archive:
            return SUMMARY in archive.namelist()
    return False


def read(path: Path) -> Published:
    """Return a publication whose members are what its summary says. Raises BanzukeError, which names what differs."""
    archive = _archive(path, io.BytesIO(read_named(path, sum(MOST.values()))))
    with archive:
        summary, identity = _summary(path, archive)
        if (strange := set(archive.namelist()) - {SUMMARY, *MEMBERS}) or len(archive.namelist()) != 1 + len(MEMBERS):
            raise _damaged(path, f"it has {', '.join(sorted(strange)) or 'members twice or not at all'}")
        members = {name: _member(path, archive, name) for name in MEMBERS}
    for name, content in members.items():
        if hashlib.sha256(content).hexdigest() != summary.files.get(name):
            raise _damaged(path, f"{name} is not what the summary was made of")
    try:
        machine = Machine.model_validate_json(members[MACHINE])
        records, ceilings = (
            [Record.model_validate_json(line) for line in members[name].splitlines() if line.strip()]
            for name in (RECORDS, CEILINGS)
        )
    except ValidationError as error:
        raise _damaged(path, refusal(error)) from error
    if not records:
        raise _damaged(path, "it has no records")
    return Published(identity, summary, machine, records, ceilings)


def read_summary(path: Path) -> tuple[RunSummary, str]:
    """Return the summary and the identity of a publication, whose other members are not read. Raises BanzukeError."""
    with opened(path) as file, _archive(path, file) as archive:
        return _summary(path, archive)


def _archive(path: Path, file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise _damaged(path, str(error)) from error


def _summary(path: Path, archive: zipfile.ZipFile) -> tuple[RunSummary, str]:
    content = _member(path, archive, SUMMARY)
    identity = identity_of(content)
    named = _NAMED.fullmatch(path.name)
    if named and named[1] != identity:
        raise _damaged(path, f"{SUMMARY} is not what the file is named after")
    try:
        return RunSummary.model_validate_json(content), identity
    except ValidationError as error:
        raise _damaged(path, f"{SUMMARY}: {refusal(error)}") from error


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        about = archive.getinfo(name)
        content = archive.read(about) if about.file_size <= MOST[name] else None
    except KeyError as error:
        raise _damaged(path, f"it has no {name}") from error
    except Exception as error:  # damaged archives raise many kinds, zlib's among them
        raise _damaged(path, f"{name}: {error}") from error
    if content is None:
        raise _damaged(path, f"{name} is larger than {MOST[name] >> 20} MiB")
    return content


def _damaged(path: Path, why: str) -> BanzukeError:
    return BanzukeError(
        f"{path} is not a whole publication",
        why=why,
        remedy="Get it again from whoever wrote it with `banzuke publish`",
    )
