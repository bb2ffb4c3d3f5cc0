"""Every ending of a process is a record with its reason."""

import json
from typing import Any

import pytest

from banzuke import paths
from banzuke.launch.command import Command
from banzuke.launch.process import Outcome
from banzuke.record.complete import Origin, complete, unmeasured
from banzuke.record.model import Record
from banzuke.testing import case

COMMAND = Command(["banzuke-stream-omp"], {"OMP_NUM_THREADS": "2"})
VERIFIED = (paths.SCHEMA / "golden" / "verified.json").read_text()


def ended(stdout: str = VERIFIED, **changes: Any) -> Record:
    fields: dict[str, Any] = {
        "stdout": stdout,
        "log": "",
        "status": 0,
        "timed_out": False,
        "conditions": {"load_before": 0.5},
    }
    return complete(case(ranks=4), COMMAND, Outcome(**(fields | changes)), Origin(run="r", machine="m"), timeout=60)


def test_a_verified_record_gets_its_origin() -> None:
    record = ended()
    assert record.status == "ok"
    assert record.provenance is not None
    assert record.provenance.command == ["banzuke-stream-omp"]
    assert record.provenance.machine == "m"
    assert record.conditions == {"huge_page_fraction": 1, "load_before": 0.5}


def test_messages_before_the_record_do_no_harm() -> None:
    assert ended("a library says hello\n" + VERIFIED).status == "ok"


def test_messages_after_the_record_do_no_harm() -> None:
    assert ended(VERIFIED + "\na launcher says goodbye\n", log="I do not like signal 9\n").status == "ok"


OPEN_MPI = f"""[node:4348] PMIX ERROR: PMIX_ERR_UNREACH in file ptl.c at line 121
{"-" * 74}
prterun detected that one or more processes exited with non-zero status:
   Exit code:    7
{"-" * 74}
\0
"""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"timed_out": True, "status": -15}, "exceeded its time limit of 60 s"),
        ({"status": -9}, "killed by signal 9 (SIGKILL); the kernel does so when memory runs out"),
        ({"status": -11}, "killed by signal 11 (SIGSEGV)"),
        ({"stdout": "", "status": 3, "log": "one\nlast words\n"}, "ended with status 3 and no record: last words"),
        (
            {"stdout": "", "status": 1, "log": "rank 3: out of memory\nAbort(1): MPI_Abort\n"},
            "ended with status 1 and no record: rank 3: out of memory",
        ),
        ({"stdout": "", "status": 0}, "ended with status 0 and no record: no message"),
        ({"stdout": "", "status": 7, "log": "on fire\n" + OPEN_MPI}, "ended with status 7 and no record: on fire"),
        ({"stdout": "", "status": 7, "log": OPEN_MPI}, "ended with status 7 and no record: Exit code:    7"),
        ({"stdout": "", "status": 137}, "killed by signal 9 (SIGKILL); the kernel does so when memory runs out"),
        ({"stdout": "=  BAD TERMINATION\nExit string: Killed (signal 9)\n", "status": 9}, "killed by signal 9"),
        (
            {"stdout": "", "log": "rank 1 exited on signal 11 (Segmentation fault).\n", "status": 1},
            "killed by signal 11",
        ),
        (
            {"stdout": "=  BAD TERMINATION\n", "log": "on fire\n", "status": 7},
            "ended with status 7 and no record: on fire",
        ),
        ({"stdout": "", "status": 255}, "ended with status 255 and no record: no message"),
        ({"stdout": "no JSON\n"}, "ended with status 0 and no record: no message"),
        ({"stdout": "{no JSON\n"}, "its record cannot be read"),
        ({"stdout": "{}\n"}, "its record cannot be read: benchmark: Field required"),
        ({"stdout": VERIFIED[:200]}, "its record cannot be read"),
        ({"status": 1}, "ended with status 1 after its record"),
    ],
)
def test_other_endings_have_their_reason_and_no_figure(changes: dict[str, Any], reason: str) -> None:
    record = ended(**changes)
    assert record.status == "failed"
    assert record.reason is not None
    assert record.reason.startswith(reason)
    assert not record.metrics


def test_figures_without_a_passed_check_are_not_believed() -> None:
    tampered = json.loads(VERIFIED)
    tampered["verification"][0]["passed"] = False
    record = ended(json.dumps(tampered))
    assert record.status == "failed"
    assert "without a passed verification" in (record.reason or "")


def test_a_check_that_claims_to_have_passed_is_checked() -> None:
    tampered = json.loads(VERIFIED)
    tampered["verification"][0]["value"] = 1.0
    assert "exceeds" in (ended(json.dumps(tampered)).reason or "")


def test_a_run_with_another_layout_is_not_the_case() -> None:
    assert "ran with 4 ranks x 1 threads instead of 4 x 2" in (
        ended(VERIFIED.replace('"threads":2', '"threads":1')).reason or ""
    )


def test_a_skipped_case_is_a_record() -> None:
    record = unmeasured(case(), Origin(run="r", machine="m"), "too large", skipped=True)
    assert (record.status, record.reason, record.metrics) == ("skipped", "too large", {})
