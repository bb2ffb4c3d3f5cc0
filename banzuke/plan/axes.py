"""The ways to vary a launch, apart from its problem and its layout: each is declared once, and checked on a machine."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.environment.registry import kind_of
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Scalar
from banzuke.plan.capabilities import OWN, Libraries
from banzuke.plan.case import Case
from banzuke.plan.catalogue import declares_flows, flows_of
from banzuke.plan.on_devices import as_planned, of_kind
from banzuke.plan.variant import NODE_ORDER, PLACE_ORDER, Variant, Variants
from banzuke.program.describe import CannotStartError, RefusedError, ask
from banzuke.text import nearest
from banzuke.words import Message, message
from banzuke.words.language import words

Useless = Callable[[Any, Case, Benchmark, Machine], str]
RESERVED = "/proc/sys/vm/nr_hugepages"


def _never(_value: Any, _case: Case, _benchmark: Benchmark, _machine: Machine) -> str:
    return ""


@dataclass(frozen=True)
class Axis:
    """One way to vary launches."""

    name: str
    """Name of the field of `Variant`, and of the record's field."""
    option: str
    title: str
    """For the middle of a sentence: `memory policy`."""
    show: Callable[[str], Message | str] = str
    """Returns a value in words that stand by themselves: `3 busy neighbours`."""
    useless: Useless = _never
    """Returns why this value does not change a case; empty: it may."""

    @property
    def heading(self) -> str:
        return f"{self.title[0].upper()}{self.title[1:]}"

    @property
    def usual(self) -> str:
        """Return the value of a launch that is not varied."""
        return str(_USUAL.get(self.name, ""))

    def text(self, value: str) -> str:
        """Return a value as shown beside others of the same axis."""
        return value or "default"


_USUAL: Mapping[str, Any] = {field.name: field.default for field in fields(Variant)}


def _takes_no_library(name: str, case: Case, benchmark: Benchmark, machine: Machine) -> str:
    """Return why the library makes no difference; the benchmark's own code is the usual value.

    A library may refuse a call that the benchmark's own code accepts, such as one with several ranks.
    """
    libraries = as_planned(benchmark, case).libraries
    if not name or (libraries.blas and name in _blas(machine)):
        return ""
    if backend := libraries.backend(name):
        call = {**_choice(libraries, case, "library"), **case.parameters}
        try:
            ask(benchmark.name, backend, case.ranks, case.threads, call, case.variant.build)
        except RefusedError as refused:
            return refused.why or str(refused)
        except CannotStartError:
            return ""  # the launch gives the reason
        return ""
    if name in libraries.names:
        return ""
    names = [*(_blas(machine) if libraries.blas else []), *libraries.names]
    on = "on devices " if any(group.devices for group in case.groups) else ""
    return f"{on}its libraries are {', '.join(names)}" if names else f"{on}it calls no library that could be chosen"


def _choice(libraries: Libraries, case: Case, which: str) -> Mapping[str, Scalar]:
    """Return the parameter that says whose code is called, unless the user set it."""
    name = libraries.parameter
    return {name: which} if name and name not in case.parameters else {}


def _blas(machine: Machine) -> list[str]:
    return list(dict.fromkeys(library.name for library in machine.software.blas))


def _divides_nothing(shares: str, case: Case, benchmark: Benchmark, _machine: Machine) -> str:
    if shares == Variant.shares:
        return ""
    if not benchmark.tuning.loops_by_rates or any(group.devices for group in case.groups):
        return "its loops are not divided by rates"
    libraries = benchmark.libraries
    if libraries.backend(case.variant.library) or case.backend in libraries.by_backend:
        return "the library divides its loops itself"
    return "" if case.threads > 1 else "one thread has nobody to share with"


def _has_one_node(_policy: str, _case: Case, _benchmark: Benchmark, machine: Machine) -> str:
    return "" if len(machine.node.numa) > 1 else "this machine has one NUMA node"


def _is_on_one_host(_shape: str, case: Case, _benchmark: Benchmark, _machine: Machine) -> str:
    return "" if case.nodes > 1 else "one host has no shape"


