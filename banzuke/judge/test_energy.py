from dataclasses import replace
from typing import Any

import pytest

from banzuke.document import Items, Table
from banzuke.judge.energy import covered, energies, level, per_watt
from banzuke.judge.model import Assessment
from banzuke.record.energy import AccountedEnergy, Energy, SensorEnergy
from banzuke.record.hosts import Hosts
from banzuke.report.testing import dgemm, only, pingpong, stream
from banzuke.report.testing.documents import items, section, tables, texts
from banzuke.testing import changed, machine
from banzuke.units import quantity
from banzuke.views.energy import energy_blocks
from banzuke.words.language import words


def sensor(**more: Any) -> SensorEnergy:
    defaults = {"id": "redfish/Power", "hosts": "h1", "covers": "node", "kind": "power", "joule": 1.0, "counted": True}
    return SensorEnergy.model_validate(defaults | {"rate": 1.0, "readings": 120} | more)


def energy(joule: float = 12000.0, **more: Any) -> Energy:
    defaults = {"joule": joule, "seconds": 120.0, "parts": 3, "uncertainty": 0.01, "idle": 40.0, "sensors": [sensor()]}
    return Energy.model_validate(defaults | more)


def with_energy(assessment: Assessment, *measured: Energy | None) -> Assessment:
    """Return as many launches, alike except for their energy."""
    launches = [
        replace(assessment, record=assessment.record.model_copy(update={"energy": taken}), launches=())
        for taken in measured
    ]
    return replace(launches[0], launches=tuple(launches) if len(launches) > 1 else ())


def headline(assessment: Assessment) -> Any:
    return next(figure for figure in assessment.figures if figure.headline)


def test_figures_per_watt_are_those_of_their_unit() -> None:
    for assessment, unit in ((stream(1, 2, 1.0), "B/J"), (dgemm(1, 512, 2, 0.9), "flop/s/W")):
        case = with_energy(assessment, energy())
        ratio = per_watt(case, headline(case))
        assert ratio
        assert ratio.unit == unit
        assert ratio.value == pytest.approx(headline(case).value / 100)
        others = [figure for figure in case.figures if not figure.headline]
        assert not any(per_watt(case, figure) for figure in others), "the timed parts are not theirs"
    case = with_energy(pingpong(1, 8), energy())
    ratio = per_watt(case, headline(case))
    assert ratio
    assert ratio.unit == "J"
    assert ratio.value == pytest.approx(headline(case).value * 100)
    assert quantity(4.2e10 / 100, "B/J") == "420 MB/J"


def test_launches_give_their_median() -> None:
    case = with_energy(stream(1, 2, 1.0), energy(12000), energy(24000), None, energy(14400))
    case_energy = energies(case)
    assert case_energy
    assert (case_energy.joule, case_energy.watt, len(case_energy.launches)) == (14400, 120, 3)
    assert case_energy.above_idle == pytest.approx(14400 - 40 * 120)
    ratio = per_watt(case, headline(case))
    assert ratio
    assert ratio.value == pytest.approx(headline(case).value / 120)
    unknown = with_energy(stream(1, 2, 1.0), energy(12000), energy(24000, idle=None))
    again = energies(unknown)
    assert again
    assert again.above_idle is None, "of one launch it is unknown"


def test_what_is_covered_is_said() -> None:
    sensors = [
        sensor(id="powercap/intel-rapl:0", covers="package", kind="energy", rate=10.0),
        sensor(id="powercap/intel-rapl:0:0", covers="dram", kind="energy", rate=9.5),
        sensor(id="nvml/0", covers="device", kind="energy", rate=20.0),
        sensor(id="redfish/Power", counted=False),
    ]
    said = words()(covered(energy(sensors=sensors)))
    assert said == "processors, memory and accelerators (powercap, 9.5 Hz and nvml, 20 Hz)"


