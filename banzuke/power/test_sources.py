"""Tests of sources of readings, with artificial sources, scripts in place of the real programs, and a run's records."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.probe import PROGRAM
from banzuke.power import recorder as recording_of
from banzuke.power.find import sources
from banzuke.power.integrate import Sensor
from banzuke.power.ipmi import NAME, Ipmi, IpmiOfHosts
from banzuke.power.recorder import recording
from banzuke.power.sources import AllHosts, Questions, ThisHost
from banzuke.power.streams import Hear, SensorListener, Stream
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.report.testing import stream
from banzuke.testing import changed, machine

WATT = 100.0


@dataclass
class Made:
    """A source that reports at once the last ten seconds of a 100 W counter."""

    interval: float = 0.0
    streams: int = 1
    stopped: bool = False

    def start(self, hear: Hear) -> None:
        now = time.time()
        sensor = {"id": "made:0", "kind": "energy", "covers": "package", "range": None}
        hear("made", json.dumps({"host": "h1", "time": now, "sensors": [sensor]}))
        for step in range(1001):
            values = {"made:0": WATT * step / 100}
            hear("made", json.dumps({"time": now - 10 + step / 100, "values": values}))

    def stop(self) -> None:
        self.stopped = True


@dataclass
class Broken(Made):
    def start(self, hear: Hear) -> None:  # noqa: ARG002  (it reports nothing)
        raise BanzukeError("no answer")


@dataclass
class Silent(Made):
    """A source that ends without any report, like the program of a version without sensors."""

    def start(self, hear: Hear) -> None:
        hear("silent", "banzuke-probe: unknown command power")
        hear("silent", None)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_of, "QUIET", 0.0)
    monkeypatch.setattr(recording_of, "BUSY", 2.0)  # the tests' machine is never quiet


def timed(begin: float, end: float) -> Record:
    return changed(
        stream(1, 1, 1.0).record, hosts=[Hosts(names="h1", ranks="0")], conditions={"timed_parts": [[begin, end]]}
    )


@pytest.mark.usefixtures("soon")
def test_a_run_measures_its_idle_power_and_each_case() -> None:
    waited: list[float] = []
    made = Made()
    with recording([made, Broken()], None, waited.append) as recorder:
        now = time.time()
        record = recorder.completed(timed(now - 8, now - 3))
    assert record.energy
    assert record.energy.joule == pytest.approx(WATT * 5, rel=0.01)
    assert record.energy.idle == pytest.approx(WATT, rel=0.01)
    assert (waited, recorder.refused) == ([0.0], ("no answer",))
    assert made.stopped


@pytest.mark.usefixtures("soon")
def test_a_case_that_failed_has_no_energy() -> None:
    with recording([Made()], None, lambda _: None) as recorder:
        failed = timed(1.0, 2.0).model_copy(update={"status": "failed", "reason": "it did", "metrics": {}})
        assert recorder.completed(failed).energy is None


def test_without_a_sensor_nothing_is_waited_for() -> None:
    waited: list[float] = []
    with recording([Silent()], None, waited.append) as recorder:
        record = recorder.completed(timed(1.0, 2.0))
    assert record.energy
    assert (record.energy.unmeasured, waited) == ("no-sensor", [])


def test_sources_end_when_the_run_fails() -> None:
    made = Made()
    with pytest.raises(KeyboardInterrupt), recording([made], None, lambda _: (_ for _ in ()).throw(KeyboardInterrupt)):
        pass
    assert made.stopped


def program(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_the_program_ends_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a script that logs its arguments and waits for the end of its input."""
    first = '{"host": "h1", "time": 1, "sensors": [], "refused": ["/sys/powercap: root alone"]}'
    program(tmp_path, PROGRAM, f"echo '{first}'; cat > {tmp_path}/input; echo \"$*\" > {tmp_path}/ended")
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    listener, host = SensorListener(), ThisHost()
    host.start(listener.hear)
    assert listener.wait(lambda streams: any(stream.described for stream in streams), 5)
    host.stop()
    assert (tmp_path / "ended").read_text() == "power --interval 0.1\n"
    assert listener.streams[0].unreadable == ("/sys/powercap: root alone",)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path / "nowhere"))
    with pytest.raises(BanzukeError, match="cannot run"):
        ThisHost().start(listener.hear)


class Asked:
    host = "h1"

    def __init__(self, fails: int = 0) -> None:
        self.fails, self.times = fails, 0

    def sensors(self) -> list[Sensor]:
        return [Sensor("asked", "power", "node")]

    def read(self) -> dict[str, float]:
        self.times += 1
        if self.times <= self.fails:
            raise BanzukeError("busy")
        return {"asked": 100.0 + self.times}


