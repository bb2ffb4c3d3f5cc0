"""Tests with a fake BMC that serves the resources of DSP2046 over HTTPS as in DSP0266, with passwords."""

import base64
import json
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.power import redfish
from banzuke.power.redfish import AUTHORITY, CREDENTIALS, Access, Redfish

CHASSIS = "/redfish/v1/Chassis/1"
USER = "reader:a:b"


@dataclass
class Service:
    address: str
    resources: dict[str, Any] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    slow: bytes | None = None
    """Beginning of an answer that then continues byte by byte."""

    def chassis(self, **members: dict[str, Any]) -> None:
        links = {name: {"@odata.id": f"{CHASSIS}/{name}"} for name in members}
        self.resources = {CHASSIS: {"@odata.id": CHASSIS, "Id": "1", "Name": "Node", "ChassisType": "Blade", **links}}
        self.resources |= {f"{CHASSIS}/{name}": {"Id": name, **member} for name, member in members.items()}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("not installed: openssl")
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(file), "-out", f"{file}.crt"]
    subprocess.run([*words.split(), *names], check=True, capture_output=True)
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return file


def dribble(answering: BaseHTTPRequestHandler, begin: bytes) -> None:
    answering.close_connection = True
    with suppress(OSError):
        answering.wfile.write(begin)
        for _ in range(40):
            answering.wfile.write(b" ")
            time.sleep(0.1)


