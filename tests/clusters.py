"""Batch systems of a test's own, on the hosts of namespaces.py: a login node, which runs no jobs, and four others.

Nothing of them can be left behind: each daemon lives in a process namespace with all that it starts, including jobs,
and the namespace ends with the tests, even if tests are killed. All files are in the test's folder.
"""

import contextlib
import os
import random
import shlex
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.file_systems import PROCESSES
from tests.namespaces import CARD, NETWORK, CannotError, Hosts, carry_out, joined_hosts, living, staying, tool
from tests.patience import PATIENCE

SLURM = ("slurmctld", "slurmd", "sinfo", "munged", "mungekey")
LOGIN = "login"
NODES = ("n1", "n2", "n3", "n4")
OFI = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
"""Over UCX, MPICH 5.0 gives Slurm 4 KiB as a rank's address, mostly uninitialized heap (the FIXME in
MPIDI_UCX_comm_addr_exchange). Slurm's pmi2 plugin takes the part of a line after 1,024 bytes for another request, so
that ranks sometimes hang in MPI_Init. Addresses of OFI are short.
"""
Result = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Daemons:
    """The daemons of a batch system on hosts, and all that they have started, until they are stopped."""

    hosts: Hosts
    folder: Path
    """Folder with the log of each host."""
    variables: dict[str, str]
    living: dict[str, contextlib.ExitStack] = field(default_factory=dict)

    def start(self, host: str, command: str, first: str = "") -> None:
        """Start the command, in words of a shell, which must not go to the background by itself.

        `first`: shell commands that run before the host is entered; all that is started there inherits their effects,
        such as a control group.
        """
        log = shlex.quote(str(self.folder / f"{host}.log"))
        variables = shlex.join(f"{name}={value}" for name, value in self.variables.items())
        script = staying(f"{{ env {variables} {command} >> {log} 2>&1 < /dev/null & }}")
        words = self.hosts.on(host, *PROCESSES, "--mount", "--mount-proc", "sh", "-c", script)
        with contextlib.ExitStack() as stack:
            stack.enter_context(living(["sh", "-c", f'{first}exec "$@"', "sh", *words]))
            self.living[host] = stack.pop_all()

    def kill(self, host: str) -> None:
        self.living.pop(host).close()

    def kill_all(self) -> None:
        for host in list(self.living):
            self.kill(host)


