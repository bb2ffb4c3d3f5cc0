"""Reads the power of a node from its BMC by Redfish (DMTF DSP0266 protocol, DSP2046 resources).

The chassis names the resource: `EnvironmentMetrics` (since 2020.4) where there is one, else `Power`.
"""

import base64
import json
import math
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.power.integrate import Sensor

TIMEOUT = 5.0
"""Seconds for an answer, and before that for a connection."""
MOST_BYTES = 1 << 20
"""Largest answer in bytes."""
NAME = "redfish"
CREDENTIALS = "BANZUKE_REDFISH_CREDENTIALS"
"""Variable that names a file with `user:password` on one line, which nobody else may read."""
OK = 200
"""HTTP status of a complete answer."""
_PART_CONTEXTS = {
    "CPU", "CPUSubsystem", "Memory", "MemorySubsystem", "GPU", "GPUSubsystem", "Accelerator", "Fan", "StorageDevice",
    "StorageSubsystem", "NetworkingDevice", "VoltageRegulator", "ASIC", "FPGA",
}  # fmt: skip
_PART_NAME = re.compile(
    r"sub-?\s?system|\b(cpus?|processors?|memory|dimms?|gpus?|accelerators?|fans?|storage)\d*\b", re.IGNORECASE
)
_PART_ITEM = re.compile(r"/(Processors|Memory)(/|$)|#/(ProcessorSummary|MemorySummary)")
_SHOWN = 200
"""Most characters of names that an error shows."""
AUTHORITY = "BANZUKE_REDFISH_CA"
"""Variable that names a file with the certificates that controllers are checked by, in place of the system's."""


@dataclass(frozen=True)
class Access:
    """Authentication to controllers."""

    authorization: str = ""
    """Authorization header; empty: none is needed."""
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Access":
        """Return the access that these variables ask for. Raises BanzukeError."""
        try:
            tls = ssl.create_default_context(cafile=variables.get(AUTHORITY))
        except OSError as error:
            raise BanzukeError(f"cannot read the certificates of {AUTHORITY}", why=str(error)) from error
        if not (file := variables.get(CREDENTIALS)):
            return cls(tls=tls)
        path = Path(file)
        content = read_named(path, MOST_BYTES).strip()
        if path.stat().st_mode & 0o077:
            raise BanzukeError(f"others can read {path}", remedy=f"chmod 600 {path}")
        if b":" not in content or b"\n" in content:
            raise BanzukeError(f"{path} holds no credentials", remedy="Write user:password on one line")
        return cls("Basic " + base64.b64encode(content).decode(), tls)


@dataclass
class Redfish:
    """A chassis, `https://bmc/redfish/v1/Chassis/1`. Certificates are checked; redirections are not followed."""

    host: str
    address: str
    access: Access = field(repr=False)
    _resource: str = ""
    """Address of the resource that has the power."""

    def sensors(self) -> Sequence[Sensor]:
        """Return the one sensor, which is the power of the chassis. Raises BanzukeError."""
        if urlsplit(self.address).scheme != "https":
            raise BanzukeError(f"{self.address} is not an https address", why="credentials would be sent unencrypted")
        chassis = self._get(self.address)
        if len(systems := _systems(chassis)) > 1:
            listing = ", ".join(systems)[:_SHOWN]
            raise BanzukeError(f"{self.address} is not the chassis of one node", why=f"these are in it: {listing}")
        why = "its chassis has neither EnvironmentMetrics nor Power"
        for member in ("EnvironmentMetrics", "Power"):
            link = chassis.get(member)
            if not isinstance(link, dict) or not isinstance(link.get("@odata.id"), str):
                continue
            address = self._beside(link["@odata.id"])
            resource = self._get(address)
            if _watts(resource) is not None:
                self._resource = address
                return [Sensor(f"{NAME}/{member}", "power", "node")]
            why = f"its {member} has no reading of power"
            names = [_name(entry) or "one without a name" for entry in _entries(resource)]
            if len(names) > 1 and not _whole(resource):
                why = f"its {member} does not show which of these is the whole: {', '.join(names)[:_SHOWN]}"
        raise BanzukeError(f"{self.address} reports no power", why=why)

    def read(self) -> Mapping[str, float]:
        watts = _watts(self._get(self._resource))
        return {} if watts is None else {f"{NAME}/{self._resource.rpartition('/')[2]}": watts}

    def _beside(self, link: str) -> str:
        """Return the address of another resource of this controller. Raises BanzukeError."""
        try:
            address = urljoin(self.address, link)
            same = urlsplit(address)[:2] == urlsplit(self.address)[:2]
        except ValueError as error:
            raise BanzukeError(f"{self.address} points to an invalid address", why=str(error)) from error
        if not same:
            raise BanzukeError(f"{self.address} points to another host", why=address)
        return address

    def _get(self, address: str) -> Mapping[str, Any]:
        try:
            resource = json.loads(_answer(address, self.access))
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            raise BanzukeError(f"{address} does not answer", why=str(error) or type(error).__name__) from error
        if not isinstance(resource, dict):
            raise BanzukeError(f"{address} is no Redfish resource")
        return resource


