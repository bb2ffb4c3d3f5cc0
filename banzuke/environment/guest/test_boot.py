import os
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from banzuke.environment.guest import boot as module
from banzuke.environment.guest.boot import Guest, GuestOutput
from banzuke.environment.guest.image import GuestImage
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import Qemu, Shape
from banzuke.errors import BanzukeError

GUEST = Guest(Qemu("/usr/bin/qemu", "", "x86_64", ""), "tcg", Shape((0,), 1 << 30), Kernel(Path("/k"), "6.1", None), ())


def frame(kind: str, text: bytes) -> bytes:
    return kind.encode() + len(text).to_bytes(4, "little") + text


def follow(said: bytes, console: bytes = b"", seconds: float = 10.0) -> tuple[GuestOutput, bytes, bool]:
    """Follow a guest that prints this and ends; return its output, what was passed on, and whether it was in time."""
    output = GuestOutput()
    out, into = os.pipe()
    with ExitStack() as stack:
        port, far_port = module._pair(stack)
        near, far = module._pair(stack)
        far.sendall(console)
        far.close()
        far_port.sendall(said)
        if seconds > 1:
            far_port.close()
        in_time = module._follow(port, near, output, (into, into), time.monotonic() + seconds)
    os.close(into)
    with os.fdopen(out, "rb") as reader:
        return output, reader.read(), in_time


def test_streams_are_passed_on_whole_and_the_end_is_told() -> None:
    large = bytes(range(256)) * 100
    output, passed, _ = follow(frame("b", b"") + frame("o", large) + frame("e", b"!") + frame("x", b"exit 3"))
    assert passed == large + b"!"
    assert output.end == "exit 3"
    assert output.begun


def test_half_a_frame_waits_for_the_other() -> None:
    received = bytearray(frame("o", b"one") + frame("o", b"two")[:-1])
    assert list(module._frames(received)) == [("o", b"one")]
    received += b"o"
    assert list(module._frames(received)) == [("o", b"two")]


def test_of_the_console_the_end_is_kept() -> None:
    output, _, _ = follow(b"", bytes(100_000) + b"\r\n[ 1.0] Kernel panic - not syncing\r\n\r\n")
    assert output.lines[-1] == "[ 1.0] Kernel panic - not syncing"
    assert len(output.console) == module._KEPT


def test_a_guest_that_does_not_begin_in_time_is_given_up() -> None:
    output, _, in_time = follow(b"", b"Booting", seconds=0.1)
    assert not in_time
    assert "did not boot within 7 s (its kernel says: Booting)" in str(died(output, limit=7))


def died(output: GuestOutput, *, command: str = "exit 0", limit: float | None = None) -> BanzukeError:
    with ExitStack() as stack:
        return module._died(module._started(["sh", "-c", command], [], stack), output, limit=limit)


@pytest.mark.parametrize(
    ("console", "problem", "command", "expected"),
    [
        (b"a\nb\nKernel panic - not\nc\nd\ne\nf", "", "exit 0", "the guest died (its kernel says: Kernel panic - not)"),
        (b"a\nb\nc\nd", "", "exit 0", "the guest died (its kernel says: b | c | d)"),
        (b"", "", "exit 0", "the guest died (its kernel printed nothing; perhaps it has too little memory)"),
        (b"", "", "echo no such option >&2; exit 1", "QEMU ended with status 1 (no such option)"),
        (b"", "cannot mount host", "exit 0", "the guest cannot mount host"),
    ],
)
def test_the_reason_of_a_death_is_told(console: bytes, problem: str, command: str, expected: str) -> None:
    assert str(died(GuestOutput(problem=problem, console=bytearray(console)), command=command)) == expected


def test_what_is_started_ends_with_us() -> None:
    """Even if this process is killed and cannot do anything about it."""
    script = (
        "import contextlib, time; from banzuke.environment.guest.boot import _started\n"
        "with contextlib.ExitStack() as stack:\n"
        "    print(_started(['sleep', '60'], [], stack).process.pid, flush=True); time.sleep(60)"
    )
    root = Path(module.__file__).parents[3]
    with subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        ended = os.pidfd_open(child)
        os.kill(parent.pid, signal.SIGKILL)
    assert select.select([ended], [], [], 10)[0]
    os.close(ended)


def test_an_image_gets_what_is_brought_and_the_host_itself_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    fields = {"words": ["a", "b"], "bring": [str(tmp_path / "link")], "variables": {"OMP_NUM_THREADS": "3"}}
    inside = list(module._settings(Guest(**{**vars(GUEST), **fields, "image": GuestImage(folder="/image")})))
    assert ("folder", "/image") in inside
    assert ("bring", f"{tmp_path}/link") in inside
    assert ("from", str(real)) in inside
    assert ("variable", "OMP_NUM_THREADS=3") in inside
    assert [value for name, value in inside if name == "word"] == ["a", "b"]
    assert not any(value.startswith("SLURM_") for name, value in inside if name == "variable")
    assert "bring" not in dict(module._settings(Guest(**{**vars(GUEST), **fields})))