@dataclass(frozen=True)
class Slurm:
    """A cluster with the partitions `main` (default; all nodes) and `large` (n3 and n4, which have more memory)."""

    hosts: Hosts
    variables: dict[str, str]
    """Variables with which commands reach it."""
    daemons: Daemons
    configuration: str

    def run(self, *words: str | Path, on: str = LOGIN, **variables: str) -> Result:
        """Run a command on the login node. Jobs that get its environment have only TCP for MPI."""
        return self._carried_out(self.hosts.on(on, *words), variables)

    def banzuke(self, *words: str | Path, **variables: str) -> Result:
        """Run the installed command on the login node, preloaded."""
        return self._carried_out([*self.hosts.banzuke(LOGIN), *map(str, words)], variables)

    def _carried_out(self, words: list[str], variables: dict[str, str]) -> Result:
        environment = os.environ | NETWORK | OFI | self.variables | variables
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def ask(self, *words: str | Path) -> str:
        """Return the output of a command that must not fail."""
        done = self.run(*words)
        if done.returncode:
            raise CannotError(f"{shlex.join(map(str, words))}: {done.stdout}{done.stderr}".strip())
        return done.stdout

    def nodes(self) -> dict[str, str]:
        """Return the state of each node."""
        return dict(line.split() for line in self.ask("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines())

    def job(self, number: str) -> dict[str, str]:
        """Return what scontrol knows of the job: JobState, Reason, ExitCode, ..."""
        words = self.ask("scontrol", "--oneliner", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_for_job(self, number: str, *states: str) -> dict[str, str]:
        self.wait_for(lambda: self.job(number)["JobState"] in states, f"job {number} is not {' or '.join(states)}")
        return self.job(number)

    def drain(self, node: str) -> None:
        self.ask("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=tests")

    def resume(self, nodes: Iterable[str]) -> None:
        """Resume nodes, waiting until the controller has heard of them."""
        for node in nodes:
            self.wait_for(partial(self._is_resumed, node), f"{node} cannot be resumed")

    def _is_resumed(self, node: str) -> bool:
        self.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
        return not self.nodes()[node].startswith(("drain", "down"))

    def cut_off(self, node: str, patience: int = 4) -> None:
        """Cut a node off as if it lost power: nothing runs there, its connections stay open. Known after some 10 s.

        `patience`: seconds after which a node that does not answer is down; on a busy machine others may be taken for
        down, too.
        """
        self._configure(self.configuration + IMPATIENT.format(node=patience, message=patience - 1))
        carry_out(self.hosts.on(node, tool("ip"), "link", "set", CARD, "down"))
        self.daemons.kill(node)

    def configure(self, lines: str) -> None:
        """Add lines to slurm.conf until the end of the test."""
        self._configure(self.configuration + lines)

    def _configure(self, text: str) -> None:
        if text != (file := Path(self.variables["SLURM_CONF"])).read_text():
            file.write_text(text)
            self.ask("scontrol", "reconfigure")

    def shut_down_controller(self) -> None:
        """Shut the controller down as an administrator does; jobs go on."""
        self.ask("scontrol", "shutdown", "slurmctld")
        self.wait_for(lambda: not (self.daemons.folder / "slurmctld.pid").exists(), "the controller goes on")
        self.daemons.kill(LOGIN)

    def crash_controller(self) -> None:
        """Kill the controller; after a restart it may or may not know jobs of the last seconds."""
        self.daemons.kill(LOGIN)

    def start_controller(self) -> None:
        self.daemons.start(LOGIN, "slurmctld -D")
        self.wait_for(lambda: self.run("scontrol", "ping").returncode == 0, "no controller")

    def restore(self) -> None:
        """Restore the cluster, whatever a test did to it, until all nodes are idle."""
        if LOGIN not in self.daemons.living:
            self.start_controller()
        self._configure(self.configuration)
        for node in NODES:
            carry_out(self.hosts.on(node, tool("ip"), "link", "set", CARD, "up"))
            if node not in self.daemons.living:
                self.daemons.start(node, "slurmd -D")
        self.run("scancel", "--user=root")
        self.resume(node for node, state in self.nodes().items() if state.startswith(("drain", "down")))
        self.wait_for(lambda: set(self.nodes().values()) == {"idle"}, "nodes are not idle")

    def wait_for(self, wanted: Callable[[], bool], otherwise: str) -> None:
        """Wait. Raises CannotError with the daemons' last output."""
        waiting(wanted, otherwise, self.daemons.folder)


def waiting(wanted: Callable[[], bool], otherwise: str, folder: Path) -> None:
    """Wait. Raises CannotError with the last output of the daemons that have logs in the folder."""
    end, pause = time.monotonic() + PATIENCE, 0.05
    while not wanted():
        if time.monotonic() > end:
            logs = [f"{log.name}: {log.read_text()[-1000:]}" for log in folder.glob("*.log")]
            raise CannotError("\n".join([f"{otherwise} after {PATIENCE} s", *logs]))
        time.sleep(pause)
        pause = min(1.2 * pause, 0.5)  # many conditions start a command


def on_login(folder: Path, hosts: Hosts, variables: dict[str, str], names: Iterable[str]) -> Path:
    """Return a folder for PATH, with commands that run on the login node of a batch system."""
    folder.mkdir()
    for name in names:
        words = hosts.on(LOGIN, "env", *(f"{key}={value}" for key, value in variables.items()), tool(name))
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


IMPATIENT = """
SlurmdTimeout={node}
MessageTimeout={message}
TCPTimeout=1
"""
"""Settings by which nodes that do not answer are soon down."""

SLURM_CONFIGURATION = """
ClusterName=tests
FirstJobId={first_job}
SlurmctldHost={login}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=pmi2
ReturnToService=2
SwitchType=switch/none
# So that nobody waits: jobs start at once.
SchedulerParameters=batch_sched_delay=0,bf_interval=1
KillWait=2
NodeName=n[1-2] CPUs=2 RealMemory=4000
NodeName=n[3-4] CPUs=2 RealMemory=8000 Feature=large
PartitionName=main Nodes=n[1-4] Default=YES MaxTime=60 State=UP
PartitionName=large Nodes=n[3-4] MaxTime=120 State=UP
"""


@contextlib.contextmanager
def slurm(folder: Path) -> Iterator[Slurm]:
    """Start Slurm 22.05 without accounting, as users have no database. Raises CannotError."""
    configuration = folder / "slurm.conf"
    # MPICH names its shared memory by the job's number, so that leftovers of a killed job would be in another's way.
    first_job = random.randrange(1000, 60_000_000)  # noqa: S311  (no secret)
    text = SLURM_CONFIGURATION.format(folder=folder, login=LOGIN, first_job=first_job)
    configuration.write_text(text)
    # Named explicitly, because Slurm otherwise looks for control groups, which the hosts do not have.
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    for made in ("state", *(f"{kind}.{node}" for kind in ("spool", "tmp") for node in NODES)):
        (folder / made).mkdir()
    variables = {"SLURM_CONF": str(configuration)}
    with joined_hosts(folder, (LOGIN, *NODES)) as hosts, munge(folder, hosts), contextlib.ExitStack() as stack:
        daemons = Daemons(hosts, folder, variables)
        stack.callback(daemons.kill_all)
        cluster = Slurm(hosts, variables, daemons, text)
        cluster.restore()
        yield cluster


@contextlib.contextmanager
def munge(folder: Path, hosts: Hosts) -> Iterator[None]:
    """Start munge with its own key."""
    # Its folder cannot be entered by others, which it would refuse without --force.
    script = """
mungekey --create --keyfile=munge.key
munged --force --socket=$PWD/munge.socket --key-file=$PWD/munge.key --pid-file=$PWD/munge.pid \\
  --log-file=$PWD/munge.log --seed-file=$PWD/munge.seed 2>&1
"""
    serving = staying(f'cd {shlex.quote(str(folder))} && said=$({script}) || {{ echo "$said" >&2; false; }}')
    with living(hosts.on(LOGIN, *PROCESSES, "--mount", "--mount-proc", "sh", "-c", serving)):
        yield
