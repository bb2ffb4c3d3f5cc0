"""Other programs asked for one fact, without trusting them: absent, slow or failing means None."""

import os
import shutil
import subprocess
from collections.abc import Sequence


def output(command: Sequence[str], timeout: float = 2, without: str = "") -> str | None:
    """Standard output, or standard error where that is empty; None unless the program ends well in time.

    `without`: the program gets no variables whose names begin so.
    """
    path = shutil.which(command[0])
    if path is None:
        return None
    kept = {name: value for name, value in os.environ.items() if not (without and name.startswith(without))}
    try:
        run = subprocess.run(
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=timeout,
            env=kept | {"LC_ALL": "C"},
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    text = run.stdout.decode("utf-8", "replace").strip() or run.stderr.decode("utf-8", "replace").strip()
    return text if run.returncode == 0 and text else None
