"""Follows submitted jobs: a table of their states, and the results of each as soon as it ends."""

import shlex
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.live import Live

from banzuke.batch import systems
from banzuke.batch.submission import Follow, PlannedJob, SubmissionFolder
from banzuke.cli.console import errors, fail, out, warn
from banzuke.cli.headline import assessments_of, headline_text
from banzuke.cli.options import DEFAULT_RESULTS
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.files import read_end
from banzuke.judge.headline import headlines
from banzuke.plan.catalogue import benchmarks
from banzuke.results import lines
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count
from banzuke.words.language import words

PAUSES = (1.0, 15.0)
"""Shortest and longest pause between two queries of the batch system, in seconds."""
TAIL = 1 << 16
"""Bytes at the end of a job's output in which its last message is looked for."""
MOST_ELEMENTS = 3
"""Failed elements of an array whose last messages are shown."""
_STYLES = {"done": "green", "running": "", "queued": "dim"}


class Follower:
    """A printer of what is new in a submission."""

    def __init__(self, made: SubmissionFolder, store: Store) -> None:
        self._made, self._store = made, store
        self._states: dict[str, str] = {}
        self._joined: set[str] = set()
        self._warned = False
        self.jobs: list[Follow] = []
        """The jobs, as last known."""

    @property
    def ended(self) -> bool:
        return bool(self.jobs) and all(job.ended for job in self.jobs)

    def look(self) -> bool:
        """Query the jobs' states, print what is new, and return whether a state has changed."""
        try:
            self.jobs = self._made.follow()
        except BanzukeError as error:  # the batch system is busy or restarting
            if not self._warned:
                warn(f"{error}. Asking again")
            self._warned = True
            return False
        self._warned = False
        new = [job for job in self.jobs if self._states.get(job.planned.name) != job.state]
        for job in new:
            self._states[job.planned.name] = job.state
            _announce(job, ours=self._made.ours)
        for job in self.jobs:
            self._join(job)
        return bool(new)

    def _join(self, job: Follow) -> None:
        """Print the results of the job's runs that have ended since the last call."""
        specs = benchmarks()
        marks = systems.marks(job.planned.job.output, job.planned.job.elements)
        for name, mark in zip(job.planned.runs, marks, strict=True):
            if name in self._joined or job.attempt is None or not (job.ended or mark.exists()):
                continue
            self._joined.add(name)
            run = Run(self._store.folder / name)
            if job.state == "done" and not run.files():
                fail(f"there are no records of {name} in {self._store.folder}: is it the same folder on the nodes?")
            by_benchmark = headlines(assessments_of(run, specs), specs) if run.files() else {}
            if run.files() and not by_benchmark:
                out.say(f"{name}: no headline figure (banzuke report {name} shows why)")
            for benchmark, headline in by_benchmark.items():
                limit = f", {words()(headline.of_limit)}" if headline.of_limit else ""
                out.say(f"{name}: {headline_text(headline, specs.get(benchmark))}{limit}")


def follow(made: SubmissionFolder, results: Path) -> int:
    """Wait for all jobs and return the exit status. Ctrl-C ends only the waiting."""
    store, pause = Store(results), PAUSES[0]
    follower = Follower(made, store)
    try:
        with Live(console=errors, transient=True, auto_refresh=False) as live:
            while not follower.ended:
                pause = PAUSES[0] if follower.look() else min(1.5 * pause, PAUSES[1])
                if errors.is_terminal:
                    live.update(terminal_table(table(made, follower.jobs, store)), refresh=True)
                if not follower.ended:
                    time.sleep(pause)
    except KeyboardInterrupt:
        errors.say("The jobs continue without this command.")
        tell(made.name, results)
        return 130
    return _summary(made, follower.jobs, results)


