"""One command on many hosts: on this one, and with a stand-in for srun that prints what is hard to get from Slurm."""

import os
import re
import shlex
import socket
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch.fan_out import HostOutcome, fan_out, way_to

HERE = socket.gethostname()
Lines = dict[str, list[str]]


def on(hosts: list[str], *words: str, seconds: float = 600.0) -> tuple[dict[str, HostOutcome], Lines]:
    lines: Lines = {}
    outcomes = fan_out(
        words,
        hosts,
        way_to(hosts, os.environ),
        seconds=seconds,
        on_line=lambda host, line: lines.setdefault(host, []).append(line),
    )
    return outcomes, lines


@pytest.fixture(autouse=True)
def _no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


def test_lines_come_back_whole_however_long_and_without_an_end() -> None:
    script = "printf '%05000d\\n' 1; printf '%01600d\\n' 2; echo; printf 'a\\\\\\n>'"
    outcomes, lines = on([HERE], "sh", "-c", script)
    assert outcomes == {HERE: HostOutcome("ok")}
    assert lines[HERE] == [f"{1:05000d}", f"{2:01600d}", "", "a\\", ">"]


def test_a_command_that_fails_says_its_status_and_last_words() -> None:
    outcomes, _ = on([HERE], "sh", "-c", "echo no memory >&2; exit 3")
    assert outcomes == {HERE: HostOutcome("failed", 3, "no memory")}


def test_a_command_that_does_not_end_in_time_is_ended_and_hung() -> None:
    outcomes, _ = on([HERE], "sleep", "600", seconds=0.1)
    assert outcomes[HERE].state == "hung"


def test_a_line_without_an_end_is_left_out_and_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.launch.fan_out.MOST_OUTPUT", 100_000)
    outcomes, lines = on([HERE], "sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo; echo next", seconds=600.0)
    assert (outcomes[HERE].state, lines) == ("ok", {HERE: ["next"]})


def test_words_are_no_shell() -> None:
    _, lines = on([HERE], "echo", "$HOME; `id` 'a  b'")
    assert lines[HERE] == ["$HOME; `id` 'a  b'"]


SRUN = """#!/bin/sh
echo "$@" > {folder}/words.$$
case $* in *"--nodelist=n[1,3] "*) echo "0: n1<"; echo "1: n3<"; echo "0: one."; echo "1: two\\\\"; echo "1: parts."
  echo "0: 0>"; echo "1: 0>"; exit;; esac
{said}
"""


@pytest.fixture
def srun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in whose first step prints the file `said`."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    return tmp_path


def says(folder: Path, said: str) -> None:
    (folder / "srun").write_text(SRUN.format(folder=shlex.quote(str(folder)), said=said))
    (folder / "srun").chmod(0o755)


def test_a_step_that_slurm_ended_because_of_one_host_is_started_again_on_the_others(srun: Path) -> None:
    says(
        srun,
        'echo "1: n1<"; echo "2: n3<"; echo "srun: error: Task launch for StepId=7.0 failed on node n2: refused" >&2\n'
        'echo "1: 143>"; exit 1',
    )
    outcomes, lines = on(["n1", "n2", "n3"], "program", seconds=600.0)
    assert outcomes == {"n1": HostOutcome("ok"), "n2": HostOutcome("dead", errors="refused"), "n3": HostOutcome("ok")}
    assert lines == {"n1": ["one"], "n3": ["twoparts"]}


def test_hosts_that_slurm_took_out_of_the_job_are_dead_and_the_others_are_tried(srun: Path) -> None:
    says(srun, 'echo "srun: error: Only allocated 2 nodes asked for 3" >&2; exit 1')
    (srun / "squeue").write_text("#!/bin/sh\necho n1,n3\n")
    (srun / "squeue").chmod(0o755)
    outcomes, _ = on(["n1", "n2", "n3"], "program")
    assert {host: ended.state for host, ended in outcomes.items()} == {"n1": "ok", "n2": "dead", "n3": "ok"}
    assert "Only allocated 2 nodes" in outcomes["n2"].errors


def test_what_a_task_says_before_its_host_is_known_is_its_hosts(srun: Path) -> None:
    says(srun, 'echo " 0: early" >&2; sleep 0.01; echo " 0: n1<"; echo " 0: 4>"')
    assert on(["n1", "n2"], "program")[0]["n1"] == HostOutcome("failed", 4, "early")


def test_each_part_of_a_heterogeneous_job_has_a_step_of_its_own(srun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_0", "n[1-2]")
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_1", "n3")
    says(srun, 'for word; do case $word in --nodelist=*) echo "0: ${word#*=}<"; echo "0: 0>"; esac; done')
    outcomes, _ = on(["n3", "n1", "n9"], "program")
    assert {host: ended.state for host, ended in outcomes.items()} == {"n3": "ok", "n1": "ok", "n9": "dead"}
    assert outcomes["n9"].errors == "it is not one of the job's hosts"
    steps = [re.findall(r"--het-group=\d|--nodelist=\S+", file.read_text()) for file in srun.glob("words.*")]
    assert sorted(steps) == [["--het-group=0", "--nodelist=n1"], ["--het-group=1", "--nodelist=n3"]]


def test_ten_thousand_hosts_are_few_words(srun: Path) -> None:
    says(srun, "exit 1")
    (srun / "squeue").write_text("#!/bin/sh\n")
    (srun / "squeue").chmod(0o755)
    outcomes, _ = on([f"n{number:05}" for number in range(10_000)], "program")
    assert {ended.state for ended in outcomes.values()} == {"dead"}
    (words,) = [file.read_text() for file in srun.glob("words.*")]
    assert re.search(r"--nodes=10000 --ntasks=10000 --nodelist=n\[00000-09999\] ", words)


def test_without_srun_in_a_job_of_slurm_it_is_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("PATH", "/nowhere")
    assert way_to(["n1", "n2"], os.environ) == "ssh"
    assert way_to([HERE], os.environ) == "here"


def test_a_launcher_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BanzukeError, match="cannot run srun"):
        fan_out(["true"], ["n1", "n2"], "srun", seconds=1.0, on_line=lambda _host, _line: None)
