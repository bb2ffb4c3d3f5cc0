"""Installs Debian packages that a target needs as root, or prints the command that installs them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.packages import SYSTEM_PACKAGES
from scripts.tools import SetupError, say, step


def apt_command(names: Iterable[str], *, root: bool) -> list[str]:
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *names]
    return command if root else ["sudo", *command]


def install_system_packages(target: str, *, allowed: bool) -> None:
    """Install missing packages if root and `allowed`; else print them. Raises SetupError without a required one."""
    missing = [package for package in SYSTEM_PACKAGES if target in package.targets and not package.present()]
    if not missing:
        return
    root = os.geteuid() == 0
    command = apt_command([package.name for package in missing], root=root)
    if root and allowed and shutil.which("apt-get"):
        install_with_apt(command)
        missing = [package for package in missing if not package.present()]
    for package in missing:
        say(f"missing: {package.name} ({package.why})")
    if missing:
        say("to install it (other systems than Debian have their own names for these packages):")
        say("  " + shlex.join(apt_command([package.name for package in missing], root=root)))
    if any(package.required for package in missing):
        raise SetupError("cannot continue without " + ", ".join(p.name for p in missing if p.required))


@contextmanager
def daemons_kept_off(policy: Path = Path("/usr/sbin/policy-rc.d")) -> Iterator[None]:
    """Prevent Debian from starting a package's daemons during installation, because tests start their own."""
    if policy.exists():
        yield
        return
    policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    policy.chmod(0o755)
    try:
        yield
    finally:
        policy.unlink()


def install_with_apt(command: Sequence[str]) -> None:
    """Install, and refresh the package lists only if they do not know the packages, as on a new machine."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    limits = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::http::Timeout=20"]

    def attempt(words: Sequence[str]) -> bool:
        say("  " + shlex.join(words))
        arguments = [words[0], *limits, *words[1:]]
        result = subprocess.run(arguments, env=environ, capture_output=True, text=True, check=False)
        if result.returncode:
            say("  failed: " + " ".join(result.stderr.splitlines()[-2:]))
        return result.returncode == 0

    with step("system packages"), daemons_kept_off():
        if not attempt(command) and attempt(["apt-get", "update"]):
            attempt(command)
