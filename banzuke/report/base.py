"""What all content of a report is made of: checked texts, and figures with their origin."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Model(BaseModel):
    """Its texts hold only characters that HTML, XML and UTF-8 can carry, whatever a record contained."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")

    @model_validator(mode="before")
    @classmethod
    def printable(cls, data: Any) -> Any:
        return _printable(data)


def _printable(data: Any) -> Any:
    if isinstance(data, str):
        return _UNPRINTABLE.sub("\ufffd", data)
    if isinstance(data, dict):
        return {_printable(key): _printable(value) for key, value in data.items()}
    return [_printable(item) for item in data] if isinstance(data, list) else data


class Number(Model):
    """A figure: its SI value, its text, and where it comes from."""

    value: float
    unit: str = Field(description="SI; '1' for a fraction or a count")
    text: str
    case: str = Field(description="provenance.id of the record")
    metric: str
    stat: str = Field(description="median, best, spread, low, high, count, fraction_of_limit, limit, check, ...")
