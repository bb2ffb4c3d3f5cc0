"""Power of a node by its board's controller: Redfish (DMTF DSP0266 protocol, DSP2046 resources).

The resource is that of the chassis: `EnvironmentMetrics` (since 2020.4) where there is one, else `Power`.
"""

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.power.integrate import Sensor

TIMEOUT = 5.0
"""Seconds for an answer."""
MOST = 1 << 20
"""Bytes of an answer."""
NAME = "redfish"
CREDENTIALS = "BANZUKE_REDFISH_CREDENTIALS"
"""Names a file with `user:password` on one line, which nobody else may read."""
AUTHORITY = "BANZUKE_REDFISH_CA"
"""Names a file with the certificates that the controllers' are checked by, where they are not the system's."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A password goes to nobody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True)
class Access:
    """How controllers are asked."""

    authorization: str = ""
    """Header; empty: they ask for none."""
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Access":
        """Raises BanzukeError."""
        try:
            tls = ssl.create_default_context(cafile=variables.get(AUTHORITY))
        except OSError as error:
            raise BanzukeError(f"cannot read the certificates of {AUTHORITY}", why=str(error)) from error
        if not (file := variables.get(CREDENTIALS)):
            return cls(tls=tls)
        path = Path(file)
        content = read_named(path, MOST).strip()
        if path.stat().st_mode & 0o077:
            raise BanzukeError(f"others can read {path}", remedy=f"chmod 600 {path}")
        if b":" not in content or b"\n" in content:
            raise BanzukeError(f"{path} holds no credentials", remedy="Write user:password on one line")
        return cls("Basic " + base64.b64encode(content).decode(), tls)


@dataclass
class Redfish:
    """A chassis: `https://bmc/redfish/v1/Chassis/1`. Certificates are checked, and redirections are not followed."""

    host: str
    address: str
    access: Access = field(repr=False)
    _resource: str = ""
    """The one that has the power."""

    def sensors(self) -> Sequence[Sensor]:
        """One: the power of the chassis. Raises BanzukeError."""
        if urlsplit(self.address).scheme != "https":
            raise BanzukeError(f"{self.address} is not an https address", why="credentials would be sent unencrypted")
        chassis = self._get(self.address)
        why = "its chassis has neither EnvironmentMetrics nor Power"
        for member in ("EnvironmentMetrics", "Power"):
            link = chassis.get(member)
            if not isinstance(link, dict) or not isinstance(link.get("@odata.id"), str):
                continue
            address = urljoin(self.address, link["@odata.id"])
            if urlsplit(address)[:2] != urlsplit(self.address)[:2]:
                raise BanzukeError(f"{self.address} points to another host", why=address)
            if _watts(self._get(address)) is not None:
                self._resource = address
                return [Sensor(f"{NAME}/{member}", "power", "node")]
            why = f"its {member} has no reading of power"
        raise BanzukeError(f"{self.address} tells no power", why=why)

    def read(self) -> Mapping[str, float]:
        watts = _watts(self._get(self._resource))
        return {} if watts is None else {f"{NAME}/{self._resource.rpartition('/')[2]}": watts}

    def _get(self, address: str) -> Mapping[str, Any]:
        headers = {"Accept": "application/json", "OData-Version": "4.0"}
        if self.access.authorization:
            headers["Authorization"] = self.access.authorization
        opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=self.access.tls), _NoRedirect(), urllib.request.ProxyHandler({})
        )
        try:
            with opener.open(urllib.request.Request(address, headers=headers), timeout=TIMEOUT) as answer:  # noqa: S310
                found = json.loads(answer.read(MOST))
        except (OSError, ValueError, RecursionError) as error:
            raise BanzukeError(f"{address} does not answer", why=_reason(error)) from error
        if not isinstance(found, dict):
            raise BanzukeError(f"{address} is no Redfish resource")
        return found


def _watts(resource: Mapping[str, Any]) -> float | None:
    """`PowerWatts.Reading` of EnvironmentMetrics; the sum of `PowerControl[].PowerConsumedWatts` of Power.

    Readings may be null while the controller has none.
    """
    if isinstance(metrics := resource.get("PowerWatts"), dict):
        readings = [metrics.get("Reading")]
    else:
        control = resource.get("PowerControl")
        parts = control if isinstance(control, list) else []
        readings = [of.get("PowerConsumedWatts") if isinstance(of, dict) else None for of in parts]
    numbers = [float(one) for one in readings if isinstance(one, int | float) and not isinstance(one, bool)]
    return sum(numbers) if numbers and len(numbers) == len(readings) else None


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        refused = ": wrong or no credentials" if error.code in {401, 403} else ""
        return f"HTTP status {error.code}{refused}"
    return str(error)
