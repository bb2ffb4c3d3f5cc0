"""Prints the suite's results as HPC Challenge 1.5.0 does, so that scripts that read hpccoutf.txt keep working.

Keys and their order are those of the official code, and what was not measured has its value for a part that did not
run. Left out are keys of which no such value is known: `MPI_Wtick` without messages, and those of OpenMP with several
threads, because they are of the official program.
"""

import ctypes
import sys
import time
from collections.abc import Mapping, Sequence

from banzuke.plan.official import Outcome
from banzuke.plan.suite import SuiteResults

RULE = "#" * 72
SECTIONS = (
    "MPIRandomAccess",
    "StarRandomAccess",
    "SingleRandomAccess",
    "PTRANS",
    "StarDGEMM",
    "SingleDGEMM",
    "StarSTREAM",
    "SingleSTREAM",
    "MPIFFT",
    "StarFFT",
    "SingleFFT",
    "LatencyBandwidth",
    "HPL",
)
"""In the order of the official code."""
NOT_RUN, NOT_SET, ABSENT = "-1", "-", ""
"""Values of numbers and of letters of a part that did not run; of a key that is left out."""
SIZES = {
    "char": ctypes.sizeof(ctypes.c_char),
    "short": ctypes.sizeof(ctypes.c_short),
    "int": ctypes.sizeof(ctypes.c_int),
    "long": ctypes.sizeof(ctypes.c_long),
    "void_ptr": ctypes.sizeof(ctypes.c_void_p),
    "size_t": ctypes.sizeof(ctypes.c_size_t),
    "float": ctypes.sizeof(ctypes.c_float),
    "double": ctypes.sizeof(ctypes.c_double),
    "s64Int": ctypes.sizeof(ctypes.c_int64),
    "u64Int": ctypes.sizeof(ctypes.c_uint64),
    "struct_double_double": 2 * ctypes.sizeof(ctypes.c_double),
}
"""Bytes of types of C."""
DOUBLE = {
    "EPS": sys.float_info.epsilon / 2,
    "SFMIN": sys.float_info.min,
    "BASE": sys.float_info.radix,
    "PREC": sys.float_info.epsilon,
    "MLEN": sys.float_info.mant_dig,
    "RND": 1.0,
    "EMIN": sys.float_info.min_exp,
    "RMIN": sys.float_info.min,
    "EMAX": sys.float_info.max_exp,
    "RMAX": sys.float_info.max,
}
"""IEEE's double precision, by the names of LAPACK's dlamch."""
SINGLE = {
    "EPS": 2.0**-24,
    "SFMIN": 2.0**-126,
    "BASE": 2.0,
    "PREC": 2.0**-23,
    "MLEN": 24.0,
    "RND": 1.0,
    "EMIN": -125.0,
    "RMIN": 2.0**-126,
    "EMAX": 128.0,
    "RMAX": (2.0 - 2.0**-23) * 2.0**127,
}
HPL_NUMBERS = ("time", "eps", "RnormI", "Anorm1", "AnormI", "Xnorm1", "XnormI", "BnormI", "N", "NB", "nprow", "npcol")
RANDOM_ACCESS = ("N", "time", "CheckTime", "Errors", "ErrorsFraction", "ExeUpdates", "GUPs", "TimeBound", "Algorithm")
KERNELS = ("Copy", "Scale", "Add", "Triad")
MESSAGES = (
    "MaxPingPongLatency_usec",
    "RandomlyOrderedRingLatency_usec",
    "MinPingPongBandwidth_GBytes",
    "NaturallyOrderedRingBandwidth_GBytes",
    "RandomlyOrderedRingBandwidth_GBytes",
    "MinPingPongLatency_usec",
    "AvgPingPongLatency_usec",
    "MaxPingPongBandwidth_GBytes",
    "AvgPingPongBandwidth_GBytes",
    "NaturallyOrderedRingLatency_usec",
)
TIMES_OF_FFT = 7
SYMBOLS = (
    "HPCC_FFT_235",
    "HPCC_FFTW_ESTIMATE",
    "HPCC_MEMALLCTR",
    "HPL_USE_GETPROCESSTIMES",
    "RA_SANDIA_NOPT",
    "RA_SANDIA_OPT2",
    "USING_FFTW",
)
"""Names that the official code may be compiled with."""


def write(results: SuiteResults) -> str:
    """Return the whole output."""
    sections = {role: text for lines in results.lines for role, text in lines.sections.items()}
    ended = max((outcome.started.timestamp() for outcome in results.outcomes), default=0.0)
    begun = min((outcome.started.timestamp() for outcome in results.outcomes), default=0.0)
    return (
        f"{RULE}\nBanzuke, in the format of the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\n"
        f"{_current(begun)}\nHostname: '{results.host}'\n{RULE}\n"
        + "".join(_section(role, sections[role], ended) for role in SECTIONS if role in sections)
        + _summary(results)
        + f"{RULE}\nEnd of HPC Challenge tests.\n{_current(ended)}\n{RULE}\n"
    )


