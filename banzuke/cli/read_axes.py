"""The launches of a run's cases, from its options: environments, load beside them, and what else is varied."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from banzuke.cli import builds
from banzuke.cli.axis_options import Axes
from banzuke.cli.console import errors
from banzuke.cli.orders import chosen_orders
from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.environment.registry import kind_of
from banzuke.errors import BanzukeError
from banzuke.isolation.cores import processors, split
from banzuke.machine.tree import Tree
from banzuke.machine.user_variables import PLACING
from banzuke.plan.axes import AXES
from banzuke.plan.variant import Variants
from banzuke.text import nearest
from banzuke.units import whole

MOST_NEIGHBOURS = 1024
PAGES = ("base", "transparent", "reserved")
SHARES = ("equal", "rates")
OWN = {
    "OMP_NUM_THREADS": "--threads sets it",
    **dict.fromkeys(PLACING, "the programs bind their threads themselves; --cores says where"),
}
"""Variables that Banzuke sets or replaces, and why."""


def variants(options: Axes) -> Variants:
    """Return the variants. Raises BanzukeError for options that contradict each other or are not understood.

    If an environment isolates, this process and all that it starts keep to the job's processors from now on, so that
    the machine found, the plan and native cases match what the isolated job gets.
    """
    asked = _listed(options.environment)
    reserved: list[int] = []
    kinds = [kind_of(name) for name in asked]
    if options.image and not any(kind.takes_image for kind in kinds):
        raise BanzukeError(
            f"--image {options.image[0]} has no effect", why=f"{options.environment} uses no image", remedy="Omit it"
        )
    chosen = Variants(
        asked,
        tuple(dict.fromkeys(map(_named, options.image or [""]))),
        neighbours=_counts(options.neighbours),
        builds=builds.chosen(options.build, options.mpi),
        libraries=_libraries(options.library),
        memories=_policies(options.memory),
        pages=_named_ways("pages", options.pages, PAGES, ""),
        shares=_named_ways("shares", options.shares, SHARES, SHARES[0]),
        cores=tuple(dict.fromkeys(map(_cores, options.cores or ()))) or ("",),
        variables=tuple(_settings(options.env or []).items()),
        launchers=tuple(dict.fromkeys(map(_options, options.launcher_options or [""]))),
        orders=chosen_orders(options),
        shape=_shape(options.shape),
    )
    if any(kind.isolates for kind in kinds):
        reserved, job = split(
            processors(Tree()), _processors("--os-cores", options.os_cores) if options.os_cores else ()
        )
        os.sched_setaffinity(0, job)
        left, taken = format_cpus(reserved), format_cpus(job)
        errors.say((f"isolation: processors {left} for the operating system, {taken} for every case", "dim"))
    elif options.os_cores:
        raise BanzukeError(
            "--os-cores has no effect",
            why=f"{options.environment} does not isolate",
            remedy="Add --environment isolated",
        )
    return replace(chosen, os_cores=tuple(reserved))


def _listed(text: str | None) -> tuple[str, ...]:
    """Return the names in `MKL, BLIS`; an option that was not given has one empty value."""
    return tuple(dict.fromkeys(name.strip() for name in (text or "").split(",")))


def _libraries(text: str | None) -> tuple[str, ...]:
    """Return the names of libraries. Raises BanzukeError."""
    names = _listed(text)
    if text is not None and not all(names):
        raise BanzukeError(f"--library '{text}' is not understood", remedy="Write names: OpenBLAS,MKL")
    return names


def _policies(text: str | None) -> tuple[str, ...]:
    """Return the memory policies in `local,interleave,bind:0,2`. Raises BanzukeError."""
    policies = [part.strip() for part in re.split(r",(?!\s*\d)", text or "")]  # nodes are numbers, policies are not
    for policy in policies if text is not None else []:
        name, colon, nodes = policy.partition(":")
        if not (name == "bind" and parse_cpus(nodes)) and (colon or name not in ("local", "interleave")):
            raise BanzukeError(
                f"--memory '{policy}' is not a memory policy",
                remedy="Choose among local, interleave and bind:NODES, such as bind:0-1",
            )
    return tuple(dict.fromkeys(policies))


def _named_ways(what: str, text: str | None, names: Sequence[str], usual: str) -> tuple[str, ...]:
    """Return the values of an axis in `base,transparent`; `usual` if none are given. Raises BanzukeError."""
    if text is None:
        return (usual,)
    ways = _listed(text)
    unknown = next((way for way in ways if way not in names), None)
    if unknown is not None:
        raise BanzukeError(f"there are no {what} '{unknown}'", remedy=nearest(unknown, names))
    return ways


def _cores(text: str) -> str:
    """Return the list of processors in the kernel's format. Raises BanzukeError."""
    return format_cpus(list(_processors("--cores", text)))


def _settings(texts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the values of each variable in `NAME=a,b`; a backslash keeps a comma in a value. Raises BanzukeError."""
    variables: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise BanzukeError(
                f"--env '{text}' is not understood", remedy="Write --env NAME=value, or NAME=value,value for several"
            )
        why = OWN.get(name) or ("its own options have such variables" if name.startswith("BANZUKE_") else "")
        why = why or ("records have the values of another option under this name" if name in AXES else "")
        if why:
            raise BanzukeError(f"--env {name} cannot be varied", why=why)
        several = (value.replace("\\,", ",") for value in re.split(r"(?<!\\),", values))
        variables[name] = tuple(dict.fromkeys((*variables.get(name, ()), *several)))
    return variables


def _options(text: str) -> str:
    """Return the launcher's options, quoted as words of a shell. Raises BanzukeError."""
    try:
        return shlex.join(shlex.split(text))
    except ValueError as error:
        raise BanzukeError(f"--launcher-options '{text}' is not understood", why=str(error)) from error


def _shape(text: str | None) -> str:
    """Return the shape. Raises BanzukeError."""
    if text is not None and not re.fullmatch(r"[A-Za-z0-9][\w.:,+-]{0,63}", text, re.ASCII):
        raise BanzukeError(f"--shape '{text}' is not understood", remedy="Write a word such as mesh or 2x3x2:torus")
    return text or ""


def _processors(option: str, text: str) -> tuple[int, ...]:
    """Return the processors in `0-1,64`. Raises BanzukeError."""
    cpus = tuple(parse_cpus(text))
    if not cpus:
        raise BanzukeError(f"{option} '{text}' is not a list of processors", remedy="Write numbers: 0,64 or 0-1")
    return cpus


def _counts(text: str) -> tuple[int, ...]:
    """Return the numbers of neighbours in `0,3`. Raises BanzukeError."""
    numbers = [whole(part) for part in text.split(",")]
    if not all(0 <= count <= MOST_NEIGHBOURS for count in numbers):
        raise BanzukeError(
            f"--neighbours '{text}' is not a number of processes",
            remedy=f"Write numbers up to {MOST_NEIGHBOURS:,}, e.g. 3 or 0,3",
        )
    return tuple(dict.fromkeys(numbers))


def _named(image: str) -> str:
    """Return the absolute path of a file or folder; anything else is a name that the tool knows."""
    return str(Path(image).absolute()) if image and Path(image).exists() else image
