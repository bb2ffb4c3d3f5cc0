"""Sets ours beside programs that the user built, in the same minutes.

BANZUKE_BABELSTREAM is the path of BabelStream's executable.

Prints a line of JSON for each, as the programs bench-* do. Alone on a machine without the front end, so with any
Python 3.8.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

TURNS = 5
LIMIT = 120
"""Seconds of one start."""
BABELSTREAM = "BANZUKE_BABELSTREAM"
ELEMENTS, ROUNDS = 1 << 28, 20


class PeerError(Exception):
    """A program that fails, or says nothing that is understood."""


def said_by(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise PeerError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def babelstreams_triad(text: str) -> float:
    """B/s: the best of its rounds, which it prints in the first column, in MB/s or GB/s. Raises PeerError."""
    row = re.search(r"^Triad\s+([\d.]+(?:e[+-]?\d+)?)\s", text, re.MULTILINE)
    head = re.search(r"^Function\s+(M|G)Bytes/sec", text, re.MULTILINE)
    if row is None or head is None:
        raise PeerError(f"{BABELSTREAM}: it printed no line of Triad in MBytes/sec or GBytes/sec")
    return float(row.group(1)) * {"M": 1e6, "G": 1e9}[head.group(1)]


def our_triad(text: str) -> float:
    """B/s: the best of the rounds, too."""
    for line in text.splitlines():
        if line.startswith("{"):
            samples = json.loads(line)["metrics"]["triad_bandwidth"]["samples"]
            return float(max(samples))
    raise PeerError("banzuke-stream printed no record")


def beside_babelstream(peer: str, ours: str) -> dict[str, Any]:
    """Raises PeerError."""
    calls = {
        "ours": [ours, "--n", str(ELEMENTS), "--rounds", str(ROUNDS)],
        "theirs": [peer, "--arraysize", str(ELEMENTS), "--numtimes", str(ROUNDS)],
    }
    mine: list[float] = []
    its: list[float] = []
    for turn in range(TURNS):
        for name in ("ours", "theirs") if turn % 2 == 0 else ("theirs", "ours"):
            if name == "ours":
                mine.append(our_triad(said_by(calls[name])))
            else:
                its.append(babelstreams_triad(said_by(calls[name])))
    return {
        "goal": "babelstream",
        "subject": "Triad",
        "beside": "BabelStream, the best of the rounds of both",
        "ratios": [one / other for one, other in zip(mine, its)],  # noqa: B905  (strict= is of Python 3.10)
        "rate": sorted(mine)[len(mine) // 2],
        "beside_rate": sorted(its)[len(its) // 2],
        "unit": "B/s",
    }


def main(bin_folder: Path) -> int:
    status = 0
    peer = os.environ.get(BABELSTREAM)
    ours = bin_folder / "banzuke-stream-cuda"
    if peer and ours.is_file():
        try:
            print(json.dumps(beside_babelstream(peer, str(ours))))
        except PeerError as error:
            print(error, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
