"""What a file may hold: numbers in SI units, names, closed structures. All else is damage, and refused on reading.

Products and ratios of several such amounts stay finite, and whole numbers fit the programs' 64 bits.
"""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

LEAST, MOST = 1e-30, 1e30
"""Of an amount that is not 0."""
_WHOLE = 2**63 - 1


def _not_tiny(value: float) -> float:
    if 0 < value < LEAST:
        raise ValueError(f"Input should be 0 or at least {LEAST:g}")
    return value


Real = Annotated[float, Field(ge=-MOST, le=MOST, allow_inf_nan=False)]
"""Also as tiny as a residual's square."""
Amount = Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False), AfterValidator(_not_tiny)]
Positive = Annotated[float, Field(ge=LEAST, le=MOST, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-_WHOLE - 1, le=_WHOLE)]
Count = Annotated[int, Field(ge=0, le=_WHOLE)]
Several = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""Ranks, threads, nodes: what the programs hold in an `int`."""
Index = Annotated[int, Field(ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(min_length=1)]
Scalar = bool | Whole | Real | str
"""A parameter's value."""
Tree = TypeAliasType("Tree", "Scalar | list[Tree] | dict[str, Tree] | None")
"""Values, and lists and tables of such; None: not a finite number."""


class Frozen(BaseModel):
    """Cannot be changed, and refuses fields that are not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")
