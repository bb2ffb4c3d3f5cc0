"""What else had a node's processors while a program ran on it, as the node itself counts it.

The shell that starts the program there reads the kernel's counters before and after, and the times of what it started.
"""

import re
from collections.abc import Mapping, Sequence

_COUNT = 'read -r line </proc/stat && echo "$line"'
# What a program that was ended has begun to print is a line of its own.
SCRIPT = f'{_COUNT}; "$@"; status=$?; echo; {_COUNT}; times; exit $status'
_TIMES = re.compile(r"(\d+)m(\d+)[.,]?(\d*)s (\d+)m(\d+)[.,]?(\d*)s", re.ASCII)
_TICKS = 100.0
"""In a second: what the kernel tells user programs in, whatever its own timer has."""

_LEAST = 1.0
"""Seconds of processors of which ticks tell shares."""


def counting(words: Sequence[str]) -> list[str]:
    """Give the words that start these and count beside them."""
    return ["sh", "-c", SCRIPT, "sh", *words]


class ProcessorTimes:
    """Takes what the shell says of one host."""

    def __init__(self) -> None:
        self._counts: list[list[int]] = []
        self._own = 0.0

    def take(self, line: str) -> bool:
        """Tell whether the line was the shell's."""
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
        """Give them as a record has them; empty where the kernel does not count, or it ended at once."""
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
