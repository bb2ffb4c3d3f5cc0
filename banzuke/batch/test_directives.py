"""Scripts' directives, line by line, as each batch system's manual has them."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from banzuke.batch import systems
from banzuke.batch.conftest import Make
from banzuke.batch.job import Job
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import BatchSystem

MOMENT = datetime(2027, 3, 1, 8, 30)  # noqa: DTZ001  (of this computer's time zone)
WHOLE = {
    "name": "hpl-2",
    "folder": Path("/home/me/a"),
    "output": Path("/home/me/a/out"),
    "seconds": 5400,
    "begin": MOMENT,
    "nodes": 2,
    "tasks": 4,
    "threads": 12,
    "devices": 1,
    "memory": 32 << 30,
    "queue": "short",
    "account": "lab7",
    "options": ["--site=own"],
}
"""A job with everything that all systems support."""


def directives(job: Job, mark: str) -> list[str]:
    lines = systems.render(job).splitlines()
    first = next(at for at, line in enumerate(lines) if line and not line.startswith("#"))
    assert not [line for line in lines[first:] if line.startswith(mark)], "they end with the first command"
    return [line.removeprefix(mark).strip() for line in lines[:first] if line.startswith(mark)]


def test_slurm(job: Make) -> None:
    """Options by their names in sbatch(1), OPTIONS."""
    whole = job("slurm", **WHOLE, reservation="maintenance", elements=3, hosts=("n1", "n2"))
    assert directives(whole, "#SBATCH") == [
        "--job-name=hpl-2",
        "--chdir=/home/me/a",
        "--output=/home/me/a/out.%a",  # "filename pattern": %a, job array ID (index) number
        "--open-mode=truncate",
        "--signal=B:INT@60",  # "Use the "B:" option to signal only the batch shell"
        "--no-requeue",
        "--export=ALL",
        "--begin=2027-03-01T08:30:00",
        "--array=1-3",
        "--partition=short",
        "--account=lab7",
        "--reservation=maintenance",
        "--time=1:30:00",
        "--nodes=2",
        "--nodelist=n[1-2]",
        "--ntasks-per-node=4",
        "--cpus-per-task=12",
        "--gres=gpu:1",
        "--mem=32768M",
        "--exclusive",
        "--site=own",
    ]


def test_slurm_gives_all_memory_unless_asked_for_less(job: Make) -> None:
    """--mem, "NOTE: A memory size specification of zero is treated as a special case and grants the job access to all
    of the memory on each node".
    """
    assert "--mem=0" in directives(job("slurm"), "#SBATCH")


def test_a_heterogeneous_job_of_slurm(job: Make) -> None:
    """Slurm's "Heterogeneous Job Support": "#SBATCH hetjob" between components, each with its own resources."""
    single = job("slurm", nodes=2, queue="main")
    two = replace(single, chunks=(*single.chunks, *job("slurm", nodes=1, queue="gpu", devices=4).chunks))
    lines = directives(two, "#SBATCH")
    first, second = lines[: lines.index("hetjob")], lines[lines.index("hetjob") + 1 :]
    assert {"--nodes=2", "--partition=main", "--job-name=try"} <= set(first)
    assert second == [
        *("--partition=gpu", "--time=1:00:00", "--nodes=1", "--ntasks-per-node=1", "--cpus-per-task=1"),
        *("--gres=gpu:4", "--mem=0", "--exclusive"),
    ]
    with pytest.raises(BanzukeError, match="arrays of heterogeneous jobs"):
        systems.render(replace(two, elements=2))


def test_gridengine(job: Make) -> None:
    """Options of qsub(1), Son of Grid Engine 8.1.9."""
    whole = job("gridengine", **WHOLE, parallel_environment="mpi", reservation="17", elements=3, hosts=("n1", "n2"))
    assert directives(whole, "#$") == [
        "-S /bin/bash",
        "-N hpl-2",
        "-wd /home/me/a",
        "-o /home/me/a/out.$TASK_ID",  # -e: "pseudo environment variables ... $TASK_ID"
        "-j y",
        "-r n",
        "-notify",  # "SIGUSR2 several seconds before the SIGKILL"
        "-q short",
        "-A lab7",
        "-ar 17",
        "-a 202703010830.00",  # sge_types(5), date_time: [[CC]YY]MMDDhhmm[.SS]
        "-t 1-3",
        "-l h_rt=1:30:00,s_rt=1:29:00",  # queue_conf(5), RESOURCE LIMITS: SIGUSR1 where s_rt is exceeded
        "-pe mpi 96",
        "-l hostname=n1|n2",  # sge_types(5), MATCHING TYPES
        "-l exclusive=true",  # complex(5), EXCL
        "--site=own",
    ]


def test_gridengine_needs_an_environment_for_several_processors(job: Make) -> None:
    with pytest.raises(BanzukeError, match="names no parallel environment"):
        systems.render(job("gridengine", nodes=2))


