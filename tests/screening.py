"""Programs for screens of hosts that share two cores: they run small cases and verify; unless figures are wanted, a
stand-in then replaces them, because no two would be comparable.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import SCRIPTS

SIZES = {"stream-omp": 100_000, "dgemm-blas": 64}
WRAPPER = """#!/bin/bash
real={real}
case "$*" in *--describe*) exec "$real" "$@";; esac
small=$(sed -E 's/--(n|m|k) [0-9]+/--\\1 {size}/g; s/--(rounds|repetitions) [0-9]+/--\\1 5/' <<< "$*")
$real $small{then}
"""
FEW = """#!/bin/bash
case "$*" in *--describe*) exec {real} "$@";; esac
few=$(sed -E 's/--window [0-9]+/--window 2/' <<< "$*")
{real} $few --iterations 3 | sed -E 's/"ranks_of_one_processor":[^]]*[]]/"x":0/'
"""
"""Script that sends few messages between pairs. Their links are slower than ranks that wait for a processor, so that it
leaves out which do.
"""
SCALED = """
import json, re, socket, sys, time
host = socket.gethostname()
faults = json.load(open({faults!r}))
if faults.get("hung") == host:
    time.sleep(10000)
record = json.loads(sys.stdin.read())
factor = (0.7 if faults.get("slow") == host else 1.0) * (1 + 1e-3 * int(re.sub(r"[^0-9]", "", host) or 0))
for number, metric in enumerate(record["metrics"].values(), start=1):
    metric["samples"] = [1e9 * number * factor] * len(metric["samples"])
print("cpu" + 8 * " 0")
print(json.dumps(record))
"""
"""Script that writes the figures of a healthy or a slow node, and hangs on a hung one.

With one line more of the kernel's counters nothing is known of what else used the processors: no node counts as
disturbed by the tests that run beside it, and would then not be judged.
"""
PROBE = """#!/bin/sh
[ "$1" = survey ] || exec {known} "$@"
{real} survey | sed "s/^/$(hostname) /; /^{odd} /s/\\"type.cores\\":/\\"type.cores\\":1/; s/^[^ ]* //
  s/\\"state.load\\":[^,}}]*/\\"state.load\\":0/"
"""
"""Probe whose answers differ by node; the odd node is of another type. All nodes show no load, because they share one
host's, by which they are not judged.
"""


class Screened:
    """A folder of such programs."""

    def __init__(
        self,
        folder: Path,
        programs: Path,
        *,
        sizes: Mapping[str, int] = SIZES,
        measured: bool = False,
        messages: bool = False,
        odd: str = "none",
    ) -> None:
        """Write the programs.

        `sizes`: those that exist, besides those of messages. `measured`: keep their own figures.
        """
        self.folder = folder
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.fault()
        scaled = folder / "scaled.py"
        scaled.write_text(SCALED.format(faults=str(folder / "faults.json")))
        for program in programs.iterdir():
            name, real = program.name.removeprefix("banzuke-"), SCRIPTS / program.name
            if name in sizes:
                then = "" if measured else f" | {sys.executable} -S {scaled}"
                self._script(program.name, WRAPPER.format(real=real, size=sizes[name], then=then))
            elif name == "probe":
                self._script(program.name, PROBE.format(real=real, known=program, odd=odd))
            elif messages and name == "pt2pt-mpi":
                self._script(program.name, FEW.format(real=real))

    @property
    def variables(self) -> dict[str, str]:
        return {"BANZUKE_LIBEXEC": str(self.programs), "BANZUKE_RESULTS": str(self.folder / "results")}

    def fault(self, **hosts: str) -> None:
        """Set faults from now on: `slow=HOST`, `hung=HOST`."""
        (self.folder / "faults.json").write_text(json.dumps(hosts))

    def _script(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)
