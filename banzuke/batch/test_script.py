"""What every script does, run by Bash as batch systems do."""

import os
import re
import signal
import string
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.batch import systems
from banzuke.batch.conftest import Make
from banzuke.batch.job import Chunk, Job, Status, Submitted
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch, BatchSystem

ELEMENT = {
    "slurm": "SLURM_ARRAY_TASK_ID",
    "gridengine": "SGE_TASK_ID",
    "pbs": "PBS_ARRAY_INDEX",
    "pjm": "PJM_BULKNUM",
    "flux": "FLUX_JOB_CC",
}
NOTICE: dict[BatchSystem, int] = {"slurm": signal.SIGINT, "gridengine": signal.SIGUSR1}
"""Signal that the system sends to the script before the time limit; with the others, the script watches the clock."""


def ran(job: Job, before: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run the script of a job; `stdout` has all output, and `before` are commands that come first."""
    text = f"{before}\n{systems.render(job)}"
    return subprocess.run(
        ["bash", "-c", text],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
        env=os.environ | variables,
    )


def ended(job: Job) -> Status | None:
    """Return the status if the batch system no longer knows the job."""
    status = systems.status(Submitted("1", job.output, job.elements), None)
    return None if status.state == "vanished" else status


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_the_command_runs_in_its_folder_with_its_variables(job: Make, system: BatchSystem, tmp_path: Path) -> None:
    command = ("bash", "-c", 'pwd; echo "$ONE"')
    assert ran(job(system, command=command, variables={"ONE": "a 'b' $c"})).stdout == f"{tmp_path}\na 'b' $c\n"


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_how_it_ended_is_kept_beside_the_output(job: Make, system: BatchSystem) -> None:
    good, bad = job(system, command=("true",)), job(system, command=("bash", "-c", "exit 3"))
    assert ran(good).returncode == 0
    assert ended(good) == Status("done")
    assert ran(bad).returncode == 3
    assert ended(bad) == Status("failed", "exit status 3")


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_a_command_that_is_not_there_fails(job: Make, system: BatchSystem) -> None:
    absent = job(system, command=("/nowhere/banzuke", "run"))
    assert "/nowhere/banzuke" in ran(absent).stdout
    assert ended(absent) == Status("failed", "exit status 127")


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_a_folder_that_the_node_does_not_see_fails(job: Make, system: BatchSystem, tmp_path: Path) -> None:
    elsewhere = job(system, folder=tmp_path / "gone")
    assert ran(elsewhere).returncode == 1
    assert ended(elsewhere) == Status("failed", "exit status 1")


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_a_module_that_is_not_there_fails(job: Make, system: BatchSystem) -> None:
    setup = 'module() { echo "$@"; [ "$2" != \'no such\' ]; }; export -f module'
    wanted = job(system, modules=["gcc/12", "no such", "mpi"])
    done = ran(wanted, setup)
    assert (done.stdout, done.returncode) == ("load gcc/12\nload no such\n", 1)
    assert ended(wanted) == Status("failed", "exit status 1")


@pytest.mark.parametrize("system", systems.SYSTEMS)
def test_elements_of_an_array_know_their_numbers(job: Make, system: BatchSystem) -> None:
    array = job(system, elements=3, command=("bash", "-c", 'echo "$BANZUKE_ELEMENT"'))
    assert [ran(array, **{ELEMENT[system]: number}).stdout for number in "12"] == ["1\n", "2\n"]
    assert ended(array) is None, "the third has not ended"
    ran(array, **{ELEMENT[system]: "3"})
    assert ended(array) == Status("done")


def interrupted(job: Job, number: int, kill: Callable[[int, int], None] = os.kill) -> tuple[str, int]:
    with subprocess.Popen(
        ["bash", "-c", systems.render(job)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout
        assert running.stdout.readline() == "ready\n"
        kill(running.pid, number)
        text, _ = running.communicate(timeout=600)
        return text, running.returncode


SLOW = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    print("ready", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print("kept")
    sys.exit(130)
"""
"""Reacts to a signal as banzuke does."""
COMMAND = (sys.executable, "-c", SLOW)


@pytest.mark.parametrize("system", NOTICE)
def test_a_job_near_its_time_limit_keeps_what_is_finished(job: Make, system: BatchSystem) -> None:
    long = job(system, command=COMMAND)
    assert interrupted(long, NOTICE[system]) == ("kept\n", 130)
    assert ended(long) == Status("timed-out", "exit status 130")


@pytest.mark.parametrize("system", [name for name in systems.SYSTEMS if name not in NOTICE])
def test_a_job_without_notice_looks_at_the_clock(job: Make, system: BatchSystem) -> None:
    line = "trap 'kill $!; echo kept; exit 130' TERM; sleep 60 & wait"  # starts at once, even under load
    long = job(system, command=("bash", "-c", line), seconds=2)
    done = ran(long)
    assert (done.stdout, done.returncode) == ("kept\n", 130)
    assert ended(long) == Status("timed-out", "exit status 130")


def test_a_notice_to_the_whole_group_interrupts_once(job: Make) -> None:
    """Grid Engine signals the group of the script, which includes the command."""
    long = job("gridengine", command=COMMAND)
    assert interrupted(long, signal.SIGUSR1, os.killpg) == ("kept\n", 130)
    assert ended(long) == Status("timed-out", "exit status 130")


@pytest.mark.parametrize(
    ("system", "number"),
    [("gridengine", signal.SIGUSR2), *((name, signal.SIGTERM) for name in systems.SYSTEMS if name != "gridengine")],
)
def test_a_cancelled_job_keeps_what_is_finished(job: Make, system: BatchSystem, number: int) -> None:
    """Signals go to all processes of the job; from Grid Engine, to the script's group (qsub(1), -notify)."""
    long = job(system, command=COMMAND)
    assert interrupted(long, number, os.killpg) == ("kept\n", 130)
    assert ended(long) == Status("cancelled", "exit status 130")


def test_a_job_whose_terminal_ends_has_failed(job: Make) -> None:
    """As those of a Flux instance that ends: bash runs what EXIT traps with the status of its last command."""
    long = job("flux", command=COMMAND)
    assert interrupted(long, signal.SIGHUP, os.killpg) == ("", 129)
    assert ended(long) == Status("failed", "exit status 129")


PIECES = (
    "a",
    " ",
    "'",
    '"',
    "\\",
    "$",
    "`id`",
    "$(id)",
    "\n",
    "\r",
    "\t",
    "\x1b",
    "\x85",
    "\u2028",
    "#",
    "# flux: -x",
    "#$ -x",
)
TEXTS = st.text() | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@given(st.sampled_from(sorted(systems.SYSTEMS)), TEXTS, TEXTS, st.text(string.printable))
def test_no_word_or_value_adds_a_command_or_a_directive(
    system: BatchSystem, word: str, value: str, folder: str
) -> None:
    """The words that Bash reads from the script are compared with those that went in."""
    with tempfile.TemporaryDirectory() as top:
        chunk = Chunk("cpu", Batch(system=system), 1, 1)
        place = Path(top) / folder.replace("/", "_").replace("..", "_")[:100]
        command = ("bash", "-c", 'printf "%s\\0" "$@" "$V" "$PWD"', "bash", word)
        plain = Job("try", (chunk,), command[:4], Path(top), Path(top) / "out", 60, variables={"V": ""})
        try:
            text = systems.render(replace(plain, command=command, folder=place, variables={"V": value}))
        except BanzukeError:
            assert "\0" in word + value or not re.fullmatch(r"[\w.+-]*", folder, re.ASCII)
            return
        place.mkdir(exist_ok=True)
        assert directives(text) == directives(systems.render(plain))
        done = subprocess.run(["bash", "-c", text], stdout=subprocess.PIPE, check=True, timeout=600)
        assert done.stdout.decode() == f"{word}\0{value}\0{place}\0"


def directives(text: str) -> int:
    return sum(line.lstrip().startswith("#") for line in text.splitlines())
