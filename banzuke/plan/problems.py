"""Names the problems of a collection, and finds those of a user's own, in files and folders."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NoReturn

from banzuke.errors import BanzukeError
from banzuke.paths import as_given
from banzuke.plan.benchmark import Collection, Scalar

OWN = "own files"
ALL = "all"
"""Stands for all families together."""
"""Family of the problems that come from files."""


@dataclass(frozen=True)
class CollectionProblem:
    """The problem of a case, apart from how it is solved."""

    family: str
    name: str
    key: str
    """Identifies the problem in other runs too, where files may lie elsewhere."""


def problem(collection: Collection, parameters: Mapping[str, Scalar]) -> CollectionProblem:
    file, family = str(parameters.get(collection.file, "")), str(parameters.get(collection.family, ""))
    if file:
        name = PurePath(file).name
        ending = max((s for s in collection.suffixes if name.lower().endswith(s)), key=len, default="")
        name = name[: len(name) - len(ending)]
        return CollectionProblem(OWN, name, f"file {name}")
    size = str(parameters.get(collection.size, ""))
    return CollectionProblem(family, f"{family} {int(size):,}" if size.isdecimal() else family, f"{family} {size}")


def portable(collection: Collection, parameters: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the parameters with a file by its name alone, on which two runs can agree."""
    file = str(parameters.get(collection.file, ""))
    return {**parameters, **({collection.file: PurePath(file).name} if file else {})}


def own_problems(name: str, collection: Collection) -> list[str]:
    """Return the absolute path of the file `name`, or of all problems in and below the folder `name`. Raises
    BanzukeError.
    """
    path = Path(os.path.abspath(as_given(name)))  # noqa: PTH100  (keeps the name that a link has)
    if not path.is_dir():
        if not path.exists():
            raise BanzukeError(f"there is no file or folder {name}", remedy="Check the path")
        return [str(path)]
    problems = sorted(
        str(Path(folder) / file)
        for folder, _, files in os.walk(path, onerror=_unreadable)
        for file in files
        if file.lower().endswith(collection.suffixes)
    )
    if not problems:
        raise BanzukeError(
            f"{name} holds no {collection.noun}", why=f"no file in it ends in {' or '.join(collection.suffixes)}"
        )
    return problems


def _unreadable(error: OSError) -> NoReturn:
    raise BanzukeError(f"cannot read {error.filename}", why=error.strerror or "") from error