@pytest.fixture
def service(certificate: Path) -> Iterator[Service]:
    service = Service("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service.asked.append(self.path)
            if service.slow is not None:
                dribble(self, service.slow)
                return
            if self.headers.get("Authorization") != "Basic " + base64.b64encode(USER.encode()).decode():
                self.answer(401, {"error": {"code": "Base.1.0.NoValidSession", "message": "No valid session"}})
            elif self.path in service.moved:
                self.answer(302, {}, service.moved[self.path])
            elif self.path in service.resources:
                self.answer(200, service.resources[self.path])
            else:
                self.answer(404, {"error": {"code": "Base.1.0.ResourceMissingAtURI", "message": "Missing"}})

        def answer(self, status: int, resource: Any, location: str = "") -> None:
            content = resource if isinstance(resource, bytes) else json.dumps(resource).encode()
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("OData-Version", "4.0")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service.address = f"https://localhost:{server.server_port}{CHASSIS}"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def access(certificate: Path, tmp_path: Path) -> Access:
    file = tmp_path / "credentials"
    file.write_text(f"{USER}\n")
    file.chmod(0o600)
    return Access.of({CREDENTIALS: str(file), AUTHORITY: f"{certificate}.crt"})


def test_environment_metrics_come_before_power(service: Service, access: Access) -> None:
    service.chassis(
        Power={"PowerControl": [{"PowerConsumedWatts": 1}]},
        EnvironmentMetrics={
            "PowerWatts": {"Reading": 412.5, "DataSourceUri": "/redfish/v1/Chassis/1/Sensors/TotalPower"}
        },
    )
    node = Redfish("n1", service.address, access)
    (sensor,) = node.sensors()
    assert (sensor.id, sensor.kind, sensor.covers) == ("redfish/EnvironmentMetrics", "power", "node")
    assert node.read() == {sensor.id: 412.5}


def test_the_powers_of_a_chassis_add_up(service: Service, access: Access) -> None:
    control = [{"MemberId": "0", "PowerConsumedWatts": 300}, {"MemberId": "1", "PowerConsumedWatts": 110.5}]
    service.chassis(Power={"PowerControl": control}, EnvironmentMetrics={"PowerWatts": {"Reading": None}})
    node = Redfish("n1", service.address, access)
    (sensor,) = node.sensors()
    assert node.read() == {sensor.id: 410.5}
    control[1]["PowerConsumedWatts"] = None
    assert node.read() == {}, "a part that is unknown makes no total"


LENOVO = [
    {"Name": "Server Power Control", "PhysicalContext": "Chassis", "PowerConsumedWatts": 400},
    {"Name": "CPU Sub-system Power", "PhysicalContext": "CPU", "PowerConsumedWatts": 250},
    {"Name": "Memory Sub-system Power", "PhysicalContext": "Memory", "PowerConsumedWatts": 40},
]


@pytest.mark.parametrize(
    ("control", "watts"),
    [
        (LENOVO, 400),
        ([{"Name": entry["Name"], "PowerConsumedWatts": entry["PowerConsumedWatts"]} for entry in LENOVO], 400),
        ([entry | {"Name": "x"} for entry in LENOVO], 400),
        ([*reversed(LENOVO)], 400),
        # Cisco reports the only one at its power supplies
        ([{"MemberId": "1", "PhysicalContext": "PowerSupply", "PowerConsumedWatts": 324}], 324),
        # one for each power supply
        ([{"Name": f"System Power Control {number}", "PowerConsumedWatts": 53} for number in (1, 2)], 106),
        (
            [
                {"Name": "Total", "PowerConsumedWatts": 300},
                {
                    "Name": "Package",
                    "PowerConsumedWatts": 90,
                    "RelatedItem": [{"@odata.id": "/redfish/v1/Systems/1/Processors/0"}],
                },
            ],
            300,
        ),
        # HPE Cray EX
        (
            [{"Name": "Node Power Control", "PowerConsumedWatts": 900}]
            + [{"Name": f"Accelerator{number} Power Control", "PowerConsumedWatts": 300} for number in (0, 1)],
            900,
        ),
        # an absent power supply
        (
            [
                {"Name": "System Power Control 1", "PowerConsumedWatts": 300, "Status": {"State": "Enabled"}},
                {"Name": "System Power Control 2", "PowerConsumedWatts": None, "Status": {"State": "Absent"}},
            ],
            300,
        ),
        # without a sensor
        ([{"Name": "System Power Control", "PowerConsumedWatts": 0}], None),
        ([{"Name": "System Power Control", "PowerConsumedWatts": -1}], None),
        # unknown which one includes the other
        ([{"Name": "Chassis Power", "PowerConsumedWatts": 900}, {"Name": "System", "PowerConsumedWatts": 800}], None),
        ([{"Name": "CPU Power", "PowerConsumedWatts": 250}], None),
        ([{"Name": ["x"], "PhysicalContext": 3, "RelatedItem": 3, "PowerConsumedWatts": 5}], 5),
    ],
)
def test_the_parts_of_a_node_are_in_its_whole(
    control: list[dict[str, Any]], watts: float | None, service: Service, access: Access
) -> None:
    service.chassis(Power={"PowerControl": control})
    node = Redfish("n1", service.address, access)
    if watts is None:
        with pytest.raises(BanzukeError, match="reports no power"):
            node.sensors()
    else:
        (sensor,) = node.sensors()
        assert node.read() == {sensor.id: watts}


def test_a_chassis_of_several_nodes_is_none_of_a_node(service: Service, access: Access) -> None:
    service.chassis(Power={"PowerControl": [{"PowerConsumedWatts": 4000}]})
    systems = [{"@odata.id": f"/redfish/v1/Systems/Node{number}"} for number in (0, 1)]
    service.resources[CHASSIS]["Links"] = {"ComputerSystems": systems}
    with pytest.raises(BanzukeError, match="these are in it: /redfish/v1/Systems/Node0, "):
        Redfish("n1", service.address, access).sensors()
    service.resources[CHASSIS]["Links"] = {"ComputerSystems": systems[:1]}
    assert Redfish("n1", service.address, access).sensors()


@pytest.mark.parametrize("metrics", [{"Reading": 0}, {"Reading": 0.4, "ReadingUnits": "kW"}])
def test_without_a_power_in_watts_the_older_resource_is_asked(
    metrics: dict[str, Any], service: Service, access: Access
) -> None:
    service.chassis(Power={"PowerControl": [{"PowerConsumedWatts": 410}]}, EnvironmentMetrics={"PowerWatts": metrics})
    node = Redfish("n1", service.address, access)
    (sensor,) = node.sensors()
    assert node.read() == {sensor.id: 410} == {"redfish/Power": 410}


def test_powers_of_which_none_is_the_whole_are_named(service: Service, access: Access) -> None:
    control = [{"Name": "Chassis Power", "PowerConsumedWatts": 900}, {"Name": "System", "PowerConsumedWatts": 800}]
    service.chassis(Power={"PowerControl": control})
    with pytest.raises(BanzukeError, match="which of these is the whole: Chassis Power, System"):
        Redfish("n1", service.address, access).sensors()


@pytest.mark.parametrize(
    "resource",
    [[], b"not JSON", {"PowerControl": 3}, {"PowerControl": [{"PowerConsumedWatts": "1"}]}, {}]
    + [b'{"PowerWatts": {"Reading": %s}}' % number for number in (b"NaN", b"-Infinity", b"9" * 400)],
)
def test_answers_without_a_power_are_refused(service: Service, access: Access, resource: Any) -> None:
    service.chassis(Power={})
    service.resources[f"{CHASSIS}/Power"] = resource
    with pytest.raises(BanzukeError):
        Redfish("n1", service.address, access).sensors()


def test_a_wrong_password_is_told(service: Service, access: Access) -> None:
    service.chassis(Power={"PowerControl": [{"PowerConsumedWatts": 300}]})
    with pytest.raises(BanzukeError, match="wrong or no credentials"):
        Redfish("n1", service.address, Access(tls=access.tls)).sensors()


def test_a_certificate_that_nobody_vouches_for_is_refused(service: Service) -> None:
    with pytest.raises(BanzukeError, match="certificate"):
        Redfish("n1", service.address, Access()).sensors()
    assert not service.asked


def test_the_password_follows_no_redirection_and_no_link_elsewhere(service: Service, access: Access) -> None:
    service.chassis(Power={"PowerControl": [{"PowerConsumedWatts": 300}]})
    service.moved[f"{CHASSIS}/Power"] = f"{service.address}/Other"
    with pytest.raises(BanzukeError, match="302"):
        Redfish("n1", service.address, access).sensors()
    service.resources[CHASSIS]["Power"] = {"@odata.id": "https://elsewhere.example/Power"}
    with pytest.raises(BanzukeError, match="another host"):
        Redfish("n1", service.address, access).sensors()
    assert f"{CHASSIS}/Other" not in service.asked


@pytest.mark.parametrize("link", ["//[", "/a b", "/a\x00b", "/\u00e9", "https://[::1", "x" * 100_000])
def test_a_link_that_is_no_address_is_refused(service: Service, access: Access, link: str) -> None:
    service.chassis(Power={})
    service.resources[CHASSIS]["Power"] = {"@odata.id": link}
    with pytest.raises(BanzukeError):
        Redfish("n1", service.address, access).sensors()


@pytest.mark.parametrize(
    "begin", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", b"no HTTP\r\n" + b"x" * 100_000]
)
def test_an_answer_that_does_not_end_is_not_waited_for(
    service: Service, access: Access, begin: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Send a byte now and then, each within the time limit of a socket."""
    monkeypatch.setattr(redfish, "TIMEOUT", 0.5)
    service.slow = begin
    with pytest.raises(BanzukeError, match="does not answer"):
        Redfish("n1", service.address, access).sensors()


def test_nothing_is_asked_unencrypted() -> None:
    with pytest.raises(BanzukeError, match="https"):
        Redfish("n1", "http://localhost/redfish/v1/Chassis/1", Access()).sensors()


def test_credentials_are_nobody_elses(tmp_path: Path) -> None:
    file = tmp_path / "credentials"
    file.write_text(USER)
    file.chmod(0o644)
    with pytest.raises(BanzukeError, match="others can read"):
        Access.of({CREDENTIALS: str(file)})
    file.chmod(0o600)
    assert USER not in repr(Redfish("n1", "https://bmc/redfish/v1/Chassis/1", Access.of({CREDENTIALS: str(file)})))
    file.write_text("no colon")
    with pytest.raises(BanzukeError, match="user:password"):
        Access.of({CREDENTIALS: str(file)})
    with pytest.raises(BanzukeError):
        Access.of({AUTHORITY: str(tmp_path / "missing")})
