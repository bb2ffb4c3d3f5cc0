"""Hosts under one kernel: each has its own name, interfaces and counters, and a switch joins them.

Nothing of them can be left behind: the namespaces have no names, and end with the processes in them, which end with the
tests that hold their input open.
"""

import contextlib
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import preloaded

TOOLS = ("ip", "tc", "unshare", "nsenter")
CARD = "eth0"
NETWORK = {
    "UCX_TLS": "tcp,self",
    "FI_PROVIDER": "tcp",
    "I_MPI_FABRICS": "ofi",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self",
}
"""Variables that leave each MPI library only TCP, because these hosts share memory, unlike real ones."""
WINDOW = 1 << 16
"""Bytes of a connection that may be under way."""
FOLDERS = ("/usr/sbin", "/sbin")
"""Folders that may hold the tools without being on PATH."""


class CannotError(Exception):
    """The failure of a command that makes a host, or what is on it."""


@dataclass(frozen=True)
class Hosts:
    processes: dict[str, int]
    """A process that lives on each host, by the host's name."""
    agent: Path
    """Program that replaces ssh: `agent HOST COMMAND...`."""

    @property
    def names(self) -> list[str]:
        return list(self.processes)

    @property
    def variables(self) -> dict[str, str]:
        """Return variables that make MPI's launchers use these hosts."""
        return {
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(self.agent),
            "PRTE_MCA_plm_ssh_agent": str(self.agent),
        }

    def on(self, host: str, *words: str | Path) -> list[str]:
        """Return the command that runs `words` on the host."""
        return [*entering(self.processes[host]), *map(str, words)]

    def banzuke(self, host: str) -> tuple[str, ...]:
        """Return the words that call the installed command there, preloaded; the call's own words follow."""
        return preloaded.command(self.processes[host])

    def carried(self, host: str) -> int:
        """Return the bytes that the host has received or sent so far, whichever is more."""
        counters = [f"/sys/class/net/{CARD}/statistics/{way}_bytes" for way in ("rx", "tx")]
        counts = subprocess.run(self.on(host, "cat", *counters), capture_output=True, text=True, check=True).stdout
        return max(map(int, counts.split()))

    @contextlib.contextmanager
    def shaped(self, rate: str, sending: Mapping[str, str] | None = None) -> Iterator[None]:
        """Limit both directions of each host's cable to `rate`, in the notation of tc. Raises CannotError.

        `sending`: limits for what these hosts send; they receive as the others do. A burst is small compared with a
        message, and the queue is long enough to drop no packet of one.
        """
        try:
            for host in self.names:
                shape = ("root", "tbf", "rate", (sending or {}).get(host, rate), "burst", "16kb", "limit", "16mb")
                carry_out(self.on(host, tool("tc"), "qdisc", "add", "dev", CARD, *shape))
            yield
        finally:
            for host in self.names:
                words = self.on(host, tool("tc"), "qdisc", "del", "dev", CARD, "root")
                subprocess.run(words, capture_output=True, check=False)


def limit_windows(hosts: Hosts) -> None:
    """Limit what each connection has under way, so that they share a slow cable as credits of other networks make them:
    else TCP fills its queue, and a connection that begins behind it gets less than its share. Raises CannotError.
    """
    for host in hosts.names:
        for buffer in ("tcp_wmem", "tcp_rmem"):
            carry_out(hosts.on(host, "sysctl", "-qw", f"net.ipv4.{buffer}=4096 {WINDOW} {WINDOW}"))


def tool(name: str) -> str:
    return shutil.which(name) or next((f"{folder}/{name}" for folder in FOLDERS if Path(folder, name).is_file()), name)


def missing_tools(names: Iterable[str]) -> list[str]:
    return [name for name in names if not Path(tool(name)).is_file()]


