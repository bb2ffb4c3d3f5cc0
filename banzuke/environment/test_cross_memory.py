"""Whether ranks may copy from each other's memory, tested under real filters of system calls."""

import platform
import subprocess

import pytest

from banzuke.environment import cross_memory
from banzuke.paths import PYTHON

FILTERED = """
import ctypes, struct, sys
calls, action = [int(n) for n in sys.argv[1].split(",")], int(sys.argv[2], 16)
def one(code, yes, no, k):
    return struct.pack("=HBBI", code, yes, no, k)
ops = [one(0x20, 0, 0, 0)]
ops += [one(0x15, len(calls) - i, 0, n) for i, n in enumerate(calls)]
ops += [one(0x06, 0, 0, 0x7FFF0000), one(0x06, 0, 0, action)]
code = ctypes.create_string_buffer(b"".join(ops))
class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(len(ops), ctypes.addressof(code)))) == 0
from banzuke.environment import cross_memory
print(cross_memory.refusal(), *cross_memory.variables(), sep="|")
"""
"""Program that refuses these system calls, as containers do, and prints what is found."""
READV, WRITEV = {"x86_64": (310, 311), "aarch64": (270, 271)}.get(platform.machine(), (0, 0))
EPERM, ENOSYS, KILL = "50001", "50026", "80000000"
filters = pytest.mark.skipif(not READV, reason="hardware: system calls have other numbers here")
HERE = cross_memory.refusal()
"""What this host refuses in addition to the filter."""


def refused_under(calls: tuple[int, ...], action: str) -> tuple[str, set[str]]:
    text = ",".join(map(str, calls))
    done = subprocess.run([*PYTHON, "-c", FILTERED, text, action], capture_output=True, text=True, check=True)
    reason, *names = done.stdout.strip().split("|")
    return reason, set(names)


@filters
@pytest.mark.parametrize(
    ("calls", "action", "reason"),
    [
        ((READV, WRITEV), EPERM, "process_vm_readv: Operation not permitted; process_vm_writev: Operation not"),
        ((READV, WRITEV), ENOSYS, "process_vm_readv: Function not implemented; process_vm_writev: Function not"),
        ((READV, WRITEV), KILL, "process_vm_readv: ended by SIGSYS"),
        ((READV,), EPERM, "process_vm_readv: Operation not permitted"),
    ],
)
def test_what_a_filter_forbids_is_found_and_done_without(calls: tuple[int, ...], action: str, reason: str) -> None:
    refusal, variables = refused_under(calls, action)
    assert refusal.startswith(reason)
    assert {"MPIR_CVAR_CH4_CMA_ENABLE", "UCX_TLS", "FI_SHM_DISABLE_CMA"} <= variables


@filters
@pytest.mark.skipif(bool(HERE), reason=f"hardware: {HERE}")
def test_mpich_which_only_reads_may_go_on_where_only_writing_is_forbidden() -> None:
    reason, variables = refused_under((WRITEV,), EPERM)
    assert reason == "process_vm_writev: Operation not permitted"
    assert "MPIR_CVAR_CH4_CMA_ENABLE" not in variables
    assert "FI_SHM_DISABLE_CMA" in variables


def test_what_the_user_set_himself_is_left_to_him(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_memory, "_refused", lambda: {"process_vm_readv": "no"})
    assert cross_memory.variables()["UCX_TLS"] == "^cma"
    monkeypatch.setenv("UCX_TLS", "posix,self")
    assert "UCX_TLS" not in cross_memory.variables()


def test_where_nothing_refuses_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_memory, "_refused", dict)
    cross_memory.refusal.cache_clear()
    try:
        assert (cross_memory.refusal(), cross_memory.variables()) == ("", {})
    finally:
        cross_memory.refusal.cache_clear()
