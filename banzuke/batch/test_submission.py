"""What is known of submitted jobs, whatever was killed when; the batch system is a stand-in in this process."""

import json
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from banzuke.batch import systems
from banzuke.batch.commands import CommandError
from banzuke.batch.conftest import Make
from banzuke.batch.job import Job, Status, Submitted
from banzuke.batch.submission import Attempt, Follow, PlannedJob, Submission, SubmissionFolder, Submissions
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import BatchSystem


class StandIn:
    """Replaces `systems`: jobs, their states, and errors."""

    def __init__(self) -> None:
        self.known: dict[str, Status] = {}
        self.fault: BaseException | None = None
        self.asked: list[list[str]] = []
        self.after: list[list[str]] = []

    def submit(self, job: Job, _script: Path, after: Sequence[str] = ()) -> Submitted:
        self.after.append(list(after))
        if self.fault:
            raise self.fault
        number = str(len(self.known) + 1)
        self.known[number] = Status("queued")
        return Submitted(number, job.output, job.elements)

    def statuses(self, _name: BatchSystem, jobs: Sequence[Submitted]) -> dict[str, Status]:
        if self.fault:
            raise self.fault
        self.asked.append([job.id for job in jobs])
        return {job.id: self.known.get(job.id, Status("vanished")) for job in jobs}


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setattr(systems, "submit", stand_in.submit)
    monkeypatch.setattr(systems, "statuses", stand_in.statuses)
    return stand_in


@pytest.fixture
def made(job: Make, tmp_path: Path) -> SubmissionFolder:
    planned = [PlannedJob(job=job(name=f"banzuke-{name}"), run=f"s-{name}") for name in ("n1", "n2", "n4")]
    asked = Submission(name="s", asked=datetime.now(UTC), banzuke="1", words=["banzuke"], jobs=planned)
    return Submissions(tmp_path / "results").create(asked, b"name = 'x'\n")


def states(follows: Sequence[Follow]) -> list[str]:
    return [follow.state for follow in follows]


def test_nothing_is_submitted_from_where_others_can_exchange_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(BanzukeError, match=r"nothing is submitted from .*can be written by everybody"):
        Submissions(tmp_path).create(Submission.model_construct(name="x", jobs=[]), None)
    assert not [*tmp_path.iterdir()]


def test_scripts_and_the_site_lie_in_the_folder_before_anything_is_submitted(made: SubmissionFolder) -> None:
    for planned in made.submission.jobs:
        assert made.script(planned).read_text() == systems.render(planned.job)
        assert made.script(planned).stat().st_mode & 0o100
    assert (made.folder / "site.toml").read_bytes() == b"name = 'x'\n"


def test_states_are_asked_for_at_once_until_jobs_have_ended(made: SubmissionFolder, system: StandIn) -> None:
    first, second, _ = made.submission.jobs
    assert (made.submit(first), made.submit(second)) == ("1", "2")
    assert states(made.follow()) == ["queued", "queued", "not submitted"]
    system.known = {"1": Status("node-failed", "n3"), "2": Status("running")}
    assert states(made.follow()) == ["node-failed", "running", "not submitted"]
    system.known = {"2": Status("done")}
    follows = SubmissionFolder(made.folder).follow()
    assert states(follows) == ["node-failed", "done", "not submitted"], "as it was known when it ended"
    assert follows[0].status == Status("node-failed", "n3")
    assert system.asked == [["1", "2"], ["1", "2"], ["2"]]


def test_a_job_whose_submission_was_killed_may_be_in_the_queue(made: SubmissionFolder, system: StandIn) -> None:
    system.fault = KeyboardInterrupt()
    first, *_ = made.submission.jobs
    with pytest.raises(KeyboardInterrupt):
        made.submit(first)
    system.fault = None
    assert states(made.follow()) == ["unknown", "not submitted", "not submitted"]
    Path(f"{first.job.output}.end").write_text("done 0\n")
    assert states(made.follow()) == ["done", "not submitted", "not submitted"], "its script has said so"


