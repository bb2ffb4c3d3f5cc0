"""The words with which each container tool puts a program into its container.

Ranks share memory and find each other, so all tools keep the host's network, processes and System V IPC. System calls
are not filtered: a program may do the same as natively, so that the comparison is fair. Nothing that is started stays
behind.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from banzuke.child import captured
from banzuke.environment.cross_memory import BOTH, READING
from banzuke.environment.image import DEFINITION, FILE, FOLDER, HOST, NAME, ContainerImage
from banzuke.environment.inside import KERNEL, BindMount, Inside, RootLayout, make_links, opened
from banzuke.environment.libraries import stamp
from banzuke.errors import BanzukeError
from banzuke.files.own import cache_folder, cache_path
from banzuke.machine.command import output
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON

LOCAL_RANKS = "${OMPI_COMM_WORLD_LOCAL_SIZE:-${MPI_LOCALNRANKS:-1}}"
"""Shell expression for the number of ranks that a launcher has started on this host."""
_JOIN = f'exec "$0" --join-ct="{LOCAL_RANKS}" "$@"'
"""Charliecloud puts the ranks of a host into one user namespace if it is given their number."""
_USER = ("env", f"USER={os.environ.get('USER') or os.geteuid()}")
"""Charliecloud needs this variable, which batch jobs may lack."""
APART = {**READING, **BOTH, "OMPI_MCA_smsc": "^cma", "UCX_POSIX_USE_PROC_LINK": "n"}
"""Variables for ranks in separate user namespaces, which may not read each other's memory (ptrace(2),
process_vm_readv(2)): messages are copied twice, because MPICH would end with an error.
"""


class Tool:
    name: ClassVar[str]
    takes: ClassVar[frozenset[str]]
    """Kinds of images."""
    apart: ClassVar[bool] = False
    """Whether, without privileges, each rank gets a user namespace of its own."""

    def __init__(self, program: str) -> None:
        self.program = program

    def version(self) -> str:
        return (output([self.program, "--version"], timeout=20) or "unknown").splitlines()[0]

    def problem(self) -> str:
        """Return why it cannot work here, before it is tried; empty: no reason is known."""
        return ""

    def own_image(self, image: ContainerImage, *, dry_run: bool = False) -> tuple[str, Mapping[str, str]]:
        """Return the tool's name for an image that is not a folder, and what it reports about it; definitions are
        built.

        A dry run builds nothing, and asks no tool that would create a store for itself.

        Raises BanzukeError.
        """
        raise NotImplementedError

    def prepare(self, inside: Inside) -> None:
        """Make what its words name and nothing else makes. Raises BanzukeError."""

    def words(self, inside: Inside, variables: Mapping[str, str]) -> list[str]:
        """Return the words before the program's; `variables`: further names that it needs from the environment."""
        raise NotImplementedError


class Apptainer(Tool):
    """Apptainer, written from its documentation and never run by us."""

    name = "apptainer"
    takes = frozenset({FOLDER, FILE, DEFINITION, NAME})
    apart = True

    def own_image(self, image: ContainerImage, *, dry_run: bool = False) -> tuple[str, Mapping[str, str]]:
        """Return the image as it is; a definition is built into a file."""
        if image.kind == NAME and "://" not in image.text:
            raise BanzukeError("it has no store of images by name", remedy="Give a file or a URI, such as oras://...")
        if image.kind != DEFINITION:
            return image.text, {}
        made = cache_path() / f"built-{stamp([Path(image.text)])}.sif"
        if not made.is_file() and not dry_run:
            cache_folder()
            new = made.with_suffix(f".new{os.getpid()}")
            build([self.program, "build", str(new), image.text], image)
            new.rename(made)
        return str(made), {}

    def words(self, inside: Inside, _variables: Mapping[str, str]) -> list[str]:
        """Return the words; its own variables for the program have a prefix."""
        # It sets LD_LIBRARY_PATH itself, unless the name has this prefix.
        prefix = "SINGULARITYENV_" if Path(self.program).name == "singularity" else "APPTAINERENV_"
        mounts = [
            f"type=bind,src={field(mount.source)},dst={field(mount.target)}{'' if mount.writable else ',ro'}"
            for mount in inside.mounts
        ]
        return [
            "env",
            *(f"{prefix}{name}={value}" for name, value in inside.variables.items()),
            *[self.program, "exec", "--pwd", "/"],
            *(word for mount in mounts for word in ("--mount", mount)),
            str(inside.root.root) if isinstance(inside.root, RootLayout) else inside.root,
        ]


