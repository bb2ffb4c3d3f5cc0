"""Commands of batch systems that fail."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.batch import commands, systems
from banzuke.batch.commands import CommandError, ask
from banzuke.batch.conftest import Make
from banzuke.batch.inventory import slurm
from banzuke.batch.job import Status, Submitted
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import BatchSystem

SUBMIT = {"slurm": "sbatch", "gridengine": "qsub", "pbs": "qsub", "pjm": "pjsub", "flux": "flux"}
STATES = {"slurm": "squeue", "gridengine": "qstat", "pbs": "qstat", "pjm": "pjstat", "flux": "flux"}
CANCEL = {"slurm": "scancel", "gridengine": "qdel", "pbs": "qdel", "pjm": "pjdel", "flux": "flux"}
Command = Callable[[str, str], None]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Make a command from its name and lines of shell; no others exist but `cat` and `sleep`."""
    (tmp_path / "bin").mkdir()
    for name in ("cat", "sleep", "sh", "env"):
        (tmp_path / "bin" / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def make(name: str, lines: str) -> None:
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / "bin" / name).chmod(0o755)

    return make


def submitted(job: Make, system: BatchSystem, tmp_path: Path) -> Submitted:
    return systems.submit(job(system), tmp_path / "job.sh")


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_a_command_that_is_missing(system: BatchSystem, job: Make, command: Command, tmp_path: Path) -> None:
    del command
    assert systems.here() == []
    with pytest.raises(CommandError, match=f"{SUBMIT[system]} was not found"):
        submitted(job, system, tmp_path)


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_what_a_failing_command_says_is_shown(system: BatchSystem, job: Make, command: Command, tmp_path: Path) -> None:
    command(SUBMIT[system], "echo 'no such queue: \033[31mx' >&2; exit 1")
    with pytest.raises(CommandError, match=r"failed \(no such queue: \\u001b\[31mx\)"):
        submitted(job, system, tmp_path)


