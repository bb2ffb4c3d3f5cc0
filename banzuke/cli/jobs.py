"""`banzuke jobs`: shows the states of submitted jobs, waits for them, cancels them, or resubmits unfinished ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from banzuke.batch.commands import CommandError
from banzuke.batch.submission import Follow, PlannedJob, SubmissionFolder, Submissions
from banzuke.batch.waves import waves
from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.follow import complete, follow, table, tell
from banzuke.cli.options import DEFAULT_RESULTS, HOW, Json, Results
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.results.store import Store
from banzuke.units import count, duration

Wait = Annotated[
    bool,
    typer.Option(
        "--wait",
        help="Follow the jobs until all have ended, and print each result. Exit status 0: all were verified.",
        rich_help_panel=HOW,
    ),
]


def jobs(
    submission: Annotated[
        str | None,
        typer.Argument(
            metavar="SUBMISSION",
            help="Submission, by name or prefix.",
            show_default="the newest, and those with jobs that have not ended",
        ),
    ] = None,
    wait: Wait = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel the jobs that have not ended.", rich_help_panel=HOW)
    ] = False,
    resubmit: Annotated[
        bool,
        typer.Option(
            "--resubmit",
            help="Resubmit the jobs that ended before their runs were complete; the runs are continued.",
            rich_help_panel=HOW,
        ),
    ] = False,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Show the jobs that `banzuke submit` has submitted, and what they have finished."""
    if cancel and (wait or resubmit):
        raise BanzukeError("--cancel excludes --wait and --resubmit", remedy="Leave them out")
    store = Submissions(results.absolute())
    chosen = [store.find(submission)] if submission else store.all(lambda error: warn(str(error)))
    if not chosen:
        raise BanzukeError(
            f"nothing was submitted into {results}",
            remedy="Use `banzuke submit`, or name another folder with --results",
        )
    if cancel or resubmit or wait:
        made = _selected(chosen, ended=resubmit)
        if cancel or resubmit:
            made.check_ours()
        if cancel:
            _cancel(made)
        if resubmit:
            _resubmit(made, results)
        if wait:
            raise typer.Exit(follow(made, results))
        return
    shown = [(made, made.follow()) for made in chosen]
    shown = [
        (made, followed) for made, followed in shown if made is chosen[-1] or not all(job.ended for job in followed)
    ]
    if json:
        write_json({"submissions": [_data(made, followed, results) for made, followed in shown]})
        return
    for made, followed in shown:
        out.print(terminal_table(table(made, followed, Store(results))), "")


def submit_jobs(made: SubmissionFolder, jobs: Sequence[PlannedJob], after: Sequence[str] = ()) -> int:
    """Submit the jobs and return how many could not be submitted. Raises BanzukeError if none could.

    `after`: numbers of jobs that have to end first. Under a power cap each wave waits for the one before. If it is not
    known whether a job is in the queue, nothing can wait for it, and later waves are not submitted.
    """
    cap, problems, done = made.submission.power_cap, list[BanzukeError](), 0
    with errors.busy(f"submitting {count(len(jobs), 'job')} ...") as say:
        for wave in waves(jobs, cap):
            numbers = []
            for planned in wave:
                try:
                    job = made.submit(planned, after)
                except BanzukeError as error:
                    problems.append(error)
                    errors.say(("not submitted:", "bold red"), f" {planned.name}: {error}")
                    continue
                numbers.append(job)
                elements = f"{planned.job.elements} x " if planned.job.elements > 1 else ""
                limit = duration(round(planned.job.seconds))
                errors.say(f"job {job}: {planned.name}, {elements}{count(planned.nodes, 'node')}, time limit {limit}")
                done += 1
                say(f"submitted {done} of {count(len(jobs), 'job')} ...")
            if cap and any(isinstance(error, CommandError) and not error.refused for error in problems):
                break
            after = numbers or after
    if not done:
        raise BanzukeError("nothing was submitted", why=problems[0].problem, remedy=f"The scripts are in {made.folder}")
    if left := len(jobs) - done - len(problems):
        errors.say(("not submitted:", "bold red"), f" {count(left, 'job')} of later waves; `banzuke jobs --resubmit`")
    return len(jobs) - done


def _selected(chosen: Sequence[SubmissionFolder], *, ended: bool) -> SubmissionFolder:
    """Return the only submission, the only one with unfinished jobs, or with `ended` the newest."""
    if len(chosen) == 1 or ended:
        return chosen[-1]
    living = [made for made in chosen if not all(job.ended for job in made.follow())]
    if len(living) > 1:
        names = ", ".join(made.name for made in living)
        raise BanzukeError("several submissions have jobs that have not ended", remedy=f"Name one: {names}")
    return living[0] if living else chosen[-1]


def _cancel(made: SubmissionFolder) -> None:
    living = [job for job in made.follow() if not job.ended]
    made.cancel(living)
    errors.say(f"{count(len(living), 'job')} of {made.name} cancelled")


def _resubmit(made: SubmissionFolder, results: Path) -> None:
    store, again, followed = Store(results), [], made.follow()
    for job in followed:
        if job.state == "unknown":
            script = made.script(job.planned)
            warn(f"{job.planned.job.name} may be in the queue, without a known number: if it is not, submit {script}")
        elif job.ended and not complete(job.planned, store):
            again.append(job.planned)
    if not again:
        errors.say(f"nothing of {made.name} is left to be submitted")
        return
    living = [job.attempt.id for job in followed if not job.ended and job.attempt and job.attempt.id]
    submit_jobs(made, again, living if made.submission.power_cap else ())
    tell(made.name, results)


def _data(made: SubmissionFolder, followed: Sequence[Follow], results: Path) -> dict[str, object]:
    store = Store(results)
    return {
        "name": made.name,
        "words": made.submission.words,
        "jobs": [
            {
                "name": job.planned.name,
                "id": job.attempt.id if job.attempt else None,
                "nodes": job.planned.nodes,
                "elements": job.planned.job.elements,
                "state": job.state,
                "why": job.status.why if job.status else "",
                "ended": job.ended,
                "complete": complete(job.planned, store),
                "runs": job.planned.runs,
                "output": str(job.planned.job.output),
            }
            for job in followed
        ],
    }
