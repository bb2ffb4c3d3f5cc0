"""Environments that a batch system set up around the whole job (PJM's `jobenv`): nothing is put around a command."""

from types import MappingProxyType

from banzuke.environment.model import Find, Wanted
from banzuke.environment.native import Native
from banzuke.machine.model import Machine


def _around(asked: Wanted, what: str, seen: str | None) -> Native:
    """Return the environment with the signs of it that were seen; it is used even if signs are missing."""
    warning = "" if seen else f"nothing here shows {what}: the batch system may have set up none"
    details = {"set_up_by": "the batch system", asked.kind: seen or "none seen"}
    return Native(asked.name, MappingProxyType(details), warning)


def _container(asked: Wanted, machine: Machine, *_: object, **_more: object) -> Native:
    seen = machine.partition.kernel.get("container")
    return _around(asked, "a container", None if seen == "none" else seen)


def _guest(asked: Wanted, machine: Machine, *_: object, **_more: object) -> Native:
    return _around(asked, "a virtual machine", machine.partition.hypervisor)


CONTAINER: Find = _container
GUEST: Find = _guest
