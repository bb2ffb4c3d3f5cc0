"""Runs the same programs in containers: each rank in one of its own, started by a launcher outside."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from banzuke import paths
from banzuke.child import captured
from banzuke.environment import elf, whole_job
from banzuke.environment.engines import Docker, Podman
from banzuke.environment.image import DEFINITION, FILE, FOLDER, HOST, NAME, ContainerImage, check, identify
from banzuke.environment.inside import KERNEL, BindMount, Inside, apart, inside, layout
from banzuke.environment.libraries import NOTHING, Needs, bring, installation, programs
from banzuke.environment.model import Kind, Wanted
from banzuke.environment.native import Native
from banzuke.environment.tools import APART, Apptainer, Bubblewrap, Charliecloud, Crun, Runc, Tool, find_program
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.program import installed

TOOLS: Mapping[str, tuple[type[Tool], tuple[str, ...]]] = {
    "apptainer": (Apptainer, ("apptainer", "singularity")),
    "podman": (Podman, ("podman",)),
    "docker": (Docker, ("docker",)),
    "charliecloud": (Charliecloud, ("ch-run",)),
    "crun": (Crun, ("crun",)),
    "runc": (Runc, ("runc",)),
    "bubblewrap": (Bubblewrap, ("bwrap",)),
}
"""Tools in the order in which they are tried, each with the names of its programs."""
ALIASES = {program: name for name, (_, files) in TOOLS.items() for program in files if program != name}
OWN_ROOT = "the root of the host, read-only"
_SHARED = Path("/tmp")  # noqa: S108  (where launchers and libraries leave what ranks share)
_REFUSED = {
    HOST: "needs --image",
    FOLDER: "takes no folder or archive: import it, and give the name of the image",
    FILE: "takes neither SIF nor squashfs: unpack it (unsquashfs), and give the folder",
    DEFINITION: "builds no images: give the folder or archive that another tool built",
    NAME: "has no store of images by name, and there is no such file",
}
_INSTEAD = "Add --image with its name, or use bubblewrap or charliecloud, which can show the host's own files"
_COPIED = (
    "without privileges this tool gives each rank a user namespace of its own, "
    "so messages between ranks of a host are copied twice"
)
_LIMIT = 120.0
"""Seconds for the trial; a first start may have to read a large image from a slow file system."""


@dataclass(frozen=True, kw_only=True)
class Container(Native):
    tool: Tool
    image: ContainerImage
    own_image: str
    """Name that the tool gives the image; empty for a folder."""
    base: Needs
    """What the installation needs, if an image must provide it."""
    dry_run: bool = False

    def inner(self, words: list[str], variables: Mapping[str, str]) -> list[str]:
        """Return the tool's words, then the program's, with what it needs of the host mounted. Raises BanzukeError.

        Makes the folders and copies that these words name, except in a dry run.
        """
        temporary = Path(variables.get("TMPDIR") or os.environ.get("TMPDIR") or _SHARED).absolute()
        written = apart([_SHARED, temporary] if temporary.is_dir() else [_SHARED])
        shown: list[Path] = []
        set_inside: dict[str, str] = {}
        if self.image.kind != HOST:
            brought = bring(words, variables, self.base, dry_run=self.dry_run)
            words, set_inside = brought.words, brought.variables
            shown = brought.folders
        shown = [path for path in apart(shown) if not any(path.is_relative_to(other) for other in (*written, *KERNEL))]
        root = self.image.root

        def target(path: Path) -> Path:
            return path if self.own_image else inside(root, path)

        mounts = tuple(BindMount(path, target(path), path in written) for path in sorted([*written, *shown]))
        filled = self.own_image or layout(root, [mount.target for mount in mounts])
        seen = Inside(mounts, set_inside, filled)
        if not self.dry_run:
            self.tool.prepare(seen)
        front = self.tool.words(seen, variables)
        own = {*variables, *os.environ}  # what users have set themselves is kept
        settings = [f"{name}={value}" for name, value in APART.items() if name not in own] if _alone(self.tool) else []
        return [*(["env", *settings] if settings else []), *front, *words]


def find(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> Container:
    """Return the first tool that takes the image and runs one of our programs in it. Raises BanzukeError.

    In a dry run, nothing is tried: the first tool that takes the image is used.
    """
    names = [ALIASES.get(asked.variant, asked.variant)] if asked.variant else list(TOOLS)
    candidates = [file for file in programs() if file.name not in installed.TOOLS]
    if not candidates:
        raise BanzukeError(
            "there are no programs to run in a container",
            why=f"{paths.executables()} has none",
            remedy="Install Banzuke, or name their folder with BANZUKE_LIBEXEC",
        )
    program = candidates[0]  # all are linked alike and start alike
    image = identify(asked.image, dry_run=dry_run)
    base = NOTHING if image.kind == HOST else installation(prefix)
    details = {"image": image.text or OWN_ROOT}
    if image.digest:
        details |= {"image_digest": image.digest, "image_size": str(image.size)}
    if image.kind == FOLDER and (read := elf.read(program)):
        details["image_libc"] = check(image, read, base.libc)
    failed: dict[str, BanzukeError] = {}
    for name in names:
        try:
            tool = _tool(name, image)
            own_image, said = ("", {}) if image.kind in {HOST, FOLDER} else tool.own_image(image, dry_run=dry_run)
            made = Container(
                name=asked.name,
                details={"tool": name, "tool_version": tool.version(), **details, **said},
                warning=_COPIED if _alone(tool) else "",
                tool=tool,
                image=image,
                own_image=own_image,
                base=base,
                dry_run=dry_run,
            )
            if not dry_run:
                _try(made, program, machine.allotment.allowed)
        except BanzukeError as error:
            failed[name] = error
        else:
            return made
    reasons = {name: ": ".join(filter(None, [error.problem, error.why])) for name, error in failed.items()}
    if asked.variant:
        name = names[0]
        raise BanzukeError(f"no container can be run with {name}", why=reasons[name], remedy=failed[name].remedy)
    raise BanzukeError(
        "no container can be run here",
        why="; ".join(f"{name}: {reason}" for name, reason in reasons.items()),
        remedy="Install one of them; bubblewrap and Charliecloud need neither privileges nor set-up",
    )


def _tool(name: str, image: ContainerImage) -> Tool:
    """Return the tool. Raises BanzukeError if it is missing, does not work, or does not take such an image."""
    kind, files = TOOLS[name]
    path = find_program(*files)
    if path is None:
        raise BanzukeError(f"{' or '.join(files)} is not on PATH", remedy="Install it, or name another tool")
    if image.kind not in kind.takes:
        raise BanzukeError(_REFUSED[image.kind], remedy=_INSTEAD if image.kind == HOST else "")
    tool = kind(path)
    if problem := tool.problem():
        raise BanzukeError(problem)
    return tool


def _try(container: Container, program: Path, allowed: Sequence[int]) -> None:
    """Raise BanzukeError unless the container runs the program on all processors that are allowed."""
    words = [str(program), "--trial", "--binding", ",".join(map(str, allowed))]
    try:
        done = captured(container.inner(words, {}), seconds=_LIMIT)
    except OSError as error:
        raise BanzukeError("it does not start", why=str(error)) from error
    if done.status:
        last = " ".join((done.complaint or done.text).split()[-40:])
        if "cannot bind" in last:
            last += "; the container may use fewer processors than this process: lift its limit, or start under taskset"
        raise BanzukeError("it does not run our programs", why=last or f"status {done.status}")


def _alone(tool: Tool) -> bool:
    return tool.apart and os.geteuid() != 0


KIND = Kind("container", find, variants=(*TOOLS, *ALIASES), takes_image=True, around_job=whole_job.CONTAINER)
