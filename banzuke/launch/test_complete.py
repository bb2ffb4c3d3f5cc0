"""Every ending of a process is a record with its reason."""

import json
from dataclasses import replace
from typing import Any

import pytest

from banzuke import paths
from banzuke.cpu_lists import parse_cpus
from banzuke.launch.command import Command
from banzuke.launch.complete import OUT_OF_TIME, CaseOrigin, complete, out_of_time, unmeasured
from banzuke.launch.process import ProcessResult
from banzuke.launch.ranks import Process, RankReports
from banzuke.plan.case import RankGroup, key
from banzuke.plan.placement import Placement
from banzuke.record.model import Record
from banzuke.testing import case

COMMAND = Command(["banzuke-stream-omp"], {"OMP_NUM_THREADS": "2"}, placements=[None])
VERIFIED = (paths.SCHEMA / "golden" / "verified.json").read_text()


def ended(stdout: str = VERIFIED, placement: Placement | None = None, **changes: Any) -> Record:
    fields: dict[str, Any] = {
        "stdout": stdout,
        "log": "",
        "status": 0,
        "timed_out": False,
        "conditions": {"load_before": 0.5},
    }
    started, command = case(ranks=4, placement=placement), replace(COMMAND, placements=[placement])
    return complete(started, command, ProcessResult(**(fields | changes)), CaseOrigin(run="r", machine="m"), timeout=60)


def test_what_the_case_was_in_and_beside_is_recorded() -> None:
    started = case(ranks=4, environment="container:podman", image="/images/a", neighbours=3)
    command = replace(COMMAND, details={"tool": "podman 4.3.1"})
    outcome = ProcessResult(VERIFIED, "", 0, timed_out=False, conditions={})
    origin = CaseOrigin(run="r", machine="m", batch="rack 1")
    provenance = complete(started, command, outcome, origin, timeout=60).provenance
    assert provenance is not None
    assert (provenance.environment, provenance.image, provenance.neighbours) == ("container:podman", "/images/a", 3)
    assert provenance.environment_details == {"tool": "podman 4.3.1"}
    assert provenance.batch == "rack 1"


def test_variables_that_are_inherited_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/x/libeatmydata.so")
    monkeypatch.setenv("OMP_PROC_BIND", "close")
    provenance = ended().provenance
    assert provenance
    assert provenance.variables["LD_PRELOAD"] == "/x/libeatmydata.so"
    assert provenance.variables["OMP_PROC_BIND"] == "close"


def test_a_verified_record_gets_its_origin() -> None:
    record = ended()
    assert record.status == "ok"
    assert record.provenance is not None
    assert record.provenance.command == ["banzuke-stream-omp"]
    assert record.provenance.machine == "m"
    assert record.provenance.batch is None
    assert record.conditions == {"huge_page_fraction": 1, "load_before": 0.5}


def test_the_folder_of_a_storage_area_is_no_setting() -> None:
    """Another folder of the same storage area is the same case."""
    golden = Record.model_validate_json(VERIFIED)
    name = next(iter(golden.parameters))
    outcome = ProcessResult(VERIFIED, "", 0, timed_out=False, conditions={})
    started = replace(case(ranks=4), places={name: "/scratch/me"})
    record = complete(started, COMMAND, outcome, CaseOrigin(run="r", machine="m"), timeout=60)
    assert record.parameters == {other: value for other, value in golden.parameters.items() if other != name}
    assert key(started) == key(case(ranks=4))
    assert started.call == {**case(ranks=4).parameters, name: started.call[name]}


