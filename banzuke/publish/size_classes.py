"""Size classes of editions: data in `sizes/`, one file for each year, which never change."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field, TypeAdapter

from banzuke.amounts import Frozen, Name, Positive
from banzuke.record.model import Record

FOLDER = Path(__file__).with_name("sizes")
OWN = "own"
"""Class of a benchmark whose sizes are its own, and the same everywhere."""


class Sizes(Frozen):
    """How the size of a benchmark's problem is computed, and the least size of each class."""

    parameters: list[Name] = Field(default_factory=list)
    each_rank: bool = False
    classes: dict[Name, Positive] = Field(default_factory=dict)


_SIZES = TypeAdapter(dict[str, Sizes])


@cache
def sizes_of(edition: str) -> Mapping[str, Sizes]:
    """Return the sizes of an edition by benchmark."""
    return _SIZES.validate_python(tomllib.loads((FOLDER / f"{edition}.toml").read_text(encoding="utf-8")))


def size_class(edition: str, record: Record) -> str | None:
    """Return the class that a record's problem is of; None: it is smaller than all, or the edition has none for it."""
    sizes = sizes_of(edition).get(record.benchmark)
    if sizes is None or not sizes.classes:
        return None if sizes is None else OWN
    extents = [record.parameters.get(name) for name in sizes.parameters]
    numbers = [float(extent) for extent in extents if isinstance(extent, int | float)]
    if len(numbers) < len(extents):
        return None
    size = math.prod(numbers) * (record.ranks if sizes.each_rank else 1)
    reached = [name for name, least in sizes.classes.items() if size >= least]
    return max(reached, key=lambda name: sizes.classes[name], default=None)
