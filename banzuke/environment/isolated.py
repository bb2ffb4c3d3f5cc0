"""Runs the job on its own processors, everything else on those of the operating system, by `banzuke isolate`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from banzuke.cpu_lists import format_cpus
from banzuke.environment.model import Kind, Wanted
from banzuke.environment.native import Native
from banzuke.isolation.processes import Scope
from banzuke.machine.model import Machine
from banzuke.paths import PYTHON


@dataclass(frozen=True, kw_only=True)
class Isolated(Native):
    os_cores: tuple[int, ...] = ()
    """Empty: as `banzuke isolate` chooses."""
    whose: str = ""
    """Empty: as `banzuke isolate` chooses."""

    def outer(self, words: list[str], _variables: Mapping[str, str], _memory: float) -> list[str]:
        cores = ["--os-cores", format_cpus(list(self.os_cores))] if self.os_cores else []
        whose = ["--processes", self.whose] if self.whose else []
        return [*PYTHON, "-m", "banzuke", "isolate", *cores, *whose, "--", *words]


def find(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> Isolated:  # noqa: ARG001
    details = {"os_cores": format_cpus(list(asked.os_cores))} if asked.os_cores else {}
    return Isolated(name=asked.name, details=details, os_cores=asked.os_cores, whose=asked.variant)


KIND = Kind("isolated", find, variants=get_args(Scope), isolates=True, one_host=True)
