"""Grid Engine of a test's own, on the hosts of namespaces.py: a login node, which runs no jobs, and two others."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.clusters import LOGIN, Daemons, waiting
from tests.namespaces import CannotError, Hosts, joined_hosts
from tests.patience import PATIENCE

PROGRAMS = Path("/usr/lib/gridengine")
TOOLS = ("qconf", "qsub", "sge_qmaster", "sge_execd")
NODES = ("n1", "n2")
SLOTS = 4
"""Slots of each node; in the parallel environment `two`, a job gets two on each."""

BOOTSTRAP = """
admin_user none
default_domain none
ignore_fqdn true
spooling_method berkeleydb
spooling_lib libspoolb
spooling_params {folder}/database
binary_path {programs}
qmaster_spool_dir {folder}/master
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
TWO = """
pe_name two
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule 2
control_slaves TRUE
job_is_first_task FALSE
urgency_slots min
qsort_args NONE
accounting_summary FALSE
"""


@dataclass(frozen=True)
class GridEngine:
    """A cluster with one queue, `all.q`, of both nodes."""

    hosts: Hosts
    variables: dict[str, str]
    """Variables with which commands reach it."""

    def run(self, *words: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a command on the login node."""
        return self._carried_out(self.hosts.on(LOGIN, *words), variables)

    def banzuke(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run the installed command there, preloaded."""
        return self._carried_out([*self.hosts.banzuke(LOGIN), *map(str, words)], {})

    def _carried_out(self, words: list[str], variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            words,
            env=os.environ | self.variables | variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def ask(self, *words: str | Path) -> str:
        """Return the output of a command that must not fail."""
        done = self.run(*words)
        if done.returncode:
            raise CannotError(f"{words[0]}: {done.stdout}{done.stderr}".strip())
        return done.stdout

    def change(self, folder: Path, show: str, change: str, **values: str) -> None:
        """Change some values of a configuration that qconf shows and reads with these options."""
        lines = self.ask("qconf", *show.split()).splitlines()
        changed = [f"{key} {values[key]}" if (key := line.partition(" ")[0]) in values else line for line in lines]
        file = folder / "changed"
        file.write_text("\n".join(changed) + "\n")
        self.ask("qconf", change, file)


@contextlib.contextmanager
def grid_engine(folder: Path) -> Iterator[GridEngine]:
    """Start Debian's Son of Grid Engine 8.1.9. Raises CannotError."""
    root = folder / "root"
    common = root / "default" / "common"
    for made in (common, folder / "database", folder / "master", folder / "nodes"):
        made.mkdir(parents=True)
    for name in ("bin", "lib", "util", "utilbin"):
        (root / name).symlink_to(f"/var/lib/gridengine/{name}")
    (common / "bootstrap").write_text(BOOTSTRAP.format(folder=folder, programs=PROGRAMS))
    (common / "act_qmaster").write_text(f"{LOGIN}\n")
    # With SGE_ND the daemons stay in the foreground.
    variables = {"SGE_ROOT": str(root), "SGE_CELL": "default", "SGE_QMASTER_PORT": "6444", "SGE_EXECD_PORT": "6445"}
    with joined_hosts(folder, (LOGIN, *NODES)) as hosts, contextlib.ExitStack() as stack:
        daemons = Daemons(hosts, folder, variables | {"SGE_ND": "1"})
        stack.callback(daemons.kill_all)
        cluster = GridEngine(hosts, variables)
        _initialize(cluster, folder)
        daemons.start(LOGIN, "sge_qmaster")
        waiting(lambda: cluster.run("qconf", "-sh").returncode == 0, "no master", folder)
        for node in NODES:
            cluster.ask("qconf", "-ah", node)
            daemons.start(node, "sge_execd")
        _configure(cluster, folder)
        waiting(lambda: cluster.ask("qstat", "-f").count("lx-amd64") == len(NODES), "nodes do not answer", folder)
        yield cluster


def _initialize(cluster: GridEngine, folder: Path) -> None:
    """Initialize the cluster as Debian's init_cluster does; root may have jobs."""
    configuration = (Path("/usr/share/gridengine/default-configuration")).read_text()
    for default, wanted in (
        ("/var/spool/gridengine/execd", str(folder / "nodes")),
        ("min_uid                1000", "min_uid 0"),
        ("min_gid                1000", "min_gid 0"),
        ("load_report_time       00:00:40", "load_report_time 00:00:01"),
    ):
        configuration = configuration.replace(default, wanted)
    (folder / "configuration").write_text(configuration)
    resources = Path("/usr/share/gridengine/util/resources")
    cluster.ask(PROGRAMS / "spoolinit", "berkeleydb", "libspoolb", folder / "database", "init")
    for kind, what in (
        ("configuration", folder / "configuration"),
        ("complexes", resources / "centry"),
        ("usersets", resources / "usersets"),
        ("managers", "root"),
    ):
        cluster.ask(PROGRAMS / "spooldefaults", kind, what)


def _configure(cluster: GridEngine, folder: Path) -> None:
    """Configure one queue; jobs start within a second, however loaded this computer is."""
    (folder / "two").write_text(TWO)
    cluster.ask("qconf", "-Ap", folder / "two")
    template = cluster.run("qconf", "-aq", "all.q", EDITOR="cat").stdout
    queue = {"hostlist": " ".join(NODES), "slots": str(SLOTS), "pe_list": "two", "load_thresholds": "NONE"}
    lines = [
        f"{key} {queue[key]}" if (key := line.partition(" ")[0]) in queue else line for line in template.splitlines()
    ]
    (folder / "queue").write_text("\n".join(line for line in lines if not line.startswith(("added", "root@"))) + "\n")
    cluster.ask("qconf", "-Aq", folder / "queue")
    cluster.change(folder, "-ssconf", "-Msconf", schedule_interval="0:0:1", flush_submit_sec="1", flush_finish_sec="1")
    cluster.ask("qconf", "-as", LOGIN)