def test_the_parameter_by_which_a_library_is_called_is_no_setting() -> None:
    golden = Record.model_validate_json(VERIFIED)
    name = next(iter(golden.parameters))
    outcome = ProcessResult(VERIFIED, "", 0, timed_out=False, conditions={})
    started = replace(case(ranks=4), chosen={name: "library"})
    record = complete(started, COMMAND, outcome, CaseOrigin(run="r", machine="m"), timeout=60)
    assert name not in record.parameters
    assert key(started) == key(case(ranks=4))
    assert {**started.call, **case(ranks=4).parameters} == started.call


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
HYDRA = """[proxy:1@h2] main (pmip.c:123): demux engine error waiting for event
[mpiexec@h1] main (mpiexec.c:270): process manager error waiting for completion
"""
SLURM = """slurmstepd-n1: error: mpi/pmi2: value not properly terminated in client request
slurmstepd-n1: error: mpi/pmi2: request not begin with 'cmd='
slurmstepd-n1: error: mpi/pmi2: full request is: 58DF1137F[2]80FA8DF113

slurmstepd-n1: error: mpi/pmi2: invalid client request
"""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"timed_out": True, "status": -15}, "exceeded its time limit of 60 s"),
        (
            {"timed_out": True, "status": -15, "log": SLURM},
            "exceeded its time limit of 60 s and was ended; Slurm's pmi2 plugin misread",
        ),
        ({"status": -9}, "killed by signal 9 (SIGKILL); the kernel does so when memory runs out"),
        ({"status": -11}, "killed by signal 11 (SIGSEGV)"),
        (
            {"status": -6, "log": "free(): invalid size\n"},
            "killed by signal 6 (SIGABRT); it said: free(): invalid size",
        ),
        ({"stdout": "", "status": 3, "log": "one\nlast words\n"}, "ended with status 3 and no record: last words"),
        (
            {"stdout": "", "status": 1, "log": "rank 3: out of memory\nAbort(1): MPI_Abort\n"},
            "ended with status 1 and no record: rank 3: out of memory",
        ),
        (
            {"stdout": "", "status": 2, "log": "banzuke-b-mpi: n: no\nAbort(2) on node 1 (rank 1 in comm 0)\n"},
            "ended with status 2 and no record: banzuke-b-mpi: n: no",
        ),
        ({"stdout": "", "status": 0}, "ended with status 0 and no record: no message"),
        ({"stdout": "", "status": 7, "log": "on fire\n" + OPEN_MPI}, "ended with status 7 and no record: on fire"),
        ({"stdout": "", "status": 7, "log": OPEN_MPI}, "ended with status 7 and no record: Exit code:    7"),
        ({"stdout": "", "status": 7, "log": "on fire\n" + HYDRA}, "ended with status 7 and no record: on fire"),
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
        ({"stdout": "", "status": -15, "flooded": True}, "printed more than 256 MiB and was ended"),
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
    assert "ran with 4 ranks x 1 thread instead of 4 ranks x 2 threads" in (
        ended(VERIFIED.replace('"threads":2', '"threads":1')).reason or ""
    )


def test_a_skipped_case_is_a_record() -> None:
    record = unmeasured(case(), CaseOrigin(run="r", machine="m"), "too large", skipped=True)
    assert (record.status, record.reason, record.metrics) == ("skipped", "too large", {})


@pytest.mark.parametrize(
    ("steps", "ending"),
    [
        ({}, ""),
        (
            {"allreduce, 64 B, timed": [0, 2, 3]},
            "; ranks 0,2-3: allreduce, 64 B, timed; rank 1: nothing was heard",
        ),
        ({"set-up": [3], "latency": [0, 1, 2]}, "; ranks 0-2: latency; rank 3: set-up"),
    ],
)
def test_at_the_time_limit_each_ranks_last_step_is_told(steps: dict[str, list[int]], ending: str) -> None:
    reason = ended(timed_out=True, status=-15, ranks=RankReports(steps=steps)).reason
    assert reason == f"exceeded its time limit of 60 s and was ended{ending}"


def test_the_steps_of_many_ranks_stay_short() -> None:
    many = case(ranks=10_000)
    steps = {"latency": [*range(0, 10_000, 2)]} | {f"step {i}": [2 * i + 1] for i in range(1000)}
    outcome = ProcessResult("", "", -15, timed_out=True, conditions={}, ranks=RankReports(steps=steps))
    reason = complete(many, COMMAND, outcome, CaseOrigin(run="r", machine="m"), timeout=60).reason or ""
    assert len(reason) < 500
    assert "ranks 0,2,4," in reason
    assert "and others, 5000 in all: latency; rank 1: step 0;" in reason
    assert "; 996 other steps; ranks 2001,2003," in reason
    assert reason.endswith("and others, 4000 in all: nothing was heard")


def test_a_lone_rank_tells_its_step_too() -> None:
    outcome = ProcessResult(
        "", "", -15, timed_out=True, conditions={}, ranks=RankReports(steps={"3 of 20 steps done": [0]})
    )
    record = complete(case(), COMMAND, outcome, CaseOrigin(run="r", machine="m"), timeout=1)
    assert record.reason == "exceeded its time limit of 1 s and was ended; its last step: 3 of 20 steps done"


