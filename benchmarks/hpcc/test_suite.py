"""Tests of the suite's input: files that people posted, sizes as Debian's hpcc 1.5.0 chose them, and refusals."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.case import Case
from banzuke.plan.catalogue import chosen
from banzuke.plan.request import Request, check_all
from banzuke.plan.suite import SuiteRequest
from banzuke.plan.suite_cases import asked, plan_of
from banzuke.testing import machine, plan_all

DEBIAN = """\
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
1000         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                      \t\tNumber of additional problem sizes for PTRANS
1200 10000 30000        \tvalues of N
0                       \tnumber of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64       \tvalues of NB
"""


def text(changes: Mapping[int, str] | None = None, *, kept: int = 36, more: str = "") -> str:
    """Return the file with other lines, by their numbers, and further ones."""
    lines = [(changes or {}).get(number, line) for number, line in enumerate(DEBIAN.split("\n")[:36], start=1)]
    return "\n".join(lines[:kept]) + "\n" + more


def with_mpi(cores: int = 4) -> Machine:
    here = machine(cores=cores)
    return here.changed(partition={"software": here.software.model_copy(update={"mpi": {"mpiexec": "MPICH"}})})


def planned(content: str, *, cores: int = 4, ranks: int | None = None, threads: int | None = None) -> list[Case]:
    members, name = chosen(["hpcc"])
    request = Request(suite=SuiteRequest(name, "hpccinf.txt", content, ranks, threads))
    return plan_all(members.values(), with_mpi(cores), request)


LONG = "10000 20000 120000 69990 20000 200000  39007 39000  20960 364160 359424 276480 138240 115200 23040 354432 Ns"
POSTED = {
    "ECoulter/hpcc_kit": (text({6: "22400        Ns"}), 4, 1, 1),
    "agnesevalentini/cloud_advanced_exam": (
        text({3: "HPL.out      output file name (if any) ", 4: "6", 6: "10000         Ns", 8: "192           NBs"}),
        4,
        1,
        1,
    ),
    "matthiasdiener/hpcc": (text({6: "3000         Ns"}), 4, 1, 1),
    "ohadkatz/HPCC": (
        text({11: "1", 12: "1"}, more="128 128 256 512 1024  Mat Size\n150 1500 500 250 Mat Rep\n"),
        1,
        1,
        1,
    ),
    "snake0/hpcc-GVM": (text({5: "2", 6: "1000 3000    Ns", 7: "2", 8: "80  240      NBs"}), 4, 4, 4),
    "tuandinh91/UTSACloud": (text({6: "200        Ns", 8: "50          NBs", 11: "1", 12: "1"}, more="\n"), 1, 1, 1),
    "MumbiGachomba04/Benchmarks": (text({6: "2000", 8: "128", 11: "1", 12: "1", 13: "1.0e-2  threshold"}), 1, 1, 1),
    "HPCHub/benchmarks": (text({8: "240          NBs"}), 4, 1, 1),
    "a script for srun, NB for PTRANS by itself": (
        text({23: "2   BCASTs (..,6=Psh,7=Psh2)", 26: "0", 27: "1", 30: "0", 34: "10000", 36: "64   values of NB"}),
        4,
        1,
        1,
    ),
    "a script in Perl, five further NB": (
        text({34: "1200", 35: "5   number", 36: "7 13 23 31 63            values of NB"}),
        4,
        1,
        6,
    ),
    "ramble, which ends with the separator": (text(kept=32), 4, 1, 1),
    "a guide for HPL, indented, without the last end of line": (
        "\n".join("  " + line for line in text({11: "1", 12: "2"}).rstrip().split("\n")),
        2,
        1,
        1,
    ),
}
"""Text, ranks, cases of HPL and of PTRANS of files and of scripts that write them, found in public repositories."""


@pytest.mark.parametrize("name", POSTED)
def test_files_that_people_posted_are_read(name: str) -> None:
    content, ranks, of_hpl, of_ptrans = POSTED[name]
    request, _ = asked("hpcc", name, content, None, None)
    plan = plan_of(request, with_mpi())
    parts = {spec.name: plan.cases("hpcc", spec) for spec in chosen(["hpcc"])[0].values()}
    assert plan.problem.ranks == ranks
    assert (len(parts["hpl"]), len(parts["ptrans"])) == (of_hpl, of_ptrans)


def test_a_posted_file_whose_long_line_moves_the_rest_is_refused() -> None:
    """liuquan2049/hpcc-buaa: hpcc 1.5.0 takes line 6 for two, and cannot allocate what it reads as PTRANS's sizes."""
    with pytest.raises(BanzukeError, match="line 6 is too long"):
        asked("hpcc", "hpccinf.txt", text({6: LONG}), None, None)