def _has_one_order(order: str, case: Case, benchmark: Benchmark, _machine: Machine) -> str:
    if order == NODE_ORDER:
        return ""
    if case.nodes == 1 or len(case.groups) > 1:
        return "one host has no order" if case.nodes == 1 else "groups of ranks have an order of their own"
    if order != PLACE_ORDER:
        return ""
    if not declares_flows(benchmark.name):
        return "its messages are not known"
    try:
        answer = ask(benchmark.name, case.backend, case.ranks, case.threads, case.call, case.variant.build)
    except BanzukeError:
        return ""  # the launch gives the reason
    return "" if flows_of(benchmark.name, case.ranks, answer.values) else "the messages of such a case are not known"


def _has_no_launcher(_options: str, case: Case, _benchmark: Benchmark, _machine: Machine) -> str:
    return "" if case.ranks > 1 else "one rank is started without a launcher"


AXES = {
    axis.name: axis
    for axis in (
        Axis("environment", "--environment", "environment"),
        Axis("image", "--image", "image", lambda image: message("axis-image-value", value=image)),
        Axis(
            "neighbours",
            "--neighbours",
            "busy neighbours",
            lambda text: message("axis-neighbours-value", number=int(text)),
        ),
        Axis("build", "--build", "build", lambda name: message("axis-build-value", value=name)),
        Axis("library", "--library", "library", useless=_takes_no_library),
        Axis(
            "memory",
            "--memory",
            "memory policy",
            lambda policy: message("axis-memory-value", value=policy),
            _has_one_node,
        ),
        Axis("pages", "--pages", "pages", lambda kind: message("axis-pages-value", value=kind)),
        Axis(
            "shares",
            "--shares",
            "shares of threads",
            lambda kind: message("axis-shares-value", value=kind),
            _divides_nothing,
        ),
        Axis("cores", "--cores", "cores", lambda cores: message("axis-cores-value", value=cores)),
        Axis("launcher", "--launcher-options", "launcher options", useless=_has_no_launcher),
        Axis(
            "rank_order",
            "--order",
            "order of ranks",
            lambda order: message("axis-order-value", value=order),
            _has_one_order,
        ),
        Axis("device", "--devices", "device"),
        Axis("shape", "--shape", "shape", lambda shape: message("axis-shape-value", value=shape), _is_on_one_host),
    )
}


BACKEND = Axis("backend", "--backend", "backend")
"""An axis along which cases on devices are compared; the backend is a field of the group of ranks, not of `Variant`."""


def axis_of(name: str) -> Axis:
    """Return the axis of this name; any other name is that of a variable."""
    if name == BACKEND.name:
        return BACKEND
    return AXES.get(name) or Axis(name, "--env", f"variable {name}", lambda value: f"{name}={value}")


def shown(values: Mapping[str, str]) -> list[str]:
    """Return each value by axis as an English text that stands by itself."""
    return list(map(words(), standing(values)))


def standing(values: Mapping[str, str]) -> list[Message | str]:
    """Return each value by axis as a message that stands by itself."""
    return [axis_of(name).show(value) for name, value in values.items()]


def fitting(case: Case, variant: Variant, benchmark: Benchmark, machine: Machine) -> Case:
    """Return the case in this variant; an axis whose value makes no difference to the case gets its usual value."""
    case = replace(case, variant=variant)
    useless = {
        name: _USUAL[name]
        for name, axis in AXES.items()
        if axis.useless(getattr(variant, name), case, benchmark, machine)
    }
    fits = replace(variant, **useless)
    if fits.library == OWN:
        fits = replace(fits, library=_USUAL["library"])
    libraries = as_planned(benchmark, case).libraries
    backend = libraries.backend(fits.library)
    groups = tuple(replace(group, backend=backend) for group in case.groups) if backend else case.groups
    chosen = _choice(libraries, case, "library" if backend else OWN)
    return of_kind(replace(case, groups=groups, variant=fits, chosen=chosen), machine)


def with_tuned(asked: Variants, variant: Variant, tuned: Variant) -> Variant:
    """Return the variant with the settings that a search found, except on axes for which the user asked for
    something.
    """
    asked_for = {name for combination in asked.each() for name in (*combination.unusual, *combination.values)}
    changes = {name: value for name, value in tuned.unusual.items() if name not in asked_for or name == "variables"}
    changes["variables"] = tuple(pair for pair in tuned.variables if pair[0] not in asked_for)
    return variant.changed(Variant(**changes))


