"""The hosts that a batch system gave to this job."""

import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.machine.command import output
from banzuke.machine.hosts import expanded, short

_SLURM = "SLURM_JOB_NODELIST"
_GROUP = re.compile(_SLURM + r"_HET_GROUP_([0-9]{1,9})")
"""Of a heterogeneous job, the nodes of each part."""
_FILES = ("PE_HOSTFILE", "PBS_NODEFILE", "PJM_O_NODEINF")
"""One host a line, its first word, in Grid Engine once with its slots, elsewhere once for each of them."""
_FLUX = "FLUX_URI"
"""Of the Flux instance that this job has for itself, as `flux batch` and `flux alloc` start one."""
_RESOLVED = 8
"""Of the hosts, where none has this one's name: batch systems start a job on its first, and look-ups may be slow."""


def allocation(environment: Mapping[str, str]) -> list[str]:
    """Hosts of this job, in order and once each; empty when it has this one alone, or nothing is known.

    Of a job over unlike partitions those of the part that this host is in. A job of one host may have been started
    from another, as Slurm's `salloc` does from a login node.
    """
    parts = groups(environment)
    found = next((part for part in parts if not elsewhere(part)), parts[0] if parts else [])
    return found if len(found) > 1 or elsewhere(found) else []


def groups(environment: Mapping[str, str]) -> list[list[str]]:
    """Hosts of each part of this job, where the batch system tells parts apart; nothing where none is known."""
    try:
        found = [expanded(text) for text in _lists(environment)]
    except BanzukeError:
        return []
    return [part for part in found if part]


def elsewhere(hosts: Sequence[str]) -> bool:
    """Whether there are such hosts, but this is none of them."""
    here = short(socket.gethostname())
    return bool(hosts) and not any(short(host) == here for host in hosts) and not any(map(_ours, hosts[:_RESOLVED]))


def _ours(host: str) -> bool:
    """Whether the name or address leads to this host: nobody can take the address of another."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind((host, 0))
    except (OSError, UnicodeError):  # UnicodeError: longer than names may be
        return False
    return True


def _lists(environment: Mapping[str, str]) -> list[str]:
    """As the batch system says it."""
    parts = {int(name[1]): text for variable, text in environment.items() if (name := _GROUP.fullmatch(variable))}
    if parts:
        return [parts[number] for number in sorted(parts)]
    if text := environment.get(_SLURM):
        return [text]
    for variable in _FILES:
        if file := environment.get(variable):
            try:
                lines = read_named(Path(file)).decode(errors="replace").splitlines()
            except BanzukeError:
                continue
            return [",".join(words[0] for line in lines if (words := line.split()))]
    if environment.get(_FLUX) and (text := output(["flux", "getattr", "hostlist"], timeout=10)):
        return [text]
    return []
