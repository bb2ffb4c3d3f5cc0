"""How a program with several ranks came to its end: whose end it was, as seen or in the words of its launcher."""

import re
import signal
from collections.abc import Collection
from dataclasses import dataclass

from banzuke.environment import cross_memory
from banzuke.launch.process import ProcessResult
from banzuke.launch.ranks import Process

_OPEN_MPI = re.compile(r"process rank (\d+) with PID \d+ on node \S+ exited\s+on\s+signal (\d+)")
_INTEL = re.compile(r"RANK (\d+) PID \d+ RUNNING AT \S+\s+=\s+KILLED BY SIGNAL: (\d+)")
"""Said of every rank, those too that the launcher itself killed because of the first."""
_MPICH = re.compile(r"=\s+PID (\d+) RUNNING AT (\S+)\s+=\s+EXIT CODE: (\d+)")
"""On a busy machine it may be a process that the launcher killed, and what we saw end first may be one too."""
_CONFUSED = 255
"""Status of a launcher that lost its other hosts; it does not say then that the code is a signal's number."""
_SPLIT = "mpi/pmi2: value not properly terminated in client request"
"""Its plugin reads requests of PMI 1 by 1,024 bytes, and takes what is left of a longer one for another (pmi1.c)."""
_ATTACHING = re.compile(r"process_vm_(readv|writev)|CMA_copy|Read -1, expected \d+, errno = 1\b")
"""In the words of MPICH, UCX and libfabric, and of Open MPI 4."""
_WITHOUT_WORDS = "See the MPI_ERROR field in MPI_Status for the error code"
"""MPICH's, where it waits for several messages and one of them failed so."""
_ANY = re.compile(r"\bsignal:? (\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Ending:
    """What ended a program."""

    signal: int = 0
    """0: none; it ended by itself."""
    suspects: tuple[Process, ...] = ()
    """One of these ended first, and the others because of it; none: there are no others, or nobody knows."""

    @property
    def who(self) -> str:
        return " or ".join(map(str, self.suspects))


def ending(outcome: ProcessResult, *, silent: bool) -> Ending:
    """A `silent` program gave no record: what its launcher says of signals is then about it."""
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
    """Why ranks that Slurm started did not find each other, or ended, and what to do; empty: nothing says so."""
    if _SPLIT not in log:
        return ""
    return (
        "Slurm's pmi2 plugin misread a rank's message, which was longer than the plugin can take; "
        "name mpiexec as the partition's launcher"
    )


def forbidden(log: str, settings: Collection[str], number: int = 0) -> str:
    """Whether ranks that could not read each other's memory are behind an end, perhaps by this signal, and what to do.

    Empty: nothing says so. Of several ranks on a host; `settings`: their variables, as NAME=VALUE.
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
    """Judges by the signals that ended the ranks: another than SIGKILL comes from none but the rank itself."""
    unlike = [rank for rank, number in killed.items() if number != signal.SIGKILL]
    if unlike or len(killed) == 1:
        rank = (unlike or list(killed))[0]
        return Ending(killed[rank], _processes_of(processes, rank))
    by_themselves = tuple(process for process in processes if process.rank not in killed)
    return Ending(0, by_themselves) if len(by_themselves) == 1 else Ending(signal.SIGKILL, seen)


def _processes_of(processes: tuple[Process, ...], rank: int) -> tuple[Process, ...]:
    return tuple(process for process in processes if process.rank == rank)
