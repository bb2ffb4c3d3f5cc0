"""Compares the output with that of hpcc 1.5.0, by its keys, and reads it by the rules of public parsers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Scalar
from banzuke.plan.catalogue import chosen
from banzuke.plan.official import Outcome
from banzuke.plan.suite import PartCase, SuiteRequest
from banzuke.plan.suite_cases import plan_of, results_of
from banzuke.testing import machine

SUMMARY = """
VersionMajor VersionMinor VersionMicro VersionRelease LANG Success sizeof_char sizeof_short sizeof_int sizeof_long
sizeof_void_ptr sizeof_size_t sizeof_float sizeof_double sizeof_s64Int sizeof_u64Int sizeof_struct_double_double
CommWorldProcs MPI_Wtick HPL_Tflops HPL_time HPL_eps HPL_RnormI HPL_Anorm1 HPL_AnormI HPL_Xnorm1 HPL_XnormI HPL_BnormI
HPL_N HPL_NB HPL_nprow HPL_npcol HPL_depth HPL_nbdiv HPL_nbmin HPL_cpfact HPL_crfact HPL_ctop HPL_order HPL_dMACH_EPS
HPL_dMACH_SFMIN HPL_dMACH_BASE HPL_dMACH_PREC HPL_dMACH_MLEN HPL_dMACH_RND HPL_dMACH_EMIN HPL_dMACH_RMIN
HPL_dMACH_EMAX HPL_dMACH_RMAX HPL_sMACH_EPS HPL_sMACH_SFMIN HPL_sMACH_BASE HPL_sMACH_PREC HPL_sMACH_MLEN HPL_sMACH_RND
HPL_sMACH_EMIN HPL_sMACH_RMIN HPL_sMACH_EMAX HPL_sMACH_RMAX dweps sweps HPLMaxProcs HPLMinProcs DGEMM_N
StarDGEMM_Gflops SingleDGEMM_Gflops PTRANS_GBs PTRANS_time PTRANS_residual PTRANS_n PTRANS_nb PTRANS_nprow PTRANS_npcol
MPIRandomAccess_LCG_N MPIRandomAccess_LCG_time MPIRandomAccess_LCG_CheckTime MPIRandomAccess_LCG_Errors
MPIRandomAccess_LCG_ErrorsFraction MPIRandomAccess_LCG_ExeUpdates MPIRandomAccess_LCG_GUPs
MPIRandomAccess_LCG_TimeBound MPIRandomAccess_LCG_Algorithm MPIRandomAccess_N MPIRandomAccess_time
MPIRandomAccess_CheckTime MPIRandomAccess_Errors MPIRandomAccess_ErrorsFraction MPIRandomAccess_ExeUpdates
MPIRandomAccess_GUPs MPIRandomAccess_TimeBound MPIRandomAccess_Algorithm RandomAccess_LCG_N StarRandomAccess_LCG_GUPs
SingleRandomAccess_LCG_GUPs RandomAccess_N StarRandomAccess_GUPs SingleRandomAccess_GUPs STREAM_VectorSize
STREAM_Threads StarSTREAM_Copy StarSTREAM_Scale StarSTREAM_Add StarSTREAM_Triad SingleSTREAM_Copy SingleSTREAM_Scale
SingleSTREAM_Add SingleSTREAM_Triad FFT_N StarFFT_Gflops SingleFFT_Gflops MPIFFT_N MPIFFT_Gflops MPIFFT_maxErr
MPIFFT_Procs MaxPingPongLatency_usec RandomlyOrderedRingLatency_usec MinPingPongBandwidth_GBytes
NaturallyOrderedRingBandwidth_GBytes RandomlyOrderedRingBandwidth_GBytes MinPingPongLatency_usec
AvgPingPongLatency_usec MaxPingPongBandwidth_GBytes AvgPingPongBandwidth_GBytes NaturallyOrderedRingLatency_usec
FFTEnblk FFTEnp FFTEl2size M_OPENMP omp_get_num_threads omp_get_max_threads omp_get_num_procs MemProc MemSpec MemVal
MPIFFT_time0 MPIFFT_time1 MPIFFT_time2 MPIFFT_time3 MPIFFT_time4 MPIFFT_time5 MPIFFT_time6 CPS_HPCC_FFT_235
CPS_HPCC_FFTW_ESTIMATE CPS_HPCC_MEMALLCTR CPS_HPL_USE_GETPROCESSTIMES CPS_RA_SANDIA_NOPT CPS_RA_SANDIA_OPT2
CPS_USING_FFTW
"""
KEYS = SUMMARY.split()
"""Those of Debian's hpcc 1.5.0-3, in its order."""
OF_SIZES = {
    "dMACH_EPS": "1.110223e-16",
    "dMACH_SFMIN": "2.225074e-308",
    "dMACH_EMIN": "-1.021000e+03",
    "dMACH_RMAX": "1.797693e+308",
    "sMACH_EPS": "5.960464e-08",
    "sMACH_SFMIN": "1.175494e-38",
    "sMACH_RMAX": "3.402823e+38",
}
FIGURES: Mapping[str, Mapping[str, Sequence[float]]] = {
    "hpl": {"flop_rate": [5e12], "time": [7.5]},
    "ptrans": {"transpose_rate": [4e9, 6e9, 5e9], "time": [2.0, 1.0, 1.5]},
    "dgemm": {"flop_rate": [8e9, 8e9, 6e9]},
    "stream": {f"{name}_bandwidth": [10e9, 20e9, 12e9] for name in ("copy", "scale", "add", "triad")},
    "gups": {"update_rate": [2e8]},
    "fft": {"flop_rate": [4e9], "time": [0.5]},
    "pt2pt": {
        "ping_pong_latency": [1e-6, 2e-6, 6e-6],
        "ping_pong_bandwidth": [1e9, 2e9, 6e9],
        "natural_ring_latency": [4e-6, 3e-6, 9e-6],
        "natural_ring_bandwidth": [1e9, 3e9, 2e9],
        "random_ring_latency": [2e-6, 8e-6],
        "random_ring_bandwidth": [2e9, 8e9],
    },
}
"""Samples of every case, by benchmark."""
CHECKS = {"share of wrong words": 0.25, "max |inverse - x| / (eps ln n)": 2.0, "||Ax-b|| scaled": 0.01}
OWN = (3e8, 5e8, 1e9)
"""Minimum, average and maximum of the ranks' own rates, whatever they count."""
CONDITIONS = {
    "clock_tick": 1e-9,
    "grid_rows": 1,
    "grid_columns": 2,
    "updates": 1000,
    "check_seconds": 2.5,
    "rank_rates": {
        metric: dict(zip(("minimum", "average", "maximum"), OWN, strict=True))
        for metric in ("flop_rate", "update_rate", *(f"{name}_bandwidth" for name in ("copy", "scale", "add", "triad")))
    },
}
PARAMETERS: Mapping[str, Scalar] = {"lookahead": 1, "broadcast": "ring-modified", "nbmin": 4, "order": "row"}


