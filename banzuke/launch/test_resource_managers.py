"""Commands for Slurm, Flux and Fujitsu's mpiexec; tests/test_groups.py starts ranks by a real Slurm."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.launch.launcher import find_launcher
from banzuke.launch.resource_managers import flux, fujitsu, slurms_mpi, srun, starts_parts_by_srun
from banzuke.launch.start import LONGEST_HOST_LIST, Start

ALWAYS = [
    *("--quiet", "--overlap", "--overcommit", "--cpu-bind=none", "--kill-on-bad-exit=1", "--quit-on-interrupt"),
    "--export=ALL",
]
HOSTILE = 'it\'s %t "$HOME"; `x`\n'


def start(ranks: int = 4, per_host: int = 2, hosts: Sequence[str] = ("n1", "n2"), **variables: str) -> Start:
    return Start(["printf", "%s|", HOSTILE, str(ranks)], ranks, hosts, per_host, variables)


@pytest.fixture(autouse=True)
def no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_JOB_NODELIST", "PJM_O_NODEINF", "PE_HOSTFILE", "PBS_NODEFILE", "FLUX_URI"):
        monkeypatch.delenv(name, raising=False)


def test_srun_starts_blocks_of_ranks_on_each_node() -> None:
    (words,), files = srun([start()], [], Path())
    placed = ["--nodes=2", "--ntasks-per-node=2", "--distribution=block", "--nodelist", "n[1-2]", "--ntasks=4"]
    assert words == [*ALWAYS, *placed, *start().words]
    assert files == {}


def test_srun_places_each_rank_of_several_groups_and_each_becomes_its_program() -> None:
    (words,), _ = srun([start(1, 1, ["n1"]), start(2, 1)], [], Path())
    assert words[len(ALWAYS) : -3] == ["--nodes=2", "--distribution=arbitrary", "--nodelist", "n1,n1,n2", "--ntasks=3"]
    said = [output(words[-3:], SLURM_PROCID=str(rank)) for rank in range(3)]
    assert said == [f"{HOSTILE}|{ranks}|" for ranks in (1, 2, 2)]


def test_ranks_in_another_order_have_the_node_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = replace(start(), order=["n2", "n1", "n1", "n2"])
    (words,), files = srun([ordered], [], tmp_path)
    assert words[len(ALWAYS) + 1 : len(ALWAYS) + 4] == ["--distribution=arbitrary", "--nodelist", "n2,n1,n1,n2"]
    assert not files
    (words,), files = flux([ordered], [], tmp_path)
    assert f"--taskmap=hostfile:{next(iter(files))}" in words
    monkeypatch.setattr("banzuke.machine.allocation.groups", lambda _environment: [["n1", "n2"]])
    _, places = fujitsu([ordered], [], tmp_path)
    assert [*files.values(), *places.values()] == ["n2\nn1\nn1\nn2\n", "(1)\n(0)\n(0)\n(1)\n"]


def output(words: Sequence[str], **variables: str) -> str:
    return subprocess.run(words, env={"PATH": "/bin", **variables}, capture_output=True, text=True, check=True).stdout


def test_a_groups_own_variables_are_set_for_its_ranks_alone() -> None:
    printing = Start(["sh", "-c", "echo $A"], 1, [], 1, {"A": "1 2"})
    (words,), _ = srun([printing, Start(printing.words, 1, [], 1, {})], [], Path())
    assert [output(words[-3:], SLURM_PROCID=rank) for rank in "01"] == ["1 2\n", "\n"]


def test_a_long_list_of_nodes_is_a_file(tmp_path: Path) -> None:
    hosts = [f"{number}x" for number in range(LONGEST_HOST_LIST)]
    (words,), files = srun([start(1, 1, ["n1"]), start(len(hosts), 1, hosts)], [], tmp_path)
    ((file, text),) = files.items()
    assert words[words.index("--nodelist") + 1] == str(file)
    assert text.splitlines() == ["n1", *hosts]


def test_the_parts_of_a_heterogeneous_job_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_0", "n1")
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_1", "n[3-4]")
    small, large = start(1, 1, ["n1.site"]), start(2, 1, ["n3", "n4"])
    first, second = srun([small, large], [], Path())[0]
    assert "--het-group=0" in first
    assert "n1.site" in first
    assert "--het-group=1" in second
    assert second[-len(large.words) - 2 :] == ["env", "BANZUKE_GROUP=1", *large.words]
    with pytest.raises(BanzukeError, match="cannot start these groups of ranks in this order"):
        srun([large, small], [], Path())


def test_only_srun_reaches_all_parts_of_a_heterogeneous_job() -> None:
    parts = {"SLURM_JOB_NODELIST_HET_GROUP_0": "n1", "SLURM_JOB_NODELIST_HET_GROUP_1": "n2"}
    assert starts_parts_by_srun({"SLURM_JOB_ID": "1", **parts})
    assert not starts_parts_by_srun({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n[1-2]"})
    assert not starts_parts_by_srun({})


def test_groups_are_told_which_they_are() -> None:
    printing = Start(["sh", "-c", "echo $BANZUKE_GROUP"], 1, [], 1, {})
    (words,), _ = srun([printing, printing], [], Path())
    assert [output(words[-3:], SLURM_PROCID=rank) for rank in "01"] == ["0\n", "1\n"]
    (words,), _ = srun([printing], [], Path())
    assert "BANZUKE_GROUP" not in " ".join(words[:-1])


def test_flux_places_blocks_on_the_hosts_of_one_group() -> None:
    """The options are those of flux-run(1) in flux-core 0.60."""
    (words,), _ = flux([start()], [], Path())
    placed = "--nodes=2 --requires=hosts:n[1-2] --tasks-per-node=2 --setopt=cpu-affinity=off --setopt=gpu-affinity=off"
    assert words == [*placed.split(), *start().words]
    (words,), _ = flux([start(1, 1, []), start(2, 2, [])], [], Path())
    assert "--tasks-per-node=3" in words
    assert [output(words[-3:], FLUX_TASK_RANK=rank)[-2:] for rank in "012"] == ["1|", "2|", "2|"]
    with pytest.raises(BanzukeError, match="cannot start several groups of ranks on several hosts"):
        flux([start(1, 1, ["n1"]), start()], [], Path())


@pytest.mark.parametrize(
    ("shape", "places"), [({}, "(1)(1)(2)(2)"), ({"PJM_NODE_X": "2", "PJM_NODE_Y": "2"}, "(1,0)(1,0)(0,1)(0,1)")]
)
def test_fujitsus_mpiexec_is_told_each_ranks_node(
    shape: dict[str, str], places: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--vcoordfile is as described in the MPI User's Guide of Fujitsu's Development Studio."""
    monkeypatch.setenv("PJM_O_NODEINF", str(tmp_path / "nodes"))
    (tmp_path / "nodes").write_text("n1\nn2\nn3\nn4\n")
    for name, extent in shape.items():
        monkeypatch.setenv(name, extent)
    group = start(2, 2, ["n2"], A="1")
    first, second = fujitsu([group, start(2, 2, ["n3"])], ["OMP_PLACES"], tmp_path)[0]
    ((file, text),) = fujitsu([group, start(2, 2, ["n3"])], [], tmp_path)[1].items()
    assert first == ["-n", "2", "--vcoordfile", str(file), "-x", "OMP_PLACES", "-x", "A=1", *group.words]
    assert second[:4] == ["-n", "2", "-x", "OMP_PLACES"]
    assert text.replace("\n", "") == places


