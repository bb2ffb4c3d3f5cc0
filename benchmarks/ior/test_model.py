"""Tests of the model of IOR: bounds, limits, refusals; the published figures."""

import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.published import PublishedSite
from banzuke.machine.site import Site
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, Estimate, constants_of, model_of
from banzuke.predict.residual import call_of
from banzuke.record.model import Record
from banzuke.words.language import words

ROOT = Path(__file__).parents[2]
MODEL = model_of(find("ior"))
CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}


def sites() -> dict[str, PublishedSite]:
    return {machine.site.name: machine.site for machine in published.load()}


def estimate(site: Site, nodes: int, call: Call, scale: Mapping[str, float] | None = None) -> Estimate:
    part = next(iter(site.partitions))
    return MODEL.estimate(hardware(PredictedMachine(site.name, site, {part: nodes}), CONSTANTS, scale), call)


OAKLEAF = sites()["Oakleaf-FX"]


def test_one_node_is_bound_by_its_link() -> None:
    prediction = estimate(OAKLEAF, 1, {"area": "shared"})
    assert prediction.bound_by == "link.bytes"
    assert prediction.figure == pytest.approx(5e9 * CONSTANTS["link.share"] * CONSTANTS["ior.link"])


def test_many_nodes_are_bound_by_the_storage() -> None:
    prediction = estimate(OAKLEAF, 4800, {"area": "shared"})
    assert prediction.bound_by == "storage.write"
    assert prediction.figure == pytest.approx(136e9 * CONSTANTS["ior.rated"])
    twice = estimate(OAKLEAF, 4800, {"area": "shared"}, {"storage.bandwidth": 2.0})
    assert twice.figure == pytest.approx(2 * prediction.figure)


def test_more_nodes_are_never_slower() -> None:
    rates = [estimate(OAKLEAF, nodes, {"area": "shared", "ranks": 1}).figure for nodes in (1, 2, 30, 400, 4800)]
    assert rates == sorted(rates)
    assert estimate(OAKLEAF, 1, {"ranks": 1}).bound_by == "clients"


def test_a_shared_file_is_slower_to_write() -> None:
    own, shared = (estimate(OAKLEAF, 1920, {"area": "shared", "files": files}) for files in ("per-process", "shared"))
    assert shared.figure == pytest.approx(own.figure * CONSTANTS["ior.shared_write"])


def test_seconds_follow_from_what_is_written() -> None:
    prediction = estimate(OAKLEAF, 1200, {"area": "local", "ranks": 1, "block": 10e9})
    assert prediction.seconds == pytest.approx(1200 * 10e9 / prediction.figure)
    assert "fits its memory" in words()(prediction.remarks[0])
    assert not estimate(OAKLEAF, 1, {"area": "local", "block": 256 << 30}).remarks


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"phase": "append"}, "unknown"),
        ({"files": "two"}, "unknown"),
        ({"area": "moon"}, "not one that the nodes reach"),
        ({"area": "external"}, "no bandwidth of the storage area .external"),
        ({"ranks": 17}, "more than"),
        ({"ranks": 0}, "no positive number"),
        ({"ranks": "many"}, "no positive number"),
        ({"pool": 1.5}, "more than all servers"),
        ({"block": float("nan")}, "no positive number"),
    ],
)
def test_what_cannot_be_is_refused(call: Call, said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        estimate(OAKLEAF, 4, call)


def test_without_storage_nothing_is_predicted() -> None:
    bare = OAKLEAF.partitions["nodes"].model_copy(update={"mounts": []})
    site = OAKLEAF.model_copy(update={"partitions": {"nodes": bare}})
    with pytest.raises(BanzukeError, match="no storage"):
        estimate(site, 4, {})


def test_a_node_without_a_described_link_is_bound_by_its_storage() -> None:
    bare = OAKLEAF.partitions["nodes"].model_copy(update={"network": None})
    prediction = estimate(OAKLEAF.model_copy(update={"partitions": {"nodes": bare}}), 1, {"area": "shared"})
    assert prediction.bound_by == "clients"
    assert "not described" in words()(prediction.remarks[0])


def test_published_figures() -> None:
    """Check the median error, and that figures of the whole storage and of single nodes are distinguished."""
    errors = []
    for site in sites().values():
        for figure in site.figure:
            call = MODEL.published(figure) if figure.benchmark == "ior" else ""
            if isinstance(call, str) or figure.value is None:
                continue
            partition = next(iter(site.partitions))
            nodes = figure.nodes or site.partitions[partition].nodes or 1
            errors.append(abs(estimate(site, nodes, call).figure / figure.value - 1))
    assert len(errors) == 17
    assert statistics.median(errors) < 0.2


def test_a_figure_of_unknown_servers_is_not_predicted() -> None:
    figure = next(figure for figure in sites()["Flow"].figure if figure.benchmark == "ior")
    parameters = {key: value for key, value in figure.parameters.items() if key != "clients_of_all_areas"}
    assert MODEL.published(figure.model_copy(update={"parameters": parameters})) == (
        "which part of the storage was measured is not printed"
    )


def test_the_area_need_not_be_named() -> None:
    machine = PredictedMachine("x", OAKLEAF, {"nodes": 4800})
    fabric = hardware(machine, CONSTANTS)
    assert MODEL.estimate(replace(fabric, areas=fabric.areas[:1]), {}).call["area"] == "local"
    assert MODEL.estimate(fabric, {}).call["area"] == "shared"


def test_what_a_record_was_asked_for() -> None:
    record = Record.model_validate_json((ROOT / "schema/golden/storage.json").read_text(encoding="utf-8"))
    record = record.model_copy(update={"parameters": {"files": "shared", "access": "buffered", "area": "hot"}})
    call = call_of(MODEL, record)
    assert not isinstance(call, str)
    area = next(iter(record.areas))
    assert call == {"area": area, "files": "shared", "ranks": record.ranks // record.nodes}
    site = OAKLEAF.model_copy(update={"areas": {area: OAKLEAF.areas["shared"]}})
    partition = next(iter(site.partitions))
    reaching = site.partitions[partition].model_copy(update={"mounts": [area]})
    site = site.model_copy(update={"partitions": {partition: reaching}})
    assert estimate(site, record.nodes, call).figure > 0
