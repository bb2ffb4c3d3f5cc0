"""`banzuke submit --power-cap`: the power that jobs are expected to take, and the waves in which they run."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from banzuke.batch.submission import PlannedJob
from banzuke.batch.systems import system
from banzuke.batch.waves import limited, waves
from banzuke.cli.console import errors
from banzuke.cli.options import HOW
from banzuke.errors import BanzukeError
from banzuke.machine.described import Place
from banzuke.plan.case import key
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import quantity

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6}


def _watt(text: str) -> float:
    """Return watts from text such as `200kW`. Raises BanzukeError."""
    match = re.fullmatch(r"\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*([kM]?)W\s*", text, re.ASCII)
    value = float(match[1]) * _PREFIXES[match[2]] if match else 0.0
    if value <= 0:
        raise BanzukeError(
            f"--power-cap '{text}' is not understood", remedy="Write it with its unit: 800W, 200kW, 1.5MW"
        )
    return value


PowerCap = Annotated[
    Any,
    typer.Option(
        "--power-cap",
        parser=_watt,
        metavar="POWER",
        help="Jobs run at the same time only as far as their expected power stays within this: 800W, 200kW, 1.5MW. "
        "The others wait until these have ended.",
        show_default="no limit",
        rich_help_panel=HOW,
    ),
]


@dataclass(frozen=True)
class _Expected:
    """Expected power of a node while it runs a benchmark."""

    watt: float
    source: str


def capped(
    jobs: Sequence[PlannedJob], cap: float, results: Path, place: Place | None, partition: str
) -> list[PlannedJob]:
    """Return the jobs with their expected power, and print the waves in which they run. Raises BanzukeError."""
    names = {name for planned in jobs for name in planned.benchmarks}
    measured = _measured(results, place, names) if place else {}
    capped_jobs, sources = [], {}
    for planned in jobs:
        demands = [_expected(name, measured, place, partition) for name in planned.benchmarks]
        expected = max(demands, key=lambda demand: demand.watt)
        capped_jobs.append(limited(planned, expected.watt, cap))
        sources[planned.name] = expected.source
    several = waves(capped_jobs, cap)
    if len(several) > 1:  # if jobs cannot wait for others, this raises before anything is submitted
        system(capped_jobs[0].job).submission(capped_jobs[0].job, Path("FILE"), after=("1",))
    _say(several, cap, sources)
    return capped_jobs


def _say(several: Sequence[Sequence[PlannedJob]], cap: float, sources: Mapping[str, str]) -> None:
    for number, wave in enumerate(several, 1):
        total = quantity(sum(job.watt for job in wave), "W")
        after = f", after wave {number - 1}" if number > 1 else ""
        errors.say(f"wave {number}{after}: {total} of {quantity(cap, 'W')}")
        for job in wave:
            at_once = job.job.at_once or job.job.elements
            simultaneous = f"{at_once} at once, " if job.job.elements > 1 else ""
            node = f"{simultaneous}{quantity(job.node_watt, 'W')} a node, {sources[job.name]}"
            errors.say(f"  {job.name}: {quantity(job.watt, 'W')} ({node})")


def _expected(name: str, measured: Mapping[str, _Expected], place: Place | None, partition: str) -> _Expected:
    """Return the measured power, else the rating of the power supplies. Raises BanzukeError."""
    if name in measured:
        return measured[name]
    rating = place.site.partitions[place.key].node.power if place else None
    if rating:
        return _Expected(rating, "rating of its supplies")
    entry = "`power = ...` (W, the most that a node's supplies give)"
    raise BanzukeError(
        f"what a node of partition {partition or 'default'} takes with {name} is not known",
        why="no earlier run there has measured the power of whole nodes, and no site file states their rating",
        remedy=f"Write {entry} into [partitions.{partition}.node] of {place.file}"
        if place
        else f"Describe the site by `banzuke site init`, and write {entry} into the node of its partition",
    )


def _measured(results: Path, place: Place, names: Collection[str]) -> dict[str, _Expected]:
    """Return the highest mean power of a node in earlier runs on this partition, by benchmark."""
    highest: dict[str, _Expected] = {}
    with errors.busy("looking for the power of earlier runs ..."):
        for run in Store(results).runs():
            for name, watt in _measured_in(run, place, names):
                if name not in highest or watt > highest[name].watt:
                    highest[name] = _Expected(watt, f"measured in run {run.name}")
    return highest


def _measured_in(run: Run, place: Place, names: Collection[str]) -> Iterator[tuple[str, float]]:
    """Yield benchmark and watts per node from those records of the run that kept whole nodes of the partition busy.

    Sensors within a node miss the losses of its power supply, so their records are left out.
    """
    plan = None if run.of_fleet else run.plan()
    cases = {key(case) for case in plan.cases if case.benchmark in names} if plan else set()
    if not cases:
        return
    try:
        machine = run.machine()
    except BanzukeError:
        return
    if (machine.site.name, machine.allotment.partition) != (place.site.name, place.key):
        return
    cores = sum(processor.cores or 0 for processor in machine.node.processors)
    for record in run.read(cases).records:
        energy = record.energy
        if energy and energy.watt and set(energy.covers) == {"node"} and record.cores >= cores * record.nodes:
            yield record.benchmark, energy.watt / record.nodes
