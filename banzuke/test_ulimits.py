"""Errors caused by limits of the shell; the limits are real, set in processes of the tests' own."""

import os
import resource
import subprocess
import sys

import pytest

from banzuke import control_groups, ulimits


@pytest.mark.parametrize(
    ("raised", "limit", "error"),
    [
        ('RuntimeError("can\'t start new thread")', "DATA", "can't start new thread (ulimit -d allows 4 GiB of data)"),
        ("MemoryError()", "DATA", "Cannot allocate memory (ulimit -d allows 4 GiB of data)"),
        ("OSError(24, os.strerror(24))", "NOFILE", "[Errno 24] Too many open files (ulimit -n allows 300 open files)"),
        ("OSError(27, os.strerror(27))", "FSIZE", "[Errno 27] File too large (ulimit -f allows 4 GiB in a file)"),
        ("ImportError('x.so: failed to map segment')", "DATA", "x.so: failed to map segment (ulimit -d allows 4 GiB"),
        ("OSError(2, os.strerror(2))", "NOFILE", "None"),
        ("RuntimeError('a mistake of ours')", "DATA", "None"),
    ],
)
def test_the_limit_behind_an_error_is_named(raised: str, limit: str, error: str) -> None:
    code = f"""
import os, resource
from banzuke.ulimits import understood
limit = resource.RLIMIT_{limit}
resource.setrlimit(limit, (300 if limit == resource.RLIMIT_NOFILE else 4 << 30, resource.getrlimit(limit)[1]))
print(understood({raised}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(error)
    assert ("Raise the limit" in done.stdout) is (error != "None")


def test_the_number_of_processes_is_no_limit_to_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _number: (7, 7))
    monkeypatch.setattr(control_groups, "refused", lambda: False)
    for user, text in ((0, ""), (1000, "ulimit -u allows 7 processes and threads of this user")):
        monkeypatch.setattr(os, "getuid", lambda user=user: user)
        assert ulimits.behind("fork: Resource temporarily unavailable") == text


def test_text_without_a_limit_behind_it_stays() -> None:
    assert ulimits.explained("verification failed") == "verification failed"