def test_a_refused_job_was_not_submitted(made: SubmissionFolder, system: StandIn) -> None:
    first, second, _ = made.submission.jobs
    for said, state in (("invalid partition", "not submitted"), ("Socket timed out on send/recv operation", "unknown")):
        system.fault = CommandError("sbatch failed", why=said, said=said)
        with pytest.raises(BanzukeError, match="sbatch failed"):
            made.submit(first)
        system.fault = None
        assert states(made.follow())[0] == state
    system.fault = CommandError("sbatch did not answer", why="within 60 s")
    with pytest.raises(BanzukeError, match="did not answer"):
        made.submit(second)
    system.fault = None
    assert states(made.follow())[:2] == ["unknown", "unknown"]


def test_a_job_that_is_submitted_again_has_another_number(made: SubmissionFolder, system: StandIn) -> None:
    first, *_ = made.submission.jobs
    made.submit(first)
    system.known["1"] = Status("timed-out")
    assert states(made.follow())[0] == "timed-out"
    assert made.submit(first) == "2"
    assert states(made.follow())[0] == "queued"


def test_submissions_are_found_by_the_beginning_of_their_names(made: SubmissionFolder, tmp_path: Path) -> None:
    store = Submissions(tmp_path / "results")
    ignored: list[BanzukeError] = []
    assert [folder.name for folder in store.all(ignored.append)] == ["s"]
    assert store.find("s").folder == made.folder
    with pytest.raises(BanzukeError, match=r"no submissions in .* begin with 'x'"):
        store.find("x")
    (made.folder / "submission.json").write_text("{}")
    with pytest.raises(BanzukeError, match="is not a submission"):
        store.find("s")
    assert not store.all(ignored.append)
    assert "is not a submission" in str(ignored)


@pytest.mark.parametrize("elements", [10**8, 10**30, 0, -1])
def test_an_array_that_no_batch_system_takes_is_no_submission(made: SubmissionFolder, elements: int) -> None:
    """Each element has files that would be searched for."""
    file = made.folder / "submission.json"
    said = json.loads(file.read_text())
    said["jobs"][0]["job"]["elements"] = elements
    file.write_text(json.dumps(said))
    with pytest.raises(BanzukeError, match="is not a submission"):
        Submissions(made.folder.parent.parent).find("s")


def test_the_version_of_a_node_is_compared(job: Make, bash: Callable[[str], tuple[str, int]], tmp_path: Path) -> None:
    other = tmp_path / "banzuke"
    other.write_text("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'banzuke 1.1'; else echo ran; fi\n")
    other.chmod(0o755)
    command = (str(other), "run")
    assert bash(systems.render(job(command=command, version="banzuke 1.1"))) == ("ran\n", 0)
    assert bash(systems.render(job(command=command, version="banzuke 1."))) == ("ran\n", 0), "another kind of processor"
    said = "error: this script is of banzuke 1.2, and here is banzuke 1.1\n"
    assert bash(systems.render(job(command=command, version="banzuke 1.2"))) == (said, 2)
    absent = job(command=(str(tmp_path / "absent"), "run"), version="banzuke 1.2")
    text, status = bash(systems.render(absent))
    assert (status, "and here is none" in text) == (2, True)


@pytest.fixture
def bash() -> Callable[[str], tuple[str, int]]:
    def call(script: str) -> tuple[str, int]:
        done = subprocess.run(
            ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=20
        )
        return done.stdout, done.returncode

    return call


@pytest.mark.parametrize("number", ["12", "12[].server", "ƒ7fY3kVV", "f7fY3kVV,f7fY3kVW"])
def test_the_number_of_each_batch_system_is_kept(number: str) -> None:
    """Flux prints ƒ or f by the locale, and several for an array."""
    assert Attempt(asked=datetime.now(UTC), id=number).id == number
