"""Selection of builds of the programs, by name or by MPI library, and a description of each."""

from collections.abc import Sequence

from banzuke.errors import BanzukeError
from banzuke.program import installed
from banzuke.program.describe import CannotStartError, of_build
from banzuke.text import nearest


def chosen(names: str | None, mpis: str | None) -> tuple[str, ...]:
    """Return the selected builds in the order in which they take turns.

    With `mpis`, these are the named builds that use one of these libraries; without names, one build for each library,
    preferably the installation itself. Raises BanzukeError for a build or library that does not exist.
    """
    named = listed("--build", names) if names is not None else []
    for build in named:
        installed.folder(build)
    if mpis is None:
        return tuple(named) or (installed.DEFAULT,)
    wanted = listed("--mpi", mpis)
    libraries = {build: _mpi(build) for build in named or installed.builds()}
    if unknown := next((mpi for mpi in wanted if mpi not in libraries.values()), None):
        available = ", ".join(f"{build} for {mpi or 'an unknown one'}" for build, mpi in libraries.items())
        raise BanzukeError(
            f"no build is for the MPI library '{unknown}'",
            why=f"there is {available}",
            remedy=f"{nearest(unknown, list(dict.fromkeys(filter(None, libraries.values()))))}. "
            "`make build NAME=... MPI=FOLDER` adds one",
        )
    if named:
        return tuple(build for build in named if libraries[build] in wanted)
    return tuple(next(build for build in libraries if libraries[build] == mpi) for mpi in wanted)


def listed(option: str, text: str) -> Sequence[str]:
    """Return the names in a comma-separated list, each once. Raises BanzukeError if one is empty."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise BanzukeError(f"{option} '{text}' is not understood", remedy=f"Write {option} NAME, or {option} NAME,NAME")
    return list(dict.fromkeys(names))


def _mpi(build: str) -> str:
    try:
        return of_build(build).mpi_name
    except CannotStartError:
        return ""


def describe_builds() -> list[dict[str, str]]:
    """Describe all builds, a table row each, as their programs report, or with the problem if they cannot."""
    return [
        {
            "name": build,
            **_facts(build),
            "commit": installed.commit(build) or "",
            "date": installed.build_facts(build).get("date", ""),
        }
        for build in installed.builds()
    ]


def _facts(build: str) -> dict[str, str]:
    try:
        said, problem = of_build(build).model_dump(), ""
    except BanzukeError as error:
        said, problem = {}, str(error)
    return {name: said.get(name, "") for name in ("compiler", "flags", "mpi_name", "mpi")} | {"problem": problem}