def test_questions_go_on_after_one_without_an_answer() -> None:
    listener, asked = SensorListener(), Asked(fails=2)
    questions = Questions([asked], interval=0.001)
    questions.start(listener.hear)
    assert listener.wait(lambda streams: len(streams[0].readings["asked"]) >= 3, 5)
    questions.stop()
    assert listener.streams[0].ours
    assert [reading.value for reading in listener.streams[0].readings["asked"]][:2] == [103.0, 104.0]


DCMI = """
    Instantaneous power reading:                   {watts} Watts
    Minimum during sampling period:                 18 Watts
    Average power reading over sample period:      251 Watts
    IPMI timestamp:                           Mon Nov 23 15:00:00 2026
    Sampling period:                          00000001 Seconds.
    Power reading state is:                   {state}
"""


def test_ipmi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a script that prints what the real ipmitool does."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, "ipmitool", f"cat <<END{DCMI.format(watts=312, state='activated')}END")
    assert Ipmi("h1").read() == {"ipmi/dcmi": 312.0}
    # OpenBMC's own tests show a reading in this state.
    program(tmp_path, "ipmitool", f"cat <<END{DCMI.format(watts=360, state='deactivated')}END")
    assert Ipmi("h1").read() == {"ipmi/dcmi": 360.0}
    program(tmp_path, "ipmitool", f"cat <<END{DCMI.format(watts=0, state='deactivated')}END")
    with pytest.raises(BanzukeError, match="no reading"):
        Ipmi("h1").sensors()
    program(tmp_path, "ipmitool", f"cat <<END{DCMI.format(watts=0, state='activated')}END")
    with pytest.raises(BanzukeError, match="state is activated, and it reports 0 W"):
        Ipmi("h1").sensors()
    program(tmp_path, "ipmitool", r"printf '\377\376'")
    with pytest.raises(BanzukeError, match="gave no reading"):
        Ipmi("h1").sensors()
    program(tmp_path, "ipmitool", "echo 'Could not open device at /dev/ipmi0' >&2; exit 1")
    with pytest.raises(BanzukeError, match="Could not open device"):
        Ipmi("h1").sensors()


SSH = """for word; do host=${command-}; command=$word; done
export host; exec sh -c "$command"
"""
"""Script in place of ssh: the host is the second-last word, and the command runs here."""


def test_ipmi_of_every_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use scripts in place of ssh and ipmitool, with a different power on each host and none on n3."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    said = DCMI.format(watts="${watts}", state="activated")
    program(tmp_path, "ipmitool", f'[ "$host" = n3 ] && exit 1; watts="30${{host#n}}"; cat <<END{said}END')
    program(tmp_path, "ssh", SSH)
    listener, source = SensorListener(), IpmiOfHosts(["n1", "n2", "n3"], {}, interval=0.01)
    source.start(listener.hear)
    try:
        assert listener.wait(
            lambda streams: sum(len(stream.readings.get(NAME, ())) >= 2 for stream in streams) == 2, 20
        )
    finally:
        source.stop()
    watts = {stream.host: {reading.value for reading in stream.readings[NAME]} for stream in listener.streams}
    assert watts == {"n1": {301.0}, "n2": {302.0}}
    assert [sensor.covers for stream in listener.streams for sensor in stream.sensors.values()] == ["node", "node"]


def test_hosts_without_ipmi_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, "ipmitool", "echo 'Could not open device at /dev/ipmi0' >&2; exit 1")
    with pytest.raises(BanzukeError, match="Could not open device"):
        IpmiOfHosts(["n1", "n2"], {}).start(lambda _stream, _line: None)


def test_which_sources_a_machine_has() -> None:
    here = machine()
    assert [type(source) for source in sources(here, {})] == [ThisHost, ThisHost]
    described = here.changed(partition={"power_sensor": "wattmeter of the rack"})
    assert [type(source) for source in sources(described, {})] == [ThisHost, ThisHost]
    for sensor, kind in (("ipmi", IpmiOfHosts), ("redfish:https://{host}-bmc/redfish/v1/Chassis/1", Questions)):
        described = here.changed(partition={"power_sensor": sensor}, allotment={"hosts": ["n1", "n2"]})
        assert [(type(source), source.streams) for source in sources(described, {})] == [
            (AllHosts, 2),
            (AllHosts, 2),
            (kind, 2),
        ]


def test_a_sensor_of_which_nonsense_is_said_takes_no_other_with_it() -> None:
    """Some firmware reports a counter's range of 0."""
    heard = Stream()
    sensor = {"id": "powercap/intel-rapl:0", "kind": "energy", "covers": "package", "range": 262143.0}
    wrong = [sensor | {"id": "1", "range": 0}, sensor | {"id": "2", "range": -1e-06}, sensor | {"id": ""}, 3, None]
    heard.hear(json.dumps({"host": "h1", "time": 1.0, "sensors": [*wrong, sensor], "devices": [{}]}), 1.0)
    assert list(heard.sensors) == [sensor["id"]]
