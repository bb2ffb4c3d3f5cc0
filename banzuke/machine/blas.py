"""BLAS libraries: which ones are installed, how fast each is, and which environment variables affect them.

A library that dispatches by processor can be forced onto another processor's kernels by a variable that was set long
ago for something else. It then runs at a fraction of its speed without any message.
"""

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.machine import probe as prober
from banzuke.machine.blas_paths import default_library, library_paths
from banzuke.machine.site import Blas
from banzuke.machine.user_variables import removed

_BLIS = ("BLIS_ARCH_TYPE", "BLIS_MODEL_TYPE", "BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT")

_STEERING = {
    "OpenBLAS": ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_BLOCK_FACTOR"),
    "MKL": ("MKL_DEBUG_CPU_TYPE", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR", "MKL_DYNAMIC"),
    "BLIS": _BLIS,
    "AOCL-BLAS": (*_BLIS, "AOCL_ENABLE_INSTRUCTIONS"),
    "NVPL": ("NVPL_BLAS_DEBUG_CPU_TYPE",),
}
"""Variables that make a library choose other kernels, or divide work differently, than it would by default."""

ROUNDS = 2

_WRONG = "wrong product"
"""The probe's message when a result did not pass its check."""

UPDATE_SECONDS = 0.3
_UPDATE_WORK = 9e3
"""Approximate number of flops that the update's probe does for each element of C."""
_UPDATE_ORDERS = (500, 12000)
"""Smallest and largest order: slow libraries would take too long, fast ones too much memory (1.2 GB)."""

_NOISE = 1.03
"""Ratio of two probed rates below which they do not differ."""

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
)


def family(path: str) -> str:
    """Return the name of a library by its path, also for Debian's .../blis-openmp/libblas.so.3."""
    text = path.lower()
    for mark, name in (
        ("openblas", "OpenBLAS"), ("mkl_rt", "MKL"), ("aocl", "AOCL-BLAS"), ("blis", "BLIS"), ("nvpl", "NVPL"),
        ("armpl", "ArmPL"),
        ("fjlapack", "Fujitsu SSL II"), ("flexiblas", "FlexiBLAS"), ("atlas", "ATLAS"), ("libsci", "LibSci"),
    ):  # fmt: skip
        if mark in text:
            return name
    return "BLAS"


def candidates(user_path: str | None = None) -> list[Blas]:
    """Return the libraries on this machine by real path, the user's first; nothing is loaded.

    Raises BanzukeError when `user_path` is not a file.
    """
    paths: list[str] = []
    if user_path is not None:
        if not Path(user_path).is_file():
            raise BanzukeError(f"no BLAS library at {user_path}", remedy="Give the path of a shared library")
        paths.append(str(Path(user_path).absolute()))
    paths += library_paths()
    libraries: dict[str, Blas] = {}
    for path in paths:
        real = os.path.realpath(path)
        libraries.setdefault(real, Blas(name=family(real), path=path))
    wanted = {default_library(), os.path.realpath(user_path) if user_path else None}
    every = libraries.values()
    return [library for real, library in libraries.items() if real in wanted or not _alternative_name(real, every)]


def _alternative_name(real: str, libraries: Iterable[Blas]) -> bool:
    """Return whether this is a second copy: Debian also installs a library as one of the libblas.so.3."""
    named = (library for library in libraries if Path(library.path).name != "libblas.so.3")
    return Path(real).name == "libblas.so.3" and any(library.name == family(real) for library in named)


def steering(name: str, environment: Mapping[str, str]) -> list[str]:
    """Return the variables in `environment` that steer the library `name`."""
    return [variable for variable in _STEERING.get(name, ()) if variable in environment]


