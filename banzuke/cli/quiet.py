"""Before anything is measured: whether others use the processors, which is waited out, or told."""

import time
from collections.abc import Sequence

from banzuke.cli.console import errors, warn
from banzuke.launch import quiet
from banzuke.launch.guard import Measuring, measuring
from banzuke.launch.quiet import Busy, Load
from banzuke.units import count, duration, percent

USUAL = 60.0
"""Seconds that quiet is waited for, unless `--wait` says otherwise."""
GLANCE = 0.5
"""Seconds of a first look: all that a quiet machine costs."""
LOOK = 2.0
"""Seconds of the look that follows where the first one saw somebody."""
AGAIN = 1.0
"""The same, of each while quiet is waited for."""
MOST_NAMED = 4
"""Processes that are named."""


def await_quiet(wait: float, processors: Sequence[int]) -> None:
    """Returns when others use at most a tenth of these processors and no earlier run is measuring there, or after
    `wait` seconds, and says what it did; a `wait` of 0 looks at nothing.
    """
    if wait <= 0:
        return
    load, runs = _first_look(processors), _earlier(processors)
    if not load.loud and not runs:
        return
    begun = time.monotonic()
    errors.say(f"not quiet: {_reasons(load, runs)}. Waiting up to {duration(wait)} (--wait 0 continues at once)")
    with errors.busy("waiting for quiet ..."):
        while (load.loud or runs) and time.monotonic() - begun < wait:
            load, runs = _look(AGAIN, processors), _earlier(processors)
    waited = duration(round(time.monotonic() - begun, 1))
    if load.loud:
        warn(f"not quiet after {waited}: {_reasons(load, [])}. Figures are now not those of the machine alone")
    else:
        errors.say(f"waited {waited}{'' if runs else ', quiet now'}")  # of other runs a warning follows


def _first_look(processors: Sequence[int]) -> Load:
    before = quiet.counted(processors)
    time.sleep(GLANCE)
    seen = quiet.load(before, processors)
    if seen.loud:
        time.sleep(LOOK - GLANCE)
        seen = quiet.load(before, processors)
    return seen


def _look(seconds: float, processors: Sequence[int]) -> Load:
    before = quiet.counted(processors)
    time.sleep(seconds)
    return quiet.load(before, processors)


def _earlier(processors: Sequence[int]) -> list[Measuring]:
    """Runs that wait for none of ours, on processors that ours may use too."""
    return [run for run in measuring() if run.earlier and quiet.may_run(run.process, processors)]


def _reasons(load: Load, runs: Sequence[Measuring]) -> str:
    said = [f"another banzuke of {run.user} is measuring (process {run.process})" for run in runs]
    if load.loud:
        said.append(f"other processes use {percent(load.share, 2)} of the processors ({', '.join(_users(load))})")
    return "; ".join(said)


def _users(load: Load) -> list[str]:
    named = [_user(busy) for busy in load.busiest[:MOST_NAMED]]
    if (more := len(load.busiest) - MOST_NAMED) > 0:
        named.append(count(more, "other process"))
    unseen = load.share - sum(busy.share for busy in load.busiest)
    if unseen > quiet.LOUD / 2 or not named:
        named.append(f"some that ended or cannot be seen {percent(max(0.0, unseen), 2)}")
    return named


def _user(busy: Busy) -> str:
    return f"{busy.command!r} of {busy.user}, process {busy.process}: {percent(busy.share, 2)}"
