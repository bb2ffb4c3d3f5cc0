"""Reads the power of nodes by IPMI's DCMI command, which usually needs root."""

import json
import re
import socket
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.power.integrate import Sensor
from banzuke.power.sources import ASKED, OnHosts
from banzuke.power.streams import Hear

COMMAND = ("ipmitool", "dcmi", "power", "reading")
NAME = "ipmi/dcmi"
_INSTANT = re.compile(r"^\s*Instantaneous power reading:\s*(\d+)\s*Watts", re.MULTILINE | re.ASCII)
_STATE = re.compile(r"^\s*Power reading state is:\s*(\S+)", re.MULTILINE)
TIMEOUT = 10.0
_EACH_INTERVAL = r"""
interval=$1 limit=$2; shift 2
while :; do
  sleep "$interval" &
  begun=$(date +%s.%N)
  said=$(timeout "$limit" "$@" 2>&1); status=$?
  printf '%s\n' "$said" | sed 's/^/|/'
  printf '%s %s %s\n' "$status" "$begun" "$(date +%s.%N)" || exit
  wait
done
"""
"""Shell loop that runs a command once in an interval. Each line of its answer begins with a bar; a line with its exit
status and times ends it."""
_END = re.compile(r"(\d{1,3}) (\d+\.\d+) (\d+\.\d+)", re.ASCII)


@dataclass(frozen=True)
class Ipmi:
    """The power of this host, as its baseboard management controller (BMC) measures it."""

    host: str

    def sensors(self) -> Sequence[Sensor]:
        self.read()
        return [Sensor(NAME, "power", "node")]

    def read(self) -> Mapping[str, float]:
        try:
            said = captured(COMMAND, seconds=TIMEOUT)
        except OSError as error:
            raise BanzukeError(f"{' '.join(COMMAND)} cannot be run", why=str(error)) from error
        return {NAME: _watts(said.status, said.text, said.complaint)}


class IpmiOfHosts:
    """The power of many hosts: a process on each asks the host's own BMC once in an interval."""

    def __init__(self, hosts: Sequence[str], variables: Mapping[str, str], interval: float = ASKED) -> None:
        self._elsewhere = OnHosts(hosts, variables)
        self.interval, self.streams = interval, len(hosts)

    def start(self, hear: Hear) -> None:
        """Start reading. Raises BanzukeError where this host has no reading, because the others are like it."""
        Ipmi(socket.gethostname()).read()
        answers: dict[str, list[str]] = defaultdict(list)
        described: set[str] = set()

        def take(host: str, line: str | None) -> None:
            """Take a line of a host, and pass on the power when its answer is complete; None: the host ended."""
            name = f"{NAME} {host}"
            if line is None:
                hear(name, None)
            elif line.startswith("|"):
                answers[host].append(line[1:])
            elif end := _END.fullmatch(line):
                status, begun, ended = int(end[1]), float(end[2]), float(end[3])
                with suppress(BanzukeError):  # a missing reading shows as a gap
                    watts = _watts(status, "\n".join(answers.pop(host, [])))
                    if host not in described:
                        sensor = {"id": NAME, "kind": "power", "covers": "node"}
                        hear(name, json.dumps({"host": host, "time": ended, "sensors": [sensor]}))
                        described.add(host)
                    hear(name, json.dumps({"time": (begun + ended) / 2, "values": {NAME: watts}}))

        words = ["sh", "-c", _EACH_INTERVAL, "sh", f"{self.interval:g}", f"{TIMEOUT:g}", *COMMAND]
        self._elsewhere.start(words, take)

    def stop(self) -> None:
        self._elsewhere.stop(self.interval)


def _watts(status: int, text: str, complaint: str = "") -> float:
    """Return the power in an answer. Raises BanzukeError."""
    match, state = _INSTANT.search(text), _STATE.search(text)
    if status or not match:
        why = (complaint or text).strip().splitlines()
        raise BanzukeError(f"{' '.join(COMMAND)} gave no reading", why=why[0] if why else "")
    watts = float(match[1])
    # OpenBMC measures although it calls the state deactivated. A controller that is off or has no sensor reports 0 W.
    if not watts:
        reported = f"the state is {state[1]}, and " if state else ""
        raise BanzukeError(f"{' '.join(COMMAND)} gave no reading", why=f"{reported}it reports 0 W")
    return watts
