"""What all content of a report is made of: checked texts, and figures with their origin."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from banzuke.text import printable


class Model(BaseModel):
    """Its texts hold only characters that can be read, whatever a record contained."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")

    @model_validator(mode="before")
    @classmethod
    def texts(cls, data: Any) -> Any:
        return _printable(data)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        return super().model_copy(update=_printable(update), deep=deep)


def _printable(data: Any) -> Any:
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, dict):
        return {_printable(key): _printable(value) for key, value in data.items()}
    return [_printable(item) for item in data] if isinstance(data, list) else data


class Value(Model):
    value: float = Field(description="SI")
    text: str


class Number(Model):
    """A figure: its SI value, its text, and where it comes from."""

    value: float
    unit: str = Field(description="SI; '1' for a fraction or a count")
    text: str
    case: str = Field(description="provenance.id of the record; of several launches that of the median one")
    metric: str
    stat: str = Field(description="median, best, spread, low, high, count, fraction_of_limit, limit, check, ...")