def test_pbs(job: Make) -> None:
    """Options of qsub(1B), resources of pbs_resources(7B), OpenPBS 23."""
    whole = job("pbs", **WHOLE)
    assert directives(whole, "#PBS") == [
        "-S /bin/bash",
        "-N hpl-2",
        "-o /home/me/a/out",
        "-j oe",
        "-k oed",  # "d: Output and/or error are written directly to their final destination"
        "-r n",
        "-q short",
        "-A lab7",
        "-a 202703010830.00",  # "[[[[CC]YY]MM]DD]hhmm[.SS]"
        "-l walltime=1:30:00",
        "-l select=2:ncpus=48:mpiprocs=4:ompthreads=12:ngpus=1:mem=32768mb",
        "-l place=scatter:exclhost",
        "--site=own",
    ]


def test_an_array_of_pbs(job: Make) -> None:
    """User's Guide, "Job Arrays": -J X-Y, ^array_index^ in paths; qsub(1B), -r: arrays are always rerunnable."""
    lines = directives(job("pbs", elements=5, output=Path("/home/me/out"), reservation="R77.server"), "#PBS")
    assert {"-J 1-5", "-o /home/me/out.^array_index^", "-q R77.server"} <= set(lines)
    assert "-r n" not in lines


def test_chunks_of_pbs(job: Make) -> None:
    """qsub(1B): -l select=[N:]chunk[+[N:]chunk ...]."""
    single = job("pbs", nodes=2, tasks=4, threads=12)
    two = replace(single, chunks=(*single.chunks, *job("pbs", nodes=1, hosts=("g1",), devices=4).chunks))
    assert (
        "-l select=2:ncpus=48:mpiprocs=4:ompthreads=12+1:ncpus=1:mpiprocs=1:ompthreads=1:ngpus=4:host=g1"
        in directives(two, "#PBS")
    )
    apart = replace(single, chunks=(*single.chunks, *job("pbs", queue="gpu").chunks))
    with pytest.raises(BanzukeError, match="one queue"):
        systems.render(apart)


def test_pjm(job: Make) -> None:
    """Job Operation Software End-user's Guide, pjsub(1); Fugaku User's Guide 5.9."""
    whole = job("pjm", **WHOLE, shape="2x1:torus", environment="mck")
    assert directives(whole, "#PJM") == [
        '--name "hpl-2"',
        '-o "/home/me/a/out"',
        "-j",
        '-L "rscgrp=short"',
        '-g "lab7"',
        "--at 202703010830",
        '-L "elapse=1:30:00"',
        '-L "node=2x1:torus"',
        '-L "jobenv=mck"',
        '-L "node-mem=32768Mi"',
        '--mpi "proc=8"',
        '--mpi "max-proc-per-node=4"',
        "--site=own",
    ]


def test_an_environment_that_a_directive_cannot_hold_is_refused(job: Make) -> None:
    with pytest.raises(BanzukeError, match="cannot take"):
        systems.render(job("pjm", environment='mck" -L "node=9'))


def test_a_bulk_job_of_pjm(job: Make) -> None:
    """Fugaku User's Guide 5.4.1: --bulk and --sparam are on the command line."""
    bulk = job("pjm", elements=3)
    assert systems.SYSTEMS["pjm"].submission(bulk, Path("a.sh")) == ("pjsub", "--bulk", "--sparam", "1-3", "a.sh")
    assert "by hand: pjsub --bulk --sparam 1-3 FILE" in systems.render(bulk)


@pytest.mark.parametrize(
    ("shape", "node"),
    [
        ("", "12"),
        ("torus", "12:torus"),
        ("12:mesh", "12:mesh"),
        ("12:noncont", "12:noncont"),
        ("2x3x2", "2x3x2"),
        ("2x3x2:torus", "2x3x2:torus"),
    ],
)
def test_shapes_of_pjm(job: Make, shape: str, node: str) -> None:
    """Fugaku User's Guide 3.4.1: one, two or three extents; noncont, mesh, torus."""
    assert f'-L "node={node}"' in directives(job("pjm", nodes=12, shape=shape), "#PJM")


@pytest.mark.parametrize(
    "shape", ["8:mesh", "2x3", "2x3x2x1", "ring", "12:", ":torus", "12torus", "x", "-12", "12:mesh\n"]
)
def test_impossible_shapes_are_refused(job: Make, shape: str) -> None:
    with pytest.raises(BanzukeError, match="shape"):
        systems.render(job("pjm", nodes=12, shape=shape))


@pytest.mark.parametrize("system", [name for name in systems.SYSTEMS if name != "pjm"])
def test_only_pjm_has_shapes(job: Make, system: BatchSystem) -> None:
    with pytest.raises(BanzukeError, match="cannot give the shape '12:mesh'"):
        systems.render(job(system, nodes=12, shape="12:mesh", parallel_environment="mpi"))


def test_flux(job: Make) -> None:
    """Options of flux-batch(1); one resource slot is a node. RFC 36: words of a directive are quoted as in a shell."""
    assert directives(job("flux", **WHOLE, hosts=("n1", "n2")), "# flux:") == [
        "--job-name=hpl-2",
        "--queue=short",
        "--bank=lab7",
        "'--begin-time=2027-03-01 08:30:00'",
        "--time-limit=5400s",
        "--nodes=2",
        "--nslots=2",
        "--cores-per-slot=48",
        "--gpus-per-slot=1",
        "--exclusive",
        "'--requires=hosts:n[1-2]'",
        "--cwd=/home/me/a",
        "--output=/home/me/a/out",
        "--site=own",
    ]