def refused(devices: Iterable[str] = ()) -> str:
    """Return why this kernel allows no hosts, or no mounts through these devices; empty if it does."""
    if absent := [device for device in devices if not Path(device).exists()]:
        return f"there is no {' and no '.join(absent)}"
    words = ["unshare", "--net", "--uts", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stderr.strip()


def entering(process: int) -> list[str]:
    return ["nsenter", f"--target={process}", "--net", "--uts", "--mount"]


def carry_out(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotError(f"{shlex.join(words)}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Divided:
    """A further switch, and the cable from it to the first one."""

    hosts: Sequence[str]
    """Hosts at this switch."""
    rate: str
    """Rate of the cable, in the notation of tc."""
    sending: str = ""
    """Rate of what this switch sends, if it differs from what it receives."""


@contextlib.contextmanager
def joined_hosts(folder: Path, names: Sequence[str] = ("h1", "h2"), *divided: Divided) -> Iterator[Hosts]:
    """Yield hosts that know each other by name, at one switch or at those joined to it. Raises CannotError."""
    addresses = {host: f"10.0.0.{number}" for number, host in enumerate(names, start=1)}
    hosts_file = folder / "hosts"
    hosts_file.write_text(
        "127.0.0.1 localhost\n" + "".join(f"{address} {host}\n" for host, address in addresses.items())
    )
    ip = tool("ip")
    bridges = dict.fromkeys(names, "bridge")
    with contextlib.ExitStack() as stack:
        switch = stack.enter_context(lives_on("switch", hosts_file))
        add_bridge(switch, "bridge")
        for number, further in enumerate(divided, start=1):
            join_bridge(switch, number, further)
            bridges.update(dict.fromkeys(further.hosts, f"bridge{number}"))
        processes = {host: stack.enter_context(lives_on(host, hosts_file)) for host in names}
        for host, address in addresses.items():
            words = f"link add {CARD} type veth peer name {host} netns {switch}".split()
            carry_out([*entering(processes[host]), ip, *words])
            carry_out([*entering(switch), ip, *f"link set {host} master {bridges[host]} up".split()])
            carry_out([*entering(processes[host]), ip, *f"address add {address}/24 dev {CARD}".split()])
            carry_out([*entering(processes[host]), ip, *f"link set {CARD} up".split()])
        for process in processes.values():
            wait_for_carrier(process)
        yield Hosts(processes, write_agent(folder / "agent", processes))


def add_bridge(switch: int, name: str) -> None:
    carry_out([*entering(switch), tool("ip"), "link", "add", name, "type", "bridge"])
    carry_out([*entering(switch), tool("ip"), "link", "set", name, "up"])


def join_bridge(switch: int, number: int, further: Divided) -> None:
    """Add a bridge, and a cable between it and the first one. Raises CannotError."""
    bridge, near, far = f"bridge{number}", f"near{number}", f"far{number}"
    add_bridge(switch, bridge)
    carry_out([*entering(switch), tool("ip"), *f"link add {near} type veth peer name {far}".split()])
    for end, at, rate in ((near, "bridge", further.rate), (far, bridge, further.sending or further.rate)):
        carry_out([*entering(switch), tool("ip"), *f"link set {end} master {at} up".split()])
        shape = ("root", "tbf", "rate", rate, "burst", "16kb", "limit", "16mb")
        carry_out([*entering(switch), tool("tc"), "qdisc", "add", "dev", end, *shape])


@contextlib.contextmanager
def lives_on(host: str, hosts_file: Path) -> Iterator[int]:
    """Yield a process on a new host, whose /sys is mounted again so that it shows the host's interfaces."""
    script = (
        f"hostname {host} && mount --bind {shlex.quote(str(hosts_file))} /etc/hosts && mount -t sysfs sysfs /sys"
        f" && {tool('ip')} link set lo up"
    )
    with living(["unshare", "--net", "--uts", "--mount", "sh", "-c", staying(script)]) as process:
        yield process


def staying(script: str) -> str:
    """Return the script, followed by what `living` waits for."""
    return f"{script} && echo there && exec cat"


@contextlib.contextmanager
def living(words: list[str]) -> Iterator[int]:
    """Yield a process that prints when it is ready, and ends when its input does. Raises CannotError."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        if not process.stdout or process.stdout.readline() != "there\n":
            _, errors = process.communicate()
            raise CannotError(errors.strip())
        yield process.pid


def wait_for_carrier(process: int) -> None:
    """Wait until the kernel calls the interface up, which may take a second, because MPI uses no other."""
    for _ in range(1000):
        words = [*entering(process), "cat", f"/sys/class/net/{CARD}/operstate"]
        if subprocess.run(words, capture_output=True, text=True, check=True).stdout == "up\n":
            return
        time.sleep(0.01)
    raise CannotError(f"{CARD} does not come up")


def write_agent(file: Path, processes: dict[str, int]) -> Path:
    cases = "".join(f"{host}) process={process};;\n" for host, process in processes.items())
    enter = shlex.join(entering(0)[:1]) + ' --target="$process" ' + shlex.join(entering(0)[2:])
    file.write_text(
        '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\n'  # ssh's options
        f'case "$1" in\n{cases}*) echo "agent: no host $1" >&2; exit 255;;\nesac\n'
        f'shift\nexec {enter} sh -c "$*"\n'
    )
    file.chmod(0o755)
    return file
