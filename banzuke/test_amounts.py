"""The base class of what is written: changes are validated like files, unknown values are left out, documents
are read back.
"""

import math
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError, model_validator

from banzuke.amounts import LEAST_AMOUNT, MOST_AMOUNT, Amount, Count, Frozen, Index, amount


class Inner(Frozen):
    size: Count = 0


class Outer(Frozen):
    name: str
    rate: Amount | None = None
    sizes: dict[str, Count] = Field(default_factory=dict)
    cpus: list[Index] = Field(default_factory=list)
    inner: Inner = Inner()

    @model_validator(mode="after")
    def fits(self) -> "Outer":
        if self.inner.size > len(self.cpus):
            raise ValueError("the inner one is too large")
        return self

    @cached_property
    def twice(self) -> float:
        return 2 * (self.rate or 0.0)


ONE = Outer(name="a", rate=1.0, cpus=[0, 1])


def test_a_changed_model_is_as_if_it_had_been_read() -> None:
    assert ONE.twice == 2
    changed = ONE.having(rate=3, inner=Inner(size=2))
    assert (changed.rate, changed.twice, changed.cpus) == (3.0, 6.0, [0, 1])
    assert changed.model_fields_set == {"name", "rate", "cpus", "inner"}
    assert ONE.having() == ONE


@pytest.mark.parametrize("update", [{"rate": math.nan}, {"rate": -1.0}, {"cpus": [2**31]}, {"cpus": [0, None]}])
def test_what_cannot_be_read_cannot_be_had(update: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ONE.having(**update)


def test_several_fields_are_judged_together() -> None:
    with pytest.raises(ValidationError, match="too large"):
        ONE.having(inner=Inner(size=3))
    assert ONE.having(inner=Inner(size=3), cpus=[0, 1, 2]).inner.size == 3


def test_a_name_that_is_no_field_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="Outer has no rates, sise"):
        ONE.having(rates=1.0, sise=2)


def test_what_no_file_may_hold_is_unknown_and_all_else_stays() -> None:
    outer = Outer.of_known(name="a", rate=math.inf, sizes={"x": 1, "y": 2**63, "z": -1}, cpus=[0, 2**40])
    assert outer == Outer(name="a", sizes={"x": 1})
    with pytest.raises(ValidationError):
        Outer.of_known(name=None, rate=1.0)


def test_what_could_not_be_read_again_is_not_written() -> None:
    assert Outer.model_validate_json(ONE.document(indent=1)) == ONE
    with pytest.raises(ValidationError):
        ONE.model_copy(update={"cpus": [2**63]}).document()


@given(st.floats() | st.sampled_from([0.0, LEAST_AMOUNT, MOST_AMOUNT, LEAST_AMOUNT / 2, 2 * MOST_AMOUNT]))
def test_what_follows_from_amounts_is_one_or_unknown(value: float) -> None:
    assert Outer(name="a", rate=amount(value)).rate in (value, None)
