"""A submission: a folder in the results folder, by which its jobs are followed, cancelled and continued.

    results/submissions/NAME/submission.json site.toml JOB.sh JOB.out JOB.out.end JOB.attempt.json JOB.ended.json

`submission.json` is written once, before anything is submitted. A job's attempt is written before the batch system is
asked, and again with the job's number; so whenever this process is killed, it is known which jobs may be in the queue.
States are read on request, and results are found by the names of the runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, ValidationError

from banzuke.amounts import Frozen, Name, Positive
from banzuke.batch import systems
from banzuke.batch.commands import CommandError
from banzuke.batch.job import ENDED, Job, State, Status, Submitted
from banzuke.errors import BanzukeError
from banzuke.files import NotOursError, check_ours, read_ours, read_whole, refusal, unlink, write_whole
from banzuke.machine.cluster import BatchSystem

FOLDER = "submissions"
"""The folder of submissions in the results folder."""
FILE = "submission.json"
PREFIX = "banzuke-"
"""Prefix of jobs' names, which distinguishes them from those of other users."""
JobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9ƒ][\w.,\[\]@:-]*$")]
"""A batch system's number of a job, which is never an option of its commands; Flux begins its own with ƒ, and has
several for an array.
"""
ELEMENT = "%e"
"""Stands for the number of the element in the name of an array's run."""


class PlannedJob(Frozen):
    model_config = ConfigDict(revalidate_instances="always")  # the job was made without being validated

    job: Job
    run: Name
    """The run into which it measures; for an array, with `ELEMENT`, one for each element."""
    benchmarks: tuple[Name, ...] = ()
    node_watt: Positive | None = None
    """Expected power of each node, under a power cap."""

    @property
    def name(self) -> str:
        return self.job.name.removeprefix(PREFIX)

    @property
    def nodes(self) -> int:
        """Nodes of each element."""
        return sum(chunk.nodes for chunk in self.job.chunks)

    @property
    def watt(self) -> float:
        """Expected power of all nodes that it uses at the same time; 0 without a power cap."""
        return self.nodes * (self.job.at_once or self.job.elements) * (self.node_watt or 0.0)

    @property
    def runs(self) -> list[str]:
        if self.job.elements == 1:
            return [self.run]
        return [self.run.replace(ELEMENT, str(number)) for number in range(1, self.job.elements + 1)]


class Submission(Frozen):
    name: Name
    asked: datetime
    banzuke: str
    """Version that the nodes must have, too."""
    words: list[str]
    """The command as it was typed."""
    jobs: list[PlannedJob]
    power_cap: Positive | None = None
    """W, for all jobs that run at the same time; None: no cap."""

    @property
    def system(self) -> BatchSystem:
        return self.jobs[0].job.batch.system


class Attempt(Frozen):
    """The last time that a job was submitted."""

    asked: datetime
    id: JobId | None = None
    """None: the batch system has not answered, so the job may exist or not."""


class Ended(Frozen):
    """How an attempt ended; stored because batch systems forget."""

    id: JobId
    state: State
    why: str = ""