def with_mpi() -> Machine:
    here = machine(cores=2)
    return here.changed(partition={"software": here.software.model_copy(update={"mpi": {"mpiexec": "MPICH"}})})


REQUEST = SuiteRequest("hpcc", threads=1)


def outcome(benchmark: str, case: PartCase) -> Outcome:
    samples = FIGURES[benchmark]
    return Outcome(
        parameters={**PARAMETERS, **case.parameters},
        status="ok",
        reason=None,
        started=datetime.fromtimestamp(0, UTC),
        values={name: sorted(values)[len(values) // 2] for name, values in samples.items()},
        samples=samples,
        checks=CHECKS,
        conditions=CONDITIONS,
        backend=case.backend or "omp",
        ranks=case.ranks,
        threads=case.threads,
    )


def written(request: SuiteRequest = REQUEST, without: str = "", **changes: Any) -> str:
    """Return the output; `without`: the benchmark whose cases did not run; `changes`: of the outcomes of HPL."""
    plan = plan_of(request, with_mpi())
    outcomes = {
        name: [outcome(name, case) for case in plan.cases("hpcc", spec)]
        for name, spec in chosen(["hpcc"])[0].items()
        if name != without
    }
    outcomes["hpl"] = [replace(result, **changes) for result in outcomes.get("hpl", [])]
    return results_of(request, with_mpi(), outcomes)


def summary(text: str) -> dict[str, str]:
    section = text.partition("Begin of Summary section.\n")[2].partition("End of Summary section.")[0]
    return dict(line.split("=") for line in section.splitlines())


def test_the_summary_has_the_official_keys_in_their_order() -> None:
    assert list(summary(written())) == KEYS


def test_what_was_measured_is_there() -> None:
    values = summary(written())
    expected = {
        "Success": "1",
        "CommWorldProcs": "2",
        "MPI_Wtick": "1.000000e-09",
        "HPL_Tflops": "5",
        "HPL_time": "7.5",
        "HPL_nbmin": "4",
        "HPL_ctop": "1",
        "HPL_order": "R",
        "PTRANS_GBs": "5",
        "StarDGEMM_Gflops": "0.5",  # the average of the ranks
        "SingleDGEMM_Gflops": "8",
        "StarSTREAM_Triad": "0.5",
        "SingleSTREAM_Copy": "20",  # the best
        "MPIRandomAccess_GUPs": "0.2",
        "MPIRandomAccess_ErrorsFraction": "0.25",
        "StarRandomAccess_GUPs": "0.5",
        "SingleRandomAccess_GUPs": "0.2",
        "MPIFFT_Gflops": "4",
        "StarFFT_Gflops": "0.5",
        "SingleFFT_Gflops": "4",
        "MinPingPongLatency_usec": "1",
        "AvgPingPongLatency_usec": "3",
        "MaxPingPongLatency_usec": "6",
        "MinPingPongBandwidth_GBytes": "1",
        "AvgPingPongBandwidth_GBytes": "3",
        "NaturallyOrderedRingLatency_usec": "3",
        "RandomlyOrderedRingLatency_usec": "4",
        "NaturallyOrderedRingBandwidth_GBytes": "3",
        "RandomlyOrderedRingBandwidth_GBytes": "4",
        **{f"HPL_{name}": value for name, value in OF_SIZES.items()},
    }
    assert {key: values[key] for key in expected} == expected
    words = int(values["MPIRandomAccess_N"])
    assert int(values["MPIRandomAccess_Errors"]) == words // 4
    assert {key: values[f"MPIRandomAccess_{key}"] for key in ("ExeUpdates", "TimeBound", "CheckTime", "time")} == {
        "ExeUpdates": "1000",
        "TimeBound": "60",
        "CheckTime": "2.5",
        "time": "5e-06",  # of the updates that were made
    }


def test_what_was_not_measured_has_the_official_value_for_that() -> None:
    values = summary(written())
    assert {values[key] for key in values if "_LCG_" in key} == {"-1"}
    failed = summary(written(status="failed", reason="no memory"))
    assert (failed["Success"], failed["HPL_Tflops"], failed["HPL_cpfact"]) == ("0", "-1", "-")
    assert list(failed) == KEYS
    alone = summary(written(without="pt2pt"))
    assert alone["MaxPingPongLatency_usec"] == "-1"
    assert [key for key in KEYS if key not in alone] == ["MPI_Wtick"]


def test_keys_of_openmp_are_left_out_where_ranks_have_threads() -> None:
    values = summary(written(SuiteRequest("hpcc", ranks=1, threads=2)))
    assert {"M_OPENMP", "omp_get_num_procs"}.isdisjoint(values)
    assert values["STREAM_Threads"] == "2"


def test_sections_begin_and_end_in_the_official_order() -> None:
    text = written()
    begun, ended = (re.findall(rf"^{word} of (\w+) section\.$", text, re.MULTILINE) for word in ("Begin", "End"))
    assert begun == ended
    assert begun[:4] == ["MPIRandomAccess", "StarRandomAccess", "SingleRandomAccess", "PTRANS"]
    assert begun[-3:] == ["LatencyBandwidth", "HPL", "Summary"]
    assert len(begun) == 14
    assert "no memory" in written(status="failed", reason="no memory", checks={})


def spread(text: str, role: str, unit: str) -> list[tuple[str, str]]:
    """Return the figures of the ranks in the section of a role, each with its word."""
    section = text.partition(f"Begin of {role} section.\n")[2].partition(f"End of {role} section.")[0]
    return re.findall(rf"^(M\w+|Average) {unit} (\S+)$", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("role", "unit"),
    [
        ("StarRandomAccess", "GUP/s"),
        ("StarDGEMM", "Gflop/s"),
        *(("StarSTREAM", f"{name} GB/s") for name in ("Copy", "Scale", "Add", "Triad")),
        ("StarFFT", "Gflop/s"),
    ],
)
def test_star_sections_have_the_spread_of_the_ranks(role: str, unit: str) -> None:
    of_two = [("Minimum", "0.300000"), ("Average", "0.500000"), ("Maximum", "1.000000")]
    assert spread(written(), role, unit) == of_two
    of_one = spread(written(SuiteRequest("hpcc", ranks=1, threads=2)), role, unit)
    assert [word for word, _ in of_one] == ["Minimum", "Average", "Maximum"]
    assert len({figure for _, figure in of_one}) == 1, "a single rank's figure is all three"


def test_a_record_without_the_ranks_own_rates_has_an_average(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CONDITIONS, "rank_rates")
    assert spread(written(), "StarDGEMM", "Gflop/s") == [("Average", "4.000000")]


def lines_from(text: str, pattern: str, after: int) -> list[str]:
    """As grep -A."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if re.search(pattern, line))
    return lines[start : start + after + 1]


@pytest.mark.parametrize(
    ("section", "after", "pattern", "field", "value"),
    [
        ("Begin of MPIRandomAccess section.", 10, "GUP", 1, 0.2),
        ("Begin of StarRandomAccess section.", 10, "GUP", 1, 0.5),
        ("Begin of StarDGEMM section", 20, "Average", 3, 0.5),
        ("Begin of MPIFFT section", 20, "^Gflop", 2, 4.0),
        ("Begin of StarFFT section", 20, "Average Gflop", 3, 0.5),
    ],
)
def test_a_shell_script_finds_figures_in_their_sections(
    section: str, after: int, pattern: str, field: int, value: float
) -> None:
    """HPCHub/benchmarks, tests/hpcc/run.sh: grep -A, awk '/pattern/{print $field}'."""
    matching = next(line for line in lines_from(written(), section, after) if re.search(pattern, line))
    assert float(matching.split()[field - 1]) == pytest.approx(value)


def test_a_perl_script_finds_its_fields() -> None:
    """grok-hpcc.pl: the first line of the file that contains KEY=, split at the sign; only if Success is 1."""
    fields = (
        "HPL_N HPL_NB HPL_nprow HPL_npcol HPL_Tflops CommWorldProcs MaxPingPongLatency_usec HPL_time PTRANS_residual"
    )
    for key in [*fields.split(), *(key for key in KEYS if key.startswith(("PTRANS", "STREAM", "Star", "Single")))]:
        line = next(line for line in written().splitlines() if f"{key}=" in line)
        float(line.split("=")[1])
    assert next(line for line in written().splitlines() if "Success=" in line) == "Success=1"


def test_perfkit_finds_metrics_as_floats() -> None:
    """PerfKitBenchmarker's hpcc_benchmark: key=float anywhere in the file, all of them by name."""
    number = r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?"
    metrics = {key: float(value) for key, value in re.findall(rf"(\w+)\s*=\s*({number})", written())}
    letters = {"VersionRelease", "LANG", "HPL_cpfact", "HPL_crfact", "HPL_order"}
    assert set(KEYS) - letters <= set(metrics)
    assert metrics["StarSTREAM_Triad"] == 0.5
