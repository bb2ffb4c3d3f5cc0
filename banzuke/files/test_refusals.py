"""Everything that a model refuses in a file that a person wrote, each with its line and what may have been meant."""

import json
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from banzuke.files.refusals import MOST_REFUSALS, json_refusals, refusals


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Node(Strict):
    cores: int
    power: Annotated[float | None, Field(gt=0)] = None


class Other(Strict):
    limit: int
    colour: str


class Part(Strict):
    nodes: list[Node]
    tables: dict[str, Node] = Field(default_factory=dict)
    size: int | str | bool = 1
    limit: Annotated[int, Field(gt=0)] | list[int] = 1
    names: str | list[str] | dict[str, str | int] = ""
    either: Node | Other | None = None

    @field_validator("tables")
    @classmethod
    def few(cls, tables: dict[str, Node]) -> dict[str, Node]:
        if len(tables) > 2:
            raise ValueError("there are too many")
        return tables


def told(content: object, *, indent: int | None = None) -> str:
    text = json.dumps(content, indent=indent)
    with pytest.raises(ValidationError) as refusal:
        Part.model_validate_json(text)
    return json_refusals(refusal.value, Part, text)


def test_all_are_named_in_the_order_of_the_file() -> None:
    content = {
        "nodse": 1,
        "nodes": [{"cores": 1}, {"coers": 'x\n{["', "power": -1}],
        "tables": {"a": {"cores": 1, "cors": 2}},
    }
    assert told(content, indent=1).split("; ") == [
        "line 2: nodse is unknown (did you mean 'nodes'?)",
        "line 7: nodes.1.cores is missing",
        "line 8: nodes.1.coers is unknown (did you mean 'cores'?)",
        "line 9: nodes.1.power: should be greater than 0, not -1",
        "line 15: tables.a.cors is unknown (did you mean 'cores'?)",
    ]


def test_what_resembles_nothing_shows_what_there_is() -> None:
    assert (
        told({"nodes": [], "xyz": 1}) == "line 1: xyz is unknown (there are nodes, tables, size, limit, names, either)"
    )


def test_contradictions_are_in_their_own_words() -> None:
    tables = {str(number): {"cores": 1} for number in range(3)}
    assert told({"nodes": [], "tables": tables}) == "line 1: tables: there are too many"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"size": [1]}, "size: a whole number, not [1]"),
        ({"size": None}, "size: a whole number, not null"),
        ({"limit": 0}, "limit: should be greater than 0, not 0"),
        ({"limit": [1, "x"]}, "limit.1: a whole number, without quotes, not 'x'"),
        ({"names": [1]}, 'names.0: a text, in quotes: "1"'),
        ({"names": {"int": None}}, "names.int: a text, not null"),
        ({"names": {"str": [None, True]}}, "names.str: a text, not [null, true]"),
        ({"either": {"cores": 1, "colour": ""}}, "either.colour is unknown (there are cores, power)"),
        ({"either": {"limit": 1, "colour": 1}}, 'either.colour: a text, in quotes: "1"'),
        ({"either": {"colour": "", "limt": 1}}, "either.limt is unknown (did you mean 'limit'?)"),
        ({"either": "none"}, "either: a table, not 'none'"),
    ],
)
def test_a_value_of_several_types_is_refused_once_by_its_own_keys(value: object, words: str) -> None:
    said = told({"nodes": [], **value}).split("; ")  # type: ignore[dict-item]
    assert f"line 1: {words}" in said
    assert len(said) == 1 + ("lim" in words and "either" in words)


def test_of_very_many_the_rest_is_counted() -> None:
    with pytest.raises(ValidationError) as refusal:
        Part.model_validate({"nodes": [{} for _ in range(MOST_REFUSALS + 3)]})
    sentences = refusals(refusal.value, Part, lambda key: 3 + int(key[1]))
    assert (sentences[0], sentences[-1], len(sentences)) == (
        "line 3: nodes.0.cores is missing",
        "and 3 more",
        MOST_REFUSALS + 1,
    )
