import os
import subprocess
import sys
from pathlib import Path

import pytest

from banzuke.environment.oci import config, split

WORDS = [
    *("--symlink", "usr/lib", "/lib", "--ro-bind", "/an image/usr", "/usr", "--dev-bind", "/dev", "/dev"),
    *("--bind", "/tmp", "/tmp", "--setenv", "A", "b c", "--", "/program", "--", "x"),
]


def test_mounts_and_command_are_told_apart() -> None:
    options, command = split(WORDS)
    assert options[0] == ("--symlink", "usr/lib", "/lib")
    assert options[-1] == ("--setenv", "A", "b c")
    assert command == ["/program", "--", "x"]


def test_the_bundle_says_what_the_words_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMI_FD", "27")
    made = config(*split(WORDS), rootless=False)
    mounts = {mount["destination"]: (mount["source"], mount["options"][1]) for mount in made["mounts"]}
    assert mounts == {"/usr": ("/an image/usr", "ro"), "/dev": ("/dev", "rw"), "/tmp": ("/tmp", "rw")}
    assert {"A=b c", "PMI_FD=3", f"PATH={os.environ['PATH']}"} <= set(made["process"]["env"])
    assert made["process"]["args"] == ["/program", "--", "x"]
    assert [space["type"] for space in made["linux"]["namespaces"]] == ["mount"]
    assert {limit["type"] for limit in made["process"]["rlimits"]} >= {"RLIMIT_MEMLOCK", "RLIMIT_STACK"}


def test_without_privileges_the_user_is_root_inside() -> None:
    linux = config(*split(WORDS), rootless=True)["linux"]
    assert {"type": "user"} in linux["namespaces"]
    assert linux["uidMappings"] == [{"containerID": 0, "hostID": os.geteuid(), "size": 1}]


def test_nothing_is_left_of_the_bundle(tmp_path: Path) -> None:
    """The runtime prints what it is given."""
    log = tmp_path / "log"
    runtime = tmp_path / "runc"
    look = 'case "$3" in run) ls -l "$5/root"; cat "$5/config.json"; echo;; esac'
    runtime.write_text(f'#!/bin/sh\necho "$@" >> {log}\n{{ {look}; }} >> {log}\nexit 4\n')
    runtime.chmod(0o755)
    done = subprocess.run([sys.executable, "-m", "banzuke.environment.oci", runtime, *WORDS], check=False)
    assert done.returncode == 4
    started, *shown, ended = log.read_text().splitlines()
    bundle = Path(started.split()[4])
    assert started == f"--root {bundle}/state run --bundle {bundle} --preserve-fds 1 {bundle.name}"
    assert any("lib -> usr/lib" in line for line in shown)
    assert ended == f"--root {bundle}/state delete --force {bundle.name}"
    assert not bundle.exists()
