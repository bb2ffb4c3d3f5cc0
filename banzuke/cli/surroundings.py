"""What the cases of a run are in and beside, from its options."""

import os
from collections.abc import Sequence
from pathlib import Path

from banzuke.cli.console import errors, warn
from banzuke.environment.registry import kind_of
from banzuke.errors import BanzukeError
from banzuke.evaluation import Options
from banzuke.isolation.cores import processors, split
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree, format_cpus, parse_cpus
from banzuke.plan.benchmark import Case
from banzuke.plan.variant import Variants

MOST_NEIGHBOURS = 1024


def surroundings(names: str, image: str | None, os_cores: str | None, neighbours: str) -> Variants:
    """Raises BanzukeError for options that contradict each other.

    With isolation among the environments this process keeps to the job's processors from now on, and so does whatever
    it starts: what the machine has, what is planned and what runs natively is then what the isolated job has too.
    """
    asked = tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    reserved: list[int] = []
    kinds = [kind_of(name) for name in asked]
    if image and not any(kind.takes_image for kind in kinds):
        raise BanzukeError(f"--image {image} has no effect", why=f"{names} uses no image", remedy="Leave it out")
    if any(kind.isolates for kind in kinds):
        reserved, job = split(processors(Tree()), _processors(os_cores) if os_cores else ())
        os.sched_setaffinity(0, job)
        left, taken = format_cpus(reserved), format_cpus(job)
        errors.say((f"isolation leaves processors {left} to the operating system and {taken} to every case", "dim"))
    elif os_cores:
        raise BanzukeError(
            "--os-cores has no effect", why=f"{names} isolates nothing", remedy="Add --environment isolated"
        )
    return Variants(asked, _named(image) if image else "", tuple(reserved), _counts(neighbours))


def _processors(text: str) -> tuple[int, ...]:
    """Of `0-1,64`. Raises BanzukeError."""
    cpus = tuple(parse_cpus(text))
    if not cpus:
        raise BanzukeError(f"--os-cores '{text}' is not a list of processors", remedy="Write numbers: 0,64 or 0-1")
    return cpus


def _counts(text: str) -> tuple[int, ...]:
    """Of `0,3`. Raises BanzukeError."""
    found = [int(part) if part.strip().isdecimal() else -1 for part in text.split(",")]
    if not all(0 <= count <= MOST_NEIGHBOURS for count in found):
        raise BanzukeError(
            f"--neighbours '{text}' is not a number of processes",
            remedy=f"Write numbers up to {MOST_NEIGHBOURS:,}, e.g. 3 or 0,3",
        )
    return tuple(dict.fromkeys(found))


def _named(image: str) -> str:
    """A file or folder by its whole path; anything else is a name that the tool knows."""
    return str(Path(image).absolute()) if Path(image).exists() else image


def made_ready(planned: Sequence[Case], machine: Machine, options: Options) -> None:
    """Every environment of the cases, or BanzukeError; says what speaks against its times."""
    for case in {case.variant.environment: case for case in planned}.values():
        with errors.busy(f"making the environment {case.variant.environment} ready ..."):
            found = options.environment(case, machine)
        if found.warning:
            warn(f"{case.variant.environment}: {found.warning}")
