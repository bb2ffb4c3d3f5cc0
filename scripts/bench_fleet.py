"""Measure what commands take for a screen of many nodes, with generated records as long as real ones.

    python -m scripts.bench_fleet                     # the table of docs/screen.md
    python -m scripts.bench_fleet --nodes 1000

One line per command: seconds, seconds of processor time, and peak memory.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from banzuke.fleet.testing import MadeFleet
from banzuke.results.store import Store

SLOW = 8
"""Nodes with a figure that is 10% slower."""
ROUNDS = (1, 2, 5, 17, 101)
"""Distances between the nodes of a pair, one for each round of messages."""


def made(nodes: int, figures: int) -> MadeFleet:
    slow = {place * nodes // SLOW + 1: {place % figures: 0.9} for place in range(SLOW)}
    links = [(a, (a + apart) % nodes, 2.4e10) for apart in ROUNDS if apart < nodes for a in range(nodes)]
    return MadeFleet(nodes, figures, slow=slow, states={nodes // 2: "hung"}, links=links)


def measured(results: Path, *words: str) -> str:
    began = time.monotonic()
    command = [sys.executable, "-m", "banzuke", *words, "--results", str(results)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, processor = time.monotonic() - began, used.ru_utime + used.ru_stime
    failed = f"  exit status {process.returncode}" if process.returncode else ""
    return f"{words[0]:8} {seconds:6.1f} s {processor:6.1f} s {used.ru_maxrss / 1024**2:6.2f} GiB{failed}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--figures", type=int, default=20, help="records of each node")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="banzuke-fleet-") as folder:
        run = made(asked.nodes, asked.figures).write(Store(Path(folder)))
        size = sum(file.stat().st_size for file in run.files())
        print(f"{asked.nodes:,} nodes, {asked.figures} records each, {size / 1e6:,.0f} MB")
        for words in (["report", run.name], ["list"], ["query", "SELECT count(*) FROM metrics"]):
            print(measured(Path(folder), *words), flush=True)
        print(f"page {(run.folder / 'report.html').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
