"""Stand-ins for the commands of PBS, PJM and Flux, which are not available here. They behave as the manuals say.

A stand-in reads the directives of a script by its system's rules, runs the script by Bash as the system does, and keeps
its jobs as files in a folder. Not installed; as a program it is each command, by the name with which it is called:
`python testing.py FOLDER qsub job.sh`.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

COMMANDS = {"pbs": ("qsub", "qstat", "qdel"), "pjm": ("pjsub", "pjstat", "pjdel"), "flux": ("flux",)}
SUPERVISOR = 'trap : TERM; bash "$1" >"$2" 2>&1; echo "$?" >"$3.part"; mv "$3.part" "$3"'


def install(system: str, folder: Path) -> Path:
    """Make the commands of a system, and return their folder for PATH."""
    commands = folder / "commands"
    commands.mkdir(parents=True)
    for name in COMMANDS[system]:
        words = shlex.join([sys.executable, __file__, str(folder), name])
        (commands / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (commands / name).chmod(0o755)
    return commands


def directives(text: str, mark: str) -> list[str]:
    """Return the words of the lines that start with the mark, up to the first command."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith(f"{mark} "):
            words += shlex.split(line.removeprefix(mark))
        elif line.strip() and not line.startswith("#"):
            break
    return words


def start(folder: Path, script: Path, output: str, variables: dict[str, str], name: str) -> None:
    """Start in a new session, with only PATH of the caller's environment, because PBS and PJM pass nothing on."""
    words = ["sh", "-c", SUPERVISOR, "sh", str(script), output, str(folder / f"{name}.exit")]
    environment = {"PATH": os.environ["PATH"]} | variables
    none = subprocess.DEVNULL
    process = subprocess.Popen(words, env=environment, start_new_session=True, stdin=none, stdout=none, stderr=none)
    (folder / f"{name}.pid").write_text(str(process.pid))


def number(folder: Path) -> int:
    return 1 + len(list(folder.glob("*.job")))


def parts(folder: Path, job: str) -> list[tuple[bool, int | None]]:
    """Return whether each element was cancelled, and its exit status if it has ended."""
    states = []
    for pid in sorted(folder.glob(f"{job}.*.pid")):
        exit_file = pid.with_suffix(".exit")
        status = int(exit_file.read_text()) if exit_file.exists() else None
        states.append((pid.with_suffix(".cancelled").exists(), status))
    return states


def cancel(folder: Path, job: str) -> None:
    for pid in folder.glob(f"{job}.*.pid"):
        pid.with_suffix(".cancelled").touch()
        os.killpg(int(pid.read_text()), signal.SIGTERM)


def submit(folder: Path, script: Path, elements: int, output: Callable[[int], str], variable: str) -> str:
    job = str(number(folder))
    (folder / f"{job}.job").write_text(script.read_text())
    for element in range(1, elements + 1):
        variables = {variable: str(element)} if elements > 1 else {}
        start(folder, folder / f"{job}.job", output(element), variables, f"{job}.{element}")
    return job


def option(words: Sequence[str], name: str, otherwise: str = "") -> str:
    return next((after for word, after in pairwise(words) if word == name), otherwise)


def pbs(folder: Path, command: str, words: list[str]) -> int:
    """Act as the commands qsub, qstat and qdel, and return their exit status."""
    if command == "qsub":
        asked = directives(Path(words[-1]).read_text(), "#PBS")
        elements = int(option(asked, "-J", "1-1").split("-")[1])
        path = option(asked, "-o")
        job = submit(
            folder, Path(words[-1]), elements, lambda at: path.replace("^array_index^", str(at)), "PBS_ARRAY_INDEX"
        )
        print(f"{job}{'[]' if elements > 1 else ''}.server.example.org")  # noqa: T201
        return 0
    jobs = [re.split(r"[.\[]", word)[0] for word in words if word[0].isdigit()]
    unknown = [job for job in jobs if not (folder / f"{job}.job").exists()]
    for job in unknown:
        print(f"{command}: Unknown Job Id {job}.server", file=sys.stderr)  # noqa: T201
    if command == "qdel":
        for job in jobs:
            cancel(folder, job)
    else:
        shown = {f"{job}.server": _pbs(parts(folder, job)) for job in jobs if job not in unknown}
        print(json.dumps({"timestamp": 1, "pbs_version": "23.06.06", "Jobs": shown}))  # noqa: T201
    return 153 if unknown else 0


