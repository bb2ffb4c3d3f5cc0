"""Finds what a job has of several partitions of a site; nodes of other partitions are asked what they are."""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from banzuke.errors import BanzukeError
from banzuke.evaluation.listener import RunListener
from banzuke.launch.fan_out import DESCRIBE, DESCRIPTION, HostOutcome, carried, fan_out, way_to
from banzuke.machine import allocation
from banzuke.machine.allocation import elsewhere
from banzuke.machine.described import Place
from banzuke.machine.model import Machine
from banzuke.machine.partitions import TOGETHER, check_distinct, hosts_of_parts


def places_of(site: Path | None, names: Sequence[str]) -> list[Place]:
    """Return these partitions of the site. Raises BanzukeError."""
    text = TOGETHER.join(names)
    if site is None:
        raise BanzukeError(f"--partition {text} belongs to no site", remedy="Add --site FILE, which describes them")
    places = [Place.find(site, name) for name in names]
    check_distinct(text, [place.key for place in places])
    return places


def hosts_of(places: Sequence[Place], here: Machine, hosts: Sequence[str], counts: Sequence[int]) -> list[list[str]]:
    """Return the hosts of each partition: of these, or of the job's if there are none. Raises BanzukeError."""
    groups = [list(hosts)] if hosts else allocation.groups(os.environ)
    keys = [place.key for place in places]
    return hosts_of_parts(places[0].site, keys, counts, groups or [here.allotment.hosts])


def found_on(parts: Sequence[Sequence[str]], here: Machine, listener: RunListener) -> list[Machine]:
    """Return the machine of each part of the job's hosts: `here` for the one that this host is in, and for the others
    what their first host describes. Raises BanzukeError.
    """
    answers: dict[str, Machine] = {}
    if others := [hosts[0] for hosts in parts if elsewhere(hosts)]:
        with listener.busy(f"asking {' and '.join(others)} for the hardware ..."):
            answers = dict(zip(others, described_by(others), strict=True))
    machines = [answers.get(hosts[0], here) for hosts in parts]
    return [machine.changed(allotment={"hosts": list(hosts)}) for machine, hosts in zip(machines, parts, strict=True)]


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
