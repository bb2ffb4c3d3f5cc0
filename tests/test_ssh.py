"""Tests of hosts that are reached by the real ssh, as without a batch system: each runs an sshd."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from banzuke.testing import patiently
from tests.clusters import Daemons, waiting
from tests.conftest import WATT, Result, Wrapped
from tests.namespaces import NETWORK, Hosts, missing_tools, tool
from tests.patience import PATIENCE
from tests.screening import Screened
from tests.test_hosts import settings

TOOLS = ("sshd", "ssh", "ssh-keygen")
CONFIGURATION = """
HostKey {folder}/key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
SetEnv HOME={folder}
"""
"""The home folder is empty, because what a user's shell prints at its start would be taken for what a command said."""
CALL = """#!/bin/sh
exec {ssh} -o LogLevel=ERROR -F none -i {folder}/key -o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=30 \\
  -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$@"
"""
PAIR = ("pt2pt", "--nodes", "2", "--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=20")


@dataclass(frozen=True)
class Reached:
    hosts: Hosts
    daemons: Daemons
    call: Path
    """The ssh command, with a key that the hosts know."""

    def on_first(self, *words: str | Path, **variables: str) -> Result:
        return self._carried_out(self.hosts.on(self.hosts.names[0], *words), variables)

    def banzuke(self, *words: str | Path, **variables: str) -> Result:
        """Run the installed command on the first host, preloaded."""
        return self._carried_out([*self.hosts.banzuke(self.hosts.names[0]), *map(str, words)], variables)

    def _carried_out(self, words: list[str], variables: dict[str, str]) -> Result:
        launcher = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": str(self.call)}
        return subprocess.run(
            words,
            env=os.environ | NETWORK | launcher | variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def start(self, host: str) -> None:
        # The folder that sshd needs exists only there.
        command = f"{tool('sshd')} -D -e -f {self.call.parent}/sshd_config"
        self.daemons.start(host, f"sh -c 'mount -t tmpfs tmpfs /run && mkdir /run/sshd && exec {command}'")
        reaching = ("sh", "-c", f"{self.call} {host} true")
        waiting(lambda: self.on_first(*reaching).returncode == 0, f"no sshd on {host}", self.daemons.folder)


@pytest.fixture(scope="module")
def ssh(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    if missing := missing_tools(TOOLS):
        pytest.skip(f"not installed: {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("ssh")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
    (folder / "sshd_config").write_text(CONFIGURATION.format(folder=folder))
    (folder / "call").write_text(CALL.format(folder=folder, ssh=tool("ssh")))
    (folder / "call").chmod(0o755)
    reached = Reached(hosts, Daemons(hosts, folder, {}), folder / "call")
    try:
        for host in hosts.names:
            reached.start(host)
        yield reached
    finally:
        reached.daemons.kill_all()


def test_ranks_are_started_on_a_list_of_hosts(ssh: Reached, results: Path) -> None:
    listed = ",".join(ssh.hosts.names)
    done = ssh.banzuke("run", *PAIR, "--hosts", listed, BANZUKE_RESULTS=str(results))
    assert done.returncode == 0, done.stderr
    (file,) = results.glob("*/records-*.jsonl")
    record = json.loads(file.read_text())
    assert record["status"] == "ok"
    assert record["groups"][0]["hosts"] == [{"names": "h[1-2]", "ranks": "0-1"}]


def test_a_host_that_does_not_answer_is_told(ssh: Reached, results: Path) -> None:
    first, second = ssh.hosts.names
    ssh.daemons.kill(second)
    words = ("run", *PAIR, "--timeout", "100", "--hosts", f"{first},{second}")
    done = ssh.banzuke(*words, BANZUKE_RESULTS=str(results))
    ssh.start(second)
    assert done.returncode == 1
    (file,) = results.glob("*/records-*.jsonl")
    record = json.loads(file.read_text())
    assert record["status"] == "failed"
    assert "connect to host h2 port 22: Connection refused" in record["reason"]


FANNED_OUT = """
import json, sys
from banzuke.launch.fan_out import fan_out, way_to
hosts, lines = ["h1", "h2", "h3"], []
script = 'echo "$(hostname) $1"; [ $(hostname) = h1 ] || { echo late >&2; sleep 10000; }'
ended = fan_out(
    ["sh", "-c", script, "sh", "a  b"], hosts, way_to(hosts, {}),
    seconds=float(sys.argv[1]), on_line=lambda *said: lines.append(said),
)
json.dump([{host: [of.state, of.errors] for host, of in ended.items()}, lines], sys.stdout)
"""


def test_a_command_goes_to_hosts_without_mpi(ssh: Reached, tmp_path: Path) -> None:
    (tmp_path / "ssh").symlink_to(ssh.call)
    path = f"{tmp_path}:{os.environ['PATH']}"

    def fanned_out(factor: float) -> None:
        """Connect within this time, which the one that hangs takes in any case."""
        done = ssh.on_first(sys.executable, "-c", FANNED_OUT, str(4 * factor), PATH=path)
        assert done.returncode == 0, done.stderr
        ended, lines = json.loads(done.stdout)
        assert ended["h1"] == ["ok", ""]
        assert ended["h2"] == ["hung", "late"]
        assert ended["h3"][0] == "dead"
        assert "Could not resolve hostname h3" in ended["h3"][1]
        assert sorted(lines) == [["h1", "h1 a  b"], ["h2", "h2 a  b"]]

    patiently(fanned_out)


def test_the_energy_of_several_hosts_is_that_of_each(
    ssh: Reached, results: Path, wrapped: Wrapped, package: Path, tmp_path: Path
) -> None:
    """The made counter represents one on each host. Beside other tests each message takes a millisecond; where they are
    too short for a figure, there are more.
    """
    (tmp_path / "ssh").symlink_to(ssh.call)
    probe = f'case "$1" in power) exec "$real" "$@" --root {package};; *) exec "$real" "$@";; esac'
    variables = wrapped(probe, "banzuke-probe") | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def measured(factor: float) -> None:
        folder = results / f"{factor:g}"
        sizes = settings("test=latency", "min_size=8", "max_size=8", f"iterations={3_000 * factor:g}")
        words = ("run", "pt2pt", "--nodes", "2", *sizes, "--hosts", ",".join(ssh.hosts.names))
        done = ssh.banzuke(*words, BANZUKE_RESULTS=str(folder), **variables)
        assert done.returncode == 0, done.stderr
        (file,) = folder.glob("*/records-*.jsonl")
        energy = json.loads(file.read_text())["energy"]
        assert energy["unmeasured"] is None, energy["sensors"]
        assert [(sensor["id"], sensor["hosts"]) for sensor in energy["sensors"]] == [
            ("powercap/intel-rapl:0", "h[1-2]")
        ]
        assert energy["joule"] / energy["seconds"] == pytest.approx(2 * WATT, rel=0.2)

    patiently(measured)

    def left() -> str:
        """Return the command lines there; a probe ends when it sees that its reader has."""
        return ssh.on_first("sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").stdout

    waiting(lambda: f"--root {package}" not in left(), "a process is left on a host", ssh.daemons.folder)


@pytest.mark.thorough  # unit tests judge invented nodes of unlike types
def test_hosts_of_unlike_types_are_screened_apart_and_too_few_to_tell_a_slow_one(
    ssh: Reached, programs: Path, tmp_path: Path
) -> None:
    screened = Screened(tmp_path, programs, messages=True, odd="h2")
    (tmp_path / "ssh").symlink_to(ssh.call)
    path = f"{tmp_path}:{os.environ['PATH']}"
    words = ("screen", "--hosts", "h[1-2]", "--minutes", "0.01", "--json")
    done = ssh.banzuke(*words, PATH=path, **screened.variables)
    assert done.returncode == 2, done.stderr
    document = json.loads(done.stdout)
    assert [node["verdict"] for node in document["nodes"]] == ["unknown", "unknown"]
    assert [remark["code"] for remark in document["remarks"]] == ["judge-too-few"] * 2
    assert done.stderr.count("STREAM: 1 of 1 node verified") == 2
    (kept,) = (tmp_path / "results").glob("*/launches.json")
    assert len(json.loads(kept.read_text())) == 2, "planned for each type"
    assert "Point to point between 2 nodes: verified" in done.stderr
