"""Runs a command on the job's processors and restores everything, however the command or this process ends.

A watchdog, forked before anything is changed, reads from a pipe that only this process holds open for writing. If that
is closed without a word, this process was killed: the watchdog ends the job and restores.
"""

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.isolation.control_groups import JOB
from banzuke.isolation.isolate import IsolationReport, isolate
from banzuke.isolation.journal import GroupMade, Journal, abandon, open_journal
from banzuke.isolation.moves import write
from banzuke.isolation.restore import MARK, end_job, restore
from banzuke.machine.tree import Tree
from banzuke.text import printable

FORWARDED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
PRIORITY = 1
"""Priority in SCHED_FIFO: above all ordinary threads, below all real-time ones of the kernel."""
_FROM_THE_KERNEL = 0x80
"""si_code of a signal that a terminal sent, which the command has received, too."""
_DONE = b"."
_CAP_IPC_LOCK = 14


@dataclass(frozen=True)
class ConfinedJob:
    command: list[str]
    realtime: bool = False
    lock_memory: bool = False

    def check(self) -> None:
        """Raise BanzukeError if the command cannot be started as asked, before anything is changed."""
        if self.realtime:
            before = os.sched_getscheduler(0), os.sched_getparam(0)
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
                os.sched_setscheduler(0, *before)
            except OSError as error:
                raise BanzukeError(
                    "--realtime is not possible",
                    why=f"SCHED_FIFO: {error.strerror}",
                    remedy="This needs root, or a real-time priority limit (ulimit -r) of at least 1",
                ) from error
        if self.lock_memory and not _may_lock():
            raise BanzukeError(
                "--lock-memory is not possible",
                why="the limit of locked memory cannot be lifted",
                remedy="This needs root, CAP_IPC_LOCK or ulimit -l unlimited",
            )


def _may_lock() -> bool:
    """Return whether any amount of memory may be locked, or a command can be allowed to lock it."""
    before = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    try:
        _lift()
    except (OSError, ValueError):
        lines = (Tree().text("proc/self/status") or "").splitlines()
        effective = next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
        return bool(effective >> _CAP_IPC_LOCK & 1)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, before)
    return True


def _lift() -> None:
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def run(
    tree: Tree, journal: Journal, report: IsolationReport, job: ConfinedJob, said: Callable[[IsolationReport], None]
) -> int:
    """Return the command's exit status, -N: ended by signal N. `said` is called when everything is in place.

    The report holds what could not be restored, also if BanzukeError is raised.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED | {signal.SIGCHLD})
    try:
        watchdog, line = _watch(tree, journal, report)
        try:
            isolate(tree, journal, report)
            said(report)
            return _command(tree, journal, report, job, before)
        finally:
            report.unrestored = restore(tree, journal)
            with contextlib.suppress(BrokenPipeError):  # somebody killed it
                os.write(line, _DONE)
            os.close(line)
            os.waitpid(watchdog, 0)
            journal.close()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def apply(tree: Tree, journal: Journal, report: IsolationReport) -> None:
    """Isolate until somebody calls `put_back`. Raises BanzukeError after restoring."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    try:
        isolate(tree, journal, report)
    except BaseException:
        report.unrestored = restore(tree, journal)
        raise
    finally:
        journal.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def put_back(tree: Tree, folder: Path) -> list[str] | None:
    """End the rest of the job, restore, and return what could not be restored; None: there was nothing to restore.

    Raises BanzukeError while the owner lives.
    """
    opened = open_journal(folder, tree)
    if not isinstance(opened, Journal):
        abandon(folder, opened)
        return None
    end_job(tree, opened.begun, _job_group(opened))
    problems = restore(tree, opened, last=True)
    opened.close()
    return problems


def end_as(status: int) -> None:
    """End this process as the command has ended."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # only the command's core dump matters
        if status != -signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def _command(
    tree: Tree, journal: Journal, report: IsolationReport, job: ConfinedJob, mask: set[int | signal.Signals]
) -> int:
    reading, writing = os.pipe()
    variables = os.environ | {MARK: journal.begun.mark} | ({"BANZUKE_LOCK_MEMORY": "1"} if job.lock_memory else {})
    alone = not os.isatty(0)
    process = os.fork()
    if process == 0:
        _become(tree, report, job, variables, mask, writing, alone=alone)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        problem = pipe.read()
    if alone:
        with contextlib.suppress(OSError):
            os.setpgid(process, process)
    status = _wait(process, alone=alone)
    if problem:
        raise BanzukeError(f"cannot start {job.command[0]}", why=problem)
    return status


def _wait(process: int, *, alone: bool) -> int:
    while True:
        info = signal.sigwaitinfo(FORWARDED | {signal.SIGCHLD})
        if info.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        elif alone or info.si_code != _FROM_THE_KERNEL:
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if alone else os.kill)(process, info.si_signo)


def _become(
    tree: Tree,
    report: IsolationReport,
    job: ConfinedJob,
    variables: Mapping[str, str],
    mask: set[int | signal.Signals],
    problem: int,
    *,
    alone: bool,
) -> None:
    """Prepare the child and replace it by the command."""
    try:
        if alone:  # otherwise, it shares our terminal and the terminal's signals
            os.setpgid(0, 0)
        if report.group:
            name = "tasks" if tree.exists(f"{report.group}/tasks") else "cgroup.procs"
            if why := write(tree, f"{report.group}/{name}", "0"):
                raise OSError(f"{report.group}: {why}")  # noqa: TRY301  # one way out for all
        os.sched_setaffinity(0, report.job)
        if job.lock_memory:
            with contextlib.suppress(OSError, ValueError):  # otherwise, CAP_IPC_LOCK permits it
                _lift()
        if job.realtime:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        for number in (*FORWARDED, signal.SIGPIPE, signal.SIGXFSZ):
            if number not in FORWARDED or signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.execvpe(job.command[0], job.command, variables)  # noqa: S606  # what it is for
    except OSError as error:
        os.write(problem, (error.strerror or str(error)).encode())
    finally:
        os._exit(127)


def _watch(tree: Tree, journal: Journal, report: IsolationReport) -> tuple[int, int]:
    """Fork the watchdog; return its number and the descriptor that keeps it waiting."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(reading)
        return process, writing
    status = 1
    try:
        os.close(writing)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, report.system)
        if os.read(reading, 1) != _DONE:
            journal.reload()
            end_job(tree, journal.begun, _job_group(journal))
            problems = restore(tree, journal)
            sys.stderr.write(printable("".join(f"banzuke isolate: {problem}\n" for problem in problems)))
        status = 0
    except (OSError, BanzukeError) as error:
        sys.stderr.write(printable(f"banzuke isolate: {error}\n"))
    finally:
        sys.stderr.flush()
        os._exit(status)


def _job_group(journal: Journal) -> str | None:
    made = [entry.path for entry in journal.entries if isinstance(entry, GroupMade)]
    return next((path for path in made if path.endswith(f"/{JOB}")), None)
