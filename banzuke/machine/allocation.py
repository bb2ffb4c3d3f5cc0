"""The hosts that a batch system gave to this job, or that the user names."""

import itertools
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import read_whole

_LIST = "SLURM_JOB_NODELIST"
_FILES = ("PBS_NODEFILE", "PJM_O_NODEINF")
"""One host a line, once for each of its slots."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESOLVED = 8
"""Of the hosts, where none has this one's name: batch systems start a job on its first, and look-ups may be slow."""
_MOST = 1 << 20
"""Hosts; more are a mistyped range."""


def allocation(environment: Mapping[str, str]) -> list[str]:
    """Hosts of this job, in order and once each; empty when it has this one alone, or nothing is known.

    A job of one host may have been started from another, as Slurm's `salloc` does from a login node.
    """
    try:
        found = _named(environment)
    except BanzukeError:
        return []
    return found if len(found) > 1 or elsewhere(found) else []


def elsewhere(hosts: Sequence[str]) -> bool:
    """Whether there are such hosts, but this is none of them."""
    here = _short(socket.gethostname())
    return bool(hosts) and not any(_short(host) == here for host in hosts) and not any(map(_ours, hosts[:_RESOLVED]))


def _short(host: str) -> str:
    return host.partition(".")[0].lower()


def _ours(host: str) -> bool:
    """Whether the name or address leads to this host: nobody can take the address of another."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind((host, 0))
    except (OSError, UnicodeError):  # UnicodeError: longer than names may be
        return False
    return True


def _named(environment: Mapping[str, str]) -> list[str]:
    if text := environment.get(_LIST):
        return hosts(text)
    for variable in _FILES:
        if name := environment.get(variable):
            try:
                lines = read_whole(Path(name)).decode(errors="replace").splitlines()
            except BanzukeError:
                continue
            return hosts(",".join(words[0] for line in lines if (words := line.split())))
    return []


def hosts(text: str) -> list[str]:
    """`a,b`, or with ranges as Slurm writes them, `node[01-03,7]`, in order and once each. Raises BanzukeError."""
    found: dict[str, None] = {}
    for entry in _split(text):
        for parts in itertools.islice(itertools.product(*_choices(entry)), _MOST):
            name = "".join(parts)
            if not _NAME.fullmatch(name):
                raise _wrong(entry)
            found[name] = None
    return list(found)


def _split(text: str) -> list[str]:
    """At the commas outside brackets."""
    return [entry.strip() for entry in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", text) if entry.strip()]


def _choices(entry: str) -> list[list[str]]:
    """What stands at each place: a text, or the members of a bracket."""
    pieces = re.split(r"\[([^\[\]]*)\]", entry)
    return [_members(piece, entry) if number % 2 else [piece] for number, piece in enumerate(pieces)]


def _members(text: str, entry: str) -> list[str]:
    found: list[str] = []
    for part in text.split(","):
        ends = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part.strip())
        first, last = (ends[1], ends[2] or ends[1]) if ends else ("1", "0")
        if not 0 <= int(last) - int(first) < _MOST:
            raise _wrong(entry)
        found += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return found


def _wrong(entry: str) -> BanzukeError:
    return BanzukeError(
        f"'{entry[:80]}' is not a list of hosts", remedy="Write names with commas between, or node[01-12]"
    )
