"""Everything that specs declare in English has a code of its own, for other languages' words in the
benchmark's folder.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from fluent.syntax import FluentParser, ast

from banzuke.plan.benchmark import Benchmark, Metric, Statistic
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.resource import Resource, Resources
from banzuke.plan.wording import check_title, code, resource_title, state_title, statistic_title, unpredicted_reason
from banzuke.record.state import State
from banzuke.testing import words_of
from banzuke.words import Message, declared
from banzuke.words.language import words

SMALL = Benchmark("small", "Small", (Metric("rate", "B/s", "higher", "Rate", headline=True),))


def test_codes_say_what_is_named() -> None:
    assert resource_title(Resource("memory.bytes", "B/s", "memory bandwidth", "host")).code == "resource-memory-bytes"
    assert statistic_title("spmv", Statistic("row_cv", "row CV")).code == "spmv-statistic-row_cv"
    assert check_title("dgemm", "||A x - b|| / eps").code == "dgemm-check-A-x-b-eps"


@pytest.mark.parametrize(
    ("state", "title"),
    [
        (State("near"), "near processors"),
        (State("far", "slow"), "far processors with a slow clock"),
        (State("unknown", "fast", "huge"), "fast clock, huge pages"),
        (
            State("near", "fast", "base", "bind:0"),
            "near processors with a fast clock, base pages, memory policy bind:0",
        ),
        (State(pages="unknown"), "state not recorded"),
        (State(), "the only state seen"),
    ],
)
def test_a_state_is_named_by_what_is_known_of_it(state: State, title: str) -> None:
    said = state_title(state)
    assert isinstance(said, Message)
    assert words()(said) == title


def test_all_that_a_spec_declares_is_listed() -> None:
    larger = replace(
        SMALL,
        resources=Resources((Resource("memory.bytes", "B/s", "memory bandwidth", "host"),)),
    )
    assert words_of(larger) == {
        "small-title": "Small",
        "small-metric-rate": "Rate",
        "resource-memory-bytes": "memory bandwidth",
    }


@dataclass(frozen=True)
class Shape:
    name: ClassVar[str] = "shape"

    def declared(self, benchmark: str) -> list[Message]:
        return [declared(code(benchmark, "shape"), "a shape")]


def test_views_add_what_they_name() -> None:
    assert words_of(replace(SMALL, views=(Shape(),)))["small-shape"] == "a shape"


@pytest.mark.catalogue
@pytest.mark.parametrize("name", benchmarks())
def test_codes_can_stand_in_a_file_of_words(name: str) -> None:
    for key in words_of(benchmarks()[name]):
        (entry,) = FluentParser().parse(f"{key} = x").body
        assert isinstance(entry, ast.Message)
        assert entry.id.name == key


def test_a_benchmark_without_other_words_is_in_english() -> None:
    assert [words("ja")(Message(key, english=title)) for key, title in words_of(SMALL).items()] == ["Small", "Rate"]


@pytest.mark.catalogue
@pytest.mark.parametrize("name", benchmarks())
def test_only_a_benchmark_without_model_says_why_nothing_predicts_it(name: str) -> None:
    benchmark = benchmarks()[name]
    assert benchmark.model is None or not benchmark.unpredicted
    assert unpredicted_reason(benchmark).english
