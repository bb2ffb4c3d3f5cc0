"""Refuses calls that nodes of several partitions cannot carry out together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from banzuke.cli.job_command import JobCommand
from banzuke.cli.run_options import RunOptions
from banzuke.errors import BanzukeError
from banzuke.machine.partitions import TOGETHER
from banzuke.plan.benchmark import Benchmark

MOST_NAMED = 3
"""Most benchmarks that an error names."""


def check_together(specs: Iterable[Benchmark], options: RunOptions) -> None:
    """Raise BanzukeError for benchmarks and options that several partitions together do not go with."""
    names = " and ".join(options.partitions)
    if others := [spec.name for spec in specs if spec.over_partitions is None]:
        listed = ", ".join(others[:MOST_NAMED]) + (", ..." if len(others) > MOST_NAMED else "")
        raise BanzukeError(
            f"{listed} cannot run on nodes of {names} together",
            why="only ranks that share one problem by the speeds of their nodes can",
            remedy="Name one partition",
        )
    values: dict[str, object] = {"--groups": options.groups, "--ranks": options.ranks, "--threads": options.threads}
    values |= {"--placement": options.placement, "--scaling": options.scaling, "--devices": options.devices}
    values |= {"--input": options.input_path, "--order": options.axes.order}
    values |= {"--tune": options.tune, "--against": options.against, "--cores": options.axes.cores}
    if wrong := next((name for name, value in values.items() if value), ""):
        raise BanzukeError(
            f"{wrong} is for one partition",
            why=f"the ranks of {names} follow from the speeds of their nodes",
            remedy="Leave it out, or name one partition",
        )


def check_parts(asked: JobCommand, file: Path | None, names: Sequence[str], values: Mapping[str, object]) -> None:
    """Raise BanzukeError for jobs that cannot have nodes of several partitions. `values`: those of options of `submit`
    that are for one partition.
    """
    together = " and ".join(names)
    if wrong := next((name for name, value in values.items() if value), ""):
        raise BanzukeError(
            f"{wrong} is for jobs on one partition", why=f"--partition names {together}", remedy="Leave it out"
        )
    if file is None:
        raise BanzukeError(
            f"{together} are described nowhere",
            why="a job over several partitions needs the description of each",
            remedy="Write a site file with `banzuke site init`, and name it with --site",
        )
    if asked.name != "run":
        raise BanzukeError("an evaluation is of one partition", remedy="Name one, or leave out --evaluate")
    check_together(asked.specs.values(), replace(asked.options, partition=TOGETHER.join(names), nodes=None))
