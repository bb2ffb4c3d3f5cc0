"""All environments. To add one, write a module with a `KIND` and list it here."""

from pathlib import Path

from banzuke.environment import container, isolated, mckernel, native, vm
from banzuke.environment.model import GIVEN, Environment, Kind, Wanted
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine

KINDS = {kind.name: kind for kind in (native.KIND, isolated.KIND, container.KIND, vm.KIND, mckernel.KIND)}


def kind_of(text: str) -> Kind:
    """Return the kind that `native` or `container:podman` names. Raises BanzukeError."""
    name, colon, variant = text.strip().partition(":")
    if kind := KINDS.get(name):
        if not colon or variant in kind.variants:
            return kind
        if kind.around_job and variant == GIVEN:
            return Kind(name, kind.around_job)
        choices = ", ".join(f"{name}:{variant}" for variant in (*kind.variants, *([GIVEN] if kind.around_job else [])))
        remedy = f"Write {name}{choices and f', or {choices}'}"
    else:
        remedy = f"Choose among {', '.join(KINDS)}; a tool may follow, as in container:podman or vm:tcg"
    raise BanzukeError(f"there is no environment '{text}'", remedy=remedy)


def wanted(text: str, image: str = "", os_cores: tuple[int, ...] = ()) -> Wanted:
    """Return what a text asks for; the image and the cores are dropped if they do not apply. Raises BanzukeError."""
    kind = kind_of(text)
    variant = text.strip().partition(":")[2]
    return Wanted(kind.name, variant, image if kind.takes_image else "", os_cores if kind.isolates else ())


def environment(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool = False) -> Environment:
    """Find the environment that was asked for; see `Find`. Raises BanzukeError."""
    return kind_of(asked.name).find(asked, machine, prefix, dry_run=dry_run)
