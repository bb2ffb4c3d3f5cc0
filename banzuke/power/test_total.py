import json
from collections.abc import Mapping

import pytest

from banzuke.power.integrate import MeasuredEnergy, Sensor
from banzuke.power.streams import Stream
from banzuke.power.total import SensorOutcome, choose_sensors, energy
from banzuke.record.energy import Covers, Energy, Kind

START = 1.7e9
PARTS = [[START + 2, START + 5], [START + 6, START + 9]]
PACKAGE = {"id": "powercap/intel-rapl:0", "kind": "energy", "covers": "package", "range": 262143.0}
DRAM = {"id": "powercap/intel-rapl:0:0", "kind": "energy", "covers": "dram", "range": 65712.0}
NODE = {"id": "redfish/Power", "kind": "power", "covers": "node", "range": None}


def stream(
    host: str, watts: Mapping[str, float], *, ahead: float = 0.0, ours: bool = False, late: float = 0.002
) -> Stream:
    """Return the stream of a host whose clock is `ahead`, read ten times a second; powers vary by a watt."""
    sensors_by_id = {str(sensor["id"]): sensor for sensor in (PACKAGE, DRAM, NODE)}
    heard = Stream()
    sensors = [sensors_by_id[name] for name in watts]
    first = {"host": host, "time": START + ahead, "ours": ours, "sensors": sensors}
    heard.hear(json.dumps(first), START + late)
    for step in range(101):
        time = START + step / 10
        values = {
            name: watt * step / 10 if sensors_by_id[name]["kind"] == "energy" else watt + (-1) ** step
            for name, watt in watts.items()
        }
        heard.hear(json.dumps({"time": time + ahead, "values": values}), time + late)
    return heard


def total(
    *streams: Stream, hosts: tuple[str, ...] = ("n1",), ahead: float = 0.0, rating: float | None = None
) -> Energy:
    parts = [[begin + ahead, end + ahead] for begin, end in PARTS]
    return energy(streams, hosts, parts, rating, {("n1", "powercap/intel-rapl:0"): 20.0})


def test_the_energy_of_a_host_is_that_of_all_its_parts() -> None:
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0, "powercap/intel-rapl:0:0": 10.0}))
    assert result.joule == pytest.approx(660)
    assert [result.seconds, result.watt] == pytest.approx([6, 110])
    assert result.parts == 2
    assert result.covers == ("package", "dram")
    assert [sensor.rate for sensor in result.sensors] == pytest.approx([10, 10])
    assert result.idle is None, "of the memory no idle power is known"


def test_idle_power_is_told_apart() -> None:
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0}))
    assert [result.idle, result.above_idle] == pytest.approx([20, 480])


def test_a_wider_sensor_counts_in_place_of_those_within_it() -> None:
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0}), stream("n1", {"redfish/Power": 300.0}, ours=True))
    assert result.joule == pytest.approx(1800, rel=0.01)
    assert {sensor.id: sensor.counted for sensor in result.sensors} == {
        "powercap/intel-rapl:0": False,
        "redfish/Power": True,
    }


def test_a_wider_sensor_that_shows_less_than_its_parts_does_not_count() -> None:
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0}), stream("n1", {"redfish/Power": 60.0}, ours=True))
    assert result.covers == ("package",)


def test_hosts_add_up_and_are_named_together() -> None:
    result = total(
        *(stream(f"n{host}", {"powercap/intel-rapl:0": 100.0}) for host in (1, 2, 3)), hosts=("n1", "n2", "n3")
    )
    assert result.joule == pytest.approx(1800)
    assert [sensor.hosts for sensor in result.sensors] == ["n[1-3]"]


def test_where_a_host_tells_nothing_there_is_no_energy() -> None:
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0}), hosts=("n1", "n2"))
    assert (result.joule, result.unmeasured) == (None, "some-hosts")
    other = stream("n2", {"powercap/intel-rapl:0": 100.0, "powercap/intel-rapl:0:0": 10.0})
    result = total(stream("n1", {"powercap/intel-rapl:0": 100.0}), other, hosts=("n1", "n2"))
    assert (result.joule, result.unmeasured) == (None, "some-hosts"), "hosts of unlike scope do not add up"


