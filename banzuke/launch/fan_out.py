"""Runs one command, without MPI, on each of many hosts at once; no host holds up the others.

`srun` starts it in a Slurm job, ssh on hosts that no batch system provides. Both return lines in a format of this
module, because srun breaks lines of more than 1,023 bytes: the host's name, pieces of the command's lines, its exit
status.
"""

import contextlib
import os
import queue
import re
import shlex
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Literal

from banzuke.child import MOST_OUTPUT, captured, lines
from banzuke.errors import BanzukeError
from banzuke.launch.command import inherited
from banzuke.launch.process import begin, end_group
from banzuke.machine import allocation
from banzuke.machine.hosts import expanded, folded, short
from banzuke.paths import PYTHON

Way = Literal["srun", "ssh", "here"]
State = Literal["ok", "failed", "hung", "dead"]
OnLine = Callable[[str, str], None]
"""Receives a host and a line that the command wrote there."""
STARTING, STARTING_EACH = 20.0, 0.005
"""Seconds in which all hosts must begin, and additional seconds for each; ssh and Slurm give up on a host after
about 10 s.
"""
GRACE = 5.0
"""Seconds in which a host's own time limit ends what it started."""
MOST_CONNECTIONS = 1024
"""Largest number of ssh processes at a time; with more hosts, the others wait."""
DESCRIBE = (*PYTHON, "-m", "banzuke", "machine", "--json")
"""Words by which a host describes itself, with its clocks and BLAS libraries measured."""
DESCRIPTION = 180.0
"""Seconds in which it does so."""
CARRIED = ("BANZUKE_LIBEXEC", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Variables that ssh does not pass on, and without which what we start may not be found."""
LAST_WORDS = 1.0
"""Seconds to wait for output still under way when all hosts have ended."""
MOST_WAITING = 10_000
"""Largest number of lines that are read ahead of their consumer."""
LAST_LINES = 5
"""Lines of an error stream that are kept."""
TIMED_OUT = (124, 137)
"""Exit statuses of timeout(1): it ended the command, or had to kill it."""
TERMINATED = 143
_SRUN = (
    *(
        "--quiet",
        "--overlap",
        "--overcommit",
        "--cpu-bind=none",
        "--mem=0",
        "--mpi=none",
        "--input=none",
        "--export=ALL",
    ),
    *("--kill-on-bad-exit=0", "--no-kill", "--wait=0", "--label", "--ntasks-per-node=1", "--distribution=block"),
)
_ON_HOST = r"""
limit=$1; shift
echo "$SLURMD_NODENAME<"
exec 4>&1
status=$({ { timeout -k 2 "$limit" "$@" 3>&- 4>&-; echo $? >&3; } |
  LC_ALL=C sed -u -e 's/.\{800\}/&\\\n/g' -e 's/$/./' >&4; } 3>&1)
printf '\n%s>\n' "$status"
"""
r"""Script for a host. Each of its lines ends in `<` (the host's name: the command begins), `\` (the line goes on), `.`
(the line ends here) or `>` (exit status).
"""
_SAID = re.compile(r" *(\d+): ?(.*)")
"""Matches lines of srun --label, which begin with the task's number."""
_REFUSED = re.compile(r"failed on node (\S+): (.*)|Node failure on (\S+)")


@dataclass(frozen=True)
class HostOutcome:
    """The end of a command on a host."""

    state: State
    """`hung`: it began and did not end in time; `dead`: it could not be started."""
    status: int = 0
    """Exit status of a command that failed."""
    errors: str = ""
    """The last lines of its error stream, or why it could not be started."""


def way_to(hosts: Sequence[str], variables: Mapping[str, str]) -> Way:
    """Return how commands get from this host to the others, in a job with these variables."""
    if not hosts or (len(hosts) == 1 and not allocation.elsewhere(hosts)):
        return "here"
    return "srun" if "SLURM_JOB_ID" in variables and shutil.which("srun") else "ssh"


def carried(words: Sequence[str], way: Way) -> list[str]:
    """Return the words of a command of ours, with the variables that it needs where they are not passed on."""
    variables = [f"{name}={os.environ[name]}" for name in CARRIED if way == "ssh" and name in os.environ]
    return [*(["env", *variables] if variables else []), *words]


def fan_out(
    words: Sequence[str], hosts: Sequence[str], way: Way, *, seconds: float, on_line: OnLine
) -> dict[str, HostOutcome]:
    """Return how the command ended on each host; after `seconds` it is ended there. Raises BanzukeError where nothing
    can be started.

    Also ends what it started when it is interrupted.
    """
    call = _Call(tuple(words), seconds, on_line)
    if way == "ssh":
        return _by_ssh(call, hosts)
    if way == "here":
        return _carried_out(["sh", "-c", _ON_HOST, "sh", *call.limited], call, hosts).ended(hosts)
    return _by_srun(call, hosts)


@dataclass(frozen=True)
class _Call:
    words: tuple[str, ...]
    seconds: float
    on_line: OnLine

    @property
    def limited(self) -> list[str]:
        """Return the arguments of the script."""
        return [f"{self.seconds:g}", *self.words]


@dataclass
class _Host:
    begun: float
    """Time of `time.monotonic` when it began."""
    line: list[str] = field(default_factory=list)
    """Pieces of the present line; a line without an end is left out."""
    length: int = 0
    """Characters in these pieces."""
    status: int | None = None
    took: float = 0.0
    """Seconds until its exit status came."""


@dataclass
class _Heard:
    """The reports of the hosts so far."""

    call: _Call
    hosts: dict[str, _Host] = field(default_factory=dict)
    errors: dict[str, deque[str]] = field(default_factory=dict)
    open: int = 0
    """Number of hosts that have begun and not ended."""
    tasks: dict[str, str] = field(default_factory=dict)
    """Hosts by srun's task number."""

    def take_piece(self, host: str, text: str) -> None:
        """Process a line of the script `_ON_HOST`; lines before its first and after its last one are ignored."""
        mark, text = text[-1:], text[:-1]
        if mark == "<":
            self.hosts[host] = _Host(time.monotonic())
            self.open += 1
        elif (state := self.hosts.get(host)) and state.status is None:
            if mark in {"\\", "."} and state.length <= MOST_OUTPUT:
                state.line.append(text)
                state.length += len(text)
            if mark == ".":
                if state.length <= MOST_OUTPUT:
                    self.call.on_line(host, "".join(state.line))
                state.line.clear()
                state.length = 0
            if mark == ">" and text.isdecimal():
                state.status, state.took = int(text), time.monotonic() - state.begun
                self.open -= 1

    def take_error(self, host: str, line: str) -> None:
        self.errors.setdefault(host, deque(maxlen=LAST_LINES)).append(line)

    def take_labelled(self, text: str, *, failing: bool) -> None:
        """Process a line of srun, which holds a task's output, or names a host that it could not reach."""
        if label := _SAID.fullmatch(text):
            task, text = label.groups()
            if failing:
                self.take_error(task, text)
            elif task in self.tasks or text.endswith("<"):
                self.take_piece(self.tasks.setdefault(task, text[:-1]), text)
        elif refused := _REFUSED.search(text):
            self.take_error(refused[1] or refused[3], refused[2] or text)
        else:
            self.take_error("", text)

    def settle(self) -> None:
        """Assign error output that came before the names of the tasks' hosts were known."""
        for task, host in self.tasks.items():
            if task in self.errors:
                self.errors[host] = self.errors.pop(task)

    def ended(self, hosts: Sequence[str]) -> dict[str, HostOutcome]:
        return {host: self._ended(host) for host in hosts}

    def cut_short(self, host: str) -> bool:
        """Return whether something other than its own end or time limit may have ended it."""
        state = self.hosts.get(host)
        if state is None or state.status is None:
            return state is not None
        return state.status in {*TIMED_OUT, TERMINATED} and not self._over(state)

    def _over(self, state: "_Host") -> bool:
        """Return whether its time was up; its first line may have been read late."""
        return state.took >= self.call.seconds - GRACE

    def _ended(self, host: str) -> HostOutcome:
        errors = "\n".join(self.errors.get(host, ()))
        state = self.hosts.get(host)
        if state is None:
            return HostOutcome("dead", errors=errors or "\n".join(self.errors.get("", ["nothing was heard of it"])))
        if state.status is None:
            return HostOutcome("hung", errors=errors)
        if state.status in TIMED_OUT and self._over(state):
            return HostOutcome("hung", state.status, errors)
        return HostOutcome("failed" if state.status else "ok", state.status, errors)


def _carried_out(command: Sequence[str], call: _Call, hosts: Sequence[str], *, labelled: bool = False) -> _Heard:
    """Follow a process that starts the command on these hosts, until all that have begun have ended."""
    heard = _Heard(call)
    try:
        process = begin(command, inherited())
    except OSError as error:
        raise BanzukeError(f"cannot run {command[0]}", why=str(error)) from error
    starting = time.monotonic() + STARTING + STARTING_EACH * len(hosts)

    def left() -> float:
        if heard.open:
            return starting + call.seconds + GRACE - time.monotonic()
        return LAST_WORDS if len(heard.hosts) == len(hosts) else starting - time.monotonic()

    try:
        for text, failing in _lines(process, left):
            if labelled:
                heard.take_labelled(text, failing=failing)
            elif failing:
                heard.take_error(hosts[0], text)
            else:
                heard.take_piece(hosts[0], text)
    finally:
        end_group(process)
    heard.settle()
    return heard


def _lines(process: subprocess.Popen[str], left: Callable[[], float]) -> Iterator[tuple[str, bool]]:
    """Yield lines of a process, and whether they are from its error stream; `left` returns the seconds to wait for
    another.
    """
    waiting: queue.Queue[tuple[str, bool] | None] = queue.Queue(MOST_WAITING)
    over = threading.Event()

    def put(said: tuple[str, bool] | None) -> None:
        while not over.is_set():
            with contextlib.suppress(queue.Full):
                waiting.put(said, timeout=LAST_WORDS)
                return

    def read(pipe: IO[str], *, failing: bool) -> None:
        with pipe:
            for line in lines(pipe):
                put((line.rstrip("\n"), failing))
                if over.is_set():
                    return
        put(None)

    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe]
    for pipe in pipes:
        threading.Thread(target=read, args=(pipe,), kwargs={"failing": pipe is process.stderr}, daemon=True).start()
    closed = 0
    try:
        while closed < len(pipes):
            said = waiting.get(timeout=max(0.0, left()))
            if said is None:
                closed += 1
            else:
                yield said
    except queue.Empty:
        return
    finally:
        over.set()


def _by_srun(call: _Call, hosts: Sequence[str]) -> dict[str, HostOutcome]:
    """Run the command by srun, in each part of a heterogeneous job by itself, in which its hosts are."""
    parts = [set(map(short, part)) for part in allocation.groups(os.environ)]
    if len(parts) < 2:
        return _by_one_srun(call, hosts, ())
    ended: dict[str, HostOutcome] = {}
    for number, part in enumerate(parts):
        if own := [host for host in hosts if short(host) in part]:
            ended |= _by_one_srun(call, own, (f"--het-group={number}",))
    missing = HostOutcome("dead", errors="it is not one of the job's hosts")
    return {host: ended.get(host, missing) for host in hosts}


def _by_one_srun(call: _Call, hosts: Sequence[str], part: Sequence[str]) -> dict[str, HostOutcome]:
    """Run the command by srun with the options that name a part of the job. Slurm ends a whole step if one node does
    not start it; it is then started again on the others.
    """
    ended: dict[str, HostOutcome] = {}
    left = list(hosts)
    while left:
        where = [*part, f"--nodes={len(left)}", f"--ntasks={len(left)}", f"--nodelist={folded(left)}"]
        words = ["srun", *_SRUN, *where, "sh", "-c", _ON_HOST, "sh", *call.limited]
        heard = _carried_out(words, call, left, labelled=True)
        ended |= heard.ended(left)
        if not heard.hosts:
            again = _still_in_job(left)
        else:
            again = [host for host in left if heard.cut_short(host)] if len(heard.hosts) < len(left) else []
        left = again if len(again) < len(left) else []
    return {host: ended[host] for host in hosts}


def _still_in_job(hosts: Collection[str]) -> list[str]:
    """Return the hosts that Slurm still counts as the job's: it removes nodes that are down from a job with
    --no-kill.
    """
    words = ["squeue", "--noheader", "--format=%N", f"--jobs={os.environ.get('SLURM_JOB_ID', '')}"]
    try:
        allocated = set(expanded(captured(words, seconds=60).text.strip()))
    except (OSError, BanzukeError):
        return []
    return [host for host in hosts if host in allocated]


def _by_ssh(call: _Call, hosts: Sequence[str]) -> dict[str, HostOutcome]:
    from ClusterShell.Event import EventHandler  # noqa: PLC0415
    from ClusterShell.Task import task_self, task_terminate  # noqa: PLC0415

    heard = _Heard(call)

    class Handler(EventHandler):  # type: ignore[misc]
        def ev_read(self, _worker: object, node: str, sname: str, msg: bytes) -> None:
            text = msg.decode(errors="replace")
            if sname == "stderr":
                heard.take_error(node, text)
            else:
                heard.take_piece(node, text)

    task = task_self()
    task.set_default("stderr", True)
    for tree in ("stdout_msgtree", "stderr_msgtree"):  # these would keep all lines
        task.set_default(tree, False)
    task.set_info("fanout", min(len(hosts), MOST_CONNECTIONS))
    command = shlex.join(["sh", "-c", _ON_HOST, "sh", *call.limited])
    try:
        task.shell(
            command,
            nodes=folded(hosts),
            handler=Handler(),
            timeout=STARTING + call.seconds + GRACE,
            stdin=False,
        )
        task.resume()
    finally:
        task.abort(kill=True)
        task_terminate()
    return heard.ended(hosts)
