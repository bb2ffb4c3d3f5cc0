"""Tests of real isolation, of processes that the test starts itself in their own session."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cpu_lists import format_cpus
from banzuke.errors import BanzukeError
from banzuke.files.own import state_folder
from banzuke.isolation.control_groups import JOB as JOB_GROUP
from banzuke.isolation.control_groups import SYSTEM as SYSTEM_GROUP
from banzuke.isolation.journal import NAME
from banzuke.isolation.processes import Thread, threads_of
from banzuke.machine.tree import Tree

ROOT = Path(__file__).parents[2]
ALLOWED = sorted(os.sched_getaffinity(0))
SYSTEM, LAST = ALLOWED[0], ALLOWED[-1]
BANZUKE = [sys.executable, "-m", "banzuke"]
NEIGHBOUR = f"""
import os, signal, subprocess, threading

def live(cpus):
    os.sched_setaffinity(0, cpus)
    threading.Event().wait()

def bear(*_):
    subprocess.Popen(["sleep", "60"])
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    print("born", flush=True)

signal.signal(signal.SIGUSR1, bear)
for cpus in ({{{SYSTEM}}}, {{{LAST}}}):
    threading.Thread(target=live, args=(cpus,), daemon=True).start()
print("there", flush=True)
while True:
    signal.pause()
"""
READ_ALL = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""The sources and Python may be where nobody else can read them."""
pytestmark = pytest.mark.skipif(len(ALLOWED) < 2, reason="hardware: isolation needs two processors")

State = dict[int, tuple[frozenset[int], str, int]]


def state(process: int) -> State:
    """Return processors, control groups and policy of each thread."""
    threads: list[Thread] = threads_of(Tree(), process)
    return {thread.tid: (thread.affinity, thread.groups, os.sched_getscheduler(thread.tid)) for thread in threads}


def children(process: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []


@dataclass
class Session:
    """A neighbour, and a shell in its session that executes the requested command."""

    leader: subprocess.Popen[str]
    neighbour: int
    voice: TextIO
    """The neighbour's output."""

    def becomes(self, *words: str) -> None:
        assert self.leader.stdin
        self.leader.stdin.write("\n".join(words) + "\n\n")
        self.leader.stdin.flush()

    def isolates(self, *words: str) -> None:
        self.becomes(*BANZUKE, "isolate", "--processes", "session", *words)

    def said(self) -> str:
        """Return the next line of the command."""
        assert self.leader.stdout
        return self.leader.stdout.readline().strip()

    def ended(self) -> tuple[int, str, str]:
        out, err = self.leader.communicate(timeout=600)
        return self.leader.returncode, out, err


SHELL = """
"$1" -c "$2" < /dev/null >&"$3" 2> /dev/null & echo $!
eval "exec $3>&-"
set --
while read -r word && [ "$word" ]; do set -- "$@" "$word"; done
exec "$@"
"""


@contextlib.contextmanager
def starts(*prefix: str) -> Iterator[Session]:
    reading, writing = os.pipe()
    words = [*prefix, "bash", "-c", SHELL, "bash", sys.executable, NEIGHBOUR, str(writing)]
    pipe = subprocess.PIPE
    leader = subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True, pass_fds=[writing]
    )
    os.close(writing)
    voice = os.fdopen(reading)
    assert leader.stdout
    session = Session(leader, int(leader.stdout.readline()), voice)
    try:
        assert voice.readline() == "there\n"
        yield session
    finally:
        ends(session)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with starts() as session:
        yield session


def ends(session: Session) -> None:
    for process in (*children(session.neighbour), session.neighbour):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    session.leader.kill()
    session.leader.communicate()
    session.voice.close()


def restored(session: Session, before: State) -> None:
    assert state(session.neighbour) == before
    assert not (state_folder() / NAME).exists()
    assert not any(Path(f"/sys/fs/cgroup/cpuset/{name}").exists() for name in (SYSTEM_GROUP, JOB_GROUP))