@pytest.mark.parametrize(
    ("changes", "of_debian"),
    [
        ({6: "200", 11: "1"}, (81, 16384, 16384, 6666, 4096, 4096)),
        # 28284 on 4 x 4: hpcc-1.5.0's output of somebody's 16 ranks
        ({6: "28284", 8: "112", 11: "4", 12: "4"}, (4081, 33554432, 33554432, 16666347, 8388608, 67108864)),
    ],
)
def test_sizes_are_those_that_debian_s_hpcc_printed(changes: dict[int, str], of_debian: tuple[int, ...]) -> None:
    """DGEMM_N, MPIRandomAccess_N a rank, RandomAccess_N, STREAM_VectorSize, FFT_N, MPIFFT_N."""
    request, _ = asked("hpcc", "hpccinf.txt", text(changes), None, None)
    plan = plan_of(request, with_mpi())
    roles = {
        case.role: case.parameters["n"]
        for spec in chosen(["hpcc"])[0].values()
        for case in plan.cases("hpcc", spec)
        if "n" in case.parameters
    }
    of_shared = ("StarDGEMM", "MPIRandomAccess", "StarRandomAccess", "StarSTREAM", "StarFFT", "MPIFFT")
    assert tuple(roles[role] for role in of_shared) == of_debian
    for name in ("DGEMM", "RandomAccess", "STREAM", "FFT"):
        assert roles[f"Single{name}"] == roles[f"Star{name}"]


def test_every_part_has_its_ranks_and_threads() -> None:
    cases = planned(text({12: "1"}), cores=8)
    layouts = {(case.benchmark, case.backend, case.ranks, case.threads) for case in cases}
    of_both = {
        (name, backend, ranks, 4) for name, backend in (("dgemm", "blas"), ("stream", "omp")) for ranks in (1, 2)
    }
    assert of_both <= layouts
    assert {("gups", "mpi", 2, 1), ("gups", "omp", 2, 4), ("gups", "omp", 1, 4), ("pt2pt", "mpi", 2, 1)} <= layouts
    assert {("hpl", "blas", 2, 4), ("ptrans", "omp", 2, 4), ("fft", "omp", 2, 4), ("fft", "omp", 1, 4)} <= layouts
    assert len(cases) == 13


def test_one_rank_has_no_messages_and_equal_cases_run_once() -> None:
    cases = planned(text({11: "1", 12: "1"}), cores=1)
    assert [case.benchmark for case in cases].count("stream") == 1
    assert "pt2pt" not in {case.benchmark for case in cases}


def test_more_ranks_than_the_grid_take_part_in_all_but_hpl_and_ptrans() -> None:
    ranks = {
        (case.benchmark, case.ranks) for case in planned(text({12: "1"}), cores=8, ranks=3, threads=2) if case.ranks > 1
    }
    assert ranks == {("dgemm", 3), ("stream", 3), ("gups", 3), ("gups", 2), ("pt2pt", 3), ("fft", 3), ("fft", 2)} | {
        ("hpl", 2),
        ("ptrans", 2),
    }


def test_without_a_file_sizes_follow_from_the_machine() -> None:
    small, large = (plan_of(SuiteRequest("hpcc"), with_mpi(cores)).problem for cores in (4, 24))
    assert (small.grids, large.grids) == ([(2, 2)], [(4, 6)])
    assert small.ranks == 4
    assert small.orders[0] % 384 == 0
    assert 0 < 8 * max(small.orders) ** 2 <= 0.8 * with_mpi().allotment.reference_memory


def test_too_few_ranks_and_a_wrong_line_are_refused() -> None:
    with pytest.raises(BanzukeError, match="asks for more than 3 ranks"):
        asked("hpcc", "hpccinf.txt", text(), 3, None)
    with pytest.raises(BanzukeError, match=r"hpccinf.txt, line 6: N: expected"):
        asked("hpcc", "hpccinf.txt", text({6: "Ns"}), None, None)
    with pytest.raises(BanzukeError, match=r"hpccinf.txt, line 26: SWAP"):
        asked("hpcc", "hpccinf.txt", text({26: "mix"}), None, None)
    with pytest.raises(BanzukeError, match=r"hpccinf.txt ends too early"):
        asked("hpcc", "hpccinf.txt", "", None, None)


def test_options_that_the_file_leaves_no_choice_for_are_refused() -> None:
    members, _ = chosen(["hpcc"])
    request = Request(suite=SuiteRequest("hpcc"), overrides={"n": ["5"]}, seconds=3.0)
    with pytest.raises(BanzukeError, match="hpcc takes no --set and no --seconds"):
        check_all(list(members.values()), request)
    assert check_all(list(members.values()), replace(request, overrides={}, seconds=None)) == []


def test_a_suite_runs_by_itself_and_no_mpi_is_told() -> None:
    with pytest.raises(BanzukeError, match="hpcc is a suite of several benchmarks"):
        chosen(["hpcc", "stream"])
    with pytest.raises(BanzukeError, match="HPC Challenge needs MPI"):
        plan_of(SuiteRequest("hpcc"), machine(cores=2))
