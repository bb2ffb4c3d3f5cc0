"""Messages of real launchers: those of MPICH 5.0, Intel MPI 2021.18 and Open MPI 5.0 about three ranks."""

from typing import Any

import pytest

from banzuke.launch.endings import Ending, ending, forbidden
from banzuke.launch.process import ProcessResult
from banzuke.launch.ranks import Process, RankReports

RANKS = tuple(Process(rank, 20248 + rank, "vm") for rank in range(3))
ENTRIES = {"vm": "0:20248,1:20249,2:20250"}
RULE = "=" * 83


def mpich(pid: int, number: int, name: str) -> str:
    return f"""
{RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID {pid} RUNNING AT vm
=   EXIT CODE: {number}
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
{RULE}
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: {name} (signal {number})
This typically refers to a problem with your application.
"""


def intel(*killed: tuple[int, int]) -> str:
    return "".join(
        f"""
{RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK {rank} PID {20248 + rank} RUNNING AT vm
=   KILLED BY SIGNAL: {number} (Killed)
{RULE}
"""
        for rank, number in killed
    )


OPEN_MPI = """--------------------------------------------------------------------------
prterun noticed that process rank 1 with PID 20249 on node vm exited on
signal 9 (Killed).
--------------------------------------------------------------------------
"""
OPEN_MPI_4 = "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 11 (Segmentation fault).\n"


def ended(first: int | None = None, **changes: Any) -> Ending:
    reports = RankReports(ENTRIES, first=None if first is None else RANKS[first])
    fields: dict[str, Any] = {
        "stdout": "",
        "log": "",
        "status": 1,
        "timed_out": False,
        "conditions": {},
        "ranks": reports,
    }
    return ending(ProcessResult(**(fields | changes)), silent=True)


@pytest.mark.parametrize(
    ("changes", "number", "suspects"),
    [
        ({"stdout": mpich(20249, 9, "Killed"), "status": 9, "first": 1}, 9, [1]),
        ({"stdout": mpich(20249, 9, "Killed"), "status": 9}, 9, [1]),
        ({"stdout": mpich(20248, 9, "Killed"), "status": 9, "first": 1}, 9, [1, 0]),  # one of them by the launcher
        ({"stdout": mpich(20250, 11, "Segmentation fault"), "status": 11, "first": 1}, 11, [1, 2]),
        ({"stdout": mpich(777, 9, "Killed"), "status": 9}, 9, []),
        (
            {"stdout": mpich(20250, 11, "").partition("YOUR APPLICATION TERM")[0], "status": 255},
            11,
            [2],
        ),  # several hosts
        ({"stdout": mpich(20250, 7, "").partition("YOUR APPLICATION TERM")[0], "status": 7, "first": 2}, 0, [2]),
        ({"status": 7, "first": 1}, 0, [1]),
        ({"stdout": intel((0, 9), (1, 9), (2, 9)), "status": 255, "first": 2}, 9, [2]),
        ({"stdout": intel((0, 9), (1, 9), (2, 9)), "status": 255}, 9, []),
        ({"stdout": intel((0, 9), (1, 11), (2, 9)), "status": 255, "first": 0}, 11, [1]),
        ({"stdout": intel((0, 9), (2, 9)), "status": 255}, 0, [1]),
        ({"stdout": intel((2, 9)), "status": 255}, 9, [2]),
        ({"log": OPEN_MPI, "status": 137, "first": 0}, 9, [1]),
        ({"log": OPEN_MPI_4, "status": 139}, 11, [1]),
        ({"status": -15}, 15, []),
    ],
)
def test_whose_end_it_was(changes: dict[str, Any], number: int, suspects: list[int]) -> None:
    result = ended(**changes)
    assert (result.signal, [process.rank for process in result.suspects]) == (number, suspects)


def test_the_suspects_are_named() -> None:
    suspects = ended(first=1, stdout=mpich(20248, 9, "Killed"), status=9).who
    assert suspects == "rank 1 (process 20249 on vm) or rank 0 (process 20248 on vm)"


def test_words_about_signals_are_none_where_there_is_a_record() -> None:
    outcome = ProcessResult("signal 9", "", 1, timed_out=False, conditions={})
    assert ending(outcome, silent=False) == Ending()


@pytest.mark.parametrize(
    ("log", "number", "start"),
    [
        (
            "copy_iovs(224).........: process_vm_readv failed (errno 1)",
            0,
            "cross-memory attach (CMA, process_vm_readv)",
        ),
        ("Read -1, expected 69632, errno = 1", 0, "cross-memory attach"),
        (
            "Fatal error in internal_Waitall: See the MPI_ERROR field in MPI_Status for the error code",
            0,
            "probably cross-memory attach",
        ),
        ("", 31, "probably cross-memory attach"),
        ("Read -1, expected 69632, errno = 104", 0, ""),
        ("rank 1: out of memory", 11, ""),
    ],
)
def test_ranks_that_may_not_read_each_other_are_named(log: str, number: int, start: str) -> None:
    said = forbidden(log, ["UCX_TLS=^cma"], number)
    assert said.startswith(start)
    assert bool(said) == bool(start) == ("MPIR_CVAR_CH4_CMA_ENABLE=0" in said and "ptrace_scope" in said)
    already = forbidden(log, ["UCX_TLS=^cma", "MPIR_CVAR_CH4_CMA_ENABLE=0"], number)
    assert already == ("" if start.startswith("probably") else said)
