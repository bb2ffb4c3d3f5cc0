"""Finds the hosts that a batch system gave to this job."""

import os
import re
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.machine.command import output
from banzuke.machine.hosts import expanded, short
from banzuke.units import count

_SLURM = "SLURM_JOB_NODELIST"
_GROUP = re.compile(_SLURM + r"_(?:HET|PACK)_GROUP_([0-9]{1,9})")
"""Variables with the nodes of each part of a heterogeneous job; PACK until Slurm 19.05."""
_FILES = ("PE_HOSTFILE", "PBS_NODEFILE", "PJM_O_NODEINF")
"""Variables of files with one host a line, as its first word: in Grid Engine once with its slots, elsewhere once
for each slot.
"""
_UNREAD = ("LSB_DJOB_HOSTFILE", "OAR_NODEFILE", "COBALT_NODEFILE", "LOADL_HOSTFILE")
"""Such files of batch systems on which reading them was never tested."""
_STEP, _STEP_NUMBER = "SLURM_STEP_NODELIST", "SLURM_STEP_ID"
_NO_PROGRAM = 0xFFFFFFF0
"""Steps with this number and above are Slurm's own: the batch script, the shell of `salloc`."""
_PER_TASK = "SLURM_CPUS_PER_TASK"
_PER_HOST = "SLURM_JOB_CPUS_PER_NODE"
"""Processors of each host: `4(x2),2`."""
_GRID_ENGINE = "PE_HOSTFILE"
"""Slots of each host: `n1 4 all.q@n1 0,0:0,1`; if the job was bound, with the socket and core of each."""
_FLUX = "FLUX_URI"
"""Variable of the job's own Flux instance, as started by `flux batch` and `flux alloc`."""
_RESOLVED = 8
"""Number of hosts that are looked up where none has this one's name: a job starts on its first, and
look-ups may be slow.
"""
_DIGITS = 12
_MOST_SLOTS = 1 << 18
_ASKING = 32
"""Threads that look names up at the same time."""
_PATIENCE = 10.0
"""Seconds for all look-ups."""


def allocation(environment: Mapping[str, str]) -> list[str]:
    """Return the hosts of this job, in order and once each; empty when it only has this one, or nothing is known.

    In a job over several partitions, these are the hosts of the part that this host is in. A job of one host may have
    been started from another, as Slurm's `salloc` does from a login node. In a step with fewer hosts than the job,
    these are the hosts of the step, because the others may belong to other steps. Raises BanzukeError for a list that
    cannot be read.
    """
    parts = [part for variable, text in _lists(environment) if (part := _read(variable, text))]
    hosts = next((part for part in parts if not elsewhere(part)), parts[0] if parts else [])
    hosts = _step(environment, hosts) or hosts
    return hosts if len(hosts) > 1 or elsewhere(hosts) else []


def groups(environment: Mapping[str, str]) -> list[list[str]]:
    """Return the hosts of each part of this job, where the batch system distinguishes parts; empty where
    none is known.
    """
    try:
        parts = [expanded(text) for _, text in _lists(environment)]
    except BanzukeError:
        return []
    return [part for part in parts if part]


def doubts(environment: Mapping[str, str], processors: int, cores: int | None = None) -> list[str]:
    """Return sentences about what this process lacks of its job's resources, by the batch system's variables.

    `processors`: the number that it may use, on this number of `cores`.
    """
    lines = _slot_doubts(environment, cores or processors)
    parts = groups(environment)
    with suppress(BanzukeError):
        if len(parts) == 1 and (mine := _step(environment, parts[0])):
            all_hosts = len(parts[0])
            lines.append(f"this step has {len(mine)} of the job's {all_hosts} hosts, and no others are used (--hosts)")
    if not parts and (variable := next((name for name in _UNREAD if environment.get(name)), "")):
        lines.append(f"the hosts in {variable} are not read: name them with --hosts")
    per_task = environment.get(_PER_TASK, "")
    if per_task.isascii() and per_task.isdecimal() and len(per_task) < _DIGITS and processors < int(per_task):
        lines.append(
            f"{processors} of the {per_task} processors that the job has for each task ({_PER_TASK}) may be used: since"
            f" 22.05 Slurm's srun gives them only with --cpus-per-task={per_task} or SRUN_CPUS_PER_TASK={per_task}; "
            "taskset may also have taken some"
        )
    return lines


def _slot_doubts(environment: Mapping[str, str], cores: int) -> list[str]:
    """Return sentences about slots: hosts are assumed to be alike, and only the kernel keeps a process from processors
    outside its job.

    A site may count cores as processors, and give all threads of each.
    """
    variable, slots, bound = _slots(environment)
    lines = []
    if len(set(slots)) > 1:
        shown = ", ".join(map(str, slots[:_RESOLVED])) + (", ..." if len(slots) > _RESOLVED else "")
        lines.append(
            f"the job's hosts have different numbers of processors ({variable}: {shown}), and all are used alike"
        )
    elif slots and slots[0] < cores:
        lines.append(f"the job has {count(slots[0], 'processor')} here ({variable}), of {cores} cores that may be used")
    if bound:
        lines.append(f"{variable} binds the job to processors ({bound}), which is not done here: use taskset")
    return lines


