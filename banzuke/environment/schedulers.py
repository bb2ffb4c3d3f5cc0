"""How batch systems call an environment: options of a job, for its script."""

import shlex
from pathlib import Path

from banzuke.environment.model import Wanted

PJM = {"mckernel": "mck", "container": "docker", "vm": "kvm"}
"""jobenv of Fujitsu's Technical Computing Suite as it is named on Fugaku (Fujitsu Technical Review, "Operating software
of Fugaku": `pjsub -L ...jobenv=mck`, docker, kvm; none is native Linux). Sites may use other names: IHK/McKernel's own
guide has mck1."""
_PJM_TOOLS = {"apptainer": "singularity", "singularity": "singularity"}
"""`#PJM -L jobenv=singularity` in the job scripts of Wisteria (Tokyo), Flow (Nagoya) and Genkai (Kyushu)."""


def directives(scheduler: str, asked: Wanted) -> list[str]:
    """Options to stand behind `#PJM`, `#SBATCH` and so on, one a line; empty: the system has no word for it."""
    if scheduler == "pjm":
        name = _PJM_TOOLS.get(asked.variant) or PJM.get(asked.kind)
        return [f"-L jobenv={name}"] if name else []
    if scheduler == "slurm":
        return _slurm(asked)
    return []  # PBS (qsub(1B)), LSF and Grid Engine: a hook or queue of the site, if at all


def wraps(scheduler: str, asked: Wanted) -> bool:
    """Whether the job still puts our own words around its commands.

    What the batch system sets up holds for the whole job, but on McKernel's nodes the script itself runs on Linux and
    programs go through mcexec (IHK/McKernel, users' guide, 2.1 to 2.3).
    """
    return asked.kind == "mckernel" or not directives(scheduler, asked)


def _slurm(asked: Wanted) -> list[str]:
    """sbatch(1). Of the options for isolation a site may forbid both (core_spec plug-in of slurm.conf(5))."""
    if asked.kind == "container" and asked.image and (bundle := Path(asked.image).absolute() / "config.json").is_file():
        return [f"--container={shlex.quote(str(bundle.parent))}"]  # "Absolute path to OCI container bundle"
    if asked.kind == "isolated":
        # Specialised threads are logical processors, as ours are; one core has all of its own.
        return [f"--thread-spec={len(asked.os_cores)}"] if asked.os_cores else ["--core-spec=1"]
    return []
