"""Counts, on a node itself, what else used its processors while a program ran there.

The shell that starts the program reads the kernel's counters before and after it, and the processor time of what it
started.
"""

import re
from collections.abc import Mapping, Sequence

_COUNT = 'read -r line </proc/stat && echo "$line"'
# `echo` ends a line that a killed program left unfinished.
SCRIPT = f'{_COUNT}; "$@"; status=$?; echo; {_COUNT}; times; exit $status'
_TIMES = re.compile(r"(\d+)m(\d+)[.,]?(\d*)s (\d+)m(\d+)[.,]?(\d*)s", re.ASCII)
_TICKS = 100.0
"""Clock ticks per second in which Linux reports times to user programs, whatever its own timer frequency is."""

_LEAST = 1.0
"""Fewest seconds, summed over all processors, for which counts in ticks are precise enough."""


def counting(words: Sequence[str]) -> list[str]:
    """Return the words of a command that starts `words` and counts beside it."""
    return ["sh", "-c", SCRIPT, "sh", *words]


class ProcessorTimes:
    """The counters of one host, read from the lines that its shell prints."""

    def __init__(self) -> None:
        self._counts: list[list[int]] = []
        self._own = 0.0

    def take(self, line: str) -> bool:
        """Take the line if the shell printed it, and return whether it did."""
        name, *words = line.split() or [""]
        if name == "cpu" and all(word.isdecimal() for word in words):
            self._counts.append(list(map(int, words[:8])))
            return True
        if times := _TIMES.fullmatch(line.strip()):
            fields = times.groups()
            for minutes, seconds, part in (fields[:3], fields[3:]):
                self._own += 60 * int(minutes) + float(f"{seconds}.{part or 0}")
        return times is not None or not line.strip()

    @property
    def conditions(self) -> Mapping[str, float]:
        """The conditions as a record holds them; empty if the kernel does not count, or the program ended at once."""
        if len(self._counts) != 2 or any(len(counts) != 8 for counts in self._counts):
            return {}
        spent = [(after - before) / _TICKS for before, after in zip(*self._counts, strict=True)]
        user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen = spent
        if (total := sum(spent)) < _LEAST:
            return {}
        others = user + nice + system + interrupts + soft_interrupts - self._own
        return {
            "other_busy_fraction": min(1.0, max(0.0, others / total)),
            "steal_fraction": min(1.0, max(0.0, stolen / total)),
        }
