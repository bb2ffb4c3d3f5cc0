"""Checks a case before it runs: whether its programs accept it, and whether the memory and storage suffice."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.launch.given_devices import devices_of
from banzuke.machine.model import Machine
from banzuke.machine.mounts import is_remote
from banzuke.plan.case import Case
from banzuke.plan.catalogue import find
from banzuke.program.describe import Answer, Parameter, Refusal, RefusedError, ask, describe
from banzuke.program.installed import DEFAULT
from banzuke.text import closest, nearest
from banzuke.units import quantity

SPACE = "space_bytes"
"""Name of the fact that says how many bytes must be free for all files of a case together."""
ROOM = 0.95
"""Share of the memory that the suggested largest size may use: libraries and MPI have buffers of their own."""


def check(case: Case, machine: Machine) -> list[Answer]:
    """Refuse what cannot run, before anything is allocated. Raises BanzukeError."""
    answers = answered(case, machine)
    check_memory(case, machine, answers)
    _check_storage(case, machine, answers)
    return answers


def answered(case: Case, machine: Machine) -> list[Answer]:
    """Ask the program of each group about the call with all parameters, ranks and devices of `case`.

    Raises BanzukeError; RefusedError with a program's own words.
    """
    check_names(case)
    build = case.variant.build
    try:
        answers = _asked(case, machine, case.call)
    except RefusedError as refused:
        if len(case.groups) > 1 or case.groups[0].partition:
            raise _with_these_ranks(refused) from refused
        raise
    if case.ranks > 1 and any(answer.mpi == "none" for answer in answers):
        raise BanzukeError(
            f"{case.benchmark} cannot run with {case.ranks} ranks",
            why=f"{'this installation' if build == DEFAULT else f'the build {build}'} was built without MPI",
            remedy="Load an MPI module or `pip install mpich` into the environment, then install Banzuke again",
        )
    return answers


def _with_these_ranks(refused: RefusedError) -> RefusedError:
    """Return the refusal with only those nearest calls that have as many ranks, which of groups nobody sets."""
    able = [call for call in refused.nearest if "ranks" not in call]
    settings = [" ".join(f"{name}={value}" for name, value in call.items()) for call in able]
    remedy = f"Nearest: {' or '.join(settings)}" if able else ""
    kept = Refusal(why=refused.why, remedy=remedy, nearest=able, without=refused.without)
    return RefusedError(refused.problem, kept)


def check_values(case: Case) -> None:
    """Refuse what is wrong with any number of ranks. Raises BanzukeError."""
    check_names(case)
    for group in case.groups:
        describe(case.benchmark, group.backend, case.call, case.variant.build)


def check_names(case: Case) -> None:
    """Raise BanzukeError for a parameter that a group's program does not have."""
    for group in case.groups:
        try:
            parameters = describe(case.benchmark, group.backend, build=case.variant.build).parameters
        except BanzukeError as error:
            if len(case.groups) > 1 and error.why:
                name = group.partition or (group.placement.name if group.placement else group.backend)
                error.why += f"; the group {name} needs it"
            raise
        for name in case.call:
            if name not in {parameter.name for parameter in parameters}:
                raise BanzukeError(f"{case.benchmark} has no parameter '{name}'", remedy=_meant(name, parameters))


def _meant(name: str, parameters: Sequence[Parameter]) -> str:
    """Return a sentence that suggests a parameter with a similar name, or one whose help mentions the name, or lists
    all.
    """
    names = [parameter.name for parameter in parameters]
    word = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    speaking = (parameter for parameter in parameters if word.search(parameter.help))
    if not closest(name, names) and (meant := next(speaking, None)):
        return f"Did you mean '{meant.name}' ({meant.help})?"
    return nearest(name, names)


def memory(case: Case, answers: Sequence[Answer]) -> float:
    """Return the bytes that the case takes of the host that needs the most."""
    return max(_memory(case, answers).values())


def _memory(case: Case, answers: Sequence[Answer]) -> dict[str, float]:
    """Return the bytes on the fullest host of each partition."""
    needed = dict.fromkeys(case.by_partition, 0.0)
    for group, answer in zip(case.groups, answers, strict=True):
        needed[group.partition] += group.per_host * answer.problem.footprint
    return needed


def _asked(case: Case, machine: Machine, parameters: Mapping[str, Any]) -> list[Answer]:
    """Ask each program as the first rank of its group would be called."""
    build = case.variant.build
    return [
        ask(case.benchmark, group.backend, case.ranks, group.threads, parameters, build, devices[0] if devices else ())
        for group, devices in zip(case.groups, devices_of(case, machine), strict=True)
    ]


