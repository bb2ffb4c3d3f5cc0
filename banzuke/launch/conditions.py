"""Reads what else happens on the machine, before and after a case runs, as evidence for its record."""

import os
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from banzuke.machine.cgroup import limits, throttled_seconds
from banzuke.machine.tree import Tree

PROC = Path("/proc")


@dataclass(frozen=True)
class Snapshot:
    time: float
    busy: float | None
    """Processor seconds used on the whole machine since it started."""
    stolen: float | None
    """Processor seconds that the hypervisor gave to others."""
    own: float
    """Processor seconds of this process and its finished children."""
    throttled: float | None
    """Seconds for which a cgroup's quota stopped us."""
    load: float
    quota: float | None = None
    """Processors whose time a cgroup's quota allows us; None: there is none."""


def snapshot() -> Snapshot:
    """Read the counters of the machine and of our own control group."""
    busy, stolen = _processor_seconds()
    times, tree = os.times(), Tree(Path("/"))
    return Snapshot(
        time=time.monotonic(),
        busy=busy,
        stolen=stolen,
        own=times.children_user + times.children_system + times.user + times.system,
        throttled=throttled_seconds(tree),
        load=os.getloadavg()[0],
        quota=limits(tree).quota,
    )


def between(before: Snapshot, after: Snapshot) -> dict[str, float]:
    """Return conditions of a record, in SI units; what could not be read is left out."""
    elapsed = max(after.time - before.time, 1e-9) * (os.cpu_count() or 1)
    fractions = {"load_before": before.load}
    if before.busy is not None and after.busy is not None:
        others = (after.busy - before.busy) - (after.own - before.own)
        fractions["other_busy_fraction"] = min(1.0, max(0.0, others / elapsed))
    if before.stolen is not None and after.stolen is not None:
        fractions["steal_fraction"] = min(1.0, max(0.0, (after.stolen - before.stolen) / elapsed))
    if before.throttled is not None and after.throttled is not None:
        fractions["throttled_seconds"] = max(0.0, after.throttled - before.throttled)
    if before.quota != after.quota:  # without one, all processors may be used
        every = float(os.cpu_count() or 1)
        fractions["quota_before"] = every if before.quota is None else before.quota
        fractions["quota_after"] = every if after.quota is None else after.quota
    return fractions


def lost_share(before: Snapshot, program: int) -> float:
    """Return the share of the processors' time since `before` that was available neither to us nor to the live process
    `program`.
    """
    now = snapshot()
    conditions = between(before, replace(now, own=now.own + processor_seconds(program)))
    return conditions.get("other_busy_fraction", 0.0) + conditions.get("steal_fraction", 0.0)


def processor_seconds(program: int) -> float:
    """Return the processor seconds of a live process and its descendants, as far as their parents still live."""
    children: dict[int, list[int]] = defaultdict(list)
    seconds: dict[int, float] = {}
    for file in PROC.glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = file.read_text(errors="replace").rpartition(")")[2].split()
            children[int(fields[1])].append(int(file.parent.name))
            seconds[int(file.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, left = 0.0, [program]
    while left:
        process = left.pop()
        total += seconds.get(process, 0.0)
        left += children[process]
    return total


def _processor_seconds() -> tuple[float | None, float | None]:
    try:
        fields = [int(word) for word in (PROC / "stat").read_text().splitlines()[0].split()[1:9]]
    except (OSError, ValueError, IndexError):
        return None, None
    if not any(fields):  # some containers count nothing
        return None, None
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq) / ticks, steal / ticks