def test_an_array_of_flux(job: Make) -> None:
    """flux-submit(1), --cc, which flux-batch(1) lacks: its script starts in a broker, as with flux-batch."""
    array = job("flux", nodes=1, tasks=4, elements=3, folder=Path("/w"), output=Path("/w/out"))
    assert directives(array, "# flux:") == []
    assert systems.SYSTEMS["flux"].submission(array, Path("a.sh")) == (
        *("flux", "submit", "--cc=1-3", "--job-name=try", "--time-limit=3600s", "--nodes=1", "--ntasks=1"),
        *("--cores-per-task=4", "--exclusive", "--cwd=/w", "--output=/w/out.{cc}", "flux", "broker", "a.sh"),
    )


@pytest.mark.parametrize("system", ["gridengine", "pjm", "flux"])
def test_a_job_of_one_partition(job: Make, system: BatchSystem) -> None:
    single = job(system)
    two = replace(single, chunks=(*single.chunks, *single.chunks))
    with pytest.raises(BanzukeError, match="several partitions"):
        systems.render(two)


@pytest.mark.parametrize("system", ["pjm", "flux"])
def test_a_reservation_that_the_system_does_not_have(job: Make, system: BatchSystem) -> None:
    with pytest.raises(BanzukeError, match="reservation"):
        systems.render(job(system, reservation="x"))


@pytest.mark.parametrize("system", systems.SYSTEMS)
@pytest.mark.parametrize(
    "fields",
    [
        {"name": "a\n#SBATCH --nodes=99"},
        {"name": "a b"},
        {"name": "-x"},
        {"name": ""},
        {"name": "名前"},
        {"queue": "a --wrap=x"},
        {"queue": "a\n#$ -b y"},
        {"account": "$(id)"},
        {"parallel_environment": "mpi 99"},
        {"reservation": "x;y"},
        {"hosts": ("n1,n2",)},
        {"hosts": ("n1 --x",)},
        {"hosts": ("-n1",)},
        {"options": ["--x\n#PBS -q other"]},
        {"options": [" "]},
        {"variables": {"A B": "x"}},
        {"variables": {"A=B;": "x"}},
        {"folder": Path("relative")},
        {"folder": Path("/a\n#SBATCH")},
        {"output": Path("/a\\b")},
        {"command": ("a\0b",)},
    ],
    ids=repr,
)
def test_what_no_script_can_hold_is_refused(job: Make, system: BatchSystem, fields: dict[str, object]) -> None:
    with pytest.raises(BanzukeError):
        systems.render(job(system, **{"parallel_environment": "mpi"} | fields))


def test_a_job_is_on_one_system(job: Make) -> None:
    single = job("slurm")
    with pytest.raises(BanzukeError, match="two batch systems"):
        systems.render(replace(single, chunks=(*single.chunks, *job("pbs").chunks)))


def test_an_array_of_which_some_elements_run_at_once(job: Make) -> None:
    """sbatch(1), --array: "%" separator; qsub(1) of Grid Engine, -tc; qsub(1B) of PBS, -J X-Y%max."""
    for system, mark, line in (("slurm", "#SBATCH", "--array=1-500%40"), ("pbs", "#PBS", "-J 1-500%40")):
        assert line in directives(job(system, elements=500, at_once=40), mark)
    lines = directives(job("gridengine", elements=500, at_once=40), "#$")
    assert lines[lines.index("-t 1-500") + 1] == "-tc 40"


def test_a_job_that_waits_for_others(job: Make) -> None:
    """sbatch(1), --dependency; qsub(1B), -W depend; qsub(1) of Grid Engine, -hold_jid; flux-batch(1), --dependency."""
    wanted: dict[BatchSystem, tuple[str, ...]] = {
        "slurm": ("sbatch", "--parsable", "--dependency=afterany:7:8", "a.sh"),
        "pbs": ("qsub", "-W", "depend=afterany:7:8", "a.sh"),
        "gridengine": ("qsub", "-terse", "-hold_jid", "7,8", "a.sh"),
    }
    for system, words in wanted.items():
        assert systems.SYSTEMS[system].submission(job(system), Path("a.sh"), ("7", "8")) == words
    three = ("--dependency=afterany:f1", "--dependency=afterany:f2", "--dependency=afterany:f3")
    flux = systems.SYSTEMS["flux"]
    assert flux.submission(job("flux"), Path("a.sh"), ("f1", "f2,f3")) == ("flux", "batch", *three, "a.sh")
    assert flux.submission(job("flux", elements=2), Path("a.sh"), ("f1", "f2,f3"))[3:6] == three
    with pytest.raises(BanzukeError, match="PJM cannot let this job wait for others"):
        systems.SYSTEMS["pjm"].submission(job("pjm"), Path("a.sh"), ("7",))