class Charliecloud(Tool):
    name = "charliecloud"
    takes = frozenset({HOST, FOLDER})

    def version(self) -> str:
        return f"Charliecloud {output([*_USER, self.program, '--version'], timeout=20) or 'unknown'}"

    def prepare(self, inside: Inside) -> None:
        """Make the folders that it mounts on; if ranks made them at the same time, they would disturb each other."""
        skeleton = cache_folder() / self._skeleton(inside)
        try:
            skeleton.mkdir(exist_ok=True)
            make_links(skeleton, layout_of(inside).links)
            for target in (*KERNEL, *(mount.target for mount in self._mounts(inside))):
                with opened(skeleton, target, make=True):
                    pass
        except OSError as error:
            raise BanzukeError(f"cannot make the folders of a container in {skeleton}", why=str(error)) from error

    def words(self, inside: Inside, _variables: Mapping[str, str]) -> list[str]:
        """Return the words; by default $TMPDIR would be shown as /tmp, which our own mount hides."""
        mounts = self._mounts(inside)
        if wrong := next((mount for mount in mounts if ":" in f"{mount.source}{mount.target}"), None):
            raise BanzukeError("Charliecloud cannot mount a path with a colon in it", why=str(wrong.source))
        return [
            *[*_USER, "bash", "-c", _JOIN, self.program, "--write", "--no-passwd", "--env-no-expand", "--cd=/"],
            *(f"--set-env={name}={value}" for name, value in inside.variables.items()),
            *(f"--bind={mount.source}:{mount.target}" for mount in mounts),
            *[str(cache_path() / self._skeleton(inside)), "--"],
        ]

    @staticmethod
    def _mounts(inside: Inside) -> list[BindMount]:
        """Return the mounts of folders, since it can mount nothing else; in a dry run, some do not exist yet."""
        return [mount for mount in (*layout_of(inside).mounts, *inside.mounts) if not mount.source.is_file()]

    def _skeleton(self, inside: Inside) -> str:
        made = (layout_of(inside).links, [mount.target for mount in self._mounts(inside)])
        return f"root-{hashlib.sha256(repr(made).encode()).hexdigest()[:12]}"


class Bubblewrap(Tool):
    name = "bubblewrap"
    takes = frozenset({HOST, FOLDER})
    apart = True

    def words(self, inside: Inside, _variables: Mapping[str, str]) -> list[str]:
        return [self.program, "--die-with-parent", *bubbles(inside), "--chdir", "/", "--"]


class Runc(Tool):
    """An OCI runtime without an engine, through banzuke.environment.oci, which makes and removes its bundle.

    That program is followed, too, so that it has time to clean up when a launcher kills its ranks.
    """

    name = "runc"
    takes = frozenset({HOST, FOLDER})
    apart = True

    def words(self, inside: Inside, _variables: Mapping[str, str]) -> list[str]:
        bundle = [*PYTHON, "-m", "banzuke.environment.oci", self.program, *bubbles(inside, whole=False), "--"]
        return [*PYTHON, "-m", "banzuke.environment.follow", *bundle]


class Crun(Runc):
    name = "crun"


def layout_of(inside: Inside) -> RootLayout:
    """Return the layout for a tool that takes only folders. Raises TypeError for an image of another kind."""
    if not isinstance(inside.root, RootLayout):
        raise TypeError(inside.root)
    return inside.root


def bubbles(inside: Inside, *, whole: bool = True) -> list[str]:
    """Return the mounts in the words of bwrap(1); `whole`: the host's own root may be mounted as one."""
    layout = layout_of(inside)
    whole = whole and layout.root == Path("/")
    words = ["--ro-bind", "/", "/"] if whole else []
    for said, path in () if whole else layout.links:
        words += ["--symlink", said, str(path)]
    for mount in () if whole else layout.mounts:
        words += ["--ro-bind", str(mount.source), str(mount.target)]
    for path in KERNEL:
        words += ["--dev-bind", str(path), str(path)]
    for mount in inside.mounts:
        words += ["--bind" if mount.writable else "--ro-bind", str(mount.source), str(mount.target)]
    for name, value in inside.variables.items():
        words += ["--setenv", name, value]
    return words


def field(path: Path | str) -> str:
    """Quote a path for a comma-separated list, as in a CSV file (RFC 4180)."""
    text = str(path)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


def build(words: list[str], image: ContainerImage) -> None:
    """Run the words to build an image. Raises BanzukeError with the last words of a failure."""
    try:
        done = captured(words, seconds=None, last=True)
    except OSError as error:
        raise BanzukeError(f"{words[0]} cannot be started", why=str(error)) from error
    if done.status:
        raise BanzukeError(f"{image.text} cannot be built", why=" ".join((done.complaint or done.text).split()[-60:]))


def find_program(*names: str) -> str | None:
    """Find a program on PATH or in the folders of administrators' programs."""
    path = os.pathsep.join([os.environ.get("PATH") or os.defpath, "/usr/sbin", "/sbin"])
    return next((program for name in names if (program := shutil.which(name, path=path))), None)


def hybrid_cgroups(tree: Tree) -> bool:
    """Return whether versions 1 and 2 of control groups are both mounted, which crun refuses."""
    return tree.exists("sys/fs/cgroup/unified/cgroup.procs") and not tree.exists("sys/fs/cgroup/cgroup.controllers")