def eventually(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it never came to that")


def confined(process: int) -> bool:
    return all(affinity == {SYSTEM} for affinity, _, _ in state(process).values())


def test_a_neighbour_is_moved_and_comes_back_exactly(session: Session) -> None:
    before = state(session.neighbour)
    assert {kept[0] for kept in before.values()} >= {frozenset(ALLOWED), frozenset({SYSTEM}), frozenset({LAST})}
    look = f"grep -h Cpus_allowed_list /proc/self/status /proc/{session.neighbour}/task/*/status"
    session.isolates("--os-cores", str(SYSTEM), "--", "sh", "-c", f"{look}; exit 7")
    status, out, err = session.ended()
    assert status == 7, err
    own, *others = [line.split()[1] for line in out.splitlines()]
    assert own == format_cpus(ALLOWED[1:])
    assert others == [str(SYSTEM)] * len(before)
    assert "isolated" in err
    restored(session, before)


def test_a_session_without_anybody_else_is_a_launchers(session: Session) -> None:
    """A launcher gives each process a session; then the session around it is isolated."""
    before = state(session.neighbour)
    look = f"grep -h Cpus_allowed_list /proc/{session.neighbour}/task/*/status"
    words = ("--processes", "session", "--os-cores", str(SYSTEM), "--", "sh", "-c", look)
    session.becomes("setsid", "--fork", "--wait", *BANZUKE, "isolate", *words)
    status, out, err = session.ended()
    assert status == 0, err
    assert [line.split()[1] for line in out.splitlines()] == [str(SYSTEM)] * len(before)
    restored(session, before)


def test_what_is_born_meanwhile_is_as_if_it_had_been_born_before(session: Session) -> None:
    before = state(session.neighbour)
    session.isolates("--os-cores", str(SYSTEM), "--", "sh", "-c", "echo run; read -r word")
    assert session.said() == "run"
    os.kill(session.neighbour, signal.SIGUSR1)
    assert session.voice.readline() == "born\n"
    (child,) = children(session.neighbour)
    assert confined(session.neighbour)
    assert confined(child)
    session.becomes()
    assert session.ended()[0] == 0
    after = state(session.neighbour)
    (new,) = after.keys() - before.keys()
    parent = before[session.neighbour]
    assert after.pop(new) == parent
    assert state(child)[child] == parent
    assert after == before


def test_what_the_job_leaves_behind_is_free_again(session: Session) -> None:
    before = state(session.neighbour)[session.neighbour]
    session.isolates("--os-cores", str(SYSTEM), "--", "sh", "-c", "setsid sleep 60 > /dev/null 2>&1 & echo $!")
    status, out, err = session.ended()
    assert status == 0, err
    process = int(out)
    assert state(process)[process] == before
    os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_command_and_its_end_is_ours(session: Session, sent: signal.Signals) -> None:
    before = state(session.neighbour)
    script = (
        f"import signal, time; signal.signal({int(sent)}, signal.SIG_DFL); print('run', flush=True); time.sleep(600)"
    )
    session.isolates("--", sys.executable, "-c", script)
    assert session.said() == "run"
    os.kill(session.leader.pid, sent)
    assert session.ended()[0] == -sent
    restored(session, before)


def test_a_killed_parent(session: Session) -> None:
    """The watchdog ends the job, including what has left its process group, and restores."""
    before = state(session.neighbour)
    session.isolates("--os-cores", str(SYSTEM), "--", "sh", "-c", "setsid sleep 600 & echo $!; wait")
    job = int(session.said())
    assert confined(session.neighbour)
    session.leader.kill()
    session.ended()
    eventually(lambda: not (state_folder() / NAME).exists())
    restored(session, before)
    eventually(lambda: not alive(job))


def test_a_killed_parent_and_a_killed_watchdog(session: Session) -> None:
    before = state(session.neighbour)
    session.isolates("--os-cores", str(SYSTEM), "--", "sleep", "600")
    eventually(lambda: confined(session.neighbour))
    eventually(lambda: len(children(session.leader.pid)) == 3)  # one is the neighbour
    watchdog = next(pid for pid in children(session.leader.pid) if os.getsid(pid) == pid)
    os.kill(watchdog, signal.SIGKILL)
    session.leader.kill()
    session.leader.wait()
    assert confined(session.neighbour)
    again = banzuke("isolate", "--processes", "session", "--", "true")
    assert again.returncode == 2
    assert "banzuke isolate --restore" in again.stderr
    undone = banzuke("isolate", "--restore")
    assert undone.returncode == 0, undone.stderr
    restored(session, before)
    assert json.loads(banzuke("isolate", "--restore", "--json").stdout) == {"restored": False, "problems": []}


def test_a_second_isolation_is_refused_and_the_first_goes_on(session: Session) -> None:
    before = state(session.neighbour)
    session.isolates("--", "sh", "-c", "echo run; read -r word")
    assert session.said() == "run"
    for words in (("--processes", "session", "--", "true"), ("--restore",)):
        second = banzuke("isolate", *words)
        assert second.returncode == 2, second.stderr
        assert f"process {session.leader.pid}" in second.stderr
        assert "read -r word" in second.stderr
    session.becomes()
    assert session.ended()[0] == 0
    restored(session, before)


def test_a_host_may_be_isolated_until_further_notice(session: Session) -> None:
    """Processes that start later must be able to leave again, so no control group is used."""
    before = state(session.neighbour)
    session.isolates("--os-cores", str(SYSTEM), "--apply", "--json")
    status, out, err = session.ended()
    assert status == 0, err
    document = json.loads(out)
    assert document["os_cores"] == str(SYSTEM)
    assert document["moved"]["by_group"] == 0
    assert document["moved"]["by_affinity"] >= 2
    assert confined(session.neighbour)
    assert {groups for _, groups, _ in state(session.neighbour).values()} == {before[session.neighbour][1]}
    assert banzuke("isolate", "--restore").returncode == 0
    restored(session, before)


@pytest.mark.skipif(os.getuid() != 0, reason="hardware: only root can become somebody else")
def test_without_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = 65534
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o755)
    (tmp_path / "runtime").mkdir(mode=0o700)
    os.chown(tmp_path / "runtime", nobody, nobody)
    with starts("setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups", *READ_ALL) as session:
        before = state(session.neighbour)
        session.isolates(
            "--os-cores",
            str(SYSTEM),
            "--",
            "sh",
            "-c",
            f"cat /proc/{session.neighbour}/task/*/status /proc/self/status",
        )
        status, out, err = session.ended()
        assert status == 0, err
        *others, own = re.findall(r"Cpus_allowed_list:\s*(\S+)", out)
        assert others == [str(SYSTEM)] * len(before)
        assert own == format_cpus(ALLOWED[1:])
        assert "control groups need root" in err
        assert state(session.neighbour) == before


