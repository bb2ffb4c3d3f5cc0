"""Sources of readings: `banzuke-probe power` on all hosts, and sensors that must be polled."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

from banzuke.child import lines
from banzuke.errors import BanzukeError
from banzuke.launch.fan_out import fan_out, way_to
from banzuke.machine.probe import PROGRAM
from banzuke.paths import executables
from banzuke.power.integrate import Sensor
from banzuke.power.streams import Hear, SensorListener

INTERVAL = 0.1
"""Seconds between readings. RAPL counts every millisecond; timed parts should last 100 ms or more."""
ASKED = 1.0
"""Seconds between questions to a BMC, most of which update a reading once a second."""
MOST_THREADS = 32
MOST_LINES = 2000
"""Most lines per second of all hosts together."""
FIRST_LINE = 5.0
"""Seconds to wait for this host's first line."""
LONGEST = 20 * 86400.0
"""Seconds that a remote command may last: longer than any run, and within the milliseconds that poll(2) takes."""
ENDING = 2.0
"""Seconds in which a process may end by itself."""


KERNEL, DEVICES = "power", "watch"
"""Commands of the probe: the kernel's sensors, and devices by their drivers. Drivers may be slow or hang, so that
devices have a process of their own and delay nothing else."""


def probe_command(command: str, interval: float) -> list[str]:
    return [str(executables() / PROGRAM), command, "--interval", f"{interval:g}"]


class ThisHost:
    """The sensors of this host.

    The probe ends when the pipe that it reads is closed, so also when this process ends.
    """

    interval = INTERVAL
    streams = 1

    def __init__(self, command: str = KERNEL) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    def start(self, hear: Hear) -> None:
        """Start the probe, and a thread that reads its lines. Raises BanzukeError."""
        try:
            process = subprocess.Popen(
                probe_command(self._command, self.interval),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ,
                text=True,
                errors="replace",
                start_new_session=True,  # the keyboard's interrupt should not reach it
            )
        except OSError as error:
            raise BanzukeError(f"cannot run {PROGRAM}", why=str(error)) from error
        self._process = process

        def follow() -> None:
            for line in lines(process.stdout) if process.stdout else ():
                hear(self._command, line)
            hear(self._command, None)

        self._reader = threading.Thread(target=follow, daemon=True)
        self._reader.start()

    def stop(self) -> None:
        """End the probe by closing the pipe that it reads; kill it if that does not help."""
        if not self._process:
            return
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._reader:
            self._reader.join(ENDING)
        if self._process.stdout:
            self._process.stdout.close()


class OnHosts:
    """A command on each of many hosts whose lines are read until `stop`.

    A remote process is not told to end: it ends when nobody reads what it writes.
    """

    def __init__(self, hosts: Sequence[str], variables: Mapping[str, str]) -> None:
        self._hosts, self._way = hosts, way_to(hosts, variables)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, command: Sequence[str], take: Callable[[str, str | None], None]) -> None:
        """Run the command on the hosts. `take` gets a host and a line; None: there are no more."""

        def on_line(host: str, line: str) -> None:
            if self._over.is_set():
                raise _OverError
            take(host, line)

        def follow() -> None:
            with suppress(_OverError, BanzukeError):
                fan_out(command, self._hosts, self._way, seconds=LONGEST, on_line=on_line)
            for host in self._hosts:
                take(host, None)

        self._thread = threading.Thread(target=follow, daemon=True)
        self._thread.start()

    def stop(self, interval: float) -> None:
        """Stop reading; `interval`: seconds between lines."""
        self._over.set()
        if self._thread:
            self._thread.join(2 * interval + ENDING)


class AllHosts:
    """The sensors of many hosts, by one process on each, if this host, which stands for all, has any."""

    def __init__(self, hosts: Sequence[str], variables: Mapping[str, str], command: str = KERNEL) -> None:
        self._command, self._hosts = command, hosts
        self._elsewhere = OnHosts(hosts, variables)
        self.interval = max(INTERVAL, len(hosts) / MOST_LINES)
        self.streams = len(hosts)

    def start(self, hear: Hear) -> None:
        """Read this host first, and the others only if it has sensors or devices. Raises BanzukeError."""
        here, listener = ThisHost(self._command), SensorListener()
        try:
            here.start(listener.hear)
            listener.wait(lambda streams: any(stream.described or stream.over for stream in streams), FIRST_LINE)
        finally:
            here.stop()
        if not any(stream.sensors or stream.devices for stream in listener.streams):
            self.streams = 0
            return
        lines = max(len(stream.devices) for stream in listener.streams) or 1  # a reading has one line for each device
        self.interval = max(INTERVAL, lines * len(self._hosts) / MOST_LINES)
        command = ["sh", "-c", 'exec "$@" <&1', "sh", *probe_command(self._command, self.interval)]
        self._elsewhere.start(command, lambda host, line: hear(f"{self._command} {host}", line))

    def stop(self) -> None:
        self._elsewhere.stop(self.interval)


class _OverError(Exception):
    """Ends the thread that reads the lines of other hosts."""


class AskedSource(Protocol):
    """Sensors of a host that must be polled."""

    @property
    def host(self) -> str: ...

    def sensors(self) -> Sequence[Sensor]:
        """Return the sensors. Raises BanzukeError."""
        ...

    def read(self) -> Mapping[str, float]:
        """Return J or W by sensor. Raises BanzukeError."""
        ...


class Questions:
    """A source that polls each of several sensors once in an interval, some of them at the same time."""

    def __init__(self, asked: Sequence[AskedSource], interval: float = ASKED) -> None:
        self._asked = asked
        self.interval, self.streams = interval, len(asked)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, hear: Hear) -> None:
        """Start polling. Raises BanzukeError when one gives no answer at all."""
        with ThreadPoolExecutor(min(MOST_THREADS, len(self._asked))) as pool:
            for source, sensors in zip(self._asked, pool.map(lambda asked: asked.sensors(), self._asked), strict=True):
                listed = [{"id": s.id, "kind": s.kind, "covers": s.covers, "range": s.range} for s in sensors]
                hear(
                    _name(source),
                    json.dumps({"host": source.host, "time": time.time(), "ours": True, "sensors": listed}),
                )
        self._thread = threading.Thread(target=self._ask, args=(hear,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def _ask(self, hear: Hear) -> None:
        def ask(source: AskedSource) -> None:
            before = time.time()
            with suppress(BanzukeError):  # a missing reading shows as a gap
                values = source.read()
                hear(_name(source), json.dumps({"time": (before + time.time()) / 2, "values": dict(values)}))

        with ThreadPoolExecutor(min(MOST_THREADS, len(self._asked))) as pool:
            following = time.monotonic()
            while not self._over.wait(max(0.0, following - time.monotonic())):
                following = max(following + self.interval, time.monotonic())
                list(pool.map(ask, self._asked))


def _name(source: AskedSource) -> str:
    return f"{type(source).__name__} {source.host}"
