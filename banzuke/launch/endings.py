"""Finds out how a program with several ranks ended, and which rank ended first, from what was seen or its launcher
said.
"""

import re
import signal
from collections.abc import Collection
from dataclasses import dataclass

from banzuke.environment import cross_memory
from banzuke.launch.process import ProcessResult
from banzuke.launch.ranks import Process

_OPEN_MPI = re.compile(r"process rank (\d+) with PID \d+ on node \S+ exited\s+on\s+signal (\d+)")
_INTEL = re.compile(r"RANK (\d+) PID \d+ RUNNING AT \S+\s+=\s+KILLED BY SIGNAL: (\d+)")
"""Printed for every rank, including those that the launcher itself killed because of the first."""
_MPICH = re.compile(r"=\s+PID (\d+) RUNNING AT (\S+)\s+=\s+EXIT CODE: (\d+)")
"""On a busy machine this may be a process that the launcher killed, and so may be the one that we saw end first."""
_CONFUSED = 255
"""Status of a launcher that lost its other hosts; it then does not say that the code is a signal's number."""
_SPLIT = "mpi/pmi2: value not properly terminated in client request"
"""Printed by Slurm's plugin, which reads requests of PMI 1 in pieces of 1,024 bytes, and takes the rest of a longer one
for another request (pmi1.c).
"""
_ATTACHING = re.compile(r"process_vm_(readv|writev)|CMA_copy|Read -1, expected \d+, errno = 1\b")
"""Matches messages of MPICH, UCX and libfabric, and of Open MPI 4."""
_WITHOUT_WORDS = "See the MPI_ERROR field in MPI_Status for the error code"
"""Printed by MPICH where it waits for several messages and one of them failed so."""
_ANY = re.compile(r"\bsignal:? (\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Ending:
    """The end of a program: the signal, and the ranks that may have caused it."""

    signal: int = 0
    """Number of the signal; 0: it ended by itself."""
    suspects: tuple[Process, ...] = ()
    """One of these ended first, and the others because of it; empty: there are no others, or it is not known."""

    @property
    def who(self) -> str:
        return " or ".join(map(str, self.suspects))


def ending(outcome: ProcessResult, *, silent: bool) -> Ending:
    """Return how a program ended. If it was `silent`, without a record, its launcher's messages about signals refer to
    it.
    """
    number = -outcome.status if outcome.status < 0 else outcome.status - 128
    own = number if number in signal.valid_signals() else 0
    if not silent or not outcome.status:
        return Ending(own)
    text, processes = outcome.stdout + outcome.log, outcome.ranks.processes
    seen = (outcome.ranks.first,) if outcome.ranks.first else ()
    if named := _OPEN_MPI.search(text):
        return Ending(int(named[2]), _processes_of(processes, int(named[1])))
    if killed := {int(match[1]): int(match[2]) for match in _INTEL.finditer(text)}:
        return _intel(killed, processes, seen)
    words, mpich = _ANY.search(text), _MPICH.search(text)
    named_by_pid = tuple(p for p in processes if mpich and (str(p.pid), p.host) == mpich.groups()[:2])
    fatal = own or (int(words[1]) if words else 0)
    if mpich and not fatal and outcome.status == _CONFUSED:
        fatal = int(mpich[3])
    return Ending(fatal, tuple(dict.fromkeys(seen + named_by_pid)))


def misunderstood(log: str) -> str:
    """Return why ranks that Slurm started did not find each other, or ended, and what to do; empty: nothing indicates
    it.
    """
    if _SPLIT not in log:
        return ""
    return (
        "Slurm's pmi2 plugin misread a rank's message, which was longer than the plugin can take; "
        "name mpiexec as the partition's launcher"
    )


def forbidden(log: str, settings: Collection[str], number: int = 0) -> str:
    """Return that ranks probably ended because they could not read each other's memory, and what to do; or empty.

    For several ranks on one host. `settings`: their variables, as NAME=VALUE; `number`: the signal that ended them.
    """
    sure = _ATTACHING.search(log)
    doing_without = [f"{name}={value}" for name, value in cross_memory.READING.items()]
    perhaps = number == signal.SIGSYS or _WITHOUT_WORDS in log
    if not sure and (not perhaps or set(doing_without) <= set(settings)):
        return ""
    return (
        f"{'' if sure else 'probably '}cross-memory attach (CMA, process_vm_readv), by which ranks of a host copy "
        "large messages, is forbidden: by a filter of system calls (seccomp) or kernel.yama.ptrace_scope. "
        f"{cross_memory.REMEDY}, or do without, which copies twice: {' '.join(doing_without)}"
    )


def _intel(killed: dict[int, int], processes: tuple[Process, ...], seen: tuple[Process, ...]) -> Ending:
    """Return the end by the signals of the ranks: launchers only send SIGKILL, so any other is from the rank itself."""
    unlike = [rank for rank, number in killed.items() if number != signal.SIGKILL]
    if unlike or len(killed) == 1:
        rank = (unlike or list(killed))[0]
        return Ending(killed[rank], _processes_of(processes, rank))
    by_themselves = tuple(process for process in processes if process.rank not in killed)
    return Ending(0, by_themselves) if len(by_themselves) == 1 else Ending(signal.SIGKILL, seen)


def _processes_of(processes: tuple[Process, ...], rank: int) -> tuple[Process, ...]:
    return tuple(process for process in processes if process.rank == rank)
