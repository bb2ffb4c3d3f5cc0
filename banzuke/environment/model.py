"""What an environment is: words around a command, so that what is run can be shown and typed."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.tree import format_cpus

KINDS = ("native", "isolated", "container", "vm", "mckernel")
WITH_IMAGE = ("container", "vm")
"""Those that take an image."""
OF_ONE_HOST = ("isolated", "vm")
"""Those that are set up on the host where the launcher starts."""
WHOSE = ("all", "user", "session")
"""Whose processes `isolated:WHOSE` moves away, as in `banzuke isolate --processes`."""
_TOOLS = {"native": (), "mckernel": (), "isolated": WHOSE}
"""Containers and virtual machines know their own."""


@dataclass(frozen=True)
class Wanted:
    """What was asked for."""

    kind: str
    tool: str = ""
    """What follows the colon of `container:podman`, `vm:tcg` or `isolated:session`; empty: what is there."""
    image: str = ""
    os_cores: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.tool}" if self.tool else self.kind


def wanted(text: str, image: str = "", os_cores: tuple[int, ...] = ()) -> Wanted:
    """From `native` or `container:podman`; the image is left out where none is taken. Raises BanzukeError."""
    kind, colon, tool = text.strip().partition(":")
    if kind not in KINDS:
        remedy = f"Choose among {', '.join(KINDS)}; a tool may follow, as in container:podman or vm:tcg"
        raise BanzukeError(f"there is no environment '{text}'", remedy=remedy)
    tools = _TOOLS.get(kind)
    if (colon and not tool) or (tool and tools is not None and tool not in tools):
        known = ", ".join(f"{kind}:{one}" for one in tools or ())
        raise BanzukeError(f"there is no environment '{text}'", remedy=f"Write {kind}{known and f', or {known}'}")
    return Wanted(kind, tool, image if kind in WITH_IMAGE else "", os_cores if kind == "isolated" else ())


class Environment(Protocol):
    """Complete when made: what needs time or may fail (a trial, unpacking an image) was done by then.

    Its methods are pure; they take and give words, never text for a shell.
    """

    @property
    def name(self) -> str:
        """As it was asked for: `container:podman`."""

    @property
    def details(self) -> Mapping[str, str]:
        """For the record: tool, version, image, kernel, ..."""

    @property
    def warning(self) -> str:
        """Why times may mean little; empty: nothing is known against them."""

    @property
    def slowness(self) -> float:
        """How many times as long as natively a case may take; for time limits, so rather too much."""

    def inner(self, words: list[str], variables: Mapping[str, str]) -> list[str]:
        """Around each rank's program; `variables` are set for it, and an empty value removes one."""

    def outer(self, words: list[str], variables: Mapping[str, str], memory: float) -> list[str]:
        """Around launcher and all; `memory`: bytes that all ranks of a host need together."""

    def cpu(self, number: int) -> int:
        """How the environment numbers a processor of the host."""


@dataclass(frozen=True)
class Native:
    """Nothing around anything; what other environments do not say otherwise."""

    name: str = "native"
    details: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    warning: str = ""
    slowness: float = 1.0

    def inner(self, words: list[str], _variables: Mapping[str, str]) -> list[str]:
        return words

    def outer(self, words: list[str], _variables: Mapping[str, str], _memory: float) -> list[str]:
        return words

    def cpu(self, number: int) -> int:
        return number


@dataclass(frozen=True)
class Isolated(Native):
    """The job on its own processors, everything else on the operating system's, by `banzuke isolate`."""

    name: str = "isolated"
    os_cores: tuple[int, ...] = ()
    """Empty: as `banzuke isolate` chooses."""
    whose: str = ""
    """Empty: as `banzuke isolate` chooses."""

    def outer(self, words: list[str], _variables: Mapping[str, str], _memory: float) -> list[str]:
        cores = ["--os-cores", format_cpus(list(self.os_cores))] if self.os_cores else []
        whose = ["--processes", self.whose] if self.whose else []
        return [sys.executable, "-m", "banzuke", "isolate", *cores, *whose, "--", *words]


def environment(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool = False) -> Environment:
    """Finds the tool, checks the image and tries both; `prefix`: the installation, whose programs are used everywhere.

    A dry run wants its words and nothing else: nothing is tried and nothing is written. Raises BanzukeError: what is
    missing, why, and what to do.
    """
    # Each brings what only it needs.
    if asked.kind == "container":
        from banzuke.environment import container  # noqa: PLC0415

        return container.find(asked, machine, prefix, dry_run=dry_run)
    if asked.kind == "vm":
        from banzuke.environment import vm  # noqa: PLC0415

        return vm.find(asked, machine, prefix, dry_run=dry_run)
    if asked.kind == "mckernel":
        from banzuke.environment import mckernel  # noqa: PLC0415

        return mckernel.find(asked, machine)
    if asked.kind == "isolated":
        details = {"os_cores": format_cpus(list(asked.os_cores))} if asked.os_cores else {}
        return Isolated(asked.name, details, os_cores=asked.os_cores, whose=asked.tool)
    return Native()
