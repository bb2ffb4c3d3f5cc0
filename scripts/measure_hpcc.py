"""Run an installed HPC Challenge and ours in turn with the same hpccinf.txt, and compare each figure.

    python -m scripts.measure_hpcc FILE --rounds 5 --hpcc "mpirun -np 2 hpcc"   # Debian: apt-get install hpcc

The official program is not built here: the command that starts it is given, with as many ranks as the file's largest
process grid has. In each round the other side begins. For each figure of the summary that both sides measured, prints
both medians, and the median, least and greatest of the rounds' ratios ours / theirs: above 1 is better, for times and
latencies, too. Sizes that differ are named, because their figures do not compare.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

OUTPUT = "hpccoutf.txt"
INPUT = "hpccinf.txt"
BEGIN, END = "Begin of Summary section.", "End of Summary section."
HIGHER = ("_Tflops", "_Gflops", "_GBs", "_GUPs", "_GBytes", "_Copy", "_Scale", "_Add", "_Triad")
LOWER = ("Latency_usec", "HPL_time", "PTRANS_time")
SIZES = ("_N", "_NB", "_n", "_nb", "_nprow", "_npcol", "_VectorSize", "CommWorldProcs", "MPIFFT_Procs")
THEIRS_ALONE = "_LCG_"


class Compared(NamedTuple):
    """A figure of both sides."""

    theirs: float
    ours: float
    ratios: Sequence[float]
    """How many times as good ours is, by round."""


def summary(text: str) -> dict[str, str]:
    """Return the values of the last summary section of an output file, by key."""
    values: dict[str, str] = {}
    within = False
    for line in text.splitlines():
        if line.startswith(BEGIN):
            values, within = {}, True
        elif line.startswith(END):
            within = False
        elif within and "=" in line:
            key, _, value = line.partition("=")
            values[key] = value
    return values


def compare(theirs: Sequence[Mapping[str, str]], ours: Sequence[Mapping[str, str]]) -> dict[str, Compared]:
    """Return each figure that both sides measured in every round."""
    compared = {}
    for key in theirs[0]:
        better = _better(key)
        if not better or THEIRS_ALONE in key:
            continue
        pairs = [(_number(a.get(key)), _number(b.get(key))) for a, b in zip(theirs, ours, strict=True)]
        if any(min(pair) <= 0 for pair in pairs):
            continue  # -1: not measured
        ratios = [b / a if better == "higher" else a / b for a, b in pairs]
        compared[key] = Compared(median(a for a, _ in pairs), median(b for _, b in pairs), ratios)
    return compared


def unlike(theirs: Mapping[str, str], ours: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the sizes that differ; of parts that both sides ran."""
    return {
        key: (value, ours[key])
        for key, value in theirs.items()
        if key.endswith(SIZES) and THEIRS_ALONE not in key and key in ours and ours[key] not in (value, "-1")
    }


def _better(key: str) -> str:
    return "lower" if key.endswith(LOWER) else "higher" if key.endswith(HIGHER) else ""


def _number(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return -1.0


def table(compared: Mapping[str, Compared]) -> str:
    """Return the figures as a Markdown table."""
    rows = [
        f"| `{key}` | {figure.theirs:g} | {figure.ours:g} | {median(figure.ratios):.2f} | "
        f"{min(figure.ratios):.2f}-{max(figure.ratios):.2f} |"
        for key, figure in compared.items()
    ]
    return "\n".join(["| figure | HPCC | ours | times as good | rounds |", "|---|---|---|---|---|", *rows])


def run_once(command: Sequence[str], file: Path) -> dict[str, str]:
    """Run a side in an empty folder, and return its summary. Raises RuntimeError if it wrote none."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(file, Path(folder) / INPUT)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        output = Path(folder) / OUTPUT
        values = summary(output.read_text()) if output.exists() else {}
    if not values:
        raise RuntimeError(f"{shlex.join(command)} wrote no summary:\n{done.stdout}{done.stderr}")
    if values.get("Success") != "1":
        print(f"warning: {shlex.join(command)} says Success={values.get('Success')}", file=sys.stderr)
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hpcc", default="mpirun -np 2 hpcc", help="command of the official program")
    parser.add_argument("--options", default="", help="further options of banzuke run")
    options = parser.parse_args()
    ours = ["banzuke", "run", "hpcc", "--input", INPUT, "--fresh", *shlex.split(options.options)]
    commands = {"theirs": shlex.split(options.hpcc), "ours": ours}
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    if absent := [words[0] for words in commands.values() if not shutil.which(words[0])]:
        parser.error(f"not on PATH: {', '.join(absent)}")
    results: dict[str, list[dict[str, str]]] = {name: [] for name in commands}
    for number in range(options.rounds):
        for name in list(commands)[:: 1 if number % 2 == 0 else -1]:
            results[name].append(run_once(commands[name], options.file))
            print(f"round {number + 1}: {name} done", file=sys.stderr)
    for key, (theirs, mine) in unlike(results["theirs"][0], results["ours"][0]).items():
        print(f"{key} differs: {theirs} and {mine}")
    print(table(compare(results["theirs"], results["ours"])))


if __name__ == "__main__":
    main()