def _summary(made: SubmissionFolder, followed: Sequence[Follow], results: Path) -> int:
    """Print how the jobs ended and what to do next; return 0 if everything was verified, by the jobs' exit statuses."""
    store = Store(results)
    ended = Counter(job.state for job in followed)
    errors.say(", ".join(f"{count(number, 'job')} {state}" for state, number in ended.items()))
    left = [job.planned for job in followed if not complete(job.planned, store)]
    if not all(map(_refused, left)):
        errors.say(f"To continue what is left: banzuke jobs --resubmit {made.name}{_results_option(results)}")
    elif left:
        errors.say("The jobs refused their command: correct it, and submit again.")
    runs = [run for job in followed for run in job.planned.runs if Run(store.folder / run).files()]
    if runs:
        errors.say(f"To report them: banzuke report {shlex.quote(str(results / made.name))}-*")
    good = all(job.state == "done" for job in followed) and len(runs) == sum(len(job.planned.runs) for job in followed)
    return 0 if good else 1


def tell(name: str, results: Path) -> None:
    """Print how to follow and how to cancel a submission."""
    option = _results_option(results)
    errors.say(f"To follow them: banzuke jobs --wait {name}{option}; to end them: banzuke jobs --cancel {name}{option}")


def _results_option(results: Path) -> str:
    return "" if results == DEFAULT_RESULTS else f" --results {shlex.quote(str(results))}"


def table(made: SubmissionFolder, followed: Sequence[Follow], store: Store) -> Table:
    """Return a table of a submission's jobs, one row each: state, and number of finished launches."""
    columns = [Column(title) for title in ("job", "number", "nodes", "state", "launches", "")]
    rows = [
        (
            job.planned.name,
            (job.attempt.id if job.attempt else None) or "–",
            _nodes(job.planned),
            job.state,
            _launches(job.planned, store),
            job.status.why if job.status else "",
        )
        for job in followed
    ]
    title = f"{made.name}: {' '.join(made.submission.words)}"
    return Table.of_texts(columns, rows, title)


def _nodes(planned: PlannedJob) -> str:
    elements = f"{planned.job.elements} x " if planned.job.elements > 1 else ""
    return f"{elements}{planned.nodes}"


def _launches(planned: PlannedJob, store: Store) -> str:
    """Return finished launches, such as `3 of 9`; for an array, summed over the elements that have begun."""
    finished = total = 0
    for run in _begun(planned, store):
        plan = run.plan()
        if plan is not None:
            total += len(plan.order())
            finished += sum(map(lines.count, run.files()))
    return f"{finished} of {total}" if total else "–"


def _begun(planned: PlannedJob, store: Store) -> list[Run]:
    return [Run(store.folder / name) for name in planned.runs if (store.folder / name).is_dir()]


def complete(planned: PlannedJob, store: Store) -> bool:
    runs = _begun(planned, store)
    return len(runs) == len(planned.runs) and all(run.plan() and not run.missing() for run in runs)


def _announce(job: Follow, *, ours: bool) -> None:
    """Print the job's state and, if it did not end well, its last messages; not those of others' jobs, whose output
    could be any file.
    """
    why = f" ({job.status.why})" if job.status and job.status.why else ""
    errors.say((f"{job.planned.name}: {job.state}", _STYLES.get(job.state, "bold red")), why)
    if ours and job.ended and job.attempt and job.state != "done":
        for output, said in last_words(job.planned):
            errors.say((f"  {output}:", "dim"), f" {said}")


def _refused(planned: PlannedJob) -> bool:
    """Return whether all elements ended with exit status 2: the command or the node is wrong, and would be again."""
    return all(
        _text(mark).split() == ["failed", "2"] for mark in systems.marks(planned.job.output, planned.job.elements)
    )


def last_words(planned: PlannedJob) -> Iterable[tuple[Path, str]]:
    """Yield the last message of a job's outputs; of an array, of elements that did not end well."""
    marks = systems.marks(planned.job.output, planned.job.elements)
    bad = [Path(str(mark).removesuffix(".end")) for mark in marks if _text(mark).split()[:1] != ["done"]]
    for output in bad[:MOST_ELEMENTS]:
        lines = [line for line in _text(output).splitlines() if line.strip()]
        problems = [line for line in lines if line.startswith("error:")]
        telling = problems or [line for line in lines if line.startswith(("failed ", "skipped "))] or lines
        yield output, telling[-1] if telling else "no output; do the nodes see this folder, and is there space?"


def _text(path: Path) -> str:
    """Return the end of the file; empty if it cannot be read."""
    return read_end(path, TAIL).decode("utf-8", "replace")