def _pbs(elements: list[tuple[bool, int | None]]) -> dict[str, object]:
    if any(status is None for _, status in elements):
        return {"job_state": "B" if len(elements) > 1 else "R"}
    if any(cancelled for cancelled, _ in elements):
        return {"job_state": "F", "Exit_status": 271}
    return {"job_state": "F", "Exit_status": max(status or 0 for _, status in elements)}


def pjm(folder: Path, command: str, words: list[str]) -> int:
    """Act as the commands pjsub, pjstat and pjdel, and return their exit status."""
    if command == "pjsub":
        asked = directives(Path(words[-1]).read_text(), "#PJM")
        elements = int(option(words, "--sparam", "1-1").split("-")[1])
        path = option(asked, "-o")
        job = submit(folder, Path(words[-1]), elements, lambda at: path.replace("%b", str(at)), "PJM_BULKNUM")
        print(f"[INFO] PJM 0000 pjsub Job {job} submitted.")  # noqa: T201
    elif command == "pjdel":
        for job in words:
            cancel(folder, job)
    else:
        print("JOB_ID     ST  EC  PC")  # noqa: T201
        for job in option(words, "--filter").removeprefix("jid=").split("+"):
            states = parts(folder, job)
            ended = all(status is not None for _, status in states)
            if states and ended == ("-H" in words):
                state = "RUN" if not ended else "CCL" if any(cancelled for cancelled, _ in states) else "EXT"
                worst = max(status or 0 for _, status in states)
                print(f"{job:<10} {state} {worst if ended else '-':<3} {int(state == 'CCL') if ended else '-'}")  # noqa: T201
    return 0


def flux(folder: Path, _: str, words: list[str]) -> int:
    """Act as the commands batch, submit, jobs and cancel of Flux, and return their exit status."""
    verb, *rest = words
    if verb in {"batch", "submit"}:
        script = Path(rest[-1])
        asked = rest if verb == "submit" else directives(script.read_text(), "# flux:")
        long = dict(word.removeprefix("--").partition("=")[::2] for word in asked if word.startswith("--"))
        for element in range(1, int(long.get("cc", "1-1").split("-")[1]) + 1):
            variables = {"FLUX_JOB_CC": str(element)} if verb == "submit" else {}
            job = str(number(folder))
            (folder / f"{job}.job").write_text(script.read_text())
            start(folder, folder / f"{job}.job", long["output"].format(cc=element), variables, f"{job}.1")
            print(f"ƒ{job}")  # noqa: T201
        return 0
    jobs = [word[1:] for word in rest if re.fullmatch(r"[fƒ]\w+", word)]
    unknown = [job for job in jobs if not (folder / f"{job}.job").exists()]
    for job in unknown:
        print(f"JobID f{job} unknown", file=sys.stderr)  # noqa: T201
    for job in jobs:
        if verb == "cancel":
            cancel(folder, job)
        elif job not in unknown:
            cancelled, status = parts(folder, job)[0]
            word = "RUN" if status is None else "CANCELED" if cancelled else "FAILED" if status else "COMPLETED"
            print(f"f{job} {word} {'-' if status is None else status}")  # noqa: T201
    return 1 if unknown else 0


SYSTEMS = {command: act for act, names in ((pbs, "pbs"), (pjm, "pjm"), (flux, "flux")) for command in COMMANDS[names]}

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(SYSTEMS[sys.argv[2]](Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
