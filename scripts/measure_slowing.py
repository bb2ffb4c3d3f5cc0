"""Measure a shared product in which one of two processors slows down in the middle, and draw who computed when.

    python -m scripts.measure_slowing --rounds 5 --chart slowing.svg     # needs root, for the control group

A control group takes two thirds of the second processor's time away while the product is under way. Each line has what
a way to split reached, as a share of what both processors could do, by their rates alone before and after. A run is
left out if the change was not within the product, or if other programs took a processor. The chart is of the run whose
share is the median.
"""

import argparse
import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from banzuke.machine.discover import discover
from banzuke.plan.catalogue import find
from banzuke.record.model import Record
from banzuke.report.charts.draw import file_of
from banzuke.report.testing.parts import assess
from banzuke.report.testing.parts import record as artificial
from banzuke.views.testing import charts, section, view
from scripts.measure_unlike import Launch, Place, Way, described, run_undisturbed
from tests.conftest import SCRIPTS
from tests.control_groups import ControlGroup, control_group

LOOK = 0.05
"""Seconds between two looks at who computes."""
ALONE = 8
"""Looks in which the second processor computes alone before the product begins; more than when matrices are filled."""
DISTURBED = 0.25
"""Part of a processor from which on others disturb a run."""
BUSY = 0.5
"""Part of a look in which a process that computes has a processor."""


@dataclass
class Slowed:
    """A change that took place while a product was under way."""

    at: float | None = None
    """Seconds since the epoch; None: not yet."""


def joined(group: ControlGroup) -> Path:
    return group.folders["cpu"] / "cgroup.procs"


def slow_down(group: ControlGroup, part: float, period: float) -> None:
    """Leave the group this part of a processor."""
    folder, whole, limit = group.folders["cpu"], f"{1000 * period:.0f}", f"{1000 * part * period:.0f}"
    if group.unified:
        (folder / "cpu.max").write_text(f"{limit} {whole}")
    else:
        (folder / "cpu.cfs_period_us").write_text(whole)
        (folder / "cpu.cfs_quota_us").write_text(limit)


def release(group: ControlGroup) -> None:
    folder = group.folders["cpu"]
    (folder / ("cpu.max" if group.unified else "cpu.cfs_quota_us")).write_text("max" if group.unified else "-1")


def seconds_of(group: ControlGroup) -> float:
    """Return the processor time of the group's processes so far."""
    total = 0
    for process in joined(group).read_text().split():
        with contextlib.suppress(OSError):
            total += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return total / 100


def wait_for_product(groups: Sequence[ControlGroup], ended: threading.Event) -> None:
    """Return when both compute at once after the second one computed alone, which is when the first product begins."""
    alone, before = 0, [seconds_of(group) for group in groups]
    while not ended.wait(LOOK):
        after = [seconds_of(group) for group in groups]
        busy = [now - then > BUSY * LOOK for then, now in zip(before, after, strict=True)]
        before = after
        if busy == [False, True]:
            alone += 1
        elif alone >= ALONE and busy == [True, True]:
            return
        elif busy == [True, False]:
            alone = 0


def run_slowed(launch: Launch, places: Sequence[str], asked: argparse.Namespace, split: str) -> dict[str, Any]:
    """Return the record of a product during which the second processor slows down, and when it did, in the call."""
    program = SCRIPTS / "banzuke-dgemm-blas"
    slowed, ended = Slowed(), threading.Event()
    with contextlib.ExitStack() as stack:
        groups = [stack.enter_context(control_group(["cpu"], lambda _: ())) for _ in places]

        def interfere() -> None:
            wait_for_product(groups, ended)
            if not ended.wait(asked.after):
                slow_down(groups[-1], asked.part, asked.period)
                slowed.at = time.time()

        meddler = threading.Thread(target=interfere)
        meddler.start()
        try:
            spots = [Place(cpu, joined(group)) for cpu, group in zip(places, groups, strict=True)]
            shape = {"m": asked.m, "n": asked.m, "k": asked.m, "repetitions": 1, "split": split}
            way = Way(split, partial(launch.run, program, spots, **shape))
            record, others = run_undisturbed(way, inf)
        finally:
            ended.set()
            meddler.join()
            release(groups[-1])
    begin = record["conditions"]["timed_parts"][0][0]
    return {"record": record, "at": slowed.at - begin if slowed.at else None, "others": others}