@dataclass(frozen=True)
class Follow:
    """A job with its attempt and status."""

    planned: PlannedJob
    attempt: Attempt | None = None
    """None: it was not submitted."""
    status: Status | None = None
    """None: unknown."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        lost = self.attempt is None or self.attempt.id is None
        return lost or (self.status is not None and self.status.state in ENDED)

    @property
    def state(self) -> str:
        if self.attempt is None:
            return "not submitted"
        return self.status.state if self.status else "unknown"


class SubmissionFolder:
    """One submission and the state of its jobs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._refusal: NotOursError | None = None
        """Why it is read-only; None: it is ours, so we may act on it with its scripts and what they wrote."""
        try:
            check_ours(folder, *sorted(folder.glob("*")), problem=f"jobs of {folder.name} are not yours to act on")
            self.submission = _submission(folder / FILE, read_ours)
        except NotOursError as error:
            self._refusal = error
            self.submission = _submission(folder / FILE, read_whole)

    @property
    def name(self) -> str:
        return self.submission.name

    def script(self, planned: PlannedJob) -> Path:
        return self.folder / f"{planned.name}.sh"

    def submit(self, planned: PlannedJob, after: Sequence[str] = ()) -> str:
        """Submit a job and return its number; it begins when the jobs of the numbers `after` have ended.

        Raises BanzukeError, also if the submission is not ours.
        """
        self.check_ours()
        attempt, before = Attempt(asked=datetime.now(UTC)), self._recorded(planned).attempt
        self._keep(planned, "attempt", attempt)
        try:
            submitted = systems.submit(planned.job, self.script(planned), after)
        except CommandError as error:
            if error.refused:
                self._keep(planned, "attempt", before)
            raise
        self._keep(planned, "attempt", attempt.having(id=submitted.id))
        return submitted.id

    def follow(self) -> list[Follow]:
        """Follow each job, asking the batch system once for all that may not have ended. Raises BanzukeError."""
        followed = [self._recorded(planned) for planned in self.submission.jobs]
        asked = [submitted for follow in followed if not follow.ended and (submitted := _submitted(follow))]
        statuses = systems.statuses(self.submission.system, asked)
        for follow in followed:
            number = follow.attempt and follow.attempt.id
            if number and (status := statuses.get(number)) and status.state in ENDED:
                self._keep(follow.planned, "ended", Ended(id=number, state=status.state, why=status.why))
        return [_with(follow, statuses) for follow in followed]

    def cancel(self, jobs: Sequence[Follow]) -> None:
        """Cancel jobs. Raises BanzukeError, also if the submission is not ours."""
        self.check_ours()
        systems.cancel(self.submission.system, [submitted for job in jobs if (submitted := _submitted(job))])

    @property
    def ours(self) -> bool:
        """Whether we may act on it."""
        return self._refusal is None

    def check_ours(self) -> None:
        """Raise NotOursError if we may not act on it."""
        if self._refusal:
            raise self._refusal

    def _recorded(self, planned: PlannedJob) -> Follow:
        """Return what the folder shows of a job, without asking the batch system."""
        try:
            attempt = Attempt.model_validate_json(read_whole(self.folder / f"{planned.name}.attempt.json"))
        except (BanzukeError, ValidationError):
            return Follow(planned)
        if attempt.id is None:
            said = systems.status(Submitted("", planned.job.output, planned.job.elements), None)
            return Follow(planned, attempt, None if said.state == "vanished" else said)
        try:
            ended = Ended.model_validate_json(read_whole(self.folder / f"{planned.name}.ended.json"))
        except (BanzukeError, ValidationError):
            return Follow(planned, attempt)
        return Follow(planned, attempt, Status(ended.state, ended.why) if ended.id == attempt.id else None)

    def _keep(self, planned: PlannedJob, what: str, content: Attempt | Ended | None) -> None:
        file = self.folder / f"{planned.name}.{what}.json"
        if self._refusal:
            return
        if content is None:
            unlink(file)
        else:
            write_whole(file, content.document())


class Submissions:
    """All submissions of a results folder."""

    def __init__(self, results: Path) -> None:
        self.folder = results / FOLDER

    def all(self, ignored: Callable[[BanzukeError], None]) -> list[SubmissionFolder]:
        """Return all, oldest first; unreadable ones, such as another version's, are passed to `ignored`."""
        folders = []
        for file in sorted(self.folder.glob(f"*/{FILE}")):
            try:
                folders.append(SubmissionFolder(file.parent))
            except BanzukeError as error:
                ignored(error)
        return folders

    def find(self, name: str) -> SubmissionFolder:
        """Find one by its name or the beginning of it. Raises BanzukeError."""
        folders = [file.parent for file in sorted(self.folder.glob(f"*/{FILE}"))]
        matching = [folder for folder in folders if name and folder.name.startswith(name)]
        if len(matching) != 1:
            raise BanzukeError(
                f"{len(matching) or 'no'} submissions in {self.folder} begin with '{name}'",
                why=", ".join(folder.name for folder in (matching or folders)[-5:]),
                remedy="`banzuke jobs` shows them",
            )
        return SubmissionFolder(matching[0])

    def create(self, submission: Submission, site: bytes | None) -> SubmissionFolder:
        """Write the scripts of all jobs, before any is submitted; `site`: the file that they read.

        Raises BanzukeError.
        """
        folder = self.folder / submission.name
        check_ours(folder, problem=f"nothing is submitted from {self.folder}")
        scripts = {planned.name: systems.render(planned.job) for planned in submission.jobs}
        if site is not None:
            write_whole(folder / "site.toml", site)
        for name, text in scripts.items():
            write_whole(folder / f"{name}.sh", text.encode(), executable=True)
        write_whole(folder / FILE, submission.document(indent=1))
        return SubmissionFolder(folder)


def _submission(file: Path, read: Callable[[Path], bytes]) -> Submission:
    try:
        return Submission.model_validate_json(read(file))
    except ValidationError as error:
        raise BanzukeError(f"{file} is not a submission", why=refusal(error)) from error


def _submitted(follow: Follow) -> Submitted | None:
    if follow.attempt is None or follow.attempt.id is None:
        return None
    return Submitted(follow.attempt.id, follow.planned.job.output, follow.planned.job.elements)


def _with(follow: Follow, statuses: Mapping[str, Status]) -> Follow:
    if follow.attempt is None or follow.attempt.id is None:
        return follow
    return Follow(follow.planned, follow.attempt, statuses.get(follow.attempt.id, follow.status))