def test_what_a_user_has_chosen_to_see_hides_no_job_and_no_queue(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQUEUE_PARTITION", "other")
    monkeypatch.setenv("SINFO_PARTITION", "other")
    command("squeue", 'test -n "$SQUEUE_PARTITION" || echo "7|RUNNING|None"')
    statuses = systems.statuses("slurm", [Submitted("7", tmp_path / "out", 1)])
    assert statuses["7"].state == "running"
    command("sinfo", 'test -n "$SINFO_PARTITION" || echo "q|up|infinite|NO|1|2|4|1|8|1000|(null)|(null)|n1"')
    assert [queue.name for queue in slurm.queues()] == ["q"]
    command("sbatch", "exit 0")
    assert systems.answering() == ["slurm"]


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_a_command_that_hangs(
    system: BatchSystem, job: Make, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "SECONDS", 0.3)
    for name in (SUBMIT[system], STATES[system], CANCEL[system]):
        command(name, "exec sleep 60")
    job_there = Submitted("1", tmp_path / "out")
    for call in (
        lambda: submitted(job, system, tmp_path),
        lambda: systems.statuses(system, [job_there]),
        lambda: systems.cancel(system, [job_there]),
    ):
        with pytest.raises(CommandError, match="did not answer"):
            call()


def test_a_command_that_prints_without_end_is_ended(
    job: Make, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "SECONDS", 600.0)
    command("sbatch", "exec cat /dev/zero")
    with pytest.raises(CommandError, match=r"sbatch .* gave no answer .*more than 64 MiB, and was ended"):
        submitted(job, "slurm", tmp_path)


@pytest.mark.parametrize("system", systems.SYSTEMS)
@pytest.mark.parametrize("said", ["", "welcome!", "\\0\\377", "12 34", "<xml", "-5"])
def test_a_submission_that_is_answered_with_nonsense(
    system: BatchSystem, said: str, job: Make, command: Command, tmp_path: Path
) -> None:
    command(SUBMIT[system], f"printf -- '{said}'")
    with pytest.raises(CommandError, match="did not print the job's number"):
        submitted(job, system, tmp_path)


ANSWERS: dict[BatchSystem, str] = {
    "slurm": "12;cluster",
    "gridengine": "12.1-3:1",
    "pbs": "12[].server",
    "pjm": "[INFO] PJM 0000 pjsub Job 12 submitted.",
    "flux": "ƒ2yKRY5kF",
}


@pytest.mark.parametrize("system", ANSWERS)
def test_what_a_site_prints_before_the_number_is_left_out(
    system: BatchSystem, job: Make, command: Command, tmp_path: Path
) -> None:
    command(SUBMIT[system], f"echo 'Project 7 has 99 hours left'; echo '{ANSWERS[system]}'")
    wanted = {"pbs": "12[].server", "flux": "ƒ2yKRY5kF"}.get(system, "12")
    assert submitted(job, system, tmp_path).id == wanted


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_states_can_be_asked_for_again(system: BatchSystem, command: Command, tmp_path: Path) -> None:
    there = Submitted("1", tmp_path / "out")
    command(STATES[system], "echo 'cannot contact the server' >&2; exit 1")
    with pytest.raises(CommandError, match="cannot contact the server"):
        systems.statuses(system, [there])
    (tmp_path / "out.end").write_text("done 0\n")
    nothing = {"gridengine": "<job_info/>", "pbs": '{"Jobs": {}}'}.get(system, "")
    command(STATES[system], f"echo '{nothing}'")
    assert systems.statuses(system, [there]) == {"1": Status("done")}


@pytest.mark.parametrize("system", ["gridengine", "pbs"])
@pytest.mark.parametrize("said", ["nonsense", "[]", '{"Jobs": 5}', '{"Jobs": {"1": 5}}', "<a>"])
def test_states_that_are_nonsense(system: BatchSystem, said: str, command: Command, tmp_path: Path) -> None:
    command(STATES[system], f"cat <<'END'\n{said}\nEND")
    with pytest.raises(CommandError, match="answered nonsense"):
        systems.statuses(system, [Submitted("1", tmp_path / "out")])


@pytest.mark.parametrize("text", ["", "done", "done x\n", "running 0\n", "\x00\xff", "done 0 0 0"])
def test_a_damaged_end_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "out.end").write_text(text)
    assert systems.status(Submitted("1", tmp_path / "out"), None).state == "vanished"


def test_nothing_is_asked_about_nothing(command: Command) -> None:
    del command
    assert systems.statuses("slurm", []) == {}
    systems.cancel("slurm", [])


def test_variables_do_not_override_what_a_script_says(
    job: Make, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By sbatch(1), INPUT ENVIRONMENT VARIABLES; variables of the allocation that submits it do not, either."""
    for name in ("SBATCH_PARTITION", "SBATCH_TIMELIMIT", "SBATCH_QOS", "SLURM_CONF", "SLURM_MEM_PER_CPU"):
        monkeypatch.setenv(name, "x")
    command("sbatch", f"env > {tmp_path}/env; echo 7")
    submitted(job, "slurm", tmp_path)
    there = (tmp_path / "env").read_text()
    assert set(re.findall(r"^(SBATCH_\w+|SLURM_\w+)", there, re.MULTILINE)) == {"SBATCH_QOS", "SLURM_CONF"}


def test_a_command_cannot_be_given_a_zero_character() -> None:
    with pytest.raises(BanzukeError, match="could not be started"):
        ask(("true", "a\0b"))


def test_administrators_are_told_how_to_keep_jobs_from_hosts() -> None:
    hosts, words = ["n1", "n2", "n17"], {}
    for name, system in systems.SYSTEMS.items():
        words[name] = system.draining(hosts, "it's slow")
    assert words == {
        "slurm": ("scontrol", "update", "NodeName=n[1-2,17]", "State=DRAIN", "Reason=it's slow"),
        "gridengine": ("qmod", "-d", "*@n1,*@n2,*@n17"),
        "pbs": ("pbsnodes", "-o", "-C", "it's slow", "n1", "n2", "n17"),
        "pjm": (),
        "flux": ("flux", "resource", "drain", "n[1-2,17]", "it's slow"),
    }
