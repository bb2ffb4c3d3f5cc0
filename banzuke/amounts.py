"""Types of what a file may hold: numbers in SI units, names, closed structures. Anything else is damage and is refused
on reading.

Products and ratios of several such amounts stay finite, and whole numbers fit the programs' 64 bits.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypeAliasType

LEAST_AMOUNT, MOST_AMOUNT = 1e-30, 1e30
"""Smallest and largest amount that is not 0."""
_WHOLE = 2**63 - 1


def _not_tiny(value: float) -> float:
    if 0 < value < LEAST_AMOUNT:
        raise ValueError(f"Input should be 0 or at least {LEAST_AMOUNT:g}")
    return value


Real = Annotated[float, Field(ge=-MOST_AMOUNT, le=MOST_AMOUNT, allow_inf_nan=False)]
"""A signed number, which may be as tiny as a residual's square."""
Amount = Annotated[float, Field(ge=0, le=MOST_AMOUNT, allow_inf_nan=False), AfterValidator(_not_tiny)]
Positive = Annotated[float, Field(ge=LEAST_AMOUNT, le=MOST_AMOUNT, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-_WHOLE - 1, le=_WHOLE)]
Count = Annotated[int, Field(ge=0, le=_WHOLE)]
Several = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number of ranks, threads or nodes, which the programs hold in an `int`."""
Index = Annotated[int, Field(ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(min_length=1)]
Scalar = bool | Whole | Real | str
"""A parameter's value."""
Tree = TypeAliasType("Tree", "Scalar | list[Tree] | dict[str, Tree] | None")
"""Scalars, and lists and tables of them; None stands for a number that is not finite."""


def amount(value: float) -> float | None:
    """Return a value computed from amounts if it is an amount too; None: no file may hold it."""
    return value if value == 0 or LEAST_AMOUNT <= value <= MOST_AMOUNT else None


class Frozen(BaseModel):
    """A model that cannot be changed, and that refuses fields that are not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def having(self, **update: Any) -> Self:
        """Return a copy with other values of these fields, validated as if it were read.

        Raises ValidationError, and TypeError for a name that is none of its fields.
        """
        if unknown := update.keys() - type(self).model_fields.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        kept = {name: value for name, value in self.__dict__.items() if name in self.model_fields_set}
        return self.model_validate({**kept, **update}, by_name=True)

    @classmethod
    def of_known(cls, **values: Any) -> Self:
        """Return a model with those of the values that a file may hold; the others are unknown, as if not given.

        Raises ValidationError where a value that is needed is left out.
        """
        while True:
            try:
                return cls.model_validate(values, by_name=True)
            except ValidationError as error:
                fewer = _without(values, [problem["loc"] for problem in error.errors()])
                if fewer == values:
                    raise
                values = fewer

    def document(self, indent: int | None = None) -> bytes:
        """Return the text of its file, after reading it back as a check. Raises ValueError where that fails."""
        content = self.model_dump_json(indent=indent).encode() + b"\n"
        self.model_validate_json(content)
        return content


def _without(values: Mapping[str, Any], places: Iterable[tuple[int | str, ...]]) -> dict[str, Any]:
    """Return the values without the fields, or the entries of their tables, that were refused."""
    left = dict(values)
    for field, *inner in filter(None, places):
        if field not in left:
            continue
        table = left.pop(str(field))
        if isinstance(table, dict) and inner and inner[0] in table:
            left[str(field)] = {name: value for name, value in table.items() if name != inner[0]}
    return left
