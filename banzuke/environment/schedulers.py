"""What batch systems call an environment, and who sets it up: they, for a whole job, or our own words inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.environment.container import ALIASES
from banzuke.environment.model import GIVEN, Wanted
from banzuke.environment.registry import wanted
from banzuke.errors import BanzukeError

_PJM = {"mckernel": "mck", "container": "docker", "vm": "kvm", "container:apptainer": "singularity"}
"""jobenv of Fujitsu's Technical Computing Suite as it is named on Fugaku (Fujitsu Technical Review, "Operating software
of Fugaku": `pjsub -L ...jobenv=mck`, docker, kvm; none is native Linux), and `jobenv=singularity` of the job scripts of
Wisteria (Tokyo), Flow (Nagoya) and Genkai (Kyushu). Sites may use other names (IHK/McKernel's own guide has mck1):
`environments` of a site's `batch` says so.

Slurm, PBS, Grid Engine and Flux start a job natively, and each environment is our own words in it. Of Slurm's options,
`--container` puts the whole job into a bundle that would need Banzuke inside, and `--core-spec` takes cores from nodes
of which a job asks for all.
"""
_SAME = {"container:docker": "container", "vm:kvm": "vm"}
_WHOLE = ("container", "vm")
"""The batch system sets them up around the script itself. With the others the script runs on Linux, and programs go
through mcexec (IHK/McKernel, users' guide, 2.1 to 2.3) or `singularity exec`."""
_INSTEAD = {"container": ", or name a tool that runs yours inside the job: container:apptainer"}


@dataclass(frozen=True)
class JobEnvironment:
    """Environments that one job can have."""

    asked: str
    """As the batch system is asked for it; empty: a job as usual."""
    names: tuple[str, ...]
    """As `--environment` of the command in the job."""

    @property
    def label(self) -> str:
        """For the name of its job: `native`, `container-apptainer`."""
        return self.names[0].removesuffix(f":{GIVEN}").replace(":", "-")


def job_environments(system: str, asked_for: Sequence[Wanted], own_names: Mapping[str, str]) -> list[JobEnvironment]:
    """A job for each that the batch system is asked for; all others share one, where their launches alternate.

    `own_names`: what the site calls some of them. Raises BanzukeError.
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
    """One name for all that mean the same to the batch system. Raises BanzukeError."""
    asked = wanted(name)
    plain = replace(asked, variant=ALIASES.get(asked.variant, asked.variant)).name
    return _SAME.get(plain, plain)
