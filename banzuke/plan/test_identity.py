"""Texts by which interrupted runs are found again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from banzuke.plan.identity import canonical, unusual


def test_fields_that_are_usual_are_left_out_at_each_level() -> None:
    @dataclass(frozen=True)
    class Inner:
        a: int = 1
        b: tuple[int, ...] = ()

    @dataclass(frozen=True)
    class Outer:
        always: str
        inner: Inner = field(default_factory=Inner)
        none: int | None = None

    assert unusual(Outer("x")) == {"always": "x"}
    assert unusual(Outer("x", Inner(b=(2,)), 0)) == {"always": "x", "inner": {"b": (2,)}, "none": 0}


def test_the_order_of_names_does_not_matter() -> None:
    parts: Mapping[str, Any] = {"b": (1, 2.5), "a": MappingProxyType({"d": None, "c": "x"})}
    assert canonical(parts) == '{"a": {"c": "x", "d": null}, "b": [1, 2.5]}'
