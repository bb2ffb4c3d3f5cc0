"""Descriptions of a machine that are refused."""

import pytest
from pydantic import ValidationError

from banzuke.machine.model import Machine
from banzuke.testing import machine


@pytest.mark.parametrize("old", [{"name": "old", "cpu": {"model": "Example"}}, {"schema_version": 1, "name": "old"}])
def test_a_description_of_schema_1_is_refused_with_what_to_do(old: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        Machine.model_validate(old)
    (only,) = refused.value.errors()
    assert "reads only schema 2: write it again with `banzuke machine --json`" in only["msg"]


def test_an_unknown_field_is_no_matter_of_the_version() -> None:
    with pytest.raises(ValidationError, match=r"(?s)cpu.*Extra inputs"):
        Machine.model_validate({**machine().model_dump(), "cpu": 1})