def test_the_blocks_say_what_was_not_measured_and_why() -> None:
    refused = SensorEnergy(id="hwmon/power1", hosts="h1", covers="node", kind="power", refused="stands-still")
    case = with_energy(stream(1, 2, 1.0), Energy(unmeasured="unusable", sensors=[refused]))
    (_, items) = energy_blocks([("a", case)], machine(), words())
    assert isinstance(items, Items)
    assert [item.text for item in items.items] == [
        "Energy: not measured: no sensor could be used.",
        "The sensor hwmon/power1 of h1 was not used: its value does not change.",
    ]
    for nothing in (None, Energy(unmeasured="no-sensor")):
        assert energy_blocks([("a", with_energy(stream(1, 2, 1.0), nothing))], machine(), words()) == []


def test_what_the_batch_system_says_needs_no_sensor() -> None:
    accounted = AccountedEnergy(joule=8000, seconds=32, step="12.2", plugin="acct_gather_energy/rapl")
    case = with_energy(stream(1, 2, 1.0), Energy(unmeasured="no-sensor", accounted=accounted))
    (_, items) = energy_blocks([("a", case)], machine(), words())
    assert isinstance(items, Items)
    (item,) = items.items
    assert item.text == (
        "According to Slurm's accounting (acct_gather_energy/rapl) step 12.2, a whole launch with set-up and checks, "
        "took 8 kJ in 32 s: 250 W on average."
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_table_has_a_row_for_each_case_that_was_measured(language: str) -> None:
    cases = [("a", with_energy(stream(1, 2, 1.0), energy())), ("b", stream(2, 2, 1.0))]
    (_, table, items) = energy_blocks(cases, machine(), words(language))
    assert isinstance(table, Table)
    assert isinstance(items, Items)
    assert [row.cells[0].text for row in table.rows] == ["a"]
    assert [cell.text for cell in table.rows[0].cells[1:4]] == ["12 kJ", "120 s", "100 W"]
    assert len(items.items) == 3


@pytest.mark.parametrize(
    ("nodes", "change", "reached", "lacking"),
    [
        (1, {}, 2, "energy-level-integrated"),
        (1, {"sensors": [sensor(kind="energy")]}, 2, "energy-level-accuracy"),
        (1, {"sensors": [sensor(readings=8)]}, 1, "energy-level-averages"),
        (1, {"sensors": [sensor(rate=0.2)]}, 0, "energy-level-rate"),
        (1, {"sensors": [sensor(covers="package")]}, 0, "energy-level-scope"),
        (1, {"seconds": 50.0}, 0, "energy-level-time"),
        (100, {}, 0, "energy-level-fraction"),
        (16, {"joule": 480e3}, 0, "energy-level-network"),
        (None, {}, 0, "energy-level-nodes"),
    ],
)
def test_the_level_of_a_measurement(nodes: int | None, change: dict[str, Any], reached: int, lacking: str) -> None:
    here = machine().changed(partition={"nodes": nodes, "batch": {"system": "slurm"} if nodes is None else None})
    record = changed(stream(1, 2, 1.0).record, hosts=[Hosts(names="h[1-15]" if nodes == 16 else "h1", ranks="0-14")])
    highest, demand = level(record, energy(**change), here)
    assert (highest, demand.code) == (reached, lacking)


def test_the_report_shows_it_beside_the_figures_and_says_how_it_was_made() -> None:
    measured = only(with_energy(stream(1, 2, 1.0), energy()))
    cases, of_energy = (
        tables(section(measured, "benchmark-stream"))[0],
        tables(section(measured, "benchmark-stream"))[-1],
    )
    ratios = [row[-1] for row in texts(cases)]
    assert [column.title for column in cases.columns][-1] == "Per watt"
    assert [ratio for ratio in ratios if ratio != "–"] == [texts(of_energy)[0][5]]
    assert any("No power is counted twice" in item.text for item in items(section(measured, "method")))
    bare = only(with_energy(stream(1, 2, 1.0), Energy(unmeasured="no-sensor")))
    assert "Per watt" not in [column.title for column in tables(section(bare, "benchmark-stream"))[0].columns]
    assert "Energy: not measured: no sensor of power can be read." in [
        item.text for item in items(section(bare, "method"))
    ]