def judged(run: Mapping[str, Any], part: float) -> dict[str, float] | None:
    """Return what was reached, and how soon the groups' work followed; None if it tells nothing."""
    record, at = run["record"], run["at"]
    work = record["metrics"]["flop_rate"]["counted"]
    seconds = work / record["metrics"]["flop_rate"]["samples"][0]
    if at is None or not 0.1 * seconds < at < 0.9 * seconds or run["others"] > DISTURBED:
        return None
    first, second = record["conditions"]["rates_alone"]
    least = (work - at * (1 - part) * second) / (first + part * second)
    lines = record["series"]["updates"]["lines"]
    computed = [[end for end, done in zip(line["times"], line["values"], strict=True) if done] for line in lines]
    return {
        "seconds": seconds,
        "at": at,
        "share": least / seconds,
        "waits": seconds - min(max(ends, default=0.0) for ends in computed),
        "blocks": sum(end > at for end in computed[1]),
    }


def chart_of(run: Mapping[str, Any], processors: Sequence[str]) -> dict[str, Any]:
    """Return the chart of who computed when, as in the report, with a line where the second processor slowed down."""
    benchmark = find("dgemm")
    shown = {metric.name for metric in benchmark.metrics}
    measured = Record.model_validate(run["record"])
    metrics = {name: samples for name, samples in measured.metrics.items() if name in shown}
    provenance = artificial("dgemm", 1, measured.parameters, metrics).provenance
    placed = provenance.model_copy(update={"placement": "+".join(processors)}) if provenance else None
    case = assess(measured.model_copy(update={"metrics": metrics, "provenance": placed}), {"dgemm": benchmark})
    spec = charts(view(benchmark, "shared-product").show(section(benchmark, case)))["dgemm-trace-1"].spec
    mark = {"data": {"values": [{"x": run["at"]}]}, "mark": {"type": "rule", "strokeDash": [2, 2]}}
    layers = [*spec["layer"], {**mark, "encoding": {"x": {"field": "x", "type": "quantitative"}}}]
    return {**spec, "layer": layers}


def table(runs: Sequence[Mapping[str, Any]], ways: Sequence[str], part: float) -> Iterator[str]:
    """Yield a line for each way to split."""
    yield "| split | rounds | slowed at | ended at | of what both could do | one waited | its blocks since |"
    yield "|---|---|---|---|---|---|---|"
    for way in ways:
        seen = [reached for run in runs if run["way"] == way and (reached := judged(run, part))]
        if seen:
            cells = [described([reached[name] for reached in seen]) for name in ("at", "seconds", "share", "waits")]
            yield f"| {way} | {len(seen)} | {' | '.join(cells)} | {median(run['blocks'] for run in seen):g} |"


def typical(runs: Sequence[Mapping[str, Any]], way: str, part: float) -> Mapping[str, Any]:
    """Return the run of this way whose share is the median. Ends the script if there is none."""
    shares = [(reached["share"], run) for run in runs if run["way"] == way and (reached := judged(run, part))]
    if not shares:
        sys.exit(f"no product of {way} slowed down in the middle")
    return sorted(shares, key=lambda pair: pair[0])[len(shares) // 2][1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure a product in which a processor slows down.")
    parser.add_argument("--processors", nargs=2, default=["0", "1"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ways", nargs="+", default=["adaptive", "rates"])
    parser.add_argument("--m", type=int, default=5000, help="order of the matrices")
    parser.add_argument("--part", type=float, default=1 / 3, help="of its time that the second processor keeps; 1/3")
    parser.add_argument("--period", type=float, default=10.0, metavar="MS", help="of the quota; 10")
    parser.add_argument("--after", type=float, default=0.6, metavar="S", help="seconds of the product before that")
    parser.add_argument("--blas", help="library; by default the fastest")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="runs measured before, to which these are added")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="where to draw a run of the first way")
    asked = parser.parse_args()
    launch = Launch(asked.blas or discover().software.blas[0].path)
    runs = (
        [json.loads(line) for line in asked.kept.read_text().splitlines()] if asked.kept and asked.kept.exists() else []
    )
    for _ in range(asked.rounds):
        for way in asked.ways:
            runs.append({"way": way, **run_slowed(launch, asked.processors, asked, way)})
            if asked.kept:
                with asked.kept.open("a") as kept:
                    kept.write(json.dumps(runs[-1]) + "\n")
    print(*table(runs, asked.ways, asked.part), sep="\n")
    if asked.chart:
        spec = chart_of(typical(runs, asked.ways[0], asked.part), asked.processors)
        asked.chart.write_bytes(file_of(spec, asked.chart))


if __name__ == "__main__":
    main()
