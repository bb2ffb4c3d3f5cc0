"""Variants of a launch."""

import itertools
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.case import key
from banzuke.plan.variant import Variant, Variants
from banzuke.testing import case

OTHER: dict[str, Any] = {
    "environment": "container",
    "image": "/images/a",
    "os_cores": (0,),
    "neighbours": 3,
    "build": "fast",
    "library": "MKL",
    "memory": "interleave",
    "pages": "base",
    "cores": "0-1",
    "variables": (("A", "1"),),
    "launcher": "-genv B 2",
    "shape": "2x3:torus",
}


def test_each_value_makes_a_case_of_its_own() -> None:
    keys = [key(case(**{name: value})) for name, value in OTHER.items()]
    assert len({key(case()), *keys}) == 1 + len(OTHER)
    assert key(case(variables=(("A", "1"), ("B", "2")))) != key(case(variables=(("A", "2"), ("B", "1"))))


def test_what_is_unusual_is_told_by_axis() -> None:
    assert Variant().unusual == Variant().values == {}
    assert Variant(**OTHER).unusual == OTHER
    assert Variant(**OTHER).values == {
        "environment": "container",
        "image": "/images/a",
        "neighbours": "3",
        "build": "fast",
        "library": "MKL",
        "memory": "interleave",
        "pages": "base",
        "cores": "0-1",
        "launcher": "-genv B 2",
        "shape": "2x3:torus",
        "A": "1",
    }


def test_lists_are_combined_and_the_environment_changes_fastest() -> None:
    asked = Variants(
        ("native", "isolated"),
        os_cores=(0,),
        libraries=("MKL", "BLIS"),
        variables=(("A", ("1", "2")), ("B", ("", "x"))),
    )
    assert [
        (variant.library, variant.variables, variant.environment, variant.os_cores) for variant in asked.each()
    ] == [
        (library, (("A", a), ("B", b)), *where)
        for library, a, b, where in itertools.product(
            ("MKL", "BLIS"), "12", ("", "x"), (("native", ()), ("isolated", (0,)))
        )
    ]
    assert Variants().each() == [Variant()]


def test_an_unknown_environment_is_refused() -> None:
    with pytest.raises(BanzukeError, match="there is no environment"):
        Variants(("nativ",)).each()


def test_a_search_chooses_among_several_values_of_an_axis() -> None:
    asked = Variants(
        ("native", "isolated"), neighbours=(0, 3), libraries=("MKL",), pages=("base", "reserved"),
        variables=(("A", ("1", "2")), ("B", ("x",))),
    )  # fmt: skip
    assert asked.lists == {
        "pages": [Variant(pages="base"), Variant(pages="reserved")],
        "A": [Variant(variables=(("A", "1"),)), Variant(variables=(("A", "2"),))],
    }
    assert asked.fixed == Variant(library="MKL", variables=(("B", "x"),))
    assert asked.settled == Variants(
        ("native", "isolated"), neighbours=(0, 3), libraries=("MKL",), variables=(("B", ("x",)),)
    )


def test_a_variant_takes_on_what_is_not_usual_of_another() -> None:
    base = Variant(memory="local", variables=(("A", "1"), ("B", "2")))
    other = Variant(pages="base", variables=(("B", "3"),))
    assert base.changed(other) == Variant(memory="local", pages="base", variables=(("A", "1"), ("B", "3")))
    assert base.changed(Variant()) == base


def test_each_image_is_tried_where_one_is_taken() -> None:
    asked = Variants(("native", "container"), ("/a", "/b"))
    assert [(variant.environment, variant.image) for variant in asked.each()] == [
        ("native", ""), ("container", "/a"), ("container", "/b"),
    ]  # fmt: skip


def test_more_combinations_than_anybody_runs_are_refused_at_once() -> None:
    several = tuple(map(str, range(1000)))
    with pytest.raises(BanzukeError, match=r"the lists have 1,000,000,000 combinations"):
        Variants(variables=(("A", several), ("B", several), ("C", several))).each()
