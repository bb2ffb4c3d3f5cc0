"""Asks other programs for one fact, without trusting them: if they are absent, slow or failing, the answer is None."""

import os
import shutil
from collections.abc import Sequence

from banzuke.child import captured

MOST_SAID = 1 << 20
"""Most bytes of an answer; `ldconfig -p` of a large installation prints a fifth."""


def output(command: Sequence[str], timeout: float = 2, without: str = "") -> str | None:
    """Return a program's standard output, or standard error if that is empty; None unless it succeeds in time.

    `without`: variables whose names begin with this are removed. Raises BlockingIOError where a limit keeps processes
    from being started.
    """
    path = shutil.which(command[0])
    if path is None:
        return None
    kept = {name: value for name, value in os.environ.items() if not (without and name.startswith(without))}
    try:
        run = captured([path, *command[1:]], seconds=timeout, variables=kept | {"LC_ALL": "C"}, most=MOST_SAID)
    except BlockingIOError:  # a limit, not an absent program
        raise
    except OSError:
        return None
    text = run.text.strip() or run.complaint.strip()
    return text if run.status == 0 and text else None