def test_the_rank_that_ended_first_is_named() -> None:
    reports = RankReports({"n1": "0:20,1:21"}, first=Process(1, 21, "n1"))
    assert ended("signal 9", status=9, ranks=reports).reason == (
        "rank 1 (process 21 on n1) was killed by signal 9 (SIGKILL); the kernel does so when memory runs out"
    )
    assert ended("", status=7, ranks=reports).reason == (
        "ended with status 7 and no record: rank 1 (process 21 on n1) was first seen to end"
    )
    assert ended("", status=7, log=OPEN_MPI, ranks=reports).reason == (
        "ended with status 7 and no record: rank 1 (process 21 on n1) was first seen to end"
    )
    assert ended("", status=7, log="on fire", ranks=reports).reason == "ended with status 7 and no record: on fire"


TWO = (paths.SCHEMA / "golden" / "two-programs.json").read_text()
GROUPS = (
    RankGroup("cuda", 2, 2, Placement("near", "", ((0, 1), (2, 3)), per_node=2)),
    RankGroup("blas", 4, 2, Placement("all", "", ((0, 1), (2, 3)), per_node=2, nodes=2)),
)


def together(*groups: RankGroup) -> Record:
    started = case(benchmark="hpl", groups=groups)
    command = replace(COMMAND, placements=[group.placement for group in groups])
    outcome = ProcessResult(TWO, "", 0, timed_out=False, conditions={})
    return complete(started, command, outcome, CaseOrigin(run="r", machine="m"), timeout=60)


def test_each_group_must_have_run_as_asked() -> None:
    taken = together(*GROUPS)
    assert (taken.status, taken.backend, taken.ranks) == ("ok", "cuda+blas", 6)
    gpus, hosts = GROUPS
    parts = together(replace(gpus, partition="gpu"), hosts)
    assert [group.partition for group in parts.groups] == ["gpu", None]
    otherwise = together(gpus, replace(hosts, threads=1))
    assert otherwise.reason == (
        "ran with hpl-cuda on 2 ranks x 2 threads and hpl-blas on 4 ranks x 2 threads instead of "
        "hpl-cuda on 2 ranks x 2 threads and hpl-blas on 4 ranks x 1 thread; "
        "is a variable such as OMP_THREAD_LIMIT set?"
    )
    assert [(group.program, group.ranks, group.threads) for group in otherwise.groups] == [
        ("hpl-cuda", 2, 2),
        ("hpl-blas", 4, 1),
    ]
    assert together(hosts, gpus).status == "failed"
    moved = together(gpus, replace(hosts, placement=Placement("far", "", ((4, 5), (6, 7)), per_node=2, nodes=2)))
    assert (moved.reason or "").startswith("placement far did not take effect: one of processors 4-7 asked for rank 2,")


def test_a_placement_that_did_not_take_effect_gives_no_figure() -> None:
    taken = ended(placement=Placement("2-nodes-all", "", ((0, 1), (2, 3)), per_node=2, nodes=2))
    assert taken.provenance is not None
    assert (taken.status, taken.provenance.placement) == ("ok", "2-nodes-all")
    otherwise = ended(placement=Placement("one-node", "", ((0, 1), (2, 3), (4, 5), (6, 7)), per_node=4))
    assert (otherwise.status, otherwise.metrics) == ("failed", {})
    assert (otherwise.reason or "").startswith("placement one-node did not take effect: 1 host with 4 ranks each")


def test_a_variant_that_did_not_take_effect_gives_no_figure() -> None:
    def kept_to(cores: str) -> Record:
        started = case(ranks=4, cores=cores, variables=(("id", "x"),))
        outcome = ProcessResult(VERIFIED, "", 0, timed_out=False, conditions={})
        command = replace(COMMAND, cores=parse_cpus(cores))
        return complete(started, command, outcome, CaseOrigin(run="r", machine="m"), timeout=60)

    taken, otherwise = kept_to("0-7"), kept_to("0-1")
    assert taken.provenance is not None
    assert (taken.status, taken.provenance.variant) == ("ok", {"cores": "0-7", "id": "x"})
    assert (otherwise.status, otherwise.metrics) == ("failed", {})
    assert (otherwise.reason or "").startswith("cores did not take effect: 0-1 asked for")


def test_benchmarks_that_an_evaluation_had_no_time_to_finish() -> None:
    origin = CaseOrigin(run="r", machine="m")
    late = unmeasured(case(), origin, OUT_OF_TIME, skipped=True)
    assert out_of_time([late]) == {"stream"}
    assert out_of_time([late, ended()]) == set()
    assert out_of_time([unmeasured(case(), origin, "no such thing", skipped=True)]) == set()