def _current(seconds: float) -> str:
    return f"Current time ({seconds:.0f}) is {time.ctime(seconds)}\n"


def _section(role: str, text: str, ended: float) -> str:
    return f"Begin of {role} section.\n{text}{_current(ended)}\nEnd of {role} section.\n"


def _summary(results: SuiteResults) -> str:
    measured = {key: value for lines in results.lines for key, value in lines.values.items()}
    defaults = keys(results)
    if unknown := measured.keys() - defaults.keys():
        raise AssertionError(f"the official code's summary has no {' and no '.join(sorted(unknown))}")
    lines = {**defaults, **measured}
    text = "".join(f"{key}={value}\n" for key, value in lines.items() if value != ABSENT)
    return f"Begin of Summary section.\n{text}End of Summary section.\n"


def keys(results: SuiteResults) -> dict[str, str]:
    """Return all keys in the official order, with the values that do not come from a part."""
    return {
        **_program(results),
        "HPL_Tflops": NOT_RUN,
        **{f"HPL_{name}": NOT_RUN for name in (*HPL_NUMBERS, "depth", "nbdiv", "nbmin")},
        **{f"HPL_{name}": NOT_SET for name in ("cpfact", "crfact", "ctop", "order")},
        **{f"HPL_dMACH_{name}": f"{value:e}" for name, value in DOUBLE.items()},
        **{f"HPL_sMACH_{name}": f"{value:e}" for name, value in SINGLE.items()},
        "dweps": f"{DOUBLE['EPS']:e}",
        "sweps": f"{SINGLE['EPS']:e}",
        "HPLMaxProcs": str(max(p * q for p, q in results.problem.grids)),
        "HPLMinProcs": str(min(p * q for p, q in results.problem.grids)),
        **_not_run("DGEMM_N", "StarDGEMM_Gflops", "SingleDGEMM_Gflops"),
        **_not_run(*(f"PTRANS_{name}" for name in ("GBs", "time", "residual", "n", "nb", "nprow", "npcol"))),
        **_not_run(*(f"MPIRandomAccess{kind}_{name}" for kind in ("_LCG", "") for name in RANDOM_ACCESS)),
        **_not_run(
            *(
                f"{name}RandomAccess{kind}_{figure}"
                for kind in ("_LCG", "")
                for name, figure in (("", "N"), ("Star", "GUPs"), ("Single", "GUPs"))
            )
        ),
        "STREAM_VectorSize": NOT_RUN,
        "STREAM_Threads": "1",
        **_not_run(*(f"{kind}STREAM_{kernel}" for kind in ("Star", "Single") for kernel in KERNELS)),
        **_not_run("FFT_N", "StarFFT_Gflops", "SingleFFT_Gflops"),
        **_not_run("MPIFFT_N", "MPIFFT_Gflops", "MPIFFT_maxErr", "MPIFFT_Procs"),
        **_not_run(*MESSAGES, "FFTEnblk", "FFTEnp", "FFTEl2size"),
        **_openmp(results.problem.threads),
        **_not_run("MemProc", "MemSpec", "MemVal"),
        **{f"MPIFFT_time{number}": "0" for number in range(TIMES_OF_FFT)},
        **{f"CPS_{name}": "0" for name in SYMBOLS},
    }


def _program(results: SuiteResults) -> Mapping[str, str]:
    return {
        "VersionMajor": "1",
        "VersionMinor": "5",
        "VersionMicro": "0",
        "VersionRelease": "f",
        "LANG": "C",
        "Success": str(int(successful(results.outcomes))),
        **{f"sizeof_{name}": str(size) for name, size in SIZES.items()},
        "CommWorldProcs": str(results.problem.ranks),
        "MPI_Wtick": ABSENT,
    }


def successful(outcomes: Sequence[Outcome]) -> bool:
    return bool(outcomes) and all(outcome.status == "ok" for outcome in outcomes)


def _openmp(threads: int) -> Mapping[str, str]:
    """Return the values of a program without OpenMP, which has one thread; with more, the keys are left out."""
    names = ("omp_get_num_threads", "omp_get_max_threads", "omp_get_num_procs")
    single = threads == 1
    return {"M_OPENMP": NOT_RUN if single else ABSENT, **dict.fromkeys(names, "0" if single else ABSENT)}


def _not_run(*names: str) -> Mapping[str, str]:
    return dict.fromkeys(names, NOT_RUN)
