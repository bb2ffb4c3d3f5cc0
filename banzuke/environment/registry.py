"""All environments. To add one, write a module of its name with a `KIND`, and list it here."""

from importlib import import_module
from pathlib import Path

from banzuke.environment.model import GIVEN, Environment, Kind, Wanted
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine

NAMES = ("native", "isolated", "container", "vm", "mckernel")
"""Their modules, each imported when it is asked for: containers and virtual machines take long, and are rare."""


def kind_of(text: str) -> Kind:
    """Return the kind that `native` or `container:podman` names. Raises BanzukeError."""
    name, colon, variant = text.strip().partition(":")
    if name in NAMES:
        kind: Kind = import_module(f"banzuke.environment.{name}").KIND
        if not colon or variant in kind.variants:
            return kind
        if kind.around_job and variant == GIVEN:
            return Kind(name, kind.around_job)
        choices = ", ".join(f"{name}:{variant}" for variant in (*kind.variants, *([GIVEN] if kind.around_job else [])))
        remedy = f"Write {name}{choices and f', or {choices}'}"
    else:
        remedy = f"Choose among {', '.join(NAMES)}; a tool may follow, as in container:podman or vm:tcg"
    raise BanzukeError(f"there is no environment '{text}'", remedy=remedy)


def wanted(text: str, image: str = "", os_cores: tuple[int, ...] = ()) -> Wanted:
    """Return what a text asks for; the image and the cores are dropped if they do not apply. Raises BanzukeError."""
    kind = kind_of(text)
    variant = text.strip().partition(":")[2]
    return Wanted(kind.name, variant, image if kind.takes_image else "", os_cores if kind.isolates else ())


def environment(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool = False) -> Environment:
    """Find the environment that was asked for; see `Find`. Raises BanzukeError."""
    return kind_of(asked.name).find(asked, machine, prefix, dry_run=dry_run)
