"""Tests of `banzuke submit --power-cap`; a stand-in for the batch system takes submitted jobs."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke import paths
from banzuke.batch import systems
from banzuke.batch.commands import CommandError
from banzuke.batch.inventory import model as inventory
from banzuke.batch.job import Job, Status, Submitted
from banzuke.batch.submission import Submissions
from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.machine.described import Place, placed
from banzuke.plan.case import key
from banzuke.record.energy import Energy, SensorEnergy
from banzuke.record.hosts import Hosts
from banzuke.record.model import Provenance, Record
from banzuke.results.store import Store
from banzuke.testing import case, machine

SITE = """
name = "here"
[partitions.cpu]
nodes = 8
[partitions.cpu.batch]
system = "slurm"
[partitions.cpu.node]
power = 500
processors = [{ cores = 4 }]
[partitions.fugaku]
node.power = 200
node.processors = [{ cores = 48 }]
batch.system = "pjm"
[partitions.bare]
node.processors = [{ cores = 4 }]
batch.system = "slurm"
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    file = tmp_path / "site.toml"
    file.write_text(SITE)
    return file


def called(site: Path, *words: str, partition: str = "cpu") -> str:
    """Return the output in one line."""
    where = ("--site", str(site), "--partition", partition, "--results", str(site.parent / "results"))
    done = CliRunner().invoke(app, ["submit", *words, *where], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return " ".join(done.stderr.split())


RATING = "500 W a node, rating of its supplies"


def test_waves_are_shown_and_nothing_is_submitted(site: Path) -> None:
    said = called(site, "hpl", "stream", "--nodes", "1,2,4", "--power-cap", "2kW", "--dry-run")
    assert said == (
        f"wave 1: 1.5 kW of 2 kW n1: 500 W ({RATING}) n2: 1 kW ({RATING}) "
        f"wave 2, after wave 1: 2 kW of 2 kW n4: 2 kW ({RATING}) "
        f"wave 3, after wave 2: 2 kW of 2 kW each: 2 kW (4 at once, {RATING}) "
        "4 jobs; nothing was submitted"
    )
    said = called(site, "stream", "--scaling", "throughput", "--nodes", "2,8", "--power-cap", "0.003MW", "--dry-run")
    assert f"wave 2, after wave 1: 3 kW of 3 kW copies8: 3 kW (6 at once, {RATING})" in said


@pytest.mark.parametrize(
    ("partition", "words", "error"),
    [
        ("cpu", ("--power-cap", "200"), "--power-cap '200' is not understood. Write it with its unit: 800W, 200kW"),
        ("cpu", ("--power-cap", "0W"), "--power-cap '0W' is not understood"),
        ("cpu", ("--power-cap", "1kW", "--nodes", "1,4"), "job n4 takes 2 kW (4 nodes of 500 W, and --power-cap is"),
        ("bare", ("--power-cap", "1kW"), "(W, the most that a node's supplies give) into [partitions.bare.node] of "),
        ("fugaku", ("--power-cap", "500W", "--nodes", "1,2"), "PJM cannot let this job wait for others"),
    ],
)
def test_what_cannot_keep_to_the_cap_is_refused(site: Path, partition: str, words: Sequence[str], error: str) -> None:
    with pytest.raises(BanzukeError, match=re.escape(error)):
        called(site, "hpl", *words, "--dry-run", partition=partition)
    assert not (site.parent / "results").exists()


def test_without_a_site_file_no_power_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.cli.submit.answering", lambda *_: ("slurm", [inventory.Queue("short")]))
    monkeypatch.chdir(tmp_path)
    words = ("submit", "hpl", "--power-cap", "1kW", "--dry-run")
    with pytest.raises(
        BanzukeError, match=r"a node of partition short takes with hpl is not known .*banzuke site init"
    ):
        CliRunner().invoke(app, words, catch_exceptions=False)


def test_one_wave_needs_nothing_of_the_batch_system(site: Path) -> None:
    said = called(site, "hpl", "--nodes", "1,2", "--power-cap", "600W", "--dry-run", partition="fugaku")
    assert said.startswith("wave 1: 600 W of 600 W n1: 200 W ")


def test_power_is_taken_from_earlier_runs(site: Path) -> None:
    """The highest power counts that sensors of whole nodes of this partition measured with all cores busy."""
    where = "--nodes", "1,2", "--power-cap", "1kW", "--dry-run"
    keep(site, "cpu", joule=600.0)
    keep(site, "cpu", joule=630.0)
    keep(site, "cpu", joule=900.0, covers="package")
    keep(site, "cpu", joule=900.0, threads=2)
    keep(site, "fugaku", joule=900.0)
    said = called(site, "stream", *where)
    assert re.fullmatch(r"wave 1: 630 W of 1 kW each: 630 W \(2 at once, 315 W a node, measured in run \S+\) .*", said)
    assert RATING in called(site, "hpl", *where), "another benchmark"


def keep(site: Path, partition: str, *, joule: float, covers: Any = "node", threads: int = 4) -> None:
    """Store a run of two nodes with one record, whose timed parts took a second."""
    described, _ = placed(machine(cores=4), Place.find(site, partition))
    planned = case(threads=threads)
    run = Store(site.parent / "results").create(described, [planned], 1, "run")
    golden = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())
    hosts = [Hosts(names="n[1-2]", ranks="0-1")]
    group = golden.groups[0].model_copy(update={"ranks": 2, "threads": threads, "hosts": hosts})
    sensor = SensorEnergy(id="s", hosts="n[1-2]", covers=covers, kind="energy", joule=joule, counted=True, readings=9)
    energy = Energy(joule=joule, seconds=1.0, parts=1, uncertainty=0.0, sensors=[sensor])
    origin = Provenance(id=run.name, run=run.name, case=key(planned), machine="m", command=[], banzuke="0")
    run.append(golden.model_copy(update={"groups": [group], "energy": energy, "provenance": origin}))


