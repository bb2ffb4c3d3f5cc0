"""Runs commands for the gates, configures builds, and skips parts with a reason."""

import os
import shlex
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

from scripts import devices
from scripts.packages import ROOT, VENV, which
from scripts.tools import build_environment, choose_tools, cmake_arguments, version_of

BIN = VENV / "bin"


DEVICES = ("release", "lint")
"""Presets that compile or read sources for devices; the others have only the emulated ones."""
MOST_SHOWN = 2000
"""Most letters of a command that are shown: some name hundreds of files."""


class CheckError(Exception):
    """The failure of a part, whose output has said why."""

    status = 0
    """Exit status of the command that failed."""


def say(text: str) -> None:
    print(f"check: {text}", flush=True)


def processors() -> int:
    return len(os.sched_getaffinity(0))


def environment() -> dict[str, str]:
    return build_environment(choose_tools(which, version_of, os.environ), os.environ)


def configure(preset: str, *arguments: str) -> None:
    tools = choose_tools(which, version_of, os.environ)
    of_devices = devices.build_arguments(which, version_of, os.environ) if preset in DEVICES else []
    command = [cmake_program("cmake"), "--preset", preset, *cmake_arguments(tools), *of_devices, *arguments]
    run(*command, env=environment(), quiet=True)


def cmake_program(name: str) -> str:
    """Return the path of `cmake` or `ctest`, both from the place that set-up chose."""
    cmake = choose_tools(which, version_of, os.environ).cmake
    return str(Path(cmake).with_name(name) if cmake else BIN / name)


def run(*command: str | Path, env: Mapping[str, str] | None = None, quiet: bool = False) -> None:
    """Run one command; `quiet` shows its output only when it fails."""
    words = [str(word) for word in command]
    print("$ " + textwrap.shorten(shlex.join(words), MOST_SHOWN, placeholder=" ..."), flush=True)
    result = subprocess.run(words, cwd=ROOT, env=env, capture_output=quiet, text=True, check=False)
    if result.returncode:
        if quiet:
            print(result.stdout + result.stderr, flush=True)
        failure = CheckError(f"{Path(words[0]).name} ended with status {result.returncode}")
        failure.status = result.returncode
        raise failure


def skip(part: str, reason: str) -> None:
    if os.environ.get("BANZUKE_NO_SKIPS") == "1":
        raise CheckError(f"{reason}, and BANZUKE_NO_SKIPS=1")
    say(f"SKIPPED {part}: {reason}")
