"""The hosts of a job, as batch systems list them."""

import os
import socket
from pathlib import Path
from threading import Event

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.allocation import allocation, doubts, elsewhere, groups, nowhere


def test_slurm() -> None:
    assert allocation({"SLURM_JOB_NODELIST": "n[1-2]"}) == ["n1", "n2"]
    assert allocation({f"SLURM_JOB_NODELIST_HET_GROUP_{'9' * 5000}": "n1"}) == []


@pytest.mark.parametrize("text", ["vm,node[3-1]", "vm,node[]", "n[1-", "a b", "n[1-999999999]"])
def test_hosts_that_cannot_be_read_are_not_this_one_alone(text: str) -> None:
    with pytest.raises(BanzukeError, match="SLURM_JOB_NODELIST does not give this job's hosts"):
        allocation({"SLURM_JOB_NODELIST": text})
    assert groups({"SLURM_JOB_NODELIST": text}) == []


@pytest.mark.parametrize(
    ("step", "number", "hosts"),
    [
        ("n[3-4]", "0", ["n3", "n4"]),
        ("n3", "7", ["n3"]),
        ("n[1-4]", "0", ["n1", "n2", "n3", "n4"]),
        ("n1", str(0xFFFFFFFA), ["n1", "n2", "n3", "n4"]),
        ("", "0", ["n1", "n2", "n3", "n4"]),
    ],
)
def test_a_step_has_its_own_hosts(step: str, number: str, hosts: list[str]) -> None:
    """The shell of `salloc` is a step on the first host, and has the whole job."""
    job = {"SLURM_JOB_NODELIST": "n[1-4]", "SLURM_STEP_NODELIST": step, "SLURM_STEP_ID": number}
    assert allocation(job) == hosts
    assert groups(job) == [["n1", "n2", "n3", "n4"]]
    sentences = doubts(job, 8)
    assert bool(sentences) == (len(hosts) < 4)
    assert all("of the job's 4 hosts" in text for text in sentences)


@pytest.mark.parametrize(
    ("processors_text", "processors", "expected"),
    [("2", 1, True), ("2", 2, False), ("1", 1, False), ("x", 1, False), ("9" * 50, 1, False)],
)
def test_fewer_processors_than_the_job_has_for_a_task_are_told(
    processors_text: str, processors: int, *, expected: bool
) -> None:
    sentences = doubts({"SLURM_CPUS_PER_TASK": processors_text}, processors)
    assert bool(sentences) == expected
    assert all("srun" in text and "1 of the 2 processors" in text for text in sentences)


