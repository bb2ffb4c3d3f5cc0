"""Tests of the editions: each rule can be broken alone, and rules that stand are never changed."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from banzuke.plan.catalogue import benchmarks
from banzuke.publish.editions import EDITIONS, EditionCase, asked, missed
from banzuke.publish.size_classes import FOLDER, size_class, sizes_of
from banzuke.publish.summary import evaluation, headline_cases
from banzuke.publish.test_grade import launch
from banzuke.record.model import Record
from banzuke.testing import machine
from banzuke.words.language import words

YEAR = "2026"


def missed_by(*launches: dict[str, Any]) -> tuple[str, ...]:
    """Return the rules of the edition that a case with these launches does not keep."""
    records = []
    for number, record in enumerate(launches):
        own = record["provenance"] | {"id": str(number), "repetition": number}
        records.append(Record.model_validate(record | {"provenance": own}))
    here = machine()
    ((name, case),) = headline_cases(evaluation(records, here, (), benchmarks())).items()
    return missed(EditionCase(case, here, benchmarks()[name]))[YEAR]


def kept(change: Callable[[dict[str, Any]], object] = lambda _record: None) -> dict[str, Any]:
    """Return a launch that keeps every rule, then changed."""
    record = launch()
    record["conditions"] |= {"timed_seconds": 1.0, "working_set": 4e12}
    record["parameters"]["n"] = 10_000_000
    change(record)
    return record


def test_three_launches_that_keep_every_rule_belong_to_the_edition() -> None:
    assert missed_by(kept(), kept(), kept()) == ()


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("checks", lambda record: record.update(status="failed", reason="killed", metrics={}, verification=[])),
        ("undisturbed", lambda record: record["conditions"].update(other_busy_fraction=0.1)),
        ("undisturbed", lambda record: record["conditions"].update(steal_fraction=0.05)),
        ("undisturbed", lambda record: record["conditions"].pop("other_busy_fraction")),
        ("usual", lambda record: record["provenance"].update(variant={"memory": "local"})),
        ("seconds", lambda record: record["conditions"].update(timed_seconds=0.99)),
        ("seconds", lambda record: record["conditions"].pop("timed_seconds")),
    ],
)
def test_a_launch_that_breaks_a_rule_is_told_by_it_alone(code: str, change: Callable[[dict[str, Any]], object]) -> None:
    assert missed_by(kept(), kept(), kept(), kept(change)) == (code,)


def test_two_launches_are_too_few_and_data_in_a_cache_too_small() -> None:
    assert missed_by(kept(), kept()) == ("launches",)
    small = [kept(lambda record: record["conditions"].update(working_set=1e5)) for _ in range(3)]
    assert missed_by(*small) == ("size",)


def test_a_problem_below_the_smallest_class_and_one_of_unknown_size_belong_to_no_edition() -> None:
    for size in ({"n": 2_499_999}, {"m": 10_000_000}):  # on each of four ranks
        small = [kept(lambda record, size=size: record.update(parameters=size)) for _ in range(3)]  # type: ignore[misc]
        assert missed_by(*small) == ("class",)


@pytest.mark.parametrize(
    ("name", "parameters", "reached"),
    [
        ("hpl", {"n": 3_999}, None),
        ("hpl", {"n": 19_999}, "S"),
        ("hpl", {"n": 500_000}, "XL"),
        ("dgemm", {"m": 4000, "n": 4000, "k": 4000}, "M"),
        ("hpcg", {"nx": 80, "ny": 80, "nz": 80}, "M"),  # on each rank
        ("pt2pt", {"test": "latency"}, "own"),
        ("later", {"n": 10**9}, None),
    ],
)
def test_a_case_is_of_the_largest_class_that_it_reaches(
    name: str, parameters: dict[str, Any], reached: str | None
) -> None:
    record = Record.model_validate(kept() | {"benchmark": name, "parameters": parameters})
    assert record.ranks == 4
    assert size_class(YEAR, record) == reached


def test_a_launch_beside_busy_processes_is_neither_usual_nor_undisturbed() -> None:
    beside = kept(lambda record: record["provenance"].update(neighbours=1))
    assert missed_by(kept(), kept(), kept(), beside) == ("undisturbed", "usual")


def test_without_a_verified_launch_no_rule_is_kept() -> None:
    failed = kept(lambda record: record.update(status="failed", reason="killed", metrics={}, verification=[]))
    assert missed_by(failed) == tuple(rule.code for rule in EDITIONS[YEAR])


def test_rules_and_sizes_that_stand_are_not_changed() -> None:
    digest = hashlib.sha256((FOLDER / f"{YEAR}.toml").read_bytes()).hexdigest()
    assert digest == "a1e582845d6da42f2f27e0827060f6b36ae5c067d1341bd555333a0dad5d6d78"
    assert all(name in benchmarks() for name in sizes_of(YEAR))
    texts = [words()(rule.asked) for rule in EDITIONS[YEAR]]
    assert [rule.code for rule in EDITIONS[YEAR]] == [
        "launches", "checks", "undisturbed", "usual", "whole", "size", "seconds", "class",
    ]  # fmt: skip
    numbers = {0: "3", 2: "10%", 6: "1 s"}
    assert {at: numbers[at] for at in numbers if numbers[at] in texts[at]} == numbers
    assert asked(YEAR, "size") == EDITIONS[YEAR][5].asked
    assert asked("1999", "size") is None
