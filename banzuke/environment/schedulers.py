"""Maps environments to batch systems: their name there, and whether the batch system or our own words set them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.environment.container import ALIASES
from banzuke.environment.model import GIVEN, Wanted
from banzuke.environment.registry import wanted
from banzuke.errors import BanzukeError

_PJM = {"mckernel": "mck", "container": "docker", "vm": "kvm", "container:apptainer": "singularity"}
"""Values of jobenv of Fujitsu's Technical Computing Suite, as on Fugaku (Fujitsu Technical Review, "Operating software
of Fugaku": `pjsub -L ...jobenv=mck`, docker, kvm; none is native Linux), and `jobenv=singularity` of the job scripts of
Wisteria (Tokyo), Flow (Nagoya) and Genkai (Kyushu). Sites may use other names (IHK/McKernel's own guide has mck1),
which `environments` of a site's `batch` gives.

Slurm, PBS, Grid Engine and Flux start a job natively, and each environment is set up inside by our own words. Of
Slurm's options, `--container` would put the whole job into a bundle, which would need Banzuke inside, and `--core-spec`
would take cores from nodes that a job asks for as a whole.
"""
_SAME = {"container:docker": "container", "vm:kvm": "vm"}
_WHOLE = ("container", "vm")
"""Environments that the batch system sets up around the script itself. In the others, the script runs on Linux, and
programs are started by mcexec (IHK/McKernel, users' guide, 2.1 to 2.3) or `singularity exec`.
"""
_INSTEAD = {"container": ", or name a tool that runs yours inside the job: container:apptainer"}


@dataclass(frozen=True)
class JobEnvironment:
    """Environments that one job can have."""

    asked: str
    """What the batch system is asked for; empty: a normal job."""
    names: tuple[str, ...]
    """Values of `--environment` for the command in the job."""

    @property
    def label(self) -> str:
        """Part of its job's name: `native`, `container-apptainer`."""
        return self.names[0].removesuffix(f":{GIVEN}").replace(":", "-")


def job_environments(system: str, asked_for: Sequence[Wanted], own_names: Mapping[str, str]) -> list[JobEnvironment]:
    """Return one job for each environment that the batch system sets up, and one for all others, which alternate in it.

    `own_names`: the site's names of some of them. Raises BanzukeError.
    """
    if own_names and system != "pjm":
        raise BanzukeError(
            f"'environments' names {', '.join(own_names)} for {system}",
            why="only PJM is asked for an environment (jobenv)",
            remedy="Remove it from the site file: jobs set up their environments themselves",
        )
    words = _PJM | {_canonical(name): word for name, word in own_names.items()} if system == "pjm" else {}
    jobs: dict[tuple[str, bool], list[str]] = {}
    for environment in asked_for:
        canonical = _canonical(environment.name)
        asked = words.get(canonical, "")
        whole = bool(asked) and canonical in _WHOLE
        if whole and environment.image:
            raise BanzukeError(
                f"--image {environment.image} is not for --environment {environment.name} of PJM",
                why=f"jobenv={asked} brings an image of its own",
                remedy=f"Leave --image out{_INSTEAD.get(canonical, '')}",
            )
        jobs.setdefault((asked, whole), []).append(f"{environment.kind}:{GIVEN}" if whole else environment.name)
    return [JobEnvironment(asked, tuple(dict.fromkeys(names))) for (asked, _), names in jobs.items()]


def _canonical(name: str) -> str:
    """Return one name for all that mean the same to the batch system. Raises BanzukeError."""
    asked = wanted(name)
    plain = replace(asked, variant=ALIASES.get(asked.variant, asked.variant)).name
    return _SAME.get(plain, plain)