def variables(library: Blas, threads: int, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment in which to run a program that uses `library` with `threads` threads."""
    settings = dict(os.environ if environment is None else environment)
    for name in (*library.unset, *removed(settings)):
        settings.pop(name, None)
    settings |= dict.fromkeys(_THREADS, str(threads))
    if library.name == "MKL":
        settings["MKL_THREADING_LAYER"] = "GNU"
    return settings


def probe(
    libraries: Sequence[Blas],
    cpus: Sequence[int],
    n: int | None = None,
    report: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Blas]:
    """Return the libraries with their DGEMM rates, one thread on each of `cpus`; fastest first, unusable ones last.

    Where steering variables are set, each library is measured with and without them; the faster way is kept, and the
    removed names are in `unset`. `n` is the order of the matrices; the default grows with `cpus`. The `update_rates` of
    the fastest are measured too. `report` is called with the number of finished probes, and of all.
    """
    order = n or min(8000, 1000 * math.ceil(math.sqrt(max(1, len(cpus)) / 2)))
    total = ROUNDS * len(libraries) + 1
    rounds = []
    for number in range(ROUNDS):  # in rounds, so that a disturbance does not affect one library alone
        for done, library in enumerate(libraries):
            report(number * len(libraries) + done, total)
            rounds.append(_best_way(library, cpus, order))
    best = [max(rounds[i :: len(libraries)], key=_rate) for i in range(len(libraries))]
    report(total - 1, total)
    return _with_update_rates(sorted(best, key=_rate, reverse=True), cpus)


def _with_update_rates(ranked: list[Blas], cpus: Sequence[int]) -> list[Blas]:
    """Return the libraries with update rates for the fastest. If its update is wrong, it is unusable, and the next one
    is tried; if the probe only fails, for lack of memory or time, its rates stay unknown.
    """
    if not ranked or not ranked[0].flop_rate:
        return ranked
    best, *others = ranked
    least, most = _UPDATE_ORDERS
    n = min(most, max(least, int(math.sqrt(UPDATE_SECONDS * _rate(best) / _UPDATE_WORK))))
    try:
        answer = prober.update(best.path, cpus, n=n, environment=variables(best, len(cpus)))
    except BanzukeError as error:
        if _WRONG not in str(error):
            return ranked
        failed = best.having(flop_rate=None, problem=str(error))
        return _with_update_rates([*others, failed], cpus)
    return [best.having(update_rates=answer.flop_rates), *others]


def _rate(library: Blas) -> float:
    return library.flop_rate or 0.0


def _best_way(library: Blas, cpus: Sequence[int], n: int) -> Blas:
    as_is = _measured(library.having(unset=[]), cpus, n)
    names = steering(library.name, os.environ)
    if not names:
        return as_is
    freed = _measured(library.having(unset=names), cpus, n)
    if _rate(freed) <= _NOISE * _rate(as_is):
        return as_is
    return freed.having(slowed_rate=as_is.flop_rate)


def _measured(library: Blas, cpus: Sequence[int], n: int) -> Blas:
    try:
        answer = prober.dgemm(library.path, cpus, n=n, environment=variables(library, len(cpus)))
    except BanzukeError as error:
        return library.having(flop_rate=None, problem=str(error))
    update = {"version": _version(answer.name), "flop_rate": answer.flop_rate, "problem": None}
    return library.having(**update)


def _version(text: str) -> str | None:
    """Return what follows the family's name: "0.3.34 SkylakeX" of "OpenBLAS 0.3.34 SkylakeX"; MKL's text is longer."""
    match = re.search(r"\bVersion (\d[\w.]*)", text) or re.match(r"[\w-]+ (\d.*)", text)
    return match[1] if match else None


def explain(libraries: Sequence[Blas]) -> str:
    """Return lines that say which of the probed libraries is the fastest, how much slower others are, and what
    slows one down.
    """
    usable = [library for library in libraries if library.flop_rate]
    if not usable:
        return "No usable BLAS library was found." if libraries else "No BLAS library was found."
    best, *others = usable
    lines = [f"Fastest: {_titled(best)} ({best.path}), {_rate(best) / 1e9:.0f} Gflop/s."]
    default = default_library()
    silent = next((library for library in others if default and os.path.realpath(library.path) == default), None)
    if others and others[0] is not silent:
        lines.append(f"{_against(best, others[0])}.")
    if silent:
        lines.append(f"{_against(best, silent)} ({silent.path}), which programs linked with -lblas use.")
    slowed = next((library for library in usable if library.unset and library.slowed_rate), None)
    if slowed and slowed.slowed_rate:
        cost = f"{_rate(slowed) / slowed.slowed_rate:.1f}"
        names, slow = ", ".join(slowed.unset), "slows" if len(slowed.unset) == 1 else "slow"
        lines.append(f"{names}, set here, {slow} {slowed.name} down by a factor of {cost}: unset for these runs.")
    return "\n".join(lines)


def explain_update(libraries: Sequence[Blas]) -> str:
    """Return a line with the rates of an LU's update with the chosen library, by block size."""
    rates = next((library.update_rates for library in libraries), {})
    listed = ", ".join(f"{rate / 1e9:.0f} at {k}" for k, rate in sorted(rates.items()))
    return f"LU update in Gflop/s, by block size: {listed or 'unknown'}."


def _against(best: Blas, other: Blas) -> str:
    ratio = _rate(best) / _rate(other)
    if ratio < _NOISE:
        return f"No faster than {_titled(other)}"
    return (
        f"{ratio:.1f}x as fast as {_titled(other)}" if ratio >= 1.2 else f"{ratio - 1:.0%} faster than {_titled(other)}"
    )


def _titled(library: Blas) -> str:
    return f"{library.name} {library.version}" if library.version else library.name
