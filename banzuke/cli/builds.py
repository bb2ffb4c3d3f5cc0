"""Which builds of the programs the cases run with, by their names or by their MPI libraries."""

from collections.abc import Sequence

from banzuke.errors import BanzukeError
from banzuke.launch.complete import commit
from banzuke.program import installed
from banzuke.program.describe import CannotStartError, of_build
from banzuke.text import nearest


def chosen(names: str | None, mpis: str | None) -> tuple[str, ...]:
    """Builds in the order in which they take turns.

    With MPI libraries those of the named builds that have one of them; without names one build for each library, the
    installation itself before others. Raises BanzukeError for what there is not.
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
    """Names between commas, each once. Raises BanzukeError where there is none."""
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
    """All builds, a row of a table each, as their programs tell; one whose programs cannot tell says why."""
    return [
        {
            "name": build,
            **_facts(build),
            "commit": commit(build) or "",
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