@pytest.mark.skipif(os.getuid() != 0, reason="hardware: real-time priority needs root")
def test_real_time_and_locked_memory() -> None:
    script = "import ctypes, os; print(os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, "
    script += "ctypes.CDLL(None).mlockall(3), os.environ['BANZUKE_LOCK_MEMORY'])"
    words = ("isolate", "--processes", "session", "--realtime", "--lock-memory", "--", sys.executable, "-c", script)
    done = banzuke(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(os.SCHED_FIFO), "1", "0", "1"]
    assert "SCHED_FIFO" in done.stderr


def banzuke(*words: str) -> subprocess.CompletedProcess[str]:
    """Run banzuke in a session with a shell, so that nobody else's processes are moved."""
    variables = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "300"}
    command = ["setsid", "--wait", "sh", "-c", '"$@"; exit $?', "sh", *BANZUKE, *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=600, check=False)


def alive(process: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there is nothing to do"),
        (("--check", "--restore"), "--check and --restore exclude each other"),
        (("--apply", "--", "true"), "-- COMMAND and --apply exclude each other"),
        (("--apply", "--realtime"), "need a command"),
        (("--restore", "--os-cores", "0"), "--os-cores has no effect with --restore"),
        (("--restore", "--processes", "user"), "--processes has no effect with --restore"),
        (("--os-cores", "x", "--check"), "'x' is not a list of processors"),
        (("--os-cores", "999", "--check"), "processor 999 does not exist"),
        (("--os-cores", format_cpus(ALLOWED), "--check"), "no processor is left for the job"),
        (("--", "no-such-program-at-all"), "no such program"),
    ],
)
def test_refusals(words: Sequence[str], said: str) -> None:
    with pytest.raises(BanzukeError) as caught:
        CliRunner().invoke(app, ["isolate", *words], catch_exceptions=False)
    assert said in str(caught.value)


def test_the_check_changes_nothing_and_tells_the_split() -> None:
    done = CliRunner().invoke(app, ["isolate", "--check", "--json"], catch_exceptions=False)
    document = json.loads(done.stdout)
    system, job = document["os_cores"], document["job_cores"]
    assert set(document) == {"os_cores", "job_cores", "findings", "kernel_command_line"}
    assert f"irqaffinity={system}" in document["kernel_command_line"] or system == ""
    assert job
    names = [line["name"] for line in document["findings"]]
    assert "control groups" in names
    assert "boot parameter nohz_full" in names
