"""Reads the energy that Slurm's accounting has for a launch: that of its whole step, not of the timed parts alone."""

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.record.energy import AccountedEnergy
from banzuke.record.model import Record

SHORTEST = 10.0
"""Seconds of the shortest launch that is looked up: plugins update their counters seldom, and a step's start and end
are known to a second only."""
PATIENCE = 5.0
"""Seconds to wait until a step that has ended appears in the accounting."""
_AGAIN = 0.5
_ROUNDED = 1.0
"""Seconds by which the accounting's times may be off, since they are rounded."""
_LIMIT = 20.0
_PLUGIN = re.compile(r"^AcctGatherEnergyType\s*=\s*(\S+)", re.MULTILINE)
_NONE = ("(null)", "none", "acct_gather_energy/none")
_STEP = re.compile(r"\S+\.\d+")
"""A numbered step; `.batch` and `.extern` last as long as the job."""
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)", re.ASCII)
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_COLUMNS = "JobID,JobName,Start,End,ConsumedEnergyRaw,ConsumedEnergy"


@dataclass
class Accounting:
    """The accounting of a job. It is no longer asked once a launch turns out not to be a step of its own."""

    job: str
    plugin: str
    """The plugin that measures, such as `acct_gather_energy/rapl`; it determines what the energy covers."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    knows: bool = True

    @classmethod
    def of_job(cls, variables: Mapping[str, str]) -> "Accounting | None":
        """Return the accounting of this job; None: not a Slurm job, or its accounting has no energies."""
        job = variables.get("SLURM_JOB_ID")
        if not job or not (shutil.which("sacct") and shutil.which("scontrol")):
            return None
        match = _PLUGIN.search(_said("scontrol", "show", "config"))
        return None if match is None or match[1] in _NONE else cls(job, match[1])

    def of(self, record: Record, rating: float) -> AccountedEnergy | None:
        """Return the energy of a record's launch; None: it was short, or is not accounted for.

        `rating`: W of a node; an energy above it is rejected.
        """
        if not self.knows or (record.ended - record.started).total_seconds() < SHORTEST:
            return None
        until = self.clock() + PATIENCE
        while not (steps := self._steps(record)) and self.clock() < until:
            time.sleep(_AGAIN)
        self.knows = bool(steps)
        if len(steps) != 1:
            return None
        ((step, seconds, joule),) = steps
        if not 0 < joule <= rating * record.nodes * (seconds + 2 * _ROUNDED):
            return None
        return AccountedEnergy(joule=joule, seconds=seconds, step=step, plugin=self.plugin)

    def _steps(self, record: Record) -> list[tuple[str, float, float]]:
        """Return number, seconds and joules of the steps that began before the launch and ended after it."""
        said = _said("sacct", "--noheader", "--parsable2", f"--jobs={self.job}", f"--format={_COLUMNS}")
        latest, earliest = record.started.timestamp() + _ROUNDED, record.ended.timestamp() - _ROUNDED
        steps = []
        for line in said.splitlines():
            step, name, begin, end, raw, rounded = [*line.split("|"), *[""] * 6][:6]
            complete = _STEP.fullmatch(step) and begin.isdecimal() and end.isdecimal()  # else it still runs
            if complete and name != "sh" and int(begin) <= latest and int(end) >= earliest:  # sh: a helper of ours
                steps.append((step, max(1.0, float(int(end) - int(begin))), _joule(raw) or _joule(rounded)))
        return steps


def _joule(text: str) -> float:
    """Return the joules in `12345` or in the readable form `12.35K`; 0: unknown."""
    amount = _AMOUNT.fullmatch(text)
    return float(amount[1]) * _PREFIXES[amount[2]] if amount else 0.0


def _said(*command: str) -> str:
    """Return what a command prints; empty where it fails, as sacct does without a database."""
    variables = {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
    try:
        done = captured(command, seconds=_LIMIT, variables={**os.environ, **variables})
    except (OSError, BanzukeError):
        return ""
    return "" if done.status else done.text
