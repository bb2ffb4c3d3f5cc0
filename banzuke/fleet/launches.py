"""Plans what all nodes of a fleet launch alike."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pydantic import ConfigDict, TypeAdapter

from banzuke.amounts import Amount, Frozen
from banzuke.launch.check import check
from banzuke.launch.command import render
from banzuke.machine.accelerators import VISIBLE
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.needs import short_case
from banzuke.plan.on_devices import of_backend, on_devices, usual, with_devices
from banzuke.plan.screening import Check

LEAST_LIMIT = 20.0
SLOWNESS = 20.0
"""A program counts as hung after `SLOWNESS` times its estimate, and after at least `LEAST_LIMIT` seconds."""
DEVICES = "--devices"
"""The option that gives a program its devices by their identities."""


def screened(catalogue: Mapping[str, Benchmark]) -> list[Benchmark]:
    """Return the benchmarks that give each node figures of its own: no storage, no messages, no large collections."""
    return [
        benchmark
        for benchmark in catalogue.values()
        if not (benchmark.spans_hosts or benchmark.storage or benchmark.collection)
    ]


def exchanging(catalogue: Mapping[str, Benchmark]) -> list[Benchmark]:
    """Return the benchmarks that measure messages between all pairs of nodes."""
    return [benchmark for benchmark in catalogue.values() if benchmark.messages and benchmark.messages.pairs]


def checked(catalogue: Mapping[str, Benchmark], check: Check) -> list[Benchmark]:
    """Return the benchmarks of a check of one node, first those that are also in the shortest check."""
    of_check = [(benchmark, benchmark.screening.checks) for benchmark in screened(catalogue) if benchmark.screening]
    return [
        benchmark
        for benchmark, checks in sorted(of_check, key=lambda entry: "epilog" not in entry[1])
        if check in checks
    ]


class Launch(Frozen):
    """A case as all nodes of a kind launch it. It is stored, because a baseline holds for this call alone."""

    model_config = ConfigDict(revalidate_instances="always")  # the case was made without being validated

    case: Case
    words: tuple[str, ...]
    variables: Mapping[str, str]
    machine: str
    """Fingerprint of the machine."""

    seconds: Amount
    """Time limit."""

    device: str = ""
    """Value of the vendor's variable that selects the device on all nodes, usually a number; empty: none."""

    @property
    def program(self) -> str:
        return f"{self.case.benchmark}-{self.case.backend}"

    @property
    def call(self) -> list[str]:
        """Return the words that set the variables and start the program, for a shell with other variables."""
        set_ = [f"{name}={value}" for name, value in self.variables.items() if value != ""]
        unset = [word for name, value in self.variables.items() if value == "" for word in ("-u", name)]
        return ["env", *unset, *set_, *self.words]


Launches = TypeAdapter(dict[str, list[Launch]])
"""Launches by kind of node: `launches.json` of a run."""
LAUNCHES = "launches.json"


def planned(benchmark: Benchmark, machine: Machine, folder: Path, timeout: float | None = None) -> list[Launch]:
    """Return short launches of the benchmark's headline: on processors, then on each device by itself.

    Empty: it has none here. Raises BanzukeError.
    """
    launches = [_launch(benchmark, case, machine, folder, timeout)] if (case := short_case(benchmark, machine)) else []
    for backend in usual(benchmark, machine) if benchmark.of_processors else ():
        of_devices, driven = on_devices(benchmark, backend), of_backend(benchmark.name, backend, machine)
        for device, name in selectable(driven):
            alone = with_devices(machine, [device.identity])
            if case := short_case(of_devices, alone):
                selected = selecting(name, device.vendor)
                launches.append(_launch(of_devices, case, alone, folder, timeout, name, selected))
    return launches


def selectable(
    driven: Sequence[AllottedDevice], environ: Mapping[str, str] = os.environ
) -> Iterator[tuple[AllottedDevice, str]]:
    """Yield devices of one vendor, each with the value that selects it in the vendor's variables on all nodes alike.

    That is a number, or what stands in its place in variables that are set here. Slices have no number of their own and
    are left out.
    """
    whole = list(dict.fromkeys(device.slice_of or device.identity for device in driven))
    for at, device in enumerate(driven):
        if device.slice_of:
            continue
        visible = [environ[name].split(",") for name in VISIBLE.get(device.vendor, ()) if name in environ]
        if visible and len(visible[-1]) < len(driven):  # the nodes have more devices than this process was given
            visible = []
        name = str(at if visible else whole.index(device.identity))
        for names in reversed(visible):  # each variable numbers those that the one before it leaves
            name = names[int(name)].strip() if name.isdecimal() and int(name) < len(names) else name
        yield device, name


def selecting(name: str, vendor: str) -> Mapping[str, str]:
    """Return the variables that make the vendor's programs see this device alone."""
    first, *others = VISIBLE[vendor]
    order = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if vendor == "NVIDIA" else {}
    return {**order, first: name, **dict.fromkeys(others, "")}


def _launch(
    benchmark: Benchmark,
    case: Case,
    machine: Machine,
    folder: Path,
    timeout: float | None,
    device: str = "",
    selected: Mapping[str, str] = MappingProxyType({}),
) -> Launch:
    """Return the launch of a case; it names devices by numbers, because identities differ from node to node."""
    limit = timeout or max(LEAST_LIMIT, SLOWNESS * case.seconds)
    command = render(case, machine, benchmark, check(case, machine), limit=limit, folder=folder, followed=False)
    words, variables = list(command.words), {**command.variables, **selected}
    if DEVICES in words:
        at = words.index(DEVICES)
        del words[at : at + 2]
    return Launch(
        case=case, words=tuple(words), variables=variables, machine=machine.fingerprint, seconds=limit, device=device
    )
