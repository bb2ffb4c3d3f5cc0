"""Tests of `banzuke run --against`: an earlier run's cases, measured again interleaved with those of today."""

from pathlib import Path

import pytest

from banzuke.cli.against import against
from banzuke.errors import BanzukeError
from banzuke.evaluation.prepared import Prepared
from banzuke.files import NotOursError
from banzuke.plan.case import Case
from banzuke.plan.catalogue import find
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import case, machine

NOW = [case(), case(threads=1)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def kept(store: Store, *cases: Case) -> Run:
    return store.create(machine(), cases)


def prepared() -> Prepared:
    return Prepared(machine(), {"stream": find("stream")}, cases=NOW)


def test_the_same_cases_with_another_build_are_measured_in_turn(store: Store) -> None:
    other, longer, alone = case(build="clang"), case(build="clang", parameters={"n": 9}), case(threads=8)
    kept(store, case(), other, longer, alone)
    again = against(prepared(), "last", store)
    assert list(again.cases) == [other, *NOW]
    run = store.create(machine(), again.cases, repetitions=2)
    order = [case.variant.build for case, _ in run.missing() if case.threads == 2]
    assert order == ["clang", "default"] * 2


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        ([case()], "builds, libraries and settings are the same, and other changes cannot be restored"),
        ([case(parameters={"n": 9})], "it has no case of stream with these parameters and this layout"),
    ],
)
def test_what_cannot_be_restored_has_another_way(store: Store, cases: list[Case], why: str) -> None:
    kept(store, *cases)
    with pytest.raises(BanzukeError, match=why) as caught:
        against(prepared(), "last", store)
    assert "`banzuke run stream --repeat 5` three times on each side, in turn and hours apart" in str(caught.value)


def test_a_run_of_another_machine_is_not_measured_again(store: Store) -> None:
    store.create(machine().changed(allotment={"fingerprint": "other"}), [case(build="clang")])
    with pytest.raises(BanzukeError, match="has other hardware"):
        against(prepared(), "last", store)


def test_a_plan_that_others_can_write_starts_nothing(store: Store) -> None:
    run = kept(store, case(build="clang"))
    (run.folder / "plan.json").chmod(0o666)
    with pytest.raises(NotOursError):
        against(prepared(), "last", store)
