"""Tests of the scripts of `banzuke submit` for given command-line words."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError

SITE = """
name = "here"
[partitions.cpu]
nodes = 100
[[partitions.cpu.node.processors]]
cores = 48
[partitions.cpu.batch]
"""


def scripts(tmp_path: Path, system: str, *words: str) -> list[str]:
    """Return the scripts. Raises BanzukeError."""
    file = tmp_path / "site.toml"
    file.write_text(f'{SITE}system = "{system}"\nparallel_environment = "mpi"\n')
    asked = ["submit", "stream", "--site", str(file), "--results", str(tmp_path / "r"), "--dry-run", *words]
    done = CliRunner().invoke(app, asked)
    if isinstance(done.exception, BanzukeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return ["#!" + text for text in done.stdout.split("#!")[1:]]


def test_each_environment_of_pjm_has_a_job(tmp_path: Path) -> None:
    words = ("--environment", "native,mckernel,container:apptainer", "--image", "a b.sif", "--nodes", "2")
    native, mckernel, apptainer = scripts(tmp_path, "pjm", *words)
    assert "jobenv" not in native
    assert "--image" not in native + mckernel
    assert '\n#PJM -L "jobenv=mck"\n' in mckernel
    assert "  --environment mckernel \\\n" in mckernel
    assert '\n#PJM -L "jobenv=singularity"\n' in apptainer
    assert "  --environment container:apptainer \\\n" in apptainer
    assert "  --image 'a b.sif' \\\n" in apptainer
    names = [next(line for line in script.splitlines() if "--name" in line) for script in (native, mckernel, apptainer)]
    assert names == [f'#PJM --name "banzuke-each-{name}"' for name in ("native", "mckernel", "container-apptainer")]
    batches = {script.split("--batch ")[1].split()[0] for script in (native, mckernel, apptainer)}
    assert len(batches) == 3


@pytest.mark.parametrize("system", ["slurm", "pbs", "gridengine", "flux"])
def test_elsewhere_the_job_sets_them_up_itself(tmp_path: Path, system: str) -> None:
    (script,) = scripts(tmp_path, system, "--environment", "native,mckernel,container:apptainer,vm")
    assert "jobenv" not in script
    assert "  --environment native,mckernel,container:apptainer,vm \\\n" in script


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("2020-01-01", r"--begin 2020-01-01 is over .it is 20"),
        ("22", r"not understood. Write 22:00, .* this computer's time"),
        ("tomorrow", "not understood. Write 22:00"),
    ],
)
def test_a_beginning_that_is_none_is_refused(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        scripts(tmp_path, "slurm", "--begin", text)


def test_an_environment_that_there_is_not_is_refused_before_anything_is_submitted(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="there is no environment 'docker'"):
        scripts(tmp_path, "pjm", "--environment", "docker")
    with pytest.raises(BanzukeError, match="jobenv=docker brings an image of its own"):
        scripts(tmp_path, "pjm", "--environment", "container", "--image", "a.tar")


def test_how_long_jobs_wait_for_quiet_is_told_them_by_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--wait` itself belongs to `submit`, which then follows its jobs."""
    monkeypatch.setenv("BANZUKE_WAIT", "5m")
    (script,) = scripts(tmp_path, "slurm")
    assert "  --wait 5m \\\n" in script
    assert "BANZUKE_WAIT=''" not in script
