"""Reserves the results folder and the processors before measuring: waits for our other runs, and until others use the
processors no more, or warns.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from banzuke.evaluation.listener import RunListener
from banzuke.files import check_folder
from banzuke.launch import quiet
from banzuke.launch.guard import Measuring, guard, measuring
from banzuke.launch.quiet import Busy, Load
from banzuke.results.store import Store
from banzuke.units import count, duration, percent

USUAL = 60.0
"""Seconds to wait for quiet, unless `--wait` says otherwise."""
GLANCE = 0.5
"""Seconds of the first look, which is all that a quiet machine costs."""
LOOK = 2.0
"""Seconds of the longer look that follows if the first one saw load."""
AGAIN = 1.0
"""Seconds of each look while waiting for quiet."""
MOST_NAMED = 4
"""Most processes that are named."""


def reserve(
    store: Store, written: Sequence[Path], listener: RunListener, *, wait: float = 0.0, processors: Sequence[int] = ()
) -> float:
    """Reserve the results folder on this host until this process ends, and end what killed runs left.

    Then wait up to `wait` seconds until these processors are quiet. Return the seconds waited. Raises BanzukeError if
    one of the folders to be `written` cannot be; if there are none, nothing is reserved.
    """
    if not written:
        return 0.0
    for folder in written:
        check_folder(folder, "--results" if folder == store.folder else "")

    def waiting(process: int) -> None:
        listener.say(f"waiting for process {process}, which is measuring into {store.folder}")

    begun = time.monotonic()
    left = guard(store.folder, waiting)
    if left:
        listener.say(f"stopped {count(left, 'process')} left behind by a killed run")
    await_quiet(wait, processors, listener)
    waited = time.monotonic() - begun
    for other in measuring():
        listener.warn(
            f"another banzuke of {other.user} is measuring on this host (process {other.process}); "
            "each disturbs the other"
        )
    if os.geteuid() == 0 and (why := store.whose()):
        listener.warn(f"{why}, so root neither continues runs there nor takes settings from it")
    return waited


def await_quiet(wait: float, processors: Sequence[int], listener: RunListener) -> None:
    """Wait until others use at most a tenth of these processors and no earlier run is measuring there.

    Returns after `wait` seconds in any case, and tells what it did; 0 skips the check.
    """
    if wait <= 0:
        return
    load, runs = _first_look(processors), _earlier(processors)
    if not load.loud and not runs:
        return
    begun = time.monotonic()
    listener.say(f"not quiet: {_reasons(load, runs)}. Waiting up to {duration(wait)} (--wait 0 continues at once)")
    with listener.busy("waiting for quiet ..."):
        while (load.loud or runs) and time.monotonic() - begun < wait:
            load, runs = _look(AGAIN, processors), _earlier(processors)
    waited = duration(round(time.monotonic() - begun, 1))
    if load.loud:
        listener.warn(f"not quiet after {waited}: {_reasons(load, [])}. Figures are now not those of the machine alone")
    else:
        listener.say(f"waited {waited}{'' if runs else ', quiet now'}")  # a warning of other runs follows


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
    """Return runs that do not wait for ours, on processors that ours may use, too."""
    return [run for run in measuring() if run.earlier and quiet.may_run(run.process, processors)]


def _reasons(load: Load, runs: Sequence[Measuring]) -> str:
    reasons = [f"another banzuke of {run.user} is measuring (process {run.process})" for run in runs]
    if load.loud:
        reasons.append(f"other processes use {percent(load.share, 2)} of the processors ({', '.join(_users(load))})")
    return "; ".join(reasons)


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
