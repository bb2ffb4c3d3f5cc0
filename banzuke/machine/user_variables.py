"""Variables of the user's shell that place, count or steer threads, and what is done with each in our runs."""

import re
from collections.abc import Collection, Iterable, Mapping

PLACING = ("OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""If one of these is set, the user places the threads, and programs do not bind them."""
THREADS = "OMP_NUM_THREADS"
"""Set by the launch."""
COUNTING = (
    *("OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_MAX_ACTIVE_LEVELS", "OMP_NESTED", "KMP_ALL_THREADS"),
    *("KMP_DEVICE_THREAD_LIMIT", "KMP_HW_SUBSET", "KMP_PLACE_THREADS", "KMP_DYNAMIC_MODE"),
    *("OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("MKL_NUM_THREADS", "MKL_DOMAIN_NUM_THREADS"),
)
"""Removed for our runs, because a case says how many threads there are and on which processors."""
BINDING = ("HYDRA_BINDING", "HYDRA_MAPPING", "HYDRA_MEMBIND")
"""Removed, because MPICH's launcher would bind ranks and their memory elsewhere before the programs bind themselves."""
WAITING = (
    *("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY", "OMP_STACKSIZE", "OMP_SCHEDULE"),
    *("OPENBLAS_MAIN_FREE", "GOTOBLAS_MAIN_FREE"),
)
"""Kept, and named where a figure lies below its limit."""
_KEPT = re.compile(
    r"(OMP|GOMP|KMP|OPENBLAS|GOTO|GOTOBLAS|BLIS|MKL|I_MPI|HYDRA|MPICH|MPIR_CVAR|MV2|OMPI_MCA|PRTE_MCA|UCX|FI|PSM2?)_\w+"
    r"|SLURM_(CPU|MEM)_BIND"
)
"""Matches variables that OpenMP, BLAS and MPI libraries read: recorded as inherited."""


def placing(environment: Mapping[str, str]) -> str:
    """Return the variable with which the user places threads; empty: none. A variable set to nothing does not count."""
    return next((name for name in PLACING if environment.get(name, "").strip()), "")


def removed(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that our runs do not get."""
    return [
        *(name for name in PLACING if name in environment and not environment[name].strip()),
        *(name for name in (*COUNTING, *BINDING) if name in environment),
    ]


def inherited_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that our runs get unchanged, for the record."""
    without = removed(environment)
    return {
        name: value
        for name, value in sorted(environment.items())
        if value and name not in without and _KEPT.fullmatch(name)
    }


def remarks(environment: Mapping[str, str], used: Iterable[Collection[int]] = (), *, bound: bool = False) -> list[str]:
    """Return sentences to print before a run.

    `used`: for each benchmark, numbers of threads of its main case; `bound`: every case binds its threads itself.
    """
    sentences = []
    if (names := [name for name in PLACING if environment.get(name, "").strip()]) and not bound:
        sentences.append(
            f"{_set(names, environment)} {_is(names)} set, so Banzuke leaves placing threads to {_it(names)}. If "
            "threads then share a core, the figures are left out of summaries. To let Banzuke bind them, unset "
            f"{' and '.join(names)}"
        )
    if names := removed(environment):
        sentences.append(
            f"{_set(names, environment)} {_is(names)} ignored: Banzuke sets the number and places of threads itself "
            "(--threads, --cores)"
        )
    if (asked := environment.get(THREADS, "").strip()) and any(_first(asked) not in counts for counts in used):
        sentences.append(f"{THREADS}={asked} is ignored: Banzuke sets the number of threads (--threads)")
    return sentences


def _first(asked: str) -> int | None:
    """Return the threads of the outermost level, as in `4,2`; None: not a number."""
    number = asked.partition(",")[0].strip()
    return int(number) if re.fullmatch(r"[0-9]{1,9}", number) else None


def _set(names: Iterable[str], environment: Mapping[str, str]) -> str:
    return " ".join(f"{name}={environment[name]}" for name in names)


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
