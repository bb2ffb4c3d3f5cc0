"""Quotes words of others for the shell, or refuses them if a directive cannot hold them.

Lines of directives are not shell: each batch system reads them by its own rules, and none can contain a newline.
"""

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from banzuke.batch.job import Chunk, Job
from banzuke.errors import BanzukeError
from banzuke.text import printable

_ESCAPED = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\udc80-\udcff]")
"""Control characters, characters that some take for the end of a line, and bytes that are not UTF-8 (PEP 383)."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,62}")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,252}[A-Za-z0-9])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_.,@/+=|-]+")
_CHOICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:@/+=-]*")
"""A queue, an account, a reservation, a parallel environment."""


def shell(value: object) -> str:
    """Return one word of Bash on one line, since one that starts with a directive's mark would count as one."""
    text = str(value)
    if "\0" in text:
        raise BanzukeError(f"a script cannot hold '{printable(text)}'", why="it has a zero character")
    if not _ESCAPED.search(text):
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + _ESCAPED.sub(lambda match: "".join(f"\\{byte:03o}" for byte in os.fsencode(match[0])), plain) + "'"


def command(words: Iterable[str]) -> str:
    """Return words of Bash, with each option of the command on its own line."""
    first, *rest = (shell(word) for word in words)
    return first + "".join(f" \\\n  {word}" if word.startswith("-") else f" {word}" for word in rest)


def directive(value: object) -> str:
    """Return one word of a line without quoting. Raises BanzukeError."""
    text = str(value)
    if not _PLAIN.fullmatch(text):
        raise BanzukeError(
            f"the batch system cannot take '{printable(text)}'",
            why="its script may hold letters of ASCII, digits and _ . , @ / + = | - there",
            remedy="Use another name or folder",
        )
    return text


def check(job: Job) -> None:
    """Check that every word of a job can be in a script of any batch system. Raises BanzukeError."""
    _match(_NAME, job.name, "a job's name", "a letter, then at most 62 letters, digits and _ . -")
    for name in job.variables:
        _match(_VARIABLE, name, "a variable's name", "a letter or _, then letters, digits and _")
    if job.reservation:
        _choice(job.reservation, "a reservation")
    for path in (job.folder, job.output):
        check_path(path)
    for chunk in job.chunks:
        _check_chunk(chunk)


def check_path(path: Path) -> None:
    if not path.is_absolute():
        raise BanzukeError(f"{path} is relative", why="a job starts elsewhere", remedy="Give the whole path")
    if _ESCAPED.search(str(path)) or "\\" in str(path):
        raise BanzukeError(
            f"a script cannot hold the path '{printable(str(path))}'",
            why="it has control characters, a backslash, or bytes that are no UTF-8",
            remedy="Use another folder",
        )


def _check_chunk(chunk: Chunk) -> None:
    batch = chunk.batch
    for value, what in (
        (batch.queue, "a queue"),
        (batch.account, "an account"),
        (batch.parallel_environment, "a parallel environment"),
    ):
        if value is not None:
            _choice(value, what)
    for option in batch.options:
        if _ESCAPED.search(option) or not option.strip():
            raise BanzukeError(
                f"'{printable(option)}' is no option of the batch system",
                why="each has a line of its own in the script",
                remedy=f"Mend 'options' of partition {chunk.partition} in the site file",
            )
    for host in chunk.hosts:
        _match(_HOST, host, "a host's name", "letters, digits and . _ -")


def _choice(value: str, what: str) -> None:
    _match(_CHOICE, value, what, "letters, digits and _ . , : @ / + = -")


def _match(pattern: re.Pattern[str], text: str, what: str, allowed: str) -> None:
    if not pattern.fullmatch(text):
        raise BanzukeError(f"'{printable(text)}' cannot be {what}", why=f"it may have {allowed}")
