"""Runs the job as it is, with nothing around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from banzuke.environment.model import Kind, Wanted
from banzuke.machine.model import Machine
from banzuke.record.model import NATIVE


@dataclass(frozen=True)
class Native:
    """The job as it is; other environments inherit what they do not change."""

    name: str = NATIVE
    details: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    warning: str = ""
    slowness: float = 1.0

    def inner(self, words: list[str], _variables: Mapping[str, str]) -> list[str]:
        return words

    def outer(self, words: list[str], _variables: Mapping[str, str], _memory: float) -> list[str]:
        return words

    def cpu(self, number: int) -> int:
        return number


def find(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> Native:  # noqa: ARG001
    return Native()


KIND = Kind(NATIVE, find)