class Queue:
    """A queue that takes jobs, and records what each waits for."""

    def __init__(self) -> None:
        self.waits: dict[str, list[str]] = {}
        self.states: dict[str, Status] = {}
        self.fault: tuple[str, CommandError] | None = None

    def submit(self, job: Job, _script: Path, after: Sequence[str] = ()) -> Submitted:
        name = job.name.removeprefix("banzuke-")
        if self.fault and self.fault[0] == name:
            raise self.fault[1]
        self.waits[name] = list(after)
        return Submitted(f"id-{name}", job.output, job.elements)

    def statuses(self, _name: str, jobs: Sequence[Submitted]) -> dict[str, Status]:
        return {job.id: self.states.get(job.id, Status("queued")) for job in jobs}


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    stand_in = Queue()
    monkeypatch.setattr(systems, "submit", stand_in.submit)
    monkeypatch.setattr(systems, "statuses", stand_in.statuses)
    return stand_in


SUBMIT = ("submit", "hpl", "--nodes", "1,2,3,4", "--power-cap", "2kW")
"""A submission in three waves: 1 and 2, 3, 4."""


def test_each_wave_waits_for_the_one_before(site: Path, queue: Queue) -> None:
    called(site, *SUBMIT[1:])
    assert queue.waits == {"n1": [], "n2": [], "n3": ["id-n1", "id-n2"], "n4": ["id-n3"]}


def test_jobs_that_are_submitted_again_keep_to_the_cap(site: Path, queue: Queue) -> None:
    called(site, *SUBMIT[1:])
    queue.states = {f"id-{name}": Status("timed-out") for name in ("n1", "n2", "n3")}
    queue.waits.clear()
    done = CliRunner().invoke(app, ["jobs", "--resubmit", "--results", str(site.parent / "results")])
    assert done.exit_code == 0, done.output
    assert queue.waits == {"n1": ["id-n4"], "n2": ["id-n4"], "n3": ["id-n1", "id-n2"]}


def test_a_job_that_was_refused_is_not_waited_for(site: Path, queue: Queue) -> None:
    queue.fault = ("n3", CommandError("sbatch failed", why="no", said="no"))
    assert submitted(site) == 1
    assert queue.waits == {"n1": [], "n2": [], "n4": ["id-n1", "id-n2"]}


def test_nothing_follows_a_job_that_may_be_in_the_queue(site: Path, queue: Queue) -> None:
    queue.fault = ("n1", CommandError("sbatch did not answer", why="within 60 s"))
    assert submitted(site) == 1
    assert queue.waits == {"n2": []}
    made = Submissions(site.parent / "results").find("20")
    assert [job.state for job in made.follow()] == ["unknown", "queued", "not submitted", "not submitted"]


def submitted(site: Path) -> int:
    """Submit, and return the exit status."""
    where = ("--site", str(site), "--partition", "cpu", "--results", str(site.parent / "results"))
    return CliRunner().invoke(app, [*SUBMIT, *where], catch_exceptions=False).exit_code
