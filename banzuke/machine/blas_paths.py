"""Finds libraries: in PyPI packages, by modules' variables, in the loader's cache and on its search path."""

import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from banzuke.machine.command import output
from banzuke.paths import packages, prefix

_LIBRARY = re.compile(
    r"lib(openblas(p|o|_omp|_openmp)?|blis(-mt)?|mkl_rt|nvpl_blas_lp64_gomp|armpl_lp64_mp|fjlapackex\w*|flexiblas"
    r"|sci_\w+_mp)\.so(\.\d+)*|libblas\.so\.3"
)
"""LP64 libraries with the CBLAS interface; openblas64 and *_ilp64 take 64-bit integers."""

_MODULE_VARIABLES = (
    "EBROOTOPENBLAS", "OPENBLAS_DIR", "OPENBLAS_ROOT", "OPENBLAS_HOME", "EBROOTBLIS", "EBROOTAOCLMINBLAS",
    "BLIS_DIR", "BLIS_ROOT", "AOCL_ROOT", "AOCLROOT", "EBROOTFLEXIBLAS", "FLEXIBLAS_ROOT", "MKLROOT",
    "EBROOTIMKL", "MKL_ROOT", "ARMPL_DIR", "ARMPL_ROOT", "NVPL_ROOT", "NVPL_DIR", "NVHPC_ROOT",
    "CRAY_LIBSCI_PREFIX_DIR",
)  # fmt: skip
_BELOW = ("lib", "lib64", "lib/intel64", "math_libs/lib64", "math_libs/nvpl/lib")
_SYSTEM = ("/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/lib64", "/opt/intel/oneapi/mkl/latest/lib")
_ALTERNATIVES = re.compile(r"(openblas|blis|atlas)(-\w+)?")
"""Debian keeps each implementation of libblas.so.3 in a folder of its own."""


def library_paths() -> list[str]:
    """Return the paths of existing libraries, deliberate choices first; the same file may appear twice."""
    cached = (path for path in _loader_cache() if _LIBRARY.fullmatch(path.name))
    sources = (from_pypi(), in_folder(prefix() / "lib"), _modules(), _in_folders(_search_path()), cached, _system())
    return list(dict.fromkeys(str(path) for source in sources for path in source))


def default_library() -> str | None:
    """Return the real path of the library that a program linked with -lblas would load."""
    path = next((path for path in _loader_cache() if path.name == "libblas.so.3"), None)
    return os.path.realpath(path) if path else None


def path_of(names: Sequence[str]) -> str | None:
    """Return the path of the first file with one of these names, from PyPI or where the loader finds it:
    `libfftw3_omp.so.3`.
    """
    folders = [prefix() / "lib", *packages().glob("nvidia/*/lib"), *_search_path()]
    paths = [*(folder / name for name in names for folder in folders), *_loader_cache()]
    return next((str(path) for name in names for path in paths if path.name == name and path.is_file()), None)


def in_folder(folder: Path) -> list[Path]:
    """Return one library per name in `folder`: the shortest of libx.so, libx.so.1, libx.so.1.2 that exists."""
    libraries: dict[str, Path] = {}
    try:
        names = sorted((entry.name for entry in folder.iterdir() if _LIBRARY.fullmatch(entry.name)), key=len)
    except OSError:
        return []
    for name in names:
        if (folder / name).is_file():
            libraries.setdefault(name.partition(".so")[0], folder / name)
    return list(libraries.values())


def from_pypi() -> Iterator[Path]:
    """Yield libraries from packages that bring little else."""
    try:
        package = importlib.util.find_spec("scipy_openblas32")
    except (ImportError, ValueError):
        package = None
    for place in (package and package.submodule_search_locations) or ():
        library = Path(place) / "lib" / "libscipy_openblas.so"
        if library.is_file():
            yield library
    # AMD's data analytics library contains AMD's BLIS, under a name that ends in a hash.
    yield from sorted(packages().glob("aoclda.libs/libblis-mt-*.so*"))


def _modules() -> Iterator[Path]:
    for variable in _MODULE_VARIABLES:
        if root := os.environ.get(variable):
            yield from _in_folders(Path(root) / below for below in _BELOW)


def _search_path() -> Iterator[Path]:
    """Return the folders of LD_LIBRARY_PATH."""
    entries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    return (Path(entry) for entry in entries if entry)


@cache
def _loader_cache() -> tuple[Path, ...]:
    command = "ldconfig" if os.access("/sbin/ldconfig", os.X_OK) is False else "/sbin/ldconfig"
    lines = (output([command, "-p"]) or "").splitlines()
    paths = (Path(path) for line in lines if (path := line.partition(" => ")[2]))
    return tuple(path for path in paths if path.is_file())


def _system() -> Iterator[Path]:
    folders = [Path(folder) for folder in _SYSTEM]
    folders += [Path("/usr/lib") / name for name in (f"{os.uname().machine}-linux-gnu",)]
    yield from _in_folders(folders)
    for folder in folders:
        try:
            below = [entry for entry in folder.iterdir() if _ALTERNATIVES.fullmatch(entry.name)]
        except OSError:
            continue
        yield from _in_folders(sorted(below))


def _in_folders(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from in_folder(folder)
