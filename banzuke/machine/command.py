"""Other programs asked for one fact, without trusting them: absent, slow or failing means None."""

import os
import shutil
from collections.abc import Sequence

from banzuke.child import captured

MOST_SAID = 1 << 20
"""Bytes of an answer; `ldconfig -p` of a large installation has a fifth."""


def output(command: Sequence[str], timeout: float = 2, without: str = "") -> str | None:
    """Standard output, or standard error where that is empty; None unless the program ends well in time.

    `without`: the program gets no variables whose names begin so. Raises BlockingIOError where a limit lets no process
    be started.
    """
    path = shutil.which(command[0])
    if path is None:
        return None
    kept = {name: value for name, value in os.environ.items() if not (without and name.startswith(without))}
    try:
        run = captured([path, *command[1:]], seconds=timeout, variables=kept | {"LC_ALL": "C"}, most=MOST_SAID)
    except BlockingIOError:  # no process can be started: it is not the program that is absent
        raise
    except OSError:
        return None
    text = run.text.strip() or run.complaint.strip()
    return text if run.status == 0 and text else None