def check_memory(case: Case, machine: Machine, answers: Sequence[Answer]) -> None:
    """Check the memory of hosts and devices. Raises BanzukeError naming the largest size that fits."""
    _check_devices(case, machine, answers)
    for partition, needed in _memory(case, answers).items():
        here = case.by_partition[partition][0].given(machine)
        usable = here.allotment.usable_memory
        if needed > usable:
            raise BanzukeError(
                f"{case.benchmark} with {_brief(case.parameters)} needs {quantity(needed, 'B', 4)} of memory",
                why=f"{quantity(usable, 'B', 4)} of {quantity(here.node.memory.total, 'B', 4)} may be used now",
                remedy="Choose a smaller size"
                + _largest(case, machine, answers[0], memory_of_hosts(partition), usable),
            )


def _check_storage(case: Case, machine: Machine, answers: Sequence[Answer]) -> None:
    """Raise BanzukeError where its files do not fit into the free space of the area, as far as both are known.

    On a file system that may be each host's own, only what this host's ranks write has to fit; the program checks the
    others.
    """
    storage = find(case.benchmark).storage
    area = str(case.parameters.get(storage.area, "")) if storage else ""
    free = machine.allotment.storage_available.get(area)
    needed = max(float(answer.problem.facts.get(SPACE, 0)) for answer in answers)
    kind = machine.site.areas[area].kind if area in machine.site.areas else None
    if not (kind and is_remote(kind)):
        needed *= case.per_host / case.ranks
    if free is not None and needed > free:
        raise BanzukeError(
            f"{case.benchmark} with {_brief(case.parameters)} writes {quantity(needed, 'B', 4)} into {area}",
            why=f"{quantity(free, 'B', 4)} are free there",
            remedy="Choose a smaller size, or another area",
        )


Needed = Callable[[Case, Sequence[Answer]], float]
"""Returns the bytes that a case needs."""


def memory_of_hosts(partition: str) -> Needed:
    return lambda case, answers: _memory(case, answers)[partition]


def memory_of_devices(case: Case, answers: Sequence[Answer]) -> float:
    """Return the largest number of bytes that a rank needs on each of its devices."""
    return max(
        (answer.problem.device_footprint for group, answer in zip(case.groups, answers, strict=True) if group.devices),
        default=0.0,
    )


def _check_devices(case: Case, machine: Machine, answers: Sequence[Answer]) -> None:
    needed = memory_of_devices(case, answers)
    here = machine.driving(case.variant.device).allotment.devices[
        : case.per_host * max(group.devices for group in case.groups)
    ]
    smallest = min(here, key=lambda device: device.memory_available, default=None)
    if smallest and needed > smallest.memory_available:
        free = smallest.memory_available
        raise BanzukeError(
            f"{case.benchmark} with {_brief(case.parameters)} needs {quantity(needed, 'B', 4)} of device memory",
            why=f"{quantity(free, 'B', 4)} of {quantity(smallest.memory, 'B', 4)} are free on {smallest.name} "
            f"({smallest.identity})",
            remedy=f"Choose a smaller size{_largest(case, machine, answers[0], memory_of_devices, free)}",
        )


def _largest(case: Case, machine: Machine, answer: Answer, needed: Needed, usable: float) -> str:
    """Return `: n=34000 is the largest that fits`, found by bisection with the programs' answers; empty: unknown."""
    asked = {name: int(answer.values[name]) for name in find(case.benchmark).sizing.parameters}
    fits, low, high = "", 0, max(asked.values(), default=0)
    while high - low > 1:
        middle = (low + high) // 2
        scaled = {name: max(1, value * middle // max(asked.values())) for name, value in asked.items()}
        try:
            sizes, answers = _taken(case, machine, scaled)
        except BanzukeError:
            low = middle  # too small for the other parameters
            continue
        if needed(case, answers) > ROOM * usable:
            high = middle
        else:
            low, fits = middle, f": {_brief(sizes)} is the largest that fits"
    return fits


def _taken(case: Case, machine: Machine, sizes: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Answer]]:
    """Return the sizes, or the nearest that the programs accept, and their answers. Raises BanzukeError."""
    try:
        return sizes, _asked(case, machine, {**case.call, **sizes})
    except RefusedError as error:
        below = error.nearest[0] if error.nearest else {}
        if below.keys() != sizes.keys():
            raise
        return below, _asked(case, machine, {**case.call, **below})


def _brief(parameters: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())
