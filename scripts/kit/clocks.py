"""Prints how fast devices ran while they were watched, and what limited their clocks.

It runs on a machine without the front end, with Python 3.8 or newer.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def clocks(readings: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each device: the range of its clocks, its highest power, and what limited it how often."""
    states: dict[str, list[dict[str, Any]]] = {}
    for reading in readings:
        if "state" in reading:
            states.setdefault(reading["device"], []).append(reading["state"])
    for device, device_states in states.items():
        notes = [f"{len(device_states)} readings"]
        for name, title in (("clock", "clock"), ("memory_clock", "memory")):
            values = [state[name] / 1e6 for state in device_states if name in state]
            if values:
                notes.append(f"{title} {min(values):.0f} to {max(values):.0f} MHz")
        powers = [state["power"] for state in device_states if "power" in state]
        if powers:
            notes.append(f"at most {max(powers):.0f} W")
        held = Counter(reason for state in device_states for reason in state.get("slowing", ()))
        notes += [f"held down by {reason} in {times} of them" for reason, times in held.most_common()]
        yield f"{device}: " + ", ".join(notes)


def complete(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the readings that were written completely; the last one may not have been."""
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    print("\n".join(clocks(complete(text.splitlines()))) or "the devices' clocks were not read")