def _slots(environment: Mapping[str, str]) -> tuple[str, list[int], str]:
    """Return the variable, the processors of each host, and the cores to which the job is to be bound."""
    if text := environment.get(_PER_HOST):
        parts = [re.fullmatch(r"([0-9]{1,9})(?:\(x([0-9]{1,6})\))?", part) for part in text.split(",")]
        slots = [int(part[1]) for part in parts if part for _ in range(min(int(part[2] or 1), _MOST_SLOTS))]
        return (_PER_HOST, slots, "") if all(parts) else ("", [], "")
    if file := environment.get(_GRID_ENGINE):
        with suppress(BanzukeError):
            rows = [line.split() for line in read_named(Path(file)).decode(errors="replace").splitlines()]
            counted: dict[str, int] = {}
            for row in rows:
                if len(row) > 1 and row[1].isascii() and row[1].isdecimal() and len(row[1]) < _DIGITS:
                    counted[row[0]] = counted.get(row[0], 0) + int(row[1])
            bound = next((row[3] for row in rows if len(row) > 3 and re.fullmatch(r"[0-9]+,[0-9]+(:.*)?", row[3])), "")
            return _GRID_ENGINE, list(counted.values()), bound
    return "", [], ""


def _step(environment: Mapping[str, str], job: Sequence[str]) -> list[str]:
    """Return the hosts of this step where they are only some of the job's; empty: there is no step, or it
    has all hosts.
    """
    number = environment.get(_STEP_NUMBER, "0")
    if not environment.get(_STEP) or (number.isdecimal() and len(number) < _DIGITS and int(number) >= _NO_PROGRAM):
        return []
    hosts = _read(_STEP, environment[_STEP])
    return hosts if set(map(short, hosts)) < set(map(short, job)) else []


def _read(variable: str, text: str) -> list[str]:
    """Return the hosts in a variable's text. Raises BanzukeError."""
    try:
        return expanded(text)
    except BanzukeError as error:
        raise BanzukeError(
            f"{variable} does not give this job's hosts", why=error.problem, remedy="Name them with --hosts"
        ) from error


def elsewhere(hosts: Sequence[str]) -> bool:
    """Return whether there are hosts, but this is not one of them."""
    here = short(socket.gethostname())
    return bool(hosts) and not any(short(host) == here for host in hosts) and not any(map(_ours, hosts[:_RESOLVED]))


def nowhere(hosts: Sequence[str]) -> dict[str, str]:
    """Return why some hosts cannot be reached: they are neither this one nor the job's, and their names
    have no address.

    Takes a limited number of seconds; names that were not answered by then are left out.
    """
    here = {short(host) for part in groups(os.environ) for host in part} | {short(socket.gethostname())}
    others = [host for host in hosts if short(host) not in here]
    reasons: dict[str, str] = {}
    names = iter(others)

    def look_up() -> None:
        for host in names:
            if (why := _unknown(host)) and not _by_ssh(host):
                reasons[host] = why

    # These threads are not joined, because a look-up that no server answers cannot be ended.
    threads = [Thread(target=look_up, daemon=True) for _ in others[:_ASKING]]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _PATIENCE
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return {host: reasons[host] for host in others if host in reasons}


def _unknown(host: str) -> str:
    """Return why the name has no address; empty: it has one."""
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as error:  # UnicodeError: the name is too long
        return getattr(error, "strerror", None) or str(error)
    return ""


def _by_ssh(host: str) -> bool:
    """Return whether the user's ssh configuration has its own way to a host of this name."""
    said = dict(line.partition(" ")[::2] for line in (output(["ssh", "-G", host], timeout=10) or "").splitlines())
    by_another = any(said.get(name, "none") != "none" for name in ("proxyjump", "proxycommand"))
    return by_another or (said.get("hostname", host) != host and not _unknown(said["hostname"]))


@cache
def _ours(host: str) -> bool:
    """Return whether the name or address is this host's: no process can bind to the address of another."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind((host, 0))
    except (OSError, UnicodeError):  # UnicodeError: the name is too long
        return False
    return True


def _lists(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the batch system's variables with lists of hosts, and the text of each list."""
    parts = {int(name[1]): text for variable, text in environment.items() if (name := _GROUP.fullmatch(variable))}
    if parts:
        return [(_SLURM, parts[number]) for number in sorted(parts)]
    if text := environment.get(_SLURM):
        return [(_SLURM, text)]
    for variable in _FILES:
        if file := environment.get(variable):
            try:
                lines = read_named(Path(file)).decode(errors="replace").splitlines()
            except BanzukeError:
                continue
            return [(variable, ",".join(words[0] for line in lines if (words := line.split())))]
    if environment.get(_FLUX) and (text := output(["flux", "getattr", "hostlist"], timeout=10)):
        return [(_FLUX, text)]
    return []