LISTS = {
    "22.05": "MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\nspecific pmix plugin versions available: pmix_v4\n",
    "20.11": "srun: MPI types are...\nsrun: cray_shasta\nsrun: pmi2\nsrun: none\n",
}


@pytest.mark.parametrize(("version", "stream"), [("22.05", 1), ("20.11", 2)])
def test_the_kind_of_mpi_is_one_that_slurm_has(version: str, stream: int, tmp_path: Path) -> None:
    command = program(tmp_path / "srun", f"cat >&{stream} <<'END'\n{LISTS[version]}END")
    assert slurms_mpi(command, "Hydra") == "pmi2"
    if version == "22.05":
        assert slurms_mpi(command, "Open MPI") == "pmix"
    else:
        with pytest.raises(BanzukeError, match=r"needs --mpi=pmix .*cray_shasta"):
            slurms_mpi(command, "Open MPI")


def program(file: Path, script: str) -> str:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def test_a_slurm_that_does_not_answer_is_told(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"--mpi=list` failed \(no controller"):
        slurms_mpi(program(tmp_path / "srun", "echo no controller >&2; exit 1"), "Hydra")


def test_the_partitions_launcher_takes_the_place_of_the_mpi_librarys(tmp_path: Path) -> None:
    (tmp_path / "mpi").mkdir()
    program(tmp_path / "mpi" / "bin" / "mpiexec", "echo 'HYDRA build details:'")
    manager = program(tmp_path / "own" / "srun", f"echo '{LISTS['22.05']}'")
    library = str(tmp_path / "mpi/lib/libmpi.so")
    launcher = find_launcher(library, manager)
    assert (launcher.kind, str(launcher.path), list(launcher.options)) == ("srun", manager, ["--mpi=pmi2"])
    assert list(find_launcher(library, f"{manager} --mpi=cray_shasta").options) == ["--mpi=cray_shasta"]
    assert find_launcher(library, "mpirun").path == tmp_path / "mpi/bin/mpiexec"
    with pytest.raises(BanzukeError, match="the launcher /nowhere/flux was not found"):
        find_launcher(library, "/nowhere/flux run")


@pytest.mark.parametrize("further", ["", " run"])
def test_flux_gets_its_subcommand_once(further: str, tmp_path: Path) -> None:
    manager = program(tmp_path / "flux", "")
    assert list(find_launcher("/nowhere/lib/libmpi.so", manager + further).options) == ["run"]
    assert list(find_launcher("/nowhere/lib/libmpi.so", f"{manager} run -o x").options) == ["run", "-o", "x"]
