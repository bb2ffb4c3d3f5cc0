"""Tests of energies from Slurm's accounting.

The database is not available here, so scripts in place of sacct and scontrol print what sacct(1) and slurm.conf(5)
describe.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from banzuke.power.accounting import Accounting
from banzuke.power.recorder import recording
from banzuke.record.energy import AccountedEnergy
from banzuke.record.model import Record
from banzuke.report.testing import stream
from banzuke.testing import changed

BEGAN = 1_790_000_000
RAPL = "AcctGatherEnergyType    = acct_gather_energy/rapl"
RATING = 1000.0
JOB = {"SLURM_JOB_ID": "12"}


def launch(begin: float, end: float) -> Record:
    """Return a record of a launch; times are in seconds after the job's start."""
    start = datetime.fromtimestamp(BEGAN, UTC)
    return changed(
        stream(1, 1, 1.0).record, started=start + timedelta(seconds=begin), ended=start + timedelta(seconds=end)
    )


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the folder of commands; sacct prints the file `steps` and logs its calls in `asked`."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("banzuke.power.accounting.PATIENCE", 0.0)
    monkeypatch.setattr("banzuke.power.accounting._AGAIN", 0.0)
    program(tmp_path, "scontrol", f"echo '{RAPL}'")
    program(tmp_path, "sacct", f'echo "$SLURM_TIME_FORMAT $*" >> {tmp_path}/asked; cat {tmp_path}/steps')
    return tmp_path


def steps(site: Path, *lines: str) -> Accounting:
    """Return the accounting of a job with these steps: name, begin, end, ConsumedEnergyRaw, ConsumedEnergy."""
    listed = []
    for number, line in enumerate(lines):
        name, begin, end, *energies = line.split()
        listed.append(f"12.{number}|{name}|{BEGAN + int(begin)}|{BEGAN + int(end)}|{'|'.join(energies)}")
    whole = f"12.batch|batch|{BEGAN}|{BEGAN + 900}|999999|1M"
    (site / "steps").write_text("\n".join([f"12|job|{BEGAN}|Unknown||", whole, *listed]) + "\n")
    accounting = Accounting.of_job(JOB)
    assert accounting
    return accounting


def test_a_launch_has_the_energy_of_its_step(site: Path) -> None:
    accounting = steps(site, "stream 0 30 6000 6K", "sh 31 80 1 1", "stream 40 72 8123 8.12K", "stream 80 90 0 0")
    expected = AccountedEnergy(joule=8123, seconds=32, step="12.2", plugin="acct_gather_energy/rapl")
    assert accounting.of(launch(40.9, 71.5), RATING) == expected
    assert expected.watt == pytest.approx(253.8, abs=0.1)
    (asked,) = (site / "asked").read_text().splitlines()
    assert asked.startswith("%s --noheader --parsable2 --jobs=12 --format=JobID,JobName,Start,End,ConsumedEnergyRaw,")


@pytest.mark.parametrize(("raw", "rounded", "joule"), [("", "8.12K", 8120.0), ("0", "1.5M", 1.5e6), ("x", "12", 12.0)])
def test_what_people_read_is_read_where_the_other_is_missing(site: Path, raw: str, rounded: str, joule: float) -> None:
    accounting = steps(site, "stream 0 30 1 1")
    (site / "steps").write_text(f"12.0|stream|{BEGAN}|{BEGAN + 30}|{raw}|{rounded}\n")
    energy = accounting.of(launch(1, 29), 1e9)
    assert energy
    assert energy.joule == pytest.approx(joule)


@pytest.mark.parametrize(
    "lines",
    [
        ["stream 0 30 0 0"],
        ["stream 0 30 18446744073709551614 16E"],  # NO_VAL64
        ["stream 0 30 6000 6K", "stream 0 31 6000 6K"],
    ],
    ids=["none", "nonsense", "two at once"],
)
def test_what_is_no_energy_is_none(site: Path, lines: list[str]) -> None:
    assert steps(site, *lines).of(launch(1, 29), RATING) is None


def test_launches_that_are_short_or_no_steps_cost_no_question(site: Path) -> None:
    accounting = steps(site, "sh 0 30 6000 6K")
    assert accounting.of(launch(1, 9), RATING) is None
    assert not (site / "asked").exists()
    assert accounting.of(launch(1, 29), RATING) is None
    assert accounting.of(launch(1, 29), RATING) is None
    assert len((site / "asked").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "said", ["AcctGatherEnergyType    = acct_gather_energy/none", "AcctGatherEnergyType = (null)", ""]
)
def test_a_site_without_energies_is_not_asked(site: Path, said: str) -> None:
    program(site, "scontrol", f"echo '{said}'")
    assert Accounting.of_job(JOB) is None
    assert Accounting.of_job({}) is None


def test_without_a_database_there_is_none(site: Path) -> None:
    accounting = steps(site)
    program(site, "sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1")
    assert accounting.of(launch(1, 29), RATING) is None


def test_it_stands_beside_what_sensors_say_and_is_no_part_of_it(site: Path) -> None:
    with recording([], RATING, lambda _: None, steps(site, "stream 0 30 6000 6K")) as recorder:
        energy = recorder.completed(launch(1, 29)).energy
    assert energy
    assert (energy.joule, energy.unmeasured) == (None, "no-sensor")
    assert energy.accounted
    assert energy.accounted.joule == 6000
