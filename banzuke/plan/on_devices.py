"""Divides a request between processors and devices; each part is planned by itself."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.machine.accelerators import beginning, named
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.capabilities import OWN
from banzuke.plan.case import Case
from banzuke.plan.groups import Groups, SharingGroup, devices_of_groups
from banzuke.program.describe import drives
from banzuke.program.installed import DEFAULT, backends, folder

ALL, NONE = "all", "none"
"""Words for devices."""


def parts(
    benchmark: Benchmark, machine: Machine, asked: Sequence[str], libraries: Sequence[str] = ()
) -> list[tuple[Benchmark, list[str]]]:
    """Return the benchmark as it is planned for processors and for devices, each with the backends that were asked for;
    no names: its default backend.

    `asked`: backends by name; none: all that are usual here, or those that call one of the `libraries` by name. Raises
    BanzukeError where a device's backend or library was asked for and there is no device.
    """
    if benchmark.devices is None:
        return [(benchmark, list(asked))]
    own = [name for name in asked if drives(benchmark.name, name)]
    others = [name for name in asked if name not in own]
    if own and not machine.allotment.devices:
        raise no_device(benchmark, machine, own[0])
    planned: list[tuple[Benchmark, list[str]]] = []
    if others and not benchmark.of_processors:
        raise BanzukeError(
            f"{benchmark.name} has no backend {others[0]} here",
            why="it runs only on devices",
            remedy="docs/gpu.md says what builds its programs",
        )
    named = {name for name in libraries if name}
    calling = {
        backend: library.name for backend, library in benchmark.devices.selectable.items() if library.name in named
    }
    elsewhere = named - {OWN, *calling.values()}
    if others or (_on_processors(benchmark, machine) and not asked and (elsewhere or not calling)):
        planned.append((benchmark, others))
    if own:
        planned.append((on_devices(benchmark, own[0]), own))
    elif not asked:
        here = [name for name in usual(benchmark, machine) if name in calling or not named]
        if calling and not here and not elsewhere:
            raise no_device(benchmark, machine, next(iter(calling)))
        planned += [(on_devices(benchmark, name), []) for name in here]
    return planned


def _on_processors(benchmark: Benchmark, machine: Machine) -> bool:
    """Return whether it runs on processors here; not where only programs for the devices are installed."""
    devices_alone = usual(benchmark, machine) and all(drives(benchmark.name, name) for name in backends(benchmark.name))
    return benchmark.of_processors and not devices_alone


def no_device(benchmark: Benchmark, machine: Machine, backend: str = "") -> BanzukeError:
    """Return the error that says what a benchmark or its backend for devices lacks here."""
    what = f"{benchmark.name} cannot run with the backend {backend}" if backend else f"{benchmark.name} needs a device"
    if machine.allotment.devices:
        return BanzukeError(
            what, why="no program of it is installed for those that are here", remedy="docs/gpu.md says what builds one"
        )
    why = machine.allotment.devices_problem or "there is no device that it could use here"
    return BanzukeError(what, why=why, remedy="`banzuke-probe devices` prints what was found, or why nothing was")


def usual(benchmark: Benchmark, machine: Machine) -> list[str]:
    """Return the backends whose programs are installed and fit the devices."""
    if benchmark.devices is None:
        return []
    vendors = {device.vendor for device in machine.allotment.devices}
    return [name for name in backends(benchmark.name) if drives(benchmark.name, name) in vendors] if vendors else []


def of_backend(benchmark: str, backend: str, machine: Machine) -> list[AllottedDevice]:
    """Return the devices that the backend's program drives; none: it runs on processors, or there is no device for
    it.
    """
    vendor = drives(benchmark, backend)
    return [device for device in machine.allotment.devices if device.vendor == vendor] if vendor else []


def on_devices(benchmark: Benchmark, backend: str) -> Benchmark:
    """Return the benchmark with its cases on devices as standard cases."""
    if benchmark.devices is None:
        raise BanzukeError(f"{benchmark.name} has no programs for devices")
    return replace(
        benchmark,
        sweep=benchmark.devices.sweep,
        default_backend=backend,
        libraries=benchmark.devices.choice(backend, compared=benchmark.libraries.compared),
        placements=None,
        groups_share_by="",
        devices=None,
    )


def as_planned(benchmark: Benchmark, case: Case) -> Benchmark:
    """Return the benchmark as this case of it was planned: for processors, or for devices."""
    drives = benchmark.devices is not None and all(group.devices for group in case.groups)
    return on_devices(benchmark, case.backend) if drives else benchmark


def driven_kinds(case: Case, machine: Machine) -> list[str | None]:
    """Return the names of the kinds of devices that a case drives, with None among them if some ranks drive no
    device.
    """
    kinds: dict[str | None, None] = {}
    for group in case.groups:
        devices = group.given(machine).driving(case.variant.device).allotment.devices
        kinds |= dict.fromkeys(device.name for device in devices[: group.per_host * group.devices])
        if not group.devices:
            kinds[None] = None
    return list(kinds)


def of_kind(case: Case, machine: Machine) -> Case:
    """Return the case with the kind of its devices in its variant, if the node has several kinds and the case drives
    one.
    """
    kinds = driven_kinds(case, machine)
    if len(kinds) != 1 or kinds[0] is None or len(machine.device_kinds) < 2:
        return case
    return replace(case, variant=replace(case.variant, device=kinds[0]))


def with_backends(benchmark: Benchmark, machine: Machine, groups: Groups, asked: Sequence[str]) -> Groups:
    """Return the groups with the program that drives each device. `asked`: backends by name. Raises BanzukeError.

    The machine's devices are those of the groups, in their order.
    """
    if not devices_of_groups(groups):
        return groups
    if benchmark.devices is None:
        raise BanzukeError(f"{benchmark.name} has no programs for devices", remedy="Name groups of processors alone")
    if not benchmark.devices.beside_processors:
        raise BanzukeError(
            f"{benchmark.name} has no groups with devices",
            why="its programs for processors and for devices share no problem",
            remedy="Name groups of processors alone",
        )
    own = [name for name in asked if drives(benchmark.name, name)]
    left = iter(machine.allotment.devices)
    chosen: list[SharingGroup] = []
    for group in groups:
        if not group.device:
            chosen.append(group)
            continue
        device = next(left)
        able = own or [name for name in usual(benchmark, machine) if _fits(benchmark, name, device)]
        if not able:
            raise BanzukeError(
                f"the group {group.name} has no program of {benchmark.name}",
                why=f"{folder(DEFAULT)} has none for devices of {device.vendor}, such as {device.name}",
                remedy="docs/gpu.md says what builds one; or name groups of processors alone",
            )
        chosen.append(group._replace(backend=able[0]))
    return tuple(chosen)


def _fits(benchmark: Benchmark, backend: str, device: AllottedDevice) -> bool:
    return drives(benchmark.name, backend) == device.vendor


def other_kinds(machine: Machine) -> list[Machine]:
    """Return the machine with the devices of one kind, for each kind except that of the first device."""
    names = list(dict.fromkeys(device.name for device in machine.allotment.devices))
    return [machine.driving(name) for name in names[1:]]


def with_devices(machine: Machine, names: Iterable[str] | None, option: str = "--devices") -> Machine:
    """Return the machine with only these devices, in this order; a name is a number, an identity or its beginning.

    `all` and `none` may stand alone; None: all. `option`: the option with the names, for errors. Raises
    BanzukeError.
    """
    wanted = [ALL] if names is None else list(names)
    devices = machine.allotment.devices
    if wanted == [ALL]:
        return machine
    if wanted == [NONE]:
        return machine.changed(allotment={"devices": []})
    chosen: list[AllottedDevice] = []
    for name in wanted:
        device = named(name, devices)
        if device is None:
            raise _unknown(name, devices, machine.allotment.devices_problem, option)
        if device in chosen:
            raise BanzukeError(f"{option} names {device.identity} twice", remedy="Name each device once")
        chosen.append(device)
    return machine.changed(allotment={"devices": chosen})


def _unknown(name: str, devices: Sequence[AllottedDevice], problem: str | None, option: str) -> BanzukeError:
    """Return the error for a name that matches no device, or several."""
    there_are = ", ".join(f"{number} {device.identity}" for number, device in enumerate(devices))
    if not name:
        return BanzukeError(
            f"{option} has an empty name",
            why=f"there are {there_are}" if devices else problem or "there is none",
            remedy="Name devices by number or identity, or leave the option out for all",
        )
    if several := beginning(name, devices):
        names = ", ".join(device.identity for device in several)
        return BanzukeError(f"{option} {name} means several devices", why=names, remedy="Write more of the identity")
    why = f"there are {there_are}" if devices else problem or "there is none"
    return BanzukeError(f"{option}: there is no device {name} here", why=why)