def test_hosts_are_known_with_and_without_their_domain() -> None:
    assert total(stream("n1.cluster.example", {"powercap/intel-rapl:0": 100.0})).joule == pytest.approx(600)


def test_clocks_that_differ_are_put_right() -> None:
    """The parts are on the first host's clock."""
    streams = [
        stream("n1", {"powercap/intel-rapl:0": 100.0}, ahead=-40.0),
        stream("n2", {"powercap/intel-rapl:0": 100.0}, ahead=3600.0),
    ]
    result = total(*streams, hosts=("n1", "n2"), ahead=-40.0)
    assert result.joule == pytest.approx(1200)
    assert result.clock_difference == pytest.approx(3640)
    same = total(stream("n1", {"powercap/intel-rapl:0": 100.0}, ahead=0.01))
    assert same.clock_difference is None


@pytest.mark.parametrize(
    ("parts", "watts", "rating", "why"),
    [
        (PARTS, {}, None, "no-sensor"),
        (None, {"powercap/intel-rapl:0": 100.0}, None, "no-timed-parts"),
        ([[2.0]], {"powercap/intel-rapl:0": 100.0}, None, "no-timed-parts"),
        ([["a", "b"], [True, None], "x"], {"powercap/intel-rapl:0": 100.0}, None, "no-timed-parts"),
        ([[START + 2, START + 2.1]], {"powercap/intel-rapl:0": 100.0}, None, "too-short"),
        (PARTS, {"powercap/intel-rapl:0": 0.0}, None, "unusable"),
        (PARTS, {"powercap/intel-rapl:0": 900.0}, 500.0, "unusable"),
        ([[START + 2, START + 50]], {"powercap/intel-rapl:0": 100.0}, None, "unusable"),
    ],
)
def test_there_is_a_reason_and_never_0(parts: object, watts: dict[str, float], rating: float, why: str) -> None:
    result = energy([stream("n1", watts)], ["n1"], parts, rating)
    assert (result.joule, result.unmeasured) == (None, why)


def test_lines_that_are_none_are_ignored() -> None:
    silent = Stream()
    for line in ("", "{", "[]", '{"host": 1}', "[" * 100_000, '{"time": 1, "values": {}}'):
        silent.hear(line, START)
    assert not silent.described
    heard = stream("n1", {"powercap/intel-rapl:0": 100.0})
    for line in ('{"time": NaN, "values": {"powercap/intel-rapl:0": 1}}', '{"time": 3, "values": {"other": 1}}', "x"):
        heard.hear(line, START)
    assert total(heard).joule == pytest.approx(600)


def test_what_is_forgotten_leaves_the_first_readings() -> None:
    heard = stream("n1", {"powercap/intel-rapl:0": 100.0})
    heard.forget(START + 9.95)
    assert len(heard.readings["powercap/intel-rapl:0"]) == 11


def outcome_of(name: str, kind: Kind, covers: Covers, joule: float) -> SensorOutcome:
    return SensorOutcome(Sensor(name, kind, covers), MeasuredEnergy(joule, 0.0, 10.0, 10))


def test_a_counter_counts_before_a_power() -> None:
    outcomes = [
        outcome_of("hwmon3/power1", "power", "package", 90),
        outcome_of("powercap/intel-rapl:0", "energy", "package", 100),
    ]
    assert [outcome.sensor.id for outcome in choose_sensors(outcomes)] == ["powercap/intel-rapl:0"]


def test_all_sensors_of_the_source_count_together() -> None:
    outcomes = [outcome_of(f"powercap/intel-rapl:{socket}", "energy", "package", 100) for socket in (0, 1)]
    outcomes += [outcome_of(f"powercap/intel-rapl-mmio:{socket}", "energy", "package", 99) for socket in (0, 1)]
    outcomes += [outcome_of(f"nvml/{place}", "energy", "device", 400) for place in range(4)]
    assert len(choose_sensors(outcomes)) == 6


def test_a_board_counts_in_place_of_its_processors_and_beside_devices() -> None:
    outcomes = [
        outcome_of("powercap/intel-rapl:1", "energy", "psys", 150),
        outcome_of("powercap/intel-rapl:0", "energy", "package", 100),
        outcome_of("nvml/0", "energy", "device", 400),
    ]
    assert {outcome.sensor.covers for outcome in choose_sensors(outcomes)} == {"psys", "device"}