def test_a_heterogeneous_job_has_the_hosts_of_its_own_part(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {
        "SLURM_JOB_NODELIST": "n1",
        "SLURM_JOB_NODELIST_HET_GROUP_10": "c1",
        "SLURM_JOB_NODELIST_HET_GROUP_0": "n[1-2]",
        "SLURM_JOB_NODELIST_HET_GROUP_1": "g[1-2]",
    }
    assert groups(parts) == [["n1", "n2"], ["g1", "g2"], ["c1"]]
    older = {f"SLURM_JOB_NODELIST_PACK_GROUP_{number}": host for number, host in enumerate(("n1", "g1"))}
    assert groups(older) == [["n1"], ["g1"]]
    monkeypatch.setattr("socket.gethostname", lambda: "g2")
    assert allocation(parts) == ["g1", "g2"]
    monkeypatch.setattr("socket.gethostname", lambda: "login")
    assert allocation(parts) == ["n1", "n2"]


def test_grid_engine(tmp_path: Path) -> None:
    # sge_pe(5): "host name, number of slots, queue instance, processor range", the master's line first.
    file = tmp_path / "pe_hostfile"
    file.write_text("n2.example.org 4 all.q@n2.example.org UNDEFINED\nn1.example.org 4 all.q@n1.example.org <NULL>\n")
    assert allocation({"PE_HOSTFILE": str(file)}) == ["n2.example.org", "n1.example.org"]


@pytest.mark.parametrize(
    ("processors_text", "processors", "expected"),
    [
        ("4(x2)", 4, None),
        ("4", 2, None),
        ("4(x2),2", 4, "different numbers of processors (SLURM_JOB_CPUS_PER_NODE: 4, 4, 2)"),
        ("2(x99)", 64, "the job has 2 processors here (SLURM_JOB_CPUS_PER_NODE), of 64 cores"),
        ("x", 4, None),
        ("4(x", 4, None),
    ],
)
def test_processors_of_each_host_of_slurm(processors_text: str, processors: int, expected: str | None) -> None:
    sentences = doubts({"SLURM_JOB_CPUS_PER_NODE": processors_text}, processors)
    assert bool(sentences) == bool(expected)
    assert all(expected in text for text in sentences if expected)


def test_slots_of_grid_engine(tmp_path: Path) -> None:
    file = tmp_path / "pe_hostfile"
    job = {"PE_HOSTFILE": str(file)}
    file.write_text("n2 4 all.q@n2 UNDEFINED\nn1 4 all.q@n1 <NULL>\n")
    assert doubts(job, 4) == []
    assert ["4 processors here (PE_HOSTFILE), of 64 cores" in text for text in doubts(job, 64)] == [True]
    file.write_text("n2 4 all.q@n2 0,0:0,1:1,0:1,1\nn1 2 long.q@n1 UNDEFINED\nn1 1 all.q@n1 UNDEFINED\n")
    unlike, bound = doubts(job, 4)
    assert "PE_HOSTFILE: 4, 3" in unlike
    assert "0,0:0,1:1,0:1,1" in bound
    assert doubts({"PE_HOSTFILE": str(tmp_path / "missing")}, 4) == []


def test_hosts_of_other_batch_systems_are_told() -> None:
    assert doubts({"LSB_DJOB_HOSTFILE": "/x"}, 4) == [
        "the hosts in LSB_DJOB_HOSTFILE are not read: name them with --hosts"
    ]
    assert doubts({"LSB_DJOB_HOSTFILE": "", "SLURM_JOB_NODELIST": "n1"}, 4) == []


def test_a_site_may_count_cores_as_processors() -> None:
    assert doubts({"SLURM_JOB_CPUS_PER_NODE": "64"}, 128, cores=64) == []


def test_flux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A stand-in; flux-broker-attributes(7): hostlist is "an RFC 29 hostlist in broker rank order".
    command = tmp_path / "flux"
    command.write_text('#!/bin/sh\ntest "$*" = "getattr hostlist" && echo "n[3-4,1]"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert sorted(allocation({"FLUX_URI": "local:///run/flux/local"})) == ["n1", "n3", "n4"]
    assert allocation({}) == []


@pytest.mark.parametrize("variable", ["PBS_NODEFILE", "PJM_O_NODEINF"])
def test_files_name_a_host_for_each_slot(variable: str, tmp_path: Path) -> None:
    file = tmp_path / "nodes"
    file.write_text("n2\nn2\n\nn1 slots=2\nn1\n")
    assert allocation({variable: str(file)}) == ["n2", "n1"]
    assert allocation({variable: str(tmp_path / "none")}) == []


def test_this_host_alone_is_no_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n1.example.org")
    assert allocation({"SLURM_JOB_NODELIST": "n1"}) == []
    monkeypatch.setattr("socket.gethostname", lambda: "login")
    assert allocation({"SLURM_JOB_NODELIST": "n1"}) == ["n1"]
    assert allocation({}) == []


@pytest.mark.parametrize(
    ("names", "other"),
    [
        ([], False),
        (["n1", "n2.example.org"], False),
        (["N2"], False),
        (["n1", "127.0.0.1"], False),
        (["n1", "n3"], True),
        (["n" * 80], True),
    ],
)
def test_whether_this_host_is_among_them(names: list[str], *, other: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n2")
    assert elsewhere(names) == other


def test_a_mistyped_host_is_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n2.example.org")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "c[1-3]")
    missing = nowhere(["n2", "c3", "localhost", "127.0.0.1", "nonexist.invalid", "n" * 80])
    assert list(missing) == ["nonexist.invalid", "n" * 80]
    assert all(missing.values())
    assert nowhere([]) == {}


def test_what_ssh_knows_by_another_name_is_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(
        "#!/bin/sh\ncase $2 in a*) echo hostname 127.0.0.1 ;; b*) echo hostname $2; echo proxyjump gate ;; "
        "*) echo hostname $2 ;; esac\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert list(nowhere(["a.invalid", "b.invalid", "c.invalid"])) == ["c.invalid"]


def test_ten_thousand_names_and_one_that_nobody_answers_for_take_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, over = set(), Event()

    def look_up(host: str, _: None) -> list[object]:
        asked.add(host)
        if host == "n7":
            over.wait(600)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    for seconds in (1.0, 10.0, 100.0):  # on a busy machine the others may take longer
        monkeypatch.setattr("banzuke.machine.allocation._PATIENCE", seconds)
        assert nowhere([f"n{number}" for number in range(10_000)]) == {}
        if len(asked) == 10_000:
            break
    over.set()
    assert len(asked) == 10_000
