"""Runs inside a guest with two NUMA nodes: prints the policy that a program reports, and where its pages were.

Prints one JSON object by memory policy: status, the record's binding, the error stream, and the pages of the largest
mapping on each node; and as "matrix" the status, record and error stream of the test of all nodes. Started as
`python numa_in_guest.py STREAM MEMORY`.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SIZE = ("--n", "2000000", "--rounds", "8")
"""Options for arrays of 16 MB, which fit on either node."""
MATRIX = ("--test", "numa", "--max_size", "1048576", "--rounds", "3", "--sample_us", "500", "--binding", "0,1")
"""Options for the memories of all nodes, with a thread on each node."""
POLICIES = {"interleave": "0", "interleave:1": "0", "bind:1": "0", "local": "1", "bind:0,2": "0"}
"""Policies, with the processor that the program runs on: 0 is on node 0, 1 on node 1."""


def lies(process: int) -> dict[str, int]:
    """Return the pages of the largest mapping by node."""
    try:
        mappings = Path(f"/proc/{process}/numa_maps").read_text().splitlines()
    except OSError:
        return {}
    by_mapping = [{node: int(pages) for node, pages in re.findall(r" N(\d+)=(\d+)", line)} for line in mappings]
    return max(by_mapping, key=lambda nodes: sum(nodes.values()), default={})


def run(program: str, policy: str, cpu: str) -> dict[str, Any]:
    words = [program, *SIZE, "--memory-policy", policy, "--binding", cpu, "--pages", "base"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pages: dict[str, int] = {}
    while process.poll() is None:
        pages = max(pages, lies(process.pid), key=lambda nodes: sum(nodes.values()))
        time.sleep(0.05)
    out, err = process.communicate()
    binding = json.loads(out)["groups"][0]["binding"][0] if out else None
    return {"status": process.returncode, "binding": binding, "error": err, "pages": pages}


def measure(program: str) -> dict[str, Any]:
    done = subprocess.run([program, *MATRIX], capture_output=True, text=True, check=False)
    return {"status": done.returncode, "record": json.loads(done.stdout or "null"), "error": done.stderr}


results = {policy: run(sys.argv[1], policy, cpu) for policy, cpu in POLICIES.items()}
sys.stdout.write(json.dumps(results | {"matrix": measure(sys.argv[2])}) + "\n")
