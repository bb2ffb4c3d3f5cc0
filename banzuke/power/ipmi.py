"""Power of this node by IPMI's DCMI command, which usually only root may give."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.power.integrate import Sensor

COMMAND = ("ipmitool", "dcmi", "power", "reading")
NAME = "ipmi/dcmi"
_INSTANT = re.compile(r"^\s*Instantaneous power reading:\s*(\d+)\s*Watts", re.MULTILINE | re.ASCII)
_STATE = re.compile(r"^\s*Power reading state is:\s*(\S+)", re.MULTILINE)
TIMEOUT = 10.0


@dataclass(frozen=True)
class Ipmi:
    host: str

    def sensors(self) -> Sequence[Sensor]:
        self.read()
        return [Sensor(NAME, "power", "node")]

    def read(self) -> Mapping[str, float]:
        try:
            said = captured(COMMAND, seconds=TIMEOUT)
        except OSError as error:
            raise BanzukeError(f"{' '.join(COMMAND)} cannot be run", why=str(error)) from error
        found, state = _INSTANT.search(said.text), _STATE.search(said.text)
        if said.status or not found:
            why = (said.complaint or said.text).strip().splitlines()
            raise BanzukeError(f"{' '.join(COMMAND)} gave no reading", why=why[0] if why else "")
        watts = float(found[1])
        # OpenBMC measures, but calls the state deactivated; one that is off, or has no sensor, tells 0 W.
        if not watts:
            told = f"the state is {state[1]}, and " if state else ""
            raise BanzukeError(f"{' '.join(COMMAND)} gave no reading", why=f"{told}it tells 0 W")
        return {NAME: watts}
