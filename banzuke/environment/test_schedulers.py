"""The environments that batch systems are asked for, and those that jobs set up themselves."""

import pytest

from banzuke.environment.registry import wanted
from banzuke.environment.schedulers import JobEnvironment, job_environments
from banzuke.errors import BanzukeError

EACH = ["native", "isolated", "isolated:user", "container", "container:podman", "vm", "vm:tcg", "mckernel"]


@pytest.mark.parametrize(
    ("asked", "jobenv", "in_the_job"),
    [
        ("native", "", "native"),
        ("isolated", "", "isolated"),
        ("mckernel", "mck", "mckernel"),  # the script runs on Linux, programs go through mcexec
        ("container", "docker", "container:job"),
        ("container:docker", "docker", "container:job"),
        ("container:apptainer", "singularity", "container:apptainer"),
        ("container:singularity", "singularity", "container:singularity"),
        ("container:bubblewrap", "", "container:bubblewrap"),
        ("vm", "kvm", "vm:job"),
        ("vm:kvm", "kvm", "vm:job"),
        ("vm:tcg", "", "vm:tcg"),
        ("vm:job", "", "vm:job"),
    ],
)
def test_pjm(asked: str, jobenv: str, in_the_job: str) -> None:
    assert job_environments("pjm", [wanted(asked)], {}) == [JobEnvironment(jobenv, (in_the_job,))]


@pytest.mark.parametrize("system", ["slurm", "pbs", "gridengine", "flux"])
def test_elsewhere_one_job_has_all_and_sets_them_up_itself(system: str) -> None:
    asked = [wanted(name, "image.tar") for name in EACH]
    assert job_environments(system, asked, {}) == [JobEnvironment("", tuple(EACH))]


def test_pjm_has_a_job_for_each_that_it_is_asked_for() -> None:
    jobs = job_environments("pjm", [wanted(name) for name in EACH], {})
    assert [(job.label, job.asked, job.names) for job in jobs] == [
        ("native", "", ("native", "isolated", "isolated:user", "container:podman", "vm:tcg")),
        ("container", "docker", ("container:job",)),
        ("vm", "kvm", ("vm:job",)),
        ("mckernel", "mck", ("mckernel",)),
    ]


def test_a_site_calls_them_otherwise_or_has_none() -> None:
    own = {"mckernel": "mck1", "container:singularity": "", "vm:kvm": "guest"}
    asked = [wanted(name) for name in ("mckernel", "container:apptainer", "vm")]
    assert job_environments("pjm", asked, own) == [
        JobEnvironment("mck1", ("mckernel",)),
        JobEnvironment("", ("container:apptainer",)),
        JobEnvironment("guest", ("vm:job",)),
    ]
    with pytest.raises(BanzukeError, match="there is no environment 'mckernal'"):
        job_environments("pjm", asked, {"mckernal": "mck1"})
    with pytest.raises(BanzukeError, match="only PJM is asked"):
        job_environments("slurm", asked, own)


def test_an_image_of_ones_own_is_not_silently_another() -> None:
    with pytest.raises(BanzukeError, match=r"jobenv=docker brings an image.*container:apptainer"):
        job_environments("pjm", [wanted("container", "a.tar")], {})
    with pytest.raises(BanzukeError, match=r"jobenv=kvm brings an image .*Leave --image out$"):
        job_environments("pjm", [wanted("vm", "a.img")], {})
    assert job_environments("pjm", [wanted("container:apptainer", "a.sif")], {})[0].asked == "singularity"
