"""Asks nodes of other partitions what they are, so that cases can be planned on them."""

import os
from collections.abc import Sequence

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.launch.fan_out import DESCRIBE, DESCRIPTION, HostOutcome, carried, fan_out, way_to
from banzuke.machine.model import Machine


def described_by(hosts: Sequence[str]) -> list[Machine]:
    """Return the machine that each of these other hosts describes. Raises BanzukeError naming one that does not."""
    lines: dict[str, list[str]] = {}

    def hear(host: str, line: str) -> None:
        lines.setdefault(host, []).append(line)

    way = way_to(hosts, os.environ)
    ended = fan_out(carried(DESCRIBE, way), hosts, way, seconds=DESCRIPTION, on_line=hear)
    return [_machine(host, ended[host], lines.get(host, ())) for host in hosts]


def _machine(host: str, ended: HostOutcome, lines: Sequence[str]) -> Machine:
    try:
        return Machine.model_validate_json("\n".join(lines))
    except ValidationError as error:
        said = ended.errors.strip().splitlines()
        why = said[-1] if said else f"it is {ended.state}" if ended.state != "ok" else "its answer is no description"
        raise BanzukeError(
            f"{host} does not say what its hardware is",
            why=why,
            remedy=f"`banzuke machine` must work on {host}, with the same installation in the same folder",
        ) from error
