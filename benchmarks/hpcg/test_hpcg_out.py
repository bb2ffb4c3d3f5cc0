"""Compares the report with HPCG 3.1's own output of two ranks on 104^3 points each, from the same figures."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from banzuke.plan.catalogue import find
from banzuke.plan.official import Outcome

PRINT = find("hpcg").official.output
ALLREDUCE = {"min": 0.0498923, "max": 0.374436, "mean": 0.212164}
SECONDS = {"ddot": 0.24099349, "waxpby": 0.14961166, "spmv": 1.6752645, "mg": 10.470545}
FLOPS = {"ddot": 1358835712.0, "waxpby": 1358835712.0, "spmv": 12193936800.0, "mg": 68057284800.0}
CONDITIONS: dict[str, Any] = {
    "setup_seconds": 2.10866,
    "optimization_seconds": 4.91e-07,
    "reference_iterations": 50,
    "optimized_iterations": 50,
    "sets": 2,
    "timed_seconds": 12.6,
    "reference_spmv_mg_seconds": 0.156081,
    "reference_residual_reduction": 3.36952e-06,
    "final_residual_mean": 3.36952e-06,
    "final_residual_variance": 0.0,
    "symmetry_spmv": 1.09756e-08,
    "symmetry_mg": 2.11097e-07,
    "px": 2,
    "py": 1,
    "pz": 1,
    "memory_bytes": 1.6e9,
    "matrix_bytes": 0.6e9,
    **{f"seconds_{name}": value for name, value in SECONDS.items()},
    **{f"flops_{name}": value for name, value in FLOPS.items()},
    **{f"seconds_allreduce_{name}": value for name, value in ALLREDUCE.items()},
}
PLAIN, PRECONDITIONED = (
    "CG iterations with a scaled diagonal, no preconditioner",
    "CG iterations with a scaled diagonal, preconditioned",
)
OK = Outcome(
    parameters={"nx": 104, "ny": 104, "nz": 104},
    status="ok",
    reason=None,
    started=datetime.fromtimestamp(0, UTC),
    values={"flop_rate": 6.40225e9, "raw_flop_rate": 82968892992.0 / 12.537612},
    checks={PLAIN: 11.0, PRECONDITIONED: 2.0},
    conditions=CONDITIONS,
    ranks=2,
)
OFFICIAL = """\
HPCG-Benchmark
version=3.1
Release date=March 28, 2019
Machine Summary=
Machine Summary::Distributed Processes=2
Machine Summary::Threads per processes=1
Global Problem Dimensions=
Global Problem Dimensions::Global nx=208
Global Problem Dimensions::Global ny=104
Global Problem Dimensions::Global nz=104
Processor Dimensions=
Processor Dimensions::npx=2
Processor Dimensions::npy=1
Processor Dimensions::npz=1
Local Domain Dimensions=
Local Domain Dimensions::nx=104
Local Domain Dimensions::ny=104
Local Domain Dimensions::Lower ipz=0
Local Domain Dimensions::Upper ipz=0
Local Domain Dimensions::nz=104
########## Problem Summary  ##########=
Setup Information=
Setup Information::Setup Time=2.10866
Linear System Information=
Linear System Information::Number of Equations=2249728
Linear System Information::Number of Nonzero Terms=59774200
Multigrid Information=
Multigrid Information::Number of coarse grid levels=3
Multigrid Information::Coarse Grids=
Multigrid Information::Coarse Grids::Grid Level=1
Multigrid Information::Coarse Grids::Number of Equations=281216
Multigrid Information::Coarse Grids::Number of Nonzero Terms=7351960
Multigrid Information::Coarse Grids::Number of Presmoother Steps=1
Multigrid Information::Coarse Grids::Number of Postsmoother Steps=1
Multigrid Information::Coarse Grids::Grid Level=2
Multigrid Information::Coarse Grids::Number of Equations=35152
Multigrid Information::Coarse Grids::Number of Nonzero Terms=889504
Multigrid Information::Coarse Grids::Number of Presmoother Steps=1
Multigrid Information::Coarse Grids::Number of Postsmoother Steps=1
Multigrid Information::Coarse Grids::Grid Level=3
Multigrid Information::Coarse Grids::Number of Equations=4394
Multigrid Information::Coarse Grids::Number of Nonzero Terms=104044
Multigrid Information::Coarse Grids::Number of Presmoother Steps=1
Multigrid Information::Coarse Grids::Number of Postsmoother Steps=1
########## Memory Use Summary  ##########=
Memory Use Information=
Memory Use Information::Coarse Grids=
Memory Use Information::Coarse Grids::Grid Level=1
Memory Use Information::Coarse Grids::Grid Level=2
Memory Use Information::Coarse Grids::Grid Level=3
########## V&V Testing Summary  ##########=
Spectral Convergence Tests=
Spectral Convergence Tests::Result=PASSED
Spectral Convergence Tests::Unpreconditioned=
Spectral Convergence Tests::Unpreconditioned::Maximum iteration count=11
Spectral Convergence Tests::Unpreconditioned::Expected iteration count=12
Spectral Convergence Tests::Preconditioned=
Spectral Convergence Tests::Preconditioned::Maximum iteration count=2
Spectral Convergence Tests::Preconditioned::Expected iteration count=2
Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon=
Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon::Result=PASSED
Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon::Departure for SpMV=1.09756e-08
Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon::Departure for MG=2.11097e-07
########## Iterations Summary  ##########=
Iteration Count Information=
Iteration Count Information::Result=PASSED
Iteration Count Information::Reference CG iterations per set=50
Iteration Count Information::Optimized CG iterations per set=50
Iteration Count Information::Total number of reference iterations=100
Iteration Count Information::Total number of optimized iterations=100
########## Reproducibility Summary  ##########=
Reproducibility Information=
Reproducibility Information::Result=PASSED
Reproducibility Information::Scaled residual mean=3.36952e-06
Reproducibility Information::Scaled residual variance=0
########## Performance Summary (times in sec) ##########=
Benchmark Time Summary=
Benchmark Time Summary::Optimization phase=4.91e-07
Benchmark Time Summary::DDOT=0.240993
Benchmark Time Summary::WAXPBY=0.149612
Benchmark Time Summary::SpMV=1.67526
Benchmark Time Summary::MG=10.4705
Benchmark Time Summary::Total=12.5376
Floating Point Operations Summary=
Floating Point Operations Summary::Raw DDOT=1.35884e+09
Floating Point Operations Summary::Raw WAXPBY=1.35884e+09
Floating Point Operations Summary::Raw SpMV=1.21939e+10
Floating Point Operations Summary::Raw MG=6.80573e+10
Floating Point Operations Summary::Total=8.29689e+10
Floating Point Operations Summary::Total with convergence overhead=8.29689e+10
GB/s Summary=
GB/s Summary::Raw Read B/W=40.777
GB/s Summary::Raw Write B/W=9.42385
GB/s Summary::Raw Total B/W=50.2009
GB/s Summary::Total with convergence and optimization phase overhead=48.5672
GFLOP/s Summary=
GFLOP/s Summary::Raw DDOT=5.63847
GFLOP/s Summary::Raw WAXPBY=9.08242
GFLOP/s Summary::Raw SpMV=7.27881
GFLOP/s Summary::Raw MG=6.49988
GFLOP/s Summary::Raw Total=6.6176
GFLOP/s Summary::Total with convergence overhead=6.6176
GFLOP/s Summary::Total with convergence and optimization phase overhead=6.40225
User Optimization Overheads=
User Optimization Overheads::Optimization phase time (sec)=4.91e-07
User Optimization Overheads::Optimization phase time vs reference SpMV+MG time=3.1458e-06
DDOT Timing Variations=
DDOT Timing Variations::Min DDOT MPI_Allreduce time=0.0498923
DDOT Timing Variations::Max DDOT MPI_Allreduce time=0.374436
DDOT Timing Variations::Avg DDOT MPI_Allreduce time=0.212164
Final Summary=
Final Summary::HPCG result is VALID with a GFLOP/s rating of=6.40225
Final Summary::HPCG 2.4 rating for historical reasons is=6.6176
Final Summary::Results are valid but execution time (sec) is=12.5376
Final Summary::Official results execution time (sec) must be at least=1800
"""


def results(*outcomes: Outcome) -> str:
    assert PRINT is not None
    return PRINT(outcomes)


def changed(**conditions: Any) -> Outcome:
    return replace(OK, conditions=CONDITIONS | conditions)


def values(text: str) -> dict[str, str]:
    return dict(line.rsplit("=", 1) for line in text.splitlines()[1:])


def of_memory(line: str) -> bool:
    return line.startswith("Memory Use Information::") and not line.endswith("=") and "Grid Level" not in line


def test_it_is_the_official_text() -> None:
    kept = [line for line in results(OK).splitlines() if not of_memory(line)]
    assert kept == OFFICIAL.splitlines()


def test_memory_is_shared_out_by_points() -> None:
    lines = [line for line in results(OK).splitlines() if of_memory(line)]
    assert [line.split("=")[0].removeprefix("Memory Use Information::") for line in lines] == [
        "Total memory used for data (Gbytes)",
        "Memory used for OptimizeProblem data (Gbytes)",
        "Bytes per equation (Total memory / Number of Equations)",
        "Memory used for linear system and CG (Gbytes)",
        *["Coarse Grids::Memory used"] * 3,
    ]
    total, optimised, per_equation, *levels = (float(line.split("=")[1]) for line in lines)
    assert (total, optimised, per_equation) == (1.6, 0.6, 711.197)
    assert math.isclose(optimised + sum(levels), total, rel_tol=1e-5)
    assert math.isclose(levels[0] / levels[1], 8, rel_tol=1e-5)


def test_more_iterations_than_the_reference_count_less() -> None:
    printed = values(results(changed(optimized_iterations=56)))
    assert printed["Iteration Count Information::Total number of optimized iterations"] == "112"
    total, counted = (
        float(printed[f"Floating Point Operations Summary::Total{suffix}"])
        for suffix in ("", " with convergence overhead")
    )
    assert math.isclose(counted, total * 50 / 56, rel_tol=1e-4)


@pytest.mark.parametrize(("seconds", "short"), [(1799.9, True), (1800.0, False)])
def test_a_short_run_is_labelled(seconds: float, short: bool) -> None:  # noqa: FBT001
    printed = values(results(replace(OK, values={"flop_rate": 1e9, "raw_flop_rate": 82968892992.0 / seconds})))
    assert ("Final Summary::Results are valid but execution time (sec) is" in printed) == short
    assert ("Final Summary::Please upload results from the YAML file contents to" in printed) != short


def dealt(axis: str, shares: Sequence[float], **grid: int) -> Outcome:
    parts = {"px": 1, "py": 1, "pz": 1, **grid}
    return changed(layer_axis=axis, layer_shares=list(shares), **parts)


def test_unequal_boxes_are_labelled_and_written_by_zones_along_z() -> None:
    long = dealt("z", [0.25, 0.25, 0.5], pz=3)
    text = results(replace(long, values={"flop_rate": 1e9, "raw_flop_rate": 82968892992.0 / 1800.0}))
    zones = [
        line.removeprefix("Local Domain Dimensions::")
        for line in text.splitlines()
        if "ipz=" in line or "::nz=" in line
    ]
    assert zones == ["Lower ipz=0", "Upper ipz=1", "nz=78", "Lower ipz=2", "Upper ipz=2", "nz=156"]
    printed = values(text)
    assert printed["Global Problem Dimensions::Global nz"] == "312"
    summary = {key: value for key, value in printed.items() if key.startswith("Final Summary::")}
    assert (
        summary["Final Summary::Results are valid but layers of processes along z have unequal boxes of planes"]
        == "78:78:156"
    )
    assert summary["Final Summary::Official results must have"] == "equal boxes"
    assert not [key for key in summary if "upload" in key]


def test_the_first_ranks_box_is_written_along_x() -> None:
    printed = values(results(dealt("x", [0.25, 0.75], px=2)))
    assert printed["Local Domain Dimensions::nx"] == "52"
    assert printed["Global Problem Dimensions::Global nx"] == "208"


@pytest.mark.parametrize("shares", [[0.5, 0.5], [1.5, -0.5], "much", [None]])
def test_equal_shares_and_invalid_ones_change_nothing(shares: Any) -> None:
    assert results(changed(layer_axis="x", layer_shares=shares)) == results(OK)


@pytest.mark.parametrize(
    ("outcome", "place"),
    [
        (replace(OK, checks={PLAIN: 13.0, PRECONDITIONED: 2.0}), "Spectral Convergence Tests"),
        (replace(OK, checks={PLAIN: 11.0, PRECONDITIONED: None}), "Spectral Convergence Tests"),
        (
            changed(symmetry_mg=1.5),
            "Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon",
        ),
        (changed(final_residual_mean=3.4e-06), "Iteration Count Information"),
        (changed(final_residual_variance=1e-6), "Reproducibility Information"),
    ],
)
def test_a_failed_test_is_named_and_no_rate_is_given(outcome: Outcome, place: str) -> None:
    text = results(replace(outcome, status="failed", reason="verification\nfailed", values={}))
    printed = values(text)
    assert [key for key, value in printed.items() if value == "FAILED"] == [f"{place}::Result"]
    assert "GFLOP/s" not in text
    assert printed["Final Summary::HPCG result is"] == "INVALID."
    assert printed["Final Summary::Reason"] == "verification failed"


def test_a_case_without_anything_is_invalid() -> None:
    bare = replace(
        OK, status="failed", reason="killed by signal 9", values={}, checks={}, conditions={"steal_fraction": 0}
    )
    assert values(results(bare)) == {
        "version": "3.1",
        "Release date": "March 28, 2019",
        "Final Summary": "",
        "Final Summary::HPCG result is": "INVALID.",
        "Final Summary::Please review the YAML file contents": "You may NOT submit these results for consideration.",
        "Final Summary::Reason": "killed by signal 9",
    }


def test_each_case_has_its_own() -> None:
    assert results(OK, OK) == 2 * results(OK)
