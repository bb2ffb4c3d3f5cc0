"""Podman and Docker: tools with a store of images, which start containers that are not their children."""

import hashlib
import os
import resource
from collections.abc import Mapping
from pathlib import Path

from banzuke.child import captured
from banzuke.environment.image import DEFINITION, FOLDER, NAME, ContainerImage
from banzuke.environment.inside import Inside, RootLayout
from banzuke.environment.tools import Tool, build, field, find_program, hybrid_cgroups
from banzuke.errors import BanzukeError
from banzuke.machine.command import output
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON

_LIMITS = {"nofile": (resource.RLIMIT_NOFILE, 1 << 20), "nproc": (resource.RLIMIT_NPROC, 1 << 15)}
"""Limits for which Podman has defaults that not everybody may set, so at most the hard limits are passed."""
_DEVICES = ("/dev/infiniband", "/dev/knem", "/dev/xpmem")
"""Devices for message passing, which the tools' own /dev lacks."""
_PASSED = (
    *("BANZUKE_", "BLIS_", "FI_", "GOMP_", "HWLOC_", "I_MPI_", "KMP_", "MKL_", "MPI", "OMP", "OPENBLAS_", "OPAL_"),
    *("PMI", "PRTE_", "SLURM_", "UCX_"),
)
"""Prefixes of variables that libraries and launchers read."""
_OF_RANKS = (
    *("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    *("PMIX_GDS_MODULE", "PMIX_HOSTNAME", "PMIX_NAMESPACE", "PMIX_RANK", "PMIX_SECURITY_MODE", "PMIX_SERVER_TMPDIR"),
    *("PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "PMIX_SERVER_URI41"),
    *("PMIX_SYSTEM_TMPDIR", "PMIX_VERSION"),
)
"""Variables that Open MPI sets for a rank, since Docker passes on only what is named."""


class Podman(Tool):
    name = "podman"
    takes = frozenset({FOLDER, DEFINITION, NAME})

    def start(self) -> list[str]:
        """Return the program with the general options that this host needs."""
        words = [self.program]
        if not Path("/run/systemd/system").is_dir():
            words += ["--cgroup-manager=cgroupfs"]
        if (runc := find_program("runc")) and hybrid_cgroups(Tree()):
            words += ["--runtime", runc]
        return words

    def own_image(self, image: ContainerImage, *, dry_run: bool = False) -> tuple[str, Mapping[str, str]]:
        return _stored(self.start(), image, dry_run=dry_run)

    def words(self, inside: Inside, _variables: Mapping[str, str]) -> list[str]:
        limits = [word for name in _LIMITS for word in ("--ulimit", _limit(name))]
        follow = [*PYTHON, "-m", "banzuke.environment.follow"]
        return [
            # Twice: when launchers kill the outer one, the inner one remains to clean up after a tool that was killed.
            *[*follow, *follow, *self.start(), "run", "--rm", "--log-driver", "none"],
            *["--preserve-fds", "1", "--env-host", "--user", "0:0", *limits],
            *_shared(inside),
            *(["--rootfs", f"{inside.root.root}:O"] if isinstance(inside.root, RootLayout) else [inside.root]),
        ]


class Docker(Tool):
    """Docker; descriptors do not pass through its daemon, so ranks that MPICH's Hydra starts do not find each other."""

    name = "docker"
    takes = frozenset({DEFINITION, NAME})

    def problem(self) -> str:
        try:
            done = captured([self.program, "info"], seconds=20)
        except OSError as error:
            return str(error)
        said = (done.complaint or done.text).strip() or f"`docker info` ended with status {done.status}"
        return said.splitlines()[-1] if done.status else ""

    def own_image(self, image: ContainerImage, *, dry_run: bool = False) -> tuple[str, Mapping[str, str]]:
        return _stored([self.program], image, dry_run=dry_run)

    def words(self, inside: Inside, variables: Mapping[str, str]) -> list[str]:
        names = {*(name for name in os.environ if name.startswith(_PASSED)), *variables, *_OF_RANKS}
        return [
            *[self.program, "run", "--rm", "--log-driver", "none", "--user", f"{os.geteuid()}:{os.getegid()}"],
            *(word for name in sorted(names) for word in ("--env", name)),
            *_shared(inside),
            str(inside.root),
        ]


def _shared(inside: Inside) -> list[str]:
    mounts = [
        f"type=bind,source={field(mount.source)},target={field(mount.target)}{'' if mount.writable else ',readonly'}"
        for mount in inside.mounts
    ]
    return [
        *["--network", "host", "--pid", "host", "--ipc", "host", "--uts", "host", "--cgroupns", "host"],
        *[
            "--security-opt",
            "seccomp=unconfined",
            "--security-opt",
            "label=disable",
            "--entrypoint",
            "",
            "--workdir",
            "/",
        ],
        *["--pull", "never"],
        *(word for device in _DEVICES if Path(device).exists() for word in ("--device", device)),
        *(word for mount in mounts for word in ("--mount", mount)),
        *(word for name, value in inside.variables.items() for word in ("--env", f"{name}={value}")),
    ]


def _limit(name: str) -> str:
    number, most = _LIMITS[name]
    _, hard = resource.getrlimit(number)
    least = most if hard == resource.RLIM_INFINITY else min(hard, most)
    return f"{name}={least}:{least}"


def _stored(start: list[str], image: ContainerImage, *, dry_run: bool) -> tuple[str, Mapping[str, str]]:
    file = Path(image.text)
    built = f"localhost/banzuke:{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    name = built if image.kind == DEFINITION else image.text
    if dry_run:
        return name, {}
    if image.kind == DEFINITION:
        # Built each time, because only the tool knows which of the files that it copies have changed.
        build([*start, "build", "--network", "host", "--file", str(file), "--tag", name, str(file.parent)], image)
    said = output([*start, "image", "inspect", "--format", "{{.Id}} {{.Size}} {{.Architecture}}", name], timeout=60)
    if not said:
        raise BanzukeError(f"it has no image '{name}', and there is no such file", remedy="Pull or build it first")
    digest, size, architecture = [*said.split(), "", ""][:3]
    return name, {"image_digest": digest, "image_size": size, "image_architecture": architecture}
