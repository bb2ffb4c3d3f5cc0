import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLLOW = [sys.executable, "-m", "banzuke.environment.follow"]


def test_the_exit_status_is_passed_on() -> None:
    assert subprocess.run([*FOLLOW, "sh", "-c", "exit 7"], check=False).returncode == 7
    assert subprocess.run([*FOLLOW, "sh", "-c", "kill -9 $$"], check=False).returncode == 128 + 9


def test_a_tool_that_is_not_there_is_said() -> None:
    done = subprocess.run([*FOLLOW, "/no/tool"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, "/no/tool: No such file or directory\n")


def test_the_connection_to_the_launcher_is_handed_on_as_the_first_descriptor() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        handed_on = fcntl.fcntl(theirs, fcntl.F_DUPFD, 20)  # not the number that it has in the tool
        try:
            variables = os.environ | {"PMI_FD": str(handed_on)}
            text = 'echo "hello $PMI_FD" >&3; read answer <&3; echo "$answer"'
            with subprocess.Popen(
                [*FOLLOW, "sh", "-c", text], env=variables, pass_fds=[handed_on], stdout=subprocess.PIPE, text=True
            ) as process:
                said = ours.recv(100)
                ours.sendall(b"yes\n")
                assert (said, process.communicate()[0]) == (b"hello 3\n", "yes\n")
        finally:
            os.close(handed_on)


def test_without_a_launcher_the_descriptor_is_the_input() -> None:
    variables = {name: value for name, value in os.environ.items() if name != "PMI_FD"}
    done = subprocess.run(
        [*FOLLOW, "sh", "-c", 'read a <&3; echo "$a${PMI_FD-none}"'],
        env=variables, input="x\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "xnone\n"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_tool_hears_of_the_end(tmp_path: Path, sent: signal.Signals) -> None:
    """Even of a kill, which takes the whole process group."""
    text = f"trap 'touch {tmp_path}/heard; exit 0' TERM INT; echo ready; while :; do sleep 0.05; done"
    with subprocess.Popen([*FOLLOW, "sh", "-c", text], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, sent)
        process.wait()
    for _ in range(2000):
        if (tmp_path / "heard").exists():
            return
        time.sleep(0.05)
    pytest.fail("the tool went on")


def test_what_a_killed_tool_left_is_ended(tmp_path: Path) -> None:
    """The child is like Podman's monitor: in a session of its own, with the container as its child."""
    file = tmp_path / "process"
    monitor = f"sleep 600 & echo $! > {file}; wait"
    script = f"setsid sh -c '{monitor}' & while [ ! -s {file} ]; do sleep 0.02; done; kill -TERM $$"
    words = [sys.executable, "-m", "banzuke.environment.follow", "sh", "-c", script]
    done = subprocess.run(words, capture_output=True, timeout=600, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert not Path(f"/proc/{file.read_text().strip()}").exists()
