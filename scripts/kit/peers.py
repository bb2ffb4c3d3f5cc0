"""Compares ours with programs that the user built, interleaved.

BANZUKE_BABELSTREAM and BANZUKE_NVBANDWIDTH are the paths of the executables of BabelStream and nvbandwidth.

Prints a line of JSON for each comparison, as the programs bench-* do. It runs on a machine without the front end, with
Python 3.8 or newer.
"""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

TURNS = 5
LIMIT = 120
"""Seconds that one start may take."""
BABELSTREAM, NVBANDWIDTH = "BANZUKE_BABELSTREAM", "BANZUKE_NVBANDWIDTH"
ELEMENTS, ROUNDS = 1 << 28, 20
"""Elements of Triad's arrays, and the number of rounds."""
COPIED = 512 << 20
"""Bytes of nvbandwidth's copies by default."""
COPIES = {
    "host_to_device_memcpy_ce": ("pinned", "to-device"),
    "device_to_host_memcpy_ce": ("pinned", "to-host"),
    "host_to_device_memcpy_sm": ("kernel", "to-device"),
    "device_to_host_memcpy_sm": ("kernel", "to-host"),
}
"""Test cases of nvbandwidth, and our path and direction for the same."""


class PeerError(Exception):
    """The failure of a program, or its output that is not understood."""


def said_by(command: list[str]) -> str:
    """Return the standard output; a program that takes too long is killed with its children. Raises PeerError."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    try:
        started = subprocess.Popen(command, text=True, errors="replace", **pipes)
    except OSError as error:
        raise PeerError(f"{command[0]}: {error}") from error
    with started as process:
        try:
            said, complaint = (str(text) for text in process.communicate(timeout=LIMIT))
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise PeerError(f"{command[0]} did not end in {LIMIT} s") from error
    if process.returncode != 0:
        raise PeerError(f"{' '.join(command)} ended with status {process.returncode}: {complaint.strip()[-300:]}")
    return said


def babelstreams_triad(text: str) -> float:
    """Return the B/s of the best round, which BabelStream prints in the first column, in MB/s or GB/s. Raises
    PeerError.

    The unit is `MBytes/sec` up to version 5, and `MB/s` since.
    """
    row = re.search(r"^Triad\s+([\d.]+(?:e[+-]?\d+)?)\s", text, re.MULTILINE)
    head = re.search(r"^Function\s+(M|G)(?:Bytes/sec|B/s)\s", text, re.MULTILINE)
    if row is None or head is None:
        raise PeerError(f"{BABELSTREAM}: it printed no line of Triad in MB/s or GB/s")
    return float(row.group(1)) * {"M": 1e6, "G": 1e9}[head.group(1)]


def nvbandwidths_first(text: str) -> float:
    """Return the first device's B/s, the median of its samples: the first number of the matrix's first row, in GB/s.

    Raises PeerError.
    """
    match = re.search(r"bandwidth \(GB/s\)\n[\s\d]*\n\s*0\s+(\d+(?:\.\d+)?)", text)
    if match is None:
        raise PeerError(f"{NVBANDWIDTH}: it printed no matrix of bandwidths in GB/s")
    return float(match.group(1)) * 1e9


def our_samples(text: str, metric: str) -> list[float]:
    """Return the samples of our record. Raises PeerError."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                record = json.loads(line)
                if record["status"] == "ok":
                    return [float(sample) for sample in record["metrics"][metric]["samples"]]
                reason = f"{record['benchmark']}: {record['reason']}"
            except (ValueError, KeyError) as error:
                raise PeerError(f"our program printed no whole record: {line[:100]}") from error
            raise PeerError(reason)
    raise PeerError("our program printed no record")


def in_turn(ours: Callable[[], float], theirs: Callable[[], float], **more: str) -> dict[str, Any]:
    """Return the line of a comparison: rates of both, each started first in every other turn. Raises PeerError."""
    mine: list[float] = []
    its: list[float] = []
    for turn in range(TURNS):
        if turn % 2 == 0:
            mine.append(ours())
        its.append(theirs())
        if turn % 2 == 1:
            mine.append(ours())
    if min(mine + its) <= 0:
        raise PeerError(f"{more['beside']}: a rate is 0")
    ratios = [own / other for own, other in zip(mine, its)]  # noqa: B905  (strict= is of Python 3.10)
    rates = {"rate": statistics.median(mine), "beside_rate": statistics.median(its), "unit": "B/s"}
    return {**more, "ratios": ratios, **rates}


def beside_babelstream(peer: str, bin_folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the comparison with BabelStream. Raises PeerError."""
    ours = [str(bin_folder / "banzuke-stream-cuda"), "--n", str(ELEMENTS), "--rounds", str(ROUNDS)]
    theirs = [peer, "--arraysize", str(ELEMENTS), "--numtimes", str(ROUNDS)]
    yield in_turn(
        lambda: max(our_samples(said_by(ours), "triad_bandwidth")),
        lambda: babelstreams_triad(said_by(theirs)),
        goal="babelstream",
        subject="Triad",
        beside="BabelStream, the best of the rounds of both",
    )


def beside_nvbandwidth(peer: str, bin_folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the comparisons with nvbandwidth. Raises PeerError."""
    for case, (path, direction) in COPIES.items():
        ours = [str(bin_folder / "banzuke-transfer-cuda"), "--path", path, "--direction", direction]
        ours += ["--min_size", str(COPIED), "--max_size", str(COPIED)]

        def mine(command: list[str] = ours) -> float:
            return statistics.median(our_samples(said_by(command), "bandwidth"))

        def its(command: Sequence[str] = (peer, "-t", case)) -> float:
            return nvbandwidths_first(said_by(list(command)))

        yield in_turn(mine, its, goal="transfer", subject=f"{path}, {direction}", beside=f"nvbandwidth, {case}")


PEERS = {BABELSTREAM: beside_babelstream, NVBANDWIDTH: beside_nvbandwidth}


def main(bin_folder: Path) -> int:
    status = 0
    for variable, beside in PEERS.items():
        peer = os.environ.get(variable)
        if not peer:
            continue
        try:
            for line in beside(peer, bin_folder):
                print(json.dumps(line), flush=True)
        except PeerError as error:
            print(error, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
