from pathlib import Path

import pytest

from banzuke.environment.model import Wanted
from banzuke.environment.schedulers import directives, wraps

NATIVE = Wanted("native")
CONTAINER = Wanted("container")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (NATIVE, []),
        (Wanted("isolated"), []),
        (Wanted("mckernel"), ["-L jobenv=mck"]),
        (CONTAINER, ["-L jobenv=docker"]),
        (Wanted("container", "apptainer"), ["-L jobenv=singularity"]),
        (Wanted("vm"), ["-L jobenv=kvm"]),
    ],
)
def test_pjm(asked: Wanted, expected: list[str]) -> None:
    assert directives("pjm", asked) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (NATIVE, []),
        (Wanted("isolated"), ["--core-spec=1"]),
        (Wanted("isolated", os_cores=(0, 64)), ["--thread-spec=2"]),
        (CONTAINER, []),
        (Wanted("container", image="image.tar"), []),
        (Wanted("vm"), []),
    ],
)
def test_slurm(asked: Wanted, expected: list[str]) -> None:
    assert directives("slurm", asked) == expected


def test_slurm_takes_a_bundle(tmp_path: Path) -> None:
    bundle = tmp_path / "a bundle"
    bundle.mkdir()
    (bundle / "config.json").touch()
    asked = Wanted("container", image=str(bundle))
    assert directives("slurm", asked) == [f"--container='{bundle}'"]
    assert not wraps("slurm", asked)


@pytest.mark.parametrize("scheduler", ["pbs", "lsf", "sge", "nobody's"])
def test_others_have_no_word_for_it(scheduler: str) -> None:
    assert directives(scheduler, CONTAINER) == []
    assert wraps(scheduler, CONTAINER)


def test_programs_go_through_mcexec_on_nodes_with_mckernel() -> None:
    assert wraps("pjm", Wanted("mckernel"))
    assert not wraps("pjm", CONTAINER)
