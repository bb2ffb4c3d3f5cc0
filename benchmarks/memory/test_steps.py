"""Caches are found in curves of latencies, and compared with those that the processor tells."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from banzuke.judge.test_examples import record
from banzuke.machine.model import Machine
from banzuke.machine.site import Cache
from banzuke.plan.catalogue import find
from banzuke.record.figures import Curve, Point, Samples
from banzuke.record.model import Record
from banzuke.testing import machine

from .steps import Levels, levels, plateaus
from .view import LevelsView

KIB, MIB = 1 << 10, 1 << 20
CACHES = {1: 32 * KIB, 2: 512 * KIB, 3: 32 * MIB}
LATENCIES = ((32 * KIB, 1.2e-9), (512 * KIB, 4e-9), (32 * MIB, 15e-9), (1 << 40, 110e-9))


def sizes() -> Iterator[int]:
    for power in range(12, 28):
        yield from (1 << power, 3 << (power - 1))


def curve(steps: Sequence[tuple[int, float]] = LATENCIES) -> list[tuple[float, float]]:
    """Return latencies that change within an octave beyond each cache, as random replacement lets them."""
    points = []
    for size in sizes():
        _, latency = next(step for step in steps if size <= step[0] or step is steps[-1])
        before = max((other for other in steps if other[0] < size), default=None)
        share = min(1.0, before[0] / size) ** 4 if before else 0.0
        points.append((float(size), latency * (1 - share) + (before[1] if before else 0.0) * share))
    return points


def chased(
    points: Sequence[tuple[float, float]], parameters: Mapping[str, Any] | None = None, **changes: Any
) -> Record:
    of_points = [
        Point(at=size, metrics={"latency": Samples(unit="s", samples=[0.9 * latency, latency, 1.2 * latency])})
        for size, latency in points
    ]
    return record(
        "memory",
        {"latency": of_points[-1].metrics["latency"]},
        threads=1,
        parameters={"test": "latency"} | dict(parameters or {}),
        curves={"size": Curve(along="data of a thread", unit="B", points=of_points)},
        binding=[],
        **changes,
    )


def with_caches(caches: Mapping[int, int]) -> Machine:
    caches_told = [
        Cache(level=level, kind="unified", bytes=size, instances=1, shared_by=1) for level, size in caches.items()
    ]
    return machine(cores=1).changed(allotment={"caches": caches_told})


def seen(points: Sequence[tuple[float, float]], caches: Mapping[int, int] = CACHES) -> Levels:
    shown = levels(chased(points), with_caches(caches))
    assert shown is not None
    return shown


def test_levels_are_those_that_the_processor_tells() -> None:
    shown = seen(curve())
    assert [level.number for level in shown.caches] == [1, 2, 3]
    assert shown.differing == ()
    assert [level.found.latency for level in shown.caches if level.found] == pytest.approx(
        [1.2e-9, 4e-9, 15e-9], rel=0.1
    )
    assert shown.memory
    assert shown.memory.latency == pytest.approx(110e-9, rel=0.1)


def test_a_cache_that_ends_early_or_is_not_seen_differs() -> None:
    early = seen(curve([*LATENCIES[:2], (8 * MIB, 15e-9), LATENCIES[3]]))
    assert [(level.number, level.found and level.found.largest) for level in early.differing] == [(3, 8 * MIB)]
    unseen = seen(curve([LATENCIES[0], (512 * KIB, 1.25e-9), *LATENCIES[2:]]))
    assert [level.number for level in unseen.differing] == [1] or [level.number for level in unseen.differing] == [2]


def test_a_level_that_nobody_tells_is_shown() -> None:
    shown = seen(curve(), {1: 32 * KIB, 3: 32 * MIB})
    assert [level.number for level in shown.caches] == [1, None, 3]


def test_caches_larger_than_the_data_are_left_out() -> None:
    assert [level.number for level in seen(curve()[:14]).caches if level.number] == [1]


def test_a_short_rise_is_no_level() -> None:
    assert [plateau.latency for plateau in plateaus([(1, 1.0), (2, 1.0), (3, 2.0), (4, 3.0), (6, 5.0), (12, 5.0)])] == [
        1.0,
        5.0,
    ]
    assert not list(plateaus([]))


@pytest.mark.parametrize("parameters", [{"test": "gather"}, {"order": "within"}, {"data_pages": "base"}])
def test_other_curves_show_no_caches(parameters: Mapping[str, Any]) -> None:
    assert levels(chased(curve(), parameters), with_caches(CACHES)) is None


def test_the_verdict_names_what_differs() -> None:
    view = LevelsView()
    assert view.remark(seen(curve()), []) is None
    remark = view.remark(seen(curve([*LATENCIES[:2], (8 * MIB, 15e-9), LATENCIES[3]])), [])
    assert remark
    assert remark.code == "memory-levels-apart"


def test_what_others_disturbed_is_no_verdict() -> None:
    busy = chased(curve([*LATENCIES[:2], (8 * MIB, 15e-9), LATENCIES[3]]), conditions={"other_busy_fraction": 0.5})
    shown = levels(busy, with_caches(CACHES))
    assert shown
    assert shown.differing
    assert LevelsView().remark(shown, []) is None


def test_the_view_is_declared() -> None:
    assert "levels" in [view.name for view in find("memory").views]