def _answer(address: str, access: Access) -> bytes:
    """Return the first `MOST_BYTES` bytes of an answer. Raises OSError, HTTPException, or ValueError for a bad address.

    A redirection is an error and not followed, so that the password goes to nobody else.
    """
    headers = {"Accept": "application/json", "OData-Version": "4.0"}
    if access.authorization:
        headers["Authorization"] = access.authorization
    where = urlsplit(address)
    path = where._replace(scheme="", netloc="", fragment="").geturl() or "/"
    with closing(HTTPSConnection(where.netloc.rpartition("@")[2], timeout=TIMEOUT, context=access.tls)) as connection:
        connection.connect()
        # The socket's own time limit starts anew with each byte.
        end = threading.Timer(TIMEOUT, _shut, [connection.sock])
        end.start()
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            content = answer.read(MOST_BYTES)
        except (OSError, HTTPException, ValueError) as error:
            if end.is_alive():
                raise
            raise TimeoutError(f"no whole answer within {TIMEOUT:g} s") from error
        finally:
            end.cancel()
    if answer.status != OK:
        refused = ": wrong or no credentials" if answer.status in {401, 403} else ""
        raise HTTPException(f"HTTP status {answer.status}{refused}")
    return content


def _shut(connection: socket.socket) -> None:
    """Shut a connection down, so that its reader sees the end of the stream."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _systems(chassis: Mapping[str, Any]) -> list[str]:
    links = chassis.get("Links")
    systems = links.get("ComputerSystems") if isinstance(links, dict) else None
    identifiers = (
        [system.get("@odata.id") for system in systems if isinstance(system, dict)] if isinstance(systems, list) else []
    )
    return list(dict.fromkeys(name for name in identifiers if isinstance(name, str)))


def _watts(resource: Mapping[str, Any]) -> float | None:
    """Return the watts of a resource, if they are known.

    They are `PowerWatts.Reading` of EnvironmentMetrics, or the `PowerConsumedWatts` of Power's entries for the whole
    chassis. Readings may be null while the controller has none, and 0 or less where it has no sensor, because a running
    node consumes power.
    """
    if isinstance(metrics := resource.get("PowerWatts"), dict):
        readings = [metrics.get("Reading")] if metrics.get("ReadingUnits", "W") == "W" else []
    else:
        readings = [entry.get("PowerConsumedWatts") for entry in _whole(resource)]
    numbers = [
        reading
        for reading in readings
        if isinstance(reading, int | float) and not isinstance(reading, bool) and reading > 0
    ]
    with suppress(OverflowError):  # an integer of hundreds of digits
        total = float(sum(numbers))
        if numbers and len(numbers) == len(readings) and math.isfinite(total):
            return total
    return None


def _whole(resource: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return PowerControl's entries for the whole chassis without those for its parts; equal entries add up to it.

    Empty where it is ambiguous: of several entries with different names one may include another.
    """
    entries = [entry for entry in _entries(resource) if not _is_part(entry)]
    chassis = [entry for entry in entries if entry.get("PhysicalContext") == "Chassis"]
    if len(entries) > 1 and len(chassis) == 1:
        return chassis
    return entries if len({(_name(entry), entry.get("PhysicalContext")) for entry in entries}) == 1 else []


def _entries(resource: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entries of PowerControl without those whose component is absent."""
    control = resource.get("PowerControl")
    entries = [entry if isinstance(entry, dict) else {} for entry in control] if isinstance(control, list) else []
    return [entry for entry in entries if _state(entry) != "Absent"]


def _state(entry: Mapping[str, Any]) -> object:
    status = entry.get("Status")
    return status.get("State") if isinstance(status, dict) else None


def _is_part(entry: Mapping[str, Any]) -> bool:
    """Return whether the entry is for the processors or the memory alone, as on Lenovo's controllers."""
    context, related = entry.get("PhysicalContext"), entry.get("RelatedItem")
    items = [item.get("@odata.id") for item in related if isinstance(item, dict)] if isinstance(related, list) else []
    return (
        context in _PART_CONTEXTS
        or bool(_PART_NAME.search(_name(entry)))
        or bool(items and all(_PART_ITEM.search(str(item)) for item in items))
    )


def _name(entry: Mapping[str, Any]) -> str:
    """Return the entry's name without the number that distinguishes equal entries."""
    name = entry.get("Name")
    return re.sub(r"[\s#_-]*\d+$", "", name) if isinstance(name, str) else ""