def without_effect(
    asked: Variants, planned: Sequence[Case], benchmarks: Mapping[str, Benchmark], machine: Machine
) -> list[str]:
    """Return a sentence for each option that was given and has no effect on some cases, which then run once."""
    asked = checked(asked, machine, benchmarks.values())
    asked_values = {
        name: list(dict.fromkeys(getattr(variant, name) for variant in asked.each() if name in variant.unusual))
        for name in AXES
    }
    reasons = [
        (
            case.benchmark,
            axis,
            {value: axis.useless(value, case, benchmarks[case.benchmark], machine) for value in values},
        )
        for case, (name, axis) in itertools.product(planned, AXES.items())
        if (values := asked_values[name])
    ]
    useful = {(name, axis.name, value) for name, axis, why in reasons for value in why if not why[value]}
    useless: dict[tuple[str, str], dict[str, None]] = {}
    for name, axis, why_not in reasons:
        for why in filter(None, dict.fromkeys(why_not.values())):
            values = [value for value in why_not if why_not[value] == why]
            which = axis.option if len(values) == len(why_not) else f"{axis.option} {','.join(map(str, values))}"
            some = any((name, axis.name, value) in useful for value in values)
            useless.setdefault((which, why), {})["some cases of " * some + name] = None
    return [f"{which} does nothing for {', '.join(names)}: {why}" for (which, why), names in useless.items()]


def checked(asked: Variants, machine: Machine, chosen: Iterable[Benchmark] = ()) -> Variants:
    """Return the variants with libraries by their right names. Raises BanzukeError for values that machine and
    benchmarks do not have.
    """
    for cores in asked.cores:
        _check_cores(cores, machine)
    for policy in asked.memories:
        _check_policy(policy, machine)
    if any(kind_of(name).watched for name in asked.environments):  # elsewhere another kernel has them
        for pages in asked.pages:
            _check_pages(pages, machine)
    chosen = list(chosen)
    own = [name for benchmark in chosen for name in benchmark.libraries.names]
    calling = not own or any(benchmark.libraries.blas for benchmark in chosen)
    on_devices = [
        library.name for benchmark in chosen if benchmark.devices for library in benchmark.devices.selectable.values()
    ]
    names = list(dict.fromkeys([*own, *(_blas(machine) if calling else ()), *on_devices]))
    return replace(asked, libraries=tuple(dict.fromkeys(_library(name, names) for name in asked.libraries)))


def _library(name: str, names: Sequence[str]) -> str:
    match = next((candidate for candidate in names if candidate.lower() == name.lower()), None)
    if name and match is None:
        raise BanzukeError(f"there is no library '{name}' here", remedy=nearest(name, names))
    return match or ""


def _check_cores(text: str, machine: Machine) -> None:
    allowed = machine.allotment.allowed
    if other := sorted(set(parse_cpus(text)) - set(allowed)):
        raise BanzukeError(
            f"--cores {text}: {format_cpus(other)} may not be used here",
            why=f"the processors that may are {format_cpus(allowed)}",
        )


def _check_policy(policy: str, machine: Machine) -> None:
    nodes = [node.node for node in machine.node.numa]
    asked = set(parse_cpus(policy.partition(":")[2]))
    if other := sorted(asked - set(nodes)):
        raise BanzukeError(
            f"--memory {policy}: there is no NUMA node {format_cpus(other)} here",
            why=f"this machine has {format_cpus(nodes) or 'none that is known'}",
        )
    with_memory = [node.node for node in machine.node.numa if node.bytes != 0]
    if other := sorted(asked - set(with_memory)):
        raise BanzukeError(
            f"--memory {policy}: NUMA node {format_cpus(other)} has no memory",
            why=f"those that have some are {format_cpus(with_memory) or 'not known'}",
        )


def _check_pages(kind: str, machine: Machine) -> None:
    kernel = machine.partition.kernel
    if kind == "reserved" and kernel.get("reserved_hugepages", "0") == "0":
        raise BanzukeError(
            "--pages reserved: no pages are reserved",
            why=f"{RESERVED} is 0",
            remedy=f"As root, write the number of pages to {RESERVED}",
        )
    if kind == "transparent" and kernel.get("transparent_hugepages") == "never":
        setting = "/sys/kernel/mm/transparent_hugepage/enabled"
        raise BanzukeError(
            "--pages transparent: the kernel provides none",
            why=f"{setting} is never",
            remedy=f"As root, write madvise to {setting}",
        )
