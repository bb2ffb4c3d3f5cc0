"""The file of a publication: a ZIP archive of the same bytes for the same run, whose first member is the summary.

The summary has the SHA-256 of every other member; the file's name and the archive's comment have a digest of it.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
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
MOST_BYTES = {SUMMARY: 16 << 20, MACHINE: 64 << 20, RECORDS: 1 << 30, CEILINGS: 1 << 30}
"""Most bytes of a member, unpacked: more is damage."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
_NAMED = re.compile(rf"banzuke-.*-([0-9a-f]{{{ID_DIGITS}}})\.zip")
_PIECE = 1 << 20


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
        file.comment = identity_of(summary).encode()
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
    archive = _archive(path, io.BytesIO(read_named(path, sum(MOST_BYTES.values()))))
    with archive:
        summary, identity = _summary(path, archive)
        _check_names(path, archive)
        members = {name: _member(path, archive, name) for name in MEMBERS}
    for name, content in members.items():
        if hashlib.sha256(content).hexdigest() != summary.files.get(name):
            raise _changed(path, name)
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


def read_summary(path: Path, *, whole: bool = True) -> tuple[RunSummary, str]:
    """Return the summary and the identity of a publication that says its identity itself, by its name or comment.

    The other members are compared with what the summary says, piece by piece, unless `whole` is False. Raises
    BanzukeError, which names what differs.
    """
    with opened(path) as file, _archive(path, file) as archive:
        summary, identity = _summary(path, archive)
        if identity not in _identities(path, archive):
            raise _damaged(path, f"neither its name nor its comment has the ID of a publication ({identity})")
        if whole:
            _check_names(path, archive)
            for name in MEMBERS:
                if _digest(path, archive, name) != summary.files.get(name):
                    raise _changed(path, name)
        return summary, identity


def _check_names(path: Path, archive: zipfile.ZipFile) -> None:
    if (strange := set(archive.namelist()) - {SUMMARY, *MEMBERS}) or len(archive.namelist()) != 1 + len(MEMBERS):
        raise _damaged(path, f"it has {', '.join(sorted(strange)) or 'members twice or not at all'}")


def _identities(path: Path, archive: zipfile.ZipFile) -> set[str]:
    """Return what the file's name and the archive's comment, which may be cut off, say that it is."""
    named = _NAMED.fullmatch(path.name)
    return ({named[1]} if named else set()) | {text for text in [archive.comment.decode(errors="replace")] if text}


def _archive(path: Path, file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise _damaged(path, str(error)) from error


def _summary(path: Path, archive: zipfile.ZipFile) -> tuple[RunSummary, str]:
    content = _member(path, archive, SUMMARY)
    identity = identity_of(content)
    if _identities(path, archive) - {identity}:
        raise _damaged(path, f"{SUMMARY} is not what the file is named after, or its comment says")
    try:
        return RunSummary.model_validate_json(content), identity
    except ValidationError as error:
        raise _damaged(path, f"{SUMMARY}: {refusal(error)}") from error


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    return b"".join(_pieces(path, archive, name))


def _digest(path: Path, archive: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path, archive, name):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(path: Path, archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield the content of a member, never all of a large one at once. Raises BanzukeError where it is damaged."""
    try:
        about = archive.getinfo(name)
        if about.file_size <= MOST_BYTES[name]:
            with archive.open(about) as member:
                while piece := member.read(_PIECE):
                    yield piece
            return
    except KeyError as error:
        raise _damaged(path, f"it has no {name}") from error
    except Exception as error:  # damaged archives raise many kinds, zlib's among them
        raise _damaged(path, f"{name}: {error}") from error
    raise _damaged(path, f"{name} is larger than {MOST_BYTES[name] >> 20} MiB")


def _changed(path: Path, name: str) -> BanzukeError:
    return _damaged(path, f"{name} is not what the summary was made of")


def _damaged(path: Path, why: str) -> BanzukeError:
    return BanzukeError(
        f"{path} is not a whole publication",
        why=why,
        remedy="Get it again from whoever wrote it with `banzuke publish`",
    )
